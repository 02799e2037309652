"""Charts of bodies without joints: fields along the body, forces at their contacts, each shown once."""

import functools

import numpy as np
import pytest

import locodyn as ld
from locodyn.view.charts import default_panels
from locodyn.view.plots import figure

pytestmark = pytest.mark.slow


@functools.cache
def result(name):
    scenario = ld.zoo.make(name, {})
    return scenario.changed(t_end=40 * scenario.numerics.step, checks=()).run(progress=False)


def shown(name):
    return [panel.name for panel in default_panels(result(name))]


def test_fields_and_forces_are_shown_and_no_force_twice():
    """Ali (2011, 6.2 to 6.4) shows N along the worm, C_z along the snake, C along the helix, and all contact forces."""
    worm, snake, spatial = (shown(name) for name in ("earthworm", "continuum_snake", "continuum_snake_3d"))
    assert {"velocity", "tension", "contact_forces"} <= set(worm) and not {"moment", "shear_force"} & set(worm)
    assert {"moment", "tension", "shear_force", "contact_forces"} <= set(snake) and "torsion" not in snake
    assert "moment" in spatial
    assert not any("loop_forces" in names for names in (worm, snake, spatial))


def test_contact_forces_have_the_sign_of_their_rows():
    """Few rows by themselves; more than eight (two for each of five sleeves in space) as the size at each contact."""
    planar = figure(result("continuum_snake"), "contact_forces").axes[0]
    curves = np.array([line.get_ydata() for line in planar.lines if line.get_label().startswith("sleeve")])
    np.testing.assert_array_equal(curves.T, result("continuum_snake").multiplier.values)
    spatial = figure(result("continuum_snake_3d"), "contact_forces").axes[0]
    sizes = np.linalg.norm(result("continuum_snake_3d").contact_force.values, axis=2)
    curves = np.array([line.get_ydata() for line in spatial.lines if line.get_label().startswith("sleeve")])
    np.testing.assert_array_equal(curves.T, sizes)


def test_moments_have_a_sign_in_the_plane_and_a_size_in_space():
    run = result("continuum_snake")
    axes = figure(run, "moment").axes[0]
    assert axes.get_title(loc="left") == "bending moment about z (N·m)"
    np.testing.assert_array_equal(np.asarray(axes.images[0].get_array()), run.rod_wrench.values[:, 0, :, 5].T)
    assert axes.images[0].get_clim()[0] == -axes.images[0].get_clim()[1]
    names = [figure(run, word, at=0.5).axes[0].get_title(loc="left") for word in ("moment", "shear_force_y")]
    assert names == ["bending moment about z at 0.5 s", "shear force along y at 0.5 s"]


def test_errors_of_slices_do_not_look_like_forces():
    """The anchor of a worm with whole waves carries nothing (Ali 2011, 6.1): what is left is small on the scale of its inner
    force, 2.5 mN."""
    run = result("earthworm")
    bottom, top = figure(run, "contact_forces").axes[0].get_ylim()
    assert top - bottom > 1e-3 * np.abs(run.rod_wrench.values[..., 0]).max() > 100.0 * np.abs(run.contact_force.values).max()


def test_a_constant_force_does_not_lie_on_the_edge():
    """The anchor of a worm that gets faster carries -m a = -10 mN at all times: a twentieth of the height is below it."""
    run = ld.zoo.make("earthworm", {"speed": "varying"}).changed(t_end=1.0, checks=()).run(progress=False)
    np.testing.assert_allclose(run.multiplier.values, -0.01, atol=1e-6)
    (panel,) = (one for one in default_panels(run) if one.name == "contact_forces")
    chart = panel.make(run)
    for bottom, top in (figure(run, "contact_forces").axes[0].get_ylim(), chart.span):
        assert -0.01 - bottom > 0.04 * (top - bottom) and top > 0.0


def test_errors_of_slices_do_not_look_like_a_turn():
    """A concertina goes straight ahead; the folds of its slices turn it by 1e-8 rad."""
    bottom, top = figure(result("concertina"), "orientation").axes[0].get_ylim()
    assert top - bottom >= 2e-5 > 100.0 * np.abs(result("concertina").orientation.values[:, 3]).max()


def test_colours_between_records_are_those_of_records():
    """A helix has the curvature 10/m everywhere and always; the mean of two records that are 0.08 rad apart would have 9.99."""
    from locodyn.view.scene import scene_of

    run = ld.zoo.make("continuum_snake_3d", {"gait": "helix"}).changed(t_end=0.5, checks=()).run(progress=False)
    (rod,) = scene_of(run).rods
    np.testing.assert_allclose(rod.scalar, 10.0, rtol=1e-9)


def test_bodies_are_drawn_without_corners_and_a_worm_by_its_stretch():
    """Of a centre line that turns by 0.5 rad between two places a tube has four times as many; recorded places stay. A worm does
    not bend: its colours are its stretch."""
    from locodyn.view.scene import scene_of

    run = result("concertina")
    (rod,) = scene_of(run).rods
    records = run.rod_position.values[:, 0]
    parts = (rod.centre.shape[1] - 1) // (records.shape[1] - 1)
    assert parts > 1 and np.abs(rod.centre[0, ::parts] - records[0]).max() < 1e-12
    assert rod.radius.shape == rod.scalar.shape == rod.centre.shape[:2]
    (worm,) = scene_of(result("earthworm")).rods
    assert worm.scalar_label == "stretch" and np.ptp(worm.scalar) == pytest.approx(1.0, abs=0.02)  # 1 -+ 0.5
    drawn = 0.02 / np.sqrt(worm.scalar)  # Ali (2011, (6.3)): its volume stays, and so it is drawn
    np.testing.assert_allclose(worm.radius, drawn, rtol=1e-3)  # both linear between the records
    assert np.ptp(worm.radius) == pytest.approx(0.02 / np.sqrt(0.5) - 0.02 / np.sqrt(1.5), rel=0.02)
    assert figure(result("earthworm"), "stretch").axes[0].images[0].get_clim() == pytest.approx((0.5, 1.5), abs=0.02)


def test_contact_forces_over_the_abscissa():
    """Ali (2011, fig. 6.20): the forces of the sleeves at an instant, where they are on the body."""
    run = result("continuum_snake")
    axes = figure(run, "contact_forces,moment", at=0.5).axes[0]
    row = int(np.argmin(np.abs(run.time.values - 0.5)))
    points = next(line for line in axes.lines if line.get_label() == "y")
    np.testing.assert_array_equal(points.get_xdata(), run.contact_abscissa.values[row])
    np.testing.assert_array_equal(points.get_ydata(), run.multiplier.values[row])
    assert axes.get_xlabel() == "abscissa (m)"
