"""Cables, springs and torsion springs of all kinds: exact slopes, power balance, action and reaction."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import locodyn as ld
from locodyn.kernel.vector import cross
from locodyn.locomotion.problem import Problem
from locodyn.locomotion.residual import motion_residual, motion_tangent, new_tangent
from locodyn.robot.tie import curve_pieces
from locodyn.world.ties import add_tie_wrenches, curve_at, tie_state
from rod_cases import SOFT

pytestmark = pytest.mark.slow

STEP = 1e-6  # of central differences: errors of 1e-12 third derivatives, and of round-off
CURVE = [(-1.0, -30.0), (-0.2, -4.0), (0.0, 0.0), (0.3, 20.0), (1.0, 35.0), (2.0, 80.0)]


def tied(world: bool = True) -> tuple[Problem, np.ndarray, np.ndarray]:
    """Two free bodies, an arm and a rod under ties of every kind, all of them taut; and a state."""
    robot = ld.Robot("tied")
    inertia = ld.about_centre(xx=0.02, yy=0.03, zz=0.04)
    one = robot.base("one", mass=1.0, inertia=inertia)
    arm = robot.body("arm", mass=0.5, inertia=inertia).on(one, at=(0.3, 0, 0)).turning((0.6, 0, 0.8))
    hand = robot.body("hand", mass=0.2, inertia=inertia).on(arm, at=(0.2, 0.1, 0)).ball()
    rod = arm.rod("tail", length=0.6, at=(0, 0.2, 0.1), section=ld.Circle(0.01), material=SOFT, bending=2, torsion=1)
    away = ("world", (0.5, -0.4, 1.0)) if world else (one, (0.5, -0.4, 1.0))
    robot.spring("spring", (one, (0.1, 0.2, 0.3)), (hand, (0, 0.1, 0)), stiffness=40, damping=3, rest_length=0.1, tension=2)
    robot.spring("bumper", (one, (0, -0.2, 0)), (hand, (0.1, 0, 0.1)), curve=CURVE, damping=1, rest_length=0.2)
    robot.spring("damper", one, away if world else hand, damping_curve=[(-1, -8), (0, 0), (0.5, 1), (4, 20)])
    robot.cable("rope", [away, (one, (0.1, 0.1, 0)), (arm, (0, 0, 0.1)), (hand, (0.05, 0, 0))], tension=7)
    robot.cable("winch", [(one, (0, 0, 0.2)), (arm, (0.2, 0, 0)), (rod, 0.35, (0, 0.02, 0)), rod], stiffness=90, damping=2)
    robot.torsion_spring("coil", one, hand, (0, 0.6, 0.8), stiffness=5, damping=0.3, rest_angle=0.4, moment=0.1)
    robot.torsion_spring("bend", "world" if world else one, rod, "x", curve=[(-3, -9), (0, 0), (3, 20)], damping=0.2)
    laws: dict[str, Any] = {"tendon_length": {"winch": ld.sine(0.05, omega=3.0, offset=0.3)}, "tension": {"rope": ld.ramp(20.0)}}
    problem = ld.Scenario("tied", robot, **laws).problem
    rng = np.random.default_rng(7)
    model = problem.model
    return problem, model.move(model.neutral(), 0.4 * rng.normal(size=model.nv)), 0.8 * rng.normal(size=model.nv)


def test_slopes() -> None:
    """By positions and velocities, against central differences of the residual."""
    problem, q, v = tied()
    model = problem.model
    a, tangent = np.random.default_rng(1).normal(size=model.nv), new_tangent(model)

    def residual(q: np.ndarray, v: np.ndarray) -> np.ndarray:
        problem.read_inputs(0.3, q, v)
        motion_residual(problem.arrays, problem.inputs, q, v, a, problem.workspace, tangent, 1.0)
        return tangent.residual.copy()

    residual(q, v)
    motion_tangent(problem.arrays, problem.inputs, q, v, a, problem.workspace, tangent, 1.0, 1)
    by_q, by_v, units = tangent.by_q.copy(), tangent.by_v.copy(), STEP * np.eye(model.nv)
    moved = [(residual(model.move(q, e), v) - residual(model.move(q, -e), v)) / (2 * STEP) for e in units]
    faster = [(residual(q, v + e) - residual(q, v - e)) / (2 * STEP) for e in units]
    for found, slopes in ((by_q, moved), (by_v, faster)):
        assert np.abs(found - np.array(slopes).T).max() < 5e-9 * np.abs(found).max()


def test_power_balance() -> None:
    """-T xdot = -dU/dt - lost + outside, of each tie: U from differences along the motion, the power from the wrenches."""
    problem, q, v = tied()
    ties, inputs, model = problem.arrays.wrenches.ties, problem.inputs, problem.model

    def at(t: float, n: int) -> tuple[float, float, float, float]:
        here = model.move(q, (t - 0.3) * v)
        problem.read_inputs(t, here, v)
        (_, rate), (tension, _, _), (stored, lost, outside) = tie_state(ties, inputs.rows, n, here, *model.kinematics(here, v))
        return stored, -tension * rate, lost, outside

    for n in range(len(ties.first)):
        assert abs(at(0.3, n)[1]) > 1e-3  # all of them act
        stored = [at(0.3 + s, n)[0] for s in (-STEP, STEP)]
        _, power, lost, outside = at(0.3, n)
        assert lost >= 0.0
        assert power == pytest.approx((stored[0] - stored[1]) / (2 * STEP) - lost + outside, abs=1e-8 * (1.0 + abs(power)))
    # what the wrenches do on the frames
    poses, motions = model.kinematics(q, v)
    wrenches = np.zeros((model.nf, 6))
    problem.read_inputs(0.3, q, v)
    add_tie_wrenches(ties, inputs.rows, q, poses, motions, wrenches)
    whole = sum(at(0.3, n)[1] for n in range(len(ties.first)))
    assert np.sum(wrenches * motions[:, :6]) == pytest.approx(whole, rel=1e-12)


def test_action_and_reaction() -> None:
    """Ties between bodies only give no force and no moment in all."""
    problem, q, v = tied(world=False)
    model = problem.model
    poses, motions = model.kinematics(q, v)
    wrenches = np.zeros((model.nf, 6))
    problem.read_inputs(0.3, q, v)
    add_tie_wrenches(problem.arrays.wrenches.ties, problem.inputs.rows, q, poses, motions, wrenches)
    force, moment = np.zeros(3), np.zeros(3)
    for pose, wrench in zip(poses, wrenches, strict=True):
        turn, place = pose[:9].reshape(3, 3), pose[9:]
        force += turn @ wrench[:3]
        moment += turn @ wrench[3:] + np.array(cross(place, turn @ wrench[:3]))
    size = np.abs(wrenches).max()
    assert size > 1.0
    assert max(np.abs(force).max(), np.abs(moment).max()) < 1e-14 * 10 * size


def test_curves() -> None:
    """Through their pairs, once differentiable, with their integral, straight beyond both ends."""
    pieces, points = curve_pieces(CURVE), np.array(CURVE)
    found = np.array([curve_at(pieces, 0, len(pieces), x) for x in points[:, 0]])
    np.testing.assert_allclose(found[:, 0], points[:, 1], atol=1e-12)
    assert curve_at(pieces, 0, len(pieces), 0.0)[2] == 0.0
    just_before = [curve_at(pieces, 0, len(pieces), x - 1e-9)[2] for x in points[:, 0]]
    np.testing.assert_allclose(just_before, found[:, 2], atol=1e-9 * (1.0 + np.abs(points[:, 1]).max()))  # it has no jumps
    for x in np.linspace(-1.5, 2.5, 41) + 0.01:
        low, here, high = (curve_at(pieces, 0, len(pieces), x + s) for s in (-STEP, 0.0, STEP))
        assert here[1] == pytest.approx((high[0] - low[0]) / (2 * STEP), abs=1e-4)  # the second derivative jumps by < 100
        assert here[0] == pytest.approx((high[2] - low[2]) / (2 * STEP), abs=1e-7)
    ends = [curve_at(pieces, 0, len(pieces), x)[1] for x in (-5.0, -1.0, 2.0, 9.0)]
    assert ends[0] == ends[1] and ends[2] == pytest.approx(ends[3], rel=1e-12)
    between = [curve_at(pieces, 0, len(pieces), x)[0] for x in np.linspace(-1.0, 2.0, 301)]
    assert (np.diff(between) >= 0.0).all()  # monotone where the pairs are
