"""Velocities from encoders: a controller that hears an observer in place of the velocities (Aguirre 2010, 5.10).

Encoders tell positions x. For each of them, with the bandwidth omega,

    xhat' = vhat + 2 omega (x - xhat),     vhat' = omega^2 (x - xhat),

the observer of a mass that nothing accelerates (Luenberger 1964), both of its poles at -omega. So vhat is v behind a filter of
second order, omega^2 / (s + omega)^2: noise above omega is taken out, and what is left is late by 2 / omega.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from locodyn.dynamics.model import Model
from locodyn.errors import InputError
from locodyn.locomotion.memories import ControllerWithMemory
from locodyn.locomotion.sampled_controller import SampledController
from locodyn.motion.base import positive
from locodyn.robot.layout import LINEAR


class _Observer:
    """The function (t, q, v, z) -> (forces, zdot) of the observer; z: positions seen, then velocities."""

    def __init__(self, controller: Callable[..., Any], model: Model, bandwidth: float, names: Sequence[str]) -> None:
        self.controller, self.omega, self.names = controller, bandwidth, tuple(names)
        all_names = list(model.compiled.coordinate_names)
        self.places = [model.position_of(name) for name in names]
        self.rates = [all_names.index(name) for name in names]
        self.driven: Sequence[int] | None = getattr(controller, "driven", None)
        self.restart = getattr(controller, "restart", lambda t, q, v: None)

    def __call__(self, t: float, q: np.ndarray, v: np.ndarray, z: np.ndarray) -> tuple[Any, np.ndarray]:
        place, speed = np.split(z, 2)
        heard = v.copy()
        heard[self.rates] = speed
        off = q[self.places] - place
        return self.controller(t, q, heard), np.concatenate([speed + 2.0 * self.omega * off, self.omega**2 * off])

    def describe(self) -> str:
        """In words."""
        describe = getattr(self.controller, "describe", None)
        own = str(describe()) if callable(describe) else "Python function of time and state"
        return f"{own}, velocities by an observer of {self.omega:g} rad/s"


class ObservedVelocities(ControllerWithMemory):
    """A controller f(t, q, v) -> forces that gets velocities from an observer of the positions, as on robots with encoders.

    Its states are recorded as ``controller.NAME.position`` and ``controller.NAME.velocity``, and a resumed run goes on with them.

    Parameters
    ----------
    controller : f(t, q, v) -> forces (nv,)
    model : Model
        Of the robot.
    bandwidth : rad/s
        omega.
    coordinates : names of coordinates of one axis, optional
        Those with an encoder; by default all coordinates of one axis. The velocities of others stay as they are.

    >>> import locodyn as ld
    >>> model = ld.zoo.jumper_1d().model
    >>> ObservedVelocities(lambda t, q, v: -2.0 * v, model, 100.0).start([0.6], [-1.0])
    {'controller.z.position': 0.6, 'controller.z.velocity': -1.0}
    """

    function: _Observer

    def __init__(
        self, controller: Callable[..., Any], model: Model, bandwidth: float, coordinates: Sequence[str] | None = None
    ) -> None:
        if isinstance(controller, (ControllerWithMemory, SampledController)) or not callable(controller):
            raise InputError(
                f"an observer of velocities cannot speak to {type(controller).__name__}; give it a function f(t, q, v) -> forces."
            )
        omega = positive(bandwidth, "the bandwidth of an observer of velocities")
        names = model.compiled.coordinate_names
        chosen = [name for name in names if _has_position(model, name)] if coordinates is None else list(coordinates)
        if not chosen:
            raise InputError(
                f"'{model.compiled.name}' has no coordinate of one axis, so there is nothing for an observer to read."
            )
        observer = _Observer(controller, model, omega, chosen)
        units = ["m" if model.dof_constants[i, LINEAR] != 0.0 else "rad" for i in observer.rates]
        positions = {f"{name}.position": unit for name, unit in zip(chosen, units, strict=True)}
        super().__init__(
            observer, positions | {f"{name}.velocity": f"{unit}/s" for name, unit in zip(chosen, units, strict=True)}
        )

    @property
    def assumed_gravity(self) -> np.ndarray | None:
        """(3,) m/s^2 with which the controller that hears it reckons, if it does."""
        return getattr(self.function.controller, "assumed_gravity", None)

    def start(self, q: Any, v: Any) -> dict[str, float]:
        """States by name for ``Start(memory=...)``: the observer has settled at the state (q, v)."""
        seen = np.concatenate([np.asarray(q, dtype=float)[self.function.places], np.asarray(v, dtype=float)[self.function.rates]])
        return {f"controller.{name}": float(value) for name, value in zip(self.memory, seen, strict=True)}


def _has_position(model: Model, name: str) -> bool:
    try:
        model.position_of(name)
    except InputError:
        return False
    return True
