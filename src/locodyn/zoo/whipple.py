"""The Whipple bicycle: rear frame with rider, fork and two wheels that are thin discs; shared by the bicycles of the zoo.

World: x forward, y left, z up. The rear frame is the reference body, with its origin at the rear hub; the fork turns about the
steer axis, which points up and backwards, d = (-sin tilt, 0, cos tilt): a positive steer angle is to the left. The frame of the
fork has the axes (p, y, d), p = (cos tilt, 0, sin tilt), and its origin at the foot of the perpendicular from the front hub onto
the steer axis. Wheels roll forward with positive rates; positive lean is to the right.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from locodyn.errors import InputError
from locodyn.kernel import sincos, twin
from locodyn.robot import Cylinder, Robot, about_centre
from locodyn.sim import Result, Start
from locodyn.sim.touching import contact_angles
from locodyn.zoo.bicycle_shapes import fork_shape, frame_shape


@dataclass(frozen=True)
class Whipple:
    """Geometry and inertia of a bicycle; lengths in m, masses in kg, moments about mass centres in kg m^2. May hold symbols.

    ``frame_centre``: (forward, up) of the rear hub; ``fork_centre``: (along p, along d) of the origin of the fork.
    Moments of the frame in (x, y, z), of the fork in (p, y, d), of the wheels (across, along the axle).
    """

    wheelbase: Any
    trail: Any
    tilt: Any
    rear_radius: Any
    front_radius: Any
    rear_mass: Any
    rear_moments: tuple[Any, Any]
    frame_mass: Any
    frame_centre: tuple[Any, Any]
    frame_moments: dict[str, Any]
    fork_mass: Any
    fork_centre: tuple[Any, Any]
    fork_moments: dict[str, Any]
    front_mass: Any
    front_moments: tuple[Any, Any]

    def steer_foot(self) -> tuple[tuple[Any, Any], Any]:
        """(forward, up) of the rear hub to the origin of the fork, and the offset of the front hub along p."""
        s, c = twin(sincos)(self.tilt)
        offset = self.front_radius * s - self.trail * c
        return (self.wheelbase - offset * c, self.front_radius - self.rear_radius - offset * s), offset

    def robot(self, name: str) -> Robot:
        """Four bodies, three revolute joints, two discs on the ground."""
        if isinstance(self.tilt, float) and not abs(self.tilt) < math.pi / 2:
            raise InputError(
                f"the steer axis is tilted by {self.tilt:g} rad and does not point up; it must be within -pi/2 and pi/2."
            )
        s, c = twin(sincos)(self.tilt)
        (forward, up), offset = self.steer_foot()
        drawn = all(isinstance(x, float) for x in (forward, up, offset, self.tilt, self.rear_radius, self.front_radius))
        bicycle = Robot(name)
        frame = bicycle.base(
            "frame",
            mass=self.frame_mass,
            centre=(self.frame_centre[0], 0.0, self.frame_centre[1]),
            inertia=about_centre(**self.frame_moments),
            shape=frame_shape((forward, up), self.tilt, (self.rear_radius, self.front_radius)) if drawn else None,
        )
        fork = bicycle.body(
            "fork",
            mass=self.fork_mass,
            centre=(self.fork_centre[0], 0.0, self.fork_centre[1]),
            inertia=about_centre(**self.fork_moments),
            shape=fork_shape(offset, self.front_radius) if drawn else None,
        )
        fork.on(frame, at=(forward, 0.0, up), turned=((c, 0.0, -s), (0.0, 1.0, 0.0), (s, 0.0, c))).turning("z", name="steer")
        self._wheel(bicycle, "rear", self.rear_mass, self.rear_moments, self.rear_radius).on(frame).turning("y")
        front = self._wheel(bicycle, "front", self.front_mass, self.front_moments, self.front_radius)
        front.on(fork, at=(offset, 0.0, 0.0)).turning("y")
        return bicycle

    @staticmethod
    def _wheel(bicycle: Robot, name: str, mass: Any, moments: tuple[Any, Any], radius: Any) -> Any:
        across, along = moments
        shape = Cylinder(radius=radius, length=0.03, axis="y") if isinstance(radius, float) else None
        wheel = bicycle.body(name, mass=mass, inertia=about_centre(xx=across, yy=along, zz=across), shape=shape)
        return wheel.rolling(f"{name}.tyre", radius=radius, axis="y")

    def start(self, speed: float, lean_rate: float = 0.0, lean: float = 0.0, steer: float = 0.0) -> Start:
        """On the ground with a given lean and steer (the pitch follows), rolling with ``speed`` of the rear wheel's hub, m/s."""
        return Start(
            positions={"frame": (0.0, 0.0, self.rear_radius, lean, 0.0, 0.0), "steer": steer},
            velocities={"frame.vx": speed, "frame.wx": lean_rate, "rear": speed / self.rear_radius},
            adjust=("frame.vz", "frame.wy"),
            keep=("frame.wx", "steer", "rear"),
        )


def in_fork_axes(
    tilt: float,
    trail: float,
    hub: tuple[float, float],
    centre: tuple[float, float],
    moments: tuple[float, float, float],
) -> tuple[tuple[float, float], tuple[float, float, float]]:
    """Mass centre (along p, along d) of the origin of the fork, and moments (pp, dd, pd), from values in (forward, up).

    ``hub``: front hub, (forward, up) of the rear contact point, so that its height is the radius of the front wheel; ``centre``
    of the same point; ``moments``: (xx, zz, xz), z up.
    """
    s, c = float(np.sin(tilt)), float(np.cos(tilt))
    offset = hub[1] * s - trail * c
    forward, up = centre[0] - (hub[0] - offset * c), centre[1] - (hub[1] - offset * s)
    xx, zz, xz = moments
    pp = c**2 * xx + 2.0 * c * s * xz + s**2 * zz
    dd = s**2 * xx - 2.0 * c * s * xz + c**2 * zz
    return (forward * c + up * s, -forward * s + up * c), (pp, dd, c * s * (zz - xx) + (c**2 - s**2) * xz)


def wheel_angles(result: Result) -> tuple[np.ndarray, np.ndarray]:
    """psi_2, psi_3 (N,), rad: where the front and the rear wheel touch, counted from the top of the carrier (Mauny 2017, (17)).

    Standing upright they are pi + tilt and pi.
    """
    angles = contact_angles(result.dataset)
    return angles["front.tyre"], angles["rear.tyre"]


def rear_force_up(result: Result) -> np.ndarray:
    """lambda_4 (N,), N: force of the ground on the rear wheel along the z axis of the frame (s_0 of Mauny 2017)."""
    w, x, y, z = result.body_orientation.sel(body="frame").values.T
    axis = np.stack([2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)], axis=1)
    found: np.ndarray = np.sum(axis * result.contact_force.sel(contact="rear.tyre").values, axis=1)
    return found
