"""What compiled code sees of many bodies: which may touch soon, which touch each other, and what couples them.

Sizes: n pairs, c contacts that can be closed at once, nf frames, nv velocities.
"""

from __future__ import annotations

import numpy as np

from locodyn.kernel.bundle import Bundle, columns


class BroadPhase(Bundle):
    """Of :mod:`locodyn.contact.broad_phase`: f frames with surfaces, b pairs between bodies, a other pairs."""

    used: int  # 0 where all pairs are always looked at
    candidates: int = 0  # number of pairs that are looked at; 0: they are to be found
    nodes: int = 0
    candidate: np.ndarray  # (n,) int64: these, ascending
    spare: np.ndarray  # (n,) int64, and
    digits: np.ndarray  # (257,) int64, to sort them
    fixed: np.ndarray  # (a,) int64
    key: np.ndarray  # (b,) int64: lower frame * nf + higher frame, ascending
    row: np.ndarray  # (b,) int64: the pairs in that order
    begin: np.ndarray  # (nf + 1,) int64: where those of a lower frame begin
    frame: np.ndarray  # (f,) int64
    order: np.ndarray  # (f,) int64: frames as the tree has them
    margin: np.ndarray  # (nf,) m
    place: np.ndarray = columns(3)  # (nf, 3) m, origins when the candidates were found
    box: np.ndarray = columns(6)  # (2 f, 6) m, least and largest x, y, z
    first: np.ndarray  # (2 f,) int64, of the frames of a node
    last: np.ndarray  # (2 f,) int64
    child: np.ndarray  # (2 f,) int64, first of two; -1: none
    stack: np.ndarray  # (2 f,) int64


class Islands(Bundle):
    """Of :mod:`locodyn.contact.islands`; ``begin`` to ``last`` say what solvers see."""

    single: int  # 1 where all is one island, whatever touches: no two bodies of the one tree can, or the matrix of all is used
    trees: int  # of bodies that move in the world
    natural: int = 0  # 1 while all frames are one island in their own order
    touching: int = -1  # number of contacts for which the islands are those at hand
    count: int = 0
    begin: int = 0  # in ``order``
    end: int = 0
    first: int = 0  # in ``coordinates``
    last: int = 0
    tree: np.ndarray  # (nf,) int64: first frame of the tree; -1: a frame that cannot move
    carrier: np.ndarray  # (nf,) int64: parent that moves, or -1
    lone: np.ndarray  # (nf,) int64: 1 for a free body that carries nothing and moves no fluid
    order: np.ndarray  # (nf,) int64: frames by islands, each one after those that are eliminated after it
    first_frame: np.ndarray  # (nf + 3,) int64: where in ``order`` each island begins
    first_contact: np.ndarray  # (nf + 3,) int64: the like for contacts
    coordinates: np.ndarray  # (nv,) int64: by islands
    first_coordinate: np.ndarray  # (nf + 3,) int64: where in them each island begins
    first_velocity: np.ndarray  # (nf,) int64: of every frame, and how many it has
    velocities: np.ndarray  # (nf,) int64
    likely: np.ndarray  # (c,) int64: 1 where a contact takes part, 0 where it is idle
    sorted: np.ndarray  # (c,) int64: contacts by islands, then idle ones
    key: np.ndarray = columns(3)  # (c, 3) int64: frames and ``likely`` of the contacts for which the islands were found
    leader: np.ndarray  # (nf,) int64, of a tree
    number: np.ndarray  # (nf + 1,) int64, of the island of a leader
    place: np.ndarray  # (nf + 2,) int64


class Coupling(Bundle):
    """Of :mod:`locodyn.contact.coupling` and :mod:`locodyn.contact.elimination`; s slots, one for two coupled frames."""

    slots: int = 0  # in use
    active: np.ndarray  # (c,) int64: 1 where a contact couples two frames in the order at hand; -1: not
    slot: np.ndarray  # (c,) int64, of the frames of a contact; -1: none
    place: np.ndarray  # (nf,) int64, in the order of elimination
    first: np.ndarray  # (nf,) int64, slot of a frame with those that are eliminated after it
    count: np.ndarray  # (nf,) int64
    neighbour: np.ndarray  # (s,) int64: these, in the order of elimination
    upper: np.ndarray = columns(36)  # (s, 36) wrench on the frame by the twist of the neighbour
    lower: np.ndarray = columns(36)  # (s, 36) wrench on the neighbour by the twist of the frame
    rows: np.ndarray = columns(36)  # (s, 36) S^T upper of each direction S of the frame, when it is eliminated
    left: np.ndarray  # (6, 6 nf)
    right: np.ndarray  # (6, 6 nf)
    update: np.ndarray  # (6, 6 nf)
    sets: np.ndarray  # (nf, nf / 32) int64, frames coupled to each frame
    degree: np.ndarray  # (nf,) int64, how many these are
    waits: np.ndarray  # (nf,) int64: children that are not eliminated yet
    ready: np.ndarray  # (nf,) int64: frames that are not eliminated yet


class HeapBlocks(Bundle):
    """Of :mod:`locodyn.contact.free_heap`: blocks of six rows of eight lanes; slots are those of the coupling.

    And of :mod:`locodyn.contact.heap_sweeps`: contacts as they see and move their two bodies, with normalised rows.
    """

    filled: int = 0  # 1 where the rows of the contacts are those of the closed ones
    swept: int = 0  # 1 where what they see and move is, too
    matrix: np.ndarray  # (nf, 6, 8) of a body, then its factors
    inverse: np.ndarray = columns(10)  # (nf, 10) 1/m, h/m, inverse of the inertia about the centre of mass
    upper: np.ndarray  # (s, 6, 8) momentum of a body by the twist of the neighbour; when it is eliminated, M_k^-1 times that
    lower: np.ndarray  # (s, 6, 8) and the other way round, column by column
    jacobian: np.ndarray  # (c, 3, 8) rows of a contact, normal, forward, side, on its frame
    other_jacobian: np.ndarray  # (c, 3, 8) and on the other one
    twist: np.ndarray  # (nf, 8) momentum of a body, then its twist
    sees: np.ndarray  # (c, 6, 4) velocity of a contact by the twist of its frame, column by column
    other_sees: np.ndarray  # (c, 6, 4) and of the other one
    moves: np.ndarray  # (c, 3, 8) twist of its frame by its impulse, row by row
    other_moves: np.ndarray  # (c, 3, 8) and of the other one


class CrowdScratch(Bundle):
    """Of :mod:`locodyn.contact.smoothing`."""

    begun: int = 0  # 1 in a step that began with sweeps over the contacts
    solved: int = 1  # how often the contacts of the step have been solved; 0 only within a step
    mass: np.ndarray  # (c,) kg, that a contact moves
    normal: np.ndarray  # (c,) kg, D of the law in these factors: normal; forward, mixed, side
    sliding: np.ndarray = columns(3)  # (c, 3)
    response: np.ndarray = columns(2)  # (c, 2) kg, 1 / W of a contact by itself: normal, friction
    inverse: np.ndarray = columns(6)  # (c, 6) (1 - P')^-1: normal; forward, mixed, side; forward and side by the normal one
