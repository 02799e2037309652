"""Strides by direct collocation: RABBIT against an independent code, a biped in space, refusals."""

import functools
import json
from dataclasses import replace

import numpy as np
import pytest

import locodyn as ld
from locodyn.phases import LiftOff, PoincareMap, Touchdown, When
from locodyn.walking import GaitLimits
from locodyn.walking.following import check_monotonic, followers
from locodyn.walking.phase_path import PhasePath
from locodyn.walking.trajectory import Trajectory
from locodyn.walking.trajectory_design import TrajectoryDesign
from locodyn.zoo import biped, rabbit, rabbit_running

pytest.importorskip("casadi")
pytestmark = pytest.mark.slow


@functools.cache
def rabbit_design():
    hybrid = ld.Scenario("rabbit", rabbit.robot(), phases=rabbit.phases()).hybrid
    begin = {"z": 0.78, "hip_1": 0.5, "knee_1": -0.4, "hip_2": -0.2, "knee_2": -0.1, "trunk": -0.1}
    middle = {"z": 0.79, "hip_1": 0.15, "knee_1": -0.25, "hip_2": 0.4, "knee_2": -0.8, "trunk": -0.1}
    end = {"z": 0.78, "hip_1": -0.2, "knee_1": -0.1, "hip_2": 0.5, "knee_2": -0.4, "trunk": -0.1}
    limits = GaitLimits(joints={"knee_1": (-2.5, -0.05), "knee_2": (-2.5, -0.05), "trunk": (-0.35, 0.35)})
    return TrajectoryDesign(hybrid, ["left"], rabbit.JOINTS, [begin, middle, end], [0.6], along=rabbit.ALONG, limits=limits)


@functools.cache
def spatial():
    return ld.Scenario("biped", biped.robot(), phases=biped.phases()).hybrid


def test_cheapest_step_of_rabbit():
    """727.19 (N m)^2 s/m: Hermite-Simpson with 48 intervals in an independent model, whose clearance bound is a little other."""
    gait = rabbit_design().solve(0.7)
    assert abs(gait.cost / 727.19 - 1.0) < 1e-3 and not gait.excess
    assert gait.defect < 0.1  # N m, of torques of 40 N m: order 6 with 8 elements
    assert abs(gait.length / gait.duration - 0.7) < 1e-12


def test_springs_and_friction_of_joints_are_counted():
    """What the equations of motion miss between the points is as small as without them; with knees that want to be bent by 1 rad
    the motors of a gait that did not know of it would miss 20 N m/rad times 1 rad."""
    robot = rabbit.robot()
    for k in (1, 2):
        robot[f"tibia_{k}"].actuator(stiffness=20.0, rest=-1.0, viscous=1.0)
    hybrid = ld.Scenario("rabbit", robot, phases=rabbit.phases()).hybrid
    own = rabbit_design()
    design = TrajectoryDesign(hybrid, ["left"], rabbit.JOINTS, own.postures, own.durations, along=rabbit.ALONG, limits=own.limits)
    gait = design.solve(0.7)
    assert gait.defect < 0.1 and not gait.excess
    air = ld.Scenario("air", robot, phases=ld.Phases({"air": ()}, [], final="air")).problem
    motion = gait.motions[0]
    for k in range(0, len(motion.time), 6):  # torques and the ground give the planned accelerations, by the kernels of runs
        jacobian = hybrid.model.jacobian("tibia_1", motion.q[k])
        turn = hybrid.model.pose("tibia_1", motion.q[k])[0]
        sole = np.array([0.0, 0.0, -0.4])
        arm = turn @ (jacobian[:3] - np.array([np.cross(sole, one) for one in jacobian[3:].T]).T)
        push = arm.T @ motion.force["foot_1"][k]
        names = hybrid.model.compiled.coordinate_names
        for name, torque in zip(motion.joints, motion.torque[k], strict=True):
            push[names.index(name)] += torque
        own_forces = air.accelerations(0.0, motion.q[k].copy(), motion.v[k].copy())
        wanted = own_forces + np.linalg.solve(hybrid.model.mass_matrix(motion.q[k]), push)
        assert np.abs(wanted - motion.a[k]).max() < 1e-5 * max(1.0, np.abs(motion.a[k]).max())


def test_stored_gait_of_the_biped_in_space_is_that_of_its_command():
    stored, found = biped.gait(), biped.design(spatial()).solve(biped.SPEED)
    assert abs(found.cost / stored.cost - 1.0) < 1e-6 and abs(found.duration / stored.duration - 1.0) < 1e-6
    assert not found.excess and found.status == "Solve_Succeeded"


def test_the_whole_robot_follows_the_stored_gait():
    """One step of the biped in space: what is left is the error of the collocation, 1e-5 s, times how unstable a step is."""
    gait, path = biped.gait(), PhasePath(spatial(), ["left"])
    control = followers(path, gait, biped.OUTPUTS, {"left": biped.PHASE})
    assert set(control) == {"left", "right"}
    walk = ld.Scenario("biped", biped.robot(), phases=biped.phases((control["left"], control["right"])))
    stride = PoincareMap(walk, tolerance=1e-8)(*gait.start())
    assert stride.mirrored and abs(stride.duration - gait.duration) < 1e-4
    assert np.abs(stride.q[2:] - gait.start()[0][2:]).max() < 1e-3


def test_stored_run_of_rabbit_is_that_of_its_command():
    """Two phases, one of them flight: stance ends where the ground would pull, flight where the other foot lands."""
    hybrid = ld.Scenario("rabbit_run", rabbit.robot(), phases=rabbit_running.phases()).hybrid
    stored, found = rabbit_running.gait(), rabbit_running.design(hybrid).solve(rabbit_running.SPEED)
    assert abs(found.cost / stored.cost - 1.0) < 1e-6 and not found.excess
    # Between the points too: Bernstein coefficients are bounded, which IPOPT relaxes by 1e-8. Without them 180 N m.
    most = max(float(np.abs(motion.sampled(1000).torque).max()) for motion in found.motions)
    assert most < 0.9 * rabbit_running.LIMIT * (1.0 + 1e-7)
    assert hybrid.feet.height("foot_1", found.motions[1].q[-1]) > 0.0149  # in mid-swing where the other foot lands
    stance, flight = found.motions
    assert stance.force["foot_1"][-1, 2] < 1e-4 and not flight.force  # N; IPOPT relaxes bounds by 1e-8 of their unit, 400 N
    height = np.array([hybrid.model.centre_of_mass(q)[2] for q in flight.q])
    assert abs(np.polyfit(flight.time, height, 2)[0] / -4.905 - 1.0) < 1e-3  # a parabola, to the error of the elements


def test_the_run_of_the_zoo_keeps_the_torque_of_its_drives():
    """On the gait and 2 % off it the feedback of the outputs needs less than the tenth of 150 N m that is left to it."""
    for faster in (1.0, 1.02):
        result = ld.zoo.rabbit_run(faster=faster).changed(t_end=0.5, checks=()).run(progress=False)
        assert np.abs(result.joint_torque.sel(joint=list(rabbit.JOINTS)).values).max() < rabbit_running.LIMIT
        assert not json.loads(result.attributes["violations"])


def test_limits_that_are_passed_between_the_points_are_tightened():
    """At 0.9 m/s and friction 0.4 the trunk is at its limit: passed by 1.3 mrad between the points, and kept after two rounds."""
    limits = replace(rabbit_design().limits, friction=0.4)
    once, often = (rabbit_design().solve(0.9, limits=limits, rounds=rounds) for rounds in (1, 6))
    assert set(once.excess) == {"angle trunk"} and 1e-3 < once.excess["angle trunk"] < 2e-3
    assert not often.excess and often.iterations > once.iterations
    assert 0.0 < often.cost / once.cost - 1.0 < 1e-3  # a narrower limit costs more


def test_pushes_and_clearance_between_the_points():
    """Two elements are too few: a foot that shall push with 330 N pushes with less between the points, and the other one is lower
    than it shall be. Both are told, and kept after some rounds: to 1e-3 of 400 N, and 1 mm."""
    own = rabbit_design()
    limits = replace(own.limits, normal=330.0)
    words = {"along": rabbit.ALONG, "limits": limits, "elements": 2}
    design = TrajectoryDesign(own.hybrid, ["left"], rabbit.JOINTS, own.postures, own.durations, **words)
    once, often = (design.solve(0.7, rounds=rounds) for rounds in (1, 6))
    assert {"push foot_1", "clearance foot_2"} <= set(once.excess) and not often.excess
    for gait, kept in ((once, False), (often, True)):
        (fine,) = (motion.sampled(2001) for motion in gait.motions)
        s, heights = fine.time / fine.time[-1], np.array([own.hybrid.feet.height("foot_2", q) for q in fine.q])
        assert (fine.force["foot_1"][:, 2].min() > 330.0 - 0.41) == kept
        assert ((heights - 4.0 * limits.clearance * s * (1.0 - s)).min() > -1.01e-3) == kept


def test_between_the_points_a_gait_is_a_motion():
    """Velocities are the derivatives of positions (central differences), and elements end where the next ones begin."""
    for motion in rabbit_running.gait().motions:
        fine = motion.sampled(8001)
        step = fine.time[1]
        for value, rate in ((fine.q, fine.v), (fine.v, fine.a)):
            slope = (value[2:] - value[:-2]) / (2.0 * step)
            inside = np.arange(1, 8000) % (8000 // motion.elements) != 0  # where elements meet, accelerations have a kink
            # step^2/6 of the third derivative; 1e5 of the size of the rates: a^(3) of an element of 0.02 s
            assert np.abs(slope - rate[1:-1])[inside].max() < 1e5 * step**2 * np.abs(rate).max()
        ends = motion.sampled(motion.elements + 1)
        for name in ("q", "v", "a", "torque"):
            whole = getattr(motion, name)
            assert np.abs(getattr(ends, name) - whole[:: motion.step]).max() < 1e-9 * np.abs(whole).max()


def test_a_gait_is_written_and_read(tmp_path):
    gait = biped.gait()
    again = Trajectory.load(gait.save(tmp_path / "gait.json", "a command"))
    assert np.array_equal(again.motions[0].q, gait.motions[0].q) and again.cost == gait.cost


def test_a_step_with_double_support():
    """Left foot, both feet, then the mirror image: over-actuated where both hold.

    Both stay where they stand, what the ground pushes is what the momentum changes by, and the foot behind leaves without load.
    Costs are those of Gauss's rule with 6 nodes in each fourth of an element: |power| has kinks, which both miss a little.
    """
    feet = {"left": "foot_1", "both_1": ("foot_1", "foot_2"), "right": "foot_2", "both_2": ("foot_1", "foot_2")}
    ways = [Touchdown("left", "both_1", "foot_2", 0.1, rabbit.ALONG), LiftOff("both_1", "right", "foot_1"),
            Touchdown("right", "both_2", "foot_1", 0.1, rabbit.ALONG), LiftOff("both_2", "left", "foot_2")]  # fmt: skip
    hybrid = ld.Scenario("rabbit", rabbit.robot(), phases=ld.Phases(feet, ways, mirror=rabbit.MIRROR)).hybrid
    names = ("z", "hip_1", "knee_1", "hip_2", "knee_2")
    rows = [(0.78, 0.4, -0.4, -0.2, -0.3), (0.78, 0.1, -0.3, 0.4, -0.8),
            (0.77, -0.2, -0.2, 0.45, -0.4), (0.78, -0.2, -0.3, 0.4, -0.4)]  # fmt: skip
    postures = [dict(zip(names, row, strict=True), trunk=-0.1) for row in rows]
    limits = replace(rabbit_design().limits, lift_off=0.0)
    design = TrajectoryDesign(hybrid, ["left", "both_1"], rabbit.JOINTS, postures, [0.5, 0.1], along=rabbit.ALONG, elements=12,
                              limits=limits)  # fmt: skip
    gait = design.solve(0.5, restarts=1, rounds=1)
    assert gait.status == "Solve_Succeeded"
    both, model = gait.motions[1], hybrid.model
    for foot in ("foot_1", "foot_2"):
        places = np.array([hybrid.feet.place(foot, q) for q in both.sampled(20).q])
        assert np.abs(places - places[0]).max() < 1e-8
        assert -places[0, 2] < gait.excess["depth foot_2"] + 1e-9  # sunk by the error of the stride: told
    assert abs(both.force["foot_1"][-1, 2]) < 1e-4 and (both.force["foot_1"][:-1, 2] > 0.0).all()
    fine, nodes, weights = both.sampled(2001), *np.polynomial.legendre.leggauss(6)
    pushed = np.trapezoid(sum(fine.force.values()), fine.time, axis=0) + 40.0 * both.duration * np.array([0.0, 0.0, -9.81])
    momenta = [model.momentum(fine.q[k], fine.v[k])[0] for k in (0, -1)]
    assert np.abs(momenta[1] - momenta[0] - pushed).max() < 1e-3
    effort = work = 0.0
    for motion in gait.motions:
        fine, parts = motion.sampled(48 * 100 + 1), np.linspace(0.0, motion.duration, 49)
        times = (parts[:-1, None] + 0.5 * (1.0 + nodes) * np.diff(parts)[:, None]).ravel()
        load = 0.5 * np.repeat(np.diff(parts), 6) * np.tile(weights, 48)
        columns = [model.compiled.coordinate_names.index(name) for name in motion.joints]
        power = np.abs(fine.torque * fine.v[:, columns]).sum(axis=1)
        effort += load @ np.interp(times, fine.time, np.sum(fine.torque**2, axis=1))
        work += load @ np.interp(times, fine.time, power)
    assert abs(effort / gait.length / gait.cost - 1.0) < 1e-3
    assert abs(work / (40.0 * 9.81 * gait.length) / gait.transport - 1.0) < 2e-4


def test_torques_that_do_not_do_are_named():
    tight = GaitLimits(torque=2.0, joints=rabbit_design().limits.joints)
    with pytest.raises(ld.RunError, match=r"no gait of 0.7 m/s .*torque of '(hip|knee)_[12]' is at its limit at \d+ points"):
        rabbit_design().solve(0.7, limits=tight, restarts=0)


def test_paths_that_do_not_close_are_refused():
    with pytest.raises(ld.InputError, match="which does not exist"):
        PhasePath(spatial(), ["flight"])
    phases = biped.phases()
    own = ld.Phases(phases.phases, [When("left", "right", lambda t, q, v: q[0]), *phases.out_of("right")], mirror=biped.MIRROR)
    with pytest.raises(ld.InputError, match="function of your own"):
        PhasePath(ld.Scenario("biped", biped.robot(), phases=own).hybrid, ["left"])


def test_a_phase_variable_that_turns_back_is_refused():
    time = np.linspace(0.0, 1.0, 5)
    with pytest.raises(ld.InputError, match=r"turns back 0\.5 s after"):
        check_monotonic(np.array([0.0, 0.4, 0.8, 0.6, 1.0]), time, "left")
    with pytest.raises(ld.InputError, match=r"turns back 0\.5 s after"):  # and ends where it began
        check_monotonic(np.array([0.0, 0.4, 0.8, 0.4, 0.0]), time, "left")
    np.testing.assert_allclose(check_monotonic(np.array([3.0, 2.0, 1.5, 1.2, 1.0]), time, "left"), [0.0, 0.5, 0.75, 0.9, 1.0])
