"""The internal wrench along a rod from the balance of its parts, and how far its slices are from the continuous rod.

In fixed axes about the root, with d(s) what a metre of rod takes up (its inertia less its loads) and J_k what is attached at s_k
or acts there at a point (Ali 2011, (5.34) in fixed axes; the sign of jumps is that of a wrench -J_k on the rod),

    Lambda(s) = -sum over s_k >= s of J_k - integral of d from s to the tip.

Lambda(s) is the wrench of the part beyond s on the part before. At the nodes that carry the mass, d is known: what the recursion
finds there over the weight of the node. The polynomial through them has the integral that their quadrature says, so that the
field begins at the root with the very wrench of the recursion, jumps where something is attached, and ends with what is at the
tip. At a contact itself Lambda is that of the side of the root; where a contact holds the root, the one inside the rod,
Lambda(0) = -F_- (Ali 2011, (5.21)).

A continuous rod that moves alike has another inertia: integrated by the method of Runge and Kutta on half slices, (5.11)-(5.13),
and the rule of Simpson, it differs from the sum over the nodes by the error of both discretisations. That is
Lambda(l) - F_+ of a recursion from root to tip (Ali 2011, 5.3): the self-test of the slices, of order 4 in their length.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

import locodyn.robot.layout as layout
from locodyn.dynamics.model import Model
from locodyn.locomotion.constraint_arrays import ConstraintArrays
from locodyn.robot.body import Body
from locodyn.robot.rods.rod import Rod
from locodyn.robot.rods.space import SPACES

_CLOSE = 1e-9  # of the length: places nearer than that are one


@dataclass(frozen=True, eq=False)
class Slices:
    """The slices of a rod: ``frames`` (K,) at their ``ends`` (K,) m, the frames with which they ``start``, and their joint."""

    body: Body
    frames: np.ndarray
    starts: np.ndarray
    ends: np.ndarray
    positions: slice
    velocities: slice

    @property
    def rod(self) -> Rod:
        """The rod."""
        assert self.body.joint.rod is not None
        return self.body.joint.rod


def slices_of(model: Model, body: Body) -> Slices:
    """The slices of the rod whose tip is ``body``."""
    compiled, rod = model.compiled, body.joint.rod
    assert rod is not None
    joint = compiled.joint_index(body.joint.name)
    frames = np.array(compiled.joint_frames[joint])
    ends = np.cumsum(model.constants[frames, layout.SLICE.length])
    n = len(SPACES[rod.space].shares)  # frames of a slice: only their ends are on the rod
    spans = compiled.joint_positions[joint], compiled.joint_velocities[joint]
    return Slices(body, frames[n - 1 :: n], frames[::n], ends[n - 1 :: n], *spans)


def carried_wrench(
    model: Model, slices: Slices, poses: np.ndarray, transmitted: np.ndarray, places: np.ndarray, turns: np.ndarray,
    line: np.ndarray, contacts: ContactForces,
) -> np.ndarray:  # fmt: skip
    """Lambda at the places (P,) m of a rod: (N, P, 6), (force; moment) in the axes of the sections.

    Parameters
    ----------
    poses : (N, nf, 12) of the frames in the world
    transmitted : (N, nf, 6)
        Wrench that the parent of each frame exerts on it, in its frame.
    places, turns, line : (P,) m, (N, P, 3, 3), (N, P, 3) m
        Where on the rod, and the poses of the sections there.
    contacts : forces of the contacts on this rod
    """
    rod, origin = slices.rod, line[:, :1]
    there = poses[:, slices.frames]
    beyond = _fixed(there[..., :9].reshape(*there.shape[:2], 3, 3), there[..., 9:] - origin, transmitted[:, slices.frames])
    taken = beyond.copy()
    taken[:, :-1] -= beyond[:, 1:]
    pushes, where = contacts.fixed(slices, poses, origin[:, 0], taken)
    at, weights = _nodes(rod, slices.ends)
    shared = _shared(model, slices)
    alone = np.array([k not in shared for k in at])
    density, integral = through_nodes(slices.ends[at[alone]], slices.ends[at], places, rod.length)
    smooth = np.einsum("pn,tnc->tpc", integral, taken[:, at[alone]] / weights[alone][:, None])
    taken[:, at] -= weights[:, None] * np.einsum("pn,tnc->tpc", density, taken[:, at[alone]] / weights[alone][:, None])
    taken[:, at[alone]] = 0.0
    lambda_ = -smooth - np.einsum("pk,tkc->tpc", _ahead(model, slices, places), taken)
    near = _CLOSE * rod.length
    ahead = np.where(places > near, where[:, :, None] >= places - near, where[:, :, None] > near)  # a grip at the root: inside
    lambda_ += np.einsum("tcp,tcx->tpx", ahead, pushes)
    return _local(turns, line - origin, lambda_)


class ContactForces:
    """Forces of contacts on rods, which sit anywhere between nodes; a recursion takes them as acting on the node before.

    ``bodies``: the rod of each contact; N instants.
    """

    def __init__(self, count: int, bodies: Sequence[str]) -> None:
        self.bodies = list(bodies)
        self.frame = np.zeros((count, len(bodies)), dtype=int)  # that takes the force in the recursion
        self.wrench = np.zeros((count, len(bodies), 6))  # on it, in its axes
        self.abscissa = np.full((count, len(bodies)), -np.inf)  # m

    def take(self, n: int, rows: ConstraintArrays, multipliers: Mapping[int, float]) -> None:
        """Note the forces of instant n, by the rows that were filled last; ``multipliers`` by the number of their row."""
        found = rows.rod_contacts
        if found is None:
            return
        for c in range(len(self.bodies)):
            first, count = int(found.first_row[c]), int(found.count[c])
            self.frame[n, c] = rows.frame[first]
            self.wrench[n, c] = sum(multipliers[m] * rows.cotwist[m] for m in range(first, first + count))
            self.abscissa[n, c] = found.abscissa[c]

    def on(self, body: str) -> ContactForces:
        """Those on one rod."""
        mine = [c for c, name in enumerate(self.bodies) if name == body]
        result = ContactForces(len(self.frame), [body] * len(mine))
        result.frame, result.wrench, result.abscissa = self.frame[:, mine], self.wrench[:, mine], self.abscissa[:, mine]
        return result

    def fixed(self, slices: Slices, poses: np.ndarray, origin: np.ndarray, taken: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The forces in fixed axes (N, C, 6) and their places (N, C); ``taken`` (N, K, 6) is freed of them."""
        result, numbers = np.zeros_like(self.wrench), {int(frame): k for k, frame in enumerate(slices.frames)}
        for n, c in np.ndindex(self.frame.shape):
            frame = int(self.frame[n, c])
            if frame < 0 or not self.wrench[n, c].any():
                continue
            pose = poses[n, frame]
            result[n, c] = _fixed(pose[:9].reshape(3, 3), pose[9:] - origin[n], self.wrench[n, c])
            if frame in numbers:
                taken[n, numbers[frame]] += result[n, c]
        return result, self.abscissa


def _fixed(turn: np.ndarray, place: np.ndarray, wrench: np.ndarray) -> np.ndarray:
    """A wrench in the axes of a frame, in fixed axes about the origin of ``place``."""
    force = np.einsum("...ij,...j->...i", turn, wrench[..., :3])
    moment = np.einsum("...ij,...j->...i", turn, wrench[..., 3:]) + _cross(place, force)
    return np.concatenate([force, moment], axis=-1)


def _local(turn: np.ndarray, place: np.ndarray, wrench: np.ndarray) -> np.ndarray:
    """The inverse of :func:`_fixed`."""
    moment = wrench[..., 3:] - _cross(place, wrench[..., :3])
    both = (np.einsum("...ji,...j->...i", turn, x) for x in (wrench[..., :3], moment))
    return np.concatenate([*both], axis=-1)


def _nodes(rod: Rod, ends: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of the slices at whose end a node is, and the weights of these nodes, m."""
    at, kept = [], []
    for s, weight in zip(*rod.quadrature_nodes(), strict=True):
        k = int(np.argmin(np.abs(ends - s)))
        if abs(ends[k] - s) <= _CLOSE * rod.length:
            at.append(k)
            kept.append(weight)
    return np.array(at, dtype=int), np.array(kept)


def _shared(model: Model, slices: Slices) -> set[int]:
    """Numbers of the slices at whose end more is than a node: other bodies, point loads, the tip."""
    compiled, found = model.compiled, {len(slices.frames) - 1}
    own = set(slices.starts) | set(slices.frames)
    busy = {int(parent) for k, parent in enumerate(model.frames[:, layout.PARENT]) if k not in own}
    busy |= {int(frame) for frame in compiled.body_frame}
    spread = _spread(model)
    busy |= {wrench.frame for wrench in compiled.wrenches if wrench.name not in spread}
    busy |= {frame for tie in compiled.ties for frame in tie.frames}
    return found | {k for k, frame in enumerate(slices.frames) if int(frame) in busy}


def _spread(model: Model) -> set[str]:
    """Names of the wrench laws that act along a rod."""
    return {wrench.name for wrench in model.compiled.description.wrenches if wrench.spread is not None}


def through_nodes(nodes: np.ndarray, at: np.ndarray, places: np.ndarray, length: float) -> tuple[np.ndarray, np.ndarray]:
    """The polynomial through values at ``nodes``: its values at the places ``at``, its integral from ``places`` to the tip."""
    legendre = np.polynomial.legendre
    n = len(nodes)
    x, y, z = (2.0 * np.asarray(s) / length - 1.0 for s in (nodes, at, places))
    inverse = np.linalg.inv(legendre.legvander(x, n - 1)) if n else np.zeros((0, 0))
    whole = np.array([legendre.legint(unit) for unit in np.eye(n)]).reshape(n, n + 1)
    ends = legendre.legval(1.0, whole.T)[:, None] - legendre.legval(z, whole.T)
    return legendre.legvander(y, max(n - 1, 0))[:, :n] @ inverse, 0.5 * length * ends.T @ inverse


def _ahead(model: Model, slices: Slices, places: np.ndarray) -> np.ndarray:
    """(P, K): 1 where the end of a slice lies at a place or beyond it, else 0.

    A load that is spread along the rod, on points of its own, comes in evenly between the middles of these points.
    """
    result = (slices.ends[None, :] >= places[:, None] - _CLOSE * slices.rod.length).astype(float)
    numbers = {int(frame): k for k, frame in enumerate(slices.frames)}
    laws: dict[str, list[int]] = {}
    spread = _spread(model)
    for wrench in model.compiled.wrenches:
        if wrench.name in spread and wrench.frame in numbers:
            laws.setdefault(wrench.name, []).append(numbers[wrench.frame])
    for points in laws.values():
        at = slices.ends[sorted(points)]
        if len(at) > 1:
            middles = 0.5 * (at[1:] + at[:-1])
            edges = np.concatenate([[2.0 * at[0] - middles[0]], middles, [2.0 * at[-1] - middles[-1]]])
            for k, left, right in zip(sorted(points), edges[:-1], edges[1:], strict=True):
                result[:, k] = np.clip((right - places) / (right - left), 0.0, 1.0)
    return result


# ------------------------------------------------------------------------------------------------------------- the self-test
def balance_residual(model: Model, slices: Slices, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
    """Lambda(l) - F_+ at the tip, in its axes: (N, 6), from states and accelerations (N, ...); see the head of this file."""
    rod = slices.rod
    sampled = [model.kinematics(*state) for state in zip(q, v, a, strict=True)]
    shape = len(q), model.nf, 12  # a run that fails as it goes on adds no record
    poses, motions = (np.array([sample[n] for sample in sampled]).reshape(shape) for n in range(2))
    root = _root(model, slices, poses, motions)
    origin = root[1]
    strains = rod.strain_motion(_stations(slices.ends), q[:, slices.positions], v[:, slices.velocities], a[:, slices.velocities])
    state, total = root, np.zeros((len(q), 6))
    places, before = np.concatenate([[0.0], slices.ends]), _density(model, rod, 0.0, root, origin)
    for k, (left, right) in enumerate(pairwise(places)):
        h = right - left
        half = _runge_kutta(state, 0.5 * h, strains[:, :, 4 * k : 4 * k + 3])
        state = _runge_kutta(half, 0.5 * h, strains[:, :, 4 * k + 2 : 4 * k + 5])
        middle, after = (_density(model, rod, s, one, origin) for s, one in ((left + 0.5 * h, half), (right, state)))
        total += h / 6.0 * (before + 4.0 * middle + after)
        before = after
    for s, weight in zip(*rod.quadrature_nodes(), strict=True):
        k = int(np.argmin(np.abs(slices.ends - s)))
        frame = slices.frames[k]
        turn, place = poses[:, frame, :9].reshape(-1, 3, 3), poses[:, frame, 9:]
        node = root if s == 0.0 else (turn, place, motions[:, frame, :6], motions[:, frame, 6:])
        total -= weight * _density(model, rod, float(s), node, origin)
    return _local(state[0], state[1] - origin, total)


State = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]  # rotations, positions, twists, their rates: (N, ...)


def _stations(ends: np.ndarray) -> np.ndarray:
    """Places of quarters of slices, both ends included: (4 K + 1,)."""
    starts = np.concatenate([[0.0], ends[:-1]])
    quarters = starts[:, None] + (ends - starts)[:, None] * np.array([0.0, 0.25, 0.5, 0.75])
    return np.append(quarters.ravel(), ends[-1])


def _root(model: Model, slices: Slices, poses: np.ndarray, motions: np.ndarray) -> State:
    """Motion of the section at the root."""
    first = int(slices.starts[0])
    parent, row = int(model.frames[first, layout.PARENT]), model.constants[first]
    turn = row[layout.OFFSET_ROTATION : layout.OFFSET_ROTATION + 9].reshape(3, 3)
    shift = row[layout.OFFSET_POSITION : layout.OFFSET_POSITION + 3]
    rotation, place = poses[:, parent, :9].reshape(-1, 3, 3), poses[:, parent, 9:]
    seen = [
        np.concatenate([(x[:, :3] + _cross(x[:, 3:], shift)) @ turn, x[:, 3:] @ turn], axis=1)
        for x in (motions[:, parent, :6], motions[:, parent, 6:])
    ]
    return rotation @ turn, place + rotation @ shift, seen[0], seen[1]


def _density(model: Model, rod: Rod, s: float, state: State, origin: np.ndarray) -> np.ndarray:
    """Rate of the momentum of a metre of rod less its weight, in fixed axes: (N, 6)."""
    turn, place, twist, rate = state
    section, added = rod.properties(s), rod.added(s)
    inertia = np.diag([section.mass] * 3 + list(section.inertia)) + (0.0 if added is None else added)
    momentum = twist @ inertia.T
    w, x = twist[:, 3:], twist[:, :3]
    wrench = rate @ inertia.T
    wrench[:, :3] += _cross(w, momentum[:, :3]) - section.mass * np.einsum("nji,j->ni", turn, model.gravity)
    wrench[:, 3:] += _cross(w, momentum[:, 3:]) + _cross(x, momentum[:, :3])
    return _fixed(turn, place - origin, wrench)


def _runge_kutta(state: State, h: float, strains: np.ndarray) -> State:
    """One step of length h (m) along the rod, with (strain, rate, acceleration) at its start, middle and end: (3, N, 3, 6)."""

    def slope(at: Sequence[np.ndarray], n: int) -> State:
        turn, _, eta, rate = at
        (g, k), (dg, dk) = ((x[:, n, :3], x[:, n, 3:]) for x in strains[:2])
        twist = strains[1][:, n] - _bracket(g, k, eta)
        return (
            _cross(turn, k[:, None]),  # R hat(K): its rows are r x K
            np.einsum("nij,nj->ni", turn, g),
            twist,
            strains[2][:, n] - _bracket(g, k, rate) - _bracket(dg, dk, eta),
        )

    def moved(by: State, step: float) -> list[np.ndarray]:
        return [x + step * dx for x, dx in zip(state, by, strict=True)]

    one = slope(state, 0)
    two = slope(moved(one, 0.5 * h), 1)
    three = slope(moved(two, 0.5 * h), 1)
    four = slope(moved(three, h), 2)
    turn, place, twist, rate = (
        x + h / 6.0 * (a + 2.0 * b + 2.0 * c + d) for x, a, b, c, d in zip(state, one, two, three, four, strict=True)
    )
    return turn, place, twist, rate


def _bracket(g: np.ndarray, k: np.ndarray, eta: np.ndarray) -> np.ndarray:
    """ad(xi) eta, xi = (g; k)."""
    v, w = eta[:, :3], eta[:, 3:]
    return np.concatenate([_cross(k, v) + _cross(g, w), _cross(k, w)], axis=1)


def _cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a x b along the last axis: what ``np.cross`` gives, in a quarter of its time for a few hundred vectors."""
    found = np.empty(np.broadcast_shapes(a.shape, b.shape))
    found[..., 0] = a[..., 1] * b[..., 2] - a[..., 2] * b[..., 1]
    found[..., 1] = a[..., 2] * b[..., 0] - a[..., 0] * b[..., 2]
    found[..., 2] = a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    return found
