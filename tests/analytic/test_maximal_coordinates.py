"""Snakes in maximal coordinates, as the source has them: free links, bilateral joints, projection outward (Transeth 2007)."""

from dataclasses import replace

import numpy as np
import pytest

import locodyn as ld
from locodyn.control import PairServo
from locodyn.errors import InputError
from locodyn.locomotion.contact_arrays import LOOP_GAP
from locodyn.locomotion.contact_bilateral import close_loops
from locodyn.world.rows import RESIDUAL


def links(result):
    return result.body_position.sel(body=[f"link_{k}" for k in range(1, 12)]).values


def ends(name, dt, t_end, **parameters):
    """How far links are apart at the end in minimal and maximal coordinates, both with PD at the start of a step; attributes."""
    found = []
    for coordinates in ("minimal", "maximal"):
        scenario = getattr(ld.zoo, name)(coordinates=coordinates, **parameters)
        contact = replace(scenario.contact, implicit_servo=False, ahead=False, tolerance=1e-8)
        result = scenario.changed(t_end=t_end, dt=dt, record_every=round(t_end / dt), checks=(), contact=contact).run(
            progress=False
        )
        found.append(links(result)[-1])
    return np.abs(found[1] - found[0]).max(), result.attributes


def test_planar_snake_agrees_with_minimal_coordinates():
    """First order in the step (PD at its start): 5.9 and 3.0 micrometres; joints open by O(dt^3) before the projection."""
    (coarse, first), (fine, second) = ends("snake_2d", 2.5e-4, 0.15), ends("snake_2d", 1.25e-4, 0.15)
    assert coarse < 1e-5
    assert coarse / fine == pytest.approx(2.0, rel=0.1)
    assert first["loop_largest_gap"] < 1e-9
    assert first["loop_largest_gap"] / second["loop_largest_gap"] == pytest.approx(8.0, rel=0.1)


def test_snake_in_space_agrees_with_minimal_coordinates():
    """Its 22 contacts leave the loads open, so that the order is not clean: 9 and 7 micrometres of 25 mm."""
    off, about = ends("snake_3d", 2.5e-4, 0.15)
    assert off < 2e-5
    assert about["loop_largest_gap"] < 1e-9


@pytest.mark.parametrize("name, parameters", [("snake_2d", {"pegs": "table_7_5"}), ("snake_3d", {"gait": "sidewinding"})])
def test_joints_hold_after_every_step(name, parameters):
    """Row joints of the acceptance table: |W_J^T u| < 1e-10, |g_J| < 1e-12, unit quaternions; the ground is not entered (E8)."""
    scenario = getattr(ld.zoo, name)(coordinates="maximal", **parameters).changed(t_end=0.1, record_every=1, checks=())
    result = scenario.run(progress=False)
    problem = scenario.problem
    for q, v in zip(result.q[1:], result.v[1:], strict=True):
        _, settled = problem.imposed_state(0.0, q, v)
        assert np.abs(settled - v).max() < 1e-10
        assert np.abs(problem.constraints.arrays.sides[:, RESIDUAL]).max() < 1e-12
    if name == "snake_3d":
        turns = result.q.reshape(len(result.q), 11, 7)[:, :, 3:]
        assert np.abs(np.linalg.norm(turns, axis=2) - 1.0).max() < 1e-12
        depth = -result.contact_gap.values.min()  # after the projection
        assert depth < result.attributes["contact_deepest_penetration"] + 1e-9


def test_projection_is_that_of_the_source():
    """A chain with open joints: link 1 keeps its place, every link its axis, joints close; the smallest way moves all links."""
    moved = {}
    for projection in ("outward", "smallest"):
        scenario = ld.zoo.snake_3d(coordinates="maximal", gait="drop", n=4)
        scenario = scenario.changed(
            contact=replace(scenario.contact, projection=projection), gravity=(0, 0, 0), checks=(), obstacles=()
        )
        problem, (q, v) = scenario.problem, scenario.initial_state()
        rng = np.random.default_rng(1)
        q = problem.model.move(q, 1e-4 * rng.standard_normal(len(v)))
        before = q.reshape(4, 7).copy()
        problem.contact.begin(q)
        p, c = problem.arrays, problem.contact.arrays
        close_loops(p, p.constraints, c, problem.inputs, q, np.zeros_like(v), problem.workspace)
        after = q.reshape(4, 7)
        moved[projection] = np.abs(after[0] - before[0]).max()
        axes = [[link_axis(row[3:]) for row in rows] for rows in (before, after)]
        assert 1e-5 < c.report[LOOP_GAP] < 1e-3
        if projection == "outward":
            assert np.abs(np.array(axes[1]) - axes[0]).max() < 1e-12
    assert moved["outward"] == 0.0
    assert moved["smallest"] > 1e-6


def link_axis(quaternion):
    """Axis x of a body with this orientation."""
    w, x, y, z = quaternion
    return np.array([1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)])


def test_what_is_refused():
    with pytest.raises(InputError, match="no projection 'inward'"):
        ld.HardContact(projection="inward")
    with pytest.raises(InputError, match="no loop that ends at a free body"):
        ld.zoo.snake_2d().changed(contact=ld.HardContact(projection="outward")).problem  # noqa: B018
    with pytest.raises(InputError, match="one law for each joint"):
        PairServo([], 1.0, 1.0)
    with pytest.raises(InputError, match="stable up to"):
        ld.zoo.snake_2d(coordinates="maximal").changed(dt=5e-4, t_end=0.1, checks=()).run(progress=False)


def test_it_is_sayable_on_the_command_line(locodyn, tmp_path):
    code, out, _ = locodyn("run", "snake_2d", "--set", "coordinates=maximal", "--t-end", "0.05", "--out", tmp_path / "run.nc")
    assert code == 0, out
