"""A scenario (robot, world, drive, start, numerics, recording) and its result on disk. Names load when they are first used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from locodyn.lazy import lazy_names

if TYPE_CHECKING:
    from locodyn.sim.batch import ScenarioBatch as ScenarioBatch
    from locodyn.sim.check import Check as Check, Kind as Kind, Outcome as Outcome
    from locodyn.sim.contact_snapshot import contact_problem_at as contact_problem_at
    from locodyn.sim.drive import Drive as Drive
    from locodyn.sim.energy_account import EnergyWarning as EnergyWarning
    from locodyn.sim.parameter import Parameter as Parameter
    from locodyn.sim.parts import Numerics as Numerics, Recording as Recording, World as World
    from locodyn.sim.run_warnings import AdmissibilityWarning as AdmissibilityWarning
    from locodyn.sim.rank import RankWarning as RankWarning
    from locodyn.sim.reactions import Pull as Pull, Reactions as Reactions, pulls as pulls, shared as shared
    from locodyn.sim.result import Result as Result
    from locodyn.sim.run_warnings import (
        LiftWarning as LiftWarning,
        LimitWarning as LimitWarning,
        StretchWarning as StretchWarning,
        WedgeWarning as WedgeWarning,
    )
    from locodyn.sim.scenario import Scenario as Scenario
    from locodyn.sim.sensors import Sensor as Sensor
    from locodyn.sim.simulate import simulate as simulate, statics as statics
    from locodyn.sim.start import Start as Start
    from locodyn.sim.start_kept import StartWarning as StartWarning
    from locodyn.sim.store import PartWarning as PartWarning
    from locodyn.sim.succession import (
        Succession as Succession,
        across_singularities as across_singularities,
        run_in_turn as run_in_turn,
    )
    from locodyn.sim.support import (
        Support as Support,
        stability_margin as stability_margin,
        support as support,
        support_polygon as support_polygon,
    )
    from locodyn.sim.surface_warning import SurfaceWarning as SurfaceWarning
    from locodyn.sim.unused import UnusedWarning as UnusedWarning
    from locodyn.sim.workspaces import Workspace as Workspace, workspace as workspace
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)
