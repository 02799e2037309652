"""Poses, twists, accelerations and Jacobians: kernels against plain NumPy, against each other and against differences."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from locodyn.kernel import twin
from locodyn.robot.compilation.frame_motion import frame_poses as plain_poses
from locodyn.robot.compilation.frame_motion import frame_twists
from locodyn.robot.layout import CODE, FIRST_V, FREE, PLANAR, SPHERICAL
from locodyn.shape.configuration import moved_configuration, step_rate
from locodyn.shape.kinematics import frame_motions, frame_poses
from peers import TINY, complex_move, random_case, relative

seeds = st.integers(0, 2**32 - 1)


@given(seeds)
@settings(max_examples=20)
def test_poses_and_twists(seed: int) -> None:
    """Against the short plain NumPy relative of the kernels; in F0 as well as in the world."""
    case = random_case(seed)
    model = case.model
    poses, motions = model.kinematics(case.q, case.v)
    plain = plain_poses(model.compiled, case.q)
    wanted = np.array([[*pose.rotation.ravel(), *pose.position] for pose in plain])
    assert relative(poses, wanted) < 1e-13
    assert relative(motions[:, :6], np.array(frame_twists(model.compiled, case.q, case.v))) < 1e-13
    inner = np.empty((model.nf, 12))
    frame_poses(model.frames, model.constants, case.q, 0, inner)
    seen = [plain[0].inverse() @ pose for pose in plain]
    assert relative(inner, np.array([[*pose.rotation.ravel(), *pose.position] for pose in seen])) < 1e-13


@given(seeds)
@settings(max_examples=20)
def test_accelerations_are_rates_of_twists(seed: int) -> None:
    """etadot = d eta / dt along the motion, by complex step: exact to round-off."""
    case = random_case(seed, 25)
    model, small = case.model, 1j * TINY
    motions = np.zeros((model.nf, 12), dtype=complex)
    zero = np.zeros(model.nv)
    moved = complex_move(model, case.q, small * case.v)
    twin(frame_motions)(model.frames, model.constants, moved, case.v + small * case.a, zero, motions)
    assert relative(model.kinematics(case.q, case.v, case.a)[1][:, 6:], motions[:, :6].imag / TINY) < 1e-12
    # and twists are rates of poses: Rdot = R hat(w), pdot = R v
    poses = np.zeros((model.nf, 12), dtype=complex)
    twin(frame_poses)(model.frames, model.constants, moved, 1, poses)
    for (pose, rate), twist in zip(zip(poses.real, poses.imag / TINY, strict=True), motions[:, :6].real, strict=True):
        rotation = pose[:9].reshape(3, 3)
        spin = rotation.T @ rate[:9].reshape(3, 3)
        found = np.array([*(rotation.T @ rate[9:]), spin[2, 1], spin[0, 2], spin[1, 0]])
        np.testing.assert_allclose(found, twist, atol=1e-12 * (1.0 + np.max(np.abs(twist))))


@given(seeds)
@settings(max_examples=20)
def test_jacobians(seed: int) -> None:
    """J v is the twist and J a + Jdot v the acceleration of bodies and markers; columns of joints elsewhere are zero."""
    case = random_case(seed)
    model, compiled = case.model, case.model.compiled
    for name in case.rng.choice(compiled.body_names + compiled.marker_names, 4):
        jacobian, rate = model.jacobians(name, case.q, case.v)
        twist, acceleration = model.twist(name, case.q, case.v), model.acceleration(name, case.q, case.v, case.a)
        size = np.max(np.abs(jacobian)) * np.max(np.abs(case.v)) * model.nv + 1e-300
        assert np.max(np.abs(jacobian @ case.v - twist)) < 1e-14 * size
        assert np.max(np.abs(jacobian @ case.a + rate @ case.v - acceleration)) < 1e-12 * (size + np.max(np.abs(acceleration)))


@pytest.mark.parametrize("seed", range(6))
def test_jacobian_rate_by_differences(seed: int) -> None:
    """Jdot alone (not only Jdot v): central difference along the motion, error step^2 + eps / step, about 1e-9."""
    case = random_case(seed, 8)
    model, step = case.model, 1e-5
    name = model.compiled.body_names[-1]
    _, rate = model.jacobians(name, case.q, case.v)
    before, after = (model.jacobian(name, model.move(case.q, s * step * case.v)) for s in (-1, 1))
    assert np.max(np.abs((after - before) / (2 * step) - rate)) < 1e-7 * (1.0 + np.max(np.abs(rate)))


# ----------------------------------------------------------------------------------------------------------- configuration
def with_turns_below(case_u: np.ndarray, frames: np.ndarray, most: float) -> np.ndarray:
    """The step with its rotations scaled to stay below ``most`` rad."""
    u = case_u.copy()
    for row in frames:
        first = row[FIRST_V]
        if row[CODE] in (SPHERICAL, FREE):
            turn = u[first + (3 if row[CODE] == FREE else 0) :][:3]
            turn *= min(1.0, most / (np.linalg.norm(turn) + 1e-300))
        elif row[CODE] == PLANAR:
            u[first + 2] = np.clip(u[first + 2], -most, most)
    return u


@given(seeds, st.sampled_from([3.0, 1e-3, 1e-7, 1e-12, 0.0]))
@settings(max_examples=40)
def test_difference_undoes_move(seed: int, size: float) -> None:
    """difference(q, q (+) u) = u for turns up to 3 rad, near zero too; q0 (+) difference(q0, q1) = q1."""
    case = random_case(seed)
    model = case.model
    u = with_turns_below(size * case.v, model.frames, 3.0)
    reached = model.move(case.q, u)
    # Positions of order 1 are rounded before they are subtracted; near pi the logarithm loses a factor 1 / (pi - 3) = 7.
    np.testing.assert_allclose(model.difference(case.q, reached), u, atol=3e-14 * (1.0 + np.max(np.abs(u))))
    other = model.normalised(case.q + case.rng.standard_normal(model.nq))
    back = model.move(case.q, model.difference(case.q, other))
    for name, index in ((name, i) for i, name in enumerate(model.compiled.position_names)):
        if name.endswith(".qw"):
            flip = np.sign(back[index : index + 4] @ other[index : index + 4])
            back[index : index + 4] *= flip
        if name.endswith(".angle"):  # a planar angle loses whole turns
            back[index] += 2 * np.pi * np.round((other[index] - back[index]) / (2 * np.pi))
    np.testing.assert_allclose(back, other, atol=1e-13 * (1.0 + np.max(np.abs(other))))


@given(seeds)
@settings(max_examples=20)
def test_move_keeps_norms_and_composes(seed: int) -> None:
    """Quaternions come out with norm 1; a step in two halves is the step (one-parameter group)."""
    case = random_case(seed)
    model = case.model
    reached = model.move(case.q, case.v)
    np.testing.assert_allclose(model.move(model.move(case.q, 0.5 * case.v), 0.5 * case.v), reached, atol=1e-13)
    for index, name in enumerate(model.compiled.position_names):
        if name.endswith(".qw"):
            assert abs(np.linalg.norm(reached[index : index + 4]) - 1.0) < 4e-16
    np.testing.assert_array_equal(model.normalised(reached), reached)


@given(seeds)
@settings(max_examples=20)
def test_step_rate(seed: int) -> None:
    """With udot = step_rate(u, v) the configuration q (+) u moves with velocity v: complex step of the pose, matched by v."""
    case = random_case(seed, 10)
    model = case.model
    u, rate = with_turns_below(case.a, model.frames, 2.5), np.empty(model.nv)
    step_rate(model.frames, u, case.v, rate)
    along = np.zeros(model.nq, dtype=complex)
    twin(moved_configuration)(model.frames, case.q.astype(complex), u + 1j * TINY * rate, along)
    wanted = complex_move(model, model.move(case.q, u), 1j * TINY * case.v)
    np.testing.assert_allclose(along.imag / TINY, wanted.imag / TINY, atol=1e-12 * (1.0 + np.max(np.abs(rate))))
