"""Six elastic legs: the equilibrium of the whole robot by shooting, symmetries, workspace slice."""

from __future__ import annotations

import numpy as np
import pytest

import locodyn as ld
from locodyn.equilibria import equilibrium
from locodyn.zoo.registry import make, module

pytestmark = pytest.mark.slow

STEPS = 50  # of Runge-Kutta 4 along a leg


def shot(roots: np.ndarray, axes: np.ndarray, wrench: np.ndarray, length: float, p: dict[str, float]) -> np.ndarray:
    """Legs (..., 6) from roots (6, 3) with axes (6, 3, 3) and root wrenches (..., 6, 6): force in the world, moment in the
    section. Kirchhoff rod with its weight: g' = g hat(K, e_x), n' = -w, m' = -K x m - e_x x R^T n. Returns place, force and
    moment at the tip.
    """
    bend = p["E"] * np.pi * p["r"] ** 4 / 4.0
    twist = p["E"] / (2.0 * (1.0 + 0.3)) * np.pi * p["r"] ** 4 / 2.0
    stiffness = np.array([twist, bend, bend])
    weight = p["rho"] * np.pi * p["r"] ** 2 * np.array([0.0, 0.0, -p["g"]])
    ex = np.array([1.0, 0.0, 0.0])

    def slope(x: np.ndarray, r: np.ndarray, n: np.ndarray, m: np.ndarray) -> tuple[np.ndarray, ...]:
        k = m / stiffness
        hat = np.zeros((*k.shape[:-1], 3, 3))
        hat[..., 0, 1], hat[..., 0, 2], hat[..., 1, 2] = -k[..., 2], k[..., 1], -k[..., 0]
        hat -= np.swapaxes(hat, -1, -2)
        local = np.einsum("...ji,...j->...i", r, n)
        return r[..., :, 0], r @ hat, np.broadcast_to(-weight, n.shape), -np.cross(k, m) - np.cross(ex, local)

    shape = wrench.shape[:-1]
    y = [np.broadcast_to(roots, (*shape, 3)), np.broadcast_to(axes, (*shape, 3, 3)), wrench[..., :3], wrench[..., 3:]]
    h = length / STEPS
    for _ in range(STEPS):
        k1 = slope(*y)
        k2 = slope(*(a + 0.5 * h * b for a, b in zip(y, k1, strict=True)))
        k3 = slope(*(a + 0.5 * h * b for a, b in zip(y, k2, strict=True)))
        k4 = slope(*(a + h * b for a, b in zip(y, k3, strict=True)))
        y = [a + h / 6.0 * (b + 2.0 * c + 2.0 * d + e) for a, b, c, d, e in zip(y, k1, k2, k3, k4, strict=True)]
    return np.concatenate([y[0], y[2], y[3]], axis=-1)


def test_equilibrium_by_shooting() -> None:
    """Unequal slides: 36 unknown root wrenches and 6 of the platform, Newton by differences; the same pose of the platform.

    The zoo's robot with 5 functions for each curvature and 2 for the torsion; the forces are in world axes.
    """
    from scipy.spatial.transform import Rotation

    values = {"bending": 5, "torsion": 2, "nodes": 18, "wave": 0.0}
    scenario = make("hexapod_cpr", values)
    p = {q.name: q.value for q in scenario.parameters}
    places = module("hexapod_cpr").ends(p)
    travel = np.array([0.03, 0.0, 0.01, 0.04, 0.02, 0.01])
    hold = {f"slide_{k + 1}": float(x) for k, x in enumerate(travel)}
    held = scenario.changed(imposed=hold, start=None)
    found = equilibrium(held.problem, held.model.neutral(), steps=4, stable=True)
    assert found.stable
    rotation, position = held.model.pose("platform", found.q)

    axes = np.array([module("hexapod_cpr").axes(foot, joint) for foot, joint in places])
    roots = np.array([foot for foot, _ in places]) + travel[:, None] * axes[:, :, 0]
    joints = np.array([joint for _, joint in places]) - [0.0, 0.0, p["height"]]
    length = float(np.linalg.norm(places[0][1] - places[0][0]))

    def miss(x: np.ndarray) -> np.ndarray:
        wrench, centre, turn = x[..., :36].reshape(*x.shape[:-1], 6, 6), x[..., 36:39], x[..., 39:]
        tips = shot(roots, axes, wrench, length, p)
        matrix = Rotation.from_rotvec(turn.reshape(-1, 3)).as_matrix().reshape(*turn.shape[:-1], 3, 3)
        arms = np.einsum("...ij,kj->...ki", matrix, joints)
        gap = tips[..., :3] - centre[..., None, :] - arms
        force = tips[..., 3:6]  # of what lies beyond on the rod: the platform on the leg
        total = -force.sum(axis=-2) + p["m_p"] * np.array([0.0, 0.0, -p["g"]])
        moment = -np.cross(arms, force).sum(axis=-2)
        parts = [gap.reshape(*x.shape[:-1], 18), 1e2 * tips[..., 6:].reshape(*x.shape[:-1], 18), total, moment]
        return np.concatenate(parts, axis=-1)

    x = np.zeros(42)
    x[2:36:6] = -0.3
    x[36:39] = [0.0, 0.0, p["height"] + 0.02]
    for _ in range(40):
        r = miss(x)
        h = 1e-6
        columns = (miss(x + h * np.eye(42)) - miss(x - h * np.eye(42))) / (2.0 * h)
        step = np.linalg.solve(columns.T, -r)
        x = x + step * min(1.0, 0.3 / np.abs(step).max())
        if np.abs(step).max() < 1e-10:
            break
    assert np.abs(miss(x)).max() < 1e-8
    np.testing.assert_allclose(position, x[36:39], atol=2e-6)
    np.testing.assert_allclose(Rotation.from_matrix(rotation).as_rotvec(), x[39:], atol=2e-5)
    assert np.linalg.norm(x[39:]) > 0.05


def test_mirror_image() -> None:
    """Legs 1 and 2, 3 and 6, 4 and 5 are mirror images across the x-z plane: slides exchanged, the platform stands mirrored."""
    mirror, poses = np.diag([1.0, -1.0, 1.0]), []
    for travel in ((0.03, 0.0, 0.01, 0.02, 0.025, 0.005), (0.0, 0.03, 0.005, 0.025, 0.02, 0.01)):
        held = make("hexapod_cpr").changed(imposed={f"slide_{k + 1}": x for k, x in enumerate(travel)}, start=None)
        poses.append(held.model.pose("platform", equilibrium(held.problem, held.model.neutral(), stable=True).q))
    np.testing.assert_allclose(poses[1][1], mirror @ poses[0][1], atol=1e-9)
    np.testing.assert_allclose(poses[1][0], mirror @ poses[0][0] @ mirror, atol=1e-8)
    assert abs(poses[0][1][1]) > 1e-3


def test_turned_by_a_third() -> None:
    """Slides handed on by two legs: the platform stands turned by a third of a turn."""
    third, poses = ld.rotation_about("z", 2.0 * np.pi / 3.0), []
    travel = np.array([0.03, 0.0, 0.01, 0.02, 0.025, 0.005])
    for slides in (travel, np.roll(travel, 2)):
        held = make("hexapod_cpr").changed(imposed={f"slide_{k + 1}": float(x) for k, x in enumerate(slides)}, start=None)
        poses.append(held.model.pose("platform", equilibrium(held.problem, held.model.neutral(), stable=True).q))
    np.testing.assert_allclose(poses[1][1], third @ poses[0][1], atol=1e-9)
    np.testing.assert_allclose(poses[1][0], third @ poses[0][0] @ third.T, atol=1e-8)


def test_workspace_of_six_drives() -> None:
    """Platform level at its height, moved in the plane: six slides follow; mirror symmetry across the x-z plane."""
    scenario = make("hexapod_cpr", {"wave": 0.0})
    found = ld.workspace(
        scenario, "platform", {"x": (-0.02, 0.02, 3), "y": (-0.02, 0.02, 3)}, hold=("z", "about_x", "about_y", "about_z"),
        progress=False,
    )  # fmt: skip
    assert found.stable.all()
    drive = found.dataset["drive"].values
    np.testing.assert_allclose(drive[:, ::-1], drive[:, :, [1, 0, 5, 4, 3, 2]], atol=1e-8)
    assert np.ptp(drive[:, :, 0]) > 1e-3
    with pytest.raises(ld.InputError, match=r"placed in 2 directions \(x, y\) by 6 drives"):
        ld.workspace(scenario, "platform", {"x": (-0.02, 0.02, 3), "y": (-0.02, 0.02, 3)}, progress=False)
