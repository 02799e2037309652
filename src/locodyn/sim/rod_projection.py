"""The internal wrench of a body that the ground holds at every section: the projected torques of Ali 2011, 7.2.

Wheels on every body of a chain take its lateral inertia where it arises, and what a body hands on is projected on its admissible
motions (Ali 2011, (3.73)-(3.85)). Of a body without joints, whose sections move along their axes only, what is left of Lambda is
(N_X, 0, 0; 0, C_Y, C_Z). With d = (f; h) what a metre of it takes up, inertia less loads, (5.34) then reads

    N_X' = f_X,    C_Y' = -Gamma_Z N_X + K_X C_Z + h_Y,    C_Z' = Gamma_Y N_X - K_X C_Y + h_Z,    all zero at the tip,

so that c = C_Y + i C_Z is an integral, with the angle phi of its twist: (c exp(i phi))' = exp(i phi) (h_Y + i h_Z + (i Gamma_Y -
Gamma_Z) N_X). At the root a wrench is left, as of a chain: -integral of Lambda^T xidot - Lambda(0)^T eta(0) is the rate of the
kinetic energy, less the power of loads. A planar body at a constant speed V has C_Z = J V^2 (K(X) - K(l)): its rotary inertia.
"""

from __future__ import annotations

import numpy as np

from locodyn.dynamics.model import Model
from locodyn.errors import InputError
from locodyn.sim.rod_balance import Slices, through_nodes

_CLOSE = 1e-9  # of the length


def projected_wrench(
    model: Model, slices: Slices, poses: np.ndarray, transmitted: np.ndarray, at: np.ndarray, q: np.ndarray
) -> np.ndarray:
    """Lambda (P, 6) at the places ``at`` (P,) m of a rod whose joint has the coordinates q (count,).

    ``poses`` (nf, 12): of the frames in the world; ``transmitted`` (nf, 6): wrench that the parent of each frame exerts on it, in
    its frame, without contacts.
    """
    rod = slices.rod
    nodes, density = _taken(slices, poses, transmitted)
    strain = rod.strain_motion(nodes, q[None])[0, 0]
    every, ahead = (through_nodes(nodes, nodes, places, rod.length)[1] for places in (nodes, at))  # integrals up to the tip
    angle, angle_at = -every @ strain[:, 3], -ahead @ strain[:, 3]  # of the twist, from the tip
    pull = -every @ density[:, 0]
    moment = density[:, 4] + 1j * density[:, 5] + (1j * strain[:, 1] - strain[:, 2]) * pull
    bend = -np.exp(-1j * angle_at) * (ahead @ (np.exp(1j * angle) * moment))
    found = np.zeros((len(at), 6))
    found[:, 0], found[:, 4], found[:, 5] = -ahead @ density[:, 0], bend.real, bend.imag
    return found


def _taken(slices: Slices, poses: np.ndarray, transmitted: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Places (n,) m of the nodes of a rod, and what a metre takes up there, (n, 6) in the axes of the sections."""
    turn, place = poses[slices.frames, :9].reshape(-1, 3, 3), poses[slices.frames, 9:]
    force, moment = (np.einsum("kij,kj->ki", turn, transmitted[slices.frames, c : c + 3]) for c in (0, 3))
    whole = np.concatenate([force, moment + np.cross(place, force)], axis=1)  # about the origin of the world
    taken = whole.copy()
    taken[:-1] -= whole[1:]
    taken[:, 3:] -= np.cross(place, taken[:, :3])  # about the section itself
    own = np.concatenate([np.einsum("kji,kj->ki", turn, taken[:, c : c + 3]) for c in (0, 3)], axis=1)
    nodes, weights = slices.rod.quadrature_nodes()
    at = [int(np.argmin(np.abs(slices.ends - s))) for s in nodes]
    if np.abs(slices.ends[at] - nodes).max() > _CLOSE * slices.rod.length:
        raise InputError(
            f"the nodes of rod '{slices.body.name}' are not at the ends of its slices; give it quadrature=\"gauss\"."
        )
    rest = np.delete(own, at, axis=0)
    if np.abs(rest).max(initial=0.0) > _CLOSE * np.abs(own).max(initial=0.0):
        raise InputError(
            f"rod '{slices.body.name}' carries bodies or loads at points; moments of a body that is held everywhere are known"
            " only where it carries nothing but itself and loads along it."
        )
    return nodes, own[at] / weights[:, None]
