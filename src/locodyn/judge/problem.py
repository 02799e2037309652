"""What a problem file declares: the statement, where it is from, its reference, and a curve for every code that solves it.

A problem file is a Python file with one name, ``PROBLEM``. What it owes:

1. The statement in our own words, its source, and the licence or origin of every number in it.
2. A reference that does not come from the library, and the words of how the error is measured against it.
3. A curve for locodyn and one for each peer. ``run(setting)`` builds the model, integrates, and gives back the error and the CPU
   time of the solver alone (:func:`timed`): neither building nor reading out is counted, for nobody.
4. Settings from coarse to fine, the same physical problem in all of them; tolerances are each code's own and said.
5. Targets, where there are any, with who set them.
"""

from __future__ import annotations

import importlib.util
import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from locodyn.errors import InputError

Found = TypeVar("Found")
OWN = "locodyn"
# What each peer is imported as.
PEERS = {
    "Exudyn": "exudyn", "MuJoCo": "mujoco", "Pinocchio": "pinocchio", "PyElastica": "elastica", "Siconos": "siconos",
    "SciPy": "scipy",
}  # fmt: skip
AXES = ("cpu", "size")


@dataclass(frozen=True)
class Trial:
    """One run: its error in the measure of the problem, CPU time of the solver (s), and further numbers by name."""

    error: float
    cpu: float
    more: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Curve:
    """A code with one of its methods, over several settings.

    Parameters
    ----------
    code : ``locodyn``, or a name of :data:`PEERS`
    method : words: integrator, tolerances
    settings : from coarse to fine: steps (s), tolerances or sizes
    run : the trial of a setting
    unit : of the settings, such as ``s``
    quick : the settings that a quick run takes; by default the first one
    """

    code: str
    method: str
    settings: tuple[float, ...]
    run: Callable[[float], Trial]
    unit: str = "s"
    quick: tuple[float, ...] | None = None

    @property
    def name(self) -> str:
        """Code and method."""
        return f"{self.code}, {self.method}"

    @property
    def installed(self) -> bool:
        """Whether the code is on this machine."""
        return self.code == OWN or importlib.util.find_spec(PEERS[self.code]) is not None

    def chosen(self, quick: bool) -> tuple[float, ...]:
        """The settings of a quick or a whole run."""
        return (self.settings[:1] if self.quick is None else self.quick) if quick else self.settings


@dataclass(frozen=True)
class Target:
    """A number that our curve should not exceed: its quantity (``error``, ``cpu`` or a further number) at one of its settings."""

    words: str
    bound: float
    method: str
    setting: float
    quantity: str = "error"


@dataclass(frozen=True)
class Problem:
    """A problem that others posed.

    Parameters
    ----------
    title, family : what it is called, and the collection it belongs to
    statement : model, start, duration, in a few sentences of our own
    source : who posed it
    licence : under which terms the numbers stand, or where they come from
    reference : where the reference comes from
    measure : what the error is, with its unit
    curves : ours and those of the peers
    targets : bounds for ours
    against : ``cpu``: error against CPU time; ``size``: CPU time against the size, which the settings are
    notes : what a reader should know of the results, above all where a peer is better
    """

    title: str
    family: str
    statement: str
    source: str
    licence: str
    reference: str
    measure: str
    curves: tuple[Curve, ...]
    targets: tuple[Target, ...] = ()
    against: str = "cpu"
    notes: str = ""

    def __post_init__(self) -> None:
        for name in ("title", "family", "statement", "source", "licence", "reference", "measure"):
            text = getattr(self, name)
            if not isinstance(text, str) or not text.strip():
                raise InputError(f"the {name} of a problem is {text!r}; it must be words.")
        if self.against not in AXES:
            raise InputError(f"a problem is drawn against '{self.against}'; it must be one of {', '.join(AXES)}.")
        _check_curves(self)
        for target in self.targets:
            settings = {curve.method: curve.settings for curve in self.ours}.get(target.method)
            if settings is None:
                raise InputError(
                    f"the target '{target.words}' names the method '{target.method}', of which there is no curve of ours."
                )
            if target.setting not in settings:
                raise InputError(f"the target '{target.words}' names the setting {target.setting:g}, which its curve has not.")

    @property
    def ours(self) -> tuple[Curve, ...]:
        """Curves of locodyn."""
        return tuple(curve for curve in self.curves if curve.code == OWN)

    @property
    def peers(self) -> tuple[str, ...]:
        """Codes beside ours."""
        return tuple(dict.fromkeys(curve.code for curve in self.curves if curve.code != OWN))


def _check_curves(problem: Problem) -> None:
    """Refuse curves that are not there twice over, of nobody, or without settings."""
    if not problem.ours:
        raise InputError(f"the problem '{problem.title}' has no curve of {OWN}; it must have one.")
    names = [curve.name for curve in problem.curves]
    for curve in problem.curves:
        if curve.code != OWN and curve.code not in PEERS:
            raise InputError(f"the problem '{problem.title}' has a curve of '{curve.code}'; codes are {OWN}, {', '.join(PEERS)}.")
        if names.count(curve.name) > 1:
            raise InputError(f"the problem '{problem.title}' has two curves '{curve.name}'; methods must differ.")
        if not curve.settings or not all(isinstance(one, (int, float)) and math.isfinite(one) for one in curve.settings):
            raise InputError(f"the settings of '{curve.name}' are {curve.settings!r}; they must be numbers, at least one.")


def timed(work: Callable[[], Found]) -> tuple[Found, float]:
    """What ``work`` gives, and the CPU time of this process that it took, s."""
    began = time.process_time()
    found = work()
    return found, time.process_time() - began
