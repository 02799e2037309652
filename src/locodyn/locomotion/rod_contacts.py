"""Contacts on rods as arrays: which rows they have, the strains within slices, where they are planted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from locodyn.dynamics.model import Model
from locodyn.dynamics.totals import TOTALS
from locodyn.errors import InputError
from locodyn.kernel.kept import Kept
from locodyn.locomotion.row_jacobian import rows_at
from locodyn.motion.base import Law
from locodyn.motion.kinks import spread_times
from locodyn.robot.compilation.compiled_parts import CompiledRodContact
from locodyn.robot.layout import COUNT_V, PARENT, SLICE
from locodyn.robot.pose import Pose
from locodyn.robot.rods.contact import MOVES
from locodyn.shape.section import COEFFICIENTS, RodSections, section_pose
from locodyn.world.rod_places import ANCHOR, LOGGED, PEG, SLEEVE, RodContacts

if TYPE_CHECKING:
    from locodyn.locomotion.problem import Problem

KINDS = {"anchor": ANCHOR, "sleeve": SLEEVE, "peg": PEG}
# What a step takes from those before it, besides the state.
REMEMBERED = ("abscissa", "there", "due", "leaves", "fresh", "rounds", "rotation", "position", "lost")
COMPONENTS = ("x", "y", "z", "about_x", "about_y", "about_z")
_HELD = {"anchor": (0, 1, 2, 3, 4, 5), "sleeve": (1, 2, 3), "peg": (1, 2, 3)}
# Where strains are taken within a slice, -1 ... 1: its two Gauss points, and four that keep the polynomial tame.
_POINTS = np.array([-0.95, -1.0 / np.sqrt(3.0), -0.2, 0.2, 1.0 / np.sqrt(3.0), 0.95])
_NOISE = 1e-13  # of the largest value along a rod: coefficients below are round-off of the values that they come from
_LOOKS = 1001
_ALIGNED = 1e-9  # sine of an angle: less is none
_SHAPES = 3  # general shapes at which one looks which way sections can move


def moving_components(model: Model, frames: tuple[int, ...]) -> set[int]:
    """Components of the twist of the sections of a rod (slices ``frames``) that are not zero in every motion of the robot.

    A robot in a plane, or on a line, has fewer than six; they show at any general shape.
    """
    rng = np.random.default_rng(1)
    largest = np.zeros(6)
    for _ in range(_SHAPES):
        q = model.move(model.neutral(), 0.3 * rng.uniform(0.5, 1.0, model.nv))
        for unit in np.eye(model.nv):
            twists = model.kinematics(q, unit)[1][list(frames), :6]
            largest = np.maximum(largest, np.abs(twists).max(axis=0))
    return {int(c) for c in np.flatnonzero(largest > 1e-9 * largest.max(initial=0.0))}


def held_components(model: Model, found: CompiledRodContact) -> tuple[int, ...]:
    """Which components of the motion of the section the contact holds, of those that there are."""
    moving = moving_components(model, found.frames)
    held = tuple(c for c in _HELD[found.contact.kind] if c in moving)
    if not held:
        raise InputError(
            f"the {found.contact.kind} '{found.contact.name}' holds nothing: rod '{found.body}' of robot"
            f" '{model.compiled.name}' cannot move sideways; use an anchor."
        )
    check_motion(model, found, moving)
    return held


def check_motion(model: Model, found: CompiledRodContact, moving: set[int]) -> None:
    """:class:`InputError` where an obstacle leaves the plane, or turns out of the line, in which the robot can follow it."""
    contact, in_plane = found.contact, moving <= {0, 1, 5} or moving <= {0, 2, 4}
    if not (contact.moves and in_plane):
        return
    across = [c for c in (1, 2) if c not in moving]  # the normal of the plane, or both of the line
    section = model.kinematics(model.neutral(), np.zeros(model.nv))[0][found.frames[0], :9].reshape(3, 3)
    turned = section if contact.place is None else contact.place.rotation
    ways = dict(zip(MOVES, [*np.eye(3), turned @ contact.axis, *turned.T], strict=True))
    for word in contact.moves:
        turns = word not in ("x", "y", "z")
        off = np.cross(ways[word], section[:, across[0]]) if turns else ways[word] @ section[:, across]
        if np.abs(off).max() > _ALIGNED or (turns and not moving & {4, 5}):
            raise InputError(
                f"the {contact.kind} '{contact.name}' moves along '{word}', where rod '{found.body}' of robot"
                f" '{model.compiled.name}' cannot follow: it moves {'in a plane' if len(across) == 1 else 'on a line'}."
            )


def rod_sections(model: Model, contacts: tuple[CompiledRodContact, ...]) -> RodSections:
    """Strains within the slices of the rods that have contacts, as polynomials."""
    nf, most = model.nf, max(int(model.frames[one.frames[0], COUNT_V]) for one in contacts)
    start, rest, functions = np.zeros(nf), np.zeros((nf, 6 * COEFFICIENTS)), np.zeros((nf, most * COEFFICIENTS))
    for one in contacts:
        ends = np.cumsum([float(model.constants[k, SLICE.length]) for k in one.frames])
        start[list(one.frames)] = begins = np.append(0.0, ends[:-1])
        rest[list(one.frames)] = slice_polynomials(one.rod.rest, begins, ends)
        along = slice_polynomials(one.rod.functions, begins, ends)
        functions[list(one.frames), : along.shape[1]] = along
    return RodSections(start=start, rest=rest, functions=functions, columns=np.zeros((most, 6)), column_rates=np.zeros((most, 6)))


def slice_polynomials(strains: Callable[[np.ndarray], np.ndarray], begins: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """Coefficients (n, c COEFFICIENTS) of c strains, given by places (m), in the n slices from ``begins`` to ``ends`` (m).

    Within a step a contact may run ahead of the end of the rod, where slices are shortest: thousands of their lengths, whose
    fifth power would make round-off in a high coefficient larger than the strain. Such coefficients are zero.
    """
    places = begins[:, None] + 0.5 * (ends - begins)[:, None] * (1.0 + _POINTS)
    values = strains(places.ravel()).reshape(*places.shape, -1)
    found = np.linalg.inv(np.vander(_POINTS, COEFFICIENTS, increasing=True)) @ values
    found[np.abs(found) <= _NOISE * np.abs(values).max(axis=(0, 1))] = 0.0
    return np.ascontiguousarray(found.swapaxes(1, 2)).reshape(len(begins), -1)


def contact_arrays(
    model: Model, first_rows: list[int], components: list[tuple[int, ...]], laws: dict[str, int], clock: int
) -> RodContacts | None:
    """The arrays of all contacts on rods; None without any.

    ``first_rows``, ``components``: of the rows of each contact; ``laws``: numbers of laws by ``name``, ``name.x``, ...
    """
    found = model.compiled.rod_contacts
    if not found:
        return None
    n, whole = len(found), np.int64
    component, contacts = np.zeros((n, 6), dtype=whole), [one.contact for one in found]
    for c, held in enumerate(components):
        component[c, : len(held)] = held
    places = [one.place or Pose() for one in contacts]
    wraps, times = [one.wrap or (0.0, 0.0) for one in contacts], [one.during or (0.0, 0.0) for one in contacts]
    abscissas = [0.0 if one.at is None or isinstance(one.at, Law) else one.at for one in contacts]
    whole_numbers = partial(np.fromiter, dtype=whole)
    return RodContacts(
        kind=whole_numbers(KINDS[one.kind] for one in contacts),
        first_row=whole_numbers(first_rows),
        count=whole_numbers(len(held) for held in components),
        component=component,
        first_slice=whole_numbers(one.frames[0] for one in found),
        last_slice=whole_numbers(one.frames[-1] for one in found),
        length=np.array([one.rod.length for one in found]),
        law=whole_numbers(laws.get(one.name, -1) for one in contacts),
        wrap_first=np.array([first for first, _ in wraps]),
        wrap_length=np.array([last - first for first, last in wraps]),
        keeps=whole_numbers(one.is_holonomic for one in contacts),
        slips=whole_numbers(one.slips for one in contacts),
        rotation=np.array([place.rotation.ravel() for place in places], dtype=float),
        position=np.array([place.position for place in places], dtype=float),
        axis=np.array([one.axis for one in contacts], dtype=float),
        moves=np.array([[laws.get(f"{one.name}.{word}", -1) for word in MOVES] for one in contacts], dtype=whole),
        begins=np.array([first for first, _ in times]),
        ends=np.array([last for _, last in times]),
        period=np.array([one.period or 0.0 for one in contacts]),
        clock=clock,
        abscissa=np.array(abscissas),
        first_abscissa=np.array(abscissas),
        distance=np.zeros(n),
        there=np.ones(n, dtype=whole),
        due=np.ones(n, dtype=whole),
        leaves=np.full(n, np.inf),
        arrives=whole_numbers(one.place is None and one.during is not None for one in contacts),
        fresh=np.zeros(n, dtype=whole),
        rounds=np.zeros(n),
        point=np.zeros((n, 3)),
        lost=np.zeros(1),
        log=np.zeros((LOGGED, 2)),
        missed=np.zeros((n, 2)),
        before=np.zeros(model.nv),
        totals=np.zeros(TOTALS.size),
        frames=model.frames,
        constants=model.constants,
        sections=rod_sections(model, found),
    )


def plant(problem: Problem, t: float, q: np.ndarray) -> None:
    """Obstacles without a place of their own are where their sections are in the configuration q at time t; pegs find theirs."""
    arrays = problem.constraints.arrays.rod_contacts
    if arrays is None:
        return
    begin(arrays)
    if problem.constraints.planted:
        return
    arrays.due[:], arrays.fresh[:] = 1, 0
    q = problem.driven_positions(t, q)
    poses = problem.model.kinematics(q, np.zeros(problem.model.nv))[0]
    for c, one in enumerate(problem.model.compiled.rod_contacts):
        contact = one.contact
        if contact.kind == "peg" and contact.place is not None:
            arrays.abscissa[c] = _nearest_section(problem, one, poses, contact.place.position)
        at = contact.at(t) if isinstance(contact.at, Law) else contact.at
        if contact.place is None and at is not None:
            if contact.wrap is not None:
                at = contact.wrap[0] + (at - contact.wrap[0]) % (contact.wrap[1] - contact.wrap[0])
            if contact.kind == "peg":
                arrays.abscissa[c] = at
            rotation, position = section_in_world(problem, one, at, q, poses)
            arrays.rotation[c], arrays.position[c] = rotation.ravel(), position


def check_pegs(problem: Problem, t: float, q: np.ndarray) -> None:
    """:class:`InputError` where a peg has let go at the state that was just settled, from q on: it is not on its rod."""
    arrays = problem.constraints.arrays.rod_contacts
    if arrays is None:
        return
    poses = problem.model.kinematics(problem.driven_positions(t, q))[0]
    for c in np.flatnonzero((arrays.kind == PEG) & (arrays.due != 0) & (arrays.there == 0)):
        one = problem.model.compiled.rod_contacts[c]
        away = np.linalg.norm(poses[list(one.frames), 9:] - arrays.position[c], axis=1).min()
        raise InputError(
            f"the peg '{one.contact.name}' cannot be held at t = {t:g} s: it is {away:.3g} m from rod '{one.body}', which lets go"
            " of it at once; give it a place on the rod, or a start at which the rod passes through it."
        )


def remembered(problem: Problem) -> np.ndarray:
    """What contacts on rods take from step to step, (n,); nothing without any. The same for all problems of one model."""
    rows = problem.constraints.arrays
    arrays = None if rows is None else rows.rod_contacts
    return np.zeros(0) if arrays is None else Kept.of((arrays, REMEMBERED)).vector()


def recall(problem: Problem, memory: np.ndarray) -> None:
    """Contacts on rods are as :func:`remembered` has told."""
    if len(memory):
        arrays = problem.constraints.arrays.rod_contacts
        arrays.held, arrays.struck, arrays.logged = 0, 0, 0
        Kept.of((arrays, REMEMBERED)).recall(memory)


def end_booking(problem: Problem) -> None:
    """No run goes on: a state that is put on the rows strikes nothing."""
    rows = problem.constraints.arrays
    if rows is not None and rows.rod_contacts is not None:
        rows.rod_contacts.booking = 0


def begin_booking(problem: Problem) -> None:
    """From the present state on, which is settled, contacts that come are impacts, and what they take is booked."""
    rows = problem.constraints.arrays
    arrays = None if rows is None else rows.rod_contacts
    if arrays is not None:
        arrays.struck, arrays.logged, arrays.booking, arrays.lost[:], arrays.missed[:] = 0, 0, 1, 0.0, 0.0


def begin(arrays: RodContacts) -> None:
    """Nothing is known of states before: obstacles that come with their contacts are put anew, pegs look along the whole rod."""
    arrays.held, arrays.booking = 0, 0
    arrays.there[:], arrays.fresh[:], arrays.leaves[:] = 1, 0, np.inf
    arrays.due[:] = 1 - arrays.arrives


@contextmanager
def staying(problem: Problem) -> Iterator[None]:
    """Runs that begin within, from states of a run that is over, find feet and obstacles where that run has planted them."""
    kept, problem.constraints.planted = problem.constraints.kept(), True
    memory = kept.vector()
    try:
        yield
    finally:
        problem.constraints.planted = False
        kept.recall(memory)


@contextmanager
def looking(problem: Problem) -> Iterator[None]:
    """A look at recorded states, from any of them on: where a run has its contacts does not change by it."""
    rows = problem.constraints.arrays
    if rows is not None:
        rows.speeds_only = 0
    arrays = None if rows is None else rows.rod_contacts
    if arrays is None:
        yield
        return
    kept, flags = {name: getattr(arrays, name).copy() for name in REMEMBERED}, (arrays.held, arrays.booking, arrays.struck)
    begin(arrays)
    try:
        yield
    finally:
        arrays.held, arrays.booking, arrays.struck = flags
        for name, array in kept.items():
            getattr(arrays, name)[:] = array


def section_in_world(
    problem: Problem, one: CompiledRodContact, at: float, q: np.ndarray, poses: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Pose (3, 3), (3,) m of the section at the abscissa ``at`` (m) in the configuration q, whose poses are given."""
    arrays, model = problem.constraints.arrays.rod_contacts, problem.model
    k = one.frames[max(0, int(np.searchsorted(arrays.sections.start[list(one.frames)], at, side="right")) - 1)]
    r, p, *_ = section_pose(arrays.sections, model.frames, model.constants, k, float(at), q, np.zeros(model.nv))
    node = poses[model.frames[k, PARENT]]
    turn = node[:9].reshape(3, 3)
    return turn @ np.reshape(r, (3, 3)), node[9:] + turn @ np.array(p)


def check_on_rods(problem: Problem, start: float, end: float) -> None:
    """:class:`InputError` when the law of an abscissa leaves its rod between two times (s); looked at at some 2000 of them."""
    if not problem.model.compiled.rod_contacts:
        return
    times = spread_times(start, end, _LOOKS)
    for one in problem.model.compiled.rod_contacts:
        found = one.contact.outside(one.rod, times)
        if found is not None:
            raise InputError(
                f"the {one.contact.kind} '{one.contact.name}' is at s = {found[1]:.6g} m at t = {found[0]:.4g} s, outside rod"
                f" '{one.body}', which goes from 0 to {one.rod.length:g} m; give another law, wrap=, or during=."
            )


def contact_places(problem: Problem, times: np.ndarray, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Abscissas (N, n) m and points in the world (N, n, 3) m of the contacts on rods at N states; NaN where one is not there."""
    rows = problem.constraints.arrays
    own = rows.rod_contacts
    abscissa, point = np.empty((len(times), len(own.kind))), np.empty((len(times), len(own.kind), 3))
    with looking(problem):
        for n, t in enumerate(times):
            problem.read_inputs(float(t), q[n], v[n], forces=False)
            rows_at(problem.arrays, rows, problem.inputs, q[n], v[n], problem.workspace)
            there = own.there != 0
            abscissa[n] = np.where(there, own.abscissa, np.nan)
            point[n] = np.where(there[:, None], own.point, np.nan)
    return abscissa, point


def _nearest_section(problem: Problem, one: CompiledRodContact, poses: np.ndarray, point: np.ndarray) -> float:
    """Abscissa (m) of the end of a slice that is nearest to a point (3,)."""
    ends = np.cumsum(problem.model.constants[list(one.frames), SLICE.length])
    return float(ends[np.argmin(np.linalg.norm(poses[list(one.frames), 9:] - point, axis=1))])
