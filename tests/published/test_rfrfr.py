"""Two elastic legs on hinges with pinned tips (Gotelli 2024, 5.13): statics, vibrations, and the torque-driven run (C8a to C8g).

d = 0.4 m, l = 1 m, r = 1 mm, E = 210 GPa, rho = 7800 kg/m^3, three curvature modes; values of independent calculations.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest

import locodyn as ld
from locodyn import zoo
from locodyn.equilibria import vibrations
from locodyn.integrate import solve
from locodyn.integrate.base import Solution
from locodyn.sim.parameter import fill
from locodyn.zoo import measures
from locodyn.zoo.robots import cpr_rfrfr

pytestmark = pytest.mark.slow

EI = 0.164934  # N m^2


def parameters(**changes: Any) -> dict[str, Any]:
    return fill(cpr_rfrfr.PARAMETERS, changes, "cpr_rfrfr")


@functools.cache
def run(sign: str, method: str, end: float = 9.0, step: float = 0.01, rho: float = 0.5) -> tuple[Solution, np.ndarray]:
    """Gotelli's run, and the places (N, 2) of the tip."""
    scenario = zoo.make("cpr_rfrfr", {"torque_sign": sign})
    found = solve(scenario.problem, *scenario.initial_state(), t_end=end, step=step, method=method, rho_inf=rho)
    assert found.status == "completed"
    return found, np.array([scenario.model.pose("left", q)[1][:2] for q in found.q])


def held(sign: str, modes: int = 3, **words: Any) -> Any:
    """Equilibrium under the torques that are held from 2 s to 4 s."""
    p = parameters(torque_sign=sign, modes=modes)
    torque = {name: law(3.0) for name, law in cpr_rfrfr.torques(p).items()}
    robot, words = cpr_rfrfr.robot(p), {"start": cpr_rfrfr.assembled(p), "steps": 5} | words
    return robot.model(), ld.statics(robot, gravity=(0, 0, 0), torque=torque, **words)


def test_frequencies_of_the_unloaded_triangle() -> None:
    """C8a: 25.613 (twice), 130.24 (twice), 341.97 (twice) rad/s with three modes; 1e-3 relative."""
    scenario = zoo.make("cpr_rfrfr")
    q, _ = scenario.problem.imposed_state(0.0, *scenario.initial_state())
    found = vibrations(scenario.problem, q)
    frequencies = np.sort(found.imag[found.imag > 1.0])
    np.testing.assert_allclose(frequencies, np.repeat([25.613, 130.24, 341.97], 2), rtol=1e-3)


@pytest.mark.parametrize(
    ("sign", "modes", "angle", "height"),
    [
        ("in", 3, 0.221224, 0.854820),
        ("in", 8, 0.219525, 0.854187),
        ("out", 3, 2.354993, 0.885597),
        ("out", 8, 2.355346, 0.885393),
    ],
)
def test_equilibrium_under_torques(sign: str, modes: int, angle: float, height: float) -> None:
    """C8b, C8c: angle of the left hinge and height of the tip, 1e-5; with many modes the root curvature is 0.5 / EI, 1e-3.

    Eight modes stand for the exact rod.
    """
    model, found = held(sign, modes)
    left, right = (model.pose(name, found.q)[1] for name in ("left", "right"))
    np.testing.assert_allclose(left, right, atol=1e-9)
    assert left[1] == pytest.approx(height, abs=1e-5)
    assert left[0] == pytest.approx(0.0, abs=1e-9)
    assert found.q[model.compiled.position_index("left_hub")] == pytest.approx(angle, abs=1e-5)
    assert found.stable
    if modes == 8:
        first = model.compiled.position_index("left.bending_z.0")
        signs = (-1.0) ** np.arange(modes)  # Legendre polynomials at the root
        assert abs(signs @ found.q[first : first + modes]) == pytest.approx(0.5 / EI, rel=1e-3)


@pytest.mark.parametrize(("sign", "angle", "height"), [("in", 0.219525, 0.854187), ("out", 2.355346, 0.885393)])
def test_equilibrium_by_shooting_with_a_loop(sign: str, angle: float, height: float) -> None:
    """C8b without strain modes: the exact rods of the table, 1e-6 (all digits that are printed); and what eight modes hold the
    pin with, in the plane.
    """
    model, weak = held(sign, 8)
    _, found = held(sign, 8, method="shooting", start=(weak.q, np.zeros(model.nv)))
    assert found.residual < 1e-9
    tips = [found.rods[name].position[-1] for name in ("left", "right")]
    np.testing.assert_allclose(*tips, atol=1e-9)
    assert tips[0][1] == pytest.approx(height, abs=1e-6)
    assert found.q[model.compiled.position_index("left_hub")] == pytest.approx(angle, abs=1e-6)
    assert abs(found.rods["left"].strain[0, 5]) == pytest.approx(0.5 / EI, rel=1e-5)  # the motor bends the root; EI: 6 digits
    np.testing.assert_allclose(list(found.multipliers.values()), weak.multipliers, atol=2e-6)  # forces of eight modes


@pytest.mark.parametrize("sign", ["in", "out"])
def test_energy_and_closure(sign: str) -> None:
    """C8d: energy less the work of the torques tends to zero with order 2 in the step; the pin holds to 1e-9 at every step."""
    scenario = zoo.make("cpr_rfrfr", {"torque_sign": sign}).changed(t_end=4.0)
    defects = []
    for step in (0.004, 0.002):
        result = scenario.changed(dt=step, rho_inf=0.9).run(progress=False)
        assert cpr_rfrfr.apart(result) < 1e-9
        defects.append(measures.energy_defect(result))
    assert defects[1] < 2e-3  # measured: 1.1e-3 of the largest kinetic energy, 5e-6 of the work
    assert np.log2(defects[0] / defects[1]) == pytest.approx(2.0, abs=0.4)


@pytest.mark.parametrize("method", ["gauss2", "radau3", "energy_momentum"])
def test_energy_of_collocation(method: str) -> None:
    """C8d at Gotelli's step of 10 ms: 1e-3 of the largest kinetic energy; the balance of energy_momentum is its own."""
    result = zoo.make("cpr_rfrfr", {"integrator": method}).run(progress=False)
    assert cpr_rfrfr.apart(result) < 1e-9
    assert measures.energy_defect(result) < 1e-3


def test_sway_about_the_hold() -> None:
    """C8e: bowed outwards, the first sway has 5.45 rad/s, 2 %."""
    model, found = held("out")
    p = parameters(torque_sign="out")
    torque = {name: law(3.0) for name, law in cpr_rfrfr.torques(p).items()}
    scenario = ld.Scenario("held", cpr_rfrfr.robot(p), gravity=(0, 0, 0), torque=torque)
    exponents = vibrations(scenario.problem, found.q)
    assert np.min(exponents.imag[exponents.imag > 1e-3]) == pytest.approx(5.45, rel=0.02)
    assert model.nv == 8


@pytest.mark.parametrize("method", ["generalized_alpha", "gauss2"])
def test_tip_in_the_cycles(method: str) -> None:
    """C8e: outwards two changes of side beyond 0.2 m between 4 s and 7 s; inwards the tip stays within 3 cm."""
    _, tip = run("out", method)
    aside = tip[400:701, 0]
    sides = np.sign(aside[np.abs(aside) > 0.2])
    assert np.count_nonzero(np.diff(sides)) >= 2
    _, tip = run("in", method)
    assert np.max(np.abs(tip[400:701, 0])) < 0.03


def test_multipliers_in_the_long_run() -> None:
    """C8f: with Newmark they grow a saw-tooth, by 3 to 6 every 5 s after 20 s; with generalized-alpha (0.5) none in 40 s.

    Measured (N, root mean square of the second differences over 5 s from 20 s on): 9e-4, 2.8e-3, 1.3e-2, 6.0e-2 against 6e-4.
    """
    rough = {}
    for method in ("newmark", "generalized_alpha"):
        found, _ = run("out", method, end=40.0)
        assert found.multipliers is not None
        forces = found.multipliers[:, :2]
        teeth = np.sum((forces[:-2] - 2.0 * forces[1:-1] + forces[2:]) ** 2, axis=1) / 16.0
        rough[method] = np.array([np.sqrt(np.mean(teeth[n : n + 500])) for n in range(1000, 3501, 500)])
    assert np.all(np.diff(rough["generalized_alpha"]) < 0.0)  # bounded: it never grows
    growth = rough["newmark"][3:] / rough["newmark"][2:-1]
    assert np.all((growth > 3.0) & (growth < 6.0))


@pytest.mark.parametrize("sign", ["in", "out"])
def test_newmark_and_generalized_alpha(sign: str) -> None:
    """C8g: at 10 ms their tips are less than 3e-4 m apart up to 4 s."""
    (_, one), (_, two) = run(sign, "newmark"), run(sign, "generalized_alpha")
    assert np.max(np.linalg.norm(one[:401] - two[:401], axis=1)) < 3e-4
