"""How hard contact is solved: the options of a scenario."""

from __future__ import annotations

import math
from dataclasses import dataclass

from locodyn.errors import InputError, nearest
from locodyn.record import codes

SOLVER = codes("newton", "gauss_seidel", "prox")
SOLVERS: dict[str, int] = SOLVER._asdict()
# Laws of restitution: what the coefficient of a contact means.
RESTITUTION_LAWS: dict[str, str] = {
    "newton": "velocities: u_N after = -e u_N before, for every contact by itself",
    "poisson": "impulses: in expansion a contact gives back at least e times its impulse of compression",
}

# How loops are closed after a step.
PROJECTIONS: dict[str, str] = {
    "smallest": "by the smallest displacement of all coordinates",
    "outward": "body by body from the first one on (Transeth 2007, algorithm 4.3): orientations stay, free bodies are shifted",
}


@dataclass(frozen=True)
class HardContact:
    """How contacts are solved.

    Parameters
    ----------
    solver : str
        ``newton``: semismooth Newton in velocity space on an augmented Lagrangian, one articulated-body solve an
        iteration. ``gauss_seidel``: contact by contact with the local problem solved.
        ``prox``: the fixed point of Transeth (2007, 3.5) with fixed factors.
    tolerance : float
        Of the natural map of every contact, in parts of the mean link weight times the step. ``newton``: where contacts leave
        their loads open the map is met to 1e-6 at least, and a law of stiff springs to this tolerance, see
        :mod:`locodyn.contact.newton`.
    iterations : int
        At most so many, then the step is reported as not converged.
    implicit_servo : bool
        Servos are evaluated at the end of the step (stable at any step) instead of at its beginning.
    midpoint : bool
        The step balances the momenta of its two ends (second order; total momentum of what floats is exact), instead of taking
        gyroscopic forces at its start.
    stabilise : bool
        Push penetrating bodies apart, as far as the energy lost in the same step allows.
    r_normal, r_tangent : kg
        Factors of ``prox``; by default from the masses of the robot.
    theta : float
        Springs, joint friction and rods are taken at this part of the step: 1/2 (default) keeps their energy. More
        damps as a viscosity of (theta - 1/2) dt times their stiffness would, ``damping_loss`` of the result.
    restitution : str
        What the coefficients of restitution mean, one of :data:`RESTITUTION_LAWS`.
    ahead : bool
        Inelastic contacts that are still open in the middle of a step, but come slowly and would close before the middle of the
        next, take part with u_N >= -gap / dt, so that the motion depends on the state without jumps. Otherwise only closed
        ones do, as in Transeth (2007, (4.106)).
    curved : bool
        Normal velocities are those at the end of a step, so that what rolls and turns keeps its height; otherwise those in its
        middle, as in Transeth (2007, algorithm 4.1; :mod:`locodyn.contact.curve`).
    projection : str
        How loops are closed after a step, one of :data:`PROJECTIONS`.
    stops : bool
        Limits of hinges and slides stop them, without rebound (:mod:`locodyn.world.joint_stops`); otherwise a run that passes
        them only says so.
    sleeping : bool
        Bodies that the impulses of the last step hold at rest, to the tolerance, rest without a solution
        (``newton``; :mod:`locodyn.contact.sleeping`).
    """

    solver: str = "newton"
    tolerance: float = 1e-8
    iterations: int = 400
    implicit_servo: bool = True
    midpoint: bool = True
    stabilise: bool = False
    r_normal: float | None = None
    r_tangent: float | None = None
    theta: float = 0.5
    restitution: str = "newton"
    ahead: bool = True
    curved: bool = True
    projection: str = "smallest"
    stops: bool = False
    sleeping: bool = False

    def __post_init__(self) -> None:
        if self.solver not in SOLVERS:
            raise InputError(f"there is no contact solver '{self.solver}'{nearest(self.solver, SOLVERS)}")
        if self.restitution not in RESTITUTION_LAWS:
            hint = nearest(str(self.restitution), RESTITUTION_LAWS)
            raise InputError(f"there is no law of restitution '{self.restitution}'{hint}")
        if self.projection not in PROJECTIONS:
            raise InputError(f"there is no projection '{self.projection}'{nearest(str(self.projection), PROJECTIONS)}")
        for name in ("tolerance", "r_normal", "r_tangent"):
            value = getattr(self, name)
            if value is not None and not (isinstance(value, (int, float)) and math.isfinite(value) and value > 0.0):
                raise InputError(f"the {name} of hard contact is {value!r}; it must be a positive number.")
        if not (isinstance(self.theta, (int, float)) and 0.5 <= self.theta <= 1.0):
            raise InputError(f"the theta of hard contact is {self.theta!r}; it must be a number from 0.5 to 1.")
        if not isinstance(self.iterations, int) or self.iterations < 1:
            raise InputError(f"the iterations of hard contact are {self.iterations!r}; they must be a whole number, at least 1.")
