"""Workspace of a planar continuum parallel robot: mirror symmetry, signs of eigenvalues, places by statics with held drives."""

from __future__ import annotations

import numpy as np
import pytest

import locodyn as ld
from locodyn.equilibria import equilibrium, vibrations
from locodyn.robot import GivenSection
from locodyn.sim import Workspace

pytestmark = pytest.mark.slow

UNIT = GivenSection((1.0, 1.0, 1.0, 1.0, 1.0, 1.0), mass=1.0)
GRID = {"x": (-0.3, 0.3, 11), "y": (-0.02, 0.7, 13)}


def legs(**fields: object) -> ld.Scenario:
    """Two rods of 1 m on driven hubs 0.4 m apart, tips pinned (Gotelli 2024, 5.13, with EI = 1), bowed outwards."""
    robot = ld.Robot("legs")
    ground, tips = robot.base("ground", moves="fixed"), []
    for name, x in (("left", -0.2), ("right", 0.2)):
        hub = robot.body(f"{name}_hub").on(ground, at=(x, 0, 0)).turning("z", name=f"{name}_hub")
        tips.append(hub.rod(name, length=1.0, section=UNIT, bending=(0, 3), nodes=10))
    robot.loop("pin", tips[0], tips[1], joint="revolute", axis="z")
    start = {"left.bending_z.0": -1.0, "right.bending_z.0": 1.0}
    hubs = {"left_hub": 2.2, "right_hub": np.pi - 2.2}
    return ld.Scenario("legs", robot, gravity=(0, 0, 0), imposed=hubs, start=start, **fields)


@pytest.fixture(scope="module")
def found() -> Workspace:
    return ld.workspace(legs(), "left", GRID, progress=False)


def test_mirror_symmetry(found: Workspace) -> None:
    """The robot is its own mirror image: so are reached and stable regions, stiffness, and the drives with sides exchanged."""
    assert 100 < found.stable.sum() < found.reached.sum()
    np.testing.assert_array_equal(found.reached, found.reached[::-1])
    stiffness = found.dataset["least_stiffness"].values
    scale = np.nanmax(np.abs(stiffness))
    np.testing.assert_allclose(stiffness, stiffness[::-1], atol=1e-6 * scale)
    drive = found.dataset["drive"].values
    np.testing.assert_allclose(drive[:, :, 0], np.pi - drive[::-1, :, 1], atol=1e-6)
    assert found.area() < found.area(stable=False)


def test_eigenvalue_signs(found: Workspace) -> None:
    """The drives as functions of the place lose rank exactly where an eigenvalue changes its sign: the sign of the determinant,
    here by central differences of the drives over the grid, goes with the parity of negative eigenvalues.
    """
    drive, count = found.dataset["drive"].values, found.dataset["unstable_directions"].values
    assert (count == 1).sum() > 3
    parity = np.where(count % 2 == 0, 1.0, -1.0)[found.reached]
    sign = np.sign(found.dataset["transmission"].values[found.reached])
    assert len(np.unique(parity * sign)) == 1
    alike = np.zeros_like(found.reached)  # all neighbours have the same number, so that differences mean something
    middle = count[1:-1, 1:-1]
    sides = (count[2:, 1:-1], count[:-2, 1:-1], count[1:-1, 2:], count[1:-1, :-2])
    alike[1:-1, 1:-1] = (middle >= 0) & np.all([side == middle for side in sides], axis=0)
    slopes = np.stack([np.gradient(drive, axis=k) for k in (0, 1)], axis=-1)
    transmission = found.dataset["transmission"].values
    assert alike.sum() > 60
    assert (np.sign(np.linalg.det(slopes[alike])) == np.sign(transmission[alike])).all()


def test_places_are_equilibria_of_held_drives(found: Workspace) -> None:
    """Hubs held at the drives of a place: statics finds the platform there, and small motions grow where it is unstable."""
    cells = [*np.argwhere(found.stable)[::12], *np.argwhere(found.dataset["unstable_directions"].values == 1)[:2]]
    for i, j in cells:
        hubs = dict(zip(("left_hub", "right_hub"), map(float, found.dataset["drive"].values[i, j]), strict=True))
        held = legs().changed(imposed=hubs, start=None)
        q = found.dataset["position"].values[i, j]
        place = equilibrium(held.problem, q)
        np.testing.assert_allclose(place.q, q, atol=1e-6)
        target = [found.dataset["x"].values[i], found.dataset["y"].values[j], 0.0]
        np.testing.assert_allclose(held.model.pose("left", place.q)[1], target, atol=1e-8)
        exponents = vibrations(held.problem, place.q)
        assert (np.max(exponents.real) > 1e-3) == (not place.stable)
        least = float(found.dataset["least_stiffness"][i, j])
        assert np.min(-(exponents**2).real) == pytest.approx(least, rel=1e-5)


def test_tendons_drive_a_platform() -> None:
    """A rod with two pairs of tendons bends both ways: the tip on the axis needs equal tensions of a pair, and mirror places
    need the tensions of the other side; a place that would need a push is told.
    """
    robot = ld.Robot("arm")
    rod = robot.base("ground", moves="fixed").rod("rod", length=0.4, section=UNIT, bending=2)
    rod.tendon("y", (0.05, 0.0))
    rod.tendon("z", (0.0, 0.05))
    scenario = ld.Scenario("arm", robot, gravity=(0, 0, 0), tension={"y": 4.0, "z": 4.0})
    found = ld.workspace(scenario, "rod", {"y": (-0.02, 0.04, 7), "z": (-0.02, 0.04, 7)}, progress=False)
    assert found.reached.all()
    np.testing.assert_array_equal(found.stable, np.outer(found.dataset["y"] >= -1e-12, found.dataset["z"] >= -1e-12))
    effort = found.dataset["effort"].values
    np.testing.assert_allclose(effort[:, :, 0], effort[:, :, 1].T, atol=1e-9)


def test_plot_and_file(found: Workspace, tmp_path) -> None:
    assert found.plot(tmp_path / "w.svg").stat().st_size > 5000
    assert found.save(tmp_path / "w.nc").exists()
    assert "places reached" in repr(found)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"grid": {"x": (0, 1, 3)}}, "it must have two"),
        ({"grid": {"x": (0, 1, 3), "u": (0, 1, 3)}}, "no direction 'u'"),
        ({"grid": {"x": (1, 0, 3), "y": (0, 1, 3)}}, "with from < to"),
        ({"hold": ["z"]}, r"placed in 3 directions \(x, y, z\) by 2 drives"),
        ({"hold": ["x"]}, "named twice"),
        ({"drives": ["hub"]}, "'hub' is neither an imposed coordinate nor a tendon"),
        ({"body": "platform"}, "no body or marker 'platform'"),
        ({"grid": {"x": (3, 4, 3), "y": (3, 4, 3)}}, "cannot be reached from the start"),
    ],
)
def test_refusals(change: dict[str, object], words: str) -> None:
    given = {"body": "left", "grid": GRID, "progress": False, **change}
    with pytest.raises(ld.InputError, match=words):
        ld.workspace(legs(), **given)
