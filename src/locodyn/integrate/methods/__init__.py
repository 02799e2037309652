"""The methods of time integration, one file for each: what it declares, what it takes, how it steps.

A new one is a file here and a line below.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from locodyn.errors import InputError, nearest
from locodyn.integrate.base import AUTO, Method, Option
from locodyn.integrate.features import Feature
from locodyn.integrate.methods.adams import Adams
from locodyn.integrate.methods.adaptive import Adaptive
from locodyn.integrate.methods.energy_momentum import EnergyMomentum
from locodyn.integrate.methods.event_driven import EventDriven
from locodyn.integrate.methods.gauss2 import Gauss2
from locodyn.integrate.methods.generalized_alpha import GeneralizedAlpha
from locodyn.integrate.methods.hht import HHT
from locodyn.integrate.methods.implicit_euler import ImplicitEuler
from locodyn.integrate.methods.moreau import Moreau
from locodyn.integrate.methods.newmark import Newmark
from locodyn.integrate.methods.quasi_static import QuasiStatic
from locodyn.integrate.methods.radau3 import Radau3
from locodyn.integrate.methods.radau_adaptive import RadauAdaptive
from locodyn.integrate.methods.rkmk4 import RKMK4
from locodyn.integrate.methods.variational import Variational
from locodyn.integrate.methods.wbz import WBZ

_ALL: tuple[type[Method], ...] = (
    RKMK4, Adams, Adaptive, Variational, Gauss2, Radau3, RadauAdaptive, EnergyMomentum, GeneralizedAlpha, HHT, WBZ, Newmark,
    ImplicitEuler, QuasiStatic, Moreau, EventDriven,
)  # fmt: skip

METHODS: dict[str, type[Method]] = {method.name: method for method in _ALL}

__all__ = [
    "HHT", "METHODS", "RKMK4", "WBZ", "Adams", "Adaptive", "EnergyMomentum", "EventDriven", "Gauss2", "GeneralizedAlpha",
    "ImplicitEuler", "Moreau", "Newmark", "QuasiStatic", "Radau3", "RadauAdaptive", "Variational", "all_options", "alternatives",
    "check_options", "help_words", "method_of", "option_words", "takers",
]  # fmt: skip


def method_of(integrator: str | Method, **options: Any) -> Method:
    """The method that a name or a method means; ``options`` that are None, or that it does not have, are left out."""
    if isinstance(integrator, Method):
        twice = [name for name, value in options.items() if value is not None and name in integrator.values()]
        if twice:
            raise InputError(f"the {twice[0]} is given beside {type(integrator).__name__}(...); give it there only.")
        return integrator
    if integrator not in METHODS:
        raise InputError(f"there is no integrator '{integrator}'{nearest(str(integrator), METHODS)}")
    method = METHODS[integrator]
    own = {one.name for one in method.options()}
    for one in all_options():  # what a method does not look at must be sound nevertheless
        if options.get(one.name) is not None:
            one.check(one.name, options[one.name])
    return method(**{name: value for name, value in options.items() if name in own and value is not None})


def check_options(integrator: str, names: Iterable[str], prefix: str = "") -> None:
    """Refuse options among ``names`` that the named integrator does not have; ``prefix``: that of their words."""
    own = () if integrator == AUTO else tuple(one.name for one in METHODS[integrator].options())
    for one in all_options():
        if one.name in names and one.name not in own:
            word, naming = (f"{prefix}{name.replace('_', '-') if prefix else name}" for name in (one.name, "integrator"))
            reason = "is chosen by the run" if integrator == AUTO else f"'{integrator}' does not have it"
            raise InputError(
                f"{word} is an option of some integrators, and the integrator {reason}; name one that has it with {naming},"
                f" or leave {word} out."
            )


@cache
def all_options() -> tuple[Option, ...]:
    """The options that there are, each as the first method that has it declares it."""
    found: dict[str, Option] = {}
    for method in _ALL:
        for one in method.options():
            found.setdefault(one.name, one)
    return tuple(found.values())


def takers(
    features: Iterable[Feature], like: type[Method] | None = None, fits: Callable[[type[Method]], bool] | None = None
) -> list[str]:
    """Names of the methods of motion that take all features: those made for them first, then those of the purpose of ``like``."""
    wanted = frozenset(features)
    found = [one for one in _ALL if one.inertia and wanted <= one.takes and (fits is None or fits(one))]
    purpose = "" if like is None else like.purpose
    return [one.name for one in sorted(found, key=lambda one: (-len(one.best_for & wanted), one.purpose != purpose))]


def alternatives(names: list[str], most: int = 3) -> str:
    """The first names as an alternative: ``'a', 'b' or 'c'``."""
    quoted = [f"'{name}'" for name in names[:most]]
    return " or ".join([", ".join(quoted[:-1]), quoted[-1]] if len(quoted) > 1 else quoted)


def option_words(option: Option) -> str:
    """What an option means, for each method that has it."""
    meant: dict[str, list[str]] = {}
    for method in _ALL:
        for one in method.options():
            if one.name == option.name:
                meant.setdefault(one.meaning, []).append(method.name)
    return "; ".join(f"of {', '.join(names)}: {meaning}" for meaning, names in meant.items())


def help_words() -> str:
    """All names, by what they are for: for the command line."""
    groups: dict[str, list[str]] = {}
    for method in _ALL:
        groups.setdefault(method.purpose, []).append(method.name)
    return "; ".join(f"for {what} {', '.join(names)}" if what else ", ".join(names) for what, names in groups.items()) + "."
