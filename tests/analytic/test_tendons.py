"""Tendons and chambers: closed forms, virtual work, tangents."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import yaml

import locodyn as ld
from file_robots import assert_same
from locodyn.equilibria.balance import Balance
from locodyn.locomotion.problem import Problem
from locodyn.robot import BodyHandle, Guides, Helix, PolynomialRoute

pytestmark = pytest.mark.slow

STIFF = ld.Material(young=1e8, density=1000.0, poisson=0.3)
NO_GRAVITY = (0.0, 0.0, 0.0)


def arm(**values: object) -> tuple[ld.Robot, BodyHandle]:
    robot = ld.Robot("arm")
    rod = robot.base("ground", moves="fixed").rod("rod", length=0.4, section=ld.Circle(0.005), material=STIFF, **values)
    return robot, rod


@pytest.mark.parametrize("modes", [1, 3, 5])
def test_straight_tendon_gives_constant_curvature(modes: int) -> None:
    """Kirchhoff rod, tendon at y = d: EI Kz = T d for any number of modes (Gotelli 2024; acceptance C6a, 1e-6)."""
    robot, rod = arm(bending=(0, modes))
    rod.tendon("left", (0.02, 0.0))
    found = ld.statics(robot, gravity=NO_GRAVITY, tension={"left": 1.5})
    stiffness = 1e8 * np.pi * 0.005**4 / 4.0
    assert found.q[0] == pytest.approx(1.5 * 0.02 / stiffness, rel=1e-9)
    assert np.max(np.abs(found.q[1:]), initial=0.0) < 1e-9


def test_stretch_and_shear_soften_a_tendon() -> None:
    """Reissner rod: axial equilibrium EA eps = -T u_x of the same closed form, with the stretch of the tendon's line."""
    robot, rod = arm(bending=(0, 1), stretch=1)
    rod.tendon("left", (0.02, 0.0))
    found = ld.statics(robot, gravity=NO_GRAVITY, tension={"left": 1.5})
    eps, k = found.q
    area, moment = np.pi * 0.005**2, np.pi * 0.005**4 / 4.0
    assert eps == pytest.approx(-1.5 / (1e8 * area), rel=1e-9)
    assert k == pytest.approx(1.5 * 0.02 / (1e8 * moment), rel=1e-9)


def test_chamber() -> None:
    """A chamber at z = d: E A eps = p A_c, E Iy Ky = p A_c d (it pushes: the rod bends away from it)."""
    robot, rod = arm(bending=(1, 0), stretch=1)
    rod.chamber("upper", (0.0, 0.02), area=1e-4)
    found = ld.statics(robot, gravity=NO_GRAVITY, pressure={"upper": 1e4})
    eps, k = found.q
    area, moment = np.pi * 0.005**2, np.pi * 0.005**4 / 4.0
    assert eps == pytest.approx(1.0 / (1e8 * area), rel=1e-9)
    assert k == pytest.approx(0.02 / (1e8 * moment), rel=1e-9)
    # about +y a point at +z moves along +x: the chamber lies on the long side


def helix(s: float) -> tuple[float, float]:
    return 0.02 * np.cos(10.0 * s), 0.02 * np.sin(10.0 * s)


@pytest.mark.parametrize("stiffness", [0.0, 300.0])
def test_force_is_tension_times_change_of_length_and_its_tangent(stiffness: float) -> None:
    """Any routing: the residual of statics is the derivative of the energy, its tangent that of the residual (differences)."""
    robot, rod = arm(bending=3, torsion=2, stretch=2, shear=1)
    rod.tendon("helix", helix, start=0.05, end=0.35, stiffness=stiffness)
    drive = {"tendon_length": {"helix": 0.28}} if stiffness else {"tension": {"helix": 5.0}}
    scenario = ld.Scenario("arm", robot, gravity=NO_GRAVITY, **drive)
    problem: Problem = scenario.problem
    model = problem.model
    rng = np.random.default_rng(2)
    q = rng.standard_normal(model.nv) * np.where(model.dofs[:, 1] < 3, 0.05, 2.0)
    balance = Balance(problem, 0.0)
    residual = balance.residual(q, 1.0)
    tangent = balance.stiffness(q, 1.0)
    elastic = robot.description.bodies[1].joint.rod.stiffness
    h = 1e-6
    lengths = np.array(
        [(model.strand_lengths(q + h * e)[0] - model.strand_lengths(q - h * e)[0]) / (2.0 * h) for e in np.eye(model.nv)]
    )
    tension = stiffness * max(0.0, model.strand_lengths(q)[0] - 0.28) if stiffness else 5.0
    assert tension > 0.1
    np.testing.assert_allclose(residual, elastic @ q + tension * lengths, atol=1e-8 * np.max(np.abs(residual)))
    rows = np.array([(balance.residual(q + h * e, 1.0) - balance.residual(q - h * e, 1.0)) / (2.0 * h) for e in np.eye(model.nv)])
    np.testing.assert_allclose(tangent, rows.T, atol=1e-7 * np.max(np.abs(tangent)))


def test_routes_as_data() -> None:
    """A helix and a polynomial as data work as the functions of s; five turns have the length sqrt(1 + (2 pi r / p)^2) L."""
    routes = {
        "helix": (Helix(0.02, 0.2 * np.pi), helix),
        "curve": (PolynomialRoute((0.01, 0.02), (0.0, 0.0, -0.1)), lambda s: (0.01 + 0.02 * s, -0.1 * s**2)),
    }
    for route in routes.values():
        found = []
        for offset in route:
            robot, rod = arm(bending=3, torsion=2)
            rod.tendon("wire", offset, end=0.35)
            found.append(ld.statics(robot, gravity=NO_GRAVITY, tension={"wire": 0.5}).q)
        np.testing.assert_allclose(found[0], found[1], atol=1e-7 * np.max(np.abs(found[0])))
    robot, rod = arm(bending=3, torsion=2)
    rod.tendon("wound", Helix(0.01, -0.08, 0.5))
    model = robot.model()
    length = 0.4 * np.sqrt(1.0 + (2.0 * np.pi * 0.01 / 0.08) ** 2)
    assert model.strand_lengths(model.neutral())[0] == pytest.approx(length, rel=1e-14)


def test_slack_tendon_does_nothing() -> None:
    robot, rod = arm(bending=(0, 2))
    rod.tendon("left", (0.02, 0.0), stiffness=1e4)
    assert np.max(np.abs(ld.statics(robot, gravity=NO_GRAVITY, tendon_length={"left": 0.41}).q)) < 1e-12
    shortened = ld.statics(robot, gravity=NO_GRAVITY, tendon_length={"left": 0.39}, steps=2)
    assert shortened.q[0] > 1.0


def test_work_of_tendons_is_counted() -> None:
    """A run with a rising tension: energy supplied = change of energy (integrator of order 4, quintic quadrature)."""
    robot, rod = arm(bending=(0, 2))
    rod.tendon("left", (0.02, 0.0))
    run = ld.simulate(
        robot, gravity=NO_GRAVITY, tension={"left": ld.sine(0.5, omega=20.0, offset=0.5, phase=-np.pi / 2)}, t_end=0.2, dt=5e-4,
        integrator="gauss2", progress=False,
    )  # fmt: skip
    energy = run.total_energy().values
    assert np.max(np.abs(energy - energy[0] - run.energy_supplied().values)) < 1e-6 * np.max(np.abs(energy))


def test_refusals() -> None:
    robot, rod = arm(bending=2)
    rod.tendon("left", (0.02, 0.0))
    with pytest.raises(ld.DescriptionError, match="two tendons or chambers named 'left'"):
        rod.tendon("left", (0.0, 0.02))
    with pytest.raises(ld.DescriptionError, match=r"which is 0\.4 m long"):
        rod.tendon("right", (0.02, 0.0), end=0.5)
    with pytest.raises(ld.DescriptionError, match="which is not a rod"):
        robot["ground"].tendon("other", (0.0, 0.0))
    with pytest.raises(ld.DescriptionError, match="it must be two finite numbers"):
        rod.tendon("right", (0.02, 0.0, 0.0))
    with pytest.raises(
        ld.InputError,
        match="tension is given for 'lef', which is not a tendon, cable or spring without stiffness; did you mean 'left'",
    ):
        ld.Scenario("arm", robot, tension={"lef": 1.0})


SOFT = ld.Material(1e6, 1000.0)


def two_rods(guides: int) -> ld.Robot:
    """Two rods with a plate between them; a tendon in the sections of each, or one cable through eyes on all three."""
    robot = ld.Robot("arm")
    one = robot.base("ground", moves="fixed").rod("one", length=0.3, section=ld.Circle(0.01), material=SOFT, bending=(0, 3))
    plate = robot.body("plate", mass=0.05, inertia=ld.about_centre(xx=1e-5, yy=1e-5, zz=1e-5)).on(one).fixed()
    two = plate.rod("two", length=0.2, section=ld.Circle(0.008), material=SOFT, bending=(0, 3))
    if guides:
        robot.cable(
            "wire", [Guides(one, (0.008, 0), guides), (plate, (0, 0.008, 0)), Guides(two, (0.008, 0), guides)], tension=0.3
        )
    else:
        one.tendon("a", (0.008, 0.0)), two.tendon("b", (0.008, 0.0))
    return robot


def test_one_tendon_through_two_rods_and_a_plate() -> None:
    """A cable through eyes tends to tendons of equal tension in both rods, with the square of the distance of the eyes."""
    smooth, away = two_rods(0), []
    exact = smooth.model().pose("two", ld.statics(smooth, tension={"a": 0.3, "b": 0.3}, gravity=(0, 0, 0)).q)[1]
    for count in (4, 7, 13):
        robot = two_rods(count)
        away.append(np.linalg.norm(robot.model().pose("two", ld.statics(robot, gravity=(0, 0, 0)).q)[1] - exact))
    assert np.log2(np.divide(away[:-1], away[1:])) == pytest.approx(2.0, abs=0.1)
    assert away[-1] < 0.01 * exact[1]


@pytest.mark.parametrize(
    "guides, sentence",
    [
        (Guides("plate", (0.0, 0.0)), "has guides along 'plate', which is not a rod"),
        (Guides("one", (0.0, 0.0), 1), "runs through 1 guides of a rod; there must be two or more"),
        (Guides("one", (0.0, 0.0), end=0.5), r"from s = 0 to 0\.5 m, but the rod is 0\.3 m long"),
    ],
)
def test_guides_that_cannot_be(guides: Guides, sentence: str) -> None:
    with pytest.raises(ld.DescriptionError, match=sentence):
        two_rods(0).cable("wire", [guides, "plate"])


def test_guides_in_files(tmp_path: Path) -> None:
    """One word for the eyes on a rod: the robot is that of the builder, in every field."""
    built, file = two_rods(4), tmp_path / "arm.yaml"
    ld.save_robot(built, file)
    said = yaml.safe_load(file.read_text())
    eyes = [{"body": name, "guides": 4, "at": [0.0, 0.008, 0.0]} for name in ("one", "two")]
    said["cables"]["wire"]["through"][:] = [eyes[0], {"body": "plate", "at": [0.0, 0.008, 0.0]}, eyes[1]]
    file.write_text(yaml.safe_dump(said, sort_keys=False))
    assert_same(ld.load_robot(file).robot.description, built.description)
    for wrong, sentence in (
        ({"body": "one", "guides": 4, "at_s": 0.1}, "lie from from_s to to_s, at \\[0, y, z\\] in the sections"),
        ({"body": "one", "from_s": 0.1}, "has 'from_s' on 'one', but no guides there; say how many"),
    ):
        said["cables"]["wire"]["through"][0] = wrong
        file.write_text(yaml.safe_dump(said, sort_keys=False))
        with pytest.raises(ld.InputError, match=sentence):
            ld.load_robot(file)
