"""From a gait of a body without joints to joint angles of rigid modules (Ali 2011, 6.5), in a plane and in space."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp

import locodyn as ld
from locodyn import gaits
from locodyn.gaits import module_gait
from locodyn.world import Drag

pytestmark = pytest.mark.slow


def turned(yaw: float, pitch: float) -> np.ndarray:
    """R_z(yaw) R_y(pitch)."""
    (sy, cy), (sp, cp) = ((np.sin(a), np.cos(a)) for a in (yaw, pitch))
    return np.array([[cy * cp, -sy, cy * sp], [sy * cp, cy, sy * sp], [-sp, 0.0, cp]])


@pytest.mark.parametrize(
    "gait, curvature",
    [
        (gaits.lateral_undulation(6.0, wavelength=1.0, travel=-0.5), lambda s, t: 6.0 * np.cos(2.0 * np.pi * (s - 0.5 * t))),
        (
            gaits.lateral_undulation(6.0, wavelength=0.7, travel=ld.polynomial(0.1, -0.5, -0.1)),
            lambda s, t: 6.0 * np.cos(2.0 * np.pi / 0.7 * (s + 0.1 - 0.5 * t - 0.1 * t * t)),
        ),
        (
            gaits.omega_bend(2.0, length=1.25, period=2.0),
            lambda s, t: 2.0 * np.sin(0.5 * np.pi * t) ** 2 * 1.6 * np.pi * np.cos(1.6 * np.pi * (s - 1.25)),
        ),
    ],
)
def test_joints_turn_by_the_change_of_the_mean_heading(gait: gaits.BodyGait, curvature: Any) -> None:
    """Joint j turns by the mean heading of piece j less that of piece j - 1, both by adaptive quadrature of the curvature.

    Closed forms to 1e-12; splines in time to the 1e-8 rad that they promise, at instants that are not samples.
    """
    found = module_gait(gait, length=1.25, modules=10, t_end=3.0)
    h = 0.125
    for t in (0.0, 0.737, 1.9):
        means = [
            quad(lambda s, t=t, k=k: curvature(s, t) * (1.0 - max(0.0, s - k * h) / h), 0.0, (k + 1) * h, points=[k * h])[0]
            for k in range(10)
        ]
        angles = [law(t) for law in found.laws.values()]
        np.testing.assert_allclose(angles, np.diff(means), atol=2e-8)
        if t == 0.0:
            assert found.yaw == pytest.approx(means[0], abs=1e-12) and found.pitch == 0.0
    assert list(found.laws) == [f"joint_{k}" for k in range(1, 10)]


def centre_line(bends: Any, places: np.ndarray) -> np.ndarray:
    """Points of a body with the bendings (K_y, K_z) = bends(s), in the axes of its head: (5.11) by scipy's DOP853."""

    def slope(s: float, y: np.ndarray) -> np.ndarray:
        turn, (ky, kz) = y[3:].reshape(3, 3), bends(s)
        return np.concatenate([turn[:, 0], (turn @ np.array([[0, -kz, ky], [kz, 0, 0], [-ky, 0, 0]])).ravel()])

    start = np.concatenate([np.zeros(3), np.eye(3).ravel()])
    return solve_ivp(slope, (0.0, places[-1]), start, "DOP853", places, rtol=1e-11, atol=1e-12).y[:3].T


def chain(found: gaits.ModuleGait, modules: int, length: float, t: float) -> np.ndarray:
    """Ends (modules + 1, 3) m of the modules at t = 0, in the axes of the head; later turned as a whole."""
    turn, ends = turned(found.yaw, found.pitch), [np.zeros(3)]
    for k in range(modules):
        ends.append(ends[-1] + length / modules * turn[:, 0])
        if k < modules - 1:
            turn = turn @ turned(found.laws[f"yaw_{k + 1}"](t), found.laws[f"pitch_{k + 1}"](t))
    return np.array(ends)


def test_modules_in_space_lie_on_the_body() -> None:
    """Sidewinding: ends of 10, 20 and 40 modules tend to the centre line, by the second power of their length.

    A module is longer than the chord that it lies on by its third power; over the body these add up to the second.
    """
    gait = gaits.sidewinding(6.0, 3.0, wavelength=1.0, travel=-0.5)
    errors = []
    for modules in (10, 20, 40):
        found = module_gait(gait, length=1.0, modules=modules)
        line = centre_line(
            lambda s: (3.0 * np.cos(2.0 * np.pi * s - 0.5 * np.pi), 6.0 * np.cos(2.0 * np.pi * s)),
            np.linspace(0.0, 1.0, modules + 1),
        )
        errors.append(np.linalg.norm(chain(found, modules, 1.0, 0.0) - line, axis=1).max())
    np.testing.assert_allclose(np.log2(np.array(errors[:-1]) / errors[1:]), 2.0, atol=0.2)


def floating_chain(modules: int) -> tuple[ld.Robot, dict[str, Any], ld.Start]:
    """Modules with universal joints in a fluid without inertia of its own, with the gait of :func:`floating_body`."""
    h, robot, part = 1.0 / modules, ld.Robot("chain"), None
    across = h**3 / 12.0 + 5e-4 * h
    mass = {"mass": h, "centre": (0.5 * h, 0.0, 0.0), "inertia": ld.about_centre(xx=1e-3 * h, yy=across, zz=across)}
    found = module_gait(SIDEWAYS, length=1.0, modules=modules)
    about = (WATER.angular[0] * h, *(WATER.linear[1] * h**3 / 12.0,) * 2)
    drag = Drag(linear=tuple(c * h for c in WATER.linear), angular=about)
    for k in range(modules):
        if part is None:
            part = robot.base("module_1", moves="free", **mass)
        else:
            knee = robot.body(f"knee_{k}", mass=1e-9, inertia=ld.about_centre(xx=1e-9, yy=1e-9, zz=1e-9))
            knee = knee.on(part, at=(h, 0.0, 0.0)).turning("z", name=f"yaw_{k}")
            part = robot.body(f"module_{k + 1}", **mass).on(knee).turning("y", name=f"pitch_{k}")
        robot.wrench(f"water_{k + 1}", on=part, law=drag, at=(0.5 * h, 0.0, 0.0))
    return robot, found.laws, ld.Start({"module_1": (0.0, 0.0, 0.0, 0.0, found.pitch, found.yaw)}, zero_momentum=True)


SIDEWAYS = gaits.sidewinding(6.0, 3.0, wavelength=1.0, travel=-0.5)
WATER = Drag(linear=(2.0, 4.0, 4.0), angular=(0.05, 0.0, 0.0))  # N s/m^2, N s: for each metre


def test_a_chain_goes_the_way_of_the_body_in_space() -> None:
    """Sidewinding in a viscous fluid, a wave of 2 s: the mass centre of 8, 16 and 32 modules tends to that of the body.

    Order 2 in the length of a module. Both start without momentum: a head at rest is not a first module at rest.
    """
    body = ld.Robot("body")
    section = ld.robot.GivenSection((1.0,) * 6, mass=1.0, inertia=(1e-3, 5e-4, 5e-4))
    rod = body.base("head").rod("body", length=1.0, section=section, fields=SIDEWAYS.fields, nodes=24)
    body.wrench("water", on=rod, law=WATER, along=True)
    words: dict[str, Any] = {"gravity": (0, 0, 0), "t_end": 1.0, "dt": 0.01, "integrator": "rkmk4", "progress": False}
    way = ld.simulate(body, imposed=SIDEWAYS.imposed("body"), start="zero_momentum", **words).mass_centre.values
    errors = []
    for modules in (8, 16, 32):
        robot, laws, start = floating_chain(modules)
        found = ld.simulate(robot, imposed=laws, start=start, **words).mass_centre.values
        errors.append(np.linalg.norm((found[-1] - found[0]) - (way[-1] - way[0])))
    np.testing.assert_allclose(np.log2(np.array(errors[:-1]) / errors[1:]), 2.0, atol=0.4)


def test_all_gaits_that_bend() -> None:
    """Each gait of the library whose strains are bendings gives laws for all joints, periodic where it is."""
    for gait, t_end in (
        (gaits.helix(6.0, wavelength=1.0, travel=-0.5), None),
        (gaits.rolling(2.0, turn=1.5), None),
        (gaits.concertina(8.0, length=1.0, folds=2, period=4.0), None),
        (gaits.lateral_undulation(6.0, wavelength=1.0, travel=-0.5, turns=[gaits.Turn(1.0, 2.0, 2.0)]), 4.0),
    ):
        laws = module_gait(gait, length=1.0, modules=5, t_end=t_end).laws
        assert len(laws) in (4, 8)
        if gait.period is not None:
            for law in laws.values():
                assert law.at(0.3 + gait.period) == pytest.approx(law.at(0.3), abs=1e-9)


@pytest.mark.parametrize(
    "gait, words, message",
    [
        (gaits.peristalsis(0.5, wavelength=1.0, travel=0.1), {}, "has the strain 'stretch'; rigid modules follow bendings only"),
        (SIDEWAYS, {"modules": 1}, "cut into 1 modules; it must be a whole number of them, 2 or more"),
        (SIDEWAYS, {"yaw": ["a"]}, "1 yaw joints are named for 4 modules; there must be one fewer"),
        (
            gaits.omega_bend(1.0, length=1.0, period=1.0),
            {"pitch": ["a", "b", "c"]},
            "bends in one plane; it needs no pitch joints",
        ),
        (gaits.lateral_undulation(1.0, wavelength=1.0, travel=ld.polynomial(0, 0, 1)), {}, "has no period; give t_end="),
    ],
)
def test_what_modules_cannot_do(gait: gaits.BodyGait, words: dict[str, Any], message: str) -> None:
    with pytest.raises(ld.InputError, match=message):
        module_gait(gait, **({"length": 1.0, "modules": 4} | words))
