"""Identification of rods on synthetic measurements: modulus, strain coordinates, filtering, error statistics."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import locodyn as ld
from locodyn.identify import ModulusFit, error_statistics, error_table, strain_coordinates, young_modulus
from locodyn.identify.rods import arc_curvature
from locodyn.robot.rods.rod import Rod
from locodyn.robot.rods.slices import pose_between
from locodyn.view.modulus import modulus_figure, plot_modulus
from rod_cases import SOFT, cantilever

WIDTH, HEIGHT, LENGTH, OFFSET, YOUNG = 0.51e-3, 19.05e-3, 0.48, 0.011, 293e9  # of the tendon robot of Gotelli 2024, 4.9.1


def centre_line(rod: Rod, q: np.ndarray, count: int = 21, fine: int = 20) -> np.ndarray:
    """Points (count, 3) at even places, by many small steps."""
    rotation, position, places = np.eye(3), np.zeros(3), np.linspace(0.0, rod.length, (count - 1) * fine + 1)
    result = [position]
    for start, end in pairwise(places):
        turn, move = pose_between(rod, float(start), float(end), q[None])
        rotation, position = rotation @ turn[0], position + rotation @ move[0]
        result.append(position)
    return np.array(result[::fine])


def measured_shapes() -> tuple[list[np.ndarray], np.ndarray]:
    """Centre lines of a rod pulled by a tendon, from statics, seen from anywhere."""
    rng = np.random.default_rng(0)
    robot = ld.Robot("arm")
    given: dict[str, Any] = {"section": ld.Rectangle(WIDTH, HEIGHT), "material": ld.Material(YOUNG, 9538.0), "bending": (0, 2)}
    robot.base("ground", moves="fixed").rod("rod", length=LENGTH, **given).tendon("wire", (OFFSET, 0.0))
    rod = robot.description.bodies[1].joint.rod
    assert rod is not None
    shapes, tensions = [], np.linspace(0.25, 8.0, 20)
    for tension in tensions:
        q = ld.statics(robot, tension={"wire": float(tension)}, gravity=(0, 0, 0)).q
        shapes.append(centre_line(rod, q) @ Rotation.random(random_state=rng).as_matrix().T + rng.standard_normal(3))
    return shapes, tensions


@pytest.mark.slow
def test_modulus_of_noisy_arcs() -> None:
    """C9: E within 1 % after the low-load samples are dropped, which are off by more; without noise to 1e-6."""
    given: dict[str, Any] = {"offset": OFFSET, "moment": HEIGHT * WIDTH**3 / 12.0}
    shapes, tensions = measured_shapes()
    assert young_modulus(shapes, tensions, **given).young == pytest.approx(YOUNG, rel=1e-6)
    rng = np.random.default_rng(3)
    order = rng.permutation(len(shapes))
    noisy = [shapes[i] + 5e-4 * rng.standard_normal(shapes[i].shape) for i in order]
    fit = young_modulus(noisy, tensions[order], drop=3, **given)
    assert fit.young == pytest.approx(YOUNG, rel=0.01)
    assert np.max(np.abs(fit.values[:3] / YOUNG - 1.0)) > 0.02
    assert fit.used.sum() == 17
    assert fit.std < 0.03 * YOUNG
    np.testing.assert_array_equal(fit.tensions, np.sort(tensions))


def test_modulus_against_load(tmp_path: Path) -> None:
    """The points of the figure are the samples, those that count apart; its line is their mean."""
    values = np.array([9.0, 5.0, 2.0, 2.2, 1.8]) * 1e9
    fit = ModulusFit(values, 1.0 / values, np.arange(5) >= 2, np.arange(1.0, 6.0))
    lines = {line.get_label(): line for line in modulus_figure(fit).axes[0].get_lines()}
    assert lines["counts"].get_xydata().tolist() == [[3.0, 2.0], [4.0, 2.2], [5.0, 1.8]]
    assert lines["too little load"].get_xydata().tolist() == [[1.0, 9.0], [2.0, 5.0]]
    assert any(label.startswith("mean 2 GPa") and line.get_ydata()[0] == pytest.approx(2.0) for label, line in lines.items())
    assert plot_modulus(fit, tmp_path / "modulus.png").stat().st_size > 5000
    with pytest.raises(ld.InputError, match=r"must end in \.png, \.pdf or \.svg"):
        plot_modulus(fit, tmp_path / "modulus.gif")


def test_table_of_errors() -> None:
    """Rows in the order given, with the numbers of ``error_statistics``."""
    first, second = ([0.0, 1.0, 2.0], [0.5, 1.0, 2.0]), ([0.0, 4.0], [0.0, 3.0])
    rows = error_table({"r1x (m)": first, "q1 (deg)": second}).splitlines()
    for row, name, pair in zip(rows[2:], ("r1x (m)", "q1 (deg)"), (first, second), strict=True):
        label, *numbers = [cell.strip() for cell in row.strip("|").split("|")]
        e = error_statistics(*pair)
        assert label == name and [float(x) for x in numbers] == pytest.approx([e.max, e.mean, e.std, e.percent], rel=5e-3)
    with pytest.raises(ld.InputError, match="needs at least one pair"):
        error_table({})


def test_curvature_of_lines_and_circles() -> None:
    for curvature in (0.0, 1e-4, 1.0, 10.0):
        s = np.linspace(0.0, 0.5, 30)
        x, y = (s, 0.0 * s) if curvature == 0.0 else (np.sin(curvature * s) / curvature, (1 - np.cos(curvature * s)) / curvature)
        assert arc_curvature(np.column_stack([x, 0.0 * s, y])) == pytest.approx(curvature, rel=1e-6, abs=1e-9)


@pytest.mark.slow
def test_strain_coordinates_of_a_centre_line() -> None:
    """The points of a known shape give its coordinates back; with noise of 0.5 mm they are as far off as statistics say."""
    given: dict[str, Any] = {"bending": 3, "stretch": 1, "rest_curvature": (0, 0.5, 0), "nodes": 20}
    rod = cantilever(length=0.5, section=ld.Circle(0.02), material=SOFT, **given).description.bodies[1].joint.rod
    assert rod is not None
    rng = np.random.default_rng(2)
    q = rng.uniform(-1.0, 1.0, rod.count) * np.repeat([0.05, 2.0, 2.0], [1, 3, 3])
    points, places = centre_line(rod, q), np.linspace(0.0, 0.5, 21)
    found = strain_coordinates(rod, places, points)
    np.testing.assert_allclose(found.q, q, atol=1e-5)
    assert found.residual.max() < 1e-6
    assert found.iterations < 30  # the Jacobian is exact: few steps from the straight rod
    motion = np.array([centre_line(rod, share * q) for share in (0.5, 0.75, 1.0)])
    several = strain_coordinates(rod, places, motion)
    np.testing.assert_allclose(several.q, np.outer((0.5, 0.75, 1.0), q), atol=1e-5)
    # Least squares with noise s in 63 numbers (Gauss-Markov): errors of the 7 coordinates have the covariance s^2 (J^T J)^-1, the
    # sum of squares that is left is s^2 times chi-square of 63 - 7 freedoms. Both within four standard deviations.
    noise, left = 5e-4, points.size - rod.count
    noisy = strain_coordinates(rod, places, points + noise * rng.standard_normal(points.shape), start=q)
    assert np.sum(noisy.residual**2) / noise**2 == pytest.approx(left, abs=4.0 * np.sqrt(2.0 * left))
    slopes = np.array([(centre_line(rod, q + d) - centre_line(rod, q - d)).ravel() / 2e-5 for d in 1e-5 * np.eye(rod.count)])
    spread = noise * np.sqrt(np.diag(np.linalg.inv(slopes @ slopes.T)))
    assert np.all(np.abs(noisy.q - q) < 4.0 * spread)


@pytest.mark.slow
def test_filtered_motion() -> None:
    """Samples at uneven times with noise at 20 Hz and above: value, rate and acceleration of the slow motion; no delay."""
    rng = np.random.default_rng(4)
    t = np.sort(np.arange(0.0, 20.0, 1.0 / 110.0) + rng.uniform(-0.002, 0.002, 2200))
    slow = np.sin(t) + 0.3 * np.cos(2.5 * t)
    law = ld.motion.filtered(t, slow + 0.01 * np.sin(2 * np.pi * 25.0 * t) + 0.002 * rng.standard_normal(len(t)), cutoff=4.0)
    law.require_twice_differentiable("angle", 1.0, 19.0)
    inner = np.linspace(1.0, 19.0, 500)
    np.testing.assert_allclose(law(inner), np.sin(inner) + 0.3 * np.cos(2.5 * inner), atol=2e-3)
    np.testing.assert_allclose(law.rate(inner), np.cos(inner) - 0.75 * np.sin(2.5 * inner), atol=0.03)
    np.testing.assert_allclose(law.acceleration(inner), -np.sin(inner) - 1.875 * np.cos(2.5 * inner), atol=0.6)
    raw = ld.spline(t, slow + 0.01 * np.sin(2 * np.pi * 25.0 * t))
    assert np.max(np.abs(raw.acceleration(inner))) > 100.0  # what an unfiltered motion would impose


def test_filtered_file(tmp_path: Path) -> None:
    """A column of a file with a cut-off is the filtered motion of its samples; it cannot repeat."""
    t = np.arange(0.0, 5.0, 0.02)
    file = tmp_path / "angles.csv"
    np.savetxt(file, np.column_stack([t, np.sin(t) + 0.01 * np.sin(100 * t)]), delimiter=",", header="time,q1", comments="")
    assert ld.motion.from_csv(file, cutoff=2.0)["q1"](2.0) == pytest.approx(np.sin(2.0), abs=1e-3)
    with pytest.raises(ld.InputError, match="splines of degree 5 that do not repeat"):
        ld.motion.from_csv(file, cutoff=2.0, periodic=True)


def test_gain_of_the_filter() -> None:
    """A sine at the cut-off loses half of its amplitude; one at a tenth of it nothing, one at ten times all."""
    t = np.arange(0.0, 10.0, 0.005)
    for frequency, gain in ((0.4, 1.0), (4.0, 0.5), (40.0, 0.0)):
        law = ld.motion.filtered(t, np.sin(2 * np.pi * frequency * t), cutoff=4.0)
        inner = np.linspace(3.0, 7.0, 1600)
        assert np.max(np.abs(law(inner))) == pytest.approx(gain, abs=2e-3)


def test_error_statistics() -> None:
    """C6d: max, mean, std and percent of known errors; the mean counts signs."""
    measured = np.array([0.0, 1.0, 2.0, 4.0])
    found = error_statistics(measured, measured + np.array([0.3, -0.1, 0.1, 0.1]))
    assert found.max == pytest.approx(0.3, rel=1e-14)
    assert found.mean == pytest.approx(0.1, rel=1e-12)
    assert found.std == pytest.approx(np.sqrt(0.08 / 4.0), rel=1e-12)
    assert found.percent == pytest.approx(2.5, rel=1e-12)


@pytest.mark.slow
def test_refusals() -> None:
    line = np.column_stack([np.linspace(0, 1, 5), np.zeros(5), np.zeros(5)])
    rod = cantilever(length=1.0, section=ld.Circle(0.02), material=SOFT, bending=8).description.bodies[1].joint.rod
    assert rod is not None
    given: dict[str, Any] = {"offset": 0.01, "moment": 1e-12}
    for words, call in (
        ("each shape needs a tension above zero", lambda: young_modulus([line], [-1.0], **given)),
        ("at least one must be left", lambda: young_modulus([line], [1.0], **given)),
        ("it has the shape", lambda: young_modulus([line[:, :2]], [1.0], drop=0, **given)),
        ("needs its place on the rod", lambda: strain_coordinates(rod, [0.0, 2.0, 0.1], line[:3])),
        ("cannot show 16 strain coordinates", lambda: strain_coordinates(rod, np.linspace(0, 1, 5), line)),
        ("show nothing above 5 Hz", lambda: ld.motion.filtered(np.arange(0, 2, 0.1), np.zeros(20), 6.0)),
        ("they must be equal", lambda: error_statistics([1.0], [1.0, 2.0])),
    ):
        with pytest.raises((ld.InputError, ld.DescriptionError), match=words):
            call()
