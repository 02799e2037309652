"""Gaits of bodies without joints: the strain that each says, against the formula of its source, and what it does to the body."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import locodyn as ld
from locodyn import gaits
from locodyn.identify import BodyMotion, body_from_csv, measured_body
from locodyn.robot import GivenSection, Rod
from locodyn.world import Drag

pytestmark = pytest.mark.slow

SECTION = GivenSection((1.0,) * 6, mass=1.0, inertia=(2e-4, 1e-4, 1e-4))
WATER = Drag(linear=(5.0, 50.0, 0.0))  # N s/m^2 along and across
PLACES = np.linspace(0.0, 1.25, 26)


def strain(gait: gaits.BodyGait, t: float, length: float = 1.25) -> np.ndarray:
    """Strain (s, 6) of a body with this gait at time t."""
    rod = Rod(length, SECTION, fields=gait.fields)
    return rod.strain(PLACES, np.array([gait.laws[name](t) for name in rod.coordinate_names]))


@pytest.mark.parametrize("travel", [0.05, ld.polynomial(0.0, 0.05, 0.005)])
def test_peristalsis(travel: Any) -> None:
    """Gamma = 1 + eps sin(k (s(t) - X)), Ali 2011 (6.1), with constant and growing speed."""
    gait = gaits.peristalsis(0.5, wavelength=1.0, travel=travel)
    for t in (0.0, 0.5, 7.0):
        gone = 0.05 * t if isinstance(travel, float) else float(travel(t))
        np.testing.assert_allclose(strain(gait, t)[:, 0], 1.0 + 0.5 * np.sin(2.0 * np.pi * (gone - PLACES)), atol=1e-14)
    assert gait.period == (20.0 if isinstance(travel, float) else None)


def test_omega_bend() -> None:
    """K = theta', theta = alpha sin^2(wt) sin(2 pi (X - l) / l), (6.25)-(6.26)."""
    gait = gaits.omega_bend(2.0, length=1.25, period=2.0)
    for t in (0.3, 1.0):
        k = 2.0 * np.pi / 1.25
        wanted = 2.0 * np.sin(0.5 * np.pi * t) ** 2 * k * np.cos(k * (PLACES - 1.25))
        np.testing.assert_allclose(strain(gait, t)[:, 5], wanted, atol=1e-13)


@pytest.mark.parametrize("shear", [-0.3, 0.6])
def test_undulation_with_shear(shear: float) -> None:
    """K = -phi', Gamma_y = shear sin(phi), and it suits contacts all along: V_o = sigmadot (1 - shear cos phi) at the head.

    The sum of harmonics is cut at 1e-15; what is left of the conditions is that times k^2, and the error of 12 Gauss points.
    """
    gait = gaits.shearing_undulation(1.0, shear, wavelength=1.0, travel=-0.5)
    rod = Rod(1.25, SECTION, fields=gait.fields)
    for t in (0.0, 0.3, 1.7):
        phi = np.sin(2.0 * np.pi * (PLACES - 0.5 * t))
        found = strain(gait, t)
        np.testing.assert_allclose(found[:, 1], shear * np.sin(phi), atol=1e-13)
        np.testing.assert_allclose(found[:, 5], -2.0 * np.pi * np.cos(2.0 * np.pi * (PLACES - 0.5 * t)), atol=1e-12)
        own = gaits.BodyMobility.of(rod, [-0.5 * t], [-0.5])
        assert own.speed == pytest.approx(-0.5 * (1.0 - shear * np.cos(phi[0])), abs=1e-9)
        assert own.share < 1e-8


def test_undulation_with_turns() -> None:
    """(6.40) and the bump of (6.41) with its sign repaired, about z and about y; t + X / V_o in its argument."""
    turns = [gaits.Turn(3.0, 4.0, 2.0), gaits.Turn(3.0, 4.0, 0.5, "bending_y")]
    gait = gaits.lateral_undulation(10.0, wavelength=1.0, travel=-0.5, turns=turns)
    for t in (2.0, 4.0, 6.5, 12.0):
        tau = t + PLACES / -0.5 - 5.0
        inside = np.abs(tau) < 2.0
        bump = np.where(inside, np.exp(-(tau**2) / np.where(inside, 4.0 - tau**2, 1.0)), 0.0)
        found = strain(gait, t)
        np.testing.assert_allclose(found[:, 5], 10.0 * np.cos(2.0 * np.pi * (PLACES - 0.5 * t)) + 2.0 * bump, atol=1e-12)
        np.testing.assert_allclose(found[:, 4], 0.5 * bump, atol=1e-13)


def test_helix_sidewinding_rolling_and_concertina() -> None:
    """Each says what its docstring says."""
    k, t = 2.0 * np.pi, 1.3
    found = strain(gaits.helix(10.0, wavelength=1.0, travel=-0.5), t)
    np.testing.assert_allclose(found[:, 4], -10.0 * np.sin(k * (PLACES - 0.5 * t)), atol=1e-12)
    np.testing.assert_allclose(found[:, 5], 10.0 * np.cos(k * (PLACES - 0.5 * t)), atol=1e-12)
    found = strain(gaits.sidewinding(3.0, 1.0, wavelength=0.5, travel=0.2, delay=0.7), t)
    np.testing.assert_allclose(found[:, 5], 3.0 * np.cos(2.0 * k * (PLACES + 0.2 * t)), atol=1e-12)
    np.testing.assert_allclose(found[:, 4], 1.0 * np.cos(2.0 * k * (PLACES + 0.2 * t) - 0.7), atol=1e-12)
    found = strain(gaits.rolling(2.0, turn=1.5), t)
    np.testing.assert_allclose(found[:, 4:], np.tile([2.0 * np.sin(1.5 * t), 2.0 * np.cos(1.5 * t)], (26, 1)), atol=1e-13)
    gait = gaits.concertina(8.0, length=1.25, folds=2, period=4.0)
    wave = 8.0 * np.cos(2.0 * np.pi * PLACES / 0.3125)
    front, rear = PLACES < 0.56, PLACES > 0.69
    for t, folded, straight in ((0.0, front, rear), (2.0, rear, front)):
        found = strain(gait, t)[:, 5]
        np.testing.assert_allclose(found[folded], wave[folded], atol=1e-12)
        np.testing.assert_allclose(found[straight], 0.0, atol=1e-12)


def test_turn_of_a_snake_on_a_stiff_ground() -> None:
    """The heading changes by V_o b (T_o / 2) 1.2069003 = -2.413801 rad where a body cannot slip; to 2 % with c_n = 2000."""
    gait = gaits.lateral_undulation(10.0, wavelength=1.0, travel=-0.5, turns=[gaits.Turn(1.0, 4.0, 2.0)])
    robot = ld.Robot("snake")
    rod = robot.base("head", moves="planar").rod("body", length=1.0, section=SECTION, fields=gait.fields, nodes=40)
    robot.wrench("ground", on=rod, law=Drag(linear=(0.1, 2000.0, 0.0)), along=True)
    run = ld.simulate(
        robot, imposed=gait.imposed("body"), gravity=(0, 0, 0), t_end=6.0, dt=0.02, integrator="radau3", progress=False,
    )  # fmt: skip
    w, *_, z = run.orientation.values.T
    heading = np.unwrap(2.0 * np.arctan2(z, w))
    assert heading[-1] - heading[0] == pytest.approx(-2.413801, rel=0.02)  # after three whole waves


def test_a_body_rolls_to_its_side() -> None:
    """An arc whose bending turns about the axis rolls on hard ground at its radius times that rate, 0.02 m * 2 rad/s, no slip.

    Once it has come to speed, over 1 s; 1 % is what the links between the nodes of the rod are off a circle of 0.02 m.
    """
    gait = gaits.rolling(2.0, turn=2.0)
    robot = ld.Robot("roller")
    body = robot.base("head").rod(
        "body", length=0.6, section=ld.Circle(0.02), material=ld.Material(1e6, 1000.0), fields=gait.fields, nodes=16
    )
    body.collides(friction=0.8)
    run = ld.simulate(
        robot, imposed=gait.imposed("body"), obstacles=[ld.world.Ground()], start=ld.Start({"head": (0, 0, 0.0201, 0, 0, 0)}),
        t_end=1.5, dt=1e-3, record_every=20, integrator="moreau", progress=False,
    )  # fmt: skip
    at = run.mass_centre.values
    assert np.linalg.norm(at[-1] - at[25]) == pytest.approx(0.04, rel=0.01)  # from 0.5 s on


def test_volume_of_a_worm() -> None:
    """A hydrostat: the recorded radius times the square root of the stretch is that of the section, A = A_o / Gamma (6.3)."""
    gait = gaits.peristalsis(0.5, wavelength=1.0, travel=0.05)
    robot = ld.Robot("worm")
    robot.base("head", moves="prismatic", axis="x").rod(
        "body", length=1.0, section=ld.Circle(0.02), material=ld.silicone, fields=gait.fields, keeps_volume=True
    )
    run = ld.simulate(
        robot, imposed=gait.imposed("body"), gravity=(0, 0, 0), start="zero_momentum", t_end=1.0, dt=0.1, integrator="rkmk4",
        progress=False,
    )  # fmt: skip
    np.testing.assert_allclose(run.rod_radius.values * np.sqrt(run.rod_strain.values[..., 0]), 0.02, rtol=1e-12)
    assert np.ptp(run.rod_radius.values) > 0.01


def swim(robot: ld.Robot, imposed: dict[str, ld.Law]) -> ld.Result:
    """Two seconds from rest: a start without momentum, which no noise in the axes of the head touches."""
    return ld.simulate(
        robot, imposed=imposed, gravity=(0, 0, 0), t_end=2.0, dt=0.02, integrator="rkmk4", start="zero_momentum", progress=False
    )


def marked_swimmer() -> tuple[ld.Result, np.ndarray, np.ndarray]:
    """A free body with a wave, and its centre line at 21 places."""
    gait = gaits.lateral_undulation(4.0, wavelength=1.0, travel=-0.5)
    robot = ld.Robot("swimmer")
    rod = robot.base("head", moves="planar").rod("body", length=1.0, section=SECTION, fields=gait.fields, nodes=24)
    robot.wrench("water", on=rod, law=WATER, along=True)
    run = swim(robot, gait.imposed("body"))
    return run, run.time.values, run.rod_position.values[:, 0, :, :2]


def copied_path(file: Path, count: int) -> tuple[np.ndarray, BodyMotion]:
    """Path (n, 2) of the head of a body with the strains of a CSV file, in the axes of the file; and what was measured."""
    rod = Rod(1.0, SECTION, modes=(0, 0, 0, 0, 0, count), basis="bspline", nodes=24)
    found = body_from_csv(rod, file, np.linspace(0.0, 1.0, 21))
    robot = ld.Robot("copy")
    body = robot.base("head", moves="planar").rod(
        "body", length=1.0, section=SECTION, bending=(0, count), basis="bspline", nodes=24
    )
    robot.wrench("water", on=body, law=WATER, along=True)
    path = swim(robot, found.imposed("body")).position.values[:, :2]
    return path @ found.head_rotation[0, :2, :2].T + found.head_position[0, :2], found


def test_a_measured_centre_line_moves_as_the_body(tmp_path: Path) -> None:
    """Marks of a run, from a CSV file, put on a rod of 12 B-splines: the head goes the same way within the noise of the marks.

    Without noise to 0.1 mm of 0.46 m. With noise (a normal distribution of standard deviation sigma in each coordinate, so that a
    mark is sqrt(2) sigma off in the mean square; fixed seeds at two levels) the path of the head is off by less than a mark is:
    in the mean square of the run, where we measure 0.5 to 1.0 sigma, and at its worst instant. The distance of a mark has
    Rayleigh's distribution, so that the largest of n = 101 stays below x with the probability (1 - exp(-x^2 / 2 sigma^2))^n; the
    head must stay below the x where this is 1/2, 3.16 sigma. Theory says two things of it: to first order errors grow with the
    noise (the same seed at ten times the noise, ten times the error, up to the number of functions that is chosen), and a place
    on the body keeps sqrt(freedom / N) of it, 0.12 sigma here; the factor between that and the path of its end is our record.
    The noise itself is found to 3 %: 1 over the square root of twice 3900 numbers is 1.1 %.
    """
    run, times, marks = marked_swimmer()
    header = ",".join(["time", *(f"{axis}{k}" for k in range(21) for axis in "xy")])

    def error(noise: float, seed: int) -> tuple[float, float]:
        points = marks + noise * np.random.default_rng(seed).standard_normal(marks.shape)
        file = tmp_path / "marks.csv"
        np.savetxt(file, np.column_stack([times, points.reshape(len(times), -1)]), delimiter=",", header=header, comments="")
        path, found = copied_path(file, 12)
        assert noise == 0.0 or found.noise == pytest.approx(noise, rel=0.03)
        away = np.linalg.norm(path - run.position.values[:, :2], axis=1)
        return float(np.sqrt(np.square(away).mean())), float(away.max())

    assert error(0.0, 0)[0] < 1e-4
    most = np.sqrt(-2.0 * np.log(1.0 - 0.5 ** (1.0 / len(times))))
    assert most == pytest.approx(3.157, abs=1e-3)
    for seed in (0, 2):
        (small, small_most), (large, large_most) = error(1e-4, seed), error(1e-3, seed)
        assert small < np.sqrt(2.0) * 1e-4 and large < np.sqrt(2.0) * 1e-3
        assert small_most < most * 1e-4 and large_most < most * 1e-3
        assert 5.0 < large / small < 20.0
    assert np.ptp(run.position.values[:, 0]) > 0.4


def test_a_measured_body_in_space() -> None:
    """A helix that turns about itself, with noise: the laws have its curvature, and the head is found, to the noise.

    The strains are constant in time, so that few functions of time stay: of 51 instants and 20 marks with a noise of 1 mm a
    place keeps some 0.1 mm, and curvature, over a wave of 1 m, (2 pi)^2 times that.
    """
    rod = Rod(1.0, SECTION, modes=(0, 0, 0, 0, 6, 6), basis="bspline", nodes=24)
    robot = ld.Robot("helix")
    held = robot.base("head", moves="fixed").rod("body", length=1.0, section=SECTION, bending=6, basis="bspline", nodes=24)
    places = np.linspace(0.05, 1.0, 20)
    for k, s in enumerate(places):
        robot.body(f"mark {k}").on(held, at_s=float(s)).fixed()
    model = robot.model()
    q = np.concatenate([np.full(6, 2.0), np.full(6, 3.0)])
    shape = np.array([model.pose(f"mark {k}", q)[1] for k in range(len(places))])
    times, angles = np.linspace(0.0, 1.0, 51), np.linspace(0.0, 2.0, 51)
    turns = np.array([[[np.cos(a), 0, np.sin(a)], [0, 1, 0], [-np.sin(a), 0, np.cos(a)]] for a in angles])
    way = np.column_stack([times, 0.0 * times, 0.5 * times])
    points = np.einsum("tij,pj->tpi", turns, shape) + way[:, None]
    found = measured_body(rod, places, times, points + 1e-3 * np.random.default_rng(2).standard_normal(points.shape))
    bent = np.array([rod.strain(np.array([0.25, 0.5, 0.75]), [law(t) for law in found.laws.values()])[:, 4:] for t in (0.2, 0.8)])
    true = rod.strain(np.array([0.25, 0.5, 0.75]), q)[:, 4:]
    assert np.abs(np.linalg.norm(bent, axis=-1) - np.linalg.norm(true, axis=-1)).max() < 0.02
    assert np.sqrt(np.square(found.head_position - way).sum(axis=1).mean()) < 2e-3
    assert found.noise == pytest.approx(1e-3, rel=0.06)


def test_a_cutoff_of_a_measured_body() -> None:
    """Slower than the wave, it leaves little of it (at the ends of the run, a fifth); faster than the samples, it is refused."""
    rod = Rod(1.0, SECTION, modes=(0, 0, 0, 0, 0, 4))
    places, times = np.linspace(0.0, 1.0, 8), np.linspace(0.0, 2.0, 81)
    bend = 0.1 * np.sin(2.0 * np.pi * 4.0 * times)[:, None] * places**2
    points = np.stack([np.broadcast_to(places, bend.shape), bend], axis=2)
    whole, slow = (measured_body(rod, places, times, points, cutoff=cutoff) for cutoff in (None, 1.0))
    sizes = [max(np.std(law(times)) for law in found.laws.values()) for found in (whole, slow)]
    assert sizes[1] < 0.3 * sizes[0] and whole.cutoff > 4.0 and slow.cutoff <= 1.0
    with pytest.raises(ld.InputError, match=r"the cut-off frequency is 30 Hz; samples every 0.025 s show nothing above 20 Hz"):
        measured_body(rod, places, times, points, cutoff=30.0)
    with pytest.raises(ld.InputError, match=r"the rod is a str; it must be a Rod"):
        measured_body("body", places, times, points)  # type: ignore[arg-type]


def test_measured_bodies_in_files(tmp_path: Path) -> None:
    """``drives: {measured: ...}`` of a scenario file imposes the laws of ``body_from_csv``; what is wrong is told."""
    robot = ld.Robot("copy")
    body = robot.base("head", moves="planar").rod(
        "body", length=1.0, section=ld.Circle(0.02), material=ld.silicone, bending=(0, 4)
    )
    robot.wrench("water", on=body, law=WATER, along=True)
    ld.save_robot(robot, tmp_path / "copy.yaml")
    places, times = np.linspace(0.0, 1.0, 8), np.linspace(0.0, 1.0, 41)
    columns = [0.1 * np.sin(6.0 * times) * s**2 if axis == "y" else np.full(41, s) for s in places for axis in "xy"]
    names = ",".join(["time", *(f"{axis}{k}" for k in range(8) for axis in "xy")])
    np.savetxt(tmp_path / "marks.csv", np.column_stack([times, *columns]), delimiter=",", header=names, comments="")
    text = "robot: copy.yaml\ndrives:\n  measured:\n    body: {file: marks.csv, places: %s}\ntime: {end: 0.5, step: 0.01}\n"
    (tmp_path / "run.yaml").write_text(text % places.round(12).tolist())
    scenario = ld.scenario_of(tmp_path / "run.yaml").scenario
    wanted = body_from_csv(robot.description.body("body").joint.rod, tmp_path / "marks.csv", places).imposed("body")
    assert scenario.drive.imposed.keys() == wanted.keys()
    for name, law in wanted.items():
        np.testing.assert_allclose(scenario.drive.imposed[name](times), law(times), atol=1e-12)
    for change, message in (
        (("body: {", "tail: {"), r"robot 'copy' has no rod 'tail'.*"),
        (("marks.csv", "mark.csv"), "cannot be read"),
        (("places: [0.0, ", "places: [0.9, "), "each of the 8 marks needs its place on the rod, growing"),
    ):
        (tmp_path / "bad.yaml").write_text((text % places.round(12).tolist()).replace(*change))
        with pytest.raises(ld.InputError, match=message):
            ld.scenario_of(tmp_path / "bad.yaml")


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"count": 3}, "a centre line of 3 points cannot show 9 unknowns"),
        ({"samples": 5}, "a measured body has 5 times and 5 centre lines; it needs as many, 8 or more"),
        ({"modes": (0, 0, 0, 2, 0, 6)}, "marks in a plane show no torsion"),
        ({"places": (0.0, 0.5, 0.2, 0.7, 0.8, 0.9)}, "each of the 6 marks needs its place on the rod, growing"),
    ],
)
def test_too_few_points(changes: dict[str, Any], message: str) -> None:
    count, samples = changes.get("count", 6), changes.get("samples", 10)
    places = np.array(changes.get("places", np.linspace(0.0, 1.0, count)))
    rod = Rod(1.0, SECTION, modes=changes.get("modes", (0, 0, 0, 0, 0, 6)))
    points = np.repeat(np.column_stack([places, 0.0 * places])[None], samples, axis=0)
    with pytest.raises(ld.InputError, match=message):
        measured_body(rod, places, np.arange(samples), points)
