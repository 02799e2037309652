"""Two elastic legs on hinges with pinned tips (Gotelli 2024, 5.4): closed loops in statics, vibrations and implicit integration.

d = 0.4 m, l = 1 m, r = 1 mm, E = 210 GPa, rho = 7800 kg/m^3, three curvature modes; values of independent calculations.
"""

from __future__ import annotations

import numpy as np
import pytest

import locodyn as ld
from locodyn.integrate import solve
from locodyn.integrate.statics import vibrations
from locodyn.locomotion.problem import Problem

ANGLE = float(np.arccos(0.2))
ASSEMBLED = {"left_hub": ANGLE, "right_hub": np.pi - ANGLE}


def robot(modes: int = 3) -> ld.Robot:
    legs = ld.Robot("RFRFR")
    ground = legs.base("ground", moves="fixed")
    tips = []
    for name, x in (("left", -0.2), ("right", 0.2)):
        hub = legs.body(f"{name}_hub").on(ground, at=(x, 0, 0)).turning("z")
        steel = ld.Material(2.1e11, 7800.0, shear=8e10)
        tips.append(hub.rod(name, length=1.0, section=ld.Circle(0.001), material=steel, bending=(0, modes), nodes=20))
    return legs.loop("pin", tips[0], tips[1], joint="revolute", axis="z")


def test_frequencies_of_the_unloaded_triangle() -> None:
    """25.613 (twice), 130.24 (twice), 341.97 (twice) rad/s with three modes; 1e-3 relative."""
    scenario = ld.Scenario("legs", robot(), gravity=(0, 0, 0), start=ASSEMBLED)
    q, _ = scenario.problem.imposed_state(0.0, *scenario.initial_state())
    found = vibrations(scenario.problem, q)
    frequencies = np.sort(found.imag[found.imag > 1.0])
    np.testing.assert_allclose(frequencies, np.repeat([25.613, 130.24, 341.97], 2), rtol=1e-3)


@pytest.mark.parametrize(("side", "height"), [(1.0, 0.854820), (-1.0, 0.885597)])
def test_equilibrium_under_torques(side: float, height: float) -> None:
    """Hold of 0.5 N m on both hinges, bowed inwards or outwards: height of the tip with three modes, 1e-5."""
    torque = {"left_hub": -0.5 * side, "right_hub": 0.5 * side}
    found = ld.statics(robot(), gravity=(0, 0, 0), start=ASSEMBLED, torque=torque, steps=5)
    left, right = (robot().model().pose(name, found.q)[1] for name in ("left", "right"))
    np.testing.assert_allclose(left, right, atol=1e-9)
    assert left[1] == pytest.approx(height, abs=1e-5)
    assert left[0] == pytest.approx(0.0, abs=1e-9)


def test_implicit_and_explicit_runs_agree() -> None:
    """Released from a bow: generalized-alpha with multipliers tends to the explicit run with order 2, and the pin holds."""
    problem = Problem(robot().model(gravity=(0, 0, 0)))
    model = problem.model
    q = model.neutral()
    q[[model.compiled.position_index("left_hub"), model.compiled.position_index("right_hub")]] = ANGLE, np.pi - ANGLE
    v = np.zeros(model.nv)
    v[model.compiled.coordinate_index("left_hub")] = 1.0
    v[model.compiled.coordinate_index("left.bending_z.0")] = -1.0
    exact = solve(problem, q, v, t_end=0.04, step=2e-4, record_every=200)
    errors = []
    for step in (2e-3, 1e-3):
        run = solve(
            problem, q, v, t_end=0.04, step=step, record_every=round(0.04 / step), method="generalized_alpha", rho_inf=0.8
        )
        assert run.status == "completed"
        ends = [model.pose(name, run.q[-1])[1] for name in ("left", "right")]
        assert np.max(np.abs(ends[0] - ends[1])) < 1e-9
        errors.append(np.max(np.abs(ends[0] - model.pose("left", exact.q[-1])[1])))
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.4)


def test_refusals() -> None:
    with pytest.raises(ld.InputError, match="loops need 'generalized_alpha'"):
        ld.simulate(robot(), start=ASSEMBLED, integrator="gauss2", t_end=0.1, progress=False)
    cart = ld.Robot("cart")
    cart.base("cart", moves="planar", mass=1.0, inertia=ld.about_centre(zz=0.1)).wheel()
    with pytest.raises(ld.InputError, match="no wheels that roll"):
        ld.simulate(cart, integrator="hht", t_end=0.1, progress=False)
