"""Plots of robots with wheels and loops: path with snapshots, one joint, all torques at an instant, contact forces."""

import functools

import pytest

import locodyn as ld
from locodyn.errors import InputError
from locodyn.view.plots import figure


@functools.cache
def result(name):
    scenario = ld.zoo.make(name, {})
    return scenario.changed(t_end=40 * scenario.dt).run(progress=False)


def titles(drawing):
    return [axes.get_title(loc="left") for axes in drawing.axes if axes.get_title(loc="left")]


@pytest.mark.parametrize("name", ["wheeled_snake", "snakeboard", "mobile_manipulator", "unicycle", "four_bar", "two_axle"])
def test_every_axis_has_units(name):
    for axes in figure(result(name)).axes:
        if axes.get_title(loc="left"):
            for label in (axes.get_xlabel(), axes.get_ylabel()):
                assert "(" in label or label == "of the numerical solution", (axes.get_title(loc="left"), label)


def test_what_is_drawn():
    assert titles(figure(result("wheeled_snake"), "reference")) == ["path of link_0", "heading"]
    assert titles(figure(result("wheeled_snake"), "torques")) == ["joint torques", "joint torques at t = 0.2 s"]
    assert titles(figure(result("wheeled_snake"), "contacts")) == ["side forces"]
    assert titles(figure(result("four_bar"), "contacts")) == ["loop forces"]
    wheels = ["side forces", "wheel torques: wheel_1, wheel_2", "rolling angles"]
    assert titles(figure(result("mobile_manipulator"), "contacts")) == wheels
    assert titles(figure(result("unicycle"), "contacts"))[0] == "side forces: right, left"  # two wheels of one axle, one curve


def test_heading_is_followed_over_several_turns():
    scenario = ld.zoo.trailer_truck()
    truck = scenario.changed(t_end=60.0, dt=0.02).run(progress=False)
    (curve,) = figure(truck, "reference").axes[1].lines
    heading = curve.get_ydata()
    assert heading[-1] > 4 * 3.14 and abs(heading[1:] - heading[:-1]).max() < 0.1


def test_planar_robots_show_no_velocities_that_they_cannot_have():
    drawing = figure(result("car"), "reference")
    labels = {axes.get_title(loc="left"): axes.get_legend() for axes in drawing.axes}
    assert [text.get_text() for text in labels["velocity, body axes"].get_texts()] == ["x", "y"]
    assert "angular velocity, body axes: z" in titles(drawing)
    assert {axes.get_ylabel() for axes in drawing.axes} >= {"velocity (m/s)", "angular velocity (rad/s)"}


def test_contacts_with_a_law_show_their_forces():
    friction = ld.zoo.two_axle(contact="friction").changed(t_end=0.1).run(progress=False)
    assert titles(figure(friction, "contacts")) == ["contact forces"]


def test_energy_of_a_robot_that_coasts_is_a_flat_line():
    drawing = figure(result("chaplygin_sleigh"), "energy")
    bottom, top = drawing.axes[0].get_ylim()
    assert top - bottom > 1e-4 * float(result("chaplygin_sleigh").kinetic_energy.values.max())


def test_one_joint_one_wheel_one_instant(tmp_path):
    assert titles(figure(result("wheeled_snake"), "joint_10")) == ["position of joint_10", "torque of joint_10"]
    assert titles(figure(result("unicycle"), "right")) == ["angle of right", "torque of right"]
    drawing = figure(result("wheeled_snake"), at=0.1)
    assert titles(drawing) == ["joint torques at t = 0.1 s"]
    bars = [bar.get_height() for bar in drawing.axes[0].patches]
    assert bars == pytest.approx(result("wheeled_snake").joint_torque.values[10])
    assert result("wheeled_snake").plot(tmp_path / "a.svg", at=0.1).exists()


def test_snapshots_need_no_robot_in_memory(tmp_path):
    loaded = ld.Result.load(result("snakeboard").save(tmp_path / "a.nc"))
    assert len(figure(loaded, "reference").axes[0].lines) == len(figure(result("snakeboard"), "reference").axes[0].lines) > 10


def test_refusals():
    with pytest.raises(InputError, match=r"there is no plot 'joint_4'; did you mean 'joint_3'"):
        figure(result("snakeboard"), "joint_4")
    with pytest.raises(InputError, match="leave 'joints' out"):
        figure(result("snakeboard"), "joints", at=0.1)
    with pytest.raises(InputError, match="nothing to show for 'contacts'"):
        figure(ld.zoo.pendulum().changed(t_end=0.1, dt=0.01).run(progress=False), "contacts")


def test_report_tells_rank_and_drive(tmp_path):
    text = result("wheeled_snake").report(tmp_path / "a.html").read_text()
    for words in (
        "Wheels and loops",
        "independent constraints",
        "2 to 3, changes at t = 0.01 s",
        "dependent: follows from the wheels",
    ):
        assert words in text
