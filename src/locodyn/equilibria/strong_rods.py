"""Rods in the strong form: strains that carry a wrench, and the differential equations along s, for many pieces of a rod at once.

Equations: :mod:`locodyn.equilibria.shooting`. Arrays have the leading dimensions (P pieces, B trials); a state (18,) is
the rotation of the section by rows, its place (m), and the wrench (N; C) of the part beyond on the part before, in the axes of
the section.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from dataclasses import field as made_by
from functools import cached_property
from itertools import pairwise

import numpy as np

from locodyn.errors import RunError
from locodyn.robot.layout import CHAMBER, MUSCLE
from locodyn.robot.rods.load import Spread
from locodyn.robot.rods.rod import Rod
from locodyn.robot.rods.slices import pose_between
from locodyn.robot.rods.strand import Strand

TOLERANCE = 1e-11  # of the integration along s
_RUNAWAY = 1e7  # a wrench of so many times that which bends its rod by a radian is the way of a bad guess
_EVALUATIONS = 4000
_STEPS = 64  # along a rod whose strain modes are known
Wrench = tuple[np.ndarray, np.ndarray]
Place = tuple[np.ndarray, np.ndarray]
PointLaw = Callable[[Place, float], Wrench]  # of the pose of a point and its place s on the rod
# of what goes on along pieces at one part (0 ... 1) of all of them: places s (P,), rotations (P, B, 3, 3), positions (P, B, 3)
Field = Callable[[float, np.ndarray, np.ndarray, np.ndarray], Wrench]


class Lost(Exception):
    """A trial that leads nowhere: the wrench grows out of all proportion."""


@dataclass(frozen=True)
class RodShape:
    """A rod in equilibrium.

    ``s`` (P,) m; ``position`` (P, 3) m and ``rotation`` (P, 3, 3) in the world; ``strain`` and ``wrench`` (P, 6) in the sections.
    """

    s: np.ndarray
    position: np.ndarray
    rotation: np.ndarray
    strain: np.ndarray
    wrench: np.ndarray


def hats(w: np.ndarray) -> np.ndarray:
    """(..., 3, 3) of the vectors (..., 3)."""
    result = np.zeros((*w.shape, 3))
    result[..., 2, 1], result[..., 0, 2], result[..., 1, 0] = w[..., 0], w[..., 1], w[..., 2]
    return result - np.swapaxes(result, -1, -2)


def times(matrices: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """(..., 3, 3) times (..., 3)."""
    return np.asarray((matrices @ vectors[..., None])[..., 0])


@dataclass(eq=False)
class Arc:
    """A rod: ``frame`` of the compiled robot that carries its root, pose of the root there, what acts on it."""

    name: str
    rod: Rod
    frame: int
    pose: Place
    strands: list[tuple[Strand, float]]
    gravity: np.ndarray
    loads: dict[float, list[PointLaw]] = made_by(default_factory=dict)
    spreads: list[tuple[Spread, PointLaw]] = made_by(default_factory=list)
    places: set[float] = made_by(default_factory=set)  # where other rods and joints are on it, m
    field: Field | None = None  # what acts on a metre of all pieces, beside weight and spreads; not scaled with the load
    tolerance: float = TOLERANCE

    @cached_property
    def edges(self) -> list[float]:
        """Places (m) where something is attached, begins or ends, with both ends of the rod."""
        inner = {*self.loads, *self.places, *(s for x, _ in self.spreads for s in (x.start, *x.knots))}
        spans = [(x.start, x.end) for x, _ in self.strands] + [(x.start, x.end) for x, _ in self.spreads]
        inner |= {s for span in spans for s in span if s is not None}
        return sorted({0.0, self.rod.length} | {s for s in inner if 0.0 < s < self.rod.length})

    @cached_property
    def unit(self) -> np.ndarray:
        """Forces and couples (6,) of the size that bends the rod by a radian."""
        stiffness = np.diag(self.rod.properties(0.5 * self.rod.length).stiffness)
        bending = float(np.max(stiffness[3:])) / self.rod.length
        return np.repeat([bending / self.rod.length, bending], 3)

    @cached_property
    def _same(self) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
        """:meth:`sections` of one place, where all are the same."""
        varies = any(map(callable, (self.rod.section, self.rod.material, self.rod.rest_curvature)))
        return None if varies else self._sections(np.zeros(1))

    @cached_property
    def _compliance(self) -> np.ndarray | None:
        """Strains for a wrench (n, n), transposed, along what the rod has, where all sections are the same."""
        free = np.flatnonzero(self.rod.modes)
        return None if self._same is None else np.linalg.inv(self._same[0][0][np.ix_(free, free)]).T

    def _sections(self, s: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        found = [self.rod.properties(float(place)) for place in s]
        return np.array([x.stiffness for x in found]), np.array([x.mass for x in found]), self.rod.rest(s)

    def sections(self, s: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Stiffness (P, 6, 6), mass per metre (P,) and strain without load (P, 6) at s (P,)."""
        if self._same is None:
            return self._sections(s)
        stiffness, mass, rest = self._same
        return np.repeat(stiffness, len(s), axis=0), np.repeat(mass, len(s)), np.repeat(rest, len(s), axis=0)

    def inertia(self, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mass (P or 1, 1, 1) kg and moments of inertia (P or 1, 1, 3) kg m of a metre at s (P,)."""
        return self._inertia(s) if self._same is None else self._same_inertia

    @cached_property
    def _same_inertia(self) -> tuple[np.ndarray, np.ndarray]:
        return self._inertia(np.zeros(1))

    def _inertia(self, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        found = [self.rod.properties(float(x)) for x in s]
        return np.array([[[x.mass]] for x in found]), np.array([[x.inertia] for x in found], dtype=float)

    def acting(self, middle: np.ndarray) -> list[tuple[Strand, np.ndarray]]:
        """Strands and their size (P,) on the pieces with these middles: they end at edges."""
        result = []
        for strand, size in self.strands:
            end = self.rod.length if strand.end is None else strand.end
            result.append((strand, np.where((middle > strand.start) & (middle < end), size, 0.0)))
        return result

    def strain(self, s: np.ndarray, wrench: np.ndarray, load: float, acting: list[tuple[Strand, np.ndarray]]) -> np.ndarray:
        """Gamma, K (P, B, 6) that carry the wrench (N; C): Newton's method where tendons depend on the strain."""
        free = np.flatnonzero(self.rod.modes)
        if not acting and self._same is not None and self._compliance is not None:
            strain = np.repeat(np.repeat(self._same[2], len(s), axis=0)[:, None], wrench.shape[1], axis=1)
            strain[..., free] += wrench[..., free] @ self._compliance
            return strain
        stiffness, _, rest = self.sections(s)
        strain = np.repeat(rest[:, None], wrench.shape[1], axis=1)
        block = np.ix_(np.arange(len(s)), free, free)
        fixed = np.zeros((len(s), 6))
        bending = []
        for strand, size in acting:
            if strand.kind == MUSCLE:
                six = [np.array([strand.six(what, float(x)) for x in s]) for what in ("stress", "active_stiffness")]
                fixed += load * size[:, None] * six[0]
                stiffness = stiffness + load * size[:, None, None] * six[1][:, :, None] * np.eye(6)
            elif strand.kind == CHAMBER:
                pull = np.zeros((len(s), 3))
                pull[:, 0] = -load * size * strand.area
                fixed += np.hstack([pull, np.cross([strand.place(float(x)) for x in s], pull)])
            else:
                arm = hats(np.array([strand.place(float(x)) for x in s]))[:, None]
                along = np.array([strand.slope(float(x), self.rod.length) for x in s])[:, None]
                bending.append((arm, along, load * size[:, None, None]))
        for _ in range(50):
            stress, slope = np.repeat(fixed[:, None], wrench.shape[1], axis=1), np.zeros((*strain.shape, 6))
            for arm, along, size in bending:
                line = strain[..., :3] - times(arm, strain[..., 3:]) + along
                length = np.linalg.norm(line, axis=-1, keepdims=True)
                u = line / length
                stress = stress + size * np.concatenate([u, times(arm, u)], axis=-1)
                turn = (size / length)[..., None] * (np.eye(3) - u[..., :, None] * u[..., None, :])
                slope[..., :3, :3] += turn
                slope[..., :3, 3:] -= turn @ arm
                slope[..., 3:, :3] += arm @ turn
                slope[..., 3:, 3:] -= arm @ turn @ arm
            left = (wrench - stress)[..., free] - ((strain - rest[:, None])[..., free] @ np.swapaxes(stiffness[block], 1, 2))
            matrix = stiffness[block][:, None] + slope[..., free[:, None], free[None, :]]
            step = np.linalg.solve(matrix, left[..., None])[..., 0]
            strain[..., free] += step
            if not bending or np.max(np.abs(step)) < 1e-13 * (1.0 + np.max(np.abs(strain))):
                return strain
        raise RunError(f"no strain carries the load of rod '{self.name}'.")

    def integrated(self, low: np.ndarray, high: np.ndarray, states: np.ndarray, load: float) -> np.ndarray:
        """States (P, B, 18) at the ends ``high`` (P,) of pieces, from those at their beginnings ``low`` (P,), m."""
        found: np.ndarray = self.along(low, high, states, load, (1.0,))[0]
        return found

    def along(self, low: np.ndarray, high: np.ndarray, states: np.ndarray, load: float, parts: Sequence[float]) -> np.ndarray:
        """States (len(parts), P, B, 18) at these parts of the pieces, 0 ... 1 in order."""
        from scipy.integrate import solve_ivp

        acting = self.acting(0.5 * (low + high))
        span, shape, used = high - low, states.shape, 0
        middle = 0.5 * (low + high)

        def slope(part: float, flat: np.ndarray) -> np.ndarray:
            nonlocal used
            used += 1
            y = flat.reshape(shape)
            if used > _EVALUATIONS or not np.all(np.abs(y[..., 12:]) < _RUNAWAY * self.unit):
                raise Lost
            s = low + part * span
            rotation, n, c = y[..., :9].reshape(*shape[:2], 3, 3), y[..., 12:15], y[..., 15:]
            x = self.strain(s, y[..., 12:], load, acting)
            k, gamma = x[..., 3:], x[..., :3]
            _, mass, _ = self.sections(s)
            weight = load * mass[:, None, None] * np.einsum("pbij,i->pbj", rotation, self.gravity)
            turning = hats(k)
            rates = [(rotation @ turning).reshape(*shape[:2], 9), times(rotation, gamma)]
            rates += [-times(turning, n) - weight, -times(turning, c) - times(hats(gamma), n)]
            for spread, law in self.spreads:
                end = self.rod.length if spread.end is None else spread.end
                for p in np.flatnonzero((middle > spread.start) & (middle < end)):
                    factor = load * spread.factor(float(s[p]))
                    for b in range(shape[1]):
                        force, moment = law((rotation[p, b], y[p, b, 9:12]), float(s[p]))
                        rates[2][p, b] -= factor * force
                        rates[3][p, b] -= factor * moment
            if self.field is not None:
                force, moment = self.field(part, s, rotation, y[..., 9:12])
                rates[2] -= force
                rates[3] -= moment
            found: np.ndarray = (np.concatenate(rates, axis=-1) * span[:, None, None]).ravel()
            return found

        small = self.tolerance * np.concatenate([np.ones(9), np.full(3, self.rod.length), self.unit])
        options = {"method": "DOP853", "rtol": self.tolerance, "atol": np.tile(small, shape[0] * shape[1])}
        with np.errstate(all="ignore"):
            run = solve_ivp(slope, (0.0, 1.0), states.ravel(), t_eval=parts, **options)
        if run.status != 0 or not np.isfinite(run.y).all():
            raise Lost
        found: np.ndarray = run.y.T.reshape(len(parts), *shape)
        return found

    def shape(self, edges: np.ndarray, starts: np.ndarray, count: int) -> RodShape:
        """The rod at ``count`` equal places, from the states (P, 18) at the beginnings of its pieces."""
        places = np.linspace(0.0, self.rod.length, count)
        piece = np.clip(np.searchsorted(edges, places, side="right") - 1, 0, len(starts) - 1)
        low = edges[piece]
        states = starts[piece]
        inner = places > low + 1e-12 * self.rod.length
        if inner.any():  # places of one piece share its strands: the middles of what is integrated lie in it
            states[inner] = self.integrated(low[inner], places[inner], starts[piece[inner]][:, None], 1.0)[:, 0]
        middle = 0.5 * (edges[piece] + edges[piece + 1])
        strain = self.strain(places, states[:, None, 12:], 1.0, self.acting(middle))[:, 0]
        return RodShape(places, states[:, 9:12], states[:, :9].reshape(-1, 3, 3), strain, states[:, 12:])


def pose_along(rod: Rod, start: float, end: float, q: np.ndarray) -> Place:
    """Pose at ``end`` seen from ``start`` (m) of a rod with the strain modes q (count,), by steps of a 64th of its length."""
    turn, place = np.eye(3), np.zeros(3)
    count = int(np.ceil(_STEPS * (end - start) / rod.length - 1e-9))
    for low, high in pairwise(np.linspace(start, end, count + 1)):
        own, way = pose_between(rod, float(low), float(high), q[None])
        turn, place = turn @ own[0], place + turn @ way[0]
    return turn, place
