"""A scenario (robot, world, drive, start, integrator, record) and its result on disk."""

from locodyn.sim.check import Check, Outcome
from locodyn.sim.lift import LiftWarning
from locodyn.sim.limits import LimitWarning
from locodyn.sim.parameter import Parameter
from locodyn.sim.rank import RankWarning
from locodyn.sim.result import Result
from locodyn.sim.scenario import Scenario
from locodyn.sim.simulate import simulate
from locodyn.sim.start import Start
from locodyn.sim.start_kept import StartWarning
from locodyn.sim.statics import statics
from locodyn.sim.wedging import WedgeWarning
from locodyn.sim.workspaces import Workspace, workspace

__all__ = [
    "Check",
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
