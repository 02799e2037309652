"""Compliant contact of all surfaces against closed forms: bodies that hit each other, terrain, solids, rods; the laws of friction
against independent integrations; hard contact by a word.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import locodyn as ld
from locodyn.files import load_robot
from locodyn.world import CompliantContact

pytestmark = pytest.mark.slow

NONE = (0.0, 0.0, 0.0)
FILES = Path(__file__).parents[1] / "files"
FLAT = {
    "ground": ld.Ground(),
    "terrain": ld.Terrain(heights=np.zeros((5, 5)), origin=(-2.0, -2.0)),
    "box": ld.Obstacle(ld.Box((4.0, 4.0, 1.0)), at=(0.0, 0.0, -0.5)),
}


def run(robot: ld.Robot, contact: Any, **words: Any) -> ld.Result:
    return ld.simulate(robot, **{"contact": contact, "dt": 1e-3, "progress": False, **words})


def test_bodies_hit_each_other() -> None:
    """Balls of 1 and 3 kg part with 0.6 of the speed at which they meet, whatever their masses; momentum stays.

    Hunt and Crossley's relation holds for the reduced mass; 1e-6 is a thousand times the tolerance, forces are equal.
    """
    robot = ld.Robot("balls")
    world = robot.base("world", moves="fixed")
    for name, mass, x in (("small", 1.0, 0.0), ("large", 3.0, 0.3)):
        ball = robot.body(name, mass=mass, shape=ld.Sphere(0.1)).on(world, at=(x, 0.0, 0.0)).sliding("x", name=name)
        ball.collides(restitution=0.6)
    contact = CompliantContact(stiffness=1e6, impact_speed=2.0)
    start = ld.Start(velocities={"small": 1.5, "large": -0.5})
    found = run(robot, contact, self_collision=True, gravity=NONE, start=start, t_end=0.1, dt=1e-4)
    v = found.joint_velocity.values
    assert abs((v[-1, 1] - v[-1, 0]) / 2.0 - 0.6) < 1e-6
    assert np.abs(v @ (1.0, 3.0)).max() < 1e-10  # m/s kg: 1.5 - 3 0.5 at the start
    assert found.contact_force.sizes["contact"] == 1 and found.contact_force.values[:, 0, 0].min() < -400.0  # pushes 'small' back
    left = found.total_energy().values - found.energy_supplied().values
    assert np.abs(left - left[0]).max() < 1e-4 * left[0]  # powers by trapezoids through records of 0.1 ms (measured 1.2e-5)


@pytest.mark.parametrize("friction", ["lugre", "stick_slip", "regularised"])
def test_flat_terrain_and_boxes_are_planes(friction: str) -> None:
    """A ball thrown with spin bounces and rolls alike on the plane, on level terrain and on a box, and over every force law."""
    robot = ld.Robot("ball")
    robot.base("ball", moves="free", mass=0.5, shape=ld.Sphere(0.05)).collides(friction=0.4, restitution=0.5)
    contact = CompliantContact(friction=friction, stiffness=1e5, bristle_damping=0.5, speed=1e-2)
    start = ld.Start({"ball": (0.0, 0.0, 0.06, 0.0, 0.0, 0.3)}, {"ball": (0.5, 0.2, 0.0, 3.0, 0.0, 20.0)})
    runs = {name: run(robot, contact, obstacles=[flat], start=start, t_end=0.3, tolerance=1e-9) for name, flat in FLAT.items()}
    assert np.ptp(runs["ground"].position.values[:, 0]) > 0.05
    for name in ("terrain", "box"):
        for what in ("position", "twist"):
            size = np.abs(getattr(runs["ground"], what).values).max()
            np.testing.assert_allclose(getattr(runs[name], what), getattr(runs["ground"], what), atol=1e-6 * size)


def dragged(friction: Any, direction: Any = "x") -> ld.Robot:
    """A point of 2 kg that is moved along x and y and rests on the ground."""
    robot = ld.Robot("dragged")
    world = robot.base("world", moves="fixed")
    along = robot.body("along").on(world).sliding("x", name="x")
    aside = robot.body("aside").on(along).sliding("y", name="y")
    point = robot.body("point", mass=2.0, shape=ld.Sphere(0.02)).on(aside).sliding("z", name="z")
    point.collides(name="sole", vertices=[(0.0, 0.0, 0.0)], friction=friction, direction=direction)
    return robot


def test_friction_by_direction_is_on_its_ellipse() -> None:
    """In steady slip F = -F_N (C^2 v / |C v| + c v), C and c by direction (Velenis et al. 2005); the surface points along y.

    Bristles of 1 mm settle as exp(-way / 1 mm): none are left after 30 mm. The point rests at the depth of its weight.
    """
    weight, v = 2.0 * 9.81, np.array([0.3, 0.4])
    contact = CompliantContact(stiffness=1e5, damping=1e5, viscous=(0.1, 0.3), static=(1.2, 1.5))
    start = {"z": -((weight / 1e5) ** (2.0 / 3.0))}
    motion = {"x": ld.polynomial(0.0, v[0]), "y": ld.polynomial(0.0, v[1])}
    found = run(dragged((0.6, 0.2), "y"), contact, obstacles=[ld.Ground()], imposed=motion, start=start, t_end=0.06)
    coulomb, viscous = np.array([0.2, 0.6]), np.array([0.3, 0.1])  # along x the surface slips aside
    wanted = -weight * (coulomb**2 * v / np.linalg.norm(coulomb * v) + viscous * v)
    np.testing.assert_allclose(found.contact_force.values[-1, 0, :2], wanted, atol=1e-6 * weight)
    assert [str(one) for one in found.state.values] == [f"sole on ground.{axis}" for axis in "xyz"]


def test_bristles_have_the_hysteresis_of_dahl() -> None:
    """Before it slips a slow surface follows Dahl's curve, F = F_S + (F_0 - F_S) exp(-s0 x / F_S) from F_0 on, both ways.

    To and fro by 0.6 mm: loops before it slips, and the static limit that is never passed (Canudas de Wit et al. 1995, IV.A). At
    1e-4 of Stribeck's speed friction is static to 1e-8.
    """
    mu, s0, weight, size = 0.3, 1000.0, 2.0 * 9.81, 6e-4
    contact = CompliantContact(stiffness=1e5, damping=1e5, bristle_stiffness=s0, static=1.5, speed=20.0)
    motion, start = {"x": ld.sine(size, omega=np.pi), "y": 0.0}, {"z": -((weight / 1e5) ** (2.0 / 3.0))}
    found = run(dragged(mu), contact, obstacles=[ld.Ground()], imposed=motion, start=start, t_end=3.0)
    t, force, limit = found.time.values, -found.contact_force.values[:, 0, 0], 1.5 * mu * weight
    wanted, before = np.zeros(len(t)), 0.0
    for first, last, sign in ((0.0, 0.5, 1.0), (0.5, 1.5, -1.0), (1.5, 2.5, 1.0), (2.5, 3.0, -1.0)):
        part = (t > first - 1e-9) & (t < last + 1e-9)
        gone = size * np.abs(np.sin(np.pi * t[part]) - np.sin(np.pi * first))
        wanted[part] = sign * limit + (before - sign * limit) * np.exp(-s0 * weight * gone / limit)
        before = wanted[part][-1]
    assert np.abs(force - wanted).max() < 1e-5 * limit and 0.6 * limit < np.abs(force).max() < limit


FRICTION: dict[str, dict[str, Any]] = {
    "lugre": {"bristle_stiffness": 300.0, "bristle_damping": 2.0, "viscous": 0.05, "static": 1.6, "speed": 0.05},
    "stick_slip": {"friction": "stick_slip", "grip_stiffness": 2e5, "grip_damping": 1e6},
}  # fmt: skip


@pytest.mark.parametrize("name", list(FRICTION))
def test_pulled_by_a_spring(name: str) -> None:
    """A mass behind a spring whose end moves: against Radau's method of SciPy on the scalar equations, written down again here.

    LuGre's bristles stick and slip in a limit cycle, since friction falls with speed; the spring that slips settles.
    """
    mass, pull, speed, mu = 2.0, 40.0, 0.05, 0.3
    weight, options = mass * 9.81, FRICTION[name]
    contact = CompliantContact(stiffness=1e5, damping=1e5, **options)
    start = {"z": -((weight / 1e5) ** (2.0 / 3.0))}
    servo = {"x": ld.Servo(ld.ramp(speed), pull, 0.0)}
    words: dict[str, Any] = {"obstacles": [ld.Ground()], "imposed": {"y": 0.0}, "servo": servo, "start": start}
    found = run(dragged(mu), contact, t_end=6.0, dt=5e-3, tolerance=1e-9, **words)

    def bristles(v: float, z: float) -> tuple[float, float]:
        g = mu * (1.0 + 0.6 * np.exp(-((v / 0.05) ** 2)))
        rate = v - 300.0 * abs(v) / g * z
        return weight * (300.0 * z + 2.0 * rate + 0.05 * v), rate

    def spring(v: float, z: float) -> tuple[float, float]:
        limit, carried = mu * weight, 2e5 * abs(z) ** 0.5 * z
        whole = carried + 1e6 * abs(z) ** 1.5 * v
        x = min(max((abs(carried) / limit - 0.9) / 0.1, 0.0), 1.0)
        falls = max(0.0, 1.0 - limit / max(abs(carried), 1e-300)) / 1e-3
        rate = v - x * x * (3.0 - 2.0 * x) * max(0.0, v * np.sign(z)) * np.sign(z) - falls * z
        return float(np.clip(whole, -limit, limit)), rate

    law = bristles if name == "lugre" else spring

    def rhs(t: float, y: np.ndarray) -> list[float]:
        force, rate = law(y[1], y[2])
        return [y[1], (pull * (speed * t - y[0]) - force) / mass, rate]

    exact = solve_ivp(rhs, (0.0, 6.0), [0.0, 0.0, 0.0], "Radau", found.time.values, rtol=1e-9, atol=1e-12, max_step=0.01)
    x = found.joint_position.sel(joint="x").values
    assert np.abs(x - exact.y[0]).max() < 2e-5 * x[-1]
    rests = np.count_nonzero(np.diff((np.abs(found.joint_velocity.sel(joint="x").values) < 1e-3).astype(int)) == 1)
    assert rests >= 2 or name == "stick_slip"
    left = found.total_energy().values - found.energy_supplied().values
    assert np.abs(left - left[0]).max() < 2e-3 * np.abs(found.energy_supplied().values).max()


def test_a_rod_leans_on_a_drum_by_one_word() -> None:
    """The tip of a clamped rod comes to rest on a drum, which carries the same share of its weight by hard and by soft contact.

    The depth of 0.1 mm of the spring changes the force by 3 EI / L^3 times it, 0.02 N of 0.4 N; and hard contact holds it above.
    """
    robot = ld.Robot("rod")
    steel = ld.Material(young=1e8, density=1000.0, shear=1e8 / 3.0)
    rod = robot.base("wall", moves="fixed").rod(
        "rod", length=0.5, section=ld.Circle(0.01), material=steel, bending=(2, 0), nodes=5, damping=0.2
    )
    rod.collides(friction=0.3)
    drum = ld.Obstacle(ld.Cylinder(0.05, 1.0, "y"), at=(0.45, 0.0, -0.07))
    push = {}
    for word in ("hard", "compliant", "regularised"):
        found = run(robot, word, obstacles=[drum], t_end=0.6)
        push[word] = found.contact_force.values[-50:].sum(axis=1)[:, 2].mean()
    assert push["hard"] > 0.2
    for word in ("compliant", "regularised"):
        assert abs(push[word] - push["hard"]) < 0.1 * push["hard"]


def test_a_quadruped_of_a_file_stands_by_one_word() -> None:
    """A quadruped of a URDF file comes to rest on terrain: its feet carry its weight, and it stands as high, by all three laws.

    Sagging servos settle to 1 percent in 0.6 s; a foot sinks in by 0.1 mm at most.
    """
    robot = load_robot(FILES / "quadruped.urdf", collides=True).robot
    posture = {"abduction": 0.0, "swing": 0.7, "knee": -1.4}
    joints = {f"{leg}_{joint}": angle for leg in ("lf", "rf", "lh", "rh") for joint, angle in posture.items()}
    servo = {name: ld.Servo(angle, 300.0, 8.0) for name, angle in joints.items()}
    start = ld.Start({"trunk": (0.0, 0.0, 0.4 * np.cos(0.7) + 0.0205, 0.0, 0.0, 0.0), **joints})
    heights = {}
    for word in ("hard", "compliant", "regularised"):
        found = run(robot, word, obstacles=[FLAT["terrain"]], servo=servo, start=start, t_end=0.6)
        weight = 9.81 * float(robot.model().compiled.total_mass)
        assert abs(found.contact_force.values[-1, :, 2].sum() / weight - 1.0) < 0.01
        heights[word] = float(found.position.values[-1, 2])
    assert max(heights.values()) - min(heights.values()) < 2e-4
