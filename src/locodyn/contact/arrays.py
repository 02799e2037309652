"""What compiled code sees of hard contacts: pairs that may touch, contacts that are closed, and the scratch of each algorithm.

Sizes: n pairs, c contacts that can be closed at once, nf frames, nq positions, nv velocities, m bilateral rows. A contact has six
rows: normal, forward, side; turning about the normal (spinning), about forward and side (rolling). Impulses and velocities of the
rows are normalised as in :mod:`locodyn.world.friction_sets`. Each algorithm owns its scratch, so that one may call another
between two of its lines.
"""

from __future__ import annotations

import numpy as np

from locodyn.contact.crowd_arrays import BroadPhase, Coupling, CrowdScratch, HeapBlocks, Islands
from locodyn.kernel.bundle import Bundle, columns
from locodyn.world.contact_pairs import PairArrays


class PairLaws(Bundle):
    """What stays the same of the law of a pair, by the names of :class:`ContactArrays`."""

    scales: np.ndarray = columns(6)  # (n, 6)
    forward_share: np.ndarray  # (n,)
    backward_share: np.ndarray  # (n,)
    load: np.ndarray  # (n,) N where it is known, else -1
    units: np.ndarray = columns(3)  # (n, 3)


class Detection(Bundle):
    """Scratch of :mod:`locodyn.contact.detection`. The last entry of ``nf + 1`` is the world's."""

    reach: np.ndarray  # (nf + 1,) m: largest distance of a surface from the origin of its frame
    travel: np.ndarray  # (nf + 1,) m: bound of the way that the surfaces of a frame have gone
    stride: np.ndarray  # (nf + 1,) m: the like for the next step
    due: np.ndarray  # (n,) m: travel of both sides at which a pair must be looked at again
    poses: np.ndarray = columns(12)  # (nf, 12) at the last look


class LinearLaw(Bundle):
    """z = q - D w of every contact. D is symmetric but for the column that the normal velocity has by the radius of friction."""

    offset: np.ndarray = columns(6)  # (c, 6) q
    normal: np.ndarray  # (c,)
    sliding: np.ndarray = columns(3)  # (c, 3) forward, mixed, side
    spinning: np.ndarray  # (c,)
    rolling: np.ndarray = columns(3)  # (c, 3) about forward, mixed, about side
    by_radius: np.ndarray = columns(5)  # (c, 5) of the five rows of friction for the normal velocity


class Response(Bundle):
    """What :func:`~locodyn.contact.operator.respond` finds for the linear law at hand."""

    impulse: np.ndarray = columns(6)  # (c, 6)
    velocity: np.ndarray = columns(6)  # (c, 6)


class RobotMatrices(Bundle):
    """The robot under contact impulses: matrices of :mod:`~locodyn.contact.dense`, or those of ``recursion``."""

    dense: int  # 1 for the matrix of all coordinates in every iteration
    constants: np.ndarray  # (nf, CONSTANT_COLUMNS) of the robot, with what implicit laws add to the armature
    added: np.ndarray  # (nv,) E, what implicit laws of the joints add to the diagonal of the mass matrix
    resists: int = 0  # number of coordinates for which it is not zero for sure
    resisting: np.ndarray  # (nv,) int64, these
    jacobian: np.ndarray  # (6 c, nv) rows of the contacts
    movers: np.ndarray  # (c, nv + 1) int64: number of coordinates that move a contact, and which
    mass: np.ndarray  # (nv, nv) M + E
    factor: np.ndarray  # (nv, nv)
    pivots: np.ndarray  # (nv,) int64
    composites: np.ndarray  # (nf, COMPOSITE.size)
    inertia: np.ndarray = columns(36)  # (nf, 36) articulated: four blocks, see locodyn.contact.recursion
    bias: np.ndarray = columns(6)  # (nf, 6) wrenches
    direction_row: np.ndarray = columns(6)  # (nv, 6) S^T M of every direction S
    direction_inverse: np.ndarray  # (nv,) 1 / (S^T M S + armature)
    direction_force: np.ndarray  # (nv,) tau - S^T bias


class NewtonScratch(Bundle):
    """Where a search of :mod:`locodyn.contact.newton` stands, velocity of the next pair, best pair so far."""

    rho: float = 0.0  # kg, stiffness of the law about the centres
    first_rho: float = 0.0
    top_rho: float = 0.0  # to which it may rise
    rises: int = 0  # 1 while it does
    iterations: int = 0  # linear problems solved
    tries: int = 0  # iterations with this rho
    relaxations: int = 0  # how often it fell
    rounds: int = 0  # how often the centres were moved
    merit: float = 0.0  # distance from the law about the centres, sum of squares
    held_merit: float = 0.0  # the same when friction that turns round was held
    distance: float = 0.0  # N s, its largest entry
    stuck: int = 0  # 1 where the last iteration has not come nearer
    residual: float = 0.0  # N s, of the rigid law
    last_residual: float = 0.0  # before the centres were moved
    best_residual: float = 0.0
    met: int = 0  # 1 where the pair is accepted and on the rigid law
    next_end_velocity: np.ndarray  # (nv,)
    best_end_velocity: np.ndarray  # (nv,)
    best_impulse: np.ndarray = columns(6)  # (c, 6)
    best_velocity: np.ndarray = columns(6)  # (c, 6)


class SweepScratch(Bundle):
    """Of :mod:`locodyn.contact.gauss_seidel`; matrices without entries for the other solver."""

    end_velocity: np.ndarray  # (nv,) carried along
    inverse: np.ndarray  # (6 c, nv) rows of J M^-1
    factor: np.ndarray  # (nv, nv) Cholesky's of M
    reduced: np.ndarray  # (nv,) a row of J in the kernel of the bilateral rows


class BilateralArrays(Bundle):
    """Of :mod:`locodyn.locomotion.contact.bilateral`, and the problem on its rows in ``dense``; without rows no entries."""

    kernel_size: int = 0
    kernel: np.ndarray  # (nv, nv): its first columns, kernel_size of them, span the kernel of the rows
    particular: np.ndarray  # (nv,) x_p, a velocity on the rows
    reduced: np.ndarray  # (nv, nv) matrix of the problem in the kernel
    reduced_rows: np.ndarray  # (6 c, nv) rows of the contacts in it
    reduced_rhs: np.ndarray  # (nv,)
    reduced_velocity: np.ndarray  # (nv,) y
    cotwist: np.ndarray = columns(6)  # (m, 6) of the rows in the middle of the step, on their first frames
    other_cotwist: np.ndarray = columns(6)  # (m, 6) on their second ones
    frame: np.ndarray  # (m,) int64, these first frames
    coefficient: np.ndarray  # (m, most coordinates) factors of the rows on coordinates
    right_side: np.ndarray  # (m,) their right-hand sides, or given forces
    defect: np.ndarray  # (active,) what a velocity misses on them
    change: np.ndarray  # (free,) the smallest change that puts it right
    impulse: np.ndarray  # (m,) N s or N m s since the last record
    q_end: np.ndarray  # (nq,)
    shift: np.ndarray  # (nv,) from the middle to the end
    acceleration: np.ndarray  # (nv,) of imposed coordinates, not used
    taken: np.ndarray  # (nv,) what imposed coordinates take of the impulses


class OutwardLoops(Bundle):
    """The k loops that are closed body by body, :mod:`locodyn.locomotion.contact.outward`; none of projection ``smallest``."""

    first: np.ndarray  # (k,) int64, frames of the loop; -1: the world
    second: np.ndarray  # (k,) int64
    first_velocity: np.ndarray  # (k,) int64, of the second frame
    planar: np.ndarray  # (k,) int64: 1 where the second body moves in a plane
    turns: np.ndarray  # (k,) int64: 1 where the second body turns
    first_point: np.ndarray = columns(3)  # (k, 3) m, points of the joint in the two frames
    second_point: np.ndarray = columns(3)  # (k, 3) m
    first_axis: np.ndarray = columns(3)  # (k, 3) axes of a universal joint in them
    second_axis: np.ndarray = columns(3)  # (k, 3)
    shift: np.ndarray  # (nv,) scratch


class WarmStart(Bundle):
    """What a step leaves to the next one, by pairs; normalised impulses over the step, so that its length may change."""

    steps: int = 0  # number of the step
    step: np.ndarray  # (n,) int64: number of the last step in which a pair was closed
    force: np.ndarray = columns(6)  # (n, 6) impulses of that step
    force_change: np.ndarray = columns(6)  # (n, 6) how far they had gone from their start in that step
    acceleration: np.ndarray = columns(5)  # (n, 5) change of the velocities of the five rows of friction in it
    start: np.ndarray = columns(6)  # (c, 6) centres of the closed contacts before their prediction


class Probe(Bundle):
    """A configuration a little further along a motion, of :mod:`~locodyn.contact.curve` or of an event-driven run."""

    way: np.ndarray  # (nv,) to it
    q: np.ndarray  # (nq,)


class ImpactScratch(Bundle):
    """Of :mod:`locodyn.contact.impact`."""

    fast: int = 0  # 1 where the step has an impact, so that the following count
    weight: np.ndarray  # (nv,) N or N m, gravity
    bias: np.ndarray  # (nv,) N s or N m s, by which the momentum at q_M differs from M v
    velocity: np.ndarray  # (nv,) what that makes in velocities
    velocity_before: np.ndarray  # (nv,) and what it makes before the impact
    before: np.ndarray = columns(6)  # (c, 6) m/s, rad/s: what it makes at the contacts before the impact, normalised
    after: np.ndarray = columns(6)  # (c, 6) and after it


class PushScratch(Bundle):
    """Of :mod:`locodyn.contact.push`."""

    weight: np.ndarray  # (nv,) N or N m, gravity
    springs: np.ndarray  # (nv,) N or N m
    shift: np.ndarray  # (nv,) what is gone of the displacement


class Report(Bundle):
    """What a run tells of its contacts."""

    residual: float = 0.0  # largest since the last record, in parts of the mean weight of a link times the step
    iterations: int = 0  # since the last record
    relaxations: int = 0  # of the last solution: how often the springs of the law were made softer
    met: int = 1  # 1 where the last solution is what was asked for
    unconverged: int = 0  # steps that are not
    worst_residual: float = 0.0
    friction_loss: float = 0.0  # J
    impact_loss: float = 0.0  # J
    damping_loss: float = 0.0  # J, to springs that are taken beyond the middle of a step
    supplied: float = 0.0  # J, work of actuators and of whatever else drives the robot
    deepest: float = 0.0  # m, largest penetration
    loop_gap: float = 0.0  # m or rad, largest residual of a loop before it is closed again

    def clear(self) -> None:
        """Before a run begins."""
        self.residual = self.worst_residual = self.friction_loss = self.impact_loss = self.supplied = 0.0
        self.deepest = self.loop_gap = self.damping_loss = 0.0
        self.iterations = self.relaxations = self.met = self.unconverged = 0


class ContactArrays(Bundle):
    """Options, pairs, closed contacts, vectors of all coordinates, and scratch by algorithms."""

    solver: int  # a SOLVER of locodyn.contact.options
    most_iterations: int
    tolerance: float
    r_normal: float  # kg
    r_tangent: float  # kg
    theta: float
    implicit_servo: int  # each 0 or 1, see HardContact
    midpoint: int
    stabilise: int
    poisson: int
    ahead: int
    curved: int
    sleeping: int
    mean_mass: float  # kg, of a link
    mean_weight: float  # N
    total_mass: float  # kg

    pairs: PairArrays
    pair_laws: PairLaws
    pair_impulse: np.ndarray = columns(3)  # (n, 3) N s since the last record on the frame of the contact, world axes

    begin: int = 0  # in ``islands.sorted``: first contact that solvers see, and behind their last
    end: int = 0
    closed: int = 0  # number of closed contacts, the first ones of the following
    pair: np.ndarray  # (c,) int64
    frame: np.ndarray  # (c,) int64, on which the force acts
    other: np.ndarray  # (c,) int64, which bears the reaction; -1: the world
    point: np.ndarray = columns(3)  # (c, 3) m, world
    basis: np.ndarray = columns(9)  # (c, 9) normal, forward, side as columns, world axes
    rotation: np.ndarray = columns(9)  # (c, 9) the same in ``frame``
    position: np.ndarray = columns(3)  # (c, 3) m, the point in ``frame``
    other_rotation: np.ndarray = columns(9)  # (c, 9) and in ``other``
    other_position: np.ndarray = columns(3)  # (c, 3)
    gap: np.ndarray  # (c,) m
    curve: np.ndarray  # (c,) m/s: by how much the normal velocity of the same motion grows from the middle of a step to its end
    shift: np.ndarray  # (c,) m/s, what the law adds to the normal velocity: rebound, approach, curve
    scales: np.ndarray = columns(6)  # (c, 6) of the rows: 1 and the coefficients of friction
    forward_share: np.ndarray  # (c,) of the larger coefficient along
    backward_share: np.ndarray  # (c,)
    known_radius: np.ndarray  # (c,) N s, of the friction set where the load is known; -1: the normal impulse
    units: np.ndarray = columns(3)  # (c, 3) N s of impulse for a unit of z of the tangential, spinning and rolling rows
    least_impulse: np.ndarray  # (c,) N s, what compression gives back in the expansion of an impact, else 0
    impulse: np.ndarray = columns(6)  # (c, 6) z
    velocity: np.ndarray = columns(6)  # (c, 6) w, with the shift
    velocity_before: np.ndarray = columns(6)  # (c, 6) without
    centre: np.ndarray = columns(6)  # (c, 6) zc of the law z = proj(zc - rho w)

    rhs: np.ndarray  # (nv,) N s or N m s, right-hand side of the step
    end_velocity: np.ndarray  # (nv,) x
    applied: np.ndarray  # (nv,) N or N m, of actuators
    saturated: np.ndarray  # (nv,) int64: -1, 0, 1
    strands: np.ndarray  # tensions, free lengths or pressures of tendons, chambers and muscles in the middle of the step
    zero: np.ndarray  # (nv,)
    no_gravity: np.ndarray  # (3,)

    detection: Detection
    broad: BroadPhase
    islands: Islands
    coupling: Coupling
    heap: HeapBlocks
    crowd: CrowdScratch
    linear: LinearLaw
    response: Response
    robot: RobotMatrices
    newton: NewtonScratch
    sweeps: SweepScratch
    bilateral: BilateralArrays
    outward: OutwardLoops
    warm: WarmStart
    probe: Probe
    impact: ImpactScratch
    push: PushScratch
    report: Report
