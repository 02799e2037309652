"""Passes over the frames that leave out what is known already, against the whole ones: rods with fields, joints, fluid."""

from __future__ import annotations

import numpy as np
import pytest

import locodyn as ld
from field_cases import tree
from locodyn.dynamics.inverse_dynamics import (
    ROD_WORK,
    begin_motion,
    change_accelerations,
    forces_under,
    inverse_dynamics,
    motions_of,
)
from locodyn.dynamics.model import Model
from locodyn.robot.layout import CODE, DOF_FRAME, ROD
from locodyn.shape.frame_twists import frame_twists
from locodyn.shape.kinematics import ACCELERATION
from rod_cases import state

pytestmark = pytest.mark.slow


def swimmer() -> Model:
    """Bodies that move fluid along."""
    model = ld.zoo.fish().problem.model
    assert model.in_fluid
    return model


@pytest.mark.parametrize("make", [lambda: tree("free").model(), swimmer], ids=["rods", "fluid"])
def test_passes(make) -> None:  # type: ignore[no-untyped-def]
    """The same operations in the same order: equal bits. Accelerations have gravity added and taken off: its round-off."""
    model: Model = make()
    q, v, a = state(model, 5)
    poses, motions = model.kinematics(q, v, a)
    work, tau, again = np.zeros((model.nf, ROD_WORK.size)), np.zeros(model.nv), np.full(model.nv, np.nan)
    first, second = np.random.default_rng(6).standard_normal((2, model.nf, 6))
    for loads in (second, second[:0]):
        inverse_dynamics(model.frames, model.constants, model.gravity, q, v, a, loads, work, tau)
        inverse_dynamics(model.frames, model.constants, model.gravity, q, v, a, first, work, again)
        again[:] = np.nan
        forces_under(model.frames, model.constants, q, a, loads, 1, work, again)
        np.testing.assert_array_equal(again, tau)
    found = np.zeros((model.nf, 12))
    motions_of(work, model.gravity, poses, found)
    np.testing.assert_allclose(found, motions, rtol=0.0, atol=1e-13 * np.abs(motions).max())
    places, kept = np.zeros((model.nf, 12)), np.full((model.nf, 12), 7.0)
    frame_twists(model.frames, model.constants, q, v, places, kept)
    np.testing.assert_allclose(places, poses, rtol=0.0, atol=1e-15 * np.abs(poses).max())
    np.testing.assert_allclose(kept[:, :ACCELERATION], motions[:, :ACCELERATION], rtol=0.0, atol=1e-14 * np.abs(motions).max())
    assert (kept[:, ACCELERATION:] == 7.0).all()


@pytest.mark.parametrize("make", [lambda: tree("free").model(), swimmer], ids=["rods", "fluid"])
def test_changed_accelerations(make) -> None:  # type: ignore[no-untyped-def]
    """Accelerations of joints that change in two steps give the forces of inverse dynamics, to round-off of some hundred sums.

    Forces along rods are left at zero where they are not asked for.
    """
    model: Model = make()
    q, v, a = state(model, 7)
    loads = np.random.default_rng(8).standard_normal((model.nf, 6))
    on_rod = model.frames[model.dofs[:, DOF_FRAME], CODE] == ROD
    first, second = np.random.default_rng(9).standard_normal((2, model.nv))
    first[on_rod] = second[on_rod] = 0.0
    work, tau, again = np.zeros((model.nf, ROD_WORK.size)), np.zeros(model.nv), np.zeros(model.nv)
    begin_motion(model.frames, model.constants, model.gravity, q, v, a, work, again)
    for change in (first, second):
        change_accelerations(model.frames, model.constants, change, work)
    a = a + first + second
    inverse_dynamics(model.frames, model.constants, model.gravity, q, v, a, loads, work.copy(), tau)
    forces_under(model.frames, model.constants, q, a, loads, 1, work, again)
    np.testing.assert_allclose(again, tau, rtol=0.0, atol=1e-12 * np.abs(tau).max())
    forces_under(model.frames, model.constants, q, a, loads, 0, work, again)
    np.testing.assert_allclose(again[~on_rod], tau[~on_rod], rtol=0.0, atol=1e-12 * np.abs(tau).max())
    assert (again[on_rod] == 0.0).all()
