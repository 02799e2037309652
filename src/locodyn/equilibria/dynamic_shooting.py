"""Motion of one rod, clamped or free, in the strong form: shooting along s in every time step, with implicit differences in
time (Gotelli 2024, 2.2.2; Till, Aloi and Rucker 2019). A method to compare with; runs use strain modes.

In the axes of the sections, with strains (Gamma; K), twist (V; Omega) and the wrench (N; C) of the part beyond,

    g' = g hat(Gamma; K),          V' = -K x V - Gamma x Omega + Gammadot,       Omega' = -K x Omega + Kdot,
    N' = -K x N + rho A (Vdot + Omega x V - weight),       C' = -K x C - Gamma x N + rho J Omegadot + Omega x rho J Omega,

and (Gamma; K) = rest + H^-1 (N; C) for the strains that the rod has. Time derivatives are differences with what was there before,
ydot = a y + f (BDF of order 2, one step of order 1 to begin with), so that one unknown wrench at the root remains: Newton's
method finds it from the wrench at the tip. Of a free rod (:class:`FreeShooting`) the wrench at the root is known, and Newton's
method finds its twist there; the pose of the root follows by the trapezoidal rule, on SO(3) x R^3.

The problem along s that this leaves is the harder the smaller the step. Across a rod of mass m and rotary inertia j per metre and
bending stiffness EI, solutions of small motion go as exp(k s) with

    EI k^4 - j a^2 k^2 + m a^2 = 0,

and about its axis with k = a sqrt(j_x/GJ). Where Re(k) l is too large nothing is found from the root. At 8.7 and without rotary
inertia this is the law of Gotelli 2024, (2.23), h = l^2 sqrt(m/EI)/100. Thick rods need longer steps, and those that loads move
far two or three times that (:func:`critical_step`): Gotelli's soft flying rod, with j = 10 kg m, cannot be shot with
steps below half a second. In pieces it can (:mod:`locodyn.equilibria.strong_motion`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from locodyn.equilibria.strong_rods import Lost, hats
from locodyn.errors import InputError, RunError
from locodyn.robot.rods.rod import Rod
from locodyn.robot.rods.space import exponential

CRITICAL = 0.01  # psi of Gotelli 2024, (2.23)
_GROWTH = float(np.sqrt(0.75 / CRITICAL))  # Re(k) l at that step: k = (m a^2/EI)^(1/4) exp(i pi/4), a = 3/(2 h)
_ITERATIONS = 30
_LENGTHS = 0.5 ** np.arange(6)  # of a Newton step
_SETTLED = 1e-8  # of a Newton step, over the wrench
_DIFFERENCE = 1e-6
_RUNAWAY = 1e6


def critical_step(rod: Rod, parts: int = 1) -> float:
    """The step (s) below which shooting a rod in so many parts fails, by its softest bending and torsion."""
    from scipy.optimize import brentq

    here = rod.properties(0.5 * rod.length)
    stiffness, length = np.diag(here.stiffness), rod.length / parts
    bends = [(stiffness[k], here.inertia[k - 3]) for k in (4, 5) if rod.modes[k]]

    def excess(step: float) -> float:
        b = (1.5 / step) ** 2
        found = [np.sqrt(b * here.inertia[0] / stiffness[3])] if rod.modes[3] else []
        for bend, inertia in bends:
            square = (inertia * b + np.sqrt(complex((inertia * b) ** 2 - 4.0 * bend * here.mass * b))) / (2.0 * bend)
            found.append(np.sqrt(square).real)
        return float(length * max(found) / _GROWTH - 1.0)

    if not bends:
        raise InputError("dynamic shooting needs a rod that bends; give it functions of bending.")
    thin = CRITICAL * length**2 * float(np.sqrt(here.mass / min(bend for bend, _ in bends)))
    found: float = brentq(excess, 1e-3 * thin, 1e6 * thin, xtol=1e-12 * thin)
    return found


@dataclass(frozen=True, eq=False)
class ShotMotion:
    """``times`` (T,) s; ``tip`` (T, 3) m, seen from the root; ``wrench`` (T, 6) at the root; ``iterations`` (T,) of Newton."""

    times: np.ndarray
    tip: np.ndarray
    wrench: np.ndarray
    iterations: np.ndarray


@dataclass(frozen=True, eq=False)
class FlownMotion:
    """``times`` (T,) s; ``root`` and ``tip`` (T, 3) m in the world; ``iterations`` (T,) of Newton."""

    times: np.ndarray
    root: np.ndarray
    tip: np.ndarray
    iterations: np.ndarray


class DynamicShooting:
    """A rod that is clamped at its root, its axis there along x.

    Parameters
    ----------
    rod : Rod
        Of constant section, straight or curved at rest, without strands; its strains are those that have modes.
    gravity : (3,) m/s^2
    nodes : int
        Steps of Runge and Kutta's method of order 4 along the rod.
    """

    def __init__(self, rod: Rod, gravity: Any = (0.0, 0.0, -9.81), nodes: int = 40) -> None:
        if callable(rod.section) or callable(rod.material) or rod.fields or rod.fluid is not None:
            raise InputError("dynamic shooting takes rods of one section, without strain fields and fluid; use a run.")
        if np.any(rod.damping):
            raise InputError("dynamic shooting takes elastic rods, without damping; use a run.")
        if not any(rod.modes[4:]):
            raise InputError("dynamic shooting needs a rod that bends; give it functions of bending.")
        if nodes < 4:
            raise InputError(f"dynamic shooting has {nodes} steps along the rod; it takes 4 or more.")
        self.rod, self.gravity, self.nodes = rod, np.asarray(gravity, dtype=float), int(nodes)
        here = rod.properties(0.0)
        self.free = np.flatnonzero(rod.modes)
        self.compliance = np.linalg.inv(here.stiffness[np.ix_(self.free, self.free)])
        self.mass, self.inertia = here.mass, np.asarray(here.inertia, dtype=float)
        self.places = np.linspace(0.0, rod.length, 2 * self.nodes + 1)  # nodes and the middles between them
        self.rest = rod.rest(self.places)
        bending = max(float(here.stiffness[k, k]) for k in (4, 5)) / rod.length
        self.unit = np.repeat([bending / rod.length, bending], 3)
        self.size = self.unit  # of the unknowns at the root

    # ---------------------------------------------------------------------------------------------------- along the rod
    def strain(self, row: int, wrench: np.ndarray) -> np.ndarray:
        """(B, 6) at place ``row`` under wrenches (B, 6)."""
        found = np.repeat(self.rest[row][None], len(wrench), axis=0)
        found[:, self.free] += wrench[:, self.free] @ self.compliance.T
        return found

    def slope(self, row: int, y: np.ndarray, a: float, before: np.ndarray) -> np.ndarray:
        """Derivative along s of states (B, 24): rotation by rows, place, twist, wrench; ``before`` (12,): f of strain, twist."""
        rotation, twist, wrench = y[:, :9].reshape(-1, 3, 3), y[:, 12:18], y[:, 18:]
        x = self.strain(row, wrench)
        gamma, k, v, w = x[:, :3], x[:, 3:], twist[:, :3], twist[:, 3:]
        strain_rate, acceleration = a * x + before[:6], a * twist + before[6:]
        weight = np.einsum("bij,i->bj", rotation, self.gravity)
        bend = hats(k)
        along = bend @ np.stack([v, w, wrench[:, :3], wrench[:, 3:]], axis=2)  # K x V, K x Omega, K x N, K x C
        across = hats(gamma) @ np.stack([w, wrench[:, :3]], axis=2)  # Gamma x Omega, Gamma x N
        spin = hats(w) @ np.stack([v, self.inertia * w], axis=2)  # Omega x V, Omega x rho J Omega
        return np.concatenate(
            [
                (rotation @ bend).reshape(-1, 9),
                np.einsum("bij,bj->bi", rotation, gamma),
                strain_rate[:, :3] - along[:, :, 0] - across[:, :, 0],
                strain_rate[:, 3:] - along[:, :, 1],
                self.mass * (acceleration[:, :3] + spin[:, :, 0] - weight) - along[:, :, 2],
                self.inertia * acceleration[:, 3:] + spin[:, :, 1] - along[:, :, 3] - across[:, :, 1],
            ],
            axis=1,
        )

    def at_root(self, roots: np.ndarray) -> np.ndarray:
        """States (B, 24) at the root for the unknowns (B, 6): wrenches where it is clamped."""
        y = np.zeros((len(roots), 24))
        y[:, [0, 4, 8]], y[:, 18:] = 1.0, roots
        return y

    def shot(self, roots: np.ndarray, a: float, before: np.ndarray) -> np.ndarray:
        """States (nodes + 1, B, 24) along the rod from the unknowns (B, 6) at the root; ``before`` (2 nodes + 1, 12)."""
        y = self.at_root(roots)
        found, h = np.empty((self.nodes + 1, *y.shape)), self.rod.length / self.nodes
        found[0] = y
        for n in range(self.nodes):
            first, middle, last = before[2 * n : 2 * n + 3]
            k1 = self.slope(2 * n, y, a, first)
            k2 = self.slope(2 * n + 1, y + 0.5 * h * k1, a, middle)
            k3 = self.slope(2 * n + 1, y + 0.5 * h * k2, a, middle)
            k4 = self.slope(2 * n + 2, y + h * k3, a, last)
            y = y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
            found[n + 1] = y
            away = ~np.all(np.abs(y[:, 18:]) < _RUNAWAY * self.unit, axis=1)
            if away[0]:
                raise Lost
            y[away, 18:] = _RUNAWAY * self.unit  # a trial that leads nowhere
        return found

    # ------------------------------------------------------------------------------------------------------------ in time
    def run(self, t_end: float, step: float, tip_force: Any = (0.0, 0.0, 0.0)) -> ShotMotion:
        """The motion from rest without load to ``t_end`` (s) under weight and a dead force (3,) N at the tip."""
        if not (np.isfinite([t_end, step]).all() and 0.0 < step <= t_end):
            raise InputError(
                f"dynamic shooting runs to {t_end!r} s in steps of {step!r} s; the step must be positive and smaller."
            )
        force, count = np.asarray(tip_force, dtype=float), round(t_end / step)
        still = self._still()
        past, root = [still, still], np.zeros(6)
        tips, roots, used = [self._unbent()], [root], [0]
        for n in range(1, count + 1):
            a, old = (1.0 / step, -past[0] / step) if n == 1 else (1.5 / step, (-2.0 * past[0] + 0.5 * past[1]) / step)
            try:
                states, iterations = self._newton(root, a, self._between(old), force)
            except Lost:
                raise RunError(
                    f"dynamic shooting fails at t = {n * step:g} s with steps of {step:g} s; below about"
                    f" {critical_step(self.rod):.2g} s this rod cannot be solved from its root: take a longer step,"
                    " pieces (ShootingInTime), or a run."
                ) from None
            root = states[0, 18:]
            here = np.hstack([np.vstack([self.strain(2 * k, y[None, 18:])[0] for k, y in enumerate(states)]), states[:, 12:18]])
            past = [here, past[0]]
            tips.append(states[-1, 9:12])
            roots.append(root)
            used.append(iterations)
        return ShotMotion(step * np.arange(count + 1), np.array(tips), np.array(roots), np.array(used))

    def _still(self) -> np.ndarray:
        """Strain and twist (nodes + 1, 12) without load, at rest."""
        return np.hstack([self.rest[::2], np.zeros((self.nodes + 1, 6))])

    def _unbent(self) -> np.ndarray:
        """Place (3,) of the tip without load."""
        turn, place = np.eye(3), np.zeros(3)
        lengths = np.full(self.nodes, self.rod.length / self.nodes)
        turns, ways = exponential(lengths[:, None] * self.rest[1::2, :3], lengths[:, None] * self.rest[1::2, 3:])
        for own, way in zip(turns, ways, strict=True):
            place = place + turn @ way
            turn = turn @ own
        return place

    def _newton(self, root: np.ndarray, a: float, before: np.ndarray, force: np.ndarray) -> tuple[np.ndarray, int]:
        """States (nodes + 1, 24) whose wrench at the tip is that of the force, and the number of iterations.

        Slopes by forward differences, steps shortened to the one of six lengths that leaves least; all trials are shot at once.
        """
        changes = np.vstack([np.zeros(6), np.diag(_DIFFERENCE * self.size)])
        for iteration in range(1, _ITERATIONS + 1):
            left = self._left(self.shot(root + changes, a, before)[-1], force)
            slope = (left[1:] - left[0]).T / _DIFFERENCE
            step = np.linalg.solve(slope, -left[0])
            if not np.isfinite(step).all():
                raise Lost
            if np.abs(step).max() < _SETTLED * (1.0 + np.abs(root / self.size).max()):
                return self.shot(root[None], a, before)[:, 0], iteration
            trials = self.shot(root + _LENGTHS[:, None] * step * self.size, a, before)
            sizes = np.abs(self._left(trials[-1], force)).max(axis=1)
            root = root + _LENGTHS[int(np.argmin(sizes))] * step * self.size
        raise Lost

    def _left(self, tips: np.ndarray, force: np.ndarray) -> np.ndarray:
        """Wrench (B, 6) at the tips (B, 24) less that of the force, over the one that bends the rod by a radian."""
        load = np.einsum("bij,i->bj", tips[:, :9].reshape(-1, 3, 3), force)
        found: np.ndarray = (tips[:, 18:] - np.hstack([load, np.zeros_like(load)])) / self.unit
        return found

    def _between(self, nodes: np.ndarray) -> np.ndarray:
        """Values (2 n + 1, m) at the nodes and, by cubics through four of them, at the middles."""
        found = np.empty((2 * len(nodes) - 1, nodes.shape[1]))
        found[::2] = nodes
        found[3:-2:2] = (9.0 * (nodes[1:-2] + nodes[2:-1]) - nodes[:-3] - nodes[3:]) / 16.0
        found[1] = (5.0 * nodes[0] + 15.0 * nodes[1] - 5.0 * nodes[2] + nodes[3]) / 16.0
        found[-2] = (5.0 * nodes[-1] + 15.0 * nodes[-2] - 5.0 * nodes[-3] + nodes[-4]) / 16.0
        return found


class FreeShooting(DynamicShooting):
    """A rod that nothing holds, with dead loads at its root.

    Parameters
    ----------
    rod, gravity, nodes
        As of :class:`DynamicShooting`.
    load : function of t (s), or None
        Force and moment at the root, (6,) N, N m in world axes.
    rotation, place : (3, 3), (3,) m
        Of the root at the start, where the rod rests without strain.
    """

    def __init__(
        self, rod: Rod, load: Callable[[float], Any] | None = None, *, gravity: Any = (0.0, 0.0, 0.0), nodes: int = 40,
        rotation: Any = None, place: Any = (0.0, 0.0, 0.0),
    ) -> None:  # fmt: skip
        super().__init__(rod, gravity, nodes)
        self.load = load
        self.rotation = np.eye(3) if rotation is None else np.asarray(rotation, dtype=float)
        self.place = np.asarray(place, dtype=float)

    def at_root(self, roots: np.ndarray) -> np.ndarray:
        """States (B, 24) at the root that moves with the twists ``roots`` (B, 6): Lambda(0) is the opposite of the load."""
        middle = 0.5 * self.step * (roots[:, 3:] + self.twist[3:])
        turn = self.rotation @ exponential(np.zeros_like(middle), middle)[0]
        y = np.empty((len(roots), 24))
        y[:, :9] = turn.reshape(-1, 9)
        speed = np.einsum("bij,bj->bi", turn, roots[:, :3]) + self.rotation @ self.twist[:3]
        y[:, 9:12] = self.place + 0.5 * self.step * speed
        y[:, 12:18] = roots
        y[:, 18:21] = -np.einsum("bij,i->bj", turn, self.pushed[:3])
        y[:, 21:] = -np.einsum("bij,i->bj", turn, self.pushed[3:])
        return y

    def fly(self, t_end: float, step: float) -> FlownMotion:
        """The motion from rest to ``t_end`` (s)."""
        if not (np.isfinite([t_end, step]).all() and 0.0 < step <= t_end):
            raise InputError(
                f"dynamic shooting runs to {t_end!r} s in steps of {step!r} s; the step must be positive and smaller."
            )
        rest = self.rotation.copy(), self.place.copy()
        self.step, self.twist, root = step, np.zeros(6), np.zeros(6)
        self.size = np.repeat([self.rod.length / step, 1.0 / step], 3)
        past = [self._still()] * 2
        places, tips, used = [self.place], [self.place + self.rotation @ self._unbent()], [0]
        try:
            for n in range(1, round(t_end / step) + 1):
                a, old = (1.0 / step, -past[0] / step) if n == 1 else (1.5 / step, (-2.0 * past[0] + 0.5 * past[1]) / step)
                self.pushed = np.zeros(6) if self.load is None else np.asarray(self.load(n * step), dtype=float)
                states, iterations = self._newton(root, a, self._between(old), np.zeros(3))
                here = [self.strain(2 * k, y[None, 18:])[0] for k, y in enumerate(states)]
                past = [np.hstack([np.vstack(here), states[:, 12:18]]), past[0]]
                self.rotation, self.place = states[0, :9].reshape(3, 3), states[0, 9:12]
                self.twist = root = states[0, 12:18]
                places.append(self.place)
                tips.append(states[-1, 9:12])
                used.append(iterations)
        except (Lost, np.linalg.LinAlgError):
            raise RunError(
                f"dynamic shooting fails at t = {n * step:g} s with steps of {step:g} s; below about"
                f" {critical_step(self.rod):.2g} s this rod cannot be solved from its root: take a longer step,"
                " pieces (ShootingInTime), or a run."
            ) from None
        finally:
            self.rotation, self.place = rest
        return FlownMotion(step * np.arange(len(tips)), np.array(places), np.array(tips), np.array(used))
