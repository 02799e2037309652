"""Where the surfaces of a robot touch the ground, whether a wheel has fallen over, and whether a start can stand."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.errors import InputError
from locodyn.robot.contact import Contact
from locodyn.robot.pose import rotation_of_quaternion

if TYPE_CHECKING:
    import xarray

    from locodyn.robot.description import RobotDescription
    from locodyn.sim.scenario import Scenario

FLAT = 0.99  # |cosine| between axis of a disc and normal of the plane beyond which it counts as lying flat (Mauny 2017)
GAP = 1e-9  # m (or rad) that may be left between a contact and its plane at the start


def touching_points(
    description: RobotDescription, names: Sequence[str], position: np.ndarray, orientation: np.ndarray
) -> np.ndarray:
    """Points (N, len(names), 3) m, in the world, where the wheels and contacts of these names touch the ground.

    ``position`` (N, nb, 3) and ``orientation`` (N, nb, 4) are those of the bodies of ``description``, in its order. A contact
    touches at its lowest point (:class:`~locodyn.robot.contact.Contact`), a wheel of a planar robot at a point of its body.
    """
    number = {body.name: k for k, body in enumerate(description.bodies)}
    parts: dict[str, Any] = {wheel.name: (number[body.name], wheel) for body, wheel in description.wheels}
    parts |= {contact.name: (number[body.name], contact) for body, contact in description.contacts}
    result = np.empty((len(position), len(names), 3))
    for n, name in enumerate(names):
        k, part = parts[name]
        r = rotation_of_quaternion(orientation[:, k])
        points = lowest_points(part, r) if isinstance(part, Contact) else np.broadcast_to(part.at, (len(r), 3))
        result[:, n] = position[:, k] + np.einsum("nij,nj->ni", r, points)
    return result


def lowest_points(contact: Contact, r: np.ndarray) -> np.ndarray:
    """Points (N, 3) m of the body, in its axes, that touch: centre - A D^2 m / |D m| - crown n, m = A^T n, n the normal."""
    n = np.einsum("nij,i->nj", r, contact.normal)
    stretched = contact.semi_axes * (n @ contact.pose.rotation)  # D m
    size = np.linalg.norm(stretched, axis=1, keepdims=True)
    unit = np.divide(stretched, size, out=np.zeros_like(stretched), where=size > 0.0)
    found: np.ndarray = contact.pose.position - (contact.semi_axes * unit) @ contact.pose.rotation.T - contact.crown * n
    return found


def first_flat(description: RobotDescription, orientation: np.ndarray) -> tuple[int, str] | None:
    """Number of the first record at which a disc lies flat, and the name of the disc; None when none does.

    ``orientation`` (N, nb, 4): of the bodies. A disc that lies flat has no lowest point, so nothing can be said after it.
    """
    found: tuple[int, str] | None = None
    for k, body in enumerate(description.bodies):
        for contact in body.contacts:
            if contact.kind == "disc":
                axis = rotation_of_quaternion(orientation[:, k]) @ contact.pose.rotation[:, 2]
                flat = np.flatnonzero(np.abs(axis @ contact.normal) > FLAT)
                if len(flat) and (found is None or flat[0] < found[0]):
                    found = int(flat[0]), contact.name
    return found


def geometry(description: RobotDescription, neutral: np.ndarray) -> dict[str, dict[str, Any]]:
    """What a reader of a result needs to know of each contact in space, by its name.

    ``kind``, ``body``; of discs also ``centre`` (3,) m and ``axis`` (3,) in the axes of the body, ``radius`` m and, where the
    body turns about this axis on its parent, ``carrier`` (the parent) and ``standing`` (rad): the contact angle of
    :func:`contact_angles` with all joints at zero. ``neutral`` (nb, 3, 3): rotations of the bodies there.
    """
    number = {body.name: k for k, body in enumerate(description.bodies)}
    found: dict[str, dict[str, Any]] = {}
    for body, contact in description.contacts:
        about: dict[str, Any] = {"kind": contact.kind, "body": body.name, "normal": contact.normal.tolist()}
        found[contact.name] = about
        if contact.kind != "disc":
            continue
        axis = contact.pose.rotation[:, 2]
        about |= {"centre": contact.pose.position.tolist(), "axis": axis.tolist()}
        about["radius"] = float(contact.semi_axes[0] + contact.crown)
        joint = body.joint
        if body.parent is None or joint.type != "revolute":
            continue
        if abs((joint.child_offset.rotation.T @ joint.axes[0]) @ axis) > 1.0 - 1e-12:
            own, carrier = neutral[number[body.name]], neutral[number[body.parent]]
            about |= {"carrier": body.parent, "joint": joint.velocity_names()[0]}
            lowest = own @ (lowest_points(contact, own[None])[0] - contact.pose.position)
            about["standing"] = float(_angle(carrier.T @ own @ axis, carrier.T @ lowest))
    return found


def contacts_of(dataset: xarray.Dataset) -> dict[str, dict[str, Any]]:
    """The :func:`geometry` that a result carries; nothing for robots without contacts in space."""
    found: dict[str, dict[str, Any]] = json.loads(dataset.attrs.get("contacts", "{}"))
    return found


def contact_angles(dataset: xarray.Dataset) -> dict[str, np.ndarray]:
    """Where each wheel on an axle touches, (N,) rad, as an angle about the axle in the axes of its carrier, in [0, 2 pi).

    Counted from the carrier's z axis about the axle; those of the fork and the frame of a bicycle are psi_2 and psi_3 of
    Mauny 2017, (17), and standing upright they are pi + tilt and pi.
    """
    result = {}
    for name, about in contacts_of(dataset).items():
        if "carrier" in about:
            own, carrier = (
                rotation_of_quaternion(dataset["body_orientation"].sel(body=about[k]).values) for k in ("body", "carrier")
            )
            centre = dataset["body_position"].sel(body=about["body"]).values + own @ about["centre"]
            rho = dataset["contact_point"].sel(contact=name).values - centre
            axis = np.einsum("nji,nj->ni", carrier, own @ about["axis"])
            result[name] = _angle(axis, np.einsum("nji,nj->ni", carrier, rho))
    return result


def _angle(axis: np.ndarray, rho: np.ndarray) -> np.ndarray:
    """Angle of rho (..., 3) about the axis (..., 3), from the z axis, in [0, 2 pi)."""
    z = np.array([0.0, 0.0, 1.0])
    up = z - axis[..., 2:] * axis
    ahead = np.cross(axis, up)
    found: np.ndarray = np.arctan2(np.sum(ahead * rho, axis=-1), np.sum(up * rho, axis=-1)) % (2.0 * np.pi)
    return found


def check_upright(scenario: Scenario, q: np.ndarray) -> None:
    """:class:`InputError` when a disc lies flat in the configuration q (nq,): it has no lowest point."""
    for body, contact in scenario.compiled.description.contacts:
        axis = scenario.model.pose(body.name, q)[0] @ contact.pose.rotation[:, 2]
        if contact.kind == "disc" and abs(axis @ contact.normal) > FLAT:
            raise InputError(
                f"the wheel '{contact.name}' lies flat at the start: its axis is along the normal of the ground; turn it by at"
                " least 0.15 rad."
            )


def check_reach(scenario: Scenario, q: np.ndarray, adjust: Sequence[int]) -> None:
    """:class:`InputError` when the coordinates ``adjust`` cannot bring the contacts to the ground, or close the loops, from q."""
    problem, count = scenario.problem, scenario.compiled.nv
    if problem.constraints.arrays is None:
        return
    problem.settled(0.0, q, np.zeros(count), adjust, range(count))  # nothing else may move: what is left is the gap
    gaps = np.abs(problem.constraints.arrays.residual)
    worst = int(np.argmax(gaps))
    if not gaps[worst] <= GAP:
        name, moved = problem.constraints.names[worst].rsplit(".", 1)[0], ", ".join(scenario.start.adjust)
        raise InputError(
            f"'{name}' cannot be reached at the start by moving {moved} alone: {gaps[worst]:.3g} m (or rad) are left; name more"
            " coordinates in 'adjust', or none."
        )
