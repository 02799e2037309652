"""Bad input about contacts in space, starts and servos: each mistake has its own sentence."""

import contextlib
import sys

import numpy as np
import pytest

import locodyn as ld
from locodyn.cli import main
from locodyn.errors import DescriptionError, InputError
from locodyn.locomotion.servo import Servo
from locodyn.sim import Scenario, Start
from locodyn.sim.start import positions, velocities

ABOVE = {"frame": (0.0, 0.0, 1.3, 0.0, 0.0, 0.0)}


@pytest.mark.parametrize(
    "values, words",
    [
        ({"radius": 0.0, "axis": "y"}, "has the radius 0 m, but it must be positive"),
        ({"radius": -0.1, "axis": "y"}, "has the radius -0.1 m, but it must be positive"),
        ({"radius": -1.0}, "has the radius -1 m"),
        ({"radius": 0.1, "axis": "y", "crown": 0.2}, "larger than its crown radius 0.2 m"),
        ({"radius": 0.1, "axis": "y", "crown": 0.1}, "larger than its crown radius 0.1 m"),
        ({"radius": 0.1, "axis": "y", "crown": -0.2}, "has the crown radius -0.2 m"),
        ({"radius": 0.1, "crown": 0.05}, "only a disc or an ellipsoid has"),
        ({}, "has no surface: give radius=, or semi_axes="),
        ({"axis": "y"}, "has no surface"),
        ({"semi_axes": (1.0, 2.0)}, "must have 3 numbers"),
        ({"semi_axes": (1.0, 0.0, 2.0)}, "all must be positive"),
        ({"semi_axes": (1.0, 1.0, 2.0), "radius": 1.0}, "give one of them"),
        ({"radius": float("nan")}, "The radius of contact 'x.contact' is nan"),
        ({"radius": "big"}, "which is not a number"),
        ({"radius": 1.0, "axis": (0, 0, 0)}, "The axis of contact 'x.contact' is zero"),
        ({"radius": 1.0, "normal": (0, 0, 0)}, "The normal of the plane of contact 'x.contact' is zero"),
        ({"radius": 1.0, "ground": (0, 0)}, "must have 3 numbers"),
        ({"radius": 1.0, "name": "x"}, "need different names"),
    ],
)
def test_surfaces(values, words):
    body = ld.Robot("x").base("x", mass=1.0, inertia=ld.about_centre(xx=1, yy=1, zz=1))
    with pytest.raises(DescriptionError) as caught:
        body.rolling(**values)
    assert words in str(caught.value) and "\n" not in str(caught.value)


def test_a_joint_with_the_name_of_the_reference_body():
    """A bicycle that its rear wheel carries: 'rear' is this body and a joint; the number of values tells which is meant."""
    scenario = ld.zoo.bicycle()
    rerooting = scenario.robot.rerooting("rear")
    robot = rerooting.after
    assert robot.reference_body == "rear" and "rear" in robot.coordinate_names
    at = robot.position_names.index("rear")
    both = [positions(robot, {"rear": 0.3, **one}) for one in ({}, {"frame": range(1, 7)})]
    assert [q[at] for q in both] == [0.3, 0.3] and list(both[1][:3]) == [1.0, 2.0, 3.0]
    body = positions(robot, {"rear": (1.0, 2.0, 3.0, 0.1, 0.2, 0.3)})
    assert list(body[:3]) == [1.0, 2.0, 3.0] and body[at] == 0.0
    np.testing.assert_array_equal(body, positions(robot, {"frame": (1.0, 2.0, 3.0, 0.1, 0.2, 0.3)}))
    v = velocities(robot, {"rear": range(6)})
    assert list(v[:6]) == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0] and not v[6:].any()
    with pytest.raises(InputError, match="values of 'rear' in the start have shape"):
        velocities(robot, {"rear": (1.0, 2.0)})


@pytest.mark.slow
@pytest.mark.parametrize(
    "start, words",
    [
        (Start(ABOVE, adjust=("frame.vu",)), "no coordinate 'frame.vu'; did you mean 'frame.v"),
        (Start(ABOVE, keep="stear"), "no coordinate 'stear'; did you mean 'steer'"),
        (Start(ABOVE, adjust="steer"), "'rear.tyre' cannot be reached at the start by moving steer alone: 1 m"),
        (Start({"frame": (0, 0, 0.3, 0.3, 0, 0), "steer": 0.5}, adjust="frame.vz"), "moving frame.vz alone"),
        (Start({"frame": (0, 0, 0.3, np.pi / 2, 0, 0)}), "the wheel 'rear.tyre' lies flat at the start"),
        (Start({"frame": (0, 0, 0.3, -1.45, 0, 0)}, adjust=("frame.vz", "frame.wy")), "lies flat at the start"),
    ],
)
def test_starts(start, words):
    with pytest.raises(InputError) as caught:
        ld.zoo.bicycle().changed(start=start, t_end=0.1).run(progress=False)
    assert words in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.slow
@pytest.mark.parametrize("height", [1.3, 1e4, -3.0])
@pytest.mark.parametrize("adjust", [(), ("frame.vz", "frame.wy")])
def test_a_start_in_the_air_or_below_is_put_on_the_ground(height, adjust):
    start = Start({"frame": (0.0, 0.0, height, 0.0, 0.0, 0.0)}, adjust=adjust)
    # Where adjust does not say that the height may change, that is said.
    with contextlib.nullcontext() if adjust else pytest.warns(ld.sim.StartWarning, match=r"'frame.z' from .* to 0.3"):
        result = ld.zoo.bicycle().changed(start=start, t_end=0.05).run(progress=False)
    assert np.abs(result.contact_point.values[0, :, 2]).max() < 1e-12
    assert result.position.values[0, 2] == pytest.approx(0.3)


@pytest.mark.slow
def test_geometry_that_cannot_touch():
    robot = ld.Robot("table")
    top = robot.base("table", moves="translating", mass=1.0, inertia=ld.about_centre(xx=1, yy=1, zz=1))
    top.rolling("left", radius=0.1, at=(0, 1, 0)).rolling("right", radius=0.2, at=(0, -1, 0))
    with pytest.raises(InputError, match=r"the contact '(left|right)' cannot reach its plane at t = 0 s: 0.1 m are left"):
        Scenario("table", robot, t_end=0.1).run(progress=False)


@pytest.mark.parametrize("gain", [float("nan"), float("inf"), "stiff", None])
@pytest.mark.parametrize("name", ["stiffness", "damping"])
def test_gains_of_a_servo(name, gain):
    with pytest.raises(InputError, match=f"the {name} of a servo is .*; it must be a finite number"):
        Servo(0.0, **{name: gain})


@pytest.mark.parametrize(
    "fields, words",
    [
        ({"servo": {"frame.vx": Servo(0.0, 1.0)}}, "coordinate 'frame.vx' cannot have a servo: its joint turns"),
        ({"servo": {"stear": Servo(0.0, 1.0)}}, "no coordinate 'stear'; did you mean 'steer'"),
        ({"servo": {"steer": 3.0}}, "must be a Servo"),
        ({"servo": {"steer": Servo(0.0, 1.0)}, "imposed": {"steer": 0.0}}, "has a servo but its motion is imposed"),
        ({"servo": {"steer": Servo(ld.samples(np.arange(9.0) / 100, np.zeros(9)), 1.0)}}, "steer"),
    ],
)
def test_servos(fields, words):
    with pytest.raises(InputError) as caught:
        ld.zoo.bicycle().changed(**fields).run(progress=False)
    assert words in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "setting, words", [("h_3=-0.3", "parameter 'h_3'"), ("h_2=0", "parameter 'h_2'"), ("w=nan", "parameter 'w'")]
)
def test_command_line_says_it_in_one_sentence(monkeypatch, capsys, setting, words):
    monkeypatch.setattr(sys, "argv", ["locodyn", "run", "bicycle", "--set", setting])
    with pytest.raises(SystemExit) as ended:
        main()
    said = capsys.readouterr().err
    assert ended.value.code == 2 and words in said and "Traceback" not in said


@pytest.mark.parametrize("tilt", [np.pi / 2, -2.0])
def test_a_steer_axis_that_does_not_point_up(tilt: float) -> None:
    with pytest.raises(InputError, match=r"the steer axis is tilted by .* rad and does not point up"):
        ld.zoo.bicycle(th=tilt)
