"""Inverse dynamics of one rod by the spectral cascade of Gotelli 2024 (3.8, 5.13.4): fields, and a reference for the kernel.

After the motion along the rod (:mod:`locodyn.shape.chebyshev`) the wrench (N; C) that the part beyond a section exerts on the
part before it is integrated from the tip, on the same Chebyshev points, and projected on the strain functions with the weights
of Clenshaw and Curtis (Gotelli 2024, (3.41), (3.44)):

    N' + K x N = p,    C' + K x C = m - Gamma x N,      (N; C)(L) = wrench at the tip,      tau = - integral of Phi^T (N; C),

where (p; m) is the rate of the momentum of a metre of rod less its weight and its loads. All errors fall exponentially with the
number of points. It is no part of any run: the rods of the kernel are Lagrangian systems (:mod:`locodyn.robot.rods.rod`) that
tend to the same limit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from locodyn.dynamics.model import Model
from locodyn.errors import InputError, nearest
from locodyn.robot.layout import OFFSET_POSITION, OFFSET_ROTATION, PARENT
from locodyn.robot.rods.nodes import clenshaw_curtis
from locodyn.robot.rods.rod import Rod
from locodyn.shape.chebyshev import Cascade, RodMotion, RootMotion, chebyshev_motion, differentiation, hats

Load = Callable[[float, np.ndarray, np.ndarray, np.ndarray], Any]


@dataclass(frozen=True)
class RodCascade:
    """Fields of a rod at N Chebyshev points.

    ``motion``: places, strains, poses, twists, accelerations; ``wrench`` (N, 6): of the part beyond on the part before, in the
    axes of the sections, (force N; moment N m); ``forces`` (n,): along the strain coordinates, what the stress of the rod must
    balance, as :meth:`~locodyn.dynamics.model.Model.inverse_dynamics` gives it.
    """

    motion: RodMotion
    wrench: np.ndarray
    forces: np.ndarray


def backward(
    rod: Rod, q: np.ndarray, motion: RodMotion, gravity: Any = (0.0, 0.0, 0.0), tip: Any = None, load: Load | None = None
) -> RodCascade:
    """Wrench along a rod that moves, and the forces along its coordinates.

    Parameters
    ----------
    q : (n,) coordinates of the rod
        Strains change along them by their functions, or by the derivatives of their fields.
    gravity : (3,) m/s^2, world axes
    tip : (6,) (force; moment) in the axes of the tip
        What acts on the rod there; by default nothing.
    load : function (s, rotation, position, twist) -> (6,), N/m and N
        Wrench on a metre of rod in the axes of its section.
    """
    s, matrix = differentiation(len(motion.s), rod.length)
    g, k = motion.strain[:, :3], motion.strain[:, 3:]
    balance = np.empty((len(s), 6))
    for i, place in enumerate(s):
        section, added = rod.properties(float(place)), rod.added(float(place))
        inertia = np.diag([section.mass] * 3 + list(section.inertia)) + (0.0 if added is None else added)
        v, w = motion.twist[i, :3], motion.twist[i, 3:]
        momentum = inertia @ motion.twist[i]
        balance[i] = inertia @ motion.acceleration[i]
        balance[i, :3] += np.cross(w, momentum[:3])
        balance[i, 3:] += np.cross(w, momentum[3:]) + np.cross(v, momentum[:3])
        balance[i, :3] -= section.mass * motion.rotation[i].T @ np.asarray(gravity, dtype=float)
        if load is not None:
            balance[i] -= np.asarray(load(float(place), motion.rotation[i], motion.position[i], motion.twist[i]), dtype=float)
    end = np.zeros(6) if tip is None else np.asarray(tip, dtype=float)
    cascade = Cascade(matrix, hats(k), -1)
    force = cascade.solved(balance[:, :3], end[:3])
    moment = cascade.solved(balance[:, 3:] - np.cross(g, force), end[3:])
    wrench = np.hstack([force, moment])
    weights = rod.length * clenshaw_curtis(len(s))[1]
    along = rod.strain_motion(s, np.repeat(q[None], rod.count, axis=0), np.eye(rod.count))[1]
    return RodCascade(motion, wrench, -np.einsum("s,nsc,sc->n", weights, along, wrench))


def rod_cascade(
    model: Model, name: str, q: Any, v: Any = None, a: Any = None, *, count: int = 31, tip: Any = None, load: Load | None = None
) -> RodCascade:
    """Fields of a rod of a robot by ``count`` Chebyshev points; its root moves as the kernel says.

    Parameters
    ----------
    name : of the rod
    q, v, a : state and accelerations of the robot; by default at rest
    tip, load : see :func:`backward`
        What acts on the rod at its tip and along it. Bodies on the rod and wrench laws are not known here.

    >>> import locodyn as ld
    >>> arm = ld.Robot("arm")
    >>> rod = arm.base("ground", moves="fixed").rod("rod", length=1.0, section=ld.Circle(0.01), material=ld.steel, bending=(2, 0))
    >>> rod_cascade(arm.model(), "rod", [0.1, 0.0]).wrench[0].round(3) + 0.0  # weight and its moment at the root
    array([  0.   ,   0.   , -24.039,   0.   ,  12.009,   0.   ])
    """
    rods = {body.name: body.joint for body in model.compiled.description.bodies if body.joint.rod is not None}
    if name not in rods:
        raise InputError(f"robot '{model.compiled.name}' has no rod '{name}'{nearest(name, rods)}")
    rod, joint = rods[name].rod, model.compiled.joint_index(rods[name].name)
    assert rod is not None
    place = np.asarray(q, dtype=float)
    speed, rate = (np.zeros(model.nv) if x is None else np.asarray(x, dtype=float) for x in (v, a))
    poses, motions = model.kinematics(place, speed, rate)
    first = model.compiled.joint_frames[joint][0]
    parent = int(model.frames[first, PARENT])
    turn = model.constants[first, OFFSET_ROTATION : OFFSET_ROTATION + 9].reshape(3, 3)
    shift = model.constants[first, OFFSET_POSITION : OFFSET_POSITION + 3]
    rotation, position = poses[parent, :9].reshape(3, 3), poses[parent, 9:]

    def seen(x: np.ndarray) -> np.ndarray:
        return np.concatenate([(x[:3] + np.cross(x[3:], shift)) @ turn, x[3:] @ turn])

    root = RootMotion(rotation @ turn, position + rotation @ shift, seen(motions[parent, :6]), seen(motions[parent, 6:]))
    span, rates = model.compiled.joint_positions[joint], model.compiled.joint_velocities[joint]
    motion = chebyshev_motion(rod, place[span], speed[rates], rate[rates], count, root)
    return backward(rod, place[span], motion, model.gravity, tip, load)
