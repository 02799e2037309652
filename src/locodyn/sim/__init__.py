"""A scenario (robot, world, drive, start, integrator, record) and its result on disk."""

from locodyn.sim.check import Check, Kind, Outcome
from locodyn.sim.energy_account import EnergyWarning
from locodyn.sim.parameter import Parameter
from locodyn.sim.rank import RankWarning
from locodyn.sim.result import Result
from locodyn.sim.run_warnings import LiftWarning, LimitWarning, WedgeWarning
from locodyn.sim.scenario import Scenario
from locodyn.sim.simulate import simulate, statics
from locodyn.sim.start import Start
from locodyn.sim.start_kept import StartWarning
from locodyn.sim.workspaces import Workspace, workspace

__all__ = [
    "Check",
    "EnergyWarning",
    "Kind",
    "LiftWarning",
    "LimitWarning",
    "Outcome",
    "Parameter",
    "RankWarning",
    "Result",
    "Scenario",
    "Start",
    "StartWarning",
    "WedgeWarning",
    "Workspace",
    "simulate",
    "statics",
    "workspace",
]
