"""Passive walkers of the literature: fixed points, step times and multipliers (benchmark values recomputed from the models)."""

import dataclasses
import functools
import json

import numpy as np
import pytest

import locodyn as ld
from locodyn.phases import Phase, Phases, PoincareMap

pytestmark = pytest.mark.slow


@functools.cache
def gait(name):
    walker = PoincareMap(getattr(ld.zoo, name)())
    return walker, walker.fixed_point()


def test_simplest_walker():
    """Garcia et al. 1998, slope 0.009, in the limit of feet without mass; beta = 1e-9 changes multipliers by 13 beta."""
    _, orbit = gait("simplest_walker")
    assert np.abs(-orbit.q[2] - 0.200310900544) < 1e-7
    assert np.abs(-orbit.v[2] + 0.199832473005) < 1e-7
    assert abs(orbit.stride.duration - 3.88246375) < 1e-7
    assert abs(orbit.multipliers[0] - (-0.19009984 + 0.55759878j)) < 1e-7
    assert np.abs(orbit.multipliers[2:]).max() < 1e-6  # the section has two dimensions


def test_compass_gait():
    """Goswami et al. 1998, slope 3 degrees."""
    _, orbit = gait("compass_gait")
    state = np.concatenate([-orbit.q[2:] - np.radians(3.0), -orbit.v[2:]])
    assert np.abs(state - (0.2186688, -0.3233886, -1.0923836, -0.3773740)).max() < 1e-6
    assert abs(orbit.stride.duration - 0.7343464) < 1e-6
    assert orbit.stable and np.abs(orbit.multipliers[3:]).max() < 1e-8  # three dimensions


def test_the_search_for_a_gait_shortens_steps_that_lead_away():
    """From a leg that stands 15 % too fast, full steps wander for 29 rounds; damped ones, each of them nearer, need 6."""
    walker, orbit = gait("compass_gait")
    fast = orbit.v.copy()
    fast[walker.model.compiled.coordinate_names.index("left")] *= 1.15
    found = walker.fixed_point(orbit.q, fast)
    assert found.rounds <= 10
    assert np.abs(found.v - orbit.v).max() < 1e-8


@pytest.mark.parametrize("name", ["compass_gait", "kneed_walker"])
def test_derivative_of_a_stride_is_that_of_finite_differences(name):
    """Through phases, knee strikes and impacts: differences of fourth order of whole strides agree to 1e-6."""
    walker, orbit = gait(name)
    n, h = walker.model.nv, 1e-4
    free = walker.up_to_shifts(orbit.q)

    def after(x):
        stride = walker(walker.model.move(orbit.q, x[:n]), orbit.v + x[n:])
        return np.concatenate([walker.model.difference(orbit.q, stride.q), stride.v])

    rng = np.random.default_rng(3)
    for direction in rng.normal(size=(3, 2 * n)):
        direction /= np.linalg.norm(direction)
        near, far = ((after(k * h * direction) - after(-k * h * direction)) / (2 * k * h) for k in (1, 2))
        wanted = free @ (4.0 * near - far) / 3.0
        assert np.abs(orbit.matrix @ direction - wanted).max() < 1e-6 * max(1.0, np.abs(orbit.matrix).max())


def test_perturbed_strides_come_back_as_the_multipliers_say():
    """Iterated strides of the compass gait from a small change contract by the largest multiplier, |0.58|."""
    walker, orbit = gait("compass_gait")
    q, v = orbit.q.copy(), orbit.v + 1e-3 * np.array([0, 0, 1.0, -1.0])
    sizes = []
    for _ in range(12):
        stride = walker(q, v)
        q, v = stride.q, stride.v
        sizes.append(np.linalg.norm(v[2:] - orbit.v[2:]))
    rate = (sizes[-1] / sizes[3]) ** (1.0 / 8.0)
    assert abs(rate - abs(orbit.multipliers[0])) < 0.1 * rate  # a complex pair turns: equal in the mean


def test_a_stride_tells_what_the_ground_does_not_allow():
    """On ice the feet of the compass gait would slip from the first instant on: as a run of a stride tells, to its records."""
    slippery = ld.zoo.compass_gait()
    slippery = slippery.changed(phases=Phases(slippery.phases.phases, slippery.phases.transitions, mirror=slippery.phases.mirror,
                                              friction=0.1, scuffing=True))  # fmt: skip
    walker = PoincareMap(slippery)
    stride = walker(*slippery.initial_state())
    own, orbit = gait("compass_gait")
    assert own.violations(orbit.stride) == []  # nothing is said of friction there
    with pytest.warns(ld.sim.AdmissibilityWarning):
        run = slippery.changed(t_end=1.0001 * stride.duration, dt=1e-3).run(progress=False)
    told = {(one["what"], one["name"], one["phase"]): one for one in json.loads(run.attributes["violations"])}
    found = {(one.what, one.name, one.phase): one for one in walker.violations(stride)}
    assert len(found) >= 2 and set(found) <= set(told)
    for key, one in found.items():
        assert abs(one.time - told[key]["time"]) < 1e-8 and abs(one.amount / told[key]["amount"] - 1.0) < 1e-3


def test_a_robot_that_feels_where_it_is_has_no_shifts():
    """The hip of the compass gait on a spring along the floor: then a shift is no symmetry, and stays in the map."""
    free = ld.zoo.compass_gait()
    walker, (q, _) = PoincareMap(free), free.initial_state()
    n = walker.model.nv
    assert walker.shifts(q).shape == (n, 1) and abs(np.trace(walker.up_to_shifts(q)) - (2 * n - 1)) < 1e-12
    robot = free.robot
    robot[robot.compile().reference_body].actuator(stiffness=1.0)
    held = PoincareMap(free.changed(robot=robot))
    assert np.array_equal(held.up_to_shifts(q), np.eye(2 * n))


def test_one_phase_that_exchanges_the_legs_walks_as_two_phases():
    """Independent description of the same robot: times, places of feet and losses of four steps."""
    two = ld.zoo.compass_gait().changed(t_end=3.0)
    told = two.phases
    stance = Phase(told["left"].feet)
    lands = dataclasses.replace(told.transitions[0], source="stance", target="stance", exchange=True)
    one = two.changed(phases=Phases({"stance": stance}, [lands], mirror=told.mirror, scuffing=True))
    changes = [json.loads(each.run(progress=False).attributes["transitions"]) for each in (two, one)]
    assert [len(each) for each in changes] == [4, 4]
    for here, there in zip(*changes, strict=True):
        assert here["foot"] in ("left_foot", "right_foot") and there["foot"] == "right_foot"
        assert abs(here["time"] - there["time"]) < 1e-8 and abs(here["loss"] - there["loss"]) < 1e-8
        np.testing.assert_allclose(there["place"], here["place"], atol=1e-8)
