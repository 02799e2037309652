"""Gaits by optimisation: RABBIT at 0.7 m/s, limits on a fine grid, families, refusals."""

import functools
import json
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import locodyn as ld
from locodyn.phases import PoincareMap
from locodyn.walking import ZeroDynamics
from locodyn.walking.gait_library import load_library, save_library
from locodyn.walking.gait_transition import transition_step
from locodyn.walking.limits import GaitLimits, excesses, powers
from locodyn.walking.quadrature import lobatto
from locodyn.walking.step_gait import StepGait
from locodyn.zoo import rabbit

pytest.importorskip("casadi")
pytestmark = pytest.mark.slow


@functools.cache
def design():
    return rabbit.design(ld.Scenario("rabbit", rabbit.robot(), phases=rabbit.phases()).hybrid)


@functools.cache
def gait():
    return design().solve(0.7)


def test_lobatto_rule_is_exact_to_degree_2_n_minus_3():
    places, weights, matrix = lobatto(9)
    for degree in range(16):
        assert abs(weights @ places**degree - 1.0 / (degree + 1)) < 1e-14
    for degree in range(9):
        assert np.abs(matrix @ places**degree - places ** (degree + 1) / (degree + 1)).max() < 1e-13


def test_optimum_for_0_7_m_per_s():
    """D20: delta^2 < 0.9 and J < 1000; the best gait of degree 6 costs 836.4 (an independent optimiser and model)."""
    found = gait()
    assert abs(found.dynamics.speed - 0.7) < 1e-6 and found.dynamics.delta_squared < 0.9
    assert abs(found.cost / 836.4 - 1.0) < 0.01
    assert found.gait.invariance_defect() < 1e-6 and found.dynamics.existence < 0.0


def test_limits_hold_between_the_places():
    """400 places; knees and trunk among them; from the zero dynamics, apart from the optimiser, too."""
    assert not gait().excess
    assert all(amount < 1e-5 for amount in excesses(gait().dynamics, design().limits).values())
    sample = gait().dynamics.sampled()
    assert sample.normal.min() > 100.0 - 1e-6 and (np.abs(sample.along) / sample.normal).max() < 0.6 + 1e-6


def test_active_limits_are_kept():
    """A torque limit of 20 N m is active; between the places it would be passed by some percent without tightening."""
    limits = GaitLimits(torque=20.0, joints=design().limits.joints)
    found = design().solve(0.7, limits=limits, near=gait())
    torque = np.abs(found.dynamics.sampled().torque).max()
    assert torque < 20.0 + 1e-4 and found.cost > gait().cost


def test_powers_are_limited():
    """The gait of 0.7 m/s takes more than 60 W of a joint; with a limit of 40 W it costs more and keeps it on the fine grid."""
    most = np.abs(powers(gait().gait.biped, gait().dynamics.sampled())).max()
    assert most > 60.0
    with pytest.raises(ld.InputError, match="was made without one"):
        design().solve(0.7, limits=GaitLimits(power=40.0))
    limits = GaitLimits(power=40.0, joints=design().limits.joints)
    powered = rabbit.design(design().biped.hybrid, limits=limits)
    found = powered.solve(0.7)
    assert not found.excess and found.cost > gait().cost
    assert np.abs(powers(found.gait.biped, found.dynamics.sampled())).max() < 40.0 + 1e-4


def test_one_limit_holds_for_both_legs():
    """A limit of knee_1 is one of knee_2, which stands in the other step: the problem, and so the gait, is the same."""
    found = design().solve(0.7, limits=replace(design().limits, joints={"knee_1": (-2.5, -0.05), "trunk": (-0.35, 0.35)}))
    assert found.limits == design().limits and np.array_equal(found.gait.curve.coefficients, gait().gait.curve.coefficients)


def sprung():
    """RABBIT with springs at its hips and viscous friction in all joints."""
    robot = rabbit.robot()
    for k in (1, 2):
        robot[f"femur_{k}"].actuator(stiffness=40.0, rest=0.1, viscous=1.5)
        robot[f"tibia_{k}"].actuator(viscous=2.0)
    return robot


def test_motors_give_what_springs_and_friction_take():
    """The same gait takes u = u_0 + k (q - rest) + c v; and a design reckons with that: its cost, its limits on the fine grid and
    those of the zero dynamics, which evaluate the robot apart, are one; the run of the whole robot takes these torques.
    """
    from locodyn.walking import controllers

    hybrid = ld.Scenario("rabbit", sprung(), phases=rabbit.phases()).hybrid
    with_springs = ZeroDynamics(replace(gait().gait, biped=rabbit.biped(hybrid)))
    plain, other = gait().dynamics.sampled(), with_springs.sampled()
    joints = [gait().gait.biped.rates[name] for name in rabbit.OUTPUTS]
    hips = np.array([1.0, 1.0, 0.0, 0.0])
    taken = 40.0 * hips * (plain.q[:, joints] - 0.1) + np.array([1.5, 1.5, 2.0, 2.0]) * plain.v[:, joints]
    assert np.abs(other.torque - plain.torque - taken).max() < 1e-8
    assert with_springs.delta_squared == gait().dynamics.delta_squared and np.abs(other.normal - plain.normal).max() < 1e-8
    found = rabbit.design(hybrid).solve(0.7)
    sample = found.dynamics.sampled()
    cost, transport = found.dynamics.costs(sample)
    assert not found.excess and abs(cost / found.cost - 1.0) < 1e-4 and abs(transport / found.transport - 1.0) < 1e-4
    assert found.cost < with_springs.costs(other)[0]  # it was designed for the springs
    walk = {"phases": rabbit.phases(controllers(found.gait)), "start": found.dynamics.start(), "dt": 0.02, "tolerance": 1e-9}
    run = ld.Scenario("sprung", sprung(), t_end=0.98 * found.dynamics.duration, **walk).run(progress=False)
    theta = sum(weight * run.joint_position.sel(joint=name).values for name, weight in rabbit.PHASE.items())
    torque = run.joint_torque.sel(joint=list(rabbit.OUTPUTS)).values
    assert np.abs(torque - CubicSpline(sample.theta, sample.torque)(theta)).max() < 2e-3  # as on a slope, below


def test_random_starts_find_the_same_gait():
    for seed in range(10):
        found = design().solve(0.7, rough=True, seed=seed, restarts=0)
        assert found.status == "Solve_Succeeded" and abs(found.cost / gait().cost - 1.0) < 1e-3  # the tightened knee differs


def test_families_over_speed_and_slope():
    family = design().family((0.6, 0.7, 0.8), (0.0, -0.03))
    assert len(family) == 6
    costs = [family[speed, 0.0].cost for speed in (0.6, 0.7, 0.8)]
    assert costs[0] < costs[1] < costs[2]  # 573, 836, 1184
    assert family[0.7, -0.03].cost < family[0.7, 0.0].cost  # gravity helps downhill
    assert abs(family[0.8, -0.03].dynamics.speed - 0.8) < 1e-6


def test_from_torques_to_the_cost_of_transport():
    """The least of a weighted sum of two costs: with more weight on the second one, the first does not fall, and the second does
    not grow but for its rounding, by which the programme counts up to 1 W too much for each of four actuators. Both are those of
    the zero dynamics, by the trapezoidal rule with 400 places: (1/400)^2/12 of bends of some 1e2.
    """
    found = [gait()]
    for share in (0.5, 1.0):
        found.append(design().solve(0.7, transport=share, near=found[-1]))
    for one, two in pairwise(found):
        rounding = 4.0 * one.dynamics.duration / (40.0 * 9.81 * one.dynamics.length)
        assert two.transport < one.transport + rounding and two.cost > one.cost - 1e-4
        assert not two.excess
    for one in found:
        cost, transport = one.dynamics.costs(one.dynamics.sampled())
        assert abs(cost / one.cost - 1.0) < 1e-4 and abs(transport / one.transport - 1.0) < 1e-4
    assert found[-1].transport < 0.8 * found[0].transport


def test_whole_robot_walks_the_designed_gait():
    from locodyn.walking import controllers

    step = gait().dynamics
    phases = rabbit.phases(controllers(step.gait))
    walk = PoincareMap(ld.Scenario("rabbit", rabbit.robot(), phases=phases), tolerance=1e-10)
    stride = walk(*step.start())
    assert abs(stride.duration / step.duration - 1.0) < 1e-5 and abs(stride.speed - 0.7) < 1e-4


@functools.cache
def uphill():
    return design().solve(0.7, 0.04)


@pytest.mark.parametrize("law", ["linearisation", "pd_forward"])
def test_a_gait_on_a_slope_is_followed_with_its_torques(law):
    """Controllers reckon with the gravity of the gait: what joints get at each record is what the design wants at that theta.

    The gait lies on its constraints after the impact to 1e-6 (IPOPT), so with poles at -20/s that leaves 400 * 1e-6 rad/s^2 times
    5 kg m^2; torques fed forward are in straight lines over 200 places: (0.6/200)^2/8 of bends of 2e3 N m/rad^2, and K_D times
    the rates that this leaves. With the gravity of level ground they are some N m off.
    """
    from locodyn.walking import controllers

    step, found = uphill().dynamics, uphill().gait
    gains = {"stiffness": 3000.0, "damping": 120.0} if law == "pd_forward" else {}
    phases = rabbit.phases(controllers(found, law, **gains))
    words = {"phases": phases, "start": step.start(), "t_end": 0.98 * step.duration, "dt": 0.02, "tolerance": 1e-9}
    run = ld.Scenario("uphill", rabbit.robot(), gravity=uphill().gravity, **words).run(progress=False)
    theta = sum(weight * run.joint_position.sel(joint=name).values for name, weight in rabbit.PHASE.items())
    torque = run.joint_torque.sel(joint=list(rabbit.OUTPUTS)).values
    wanted = CubicSpline((sample := step.sampled()).theta, sample.torque)(theta)
    assert np.abs(torque - wanted).max() < (2e-3 if law == "linearisation" else 2e-2)
    with pytest.raises(ld.InputError, match=r"the controller of phase 'left' reckons with the gravity \(0, -0.3923, -9.802\)"):
        ld.Scenario("level", rabbit.robot(), **words)


def of(found, biped):
    """The same curve for another biped."""
    return replace(found, gait=StepGait(biped, found.gait.curve, found.gait.begin, found.gait.end))


def test_a_library_is_written_and_read(tmp_path):
    """The numbers are those that were written, to the last bit; what is not in the file is not taken as if it were."""
    family = {(0.7, 0.0): gait(), (0.7, 0.04): uphill()}
    file = save_library(tmp_path / "gaits.json", "a command", family)
    again = load_library(file, design().biped)
    assert list(again) == list(family)
    for one, two in zip(again.values(), family.values(), strict=True):
        assert np.array_equal(one.gait.curve.coefficients, two.gait.curve.coefficients)
        assert (one.cost, one.transport, one.status, one.limits, one.asked) == (
            two.cost, two.transport, two.status, two.limits, two.asked)  # fmt: skip
        assert one.dynamics.delta_squared == two.dynamics.delta_squared and np.array_equal(one.gravity, two.gravity)
    with pytest.raises(ld.InputError, match="no point from which a neighbour could start; solve it anew"):
        design().solve(0.7, near=again[0.7, 0.0])
    with pytest.raises(ld.InputError, match=r"have other outputs than the biped; give the one of which"):
        load_library(file, replace(design().biped, outputs=("hip_2", "hip_1", "knee_2", "knee_1")))
    other = rabbit.biped(ld.Scenario("rabbit", rabbit.robot("S34"), phases=rabbit.phases()).hybrid)
    with pytest.raises(ld.InputError, match="have other masses, lengths or drives than the biped"):
        load_library(file, other)
    with pytest.raises(ld.InputError, match="are of two bipeds, with other masses, lengths or drives"):
        save_library(tmp_path / "both.json", "a command", {(0.7, 0.0): gait(), (0.8, 0.0): of(gait(), other)})
    with pytest.raises(ld.InputError, match="are of bipeds with other masses, lengths or drives"):
        transition_step(gait().gait, of(gait(), other).gait)
    broken = json.loads(file.read_text())
    del broken["gaits"][0]["cost"]
    (tmp_path / "broken.json").write_text(json.dumps(broken))
    with pytest.raises(ld.InputError, match=r"a gait in '.*broken.json' cannot be read \('cost'\)"):
        load_library(tmp_path / "broken.json", design().biped)
    with pytest.raises(ld.InputError, match="cannot be written"):
        save_library(tmp_path / "nowhere" / "gaits.json", "a command", family)
    (tmp_path / "other.json").write_text("[]")
    with pytest.raises(ld.InputError, match="is no library of gaits"):
        load_library(tmp_path / "other.json", design().biped)


def test_impossible_gaits_say_which_limit():
    tight = GaitLimits(torque=2.0, joints=design().limits.joints)
    with pytest.raises(ld.RunError, match=r"no gait of 0.7 m/s .* without it '(hip|knee)_[12]' would need \d+.* N m"):
        design().solve(0.7, limits=tight, restarts=0)
    with pytest.raises(ld.InputError, match="must be positive"):
        design().solve(-1.0)
    with pytest.raises(ld.InputError, match="below 1"):
        GaitLimits(delta_squared=1.2)


def test_from_one_speed_to_another_in_one_step():
    """The step in between keeps the limits, lies on the constraints of the first gait, and the map of the second one takes over:
    what is left of the difference shrinks by delta^2 in each step (Westervelt et al. 2003).
    """
    from locodyn.walking.gait_transition import gait_transition

    slow, fast = (design().solve(speed, near=gait()).dynamics for speed in (0.68, 0.74))
    found = gait_transition(slow, fast, GaitLimits(joints={}, clearance=0.0))
    assert not found.excess
    start, slope, _ = found.step.at(found.step.begin)
    own, own_slope, _ = slow.gait.at(slow.gait.begin)
    assert np.abs(start - own).max() < 1e-12 and np.abs(slope - own_slope).max() < 1e-11
    end, end_slope, _ = found.step.at(found.step.end)
    other, other_slope, _ = fast.gait.at(fast.gait.end)
    assert np.abs(end - other).max() < 1e-12 and np.abs(end_slope - other_slope).max() < 1e-11
    off = np.array(found.zetas) - fast.fixed_point
    assert np.abs(off[1:] / off[:-1] - fast.delta_squared).max() < 1e-6


def test_the_whole_robot_goes_over_to_another_gait():
    """A step of the slow gait, the step in between on the other leg, then the fast gait: sigma^2/2 before each impact is that of
    the scalar maps. The energy that an impact takes is proportional to it on the constraints; relative 1e-6."""
    from locodyn.phases import Phase, Touchdown
    from locodyn.walking import controllers
    from locodyn.walking.gait_transition import gait_transition

    slow, fast = (design().solve(speed, near=gait()).dynamics for speed in (0.68, 0.74))
    planned = gait_transition(slow, fast, GaitLimits(joints={}, clearance=0.0), steps=2)
    steps = [slow.gait, planned.step, fast.gait, fast.gait]
    laws = [controllers(one)[number % 2] for number, one in enumerate(steps)]
    feet = [("foot_1", "foot_2")[number % 2] for number in range(5)]
    names = [f"step_{number}" for number in range(5)]
    phases = {name: Phase((foot,), law) for name, foot, law in zip(names, feet, [*laws, None], strict=True)}
    ways = [Touchdown(one, two, foot, 0.1, rabbit.ALONG) for one, two, foot in zip(names[:-1], names[1:], feet[1:], strict=True)]
    told = ld.Phases(phases, ways, mirror=rabbit.MIRROR, final=names[-1])
    total = slow.duration + 3.2 * fast.duration
    run = ld.Scenario("switch", rabbit.robot(), phases=told, start=slow.start(), t_end=total, dt=0.02, tolerance=1e-9).run(
        progress=False
    )
    losses = [one["loss"] for one in json.loads(run.attributes["transitions"])]
    ends = [slow, fast, fast, fast]  # the step in between ends as one of the second gait
    found = [
        loss / one.gait.impact.loss * 0.5 * float(one.inertia(one.gait.end)) ** 2 for loss, one in zip(losses, ends, strict=True)
    ]
    wanted = [slow.fixed_point, *planned.zetas]
    assert np.abs(np.array(found) / wanted - 1.0).max() < 1e-6


def test_onto_another_slope_in_one_step():
    """Level ground and 0.03 rad uphill, both ways: joints and their rates go on, theta turns with the ground, and the momentum
    about the standing foot stays; the whole robot, in the axes of the new ground, ends the step at the zeta that is told."""
    from locodyn.phases import Phase, Touchdown
    from locodyn.walking import controllers
    from locodyn.walking.gait_transition import gait_transition

    level, up = gait().dynamics, design().solve(0.7, 0.03, near=gait()).dynamics
    for one, two, rise in ((level, up, 0.03), (up, level, -0.03)):
        found = gait_transition(one, two, GaitLimits(joints={}, clearance=0.0), steps=2)
        (q, slope, _), (before, own, _) = found.step.at(found.step.begin), one.gait.at(one.gait.begin)
        places, rates = one.gait.biped.places, one.gait.biped.rates
        wanted = [-rise if name == "trunk" else 0.0 for name in (*rabbit.JOINTS, "trunk")]
        columns = [places[name] for name in (*rabbit.JOINTS, "trunk")]
        assert np.abs(q[columns] - before[columns] - wanted).max() < 1e-12
        assert np.abs((slope - own)[[rates[name] for name in (*rabbit.JOINTS, "trunk")]]).max() < 1e-11
        assert not found.excess  # the foot that swings begins on the old ground
        step = ZeroDynamics(found.step)
        start = q, step.rate(found.step.begin, found.zetas[0]) * slope
        feet = {"one": Phase("foot_1", controllers(found.step)[0]), "two": Phase("foot_2")}
        told = ld.Phases(feet, [Touchdown("one", "two", "foot_2", 0.1, rabbit.ALONG)], final="two", scuffing=True)
        words = {"phases": told, "gravity": two.model.gravity, "t_end": 1.1 * two.duration, "dt": 0.02, "tolerance": 1e-9}
        run = ld.Scenario("bend", rabbit.robot(), start=start, **words).run(progress=False)
        (landing,) = json.loads(run.attributes["transitions"])
        zeta = landing["loss"] / two.gait.impact.loss * 0.5 * float(two.inertia(two.gait.end)) ** 2
        assert abs(zeta / found.zetas[0] - 1.0) < 1e-6
