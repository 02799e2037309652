"""A frictional contact problem by itself, without a robot: u = W r + q, each contact by Coulomb's law; solved by our solvers.

The solvers of hard contact work on a robot: velocities x with M x = p + J^T r and u = J x. Any (W, q) is that of a robot of unit
masses on slides: W = J J^T by its eigenvectors, so that M = 1, and q = J p. What of q no motion of such a robot gives (where W
is singular) is the velocity of one slide more, which is imposed.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from locodyn.contact.gauss_seidel import solve_gauss_seidel, solve_prox
from locodyn.contact.islands import one_island
from locodyn.contact.newton import solve_newton
from locodyn.contact.options import HardContact
from locodyn.errors import InputError
from locodyn.locomotion.contact.allocation import with_matrices
from locodyn.locomotion.problem import Problem, Surroundings
from locodyn.motion import polynomial
from locodyn.robot import Robot, Sphere, about_centre
from locodyn.typing import Array
from locodyn.world.obstacles import Ground

_RANK = 1e-13  # of the largest eigenvalue of W: smaller ones are round-off
_SOLVERS: dict[str, Any] = {"newton": solve_newton, "gauss_seidel": solve_gauss_seidel, "prox": solve_prox}


@dataclass(frozen=True)
class FrictionSolution:
    """Impulses r (3 c,) N s and velocities u (3 c,) m/s, of each contact normal, then two tangents; how good they are.

    ``seconds``: CPU time of the solver alone.
    """

    impulse: np.ndarray
    velocity: np.ndarray
    residual: float
    iterations: int
    converged: bool
    seconds: float = 0.0


@dataclass(frozen=True, eq=False)
class FrictionProblem:
    """u = W r + q with Coulomb's law in every contact: 0 <= r_N, u_N >= 0, r_N u_N = 0; |r_T| <= mu r_N, against u_T.

    Parameters
    ----------
    W : (3 c, 3 c) 1/kg, symmetric, not negative: velocities that impulses make (Delassus' operator)
    q : (3 c,) m/s, velocities without impulses
    mu : (c,) coefficients of friction

    The rows of a contact are its normal and two tangents.
    """

    W: np.ndarray
    q: np.ndarray
    mu: np.ndarray

    def __post_init__(self) -> None:
        for name in ("W", "q", "mu"):
            try:
                array = np.array(getattr(self, name), dtype=float)
            except (TypeError, ValueError):
                raise InputError(f"the {name} of a contact problem is not an array of numbers.") from None
            if not np.isfinite(array).all():
                raise InputError(f"the {name} of a contact problem has entries that are not finite numbers.")
            object.__setattr__(self, name, array)
        c = len(self.mu) if self.mu.ndim == 1 else 0
        if c == 0:
            raise InputError(f"the mu of a contact problem has the shape {self.mu.shape}; it must be a number for each contact.")
        if self.q.shape != (3 * c,) or self.W.shape != (3 * c, 3 * c):
            raise InputError(
                f"the contact problem has {c} coefficients of friction, a q of shape {self.q.shape}, a W of shape {self.W.shape};"
                f" they must be ({3 * c},) and ({3 * c}, {3 * c})."
            )
        if np.any(self.mu < 0.0):
            raise InputError(f"the mu of a contact problem has the entry {self.mu.min():g}; it must not be negative.")
        if np.abs(self.W - self.W.T).max() > 1e-8 * np.abs(self.W).max():
            raise InputError("the W of a contact problem is not symmetric.")
        lowest = float(np.linalg.eigvalsh(0.5 * (self.W + self.W.T))[0])
        if not np.any(self.W) or lowest < -1e-8 * np.abs(self.W).max():
            raise InputError(
                f"the W of a contact problem has the eigenvalue {lowest:g}; it must be positive or zero, and W not zero."
            )

    @property
    def count(self) -> int:
        """Number of contacts."""
        return len(self.mu)

    @property
    def mass(self) -> float:
        """Mean mass that a contact feels, kg."""
        return 3.0 * self.count / float(np.trace(self.W))

    def residual(self, impulse: Array) -> float:
        """Natural map r - proj(r - m (u + mu |u_T| n)) of the cones at r (de Saxce), over m |q|; m = :attr:`mass`."""
        r = np.asarray(impulse, dtype=float).reshape(-1, 3)
        u = (self.W @ r.ravel() + self.q).reshape(-1, 3)
        changed = u + np.column_stack([self.mu * np.linalg.norm(u[:, 1:], axis=1), np.zeros((self.count, 2))])
        missed = r - cone_projection(r - self.mass * changed, self.mu)
        size = float(np.linalg.norm(self.q)) * self.mass
        return float(np.linalg.norm(missed)) / (size or 1.0)

    def solve(self, solver: str = "newton", tolerance: float = 1e-8, iterations: int = 1000) -> FrictionSolution:
        """Impulses and velocities by one of the solvers of hard contact, see :class:`~locodyn.contact.options.HardContact`.

        ``tolerance`` is that of :meth:`residual`, which the solution reports.
        """
        options = HardContact(solver=solver, tolerance=tolerance, iterations=iterations)
        if not np.any(self.q):
            return FrictionSolution(np.zeros(3 * self.count), np.zeros(3 * self.count), 0.0, 0, True)
        problem = self._as_robot(options)
        contacts, work = problem.contact.arrays, problem.workspace
        # The solvers judge the largest entry of one contact, the residual sums over all of them.
        absolute = 0.1 * tolerance * self.mass * float(np.linalg.norm(self.q)) / math.sqrt(3.0 * self.count)
        arguments: tuple[Any, ...] = (problem.arrays, contacts, np.zeros(problem.model.nq), work, work.tau, absolute)
        began = time.process_time()
        _SOLVERS[solver](*arguments, *((absolute,) if solver == "newton" else ()))
        seconds = time.process_time() - began
        impulse = (contacts.impulse[: self.count, :3] * contacts.scales[: self.count, :3]).ravel()
        missed = self.residual(impulse)
        velocity = self.W @ impulse + self.q
        return FrictionSolution(impulse, velocity, missed, int(contacts.report.iterations), missed <= tolerance, seconds)

    def _as_robot(self, options: HardContact) -> Problem:
        """Unit masses on slides whose contacts have this W and q, with these contacts closed."""
        values, vectors = np.linalg.eigh(0.5 * (self.W + self.W.T))
        kept = values > _RANK * values[-1]
        rows = vectors[:, kept] * np.sqrt(values[kept])
        free = vectors[:, kept].T @ self.q / np.sqrt(values[kept])
        rest = self.q - rows @ free
        held = bool(np.linalg.norm(rest) > 1e-10 * np.linalg.norm(self.q))
        if held:
            rows, free = np.column_stack([rows, rest]), np.append(free, 1.0)
        problem = _slides(rows.shape[1], self.mu, held, options)
        problem.contact.arrays = with_matrices(problem.contact.arrays, problem.arrays)
        contacts, c, nv = problem.contact.arrays, self.count, rows.shape[1]
        contacts.closed = c
        one_island(contacts)
        contacts.mean_mass = self.mass
        contacts.r_normal = contacts.r_tangent = 0.5 / float(np.linalg.eigvalsh(self.W)[-1])
        contacts.pair[:c], contacts.frame[:c], contacts.other[:c] = np.arange(c), 1, -1
        contacts.scales[:c] = np.column_stack([np.ones(c), self.mu, self.mu, np.zeros((c, 3))])
        contacts.forward_share[:c] = contacts.backward_share[:c] = 1.0
        contacts.known_radius[:c] = -1.0
        contacts.units[:c] = np.column_stack([np.where(self.mu > 0.0, self.mu, 1.0), np.ones((c, 2))])
        contacts.velocity[:c, :3] = self.q.reshape(c, 3) * contacts.scales[:c, :3]
        contacts.rhs[:] = contacts.end_velocity[:] = free
        robot = contacts.robot
        robot.mass[:] = np.eye(nv)
        robot.jacobian.reshape(-1, 6, nv)[:c, :3] = rows.reshape(c, 3, nv)
        robot.movers[:c, 0], robot.movers[:c, 1:] = nv, np.arange(nv)
        return problem


def _slides(count: int, mu: np.ndarray, held: bool, options: HardContact) -> Problem:
    """Unit masses on ``count`` slides, the last one imposed where ``held``; one of them has a surface for each contact."""
    robot = Robot("contact problem")
    ground = robot.base("ground", moves="fixed")
    for k in range(count):
        mass = robot.body(f"mass_{k}", mass=1.0, inertia=about_centre(xx=1.0, yy=1.0, zz=1.0))
        mass.on(ground, at=(0.0, 0.0, 1.0)).sliding("x", name=f"slide_{k}")
        if k == 0:
            for i, friction in enumerate(mu):
                mass.collides(Sphere(0.1), name=f"contact_{i}", friction=float(friction))
    surroundings = Surroundings(obstacles=(Ground(),), contact=options)
    return Problem(robot.model(), imposed={count - 1: polynomial(0.0, 1.0)} if held else {}, surroundings=surroundings)


def cone_projection(x: np.ndarray, mu: np.ndarray) -> np.ndarray:
    """Nearest points (c, 3) of Coulomb's cones |r_T| <= mu r_N to x (c, 3)."""
    normal, size = x[:, 0], np.linalg.norm(x[:, 1:], axis=1)
    share = (normal + mu * size) / (1.0 + mu**2)  # r_N of the nearest point of the ray
    direction = x[:, 1:] / np.where(size > 0.0, size, 1.0)[:, None]
    surface = np.column_stack([share, (mu * share)[:, None] * direction])
    inside, polar = size <= mu * normal, mu * size <= -normal
    return np.where(inside[:, None], x, np.where(polar[:, None], 0.0, surface))


def contact_problem(W: Array, q: Array, mu: Array | float) -> FrictionProblem:
    """A frictional contact problem u = W r + q, r in Coulomb's cones, for ``.solve()``.

    Parameters
    ----------
    W : (3 c, 3 c) 1/kg, rows of a contact: normal, two tangents
    q : (3 c,) m/s
    mu : (c,), or one number for all contacts

    >>> import numpy as np
    >>> sliding = contact_problem(np.eye(3), [-1.0, 2.0, 0.0], 0.5)  # a ball of 1 kg: lands, keeps sliding
    >>> sliding.residual([1.0, -0.5, 0.0])
    0.0
    """
    size = np.shape(q)
    count = max(1, size[0] // 3) if len(size) == 1 else 1
    return FrictionProblem(np.asarray(W), np.asarray(q), np.full(count, mu) if np.ndim(mu) == 0 else np.asarray(mu))
