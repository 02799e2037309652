"""A wheeled body on a free base: the ground pushes, and where it would have to pull the result says so."""

import json

import numpy as np
import pytest

import locodyn as ld
from locodyn.sim.run_warnings import LiftWarning


def cart(offset):
    """A cart of 2 kg on an axle, with a mast whose weight swings up and down on a vertical slide."""
    robot = ld.Robot("cart")
    base = robot.base("cart", moves="free", mass=2.0, inertia=ld.about_centre(xx=0.1, yy=0.1, zz=0.1))
    base.wheels(axis="y")
    robot.body("weight", mass=1.0, inertia=ld.about_centre(xx=0.01, yy=0.01, zz=0.01)).on(base, at=(offset, 0, 0.5)).sliding("z")
    return robot


def run(amplitude):
    return ld.simulate(cart(0.0), imposed={"weight": ld.sine(amplitude, omega=10.0)}, t_end=1.0, progress=False)


def test_a_gentle_swing_keeps_the_wheels_on_the_ground():
    result = run(0.02)
    force = result.multiplier.sel(constraint="cart.ground.z").values
    # Newton: N = 3 g - 1 kg * amplitude * omega^2 sin(omega t)
    np.testing.assert_allclose(force, 3 * 9.81 - 0.02 * 100 * np.sin(10 * result.time.values), atol=1e-9)
    assert "lifts" not in result.dataset.attrs


def test_a_violent_swing_would_lift_the_cart():
    with pytest.warns(LiftWarning, match="hold 'cart' down"):
        result = run(0.5)
    time, pull = json.loads(result.dataset.attrs["lifts"])["cart"]
    # The weight pulls down the cart's support when 0.5 * 100 sin(10 t) > 3 g.
    assert time == pytest.approx(np.arcsin(3 * 9.81 / 50) / 10, abs=0.011)
    assert pull == pytest.approx(50 - 3 * 9.81, rel=3e-3)  # the largest of records 0.01 s apart
