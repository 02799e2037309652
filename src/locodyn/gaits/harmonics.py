"""Gaits of harmonics: every coordinate a constant and sines of whole multiples of one frequency.

    r_j(t) = offset_j + sum_k amplitude_jk sin(k omega t + phase_jk)

All derivatives with respect to the parameters are laws in closed form.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from locodyn.errors import InputError
from locodyn.gaits.gait import PACE, Gait, pace
from locodyn.motion import Law, constant, cosine, sine
from locodyn.motion.base import finite

_WORDS = ("amplitude", "phase", "offset")


def harmonic_gait(omega: float, **joints: float | Sequence[float] | Mapping[str, float | Sequence[float]]) -> Gait:
    """Every coordinate a constant and one or several harmonics of ``omega`` (rad/s).

    Each coordinate is given as a number (its amplitude) or a mapping with ``amplitude``, ``phase`` (rad) and ``offset``;
    ``amplitude`` and ``phase`` may be sequences, one entry for each harmonic. Parameters: ``omega``, ``front.amplitude``,
    ``front.phase``, ``front.offset``, and ``front.amplitude_2``, ``front.phase_2``, ... for higher harmonics.

    >>> import math
    >>> walk = harmonic_gait(2.0, front=0.4, rear={"amplitude": (0.4, 0.1), "phase": math.pi / 2})
    >>> sorted(walk.parameters)[:4]
    ['front.amplitude', 'front.offset', 'front.phase', 'omega']
    """
    if not joints:
        raise InputError("a harmonic gait has no coordinate; give at least one.")
    parameters = {PACE: pace(omega)}
    harmonics: dict[str, int] = {}
    for name, wave in joints.items():
        values = wave if isinstance(wave, Mapping) else {"amplitude": wave}
        unknown = [word for word in values if word not in _WORDS]
        if unknown:
            raise InputError(f"the gait of '{name}' has '{unknown[0]}'; it may have {', '.join(_WORDS)}.")
        amplitudes, phases = _several(values.get("amplitude", 0.0)), _several(values.get("phase", 0.0))
        if len(phases) > len(amplitudes):
            raise InputError(f"the gait of '{name}' has {len(phases)} phases for {len(amplitudes)} amplitudes; give as many.")
        phases = [*phases, *[0.0] * (len(amplitudes) - len(phases))]
        harmonics[name] = len(amplitudes)
        for k, (amplitude, phase) in enumerate(zip(amplitudes, phases, strict=True), start=1):
            parameters[_named(name, "amplitude", k)] = finite(amplitude, f"the amplitude of '{name}'")
            parameters[_named(name, "phase", k)] = finite(phase, f"the phase of '{name}'")
        parameters[f"{name}.offset"] = finite(values.get("offset", 0.0), f"the offset of '{name}'")
    return _harmonic(harmonics, parameters)


def _harmonic(harmonics: Mapping[str, int], parameters: dict[str, float]) -> Gait:
    omega = parameters[PACE]
    laws: dict[str, Law] = {}
    derivatives: dict[str, dict[str, Law]] = {}
    for name, count in harmonics.items():
        law = constant(parameters[f"{name}.offset"])
        derivatives[f"{name}.offset"] = {name: constant(1.0)}
        for k in range(1, count + 1):
            amplitude, phase = parameters[_named(name, "amplitude", k)], parameters[_named(name, "phase", k)]
            law = law + sine(amplitude, omega=k * omega, phase=phase)
            derivatives[_named(name, "amplitude", k)] = {name: sine(1.0, omega=k * omega, phase=phase)}
            derivatives[_named(name, "phase", k)] = {name: cosine(amplitude, omega=k * omega, phase=phase)}
        laws[name] = law
    return Gait(
        laws,
        math.tau / pace(omega),
        parameters=parameters,
        derivatives=derivatives,
        rebuild=lambda values: _harmonic(harmonics, values),
    )


def _several(value: Any) -> list[Any]:
    return list(value) if isinstance(value, Sequence) and not isinstance(value, str) else [value]


def _named(name: str, word: str, k: int) -> str:
    return f"{name}.{word}" if k == 1 else f"{name}.{word}_{k}"
