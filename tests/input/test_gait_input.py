"""Robots, limits and names with which no gait can be designed are refused in a sentence; limits hold for both legs."""

from dataclasses import replace

import numpy as np
import pytest

import locodyn as ld
from locodyn.phases import Phase
from locodyn.walking import Biped, GaitLimits
from locodyn.walking.limits import stride_limits
from locodyn.walking.phase_path import PhasePath
from locodyn.zoo import biped, rabbit

pytestmark = pytest.mark.slow


def hybrid(robot):
    return ld.Scenario("rabbit", robot, phases=rabbit.phases()).hybrid


def with_boom():
    return rabbit.robot(boom_on=True)


def with_spring():
    return rabbit.robot().spring("sinew", ("body_3", (0, 0, 0.3)), ("tibia_1", (0, 0, 0)), stiffness=100.0)


def with_coupling():
    return rabbit.robot().coupling("gear", {"knee_1": 1.0, "knee_2": -1.0})


def with_bristles():
    robot = rabbit.robot()
    robot["tibia_1"].actuator(bristles=ld.LuGre(1.0, 100.0))
    return robot


def with_tail():
    robot = rabbit.robot()
    material = ld.Material(young=1e7, density=1000.0)
    robot["body_3"].rod("tail", length=0.3, section=ld.Circle(0.01), material=material, bending=(0, 1), nodes=2)
    return robot


PARTS = [
    (with_boom, "the wrench law 'boom'"),
    (with_spring, "the spring or cable 'sinew'"),
    (with_coupling, "the coupling 'gear'"),
    (with_bristles, "bristles at the joint 'knee_1'"),
    (with_tail, "rods"),
]


@pytest.mark.parametrize("make, words", PARTS, ids=[words for _, words in PARTS])
def test_parts_that_a_design_does_not_see(make, words):
    """Of which gaits, their zero dynamics and their strides would be those of another robot."""
    made = hybrid(make())
    for act in (lambda: rabbit.biped(made), lambda: PhasePath(made, ["left"])):
        with pytest.raises(ld.InputError, match=f"robot 'rabbit' has {words}, of which a design of its gaits would know nothing"):
            act()


@pytest.mark.parametrize(
    "word, values",
    [
        ("a spring", {"stiffness": 5.0}),
        ("friction", {"viscous": 1.0}),
        ("friction", {"coulomb": 1.0}),
        ("the inertia of a rotor", {"armature": 0.5}),
    ],
)
def test_what_acts_on_the_whole_robot_from_outside(word, values):
    robot = rabbit.robot()
    robot["body_3"].actuator(**values)
    with pytest.raises(ld.InputError, match=f"'trunk' carries or turns the whole robot and has {word}"):
        rabbit.biped(hybrid(robot))


def test_each_coordinate_has_one_place():
    own = rabbit.biped(hybrid(rabbit.robot()))
    with pytest.raises(ld.InputError, match="the coordinate 'knee_2' is none of the outputs"):
        replace(own, outputs=("hip_1", "hip_2", "knee_1"))
    with pytest.raises(ld.InputError, match="the coordinate 'knee_2' is named twice among the outputs"):
        replace(own, outputs=("hip_1", "knee_2", "knee_1", "knee_2", "hip_2"))
    with pytest.raises(ld.InputError, match="'knee_3'"):
        Biped(own.hybrid, ("hip_1", "knee_3"), rabbit.PHASE, "trunk", ("y", "z"), "foot_1", "foot_2")


def test_limits_of_joints_that_there_are_not():
    limits = GaitLimits(joints={"nee_1": (-2.0, 0.0)})
    with pytest.raises(ld.InputError, match=r"the limits of the gait name the joint 'nee_1', .* did you mean 'knee_1'"):
        rabbit.design(hybrid(rabbit.robot()), limits=limits)


def test_limits_of_joints_hold_for_their_mirror_images():
    """Of what the mirror exchanges, and of what it negates; of all halves of a stride the narrower counts."""
    walk = ld.Scenario("biped", biped.robot(), phases=biped.phases()).hybrid
    names = walk.model.compiled.coordinate_names
    given = GaitLimits(joints={"knee_1": (0.1, 2.0), "knee_2": (0.0, 1.5), "hip_roll_1": (-0.2, 0.4), "roll": (-0.3, 0.1)})
    knees = {"knee_1": (0.1, 1.5), "knee_2": (0.1, 1.5)}
    wanted = {**knees, "hip_roll_1": (-0.2, 0.4), "hip_roll_2": (-0.4, 0.2), "roll": (-0.1, 0.1)}
    assert stride_limits(given, walk, names).joints == wanted
    assert stride_limits(stride_limits(given, walk, names), walk, names).joints == wanted
    assert stride_limits(given, walk, names, mirrored=False).joints == given.joints
    apart = GaitLimits(joints={"knee_1": (0.1, 0.2), "knee_2": (0.3, 0.4)})
    with pytest.raises(ld.InputError, match="the limits of 'knee_2' and of its mirror image 'knee_1' leave no angle for both"):
        stride_limits(apart, walk, names)


def test_a_robot_without_feet():
    robot = ld.Robot("pendulum")
    robot.body("bob", mass=1.0, centre=(0, 0, -1.0)).on(robot.base("ground", moves="fixed")).turning("y")
    swing = ld.Scenario("swing", robot, phases=ld.Phases({"air": Phase()}, [], final="air")).hybrid
    assert swing.model.nv == 1 and np.isnan(swing.feet.centre_height(np.zeros(1)))
    with pytest.raises(ld.InputError, match="robot 'pendulum' has no foot; give it point feet"):
        PhasePath(swing, ["air"])


def test_a_torque_limit_that_no_gait_keeps(locodyn, tmp_path):
    """On the command line: the joint, what it needs, exit code 2, nothing written."""
    pytest.importorskip("casadi")
    file = tmp_path / "walk.nc"
    code, _, err = locodyn("run", "rabbit_walk", "--set", "gait=optimised", "--set", "limit=3", "--out", file)
    assert code == 2 and not file.exists() and err.count("\n") == 1
    assert "the torque limit is too low, without it" in err and "would need" in err
