"""The problem to solve: which coordinates are imposed, torque-driven or passive, and what acts from outside."""

from __future__ import annotations

from typing import TYPE_CHECKING

from locodyn.lazy import lazy_names

if TYPE_CHECKING:
    from locodyn.locomotion.connection import Connection as Connection
    from locodyn.contact.options import HardContact as HardContact
    from locodyn.locomotion.contact.friction_problem import (
        FrictionProblem as FrictionProblem,
        FrictionSolution as FrictionSolution,
        contact_problem as contact_problem,
    )
    from locodyn.locomotion.constraint_rows import Drives as Drives, Sharing as Sharing
    from locodyn.locomotion.problem import Problem as Problem, Schedule as Schedule, Surroundings as Surroundings
    from locodyn.locomotion.servo import Servo as Servo
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)
