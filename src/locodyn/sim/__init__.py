"""A scenario (robot, world, drive, start, numerics, recording) and its result on disk."""

from locodyn.sim.check import Check, Kind, Outcome
from locodyn.sim.drive import Drive
from locodyn.sim.energy_account import EnergyWarning
from locodyn.sim.parameter import Parameter
from locodyn.sim.parts import Numerics, Recording, World
from locodyn.sim.phase_notes import AdmissibilityWarning
from locodyn.sim.rank import RankWarning
from locodyn.sim.result import Result
from locodyn.sim.run_warnings import LiftWarning, LimitWarning, WedgeWarning
from locodyn.sim.scenario import Scenario
from locodyn.sim.sensors import Sensor
from locodyn.sim.simulate import simulate, statics
from locodyn.sim.start import Start
from locodyn.sim.start_kept import StartWarning
from locodyn.sim.surface_warning import SurfaceWarning
from locodyn.sim.workspaces import Workspace, workspace

__all__ = [
    "AdmissibilityWarning",
    "Check",
    "Drive",
    "EnergyWarning",
    "Kind",
    "LiftWarning",
    "LimitWarning",
    "Numerics",
    "Outcome",
    "Parameter",
    "RankWarning",
    "Recording",
    "Result",
    "Scenario",
    "Sensor",
    "Start",
    "StartWarning",
    "SurfaceWarning",
    "WedgeWarning",
    "Workspace",
    "World",
    "simulate",
    "statics",
    "workspace",
]
