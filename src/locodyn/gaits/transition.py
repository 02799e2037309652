"""From one gait to another, twice differentiable: r = r_1 + w (r_2 - r_1), w the septic step of a soft start."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from locodyn.errors import InputError
from locodyn.motion import Law, as_law, constant
from locodyn.motion.base import finite, positive


def gait_transitions(first: Mapping[str, Any], *changes: tuple[float, float, Mapping[str, Any]]) -> dict[str, Law]:
    """Laws that follow ``first`` and then, one after the other, the gaits of ``changes``.

    Parameters
    ----------
    first : mapping of coordinate names to laws (a gait); a coordinate that a gait does not name goes to 0 in it
    changes : triples (at, duration, gait)
        From ``at`` (s) on the motion goes over to the gait within ``duration`` (s); changes follow each other without overlap.

    >>> import locodyn as ld
    >>> laws = gait_transitions({"a": ld.sine(1.0, omega=1.0)}, (2.0, 1.0, {"a": 0.5}))
    >>> laws["a"].at(3.5)
    (0.5, 0.0, 0.0)
    """
    gaits = [{str(name): as_law(law) for name, law in gait.items()} for gait in (first, *(change[2] for change in changes))]
    names = list(dict.fromkeys(name for gait in gaits for name in gait))
    laws = {name: gaits[0].get(name, constant(0.0)) for name in names}
    ready = -float("inf")
    for (at, duration, _), before, after in zip(changes, gaits[:-1], gaits[1:], strict=True):
        begin, length = finite(at, "the time of a change of gait"), positive(duration, "the duration of a change of gait")
        if begin < ready:
            raise InputError(f"a change of gait begins at {begin:g} s, before the one before it ends at {ready:g} s.")
        ready = begin + length
        for name in names:
            old, new = _plain(before.get(name, constant(0.0)), name, begin), after.get(name, constant(0.0))
            laws[name] = laws[name] + (new - old).soft_start(length, begin)
    return laws


def _plain(law: Law, name: str, at: float) -> Law:
    """The law without its soft start, which must be over at ``at``."""
    for term in law.terms:
        if term.window is not None and sum(term.window) > at:
            raise InputError(
                f"the soft start of '{name}' ends at {sum(term.window):g} s, after a change of gait at {at:g} s; change later."
            )
    return Law(tuple(replace(term, window=None) for term in law.terms))
