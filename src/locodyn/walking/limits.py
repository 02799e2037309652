"""What a gait must keep to, and whether a step does on a fine grid."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from locodyn.errors import InputError, nearest
from locodyn.phases.hybrid_problem import HybridProblem
from locodyn.walking.step_gait import Biped
from locodyn.walking.zero_dynamics import StepSample, ZeroDynamics


@dataclass(frozen=True)
class GaitLimits:
    """Bounds of a gait design.

    Parameters
    ----------
    torque : N m
        Of every actuator.
    power : W
        Of every actuator, where it drives and where it brakes; given when a design is made, solves may change it.
    friction : number
        Of the ground, for the standing foot and for the impact.
    normal : N
        Least force of the ground.
    clearance : m
        The swing foot is at least 4 clearance s (1 - s) high; where a phase ends in mid-swing, as high as the clearance.
    delta_squared : number
        Largest slope of the step-to-step map.
    joints : {coordinate: (least, largest)}
        rad or m, in the whole stride: where the other half of it is the mirror image, the counterparts keep them too.
    length : (least, largest) of a step, m.
    touchdown, lift_off : m/s
        Least speed at which the swing foot comes down, and at which the other one leaves after the impact.
    rate : rad/s
        Least rate of the phase variable, so that it never turns back.
    """

    torque: float = 150.0
    power: float = math.inf
    friction: float = 0.6
    normal: float = 100.0
    clearance: float = 0.025
    delta_squared: float = 0.85
    joints: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    length: tuple[float, float] = (0.25, 0.6)
    touchdown: float = 0.05
    lift_off: float = 0.01
    rate: float = 0.22

    def __post_init__(self) -> None:
        for one in fields(self):
            value = getattr(self, one.name)
            endless = one.name == "power" and value == math.inf
            if one.name in ("joints", "length") or endless:
                continue
            if not (isinstance(value, (int, float)) and math.isfinite(value) and value >= 0.0):
                raise InputError(f"the limit '{one.name}' of the gait is {value!r}; it must be a finite number, zero or more.")
        if not self.delta_squared < 1.0:
            raise InputError(f"the limit of delta^2 is {self.delta_squared:g}; a gait is stable only below 1.")
        for name, pair in {"a step": self.length, **self.joints}.items():
            if np.shape(pair) != (2,):
                raise InputError(f"the limits of '{name}' are {pair!r}; they must be two numbers, the least and the largest.")
            least, most = pair
            if not least < most:
                raise InputError(f"the limits of '{name}' are {least:g} and {most:g}; the first must be smaller.")


@dataclass(frozen=True)
class StepPath:
    """What limits look at along a step, at places s (k,).

    ``torque`` (k, n) N m, ``power`` (k, n) W, forces of the ground ``normal`` and ``along`` (k,) N, ``height`` of the swing foot
    (k,) m, ``angles`` of joints by name, (k,) rad.
    """

    s: np.ndarray
    torque: np.ndarray
    power: np.ndarray
    normal: np.ndarray
    along: np.ndarray
    height: np.ndarray
    angles: Mapping[str, np.ndarray]


def path_excess(path: StepPath, limits: GaitLimits) -> dict[str, float]:
    """By how much a step passes its limits, in their units; nothing that it keeps."""
    amounts = {
        "torque": float(np.abs(path.torque).max() - limits.torque),
        "power": float(np.abs(path.power).max() - limits.power),
        "normal": float(limits.normal - path.normal.min()),
        "friction": float((np.abs(path.along) / path.normal).max() - limits.friction),
        "clearance": float((4.0 * limits.clearance * path.s * (1.0 - path.s) - path.height).max()),
    }
    for name, (least, most) in limits.joints.items():
        amounts[name] = float(max(least - path.angles[name].min(), path.angles[name].max() - most))
    return {name: amount for name, amount in amounts.items() if amount > 0.0}


def excesses(step: ZeroDynamics, limits: GaitLimits) -> dict[str, float]:
    """The same from the zero dynamics alone, at 400 places and at the impact: apart from the optimiser."""
    found = step.sampled()
    gait, rate = step.gait, step.rate(step.gait.end)
    biped = gait.biped
    limits = stride_limits(limits, biped.hybrid, biped.places)
    angles = {name: found.q[:, biped.places[name]] for name in limits.joints}
    s = (found.theta - gait.begin) / gait.span
    along, up = biped.axes.T @ world_impulse(step)
    after = gait.at(gait.end)[0], gait.impact.velocity
    amounts = {
        "delta_squared": step.delta_squared - limits.delta_squared,
        "impact friction": float(abs(along) / up - limits.friction) if up > 0.0 else math.inf,
        "touchdown": limits.touchdown + float(biped.hybrid.feet.rising_speed(biped.swing, found.q[-1], found.v[-1])),
        "lift-off": limits.lift_off - rate * float(biped.hybrid.feet.rising_speed(biped.stance, *after)),
        "length": max(limits.length[0] - step.length, step.length - limits.length[1]),
    }
    path = StepPath(s, found.torque, powers(biped, found), found.normal, found.along, found.height, angles)
    return path_excess(path, limits) | {name: amount for name, amount in amounts.items() if amount > 0.0}


def powers(biped: Biped, sample: StepSample) -> np.ndarray:
    """Power (k, n) of the actuators along a step, W."""
    return np.asarray(sample.torque * sample.v[:, [biped.rates[name] for name in biped.outputs]])


def check_power(limits: GaitLimits, built: bool) -> None:
    """A limit of power needs rows that a design has only if it was made with one."""
    if math.isfinite(limits.power) and not built:
        raise InputError(
            f"the limit of the power is {limits.power:g} W, but the design was made without one; give it limits with a power when"
            " you make it."
        )


def stride_limits(limits: GaitLimits, hybrid: HybridProblem, joints: Collection[str], mirrored: bool = True) -> GaitLimits:
    """The same for half of a stride: limits of joints also hold for their mirror images; ``joints``: those that may be named."""
    for name in limits.joints:
        if name not in joints:
            raise InputError(f"the limits of the gait name the joint '{name}', which it does not have{nearest(name, joints)}")
    mirror, whole = hybrid.phases.mirror, dict(limits.joints)
    if mirror is None or not mirrored:
        return limits
    pairs = {**mirror.pairs, **{two: one for one, two in mirror.pairs.items()}}
    for name, (least, most) in limits.joints.items():
        image = pairs.get(name, name)
        low, high = (-most, -least) if image in mirror.negated else (least, most)
        own = whole.get(image, (-math.inf, math.inf))
        whole[image] = max(own[0], low), min(own[1], high)
        if not whole[image][0] < whole[image][1]:
            raise InputError(f"the limits of '{image}' and of its mirror image '{name}' leave no angle for both; widen one.")
    return replace(limits, joints=whole)


def pull(hybrid: HybridProblem) -> float:
    """Size of gravity, m/s^2; the slope of a design gives its direction."""
    size = float(np.linalg.norm(hybrid.model.gravity))
    if not size > 0.0:
        raise InputError("gaits are designed for robots with a weight, but gravity is zero here; give the scenario a gravity.")
    return size


def world_impulse(step: ZeroDynamics) -> np.ndarray:
    """Impulse (3,) of the impact for thetadot = 1 before it, N s, world axes."""
    biped, impulse = step.gait.biped, step.gait.impact.impulse
    plane = np.asarray(biped.hybrid.feet.contacts[biped.swing].plane, dtype=float)
    return np.asarray(sum(impulse[f"{biped.swing}.{way}"] * plane[:, k] for k, way in enumerate(("first", "second", "normal"))))


def tightened(limits: GaitLimits, excess: Mapping[str, float], share: float = 1.5) -> GaitLimits:
    """Limits made narrower by this share of what a gait passes them between the places; neighbours pass them too."""
    changed: dict[str, Any] = {}
    for name, amount in excess.items():
        more = share * amount
        if name in ("torque", "power", "friction", "delta_squared"):
            changed[name] = max(getattr(limits, name) - more, 0.5 * getattr(limits, name))
        elif name == "impact friction":
            changed["friction"] = min(
                changed.get("friction", limits.friction), max(limits.friction - more, 0.5 * limits.friction)
            )
        elif name in ("normal", "clearance", "touchdown"):
            changed[name] = getattr(limits, name) + more
        elif name == "lift-off":
            changed["lift_off"] = limits.lift_off + more
        elif name in limits.joints:
            least, most = limits.joints[name]
            changed.setdefault("joints", dict(limits.joints))[name] = (least + more, most - more)
    return replace(limits, **changed)
