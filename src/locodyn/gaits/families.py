"""Families of gaits: sums of harmonics, and waves that travel along a chain of joints.

    r_j(t) = offset_j + sum_k amplitude_jk sin(k omega t + phase_jk)

All derivatives with respect to the parameters are laws in closed form.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from locodyn.errors import InputError
from locodyn.gaits.gait import PACE, Gait
from locodyn.motion import Law, constant, cosine, sine
from locodyn.motion.base import finite, positive

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
    parameters = {PACE: _pace(omega)}
    harmonics: dict[str, int] = {}
    for name, given in joints.items():
        values = given if isinstance(given, Mapping) else {"amplitude": given}
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
        math.tau / _pace(omega),
        parameters=parameters,
        derivatives=derivatives,
        rebuild=lambda values: _harmonic(harmonics, values),
    )


def serpenoid_gait(
    joints: Sequence[str],
    *,
    amplitude: float,
    omega: float,
    lag: float,
    offset: float = 0.0,
    phase: float = 0.0,
    growth: float = 0.0,
) -> Gait:
    """A wave that travels along the joints: r_j = offset + amplitude (1 + growth x_j) sin(omega t + phase - j lag).

    ``joints`` from head to tail, j = 0, 1, ...; x_j = j / (n - 1). ``lag`` (rad) between neighbours: positive, the wave runs
    to the tail; ``offset`` steers; ``growth`` makes the tail beat wider than the head. All six numbers are parameters.
    """
    names = tuple(str(name) for name in joints)
    if not names or len(set(names)) < len(names):
        raise InputError("a serpenoid gait needs the names of its joints, each once.")
    values = {"amplitude": amplitude, PACE: _pace(omega), "lag": lag, "offset": offset, "phase": phase, "growth": growth}
    return _serpenoid(names, {name: finite(value, f"the {name} of a serpenoid gait") for name, value in values.items()})


def _serpenoid(names: tuple[str, ...], p: dict[str, float]) -> Gait:
    laws: dict[str, Law] = {}
    derivatives: dict[str, dict[str, Law]] = {word: {} for word in ("amplitude", "lag", "offset", "phase", "growth")}
    for j, name in enumerate(names):
        place = j / max(1, len(names) - 1)
        phase, size = p["phase"] - j * p["lag"], p["amplitude"] * (1.0 + p["growth"] * place)
        laws[name] = constant(p["offset"]) + sine(size, omega=p[PACE], phase=phase)
        derivatives["amplitude"][name] = sine(1.0 + p["growth"] * place, omega=p[PACE], phase=phase)
        derivatives["growth"][name] = sine(p["amplitude"] * place, omega=p[PACE], phase=phase)
        derivatives["phase"][name] = cosine(size, omega=p[PACE], phase=phase)
        derivatives["lag"][name] = cosine(-j * size, omega=p[PACE], phase=phase)
        derivatives["offset"][name] = constant(1.0)
    return Gait(
        laws,
        math.tau / _pace(p[PACE]),
        parameters=p,
        derivatives=derivatives,
        rebuild=lambda values: _serpenoid(names, values),
    )


def _pace(omega: Any) -> float:
    return positive(omega, "omega of a gait (rad/s; let a gait run backwards by reversed())")


def _several(value: Any) -> list[Any]:
    return list(value) if isinstance(value, Sequence) and not isinstance(value, str) else [value]


def _named(name: str, word: str, k: int) -> str:
    return f"{name}.{word}" if k == 1 else f"{name}.{word}_{k}"
