"""What is drawn of robots with rods: modes apart from joints, projections, iterations, stability."""

from __future__ import annotations

import numpy as np
import pytest

import locodyn as ld
from locodyn.robot import GivenSection
from locodyn.view.chart import Chart
from locodyn.view.charts import PANELS
from locodyn.view.plots import available, figure

pytestmark = pytest.mark.slow

UNIT = GivenSection((1.0, 1.0, 1.0, 1.0, 1.0, 1.0), mass=1.0)


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


def test_projections(run: ld.Result) -> None:
    """The rod in the x-y plane, seen along the three axes at one scale."""
    drawing = figure(run, "projections")
    parts = drawing.axes[0].child_axes
    assert [part.get_title(loc="left") for part in parts] == ["x-y", "x-z", "y-z"]
    sides = [np.ptp(part.get_xlim()) for part in parts]
    assert sides == pytest.approx([sides[0]] * 3) and sides[0] > 0.4


def test_stability_and_iterations(run: ld.Result) -> None:
    assert (chart(run, "stability").values > 0.0).all()
    assert chart(run, "iterations").values.shape == (11, 1)


def test_rigid_robots_have_no_fields() -> None:
    result = ld.zoo.pendulum(n=1).changed(t_end=0.1).run(progress=False)
    assert not {"rod_modes", "stability", "curvature"} & set(available(result))
    with pytest.raises(ld.InputError, match="nothing to show for 'rod_modes'"):
        figure(result, "rod_modes")


def test_integrals_of_feedback_are_no_joints() -> None:
    """Two drones whose wrenches have integrals, six each, on a chain without joints: no panel has a curve of
    them, and the modes are of the rods alone."""
    result = ld.zoo.drones_payload().changed(t_end=0.1, checks=()).run(progress=False)
    integrals = {str(name) for name in result.dataset["state"].values}
    assert len(integrals) == 12 and all(name.startswith("fly") for name in integrals)
    of_rods = {str(name) for name in result.dataset["joint"].values if not str(name).startswith("left.")}
    assert of_rods and all(name.split(".")[0] in ("left rod", "right rod") for name in of_rods)
    drawn = {panel.name: panel.make(result).names for panel in PANELS if panel.has(result)}
    assert "joint_positions" not in drawn and set(drawn["rod_modes"]) == of_rods
    assert not any(integrals & set(names) for names in drawn.values())
