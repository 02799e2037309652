"""What a scenario says and a run does not look at: options of other integrators, contact where nothing can touch."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from locodyn.contact.options import HardContact
from locodyn.integrate.base import AUTO
from locodyn.integrate.features import Feature
from locodyn.integrate.methods import all_options

if TYPE_CHECKING:
    from locodyn.sim.scenario import Scenario


class UnusedWarning(UserWarning):
    """A run does not look at something that its scenario says."""


def warn_unused(scenario: Scenario, name: str) -> None:
    """Warn of what the run of ``scenario``, whose method is chosen, does not look at. ``name``: the integrator that was named.

    Robots of the zoo keep options and contact for those integrators and surroundings that their parameters offer.
    """
    if scenario.parameters:
        return
    numerics = scenario.numerics
    own = {one.name for one in numerics.method.options()}
    for one in all_options():
        value = getattr(numerics, one.name)
        if one.name not in own and value != one.default:
            chosen = f"the integrator '{numerics.integrator}'" + (", which the run has chosen," if name == AUTO else "")
            warnings.warn(
                f"{one.name} = {value:g} is not looked at: {chosen} does not have it; name an integrator that has it, or leave"
                f" {one.name} out.",
                UnusedWarning,
                stacklevel=4,
            )
    solves = Feature.HARD_CONTACT in numerics.method.takes  # its steps take some of the options without contacts, too
    if isinstance(scenario.world.contact, HardContact) and not solves and not scenario.problem.contact.table.names:
        warnings.warn(
            f"the hard contact of '{scenario.name}' does nothing: there is nothing to touch; give obstacles and surfaces, or"
            " leave contact out.",
            UnusedWarning,
            stacklevel=4,
        )
