"""Random wheeled trees: motion, contact forces and torques equal those of a dense KKT system (issue: to 1e-9)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constrained_cases import KINEMATIC_KINDS, Case, drive_joints, free_singular_values, kkt, random_law, random_tree, settled
from locodyn.locomotion.constraint_rows import Drives, Sharing
from locodyn.locomotion.problem import Problem
from locodyn.motion import constant
from locodyn.world.rows import FORCE, KNOWN

SEEDS = st.integers(0, 2**20)
# Rows have singular values down to 1/200 of the largest, masses differ by 10: round-off is amplified by 1e5 at the most.
# Measured over 900 samples: 4e-13 (accelerations), 5e-14 (multipliers, torques), 4e-14 (speeds along the rows).
KKT = 1e-9


def wheeled_tree(rng: np.random.Generator, base: str = "planar", kinds: tuple[str, ...] = KINEMATIC_KINDS) -> Case:
    """2 to 12 bodies, 1 to 6 wheels of any kind at random places with random headings, drives of any kind."""
    n = int(rng.integers(2, 13))
    case = random_tree(rng, n, base)
    for _ in range(rng.integers(1, 7)):
        kind = str(rng.choice([*kinds, "torque", "castor"]))
        at = (*(0.3 * rng.standard_normal(2)), -0.2)
        case.wheel(f"b{rng.integers(n)}", at, rng.uniform(-3.0, 3.0), kind, rng)
    drive_joints(case, rng)
    return case


def free_tree(rng: np.random.Generator) -> Case:
    return wheeled_tree(rng, "free")


def axle_lines(rng: np.random.Generator) -> Case:
    """Several wheels on each of one or two axle lines: redundant, and compatible."""
    n = int(rng.integers(2, 6))
    case = random_tree(rng, n)
    for body in rng.choice(n, size=min(n, int(rng.integers(1, 3))), replace=False):
        heading, at = rng.uniform(-3.0, 3.0), 0.3 * rng.standard_normal(2)
        axle = np.array([-np.sin(heading), np.cos(heading)])
        for _ in range(rng.integers(2, 4)):
            place = at + rng.uniform(-0.5, 0.5) * axle
            case.wheel(f"b{body}", (*place, 0.0), heading, "fixed", rng)
    drive_joints(case, rng)
    return case


def multipliers_of(case: Case, problem: Problem | None = None) -> tuple[dict[str, float], dict[str, np.ndarray]]:
    problem = problem or case.problem
    series = problem.series(np.array([case.time]), case.q[None], case.v[None])
    names = [row.name for row in problem.constraints.rows if row.flags & FORCE]
    recorded = [row.name for row in problem.constraints.rows if row.flags & (FORCE | KNOWN)]
    return {name: series["multiplier"][0, recorded.index(name)] for name in names}, series


def check(case: Case) -> None:
    """The state is on the rows; accelerations, J^T lambda, lambda and torques are those of the dense system."""
    t, q, v = case.time, case.q, case.v
    rows = [row for row in case.rows(t, q, v) if row.known is None]
    speeds = [row.jacobian @ v - row.side for row in rows]
    # One projection leaves round-off of the speeds (order 1 to 100 m/s or rad/s): below 1e-12 of the largest.
    assert np.abs(speeds).max(initial=0.0) < 1e-12 * max(1.0, np.abs(v).max()) * max(
        [1.0, *(np.abs(row.jacobian).max() for row in rows)]
    )
    wanted = kkt(case, t, q, v)
    found = case.problem.accelerations(t, q.copy(), v.copy())
    # A robot that is locked by its wheels does not accelerate: then 1 m/s^2 is the scale.
    assert np.abs(found - wanted.acceleration).max() < KKT * max(1.0, np.abs(wanted.acceleration).max())
    if not case.problem.constraints.rows:
        return
    multipliers, series = multipliers_of(case)
    assert set(multipliers) == set(wanted.multipliers)
    force = sum((multipliers[row.name] * row.jacobian for row in rows), np.zeros(case.model.nv))
    # Scale of forces: the largest generalised force of the problem, whichever it is.
    scale = max(np.abs(wanted.force).max(), np.abs(case.model.bias(q, v)).max(), np.abs(wanted.torque).max())
    free = case.free()
    assert np.abs((force - wanted.force)[free]).max(initial=0.0) < KKT * scale
    norm = np.linalg.norm(list(wanted.multipliers.values()))
    assert max((abs(multipliers[n] - wanted.multipliers[n]) for n in multipliers), default=0.0) < KKT * max(norm, scale)
    n = case.model.compiled.reference_nv
    assert np.abs(series["joint_torque"][0] - wanted.torque[n:]).max(initial=0.0) < KKT * max(norm, scale)


@settings(max_examples=60)
@given(SEEDS)
def test_planar_trees_move_as_the_dense_system_says(seed: int) -> None:
    check(settled(wheeled_tree, seed))


@settings(max_examples=40)
@given(SEEDS)
def test_free_trees_stay_flat_and_move_as_the_dense_system_says(seed: int) -> None:
    check(settled(free_tree, seed))


@settings(max_examples=30)
@given(SEEDS)
def test_redundant_wheels_on_an_axle_line(seed: int) -> None:
    case = settled(axle_lines, seed)
    values, _ = free_singular_values(case, case.time, case.q, case.v)
    assert len(case.wheels) > np.sum(values > 1e-9 * values.max())  # redundant indeed
    check(case)


def wet_tree(rng: np.random.Generator) -> Case:
    """Some bodies of a wheeled tree move an ideal fluid along."""
    case = wheeled_tree(rng)
    for body in ("b0", "b1"):
        case.robot[body].fluid(rng.uniform(0.2, 3.0, 3), rng.uniform(0.05, 0.5, 3), at=(0.1, -0.05, 0.0), turned=("z", 0.4))
    return case


@settings(max_examples=20)
@given(SEEDS)
def test_wheeled_trees_in_a_fluid_move_as_the_dense_system_says(seed: int) -> None:
    check(settled(wet_tree, seed))


@pytest.mark.slow
@settings(max_examples=600)
@given(SEEDS, st.sampled_from([wheeled_tree, free_tree, axle_lines]))
def test_many_trees_move_as_the_dense_system_says(seed: int, make: object) -> None:
    check(settled(make, seed))  # type: ignore[arg-type]


# -------------------------------------------------------------------------------------------------- sharing of redundant loads
def loaded(case: Case, sharing: Sharing) -> Problem:
    return Problem(case.model, case.imposed, case.torque, drives=Drives(**case.drives), sharing=sharing)  # type: ignore[arg-type]


@settings(max_examples=15)
@given(SEEDS)
def test_static_loading_is_seen_in_the_kernel_of_the_contacts_only(seed: int) -> None:
    case = settled(axle_lines, seed)
    rng = np.random.default_rng(seed)
    names = [f"{spec.name}.side" for spec in case.wheels]
    static = {name: float(rng.uniform(-5.0, 5.0)) for name in names}
    problem = loaded(case, Sharing(static=static))
    a = problem.accelerations(case.time, case.q.copy(), case.v.copy())
    np.testing.assert_array_equal(a, case.problem.accelerations(case.time, case.q.copy(), case.v.copy()))
    before, series = multipliers_of(case)
    after, loaded_series = multipliers_of(case, problem)
    jacobian = np.array([row.jacobian for row in case.rows(case.time, case.q, case.v)])
    change = np.array([after[n] - before[n] for n in names])
    given_ = np.array([static[n] for n in names])
    own = jacobian[:, case.free()]
    kernel = np.eye(len(names)) - own @ np.linalg.pinv(own, rcond=1e-9)
    # (7.3): lambda = lambda_kin + lambda_stat, lambda_stat the part of what is asked that moves nothing. Measured 1e-13.
    np.testing.assert_allclose(change, kernel @ given_, atol=1e-10 * np.abs(given_).max())
    assert np.abs(change).max() > 1e-3 * np.abs(given_).max()
    torque = loaded_series["joint_torque"][0] - series["joint_torque"][0]
    held = np.zeros(case.model.nv, dtype=bool)
    held[list(case.imposed)] = True
    wanted = np.where(held, -(jacobian.T @ change), 0.0)[case.model.compiled.reference_nv :]
    np.testing.assert_allclose(torque, wanted, atol=1e-9 * np.abs(given_).max())


@settings(max_examples=15)
@given(SEEDS)
def test_weights_share_the_load_as_the_weighted_pseudo_inverse(seed: int) -> None:
    case = settled(axle_lines, seed)
    rng = np.random.default_rng(seed)
    names = [f"{spec.name}.side" for spec in case.wheels]
    weights = {name: float(rng.uniform(0.2, 5.0)) for name in names}
    found, _ = multipliers_of(case, loaded(case, Sharing(weights)))
    dense = kkt(case, case.time, case.q, case.v)
    own = np.array([row.jacobian for row in case.rows(case.time, case.q, case.v)])[:, case.free()]
    w = np.diag([weights[n] for n in names])
    wanted = w @ np.linalg.pinv(own.T @ w, rcond=1e-9) @ dense.force[case.free()]  # smallest |W^-1 lambda|
    np.testing.assert_allclose([found[n] for n in names], wanted, atol=1e-9 * max(1.0, np.abs(wanted).max()))


def test_two_wheels_of_one_axle_share_as_their_weights_say() -> None:
    rng = np.random.default_rng(1)

    def cart(rng: np.random.Generator) -> Case:
        case = random_tree(rng, 1)
        case.wheel("b0", (0.1, 0.2, 0.0), 0.3, "fixed", rng)
        spec = case.wheels[0]
        # The same axle line: the same direction, moved along it.
        case.wheel("b0", (0.1 - np.sin(0.3), 0.2 + np.cos(0.3), 0.0), 0.3, "fixed", rng)
        assert spec.kind == "fixed"
        return case

    case = settled(cart, int(rng.integers(100)))
    single, _ = multipliers_of(case)
    shared, _ = multipliers_of(case, loaded(case, Sharing({"w0.side": 2.0})))
    assert single["w0.side"] == pytest.approx(single["w1.side"], rel=1e-12)
    # Smallest l0^2 / 4 + l1^2 with l0 + l1 fixed: l0 = 4 l1, the square of the weights.
    assert shared["w0.side"] == pytest.approx(4.0 * shared["w1.side"], rel=1e-12)
    assert shared["w0.side"] + shared["w1.side"] == pytest.approx(2.0 * single["w0.side"], rel=1e-12)


def test_equal_wheels_share_one_torque() -> None:
    """Rear axle with two driven wheels, a steered wheel in front that takes up the yaw: the forces are in balance."""
    rng = np.random.default_rng(4)
    case = random_tree(rng, 2)
    angle, speed, track, length = constant(0.4), random_law(rng), 0.3, 0.9
    for y in (track, -track):
        case.wheel("b0", (0.0, y, 0.0), 0.0, "driven", rng)
    case.wheel("b0", (length, 0.0, 0.0), 0.0, "steered", rng)
    case.wheels[2].law = case.drives["steering"]["w2"] = angle
    for spec, y in zip(case.wheels, (track, -track), strict=False):
        # Yaw rate = speed tan(angle) / length (Ackermann); a wheel at y moves with speed - y * yaw rate.
        spec.law = case.drives["rolling"][spec.name] = speed * ((1.0 - y * np.tan(0.4) / length) / spec.radius)
    case.imposed = {3: random_law(rng)}
    case.solved()
    case.q, case.v = case.problem.imposed_state(case.time, case.model.neutral(), np.zeros(4))
    check(case)
    found, _ = multipliers_of(case)
    drives = Drives(steering=case.drives["steering"], rolling=case.drives["rolling"], equal=[("w0", "w1")])
    problem = Problem(case.model, case.imposed, drives=drives)
    equal, _ = multipliers_of(case, problem)
    assert equal["w0.roll"] == equal["w1.roll"] != 0.0
    assert abs(found["w0.roll"] - found["w1.roll"]) > 1e-3 * abs(found["w0.roll"])  # without the word they differ
    rows = {row.name: row.jacobian for row in case.rows(case.time, case.q, case.v)}
    force = sum(equal[n] * rows[n] for n in equal)
    np.testing.assert_allclose(force[:3], kkt(case, case.time, case.q, case.v).force[:3], rtol=1e-9, atol=1e-9)
