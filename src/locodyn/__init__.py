"""locodyn: dynamics of locomotion, from the description of a robot to a labelled result.

Public names load when they are first used, so that ``import locodyn`` takes no time.
"""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"

# public name -> where it lives; None: the name is a module of its own
_HOMES: dict[str, str | None] = {
    **dict.fromkeys(("Robot", "RobotDescription", "CompiledRobot", "Inertia", "Pose", "Actuator"), "locodyn.robot"),
    **dict.fromkeys(("about_centre", "about_origin", "rotation_about", "roll_pitch_yaw"), "locodyn.robot"),
    **dict.fromkeys(("Box", "Capsule", "Compound", "Cylinder", "Ellipsoid", "Friction", "Mesh", "Sphere"), "locodyn.robot"),
    **dict.fromkeys(
        ("Annulus", "Circle", "Ellipse", "GivenSection", "Material", "Rectangle", "Rod", "RodFluid", "Tapered"), "locodyn.robot"
    ),
    **dict.fromkeys(("Helix", "PolynomialRoute"), "locodyn.robot"),
    **dict.fromkeys(("aluminium", "silicone", "steel"), "locodyn.robot"),
    **dict.fromkeys(("constant", "cosine", "cycloid", "function", "polynomial", "ramp", "samples", "sine"), "locodyn.motion"),
    **dict.fromkeys(("Law", "filtered", "from_csv", "spline", "transition"), "locodyn.motion"),
    "Model": "locodyn.dynamics.model",
    "rod_cascade": "locodyn.dynamics.rod_cascade",
    "Problem": "locodyn.locomotion.problem",
    "Servo": "locodyn.locomotion.servo",
    "HardContact": "locodyn.locomotion.contact.options",
    **dict.fromkeys(("Ball", "Block", "Ground", "Peg", "SelfCollision", "Terrain"), "locodyn.world"),
    **dict.fromkeys(("Linearisation", "eigenvalue_sweep", "linearise", "steady_motion"), "locodyn.linearisation"),
    **dict.fromkeys(("error_statistics", "strain_coordinates", "young_modulus"), "locodyn.identify"),
    "solve": "locodyn.integrate",
    **dict.fromkeys(
        ("RKMK4", "Adams", "Adaptive", "Variational", "QuasiStatic", "Moreau", "EventDriven"), "locodyn.integrate.methods"
    ),
    **dict.fromkeys(("Gauss2", "Radau3", "RadauAdaptive", "EnergyMomentum", "ImplicitEuler"), "locodyn.integrate.methods"),
    **dict.fromkeys(("GeneralizedAlpha", "HHT", "WBZ", "Newmark"), "locodyn.integrate.methods"),
    "StabilityWarning": "locodyn.integrate",
    "Batch": "locodyn.batch",
    **dict.fromkeys(("Gait", "gait", "harmonic_gait", "inverse_gait", "net_displacement", "serpenoid_gait"), "locodyn.gaits"),
    **dict.fromkeys(("Check", "Parameter", "Result", "Scenario", "Start", "simulate", "statics"), "locodyn.sim"),
    **dict.fromkeys(("Workspace", "workspace"), "locodyn.sim"),
    **dict.fromkeys(("EnergyWarning", "LiftWarning", "LimitWarning", "RankWarning", "StartWarning"), "locodyn.sim"),
    "WedgeWarning": "locodyn.sim",
    "resume": "locodyn.zoo",
    **dict.fromkeys(("load_robot", "save_robot", "scenario_of"), "locodyn.files"),
    **dict.fromkeys(("DescriptionError", "InputError", "LocodynError", "RunError"), "locodyn.errors"),
    **dict.fromkeys(("kernel", "lie", "motion", "robot", "shape", "dynamics", "world", "locomotion"), None),
    **dict.fromkeys(("equilibria", "integrate", "gaits", "controllers", "linearisation", "identify"), None),
    **dict.fromkeys(("sim", "zoo", "files", "symbolic", "batch", "view"), None),
}

__all__ = ["__version__", *sorted(_HOMES)]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'locodyn' has no attribute '{name}'")
    home = _HOMES[name]
    if home is None:
        return importlib.import_module(f"locodyn.{name}")
    value = getattr(importlib.import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
