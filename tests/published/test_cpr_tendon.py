"""Tendon-driven planar parallel robot (Gotelli 2024, 4.9.1): acceptance rows C6a to C6d; friction of joint and platform."""

from __future__ import annotations

import numpy as np
import pytest

import locodyn as ld
from locodyn.equilibria import equilibrium
from locodyn.identify import sensor_scale
from locodyn.integrate import solve
from locodyn.locomotion.residual import motion_residual, motion_tangent, new_tangent
from locodyn.zoo.registry import make, module

pytestmark = pytest.mark.slow

SECTION = ld.Rectangle(0.51e-3, 19.05e-3)
STEEL = ld.Material(293e9, 9538.0)


@pytest.mark.parametrize("modes", [1, 2, 5])
def test_constant_curvature_of_one_rod(modes: int) -> None:
    """C6a: difference of tensions 10 N, offset 11 mm: Kz = d dT / EI = 1.78279 1/m, tip angle 0.70242 rad, 1e-6 relative."""
    robot = ld.Robot("rod")
    rod = robot.base("ground", moves="fixed").rod("rod", length=0.394, section=SECTION, material=STEEL, bending=(0, modes))
    rod.tendon("one", (11e-3, 0.0))
    rod.tendon("two", (-11e-3, 0.0))
    found = ld.statics(robot, gravity=(0, 0, 0), tension={"one": 15.0, "two": 5.0})
    stiffness = 293e9 * 19.05e-3 * 0.51e-3**3 / 12.0
    assert found.q[0] == pytest.approx(11e-3 * 10.0 / stiffness, rel=1e-9)
    assert found.q[0] == pytest.approx(1.78279, rel=1e-5)  # as printed
    rotation, _ = robot.model().pose("rod", found.q)
    assert np.arctan2(rotation[1, 0], rotation[0, 0]) == pytest.approx(0.70242, abs=5e-6)
    assert np.abs(found.q[1:]).max(initial=0.0) < 1e-9


def test_equilibrium_of_the_robot_is_made_of_arcs() -> None:
    """Passive joints and a common pin carry no moment, and without loads there is no force: each rod is an arc, any tensions.

    The pin is where the two carriers with their arcs meet, by a planar calculation of its own.
    """
    from scipy.optimize import fsolve

    scenario = make("cpr_tendon")
    p = {q.name: q.value for q in scenario.parameters}
    tension = {"tendon_1": 8.0, "tendon_2": 2.0, "tendon_3": 1.0, "tendon_4": 6.0}
    held = scenario.changed(tension=tension)
    found = equilibrium(held.problem, held.initial_state()[0])
    curvatures = [p["offset"] * (a - b) * 12.0 / (p["E"] * p["h"] * p["w"] ** 3) for a, b in ((8.0, 2.0), (1.0, 6.0))]

    def tip(angle: float, x: float, length: float, curvature: float) -> np.ndarray:
        turn = curvature * length
        local = np.array([p["a"] + np.sin(turn) / curvature, (1.0 - np.cos(turn)) / curvature])
        c, s = np.cos(angle), np.sin(angle)
        return np.array([x, 0.0]) + np.array([[c, -s], [s, c]]) @ local

    def miss(angles: np.ndarray) -> np.ndarray:
        places = [tip(a, x, length, k) for a, x, length, k in zip(angles, (-0.2175, 0.2175), p["l"], curvatures, strict=True)]
        return places[0] - places[1]

    start = module("cpr_tendon").assembled(p)
    angles = fsolve(miss, [start["joint_1"], start["joint_2"]], xtol=1e-13)
    np.testing.assert_allclose(
        held.model.pose("platform", found.q)[1][:2], tip(angles[0], -0.2175, p["l"][0], curvatures[0]), atol=1e-7
    )
    assert found.stable


def test_removed_actuation_reproduces_the_motion() -> None:
    """C6c: joints imposed, their torques recovered; the same torques as input give the same motion, 1e-6 rad."""
    scenario = make("cpr_tendon", {"mu_p": 0.0})
    start = scenario.problem.imposed_state(0.0, *scenario.initial_state())[0]
    model, names = scenario.model, scenario.compiled.position_names
    first = float(start[names.index("joint_1")])
    law = ld.cosine(-0.05, omega=4.0, offset=first + 0.05)
    quiet = {"tension": {}, "t_end": 0.5, "dt": 5e-4, "integrator": "rkmk4", "record_every": 1, "checks": ()}
    rest = {name: float(start[k]) for k, name in enumerate(names) if name != "joint_1"}
    imposed = scenario.changed(imposed={"joint_1": law}, start=rest, **quiet).run(progress=False)
    assert imposed.status == "completed"
    torque = ld.spline(imposed.time.values, imposed.joint_torque.sel(joint="joint_1").values)
    driven = scenario.changed(torque={"joint_1": torque}, start=(imposed.q[0], imposed.v[0]), **quiet).run(progress=False)
    assert np.ptp(imposed.joint_position.sel(joint="joint_1").values) > 0.05
    np.testing.assert_allclose(driven.q, imposed.q, atol=1e-6 * np.abs(imposed.q).max())
    assert model.nv == 6


def test_tensions_from_scaled_sensors() -> None:
    """Sensors that read f = T/k + f_0 (Gotelli's constants): scaled by known loads they give the tensions back."""
    random = np.random.default_rng(2)
    for gain, zero in ((0.517, -0.442), (0.436, 0.283), (0.786, 0.276), (1.340, 0.372)):
        loads = np.linspace(0.5, 20.0, 40)
        readings = loads / gain + zero
        exact = sensor_scale(readings, loads)
        assert (exact.gain, exact.zero) == pytest.approx((gain, zero), abs=1e-12)
        assert exact(readings) == pytest.approx(loads) and exact.reading(3.0) == pytest.approx(3.0 / gain + zero)
        rough = sensor_scale(readings + 0.05 * random.standard_normal(40), loads)
        assert abs(rough.gain - gain) < 4.0 * rough.gain_error and abs(rough.zero - zero) < 4.0 * rough.zero_error
        assert 0.0 < rough.gain_error < 0.01 * gain
    with pytest.raises(ld.InputError, match="two or more readings"):
        sensor_scale([1.0], [1.0])
    with pytest.raises(ld.InputError, match="do not show its gain"):
        sensor_scale([1.0, 1.0], [1.0, 2.0])


def test_closure_and_friction_in_the_implicit_tangent() -> None:
    """Viscosity of the joints, regularised dry friction of the platform: columns of the tangent against central differences."""
    problem = make("cpr_tendon", {"mu": 0.3, "mu_p": 2.0, "eps": 0.05}).problem
    model, room = problem.model, new_tangent(problem.model)
    rng = np.random.default_rng(4)
    q, v, a = (rng.standard_normal(n) * 0.3 for n in (model.nq, model.nv, model.nv))

    def residual(q: np.ndarray, v: np.ndarray) -> np.ndarray:
        problem.read_inputs(1.0, q, v)
        motion_residual(problem.arrays, problem.inputs, q, v, a, problem.workspace, room, 1.0)
        return room.residual.copy()

    residual(q, v)
    motion_tangent(problem.arrays, problem.inputs, q, v, a, problem.workspace, room, 1.0, 1)
    by_q, by_v = room.by_q.copy(), room.by_v.copy()
    h = 1e-6
    for matrix, shifted in (
        (by_q, lambda e: residual(model.move(q, h * e), v) - residual(model.move(q, -h * e), v)),
        (by_v, lambda e: residual(q, v + h * e) - residual(q, v - h * e)),
    ):
        wanted = np.array([shifted(e) / (2.0 * h) for e in np.eye(model.nv)]).T
        np.testing.assert_allclose(matrix, wanted, atol=2e-6 * np.abs(wanted).max())
    assert abs(by_v[0, 0]) > 0.3


def test_platform_friction_stops_it() -> None:
    """A platform that is pushed and let go: friction takes exactly the energy that is lost (first law, implicit steps)."""
    scenario = make("cpr_tendon", {"mu_p": 0.5, "eps": 5e-3}).changed(
        tension={}, t_end=0.4, dt=1e-3, integrator="gauss2", checks=()
    )
    q = scenario.problem.imposed_state(0.0, *scenario.initial_state())[0]
    names = scenario.compiled.coordinate_names
    v = np.zeros(scenario.model.nv)
    v[names.index("rod_1.bending_z.0")] = 2.0
    q, v = scenario.problem.imposed_state(0.0, q, v)
    run = solve(scenario.problem, q, v, t_end=0.4, step=1e-3, method="gauss2")
    assert run.status == "completed"
    result = scenario.changed(start=(q, v)).run(progress=False)
    energy = result.total_energy().values
    assert energy[-1] < 0.9 * energy[0]
    np.testing.assert_allclose(energy - energy[0], result.energy_supplied().values, atol=2e-4 * np.ptp(energy))
