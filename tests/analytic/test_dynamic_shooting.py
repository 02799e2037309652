"""Dynamic shooting: the motion that runs with strain modes tend to, and the step below which it fails (Gotelli 2024, (2.23))."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import expm

import locodyn as ld
from locodyn.equilibria import ShootingInTime, critical_step
from locodyn.integrate import solve
from locodyn.locomotion.problem import Problem, Schedule
from locodyn.robot import Rod
from locodyn.zoo.robots import cantilever
from rod_cases import flying_rod, push

pytestmark = pytest.mark.slow


def clamped(young: float = 1e6, length: float = 0.5, modes: int = 6) -> ld.Robot:
    """The rod of the benchmark rod_drop, which bends about y."""
    robot = ld.Robot("rod")
    material = ld.Material(young, 1000.0, shear=young / 3.0)
    ground = robot.base("ground", moves="fixed")
    ground.rod("rod", length=length, section=ld.Circle(0.02), material=material, bending=(modes, 0), nodes=30)
    return robot


def rod_of(robot: ld.Robot) -> Rod:
    rod = robot.description.bodies[1].joint.rod
    assert rod is not None
    return rod


def test_falls_as_the_rod_with_modes() -> None:
    """A horizontal rod released straight on the moon: tip after 0.2 s against six modes in small steps, to 1e-3 of the length.

    Measured 6.4e-4 and 3.9e-4 m: at these steps BDF 2 damps the third mode (78 rad/s) and those above, which are in the fall.
    """
    robot, gravity = clamped(), (0.0, 0.0, -1.6)
    model = robot.model(gravity=gravity)
    fine = solve(Problem(model), model.neutral(), np.zeros(model.nv), t_end=0.2, step=0.002, method="gauss2", tolerance=1e-10)
    exact = model.pose("rod", fine.q[-1])[1]
    shooting = ShootingInTime(Problem(model), 1)
    errors = [np.linalg.norm(shooting.run(0.2, step).position["rod"][-1, -1] - exact) for step in (0.02, 0.01)]
    assert errors[1] < errors[0] and errors[1] < 1e-3 * 0.5


def test_rests_at_the_equilibrium_of_a_tip_force() -> None:
    """Steps far longer than the rod's own motion leave statics: tip and root wrench of a cantilever under a force."""
    robot = clamped()
    robot.wrench("pull", on="rod", law=ld.world.WorldForce((0.0, 0.0, 0.2)))
    found = ld.statics(robot, gravity=(0, 0, 0))
    motion = ShootingInTime(Problem(robot.model(gravity=(0, 0, 0))), 1).run(1e4, 1e3)
    assert motion.position["rod"][-1, -1] == pytest.approx(robot.model().pose("rod", found.q)[1], abs=1e-4)
    assert motion.wrench["rod"][-1, 0, :3] == pytest.approx([0.0, 0.0, 0.2], abs=1e-6)


@pytest.mark.parametrize(("young", "length"), [(1e6, 0.5), (1e8, 0.5), (1e6, 1.0)])
def test_fails_below_its_critical_step(young: float, length: float) -> None:
    """dt_c = psi l^2 sqrt(rho A/EI), psi about 1/100: rods under loads of the same rho A g l^3/EI = 15 fail at the same psi.

    Measured: steps of 3 dt_c work, of 2 dt_c and less do not. Rotary inertia r^2/4 makes dt_c longer, by its share of l^2.
    """
    rod = rod_of(clamped(young, length))
    area, moment = np.pi * 0.02**2, np.pi * 0.02**4 / 4.0
    step = critical_step(rod)
    law = 0.01 * length**2 * np.sqrt(1000.0 * area / (young * moment))
    assert law < step < law * (1.0 + 0.25 * 75.0 * (0.02 / length) ** 2)
    weight = 9.81 * young / 1e6 * (0.5 / length) ** 3
    shooting = ShootingInTime(Problem(clamped(young, length).model(gravity=(0.0, 0.0, -weight))), 1)
    assert np.isfinite(shooting.run(18.0 * step, 3.0 * step).position["rod"]).all()
    if young == 1e6 and length == 0.5:  # to give up takes long
        with pytest.raises(ld.RunError, match="rods in 1 part cannot be solved"):
            shooting.run(0.5 * step, 0.5 * step)


def flown(case: str) -> Problem:
    """A flying rod of Gotelli 2024, 3.9.1."""
    return Problem(flying_rod(case, bending=6, torsion=4).model(gravity=(0, 0, 0)), schedule=Schedule(loads=push(case)))


def bent(problem: Problem) -> Rod:
    """Its rod."""
    rod = problem.model.compiled.description.bodies[1].joint.rod
    assert rod is not None
    return rod


def test_flies_as_the_rod_with_modes() -> None:
    """A free rod, pushed and turned at its end in space, after 0.3 s: both ends tend to those of a run in small steps.

    BDF 2 has order 2; at these few steps the first one, of order 1, still shows: half the step leaves less than 0.45 of the
    error.
    """
    problem = flown("stiff")
    model, shooting = problem.model, ShootingInTime(problem, 1)
    fine = solve(problem, model.neutral(), np.zeros(model.nv), t_end=0.3, step=0.005, method="gauss2", tolerance=1e-9)
    ends = [model.pose(name, fine.q[-1])[1] for name in ("A", "B")]
    errors = []
    for step in (0.1, 0.05):
        found = shooting.run(0.3, step).position["B"][-1, [0, -1]]
        errors.append([np.linalg.norm(one - end) for one, end in zip(found, ends, strict=True)])
    assert np.all(np.less(errors[1], 0.45 * np.array(errors[0]))) and np.max(errors[1]) < 0.02


def test_rotary_inertia_sets_the_step_of_soft_free_rods() -> None:
    """The law (2.23) of Gotelli 2024 says 45 ms for the soft flying rod, but with 10 kg m of rotary inertia GJ k^2 = j a^2 about
    the axis, and Re(k) l = 8.66 at 0.245 s.
    """
    assert critical_step(bent(flown("soft"))) == pytest.approx(1.5 * 10.0 * np.sqrt(10.0 / 500.0) / np.sqrt(75.0))


# ------------------------------------------------------------------------------------------------------------- in pieces
@pytest.mark.parametrize("parts", [1, 2])
def test_a_released_rod_is_shot_at_once(parts: int) -> None:
    """Table 3.1 of Gotelli 2024: shooting takes the steel cantilever that a force lets go at 10 ms, 16 times its critical step.

    Newton's method does not get there from the shape under the force at once; a path leads to it. One shot and pieces agree to
    their tolerances (1e-8 along s, 1e-7 of a step; of 0.4 m), and begin where the strain modes are (20 slices: 3e-7 m).
    """
    p = {"case": "steel", "modes": 3, "nodes": 20, "g": 9.81}
    gravity = (0.0, 0.0, -9.81)
    q = ld.statics(cantilever.robot(p, cantilever.CASES["steel"][4]), gravity=gravity, steps=8).q
    problem = Problem(cantilever.robot(p).model(gravity=gravity))
    rod = problem.model.compiled.description.bodies[1].joint.rod
    assert rod is not None and 10.0 * critical_step(rod) < 0.01
    found, pieces = (ShootingInTime(problem, n).run(0.03, 0.01, q0=q).position["rod"][:, -1] for n in (parts, 8))
    assert found[0] == pytest.approx(problem.model.pose("rod", q)[1], abs=1e-6)
    assert found == pytest.approx(pieces, abs=1e-6)
    assert np.linalg.norm(found[-1] - found[0]) > 0.3  # it swings back


def test_in_pieces_soft_free_rods_fly() -> None:
    """Steps of 0.2 and 0.1 s, which one shot cannot take: both ends tend to those of a run, with order 2."""
    problem = flown("soft")
    model, pieces = problem.model, ShootingInTime(problem, 4)
    assert critical_step(bent(problem), 4) < 0.1 < critical_step(bent(problem))
    fine = solve(problem, model.neutral(), np.zeros(model.nv), t_end=0.8, step=0.01, method="gauss2", tolerance=1e-9)
    ends = np.array([model.pose(name, fine.q[-1])[1] for name in ("A", "B")])
    errors = [np.abs(pieces.run(0.8, step).position["B"][-1, [0, -1]] - ends).max() for step in (0.2, 0.1)]
    assert errors[1] < 0.45 * errors[0] and errors[1] < 0.05


def test_in_pieces_closed_loops_move() -> None:
    """Two rods on hinges with pinned tips (``cpr_rfrfr``) under torques that rise in 0.12 s: as in a run.

    The tips stay together. A tenth of a period in few steps: errors of the tip fall from 5.8 to 3.1 mm of its 36 mm (measured),
    between order 1, which the first step has, and 2.
    """
    scenario = ld.zoo.cpr_rfrfr(modes=6)
    model, (q, v) = scenario.model, scenario.initial_state()
    rise = ld.motion.transition(0.0, 0.3, duration=0.12)
    numbers = [model.compiled.joint_velocities[model.compiled.joint_index(name)].start for name in ("left_hub", "right_hub")]
    problem = Problem(model, torque={numbers[0]: rise, numbers[1]: -rise})
    fine = solve(problem, q, v, t_end=0.12, step=0.005, method="gauss2", tolerance=1e-9)
    tip, errors = model.pose("left", fine.q[-1])[1], []
    hinges = [model.compiled.position_index(name) for name in ("left_hub", "right_hub")]
    for step in (0.04, 0.02):
        found = ShootingInTime(problem, 1).run(0.12, step, q0=q)
        assert found.position["left"][:, -1] == pytest.approx(found.position["right"][:, -1], abs=1e-7)
        turned = np.abs(found.q[-1] - fine.q[-1])[hinges].max()
        errors.append([np.linalg.norm(found.position["left"][-1, -1] - tip), turned])
    assert np.all(np.less(errors[1], 0.6 * np.array(errors[0])))
    assert errors[1][0] < 0.1 * np.linalg.norm(tip - model.pose("left", q)[1])


def swing(gravity: float) -> ld.Model:
    """A hub off its hinge, with friction and a rotor; a rod; a bob that swings at its tip."""
    robot = ld.Robot("swing")
    solid = {"mass": 0.3, "inertia": ld.about_centre(xx=1e-3, yy=2e-3, zz=1e-3), "centre": (0.05, 0.01, 0.02)}
    hub = robot.body("hub", **solid).on(robot.base("ground", moves="fixed")).turning("y").actuator(viscous=0.2, armature=0.05)
    material = ld.Material(1e7, 1000.0, shear=1e7 / 3.0)
    rod = hub.rod("rod", length=0.5, section=ld.Circle(0.02), material=material, bending=(6, 0), nodes=30)
    robot.body("bob", **solid).on(rod).turning("y")
    return robot.model(gravity=(0.0, 0.0, -gravity))


def errors_of(problem: Problem) -> tuple[np.ndarray, float]:
    """Errors (2, 2) of hub and bob after 0.12 s by steps of 20 and 10 ms, against a run in small ones; how far they turn."""
    model = problem.model
    fine = solve(problem, model.neutral(), np.zeros(model.nv), t_end=0.12, step=0.002, method="gauss2", tolerance=1e-9)
    hinges = [model.compiled.position_index(name) for name in ("hub", "bob")]
    ends = [ShootingInTime(problem, 1).run(0.12, step).q[-1] for step in (0.02, 0.01)]
    return np.abs(np.array(ends) - fine.q[-1])[:, hinges], float(np.abs(fine.q[-1][hinges]).max())


def test_in_pieces_bodies_and_joints_have_their_inertia() -> None:
    """Turned by a torque: as in a run. Half the step leaves less than 0.45 of the error of both hinges (BDF 2 after a first step
    of order 1); measured 0.22, 0.35.
    """
    errors, _ = errors_of(Problem(swing(0.0), torque={0: ld.motion.transition(0.0, 2.0, duration=0.12)}))
    assert np.all(np.less(errors[1], 0.45 * errors[0]))


def test_in_pieces_sudden_weight_errs_as_its_formula_does() -> None:
    """Weight that is there at once shakes modes of 70 to 760 rad/s, which steps of 20 and 10 ms do not resolve: errors of the bob
    do not fall yet. They are those of BDF 2 on the linear system of the same robot, but for terms of the angle, 0.23 rad.
    """
    problem = Problem(swing(9.81))
    model, still, h = problem.model, np.zeros(problem.model.nv), 1e-6
    found, angle = errors_of(problem)

    def pull(q: np.ndarray, v: np.ndarray) -> np.ndarray:
        return problem.accelerations(0.0, model.move(model.neutral(), q), v.copy())

    by_q, by_v = (
        np.array([(pull(*at(h * e)) - pull(*at(-h * e))) / (2.0 * h) for e in np.eye(model.nv)])
        for at in (lambda e: (e, still), lambda e: (still, e))
    )
    n, start = model.nv, pull(still, still)
    matrix, load = np.zeros((2 * n, 2 * n)), np.concatenate([still, start])
    matrix[:n, n:] = np.eye(n)
    matrix[n:, :n], matrix[n:, n:] = by_q.T, by_v.T
    whole = np.zeros((2 * n + 1, 2 * n + 1))
    whole[:-1, :-1], whole[:-1, -1] = matrix, load
    exact = expm(0.12 * whole)[:-1, -1]
    hinges = [model.compiled.coordinate_index(name) for name in ("hub", "bob")]
    for step, errors in zip((0.02, 0.01), found, strict=True):
        past = [np.zeros(2 * n), np.linalg.solve(np.eye(2 * n) - step * matrix, step * load)]
        for _ in range(round(0.12 / step) - 1):
            past.append(np.linalg.solve(1.5 * np.eye(2 * n) - step * matrix, 2.0 * past[-1] - 0.5 * past[-2] + step * load))
        assert errors == pytest.approx(np.abs(past[-1] - exact)[hinges], rel=angle)


@pytest.mark.parametrize("actuator", [{"viscous": 0.05}, {"armature": 2e-3}], ids=str)
def test_in_pieces_joints_of_three_axes_are_damped_and_have_rotors(actuator: dict[str, float]) -> None:
    """A link that hangs on a ball joint: they counted in joints of one axis only, which leaves 5 and 2 mm at any step.

    Half the step leaves less than 0.45 of the error (BDF 2 after a first step of order 1); measured 0.38, 0.34.
    """
    robot = ld.Robot("hung")
    link = robot.body("link", mass=0.2, centre=(0.05, 0, 0), inertia=ld.about_centre(xx=1e-3, yy=1e-3, zz=1e-3))
    link.on(robot.base("ground", moves="fixed")).ball().actuator(**actuator)
    soft = ld.Material(young=1e6, density=1000.0, shear=1e6 / 3.0)
    link.rod("whip", at=(0.1, 0, 0), length=0.3, section=ld.Circle(0.01), material=soft, bending=(0, 3))
    falls = ld.Scenario("hung", robot, gravity=(0.0, -2.0, 0.0), t_end=0.2, integrator="radau3", dt=5e-3)
    tip = falls.run(progress=False).rod_position.values[-1, 0, -1]
    runs = [ShootingInTime(falls.problem, 2).run(0.2, step).position["whip"][-1, -1] for step in (0.02, 0.01)]
    errors = [float(np.abs(run - tip).max()) for run in runs]
    assert errors[1] < min(0.45 * errors[0], 1e-3)


def test_refused() -> None:
    robot = ld.Robot("stiff")
    robot.base("ground", moves="fixed").rod("rod", length=1.0, section=ld.Circle(0.01), material=ld.silicone, stretch=2)
    with pytest.raises(ld.InputError, match="has a critical step for rods that bend"):
        critical_step(rod_of(robot))
    with pytest.raises(ld.InputError, match="must be positive and smaller"):
        ShootingInTime(Problem(clamped().model())).run(1.0, 2.0)
    with pytest.raises(ld.InputError, match="cuts rods into 0 parts"):
        ShootingInTime(Problem(clamped().model()), 0)
