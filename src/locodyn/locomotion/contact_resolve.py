"""Out of penetration: where the surfaces of a start overlap, the robot is moved by the smallest change that parts them."""

from __future__ import annotations

from typing import Any

import numpy as np

from locodyn.dynamics.dense_dynamics import has_rods
from locodyn.dynamics.inverse_dynamics import inverse_dynamics
from locodyn.errors import InputError
from locodyn.locomotion.arrays import ProblemArrays
from locodyn.locomotion.contact_arrays import CLOSED, SHIFT, W
from locodyn.locomotion.contact_dense import contact_rows, fill_mass
from locodyn.locomotion.contact_detection import find_closed
from locodyn.locomotion.contact_joints import joint_diagonal
from locodyn.locomotion.contact_push import push_apart
from locodyn.locomotion.contact_step import world_poses
from locodyn.locomotion.hard_contact import ContactProblem

_ROUNDS = 100
_PARTED = 1e-7  # m


def resolved(p: ProblemArrays, contact: ContactProblem, w: Any, q: np.ndarray) -> np.ndarray:
    """The displacements of :func:`~locodyn.locomotion.contact_push.push_apart`, repeated until nothing overlaps.

    Parameters
    ----------
    p, w : arrays and workspace of the problem
    contact : ContactProblem
    q : (nq,)
    """
    q, c = np.array(q, dtype=float), contact.arrays
    if len(contact.table) and (len(c.kernel) or has_rods(p.constants)):
        raise InputError("only robots without wheels, loops and rods are moved out of what they overlap; move this one by hand.")
    still = np.zeros(len(p.dofs))
    for _ in range(_ROUNDS):
        if not len(contact.table) or contact.overlap(q)[0] < _PARTED:
            contact.begin(q)
            return q
        contact.begin(q)
        inverse_dynamics(p.frames, p.constants, p.gravity, q, still, still, w.wrenches[:0], w.work, w.stage[2])
        world_poses(p.frames, w.work, w.poses)
        joint_diagonal(p, c, still, 0.0)
        find_closed(c, w.poses, 0.0)
        c.contact[: c.counts[CLOSED], SHIFT] = 0.0
        c.contact[: c.counts[CLOSED], W] = 0.0
        if len(c.mass):
            contact_rows(p, c, q, w)
            fill_mass(p, c, 0.0, w)
        push_apart(p, c, 0.0, np.inf, q.copy(), q, w)
    depth, name = contact.overlap(q)
    raise InputError(f"'{name}' still overlaps by {depth:.3g} m after {_ROUNDS} moves: the robot does not fit; move it by hand.")
