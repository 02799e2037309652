"""Strides of RABBIT (Aguirre 2010): derivative of its Poincare map, torques fed forward, a run that goes on with its bristles."""

import functools
import json

import numpy as np
import pytest

import locodyn as ld
from locodyn.phases import PoincareMap
from locodyn.sim.run import resume
from locodyn.walking import ZeroDynamics, controllers
from locodyn.zoo import rabbit
from locodyn.zoo.registry import make

pytestmark = pytest.mark.slow


@functools.cache
def reduced():
    return ZeroDynamics(rabbit.gait_c5(ld.Scenario("rabbit", rabbit.robot(), phases=rabbit.phases()).hybrid))


def walker(law, tolerance, **options):
    phases = rabbit.phases(controllers(reduced().gait, law, **options))
    return PoincareMap(ld.Scenario("rabbit", rabbit.robot(), phases=phases), tolerance=tolerance)


def test_derivative_of_a_step_is_that_of_finite_differences():
    """1e-6, up to shifts along the floor. The differences are of fourth order, of whole steps of the robot: with h = 3e-4 they
    change by 1e-9 when h is three times as long or short. The derivative had 8e-6 with 16 elements a passage; see `variation`.
    """
    step, (q, v), n, h = walker("linearisation", 1e-11), reduced().start(), 7, 3e-4
    free, matrix = step.up_to_shifts(q), step.matrix(step(q, v))

    def after(x):
        stride = step(step.model.move(q, x[:n]), v + x[n:])
        return np.concatenate([step.model.difference(q, stride.q), stride.v])

    for direction in np.random.default_rng(3).normal(size=(2, 2 * n)):
        direction /= np.linalg.norm(direction)
        near, far = ((after(k * h * direction) - after(-k * h * direction)) / (2 * k * h) for k in (1, 2))
        assert np.abs(free @ (matrix @ direction - (4.0 * near - far) / 3.0)).max() < 1e-6


def test_torques_fed_forward_walk_the_gait_itself():
    """On the constraints joint PD gives nothing, and the torques u*(theta) of the gait drive it: the step is that of the zero
    dynamics. u* is read off a table of 200 places in straight lines: that is 1e-4 of its size in between, at most, as its bends
    of 2e3 N m/rad^2 say, over the span of 0.6 rad: (0.6/200)^2/8 * 2e3 = 2 mN m. Without it the outputs are off by 10 mrad.
    """
    q, v = reduced().start()
    gains = {"stiffness": 3000.0, "damping": 120.0, "limit": 150.0}
    outputs, ends = reduced().gait.constraints(), {}
    for law in ("pd", "pd_forward"):
        stride = walker(law, 1e-9, **gains)(q, v)
        way = stride.passages[0]
        off = max(float(np.abs(outputs.errors(*way.state(t))[0]).max()) for t in np.linspace(way.begin, way.end, 20))
        ends[law] = abs(stride.duration - reduced().duration), off
    assert ends["pd_forward"][0] < 1e-5 and ends["pd_forward"][1] < 1e-5
    assert ends["pd"][1] > 5e-3


def test_a_run_on_bristles_goes_on_where_it_was_stopped(tmp_path):
    """In the middle of the second step, one foot in the air: the rest is that of the whole run, to a thousand times the tolerance
    of a step; had the bristles begun anew, their force of 0.285 of the weight would be missing for a millimetre."""
    scenario = make("rabbit_walk", {"feet": "compliant", "mu": rabbit.FOOT_FRICTION}).changed(checks=(), tolerance=1e-9)
    whole = scenario.changed(t_end=1.1).run(progress=False)
    scenario.changed(t_end=0.9).run(progress=False, out=tmp_path / "part.nc")
    again = resume(tmp_path / "part.nc", 1.1, scenario.changed(t_end=1.1), progress=False)
    assert list(again.dataset.state.values) == list(whole.dataset.state.values) and len(again.time) == len(whole.time)
    bent = np.abs(whole.memory.values[90]).max()
    assert bent > 1e-5  # m: the standing foot is held by its bristles there
    for name, size in (("joint_position", 1.0), ("joint_velocity", 10.0), ("memory", 1e-2), ("work_supplied", 100.0)):
        off = np.abs(again.dataset[name].values - whole.dataset[name].values).max()
        assert off < 1e-6 * size, name
    one, two = (json.loads(result.attributes["transitions"]) for result in (again, whole))
    assert [x["foot"] for x in one] == [x["foot"] for x in two]
    assert np.abs([x["time"] - y["time"] for x, y in zip(one, two, strict=True)]).max() < 1e-8
