"""What is drawn of robots with rods: modes apart from joints, fields along s, projections, iterations, stability."""

from __future__ import annotations

import numpy as np
import pytest

import locodyn as ld
from locodyn.view.chart import Chart
from locodyn.view.charts import PANELS
from locodyn.view.plots import available, figure

UNIT = ld.GivenSection((1.0, 1.0, 1.0, 1.0, 1.0, 1.0), mass=1.0)


@pytest.fixture(scope="module")
def run() -> ld.Result:
    robot = ld.Robot("arm")
    hub = robot.body("hub").on(robot.base("ground", moves="fixed")).turning("z", name="hub")
    hub.rod("rod", length=0.4, section=UNIT, bending=(0, 3)).tendon("left", (0.05, 0.0))
    return ld.simulate(
        robot, gravity=(0, 0, 0), imposed={"hub": ld.polynomial(0.0, 1.0)}, tension={"left": ld.polynomial(0.0, 20.0)}, t_end=1.0,
        dt=0.1, integrator="quasi_static", progress=False,
    )  # fmt: skip


def chart(result: ld.Result, name: str) -> Chart:
    return next(panel for panel in PANELS if panel.name == name).make(result)


def test_modes_are_apart_from_joints(run: ld.Result) -> None:
    assert chart(run, "joint_positions").names == ("hub",)
    assert chart(run, "rod_modes").names == ("rod.bending_z.0", "rod.bending_z.1", "rod.bending_z.2")
    assert chart(run, "rod_modes").unit == "1/m"
    assert chart(run, "torque_bars").names == ("hub",)


def test_fields_along_the_rod(run: ld.Result) -> None:
    """EI = 1: curvature and moment are 0.05 T, constant along s, at the instants of the legend."""
    drawing = figure(run, "rod_strain,rod_stress,projections")
    strain, stress = drawing.axes[:2]
    assert [axes.get_ylabel() for axes in (strain, stress)] == ["bending_z (1/m)", "mz (N·m)"]
    for axes in (strain, stress):
        curves = [line for line in axes.get_lines() if len(line.get_xdata()) == 21]
        np.testing.assert_allclose([line.get_ydata() for line in curves], np.outer([0, 0.2, 0.5, 0.8, 1.0], np.ones(21)), atol=1e-9)
    assert {"rod_strain", "rod_stress", "projections", "iterations"} & set(available(run)) >= {"rod_strain", "rod_stress"}


def test_stability_and_iterations(run: ld.Result) -> None:
    assert (chart(run, "stability").values > 0.0).all()
    assert chart(run, "iterations").values.shape == (11, 1)


def test_rigid_robots_have_no_fields() -> None:
    result = ld.zoo.pendulum(n=1).changed(t_end=0.1).run(progress=False)
    assert not {"rod_strain", "rod_stress", "rod_modes"} & set(available(result))
    with pytest.raises(ld.InputError, match="there is no plot 'rod_strain'"):
        figure(result, "rod_strain")
