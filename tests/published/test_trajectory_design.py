"""Strides by direct collocation: RABBIT against an independent code, a biped in space, refusals."""

import functools

import numpy as np
import pytest

import locodyn as ld
from locodyn.phases import PoincareMap, When
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
    stored, found = rabbit_running.gait(), rabbit_running.design(hybrid).solve(rabbit_running.SPEED, rounds=1)
    assert abs(found.cost / stored.cost - 1.0) < 1e-6
    stance, flight = found.motions
    assert stance.force["foot_1"][-1, 2] < 1e-4 and not flight.force  # N; IPOPT relaxes bounds by 1e-8 of their unit, 400 N
    height = np.array([hybrid.model.centre_of_mass(q)[2] for q in flight.q])
    assert abs(np.polyfit(flight.time, height, 2)[0] / -4.905 - 1.0) < 1e-3  # a parabola, to the error of the elements


def test_a_gait_is_written_and_read(tmp_path):
    gait = biped.gait()
    again = Trajectory.load(gait.save(tmp_path / "gait.json", "a command"))
    assert np.array_equal(again.motions[0].q, gait.motions[0].q) and again.cost == gait.cost


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
