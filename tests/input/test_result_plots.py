"""Plots of robots with wheels and loops: path with snapshots, one joint, all torques at an instant, contact forces."""

import functools

import numpy as np
import pytest
from matplotlib.quiver import Quiver

import locodyn as ld
from locodyn.errors import InputError
from locodyn.sim import Result
from locodyn.view.motion_charts import SNAPSHOTS
from locodyn.view.outlines import hull
from locodyn.view.plots import available, figure

pytestmark = pytest.mark.slow


@functools.cache
def result(name):
    scenario = ld.zoo.make(name, {})
    return scenario.changed(t_end=40 * scenario.numerics.step).run(progress=False)


def titles(drawing):
    return [axes.get_title(loc="left") for axes in drawing.axes if axes.get_title(loc="left")]


@pytest.mark.parametrize(
    "name",
    [
        "wheeled_snake",
        "snakeboard",
        "mobile_manipulator",
        "unicycle",
        "four_bar",
        "two_axle",
        "bicycle",
        "rattleback",
        "skateboard",
    ],
)
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
    assert "velocity, body axes: x" in titles(drawing)  # its wheels do not slip: y is round-off
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


def test_what_only_turns_is_not_at_rest():
    """The origin of a pendulum's rod is its pivot, which stays where it is."""
    swinging = ld.zoo.pendulum(n=1).changed(t_end=0.5).run(progress=False)
    assert titles(figure(swinging, "snapshots")) == ["9 instants, t = 0 s (light) to 0.5 s (dark)"]
    hanging = ld.zoo.pendulum(n=1).changed(t_end=0.5, start=None).run(progress=False)
    assert titles(figure(hanging, "snapshots")) == ["at rest"]


def test_snapshots_need_no_robot_in_memory(tmp_path):
    loaded = ld.Result.load(result("snakeboard").save(tmp_path / "a.nc"))
    drawn = [figure(run, "reference").axes[0].collections for run in (loaded, result("snakeboard"))]
    assert len(drawn[0]) == len(drawn[1]) == SNAPSHOTS
    first, again = (collection[-1].get_paths() for collection in drawn)
    assert len(first) == 8  # board, rotor, two axles, four wheels
    assert all((a.vertices == b.vertices).all() for a, b in zip(first, again, strict=True))


def test_several_things_in_one_figure(tmp_path):
    drawing = figure(result("wheeled_snake"), "snapshots, path,joint_2")
    assert len(titles(drawing)) == 4 and titles(drawing)[0].startswith("9 instants, t = 0 s (light) to 0.4 s (dark)")
    assert titles(figure(result("mobile_manipulator"), ["top_view", "steering_angles"]))[1] == "steering angles"
    portrait = figure(result("four_bar"), "phase").axes[0]
    k = [line.get_label() for line in portrait.lines].index("joint_2")
    assert np.array_equal(portrait.lines[k].get_ydata(), result("four_bar").joint_velocity.sel(joint="joint_2").values)


def test_forces_from_above():
    """Arrows stand at the contact points, with the recorded forces."""
    run = result("snakeboard")
    arrows = next(c for c in figure(run, "top_view").axes[0].collections if isinstance(c, Quiver))
    last = run.contact_force.values[-1]
    found = np.array([arrows.U, arrows.V]).T
    for force in last:
        assert np.abs(found - force[:2]).max(axis=1).min() < 1e-12
    pose = run.body_position.sel(body="front").values[-1, :2]
    assert np.abs(arrows.XY - pose).max(axis=1).min() < 1e-12  # the axle's wheel touches the ground at its origin


def test_hull():
    points = np.array([[0, 0], [2, 0], [2, 1], [0, 1], [1, 0.5], [1, 0], [0.2, 0.9]], float)
    assert {tuple(p) for p in hull(points)} == {(0, 0), (2, 0), (2, 1), (0, 1)}


def test_what_is_drawn_of_robots_that_roll_in_space():
    bicycle = ld.zoo.bicycle(case="turn").changed(t_end=2.2).run(progress=False)
    drawing = figure(bicycle, "reference")
    assert titles(drawing) == ["top view, robot each 0.5 s", "orientation", "velocity, body axes", "angular velocity, body axes"]
    tracks = {line.get_label(): line for line in drawing.axes[0].lines}
    assert tracks["rear.tyre"].get_xydata() == pytest.approx(bicycle.contact_point.sel(contact="rear.tyre").values[:, :2])
    robots = drawing.axes[0].collections
    assert len(drawing.axes[0].lines) == 2 and len(robots) == 5  # two tracks; the robot at 0, 0.5, 1, 1.5, 2 s
    wheel = bicycle.contact_point.sel(contact="front.tyre").interp(time=2.0).values[:2]  # below the last front wheel
    polygons = [path.vertices for path in robots[-1].get_paths()]
    assert any(np.all(p.min(axis=0) < wheel) and np.all(wheel < p.max(axis=0)) for p in polygons)
    joints = ["wheel rates", "joint positions: steer", "joint velocities: steer", "tracking errors"]
    assert titles(figure(bicycle, "joints")) == joints
    assert titles(figure(bicycle, "torques")) == ["wheel torques: rear", "joint torques: steer"]
    forces = ["contact angles", "normal forces", "lambda_4", "side forces", "rolling forces"]
    assert titles(figure(bicycle, "contacts")) == forces
    assert titles(figure(bicycle, "front.tyre")) == ["force at front.tyre"]
    with pytest.raises(InputError, match=r"there is no plot 'front.tyr'; did you mean 'front.tyre'"):
        figure(bicycle, "front.tyr")
    angles = figure(bicycle, "contacts").axes[0]
    assert [text.get_text() for text in angles.get_legend().get_texts()] == ["rear.tyre (3.142)", "front.tyre (3.456)"]


def test_what_hops_in_a_vertical_plane_is_seen_from_the_side():
    """The path of the hip, not of the rail without mass that carries it, over x and z; the leg, which has no mass, as a stick."""
    run = ld.zoo.spring_hopper().changed(t_end=0.9).run(progress=False)
    drawing = figure(run)
    shown = titles(drawing)
    assert "path of hip" in shown and not any("top view" in title or "from the dot on" in title for title in shown)
    path = next(axes for axes in drawing.axes if axes.get_title(loc="left") == "path of hip")
    assert path.get_ylabel() == "z (m)"
    sticks = next(axes for axes in drawing.axes if axes.get_title(loc="left").startswith("a stride"))
    lengths = [np.linalg.norm(np.ptp(line.get_xydata(), axis=0)) for line in sticks.lines if len(line.get_xdata()) == 2]
    assert sum(0.8 < length < 1.0 + 1e-6 for length in lengths) >= 10  # 1 m long, and shorter while it stands


def test_slides_have_forces():
    """Words follow the units: N is a force."""
    assert "joint forces" in titles(figure(ld.zoo.stick_slip().changed(t_end=1.0).run(progress=False), "torques"))
    assert titles(figure(result("snakeboard"), "torques"))[0] == "joint torques"


def test_lift_off_is_marked():
    with pytest.warns(UserWarning, match="lift off"):
        fallen = ld.zoo.bicycle(case="turn", K_ps=-10.0).run(progress=False)
    normal = next(axes for axes in figure(fallen, "contacts").axes if axes.get_title(loc="left") == "normal forces")
    assert [text.get_text().strip() for text in normal.texts] == ["lifts off"]
    assert normal.texts[0].xy[0] == pytest.approx(2.015, abs=0.02)
    assert "lies flat" in figure(fallen).get_suptitle()


def test_refusals():
    with pytest.raises(InputError, match=r"there is no plot 'joint_4'; did you mean 'joint_3'"):
        figure(result("snakeboard"), "joint_4")
    with pytest.raises(InputError, match="leave 'joints' out"):
        figure(result("snakeboard"), "joints", at=0.1)
    with pytest.raises(
        InputError,
        match=r"no plot 'xyz'; this result has reference, joints, .*, snapshots, .*, joint_3, front.wheel, rear.wheel\.$",
    ):
        figure(result("snakeboard"), "xyz")
    with pytest.raises(InputError, match="nothing to show for 'contacts'"):
        figure(ld.zoo.pendulum().changed(t_end=0.1, dt=0.01).run(progress=False), "contacts")


def test_report_tells_rank_and_drive(tmp_path):
    text = result("wheeled_snake").report(tmp_path / "a.html").read_text()
    for words in (
        "Wheels, contacts and loops",
        "independent constraints",
        "2 to 3, changes at t = 0.01 s",
        "dependent: follows from the wheels",
    ):
        assert words in text


# ------------------------------------------------------------------------------------------------------------- fields of rods
def test_fields_of_rods_over_time_and_arc_length():
    """The image holds the bending strain and the moment of the records; what rests is drawn as curves; rigid robots have none.

    A rod in a plane has one component of the moment, which keeps its sign.
    """
    moving = ld.zoo.rod_drop().changed(t_end=0.2).run(progress=False)
    for word, values, label in (("curvature", moving.rod_strain, "1/m"), ("moment", moving.rod_wrench, "N·m")):
        (axes,) = figure(moving, word).axes
        (image,) = axes.images
        wanted = np.linalg.norm(values.values[:, 0, :, 4:], axis=-1)
        assert np.abs(np.abs(np.asarray(image.get_array())) - wanted.T).max() < 1e-12  # fewer records than columns: all are there
        assert image.get_extent() == [0.0, 0.2, 0.0, 1.0] and axes.get_title(loc="left").endswith(f"({label})")
    (image,) = figure(moving, "tension").axes[0].images
    pulled = moving.rod_wrench.values[:, 0, :, 0]
    assert np.abs(np.asarray(image.get_array()) - pulled.T).max() < 1e-12
    assert image.get_clim() == (min(0.0, pulled.min()), pulled.max())  # a force has a sign
    (axes,) = figure(moving, "tension", at=0.1).axes  # at an instant: a curve
    row = int(np.argmin(np.abs(moving.time.values - 0.1)))
    assert np.abs(axes.lines[0].get_ydata() - pulled[row]).max() < 1e-12 and "at 0.1 s" in axes.get_title(loc="left")
    resting = ld.zoo.elastica().run(progress=False)
    (axes,) = figure(resting, "stretch").axes
    assert axes.get_ylabel() == "stretch (-)"
    (axes,) = figure(resting, "curvature").axes
    (curve,) = axes.lines
    assert np.abs(np.abs(curve.get_ydata()) - np.linalg.norm(resting.rod_strain.values[-1, 0, :, 4:], axis=-1)).max() < 1e-12
    (axes,) = figure(resting, "snapshots").axes
    assert axes.get_title(loc="left") == "at rest"
    rigid = ld.zoo.satellite().changed(t_end=0.1).run(progress=False)
    assert "curvature" not in available(rigid) and "moment" in available(moving)
    with pytest.raises(InputError, match="the result has nothing to show for 'curvature'"):
        figure(rigid, "curvature")


@functools.cache
def among_pegs():
    return ld.zoo.snake_2d(pegs="table_7_5").changed(t_end=1.0, record_every=100, checks=()).run(progress=False)


def test_path_and_forces_among_pegs(tmp_path):
    """All of a run has both pictures, also read from its file; pegs have their radii where they stand (outlines of polygons)."""
    run = among_pegs()
    run.save(tmp_path / "run.nc")
    again = Result.load(tmp_path / "run.nc")
    pegs = run.scenario.world.obstacles
    drawn = [axes for axes in figure(again).axes if axes.get_title(loc="left").startswith(("path of link_6", "forces of pegs"))]
    assert len(drawn) == 2
    for axes in drawn:
        outlines = [path.vertices for path in axes.collections[-1].get_paths()]
        assert len(outlines) == len(pegs)
        for outline, peg in zip(outlines, pegs, strict=True):
            assert np.linalg.norm(outline - peg.at[:2], axis=1) == pytest.approx(peg.solid.radius, rel=1e-3)
        assert axes.get_aspect() == 1.0


def test_path_of_a_body_and_forces_at_an_instant():
    run = among_pegs()
    axes, over_time = figure(run, "link_3").axes
    points = run.body_position.sel(body="link_3").values
    assert axes.lines[0].get_xydata() == pytest.approx(points[:, :2])
    curves = {line.get_label(): line.get_ydata() for line in over_time.lines}
    assert curves["x"] == pytest.approx(points[:, 0]) and curves["y"] == pytest.approx(points[:, 1])
    assert "z" not in curves  # it moves in the plane
    (axes,) = figure(run, "push_view", at=0.5).axes
    assert axes.get_title(loc="left").startswith("forces of pegs at 0.5 s")
    with pytest.raises(InputError, match=r"the plot is wanted at t = 2 s, but the run goes from 0 to 1 s"):
        figure(run, "push_view", at=2.0)
    with pytest.raises(InputError, match="or of fields and grips along rods; leave 'path' out"):
        figure(run, "path", at=0.5)


def test_heights_and_velocities_of_what_falls():
    """A dropped snake: heights of links 1 and 6 by default; the velocity of link 1 is that of free fall to round-off. The world
    of falling boxes does not move, and has no curve."""
    fall = ld.zoo.snake_drop().changed(t_end=0.2, checks=()).run(progress=False)
    shown = titles(figure(fall))
    assert "heights" in shown and "vertical velocities" in shown
    axes = figure(fall, "vertical_velocities").axes[0]
    curves = {line.get_label(): line for line in axes.lines}
    assert {"link_1", "link_6"} <= set(curves)
    assert curves["link_1"].get_ydata() == pytest.approx(-9.81 * curves["link_1"].get_xdata(), abs=1e-9)
    boxes = ld.zoo.falling_boxes(n=3).changed(t_end=0.1, checks=()).run(progress=False)
    assert {line.get_label() for line in figure(boxes, "heights").axes[0].lines} >= {"box_0", "box_1"}


def test_forces_and_number_of_push_points_have_axes_of_their_own():
    force, number = figure(among_pegs(), "push_forces,push_points").axes
    assert "(N)" in force.get_ylabel() and "(-)" in number.get_ylabel()
    count = number.lines[0].get_ydata()
    assert np.array_equal(count, np.round(count)) and 1 <= count.max() <= 7


def test_angles_of_a_robot_with_rods_are_tracked_in_degrees():
    run = ld.zoo.soft_snake_pegs().changed(t_end=0.02, checks=()).run(progress=False)
    assert figure(run, "tracking_errors").axes[0].get_ylabel() == "position less target (deg)"


def test_residuals_of_contacts_are_shown():
    labels = [line.get_label() for line in figure(among_pegs(), "defects").axes[0].lines]
    assert "contact residual (1)" in labels


def test_many_contacts_are_counted_in_a_sentence():
    with pytest.raises(InputError, match=r"link_1\.support to link_11\.surface on peg_7 \(88 contacts\)\.$"):
        figure(among_pegs(), "nothing")
