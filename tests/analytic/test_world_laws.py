"""Wrench laws and the passive laws of joints: forces by independent formulas, and where their energy goes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import simpson

import locodyn as ld
from locodyn.dynamics.model import Model
from locodyn.dynamics.totals import TOTALS
from locodyn.integrate import solve
from locodyn.locomotion.problem import Problem
from locodyn.motion import constant, sine
from locodyn.robot import Robot, about_centre
from locodyn.robot.compilation.frame_motion import cross_matrix
from locodyn.world import Anchor, ArctanFriction, Drag, Thrust, UserLaw, WorldForce
from peers import Case, random_case, relative, totals_rate
from random_robots import random_rotation

LAWS: dict[str, Any] = {
    "force": WorldForce((1.0, -2.0, 3.0)),
    "thrust": Thrust((0.5, 1.5, -1.0), (0.3, -0.2, 0.1)),
    "drag": Drag(linear=(0.5, 1.0, 2.0), quadratic=0.7, angular=(0.1, 0.2, 0.3)),
    "anchor": Anchor((0.4, -0.3, 0.2), 12.0, 0.8),
    "arctan": ArctanFriction((0.2, 0.5), load=3.0, speed=0.4, viscous=(0.1, 0.2)),
    "user": UserLaw(lambda t, rotation, position, twist: np.concatenate([position - twist[:3], rotation[0] * np.cos(t)])),
}


def wanted_wrench(name: str, t: float, rotation: np.ndarray, position: np.ndarray, twist: np.ndarray) -> np.ndarray:
    """The laws from their definitions, in the axes of the point."""
    speed, spin = twist[:3], twist[3:]
    if name == "force":
        return np.concatenate([rotation.T @ (1.0, -2.0, 3.0), np.zeros(3)])
    if name == "thrust":
        return np.array([0.5, 1.5, -1.0, 0.3, -0.2, 0.1])
    if name == "drag":
        force = -np.array([0.5, 1.0, 2.0]) * speed - 0.7 * np.abs(speed) * speed
        return np.concatenate([force, -np.array([0.1, 0.2, 0.3]) * spin])
    if name == "anchor":
        world = -12.0 * (position - np.array([0.4, -0.3, 0.2])) - 0.8 * (rotation @ speed)
        return np.concatenate([rotation.T @ world, np.zeros(3)])
    if name == "arctan":
        dry = np.array([0.2, 0.5, 0.0]) * 2.0 / np.pi * np.arctan(speed / 0.4)
        return np.concatenate([-3.0 * (dry + np.array([0.1, 0.2, 0.0]) * speed), np.zeros(3)])
    return np.concatenate([position - speed, rotation[0] * np.cos(t)])


def laden(seed: int, names: list[str]) -> tuple[Case, Problem]:
    """A random tree with laws at markers ``point 0``, ...: each law placed and turned on a body, the marker at the same pose."""
    case = random_case(seed, 8, least=4, armature=True)
    rng = case.rng
    for i, name in enumerate(names):
        body = str(rng.choice(case.robot.bodies))
        place = {"at": 0.3 * rng.standard_normal(3), "turned": random_rotation(rng)}
        case.robot[body].marker(f"point {i}", **place)
        case.robot.wrench(f"law {i}", on=body, law=LAWS[name], **place)
    return case, Problem(case.robot.model())


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", LAWS)
def test_wrenches(name: str, seed: int) -> None:
    """The accelerations are those of forward dynamics under the wrench of the formula at the same point."""
    case, problem = laden(seed, [name, name])
    model, t = problem.model, 0.7
    wrenches = {}
    for i in range(2):
        point = f"point {i}"
        wrenches[point] = wanted_wrench(name, t, *model.pose(point, case.q), model.twist(point, case.q, case.v))
    wanted = model.forward_dynamics(case.q, case.v, np.zeros(model.nv), wrenches)
    assert relative(problem.accelerations(t, case.q.copy(), case.v.copy()), wanted) < 1e-11  # condition of M


def energy_rates(problem: Problem, t: float, q: np.ndarray, v: np.ndarray) -> tuple[float, float]:
    """(d/dt (kinetic + potential), power of actuators - lost + from outside) at one instant.

    The kinetic energy by complex step; the potential one, springs and anchors included, by a difference of order 4 (1e-10).
    """
    model = problem.model

    def potential(s: float) -> float:
        return float(problem.series(np.array([t]), model.move(q, s * v)[None], v[None])["potential_energy"][0])

    recorded = problem.series(np.array([t]), q[None], v[None])
    a = problem.accelerations(t, q.copy(), v.copy())
    h = 1e-3
    rate = (8.0 * (potential(h) - potential(-h)) - (potential(2 * h) - potential(-2 * h))) / (12.0 * h)
    power = recorded["power_actuators"][0] - recorded["power_dissipated"][0]
    power += recorded["power_external"][0] if "power_external" in recorded else 0.0
    return totals_rate(model, q, v, a)[TOTALS.kinetic] + rate, float(power)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("names", [[name] for name in LAWS] + [list(LAWS)], ids=lambda names: "+".join(names))
def test_energy_is_booked(names: list[str], seed: int) -> None:
    """Stored, lost and supplied energy of every law, beside driven joints with springs and friction."""
    case, problem = laden(seed + 10, names)
    robot, changes = case.robot, {}
    for name, kind in zip(problem.model.compiled.joint_names[1:], problem.model.compiled.joint_types[1:], strict=True):
        changes |= {f"{name}.viscous": 0.2, f"{name}.coulomb": 0.3, f"{name}.coulomb_speed": 0.1}
        changes |= {} if kind in ("planar", "free") else {f"{name}.stiffness": 3.0}
    model = robot.changed(changes).model()
    n = model.compiled.reference_nv
    problem = Problem(model, torque={i: sine(1.0, omega=2.0, phase=i) for i in range(n, model.nv)})
    rate, power = energy_rates(problem, 0.4, case.q, 0.5 * case.v)
    assert rate == pytest.approx(power, rel=1e-7, abs=1e-7)


def test_energy_over_a_run() -> None:
    """E(t) - E(0) is the integral of the recorded powers: Simpson on 401 samples of an adaptive run, good to 1e-9."""
    case, _ = laden(3, ["drag", "anchor", "thrust", "force"])
    model = case.robot.model()
    n = model.compiled.reference_nv
    problem = Problem(model, torque={n: sine(0.5, omega=3.0)})
    solution = solve(problem, case.q, 0.2 * case.v, t_end=1.0, step=1.0 / 400.0, method="adaptive", tolerance=1e-12)
    series = problem.series(solution.times, solution.q, solution.v)
    energy = series["kinetic_energy"] + series["potential_energy"]
    power = series["power_actuators"] - series["power_dissipated"] + series["power_external"]
    assert np.abs(energy[-1] - energy[0]) > 1e-2
    assert energy[-1] - energy[0] == pytest.approx(simpson(power, x=solution.times), abs=1e-7)
    assert np.all(series["power_dissipated"] >= 0.0)


# --------------------------------------------------------------------------------------------------------- joints by themselves
def joint_torque(model: Model, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """What the passive laws exert: inverse dynamics of the motion that they cause."""
    return model.inverse_dynamics(q, v, Problem(model).accelerations(0.0, q.copy(), v.copy()))


def single(kind: str, **laws: Any) -> Model:
    robot = Robot("single")
    body = robot.body("bob", mass=1.0, centre=(0.1, 0.2, 0.3), inertia=about_centre(np.diag([0.3, 0.4, 0.5])))
    body.on(robot.base("ground", moves="fixed"), turned=("x", 0.3))
    getattr(body, kind)()
    body.actuator(**laws)
    return robot.model()


@pytest.mark.parametrize("kind", ["turning", "sliding", "cylindrical", "universal", "translating"])
def test_springs_of_straight_coordinates(kind: str) -> None:
    """-k (q - rest), each coordinate with its own numbers."""
    n = {"turning": 1, "sliding": 1, "cylindrical": 2, "universal": 2, "translating": 3}[kind]
    rng = np.random.default_rng(1)
    stiffness, rest, q, v = rng.uniform(1, 5, n), rng.standard_normal(n), rng.standard_normal(n), rng.standard_normal(n)
    model = single(kind, stiffness=tuple(stiffness), rest=tuple(rest))
    np.testing.assert_allclose(joint_torque(model, q, v), -stiffness * (q - rest), rtol=1e-12, atol=1e-13)
    stored = Problem(model).series(np.zeros(1), q[None], v[None])["potential_energy"][0] - model.potential_energy(q)
    assert stored == pytest.approx(0.5 * stiffness @ (q - rest) ** 2, rel=1e-12)


@pytest.mark.parametrize("angle", [1e-9, 1e-4, 1.0, 3.0])
def test_spring_of_a_ball_joint(angle: float) -> None:
    """Energy 1/2 sum k_i theta_i^2 of the rotation vector; its torque is -T(theta)^-T k theta, T the right Jacobian.

    T^-T = 1 - 1/2 hat(theta) + (1 / t^2 - (1 + cos t) / (2 t sin t)) hat(theta)^2, from the closed form of T^-1.
    """
    stiffness = np.array([1.0, 2.0, 3.0])
    axis = np.array([2.0, -1.0, 2.0]) / 3.0
    theta = angle * axis
    q = np.concatenate([[np.cos(angle / 2)], np.sin(angle / 2) * axis])
    model = single("ball", stiffness=tuple(stiffness))
    hat = cross_matrix(theta)
    factor = 1.0 / 12.0 if angle < 1e-3 else 1.0 / angle**2 - (1.0 + np.cos(angle)) / (2.0 * angle * np.sin(angle))
    pull = (np.eye(3) - 0.5 * hat + factor * hat @ hat) @ (stiffness * theta)
    # inverse dynamics cancels a weight of order 1: absolute round-off of 1e-15
    np.testing.assert_allclose(joint_torque(model, q, np.array([0.3, -0.2, 0.5])), -pull, rtol=1e-11, atol=1e-14)
    stored = Problem(model).series(np.zeros(1), q[None], np.zeros((1, 3)))["potential_energy"][0] - model.potential_energy(q)
    assert stored == pytest.approx(0.5 * stiffness @ theta**2, rel=1e-10, abs=1e-14)


@pytest.mark.parametrize("speed", [0.0, 1e-6, 0.05, -0.05, 2.0, -30.0])
def test_friction(speed: float) -> None:
    """-c v - f v / sqrt(v^2 + v0^2), and the power that it takes."""
    model = single("turning", viscous=0.4, coulomb=0.7, coulomb_speed=0.05)
    q, v = np.array([0.3]), np.array([speed])
    wanted = -0.4 * speed - 0.7 * speed / np.hypot(speed, 0.05)
    np.testing.assert_allclose(joint_torque(model, q, v), [wanted], rtol=1e-12, atol=1e-13)
    lost = Problem(model).series(np.zeros(1), q[None], v[None])["power_dissipated"][0]
    assert lost == pytest.approx(-wanted * speed, rel=1e-13, abs=1e-300)


@pytest.mark.parametrize(("command", "given"), [(0.3, 0.3), (5.0, 2.0), (-5.0, -2.0), (2.0, 2.0), (-2.0, -2.0)])
def test_torque_limits(command: float, given: float) -> None:
    """The actuator gives no more than its limit; springs and friction are not limited."""
    model = single("turning", torque_limit=2.0, stiffness=100.0)
    q, v = np.array([0.3]), np.array([0.1])
    for drive in ({"torque": {0: constant(command)}}, {"controller": lambda t, q, v: [command]}):
        problem = Problem(model, **drive)
        a = problem.accelerations(0.0, q.copy(), v.copy())
        assert a == pytest.approx(model.forward_dynamics(q, v, np.array([given - 30.0])), rel=1e-12)
        series = problem.series(np.zeros(1), q[None], v[None])
        assert series["joint_torque"][0, 0] == pytest.approx(given, rel=1e-12)
        assert series["power_actuators"][0] == pytest.approx(given * 0.1, rel=1e-12)


@pytest.mark.parametrize(
    ("command", "speed", "given"),
    # L (1 - v / v_n) with L = 2 N m and v_n = 4 rad/s; all of L where it brakes; nothing beyond v_n.
    [
        (5.0, 1.0, 1.5),
        (-5.0, -1.0, -1.5),
        (5.0, -1.0, 2.0),
        (-5.0, 3.0, -2.0),
        (5.0, 6.0, 0.0),
        (-5.0, -6.0, 0.0),
        (0.3, 1.0, 0.3),
    ],
)
def test_the_torque_of_a_drive_fades_with_its_speed(command: float, speed: float, given: float) -> None:
    model = single("turning", torque_limit=2.0, no_load_speed=4.0)
    problem = Problem(model, torque={0: constant(command)})
    q, v = np.array([0.3]), np.array([speed])
    series = problem.series(np.zeros(1), q[None], v[None])
    assert series["joint_torque"][0, 0] == pytest.approx(given, rel=1e-12, abs=1e-15)
    assert problem.accelerations(0.0, q, v) == pytest.approx(model.forward_dynamics(q, v, np.array([given])), rel=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("integrator", ["rkmk4", "moreau", "radau3"])
def test_a_drive_runs_up_to_its_no_load_speed(integrator: str) -> None:
    """I vdot = L (1 - v / v_n): v = v_n (1 - exp(-L t / (I v_n))), to the error of the method."""
    robot = ld.Robot("motor")
    wheel = robot.body("wheel", mass=1.0, inertia=ld.about_centre(zz=0.5)).on(robot.base("frame", moves="fixed")).turning("z")
    wheel.actuator(torque_limit=2.0, no_load_speed=4.0)
    scenario = ld.Scenario("motor", robot, torque={"wheel": 50.0}, gravity=(0, 0, 0), t_end=2.0, dt=1e-3, integrator=integrator)
    found = scenario.run(progress=False).joint_velocity.values[-1, 0]
    assert found == pytest.approx(4.0 * (1.0 - np.exp(-2.0)), rel=2e-3 if integrator == "moreau" else 1e-6)


def test_torque_of_an_imposed_joint() -> None:
    """What the actuator must give: inverse dynamics plus what springs and friction take."""
    model = single("turning", stiffness=10.0, viscous=0.5)
    law = sine(0.3, omega=2.0, phase=0.4)
    q, v, a = (np.array([x]) for x in law.at(0.6))
    series = Problem(model, imposed={0: law}).series(np.array([0.6]), np.zeros((1, 1)), np.zeros((1, 1)))
    np.testing.assert_allclose(series["joint_torque"][0], model.inverse_dynamics(q, v, a) + 10.0 * q + 0.5 * v, rtol=1e-12)
    np.testing.assert_allclose(series["joint_acceleration"][0], a, rtol=1e-14)
