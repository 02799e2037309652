"""Room for the contacts of a robot: sizes, masses, and what stays the same of the laws of its pairs."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from locodyn.contact.arrays import (
    BilateralArrays,
    ContactArrays,
    Detection,
    ImpactScratch,
    LinearLaw,
    NewtonScratch,
    OutwardLoops,
    PairLaws,
    Probe,
    PushScratch,
    Report,
    Response,
    RobotMatrices,
    SweepScratch,
    WarmStart,
)
from locodyn.contact.crowd_arrays import BroadPhase, Coupling, CrowdScratch, HeapBlocks, Islands
from locodyn.contact.elimination import BITS
from locodyn.contact.options import SOLVERS, HardContact
from locodyn.kernel.bundle import Bundle
from locodyn.kernel.kept import number_names
from locodyn.kernel.lanes import WIDTH, lane_blocks, row_blocks
from locodyn.locomotion.arrays import ProblemArrays
from locodyn.robot.layout import CODE, CONSTANT_COLUMNS, COUNT_V, FIRST_V, FLUID, FREE, MASS, PARENT
from locodyn.world.contact_pairs import PairArrays
from locodyn.world.gaps import PAIR

if TYPE_CHECKING:
    from locodyn.world.contact_table import ContactPairs

Kind = TypeVar("Kind", bound=Bundle)
MANY_PAIRS = 1000  # pairs of bodies, above which a broad phase costs less than to look at each of them


def new_contact_arrays(
    table: ContactPairs, arrays: ProblemArrays, nq: int, options: HardContact, outward: OutwardLoops, dense: bool = False
) -> ContactArrays:
    """Arrays of a robot of ``nq`` positions with these pairs; ``outward`` are the loops that are closed body by body.

    ``dense``: with the matrix of all coordinates, also where the recursion would do.
    """
    pairs, nv, n = table.arrays, len(arrays.dofs), len(table)
    room = max(n, 1)
    masses = arrays.constants[:, MASS]
    mean = masses.sum() / max(1, np.count_nonzero(masses))
    gravity = float(np.linalg.norm(arrays.gravity)) or 9.81
    swept = options.solver != "newton"
    zeros, whole = np.zeros, np.int64
    robot = _robot_matrices(arrays, room, dense or swept)
    return ContactArrays(
        solver=SOLVERS[options.solver],
        most_iterations=options.iterations,
        tolerance=options.tolerance,
        r_normal=options.r_normal or 0.1 * mean,
        r_tangent=options.r_tangent or 0.1 * mean,
        theta=options.theta,
        implicit_servo=int(options.implicit_servo),
        midpoint=int(options.midpoint),
        stabilise=int(options.stabilise),
        poisson=int(options.restitution == "poisson"),
        ahead=int(options.ahead),
        curved=int(options.curved),
        sleeping=int(options.sleeping),
        mean_mass=mean,
        mean_weight=mean * gravity,
        total_mass=masses.sum(),
        pairs=pairs,
        pair_laws=pair_laws(pairs),
        pair_impulse=zeros((n, 3)),
        **_closed_contacts(room, nv),
        saturated=zeros(nv, dtype=whole),
        strands=zeros(len(arrays.strand_law)),
        no_gravity=zeros(3),
        detection=_detection(pairs, len(arrays.frames)),
        broad=_broad_phase(pairs, len(arrays.frames)),
        islands=_islands(arrays, room, pairs, robot.dense == 1),
        coupling=_coupling(len(arrays.frames), room, robot.dense == 0 and between_bodies(pairs)),
        heap=_heap(arrays, room, robot.dense == 0 and between_bodies(pairs)),
        crowd=_filled(CrowdScratch, room, sliding=(room, 3), inverse=(room, 6), response=(room, 2)),
        linear=_filled(LinearLaw, room, offset=(room, 6), sliding=(room, 3), rolling=(room, 3), by_radius=(room, 5)),
        response=Response(impulse=zeros((room, 6)), velocity=zeros((room, 6))),
        robot=robot,
        newton=_filled(NewtonScratch, nv, best_impulse=(room, 6), best_velocity=(room, 6)),
        sweeps=_filled(SweepScratch, nv, inverse=(6 * room * swept, nv), factor=(nv * swept, nv * swept)),
        bilateral=_bilateral(arrays, room, nq),
        outward=outward,
        warm=_filled(WarmStart, n, force=(n, 6), force_change=(n, 6), acceleration=(n, 5), start=(room, 6), step=whole),
        probe=Probe(way=zeros(nv), q=zeros(nq)),
        impact=_filled(ImpactScratch, nv, before=(room, 6), after=(room, 6)),
        push=_filled(PushScratch, nv),
        report=Report(),
    )


def _filled(kind: type[Kind], size: int, **others: Any) -> Kind:
    """A bundle with arrays of zeros, (size,) but for those whose shape, type or whole array is given."""
    values = {name: others[name] for name in number_names(kind) if name in others}
    for field in fields(kind):  # type: ignore[arg-type]  # a bundle is a dataclass
        if field.name not in number_names(kind):
            other = others.get(field.name, (size,))
            if isinstance(other, np.ndarray):
                values[field.name] = other
            else:
                values[field.name] = np.zeros(other) if isinstance(other, tuple) else np.zeros(size, dtype=other)
    return kind(**values)


def _closed_contacts(room: int, nv: int) -> dict[str, Any]:
    """Arrays of ``room`` contacts, and vectors of all coordinates."""
    shapes: dict[tuple[int, ...], tuple[str, ...]] = {
        (room,): ("gap", "curve", "shift", "forward_share", "backward_share", "known_radius", "least_impulse"),
        (room, 3): ("point", "position", "other_position", "units"),
        (room, 6): ("scales", "impulse", "velocity", "velocity_before", "centre"),
        (room, 9): ("basis", "rotation", "other_rotation"),
    }
    arrays = {name: np.zeros(shape) for shape, names in shapes.items() for name in names}
    vectors = {name: np.zeros(nv) for name in ("rhs", "end_velocity", "applied", "zero")}
    return arrays | vectors | {name: np.zeros(room, dtype=np.int64) for name in ("pair", "frame", "other")}


def between_bodies(pairs: PairArrays) -> bool:
    """Whether bodies may touch each other."""
    return bool(np.any((pairs.frame >= 0) & (pairs.other >= 0)))


def _robot_matrices(arrays: ProblemArrays, room: int, whole: bool) -> RobotMatrices:
    """Dense for bilateral rows, rods, and solvers that go from contact to contact: these have ``whole``."""
    nf, nv = len(arrays.frames), len(arrays.dofs)
    rods = arrays.constants.shape[1] > CONSTANT_COLUMNS
    held = arrays.rows is not None and len(arrays.rows.kind) > 0
    dense = whole or held or rods
    n, c = (nv, room) if dense else (0, 0)
    zeros = np.zeros
    return RobotMatrices(
        dense=int(dense), constants=arrays.constants.copy(), added=zeros(nv), resisting=zeros(nv, dtype=np.int64),
        jacobian=zeros((6 * c, n)), movers=zeros((c, n + 1), dtype=np.int64), mass=zeros((n, n)),
        factor=zeros((n, n)), pivots=zeros(n, dtype=np.int64), composites=zeros((nf, 10)), inertia=zeros((nf, 36)),
        bias=zeros((nf, 6)), direction_row=zeros((nv, 6)), direction_inverse=zeros(nv), direction_force=zeros(nv),
    )  # fmt: skip


def _broad_phase(pairs: PairArrays, nf: int) -> BroadPhase:
    """With the pairs of bodies by frames; all pairs are candidates where there are few of these."""
    whole, n = np.int64, len(pairs.kind)
    bodies = np.flatnonzero((pairs.frame >= 0) & (pairs.other >= 0))
    used = len(bodies) > MANY_PAIRS
    bodies = bodies if used else bodies[:0]
    low, high = np.minimum(pairs.frame, pairs.other)[bodies], np.maximum(pairs.frame, pairs.other)[bodies]
    key = low * nf + high
    order = np.argsort(key, kind="stable")
    frames = np.unique(np.concatenate([low, high])).astype(whole)
    f = len(frames)
    return _filled(
        BroadPhase, f, used=int(used), candidates=0 if used else n, candidate=np.arange(n), key=key[order], row=bodies[order],
        begin=np.searchsorted(key[order] // nf, np.arange(nf + 1)), fixed=np.setdiff1d(np.arange(n), bodies), frame=frames,
        order=frames.copy(), margin=(nf,), place=(nf, 3), box=(2 * f, 6), spare=np.zeros(n, whole), digits=np.zeros(257, whole),
        **{name: np.zeros(2 * f, whole) for name in ("first", "last", "child", "stack")},
    )  # fmt: skip


def with_matrices(contacts: ContactArrays, arrays: ProblemArrays) -> ContactArrays:
    """The same contacts with the matrix of all coordinates, where they have been without."""
    room = len(contacts.pair)
    if contacts.robot.dense:
        return contacts
    return replace(contacts, robot=_robot_matrices(arrays, room, True), islands=_islands(arrays, room, contacts.pairs, True))


def _islands(arrays: ProblemArrays, room: int, pairs: PairArrays, dense: bool) -> Islands:
    """With the tree of every frame: what hangs on one frame that moves in the world; ``dense``: the matrix of all is used."""
    frames = arrays.frames
    nf, nv, whole = len(frames), len(arrays.dofs), np.int64
    tree, carrier = np.full(nf, -1), np.full(nf, -1)
    for k in range(nf):
        parent = frames[k, PARENT]
        if parent >= 0 and tree[parent] >= 0:
            tree[k], carrier[k] = tree[parent], parent
        elif frames[k, COUNT_V] > 0:
            tree[k] = k
    names = ("first_frame", "first_contact", "first_coordinate")
    trees = len(set(tree[tree >= 0]))
    single = int(dense or (trees == 1 and not between_bodies(pairs)))
    return _filled(
        Islands, nf, single=single, trees=trees, tree=tree, carrier=carrier, order=np.arange(nf), coordinates=np.arange(nv),
        lone=_lone_bodies(arrays, carrier),
        first_velocity=frames[:, FIRST_V].astype(whole), velocities=frames[:, COUNT_V].astype(whole), leader=whole,
        number=np.zeros(nf + 1, whole), place=np.zeros(nf + 2, whole), sorted=np.zeros(room, whole), likely=np.zeros(room, whole),
        key=np.zeros((room, 3), whole), **{name: np.zeros(nf + 3, whole) for name in names},
    )  # fmt: skip


def _lone_bodies(arrays: ProblemArrays, carrier: np.ndarray) -> np.ndarray:
    """(nf,) 1 for free bodies with mass that nothing moving carries, carry nothing, move no fluid and are not imposed."""
    frames = arrays.frames
    masses = arrays.constants[: len(frames), MASS]  # further rows are terms of strain fields
    lone = (frames[:, CODE] == FREE) & (frames[:, FLUID] == 0) & (carrier < 0) & (masses > 0.0)
    lone[frames[frames[:, PARENT] >= 0, PARENT]] = False
    for k in np.flatnonzero(lone):
        i = frames[k, FIRST_V]
        lone[k] = not (len(arrays.imposed) > 0 and np.any(arrays.imposed[i : i + 6]))
    found: np.ndarray = lone.astype(np.int64)
    return found


def _coupling(nf: int, room: int, bodies: bool) -> Coupling:
    """Room for what couples frames, where bodies may touch each other: of any two, the memory is taken when it is used."""
    whole, most = np.int64, nf * (nf - 1) // 2 if bodies else 0
    n = nf if bodies else 0
    return _filled(
        Coupling, nf, slot=np.zeros(room, whole), active=np.full(room, -1), neighbour=np.zeros(most, whole),
        sets=np.zeros((n, n // BITS + 1), whole), upper=(most, 36), lower=(most, 36), rows=(most, 36), left=(6, 6 * n),
        right=(6, 6 * n), update=(6, 6 * n), place=whole, first=whole, count=whole,
        **{name: np.zeros(n, whole) for name in ("degree", "waits", "ready")},
    )  # fmt: skip


def _heap(arrays: ProblemArrays, room: int, bodies: bool) -> HeapBlocks:
    """Room for heaps of free bodies, where there may be any; the memory of slots is taken when it is used."""
    free = np.count_nonzero((arrays.frames[:, CODE] == FREE) & (arrays.frames[:, COUNT_V] > 0))
    nf = len(arrays.frames) if bodies and free > 1 else 0
    slots, closed = nf * (nf - 1) // 2, room if nf > 0 else 0
    return HeapBlocks(
        matrix=row_blocks(nf, 6), inverse=np.zeros((nf, 10)), upper=row_blocks(slots, 6), lower=row_blocks(slots, 6),
        jacobian=row_blocks(closed, 3), other_jacobian=row_blocks(closed, 3), twist=row_blocks(nf),
        sees=lane_blocks(closed * WIDTH, 6), other_sees=lane_blocks(closed * WIDTH, 6),
        moves=row_blocks(closed, 3), other_moves=row_blocks(closed, 3),
    )  # fmt: skip


def _bilateral(arrays: ProblemArrays, room: int, nq: int) -> BilateralArrays:
    rows, nv = arrays.rows, len(arrays.dofs)
    m = 0 if rows is None else len(rows.kind)
    held = nv if m else 0
    return _filled(
        BilateralArrays, nv, kernel=(held, held), reduced=(held, held), reduced_rows=(6 * room if m else 0, nv), cotwist=(m, 6),
        other_cotwist=(m, 6), coefficient=(m, 0 if rows is None else rows.coefficient.shape[1]), right_side=(m,), q_end=(nq,),
        impulse=(m,), frame=np.zeros(m, dtype=np.int64),
        defect=(0 if rows is None else len(rows.projection.defect),), change=(0 if rows is None else len(rows.projection.step),),
    )  # fmt: skip


def pair_laws(pairs: PairArrays) -> PairLaws:
    """Scales of the rows of every pair, shares forward and backward, load, units."""
    supports = pairs.kind == PAIR.support
    forward, backward, across = pairs.friction_forward, pairs.friction_backward, pairs.friction_across
    larger, spinning, rolling = np.maximum(forward, backward), pairs.friction_spinning, pairs.friction_rolling

    def ratio(above: np.ndarray, below: np.ndarray) -> np.ndarray:
        shares = np.ones(len(above))
        np.divide(above, below, out=shares, where=(above >= 0.0) & (below > 0.0))
        return shares

    units = (
        np.maximum(larger, across),
        np.where(spinning > 0.0, ratio(spinning, np.maximum(pairs.radius, spinning)), 1.0),
        np.where(rolling > 0.0, ratio(rolling, pairs.radius), 1.0),
    )
    return PairLaws(
        scales=np.column_stack([np.where(supports, 0.0, 1.0), larger, across, spinning, rolling, rolling]),
        forward_share=ratio(forward, larger),
        backward_share=ratio(backward, larger),
        load=np.where(supports, pairs.load, -1.0),
        units=np.column_stack(units),
    )


def _detection(pairs: PairArrays, nf: int) -> Detection:
    """With the reach of every frame, how far its surfaces reach from its origin (m); of the world 0."""
    reach = np.zeros(nf + 1)
    shapes = (
        (pairs.frame, (pairs.first, pairs.last), pairs.radius, pairs.own_half),
        (pairs.other, (pairs.other_first, pairs.other_last), pairs.other_radius, pairs.other_half),
    )
    for frames, points, radius, half in shapes:
        middle = np.maximum(*(np.linalg.norm(point, axis=1) for point in points))
        held = frames >= 0
        np.maximum.at(reach, frames[held], (middle + radius + np.linalg.norm(half, axis=1))[held])
    zeros = np.zeros
    return Detection(reach=reach, travel=zeros(nf + 1), stride=zeros(nf + 1), due=zeros(len(pairs.kind)), poses=zeros((nf, 12)))
