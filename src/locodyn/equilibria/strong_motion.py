"""Motion of robots with rods in the strong form: shooting along s in every time step, with implicit differences in time
(Gotelli 2024, 2.2.2). A method to compare with; runs use strain modes.

A step looks for poses, wrenches and multipliers at its end as statics by shooting does (:mod:`locodyn.equilibria.shooting`), with
inertia among the loads: of each section and body

    rdot = a r + f,     rddot = a rdot + f',     Omega = T(Theta) (a Theta + phi),     Omegadot = a Omega + f",
    Theta = log(R_n^T R),

BDF of order 2 in the place r and in the rotation vector Theta from the last step on (a = 3/(2 h); the first step is one of order
1), so that nothing but the pose is unknown. Clamped and free rods, trees, joints and closed loops are the same to it.

The problem along s is the harder the smaller the step (:mod:`locodyn.equilibria.critical_step`). A rod in n pieces, which is
multiple shooting, takes steps that are n^2 times shorter, or n times where rotary inertia rules.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from locodyn.equilibria.critical_step import critical_step
from locodyn.equilibria.shooting import PieceSolver, Trial
from locodyn.equilibria.strong_form import Pieces, StrongForm
from locodyn.equilibria.strong_loops import Named
from locodyn.equilibria.strong_rods import Arc, Place, PointLaw, Wrench, hats, pose_along, times
from locodyn.errors import InputError, RunError
from locodyn.locomotion.problem import Problem
from locodyn.robot.layout import DOF_ARMATURE
from locodyn.robot.pose import Pose
from locodyn.robot.values import float_of
from locodyn.world.laws import Thrust, WorldForce

WHO = Named("shooting in time", "use a run")
_POINTS = 0.5 - 0.5 * np.cos(np.pi * np.arange(9) / 8.0)  # of a piece, 0 ... 1: Chebyshev's, where its past is kept
_WEIGHTS = np.array([0.5, -1, 1, -1, 1, -1, 1, -1, 0.5])  # of barycentric interpolation between them
_SPACE, _TIME = 1e-8, 1e-7  # tolerances: along s, and of what a step leaves


@dataclass(frozen=True, eq=False)
class StrongMotion:
    """``times`` (T,) s; ``q`` (T, nq): joints, strain modes as at the start; ``iterations`` (T,) of Newton's method.

    ``places``: points s (P,) m of each rod, by name; ``position`` (T, P, 3) m in the world and ``wrench`` (T, P, 6) in the axes
    of the sections there; ``multipliers``: force (T,) of each row of a closed loop, by name.
    """

    times: np.ndarray
    q: np.ndarray
    iterations: np.ndarray
    places: dict[str, np.ndarray]
    position: dict[str, np.ndarray]
    wrench: dict[str, np.ndarray]
    multipliers: dict[str, np.ndarray]


class _Past:
    """Poses of many points (N,) before a step, and the motion that a pose at its end means."""

    def __init__(self, rotation: np.ndarray, position: np.ndarray) -> None:
        still = np.zeros_like(position)
        self.rotation, self.position, self.turn = rotation, position, still  # turn: from the step before to the last
        self.before, self.speed, self.old_speed, self.spin, self.old_spin = position, still, still, still, still

    def differences(self, step: float, first: bool) -> np.ndarray:
        """(N, 21): R_n by rows, phi, and f of rdot, rddot, Omegadot."""
        one, two = (1.0, 0.0) if first else (2.0, -0.5)
        backs = [-(one * now + two * old) / step for now, old in self._pairs()]
        return np.concatenate([self.rotation.reshape(-1, 9), two * self.turn / step, *backs], axis=-1)

    def _pairs(self) -> tuple[tuple[np.ndarray, np.ndarray], ...]:
        return (self.position, self.before), (self.speed, self.old_speed), (self.spin, self.old_spin)

    def advance(self, a: float, past: np.ndarray, rotation: np.ndarray, position: np.ndarray) -> None:
        """Take the poses at the end of a step as the last ones."""
        turn, speed, _, spin, _ = _motion(a, past, rotation, position)
        self.rotation, self.turn = rotation, turn
        self.before, self.old_speed, self.old_spin = self.position, self.speed, self.spin
        self.position, self.speed, self.spin = position, speed, spin


def _motion(a: float, past: np.ndarray, rotation: np.ndarray, position: np.ndarray) -> tuple[np.ndarray, ...]:
    """Theta, rdot, rddot (world), Omega, Omegadot (body) of poses (..., 3, 3), (..., 3) after what was ``past`` (..., 21)."""
    turn = np.swapaxes(past[..., :9].reshape(*past.shape[:-1], 3, 3), -1, -2) @ rotation
    skew = 0.5 * np.stack(
        [turn[..., 2, 1] - turn[..., 1, 2], turn[..., 0, 2] - turn[..., 2, 0], turn[..., 1, 0] - turn[..., 0, 1]], axis=-1
    )
    sine, cosine = np.linalg.norm(skew, axis=-1), 0.5 * (np.trace(turn, axis1=-2, axis2=-1) - 1.0)
    angle = np.arctan2(sine, cosine)
    theta = skew * np.where(sine > 1e-8, angle / np.where(sine > 1e-8, sine, 1.0), 1.0)[..., None]
    # Omega = a Theta + T(Theta) phi, T = 1 - (1 - cos)/x^2 hat + (x - sin)/x^3 hat^2, x = |Theta|
    small = angle < 1e-2
    safe, phi = np.where(small, 1.0, angle), past[..., 9:12]
    c1 = np.where(small, 0.5 - angle**2 / 24.0, (1.0 - np.cos(safe)) / safe**2)[..., None]
    c2 = np.where(small, 1.0 / 6.0 - angle**2 / 120.0, (safe - np.sin(safe)) / safe**3)[..., None]
    turning = hats(theta)
    once = times(turning, phi)
    spin = a * theta + phi - c1 * once + c2 * times(turning, once)
    speed = a * position + past[..., 12:15]
    return theta, speed, a * speed + past[..., 15:18], spin, a * spin + past[..., 18:]


class ShootingInTime:
    """A robot with rods that moves from rest.

    Parameters
    ----------
    problem : Problem
        Rods and joints, with closed loops; dead and follower loads, springs, torques and imposed motions.
    parts : int
        Pieces of each rod; 1: one shot, as Gotelli (2024, 2.2.2) does.
    """

    def __init__(self, problem: Problem, parts: int = 8) -> None:
        if int(parts) < 1:
            raise InputError(f"shooting in time cuts rods into {parts!r} parts; it takes 1 or more.")
        self.problem, self.parts = problem, int(parts)
        description = problem.model.compiled.description
        for body in description.bodies:
            rod = body.joint.rod
            if body.fluid is not None or (rod is not None and rod.fluid is not None):
                raise InputError(f"shooting in time knows no fluid; '{body.name}' moves some: use a run.")
            if rod is not None and np.any(rod.damping):
                raise InputError(f"shooting in time takes elastic rods; '{body.name}' has damping: use a run.")
        for wrench in problem.wrench_table.wrenches:
            if not isinstance(wrench.law, WorldForce | Thrust):
                raise InputError(
                    f"shooting in time takes forces that do not depend on velocities; '{wrench.name}' may: use a run."
                )
        if problem.memories.count or len(problem.contact.table.names):
            raise InputError("shooting in time takes neither contacts nor laws with memory; use a run.")
        self._bodies = [b for b in description.bodies if float_of(b.inertia.mass) > 0.0 or np.any(b.inertia.tensor)]

    # ------------------------------------------------------------------------------------------------------------ in time
    def run(self, t_end: float, step: float, q0: Any = None) -> StrongMotion:
        """The motion from rest to ``t_end`` (s), from the joints and strain modes ``q0`` (nq,)."""
        if not (np.isfinite([t_end, step]).all() and 0.0 < step <= t_end):
            raise InputError(
                f"shooting in time runs to {t_end!r} s in steps of {step!r} s; the step must be positive and smaller."
            )
        model = self.problem.model
        form = StrongForm(self.problem, 0.0, model.neutral() if q0 is None else model.normalised(q0), WHO)
        pieces = form.pieces(self.parts)
        trial = Trial(form.rest(pieces), form.q, np.zeros(len(form.loops.names)))
        states, bodies = self._start(form, pieces, trial.q)
        self._along = [_Past(s[..., :9].reshape(-1, 3, 3), s[..., 9:12].reshape(-1, 3)) for s in states]
        self._of_bodies = [_Past(r[None], p[None]) for r, p in bodies]
        self._joints = [trial.q, trial.q, np.zeros(model.nv), np.zeros(model.nv)]  # the last two, and their velocities
        kept, last = [(trial, states, 0)], trial
        for n in range(1, round(t_end / step) + 1):
            ahead = self._extrapolated(form, pieces, trial, last) if n > 2 else trial
            found, states, used, form = self._step(n * step, step, n == 1, pieces, ahead)
            trial, last = found, trial
            kept.append((trial, states, used))
        times = step * np.arange(len(kept))
        names = [arc.name for arc in form.arcs]
        points = [pieces.low[own] + np.outer(_POINTS, (pieces.high - pieces.low)[own]) for own in self._own(form, pieces)]
        order = [np.argsort(p.T.ravel(), kind="stable") for p in points]
        flat = [[np.swapaxes(s[i], 0, 1).reshape(-1, 18)[o] for _, s, _ in kept] for i, o in enumerate(order)]
        return StrongMotion(
            times,
            np.array([one.q for one, _, _ in kept]),
            np.array([used for _, _, used in kept]),
            {name: p.T.ravel()[o] for name, p, o in zip(names, points, order, strict=True)},
            {name: np.array(s)[..., 9:12] for name, s in zip(names, flat, strict=True)},
            {name: np.array(s)[..., 12:] for name, s in zip(names, flat, strict=True)},
            {name: np.array([one.multipliers[m] for one, _, _ in kept]) for m, name in enumerate(form.loops.names)},
        )

    def _step(
        self, t: float, step: float, first: bool, pieces: Pieces, trial: Trial
    ) -> tuple[Trial, list[np.ndarray], int, StrongForm]:
        """The trial at the end of a step, states (points, S, 18) along the rods, iterations, and the form at t."""
        a = (1.0 if first else 1.5) / step
        form = StrongForm(self.problem, t, trial.q, WHO)
        pasts = [past.differences(step, first) for past in self._along]
        for arc, own, before in zip(form.arcs, self._own(form, pieces), pasts, strict=True):
            arc.tolerance = _SPACE
            arc.field = _inertia(arc, a, before.reshape(len(_POINTS), own.stop - own.start, 21))
        lumps = [past.differences(step, first)[0] for past in self._of_bodies]
        for body, lump in zip(self._bodies, lumps, strict=True):
            frame, rotation, position = form.compiled.point(body.name)
            form.add_load(frame, Pose(rotation, position), _body_inertia(body.inertia, a, lump))
        form.rates = self._rates(a, step, first)
        solver = PieceSolver(form, pieces, _TIME)
        guess = Trial(trial.starts, form.q, trial.multipliers)
        found = solver.newton(guess, 1.0) or solver.led(guess, 1.0)
        if found is None:
            limit = max(critical_step(arc.rod, self.parts) for arc in form.arcs)
            raise RunError(
                f"shooting in time fails at t = {t:g} s with steps of {step:g} s; below about {limit:.2g} s rods in"
                f" {self.parts} part{'s' * (self.parts > 1)} cannot be solved: take a longer step, more parts, or a run."
            )
        states = self._states(form, pieces, found)
        ends = np.concatenate([s[-1] for s in states])
        for past, old, s in zip(self._along, pasts, states, strict=True):
            past.advance(a, old, s[..., :9].reshape(-1, 3, 3), s[..., 9:12].reshape(-1, 3))
        for body, past, old in zip(self._bodies, self._of_bodies, lumps, strict=True):
            rotation, centre = self._centre(form, form.attached(pieces, ends), found.q, body)
            past.advance(a, old[None], rotation[None], centre[None])
        velocity = self._velocity(step, first, found.q)
        self._joints = [found.q, self._joints[0], velocity, self._joints[2]]
        return found, states, solver.used, form

    # ------------------------------------------------------------------------------------------------------------- states
    @staticmethod
    def _own(form: StrongForm, pieces: Pieces) -> list[slice]:
        return [slice(int(pieces.first[n]), int(pieces.first[n + 1])) for n in range(len(form.arcs))]

    def _start(self, form: StrongForm, pieces: Pieces, q: np.ndarray) -> tuple[list[np.ndarray], list[Place]]:
        """States (points, S, 18) along the rods, without wrenches, and poses of the bodies, with the strain modes of q."""
        starts, states = form.rest(pieces), []
        ends = np.zeros((len(starts), 18))
        for arc, own in zip(form.arcs, self._own(form, pieces), strict=True):
            body = next(b for b in form.compiled.description.bodies if b.name == arc.name)
            modes = q[form.compiled.joint_positions[form.compiled.joint_index(body.joint.name)]]
            found = np.zeros((len(_POINTS), own.stop - own.start, 18))
            for k, piece in enumerate(range(own.start, own.stop)):
                low, high = float(pieces.low[piece]), float(pieces.high[piece])
                root = starts[piece, :9].reshape(3, 3)
                for p, part in enumerate(_POINTS):
                    turn, way = pose_along(arc.rod, low, low + part * (high - low), modes)
                    found[p, k, :9], found[p, k, 9:12] = (root @ turn).ravel(), starts[piece, 9:12] + root @ way
            states.append(found)
            ends[own] = found[-1]
        places = form.attached(pieces, ends)
        return states, [self._centre(form, places, q, body) for body in self._bodies]

    def _states(self, form: StrongForm, pieces: Pieces, trial: Trial) -> list[np.ndarray]:
        """States (points, S, 18) along the rods of a solution."""
        found = []
        for arc, own in zip(form.arcs, self._own(form, pieces), strict=True):
            found.append(arc.along(pieces.low[own], pieces.high[own], trial.starts[own][:, None], 1.0, _POINTS)[:, :, 0])
        return found

    @staticmethod
    def _centre(form: StrongForm, places: dict[tuple[int, float], Place], q: np.ndarray, body: Any) -> Place:
        """Rotation of a body and place of its mass centre."""
        frame, rotation, position = form.compiled.point(body.name)
        turn, place = form.place(frame, q, places)
        return turn @ rotation, place + turn @ (position + rotation @ np.asarray(body.inertia.centre, dtype=float))

    def _extrapolated(self, form: StrongForm, pieces: Pieces, trial: Trial, last: Trial) -> Trial:
        """A first guess of the next step: as far again as in the last one."""
        solver = PieceSolver(form, pieces, _TIME)
        turn = np.swapaxes(last.starts[:, :9].reshape(-1, 3, 3), 1, 2) @ trial.starts[:, :9].reshape(-1, 3, 3)
        skew = 0.5 * np.stack(
            [turn[:, 2, 1] - turn[:, 1, 2], turn[:, 0, 2] - turn[:, 2, 0], turn[:, 1, 0] - turn[:, 0, 1]], axis=1
        )
        change = np.hstack([skew, trial.starts[:, 9:] - last.starts[:, 9:]])
        return Trial(solver.moved(trial.starts, change[:, None])[:, 0], trial.q, 2.0 * trial.multipliers - last.multipliers)

    # ------------------------------------------------------------------------------------------------------------- joints
    def _velocity(self, step: float, first: bool, q: np.ndarray) -> np.ndarray:
        """Velocities (nv,) of the joints: backward differences of order 2, of the first step 1, in local coordinates at q."""
        difference, (last, before) = self.problem.model.difference, self._joints[:2]
        if first:
            return -difference(q, last) / step
        return (0.5 * difference(q, before) - 2.0 * difference(q, last)) / step

    def _rates(self, a: float, step: float, first: bool) -> Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]:
        rotors = self.problem.arrays.dof_constants[:, DOF_ARMATURE]
        one, two = (1.0, 0.0) if first else (2.0, -0.5)
        old = (one * self._joints[2] + two * self._joints[3]) / step

        def rates(q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            velocity = self._velocity(step, first, q)
            return velocity, rotors * (a * velocity - old)

        return rates


def _inertia(arc: Arc, a: float, past: np.ndarray) -> Callable[[float, np.ndarray, np.ndarray, np.ndarray], Wrench]:
    """What inertia does to a metre of all pieces; ``past`` (points, S, 21)."""

    def found(part: float, s: np.ndarray, rotation: np.ndarray, position: np.ndarray) -> Wrench:
        away = part - _POINTS
        if np.any(away == 0.0):
            here = past[int(np.flatnonzero(away == 0.0)[0])]
        else:
            weight = _WEIGHTS / away
            here = np.tensordot(weight / weight.sum(), past, axes=1)
        before = np.repeat(here[:, None], rotation.shape[1], axis=1)
        _, _, acceleration, spin, turning = _motion(a, before, rotation, position)
        mass, moments = arc.inertia(s)
        force = -mass * times(np.swapaxes(rotation, -1, -2), acceleration)
        return force, -(moments * turning + times(hats(spin), moments * spin))

    return found


def _body_inertia(inertia: Any, a: float, past: np.ndarray) -> PointLaw:
    """What the inertia of a body does, in its axes about its origin; ``past`` (21,) of its mass centre."""
    centre, tensor, mass = (np.asarray(x, dtype=float) for x in (inertia.centre, inertia.tensor, inertia.mass))
    lever = hats(centre)

    def law(place: Place, s: float) -> Wrench:
        _, _, acceleration, spin, turning = _motion(a, past, place[0], place[1] + place[0] @ centre)
        force = -mass * place[0].T @ acceleration
        return force, lever @ force - tensor @ turning - hats(spin) @ (tensor @ spin)

    return law
