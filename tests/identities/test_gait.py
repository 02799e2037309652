"""Gaits: closing, parameters and their derivatives, changes of time."""

from __future__ import annotations

import math

import numpy as np
import pytest

import locodyn as ld
from locodyn.gaits import Gait, gait, harmonic_gait, serpenoid_gait

pytestmark = pytest.mark.slow

TIMES = np.array([0.0, 0.3, 1.1, 2.9])


def families():
    return {
        "harmonic": harmonic_gait(
            2.0,
            front={"amplitude": (0.4, 0.1, -0.05), "phase": (0.3, 1.0), "offset": 0.2},
            rear={"amplitude": 0.6, "phase": -1.0},
        ),
        "serpenoid": serpenoid_gait(["a", "b", "c"], amplitude=0.5, omega=1.5, lag=0.8, offset=0.1, phase=0.4, growth=0.6),
    }


CHANGES = {
    "as it is": lambda g: g,
    "reversed": lambda g: g.reversed(),
    "slowed": lambda g: g.slowed(2.5),
    "shifted": lambda g: g.shifted(0.7),
    "retraced": lambda g: g.retraced(0.4),
    "all": lambda g: g.shifted(0.7).slowed(0.5).reversed(),
}


@pytest.mark.parametrize("family", ["harmonic", "serpenoid"])
@pytest.mark.parametrize("change", CHANGES)
def test_derivatives_with_respect_to_parameters(family, change):
    # Against central differences of the rebuilt gait: step 1e-5, error (1e-5 omega t)^2 / 6 < 1e-8 relative, round-off 1e-10.
    # The third derivative that rddot needs for omega is itself a difference for the retraced gait.
    walk = CHANGES[change](families()[family])
    h = 1e-5
    for t in TIMES:
        exact = walk.derivative(t)
        for k, (name, value) in enumerate(walk.parameters.items()):
            there, back = (walk.with_parameters(**{name: value + s * h}) for s in (1, -1))
            expected = (there.at(t) - back.at(t)) / (2 * h)
            assert np.abs(exact[:, :, k] - expected).max() < 1e-7 + 1e-8 * np.abs(expected).max(), (name, t)


def test_changes_of_time():
    walk = families()["harmonic"]
    for t in TIMES:
        r, rdot, rddot = walk.at(t)
        back = walk.reversed().at(-t)
        assert np.abs(back - [r, -rdot, rddot]).max() < 1e-14
        slow = walk.slowed(2.0).at(2.0 * t)
        assert np.abs(slow - [r, rdot / 2.0, rddot / 4.0]).max() < 1e-14
        assert np.abs(walk.shifted(math.pi).at(t) - walk.at(t + 0.5 * walk.period)).max() < 1e-13
    there_and_back = walk.retraced(0.5)
    assert there_and_back.period == walk.period
    assert np.abs(there_and_back.at(0.3)[0] - there_and_back.at(there_and_back.period - 0.3)[0]).max() < 1e-14
    assert np.abs(there_and_back.at(0.5 * walk.period)[0] - walk.at(0.5 * walk.period)[0]).max() < 1e-14
    assert np.abs(there_and_back.at(0.0)[1]).max() < 1e-14
    assert walk.shifted(0.4).phase == 0.4


@pytest.mark.parametrize("make", [lambda law: law.reversed(), lambda law: law.slowed(3.0), lambda law: law.shifted(1.0)])
def test_changes_of_time_for_splines_and_functions(make):
    times = np.linspace(0.0, 2.0, 9)
    spline = ld.spline(times, np.sin(np.pi * times) + 0.3 * np.cos(2 * np.pi * times), periodic=True)
    walk = gait(period=2.0, bent=spline, free=lambda t: math.exp(math.sin(math.pi * t)))
    changed = make(walk)
    for t in TIMES:
        h = 1e-5
        for k in range(2):  # rates are those of the values, in pieces turned round too
            slope = (changed.at(t + h)[k] - changed.at(t - h)[k]) / (2 * h)
            assert np.abs(changed.at(t)[k + 1] - slope).max() < 1e-5
    original = {tuple(np.round(walk.at(t)[0], 9)) for t in (0.5, 1.0)}
    inverse = {"reversed": (-0.5, -1.0), "slowed": (1.5, 3.0), "shifted": (0.5 - 1 / math.pi, 1.0 - 1 / math.pi)}
    name = make.__code__.co_names[-1]
    assert {tuple(np.round(changed.at(t)[0], 9)) for t in inverse[name]} == original


def test_a_gait_is_a_mapping_of_laws():
    walk = gait(front=ld.sine(-0.4, omega=2.0), rear=ld.sine(0.4, omega=3.0, phase=0.1) + 1.0, held=0.3)
    assert abs(walk.period - 2.0 * math.pi) < 1e-12
    assert dict(walk)["front"].at(0.0)[1] == -0.8 and list(walk) == ["front", "rear", "held"] and len(walk) == 3
    assert walk.shape(TIMES).shape == (3, 4) and walk.rate(TIMES).shape == (3, 4)
    scenario = ld.Scenario("chain", two_joints(), imposed=gait(j1=ld.sine(0.4, omega=2.0), j2=0.0), t_end=1.0)
    assert scenario.drive.imposed["j1"].at(0.0)[1] == 0.8


def two_joints():
    robot = ld.Robot("two joints")
    parent = robot.base("base", moves="planar", mass=1.0, inertia=ld.about_centre(xx=1, yy=1, zz=1))
    for name in ("j1", "j2"):
        body = robot.body(name + "_body", mass=1.0, inertia=ld.about_centre(xx=1, yy=1, zz=1))
        parent = body.on(parent, at=(1, 0, 0)).turning("z", name=name)
    return robot


def test_what_is_no_gait_says_so():
    with pytest.raises(ld.InputError, match="does not close: the value of 'a'"):
        Gait({"a": ld.polynomial(0, 1)}, 1.0)
    with pytest.raises(ld.InputError, match="does not close: the rate of 'a'"):
        Gait(  # values small enough to pass for closed, rates not
            {"a": ld.function(lambda t: 1e-9 * math.sin(400 * t), lambda t: 4e-7 * math.cos(400 * t))}, 1.0
        )
    with pytest.raises(ld.InputError, match="not twice differentiable"):
        gait(period=2.0, a=ld.spline([0.0, 0.5, 1.0, 1.5, 2.0], [0, 1, 0, -1, 0], degree=1, periodic=True))
    with pytest.raises(ld.InputError, match="soft start"):
        gait(a=ld.sine(1.0, omega=1.0).soft_start(1.0))
    with pytest.raises(ld.InputError, match="no common period"):
        gait(a=ld.sine(1.0, omega=1.0), b=ld.sine(1.0, omega=math.sqrt(2.0)))
    with pytest.raises(ld.InputError, match="give the gait a period"):
        gait(a=ld.function(math.sin))
    with pytest.raises(ld.InputError, match="no period of its own"):
        gait(a=1.0)
    with pytest.raises(ld.InputError, match="no parameter 'fronts"):
        families()["harmonic"].with_parameters(**{"fronts.phase": 1.0})
    with pytest.raises(ld.InputError, match="made of laws"):
        Gait({"a": ld.sine(1.0, omega=1.0)}, math.tau, parameters={"p": 1.0}).with_parameters(p=2.0)
    with pytest.raises(ld.InputError, match="must be positive"):
        harmonic_gait(-1.0, a=0.3)
    with pytest.raises(ld.InputError, match="3 phases for 1 amplitudes"):
        harmonic_gait(1.0, a={"amplitude": 0.3, "phase": (1.0, 2.0, 3.0)})
    with pytest.raises(ld.InputError, match="each once"):
        serpenoid_gait(["a", "a"], amplitude=1.0, omega=1.0, lag=0.0)
