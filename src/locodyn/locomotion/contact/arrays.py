"""What a compiled time loop sees of hard contacts: the table of pairs, the contacts that are closed, and workspace."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from locodyn.errors import InputError, nearest
from locodyn.kernel.bundle import Bundle
from locodyn.locomotion.arrays import ProblemArrays
from locodyn.robot.layout import CONSTANT_COLUMNS, MASS
from locodyn.world.contact_pairs import (
    A0,
    A1,
    ACROSS,
    B0,
    B1,
    BACKWARD,
    FORWARD,
    FRAME,
    HALF,
    KIND,
    LOAD,
    OTHER,
    OWN_HALF,
    RADIUS_A,
    RADIUS_B,
    ROLLING,
    SPINNING,
)
from locodyn.world.gaps import SUPPORT

if TYPE_CHECKING:
    from locodyn.world.contact_table import ContactPairs

NEWTON, GAUSS_SEIDEL, PROX = range(3)
SOLVERS = {"newton": NEWTON, "gauss_seidel": GAUSS_SEIDEL, "prox": PROX}
# Laws of restitution: what the coefficient of a contact means.
RESTITUTION_LAWS: dict[str, str] = {
    "newton": "velocities: u_N after = -e u_N before, for every contact by itself",
    "poisson": "impulses: in expansion a contact gives back at least e times its impulse of compression",
}

# How loops are closed after a step.
PROJECTIONS: dict[str, str] = {
    "smallest": "by the smallest displacement of all coordinates",
    "outward": "body by body from the first one on, as in the source: orientations stay, free bodies are shifted",
}

# closed[i, column], int64: number of the pair, frame on which the force acts, frame that bears the reaction (-1: the world).
PAIR, ON, REACTION = range(3)
CLOSED_COLUMNS = 3
# contact[i, column]: point and axes (normal, forward, side as columns) in the world; axes and point in the two frames; gap;
# rebound (shift of the normal velocity); scales of the six rows; forward and backward share; known radius (-1: the normal one);
# units of the tangential, spinning and rolling rows: N s of impulse for a unit of z;
# impulse z, velocity w, centre zc, offset q of the linear law z = q - D w, D of the linear and of the angular rows; a second
# pair (z, w); best pair so far; impulse in N s.
POINT, BASIS, ROTATION_ON, POSITION_ON, ROTATION_REACTION, POSITION_REACTION = 0, 3, 12, 21, 24, 33
GAP, SHIFT, SCALES, FORWARD_SHARE, BACKWARD_SHARE, KNOWN_RADIUS, UNITS = 36, 37, 38, 44, 45, 46, 47
LAW_ROW = 12
Z, W, CENTRE, OFFSET, D_LINEAR, D_ANGULAR, Z_NEXT, W_NEXT, Z_BEST, W_BEST, BEFORE = 50, 56, 62, 68, 74, 80, 86, 92, 98, 104, 110
LEAST = 116  # least normal impulse, N s: what compression gives back in the expansion of an impact, else 0
START = 117  # centre before the prediction, 6 columns
CURVE = 123  # m/s: by how much the normal velocity of the same coordinate velocities grows from the middle of a step to its end
D_RADIUS = 124  # column of D that the normal velocity has by the radius of friction: forward, side, spinning, rolling (2)
CONTACT = 129
# warm[n, column]: impulses of the last step in which a pair was closed, how far they had gone from their start in that step, both
# over the step; number of that step; change of the velocities of the five rows of friction in it, over the step
WENT, STAMP, CHANGE = 6, 12, 13
WARM = 18
# vectors[row, nv]
RHS, RHS_BEFORE, X, X_NEXT, X_BEST, ZERO, DIAGONAL, MEAN, APPLIED = range(9)
PARTICULAR, REDUCED, REDUCED_RHS = range(9, 12)  # of bilateral rows, see locodyn.locomotion.contact.dense
VECTORS = 12
# settings
TOLERANCE, MASS_SCALE, IMPULSE_SCALE, R_NORMAL, R_TANGENT, WEIGHT, THETA = range(7)
SETTINGS = 7
# counts, int64: closed contacts; most iterations; solver; 1 when servos are implicit, for the midpoint bias, for stabilisation,
# for restitution by Poisson; dimension of the kernel of bilateral rows; number of the step; 1 for looking ahead; 1 for the
# matrix of all coordinates in every iteration; 1 for normal velocities at the end of a step
CLOSED, MOST_ITERATIONS, SOLVER, IMPLICIT, MIDPOINT, STABILISE, POISSON, KERNEL, STEPS, AHEAD, DENSE, CURVED = range(12)
COUNTS = 12
# report: residual, iterations, rung, friction loss, impact loss, work supplied, largest penetration, unconverged steps, worst
# residual, largest residual of a loop before it is closed again (m or rad), 1 where the last solution is what was asked for
RESIDUAL, ITERATIONS, RUNG, FRICTION_LOSS, IMPACT_LOSS, SUPPLIED, DEEPEST, UNCONVERGED, WORST, LOOP_GAP, MET = range(11)
REPORT = 11


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
        :mod:`locodyn.locomotion.contact.newton`.
    iterations : int
        At most so many, then the step is reported as not converged.
    implicit_servo : bool
        Servos are evaluated at the end of the step (stable at any step) instead of at its beginning.
    midpoint : bool
        Gyroscopic and other velocity-dependent forces at the mean velocity of the step (second order) instead of at its start.
    stabilise : bool
        Push penetrating bodies apart, as far as the energy lost in the same step allows.
    r_normal, r_tangent : kg
        Factors of ``prox``; by default from the masses of the robot.
    theta : float
        Springs, joint friction and rods are taken at this part of the step: 1/2 (default) keeps their energy, 1 damps.
    restitution : str
        What the coefficients of restitution mean, one of :data:`RESTITUTION_LAWS`.
    ahead : bool
        Inelastic contacts that are still open in the middle of a step, but come slowly and would close before the middle of the
        next, take part with u_N >= -gap / dt, so that the motion depends on the state without jumps. Otherwise only closed
        ones do, as in the source.
    curved : bool
        Normal velocities are those at the end of a step, so that what rolls and turns keeps its height; otherwise those in its
        middle, as in the source (:mod:`locodyn.locomotion.contact.curve`).
    projection : str
        How loops are closed after a step, one of :data:`PROJECTIONS`.
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


class ContactArrays(Bundle):
    """Pairs, closed contacts and workspace. n pairs, c contacts that can be closed at once, nv coordinates, nf frames."""

    pairs: np.ndarray  # (n, PAIR_COLUMNS) int64
    data: np.ndarray  # (n, PAIR_DATA)
    law_rows: np.ndarray  # (n, LAW_ROW): columns SCALES to UNITS of a pair's contact, with the load (N) for KNOWN_RADIUS
    heights: np.ndarray  # heights of all terrains
    reach: np.ndarray  # (nf + 1,) m: largest distance of a surface from the origin of its frame; the last entry is the world's
    travel: np.ndarray  # (nf + 1,) m: bound of the way that the surfaces of a frame have gone
    stride: np.ndarray  # (nf + 1,) m: the like for the next step
    due: np.ndarray  # (n,) m: travel of both sides at which a pair must be looked at again
    seen: np.ndarray  # (nf, 12) poses at the last look
    gaps: np.ndarray  # (n,) m, at the last look
    warm: np.ndarray  # (n, WARM)
    closed: np.ndarray  # (c, CLOSED_COLUMNS) int64
    contact: np.ndarray  # (c, CONTACT)
    impulse: np.ndarray  # (n, 3) N s of the last step on ON, world axes
    constants: np.ndarray  # (nf, CONSTANT_COLUMNS) of the robot, with what implicit laws add to the armature
    vectors: np.ndarray  # (VECTORS, nv)
    saturated: np.ndarray  # (nv,) int64: -1, 0, 1
    jacobian: np.ndarray  # (6 c, nv) rows of the contacts
    inverse: np.ndarray  # (6 c, nv) rows of J M^-1, or (0, nv)
    columns: np.ndarray  # (c, nv + 1) int64: number of coordinates that move a contact, and which
    mass: np.ndarray  # (nv, nv)
    factor: np.ndarray  # (nv, nv)
    pivots: np.ndarray  # (nv,) int64
    composites: np.ndarray  # (nf, COMPOSITE)
    bodies: np.ndarray  # (nf, 42) articulated inertias, see locodyn.locomotion.contact.recursion
    directions: np.ndarray  # (nv, 14) of the coordinates there
    settings: np.ndarray  # (SETTINGS,)
    counts: np.ndarray  # (COUNTS,) int64
    report: np.ndarray  # (REPORT,)
    still: np.ndarray  # (3,) zeros
    kernel: np.ndarray  # (nv, nv): its first KERNEL columns span the kernel of the bilateral rows; (0, 0) without rows
    reduced: np.ndarray  # (nv, nv) matrix of the problem in that basis
    reduced_rows: np.ndarray  # (6 c, nv) rows of the contacts in it
    row_cotwists: np.ndarray  # (m, 12) of the bilateral rows in the middle of the step
    row_sides: np.ndarray  # (m,) their right-hand sides, or given forces
    row_defect: np.ndarray  # (active,) what a velocity misses on them
    row_step: np.ndarray  # (free,) the smallest change that puts it right
    row_impulse: np.ndarray  # (m,) N s or N m s since the last record
    outward: (
        np.ndarray
    )  # (k, OUTWARD) int64, see locodyn.locomotion.contact.outward; none where loops close by the smallest motion
    outward_data: np.ndarray  # (k, OUTWARD_DATA)
    strands: np.ndarray  # tensions, free lengths or pressures of tendons, chambers and muscles in the middle of the step


def new_contact_arrays(
    table: ContactPairs, arrays: ProblemArrays, options: HardContact, outward: tuple[np.ndarray, np.ndarray]
) -> ContactArrays:
    """Arrays of a robot with these pairs; ``outward`` are the loops that are closed body by body."""
    nf, nv, n = len(arrays.frames), len(arrays.dofs), len(table)
    room = max(n, 1)
    pairs = table.pairs
    both = (pairs[:, FRAME] >= 0) & (pairs[:, OTHER] >= 0)
    held_rows = arrays.constraints
    bilateral = 0 if held_rows is None else len(held_rows.table)
    rods = arrays.constants.shape[1] > CONSTANT_COLUMNS
    dense = options.solver != "newton" or bool(both.any()) or bilateral > 0 or rods
    rows = 6 * room if options.solver != "newton" else 0
    held = nv if bilateral else 0
    masses = arrays.constants[:, MASS]
    mean = masses.sum() / max(1, np.count_nonzero(masses))
    settings, counts = np.zeros(SETTINGS), np.zeros(COUNTS, dtype=np.int64)
    gravity = float(np.linalg.norm(arrays.gravity)) or 9.81
    settings[[TOLERANCE, MASS_SCALE, IMPULSE_SCALE, WEIGHT]] = options.tolerance, mean, mean * gravity, masses.sum()
    settings[[R_NORMAL, R_TANGENT]] = options.r_normal or 0.1 * mean, options.r_tangent or 0.1 * mean
    settings[THETA] = options.theta
    counts[[MOST_ITERATIONS, SOLVER]] = options.iterations, SOLVERS[options.solver]
    counts[[IMPLICIT, MIDPOINT, STABILISE]] = int(options.implicit_servo), int(options.midpoint), int(options.stabilise)
    counts[[POISSON, AHEAD, DENSE]] = int(options.restitution == "poisson"), int(options.ahead), int(dense)
    counts[CURVED] = int(options.curved)
    zeros = np.zeros
    return ContactArrays(
        pairs=pairs.copy(),
        data=table.data.copy(),
        law_rows=law_rows(table),
        heights=table.heights.copy(),
        reach=reaches(table, nf),
        travel=zeros(nf + 1),
        stride=zeros(nf + 1),
        due=zeros(n),
        seen=zeros((nf, 12)),
        gaps=np.full(n, np.inf),
        warm=zeros((n, WARM)),
        closed=zeros((room, CLOSED_COLUMNS), dtype=np.int64),
        contact=zeros((room, CONTACT)),
        impulse=zeros((n, 3)),
        constants=arrays.constants.copy(),
        vectors=zeros((VECTORS, nv)),
        saturated=zeros(nv, dtype=np.int64),
        jacobian=zeros((6 * room, nv)),
        inverse=zeros((rows, nv)),
        columns=zeros((room, nv + 1), dtype=np.int64),
        mass=zeros((nv, nv)),
        factor=zeros((nv, nv)),
        pivots=zeros(nv, dtype=np.int64),
        composites=zeros((nf, 10)),
        bodies=zeros((nf, 42)),
        directions=zeros((nv, 14)),
        settings=settings,
        counts=counts,
        report=zeros(REPORT),
        still=zeros(3),
        kernel=zeros((held, held)),
        reduced=zeros((held, held)),
        reduced_rows=zeros((6 * room if bilateral else 0, nv)),
        row_cotwists=zeros((bilateral, 12)),
        row_sides=zeros(bilateral),
        row_defect=zeros(0 if held_rows is None else len(held_rows.projection.defect)),
        row_step=zeros(0 if held_rows is None else len(held_rows.projection.step)),
        row_impulse=zeros(bilateral),
        outward=outward[0],
        outward_data=outward[1],
        strands=zeros(len(arrays.strand_law)),
    )


def law_rows(table: ContactPairs) -> np.ndarray:
    """What stays the same of a contact's law, (n, LAW_ROW): scales of its rows, shares forward and backward, load, units."""
    data, radius = table.data, table.data[:, RADIUS_A]
    supports = table.pairs[:, KIND] == SUPPORT
    larger, spinning, rolling = np.maximum(data[:, FORWARD], data[:, BACKWARD]), data[:, SPINNING], data[:, ROLLING]

    def ratio(above: np.ndarray, below: np.ndarray) -> np.ndarray:
        return np.divide(above, below, out=np.ones(len(data)), where=(above >= 0.0) & (below > 0.0))

    rows = np.empty((len(data), LAW_ROW))
    rows[:, 0], rows[:, 1], rows[:, 2] = np.where(supports, 0.0, 1.0), larger, data[:, ACROSS]
    rows[:, 3], rows[:, 4], rows[:, 5] = spinning, rolling, rolling
    rows[:, FORWARD_SHARE - SCALES] = ratio(data[:, FORWARD], larger)
    rows[:, BACKWARD_SHARE - SCALES] = ratio(data[:, BACKWARD], larger)
    rows[:, KNOWN_RADIUS - SCALES] = np.where(supports, data[:, LOAD], -1.0)
    first = UNITS - SCALES
    rows[:, first] = np.maximum(larger, data[:, ACROSS])
    rows[:, first + 1] = np.where(spinning > 0.0, ratio(spinning, np.maximum(radius, spinning)), 1.0)
    rows[:, first + 2] = np.where(rolling > 0.0, ratio(rolling, radius), 1.0)
    return rows


def reaches(table: ContactPairs, nf: int) -> np.ndarray:
    """For each frame, how far its surfaces reach from its origin (m); for the world 0."""
    reach = np.zeros(nf + 1)
    for row, data in zip(table.pairs, table.data, strict=True):
        for frame, points, radius, half in ((row[FRAME], (A0, A1), RADIUS_A, OWN_HALF), (row[OTHER], (B0, B1), RADIUS_B, HALF)):
            if frame >= 0:
                middle = max(np.linalg.norm(data[start : start + 3]) for start in points)
                reach[frame] = max(reach[frame], middle + data[radius] + np.linalg.norm(data[half : half + 3]))
    return reach
