"""A run of a model that is built in Exudyn by hand: what one sensor saw at even times."""

from __future__ import annotations

from typing import Any

import numpy as np

from locodyn.judge import timed


def settings_for(t_end: float, samples: int, step: float) -> Any:
    """Exudyn's settings for ``t_end`` (s) in steps of ``step`` (s), with ``samples`` records: modified Newton, no files."""
    import exudyn as exu

    settings: Any = exu.SimulationSettings()
    settings.solutionSettings.writeSolutionToFile = False
    settings.solutionSettings.sensorsWritePeriod = t_end / (samples - 1)
    settings.timeIntegration.numberOfSteps = round(t_end / step)
    settings.timeIntegration.endTime = t_end
    settings.timeIntegration.verboseMode = 0
    settings.timeIntegration.newton.useModifiedNewton = True
    return settings


def path_of(mbs: Any, sensor: int, settings: Any, samples: int) -> tuple[np.ndarray, float]:
    """Place (samples, 3) m that ``sensor`` of an assembled system saw at even times, and the CPU time (s)."""
    _, spent = timed(lambda: mbs.SolveDynamic(settings))
    data = np.asarray(mbs.GetSensorStoredData(sensor))
    times = np.linspace(0.0, settings.timeIntegration.endTime, samples)
    return np.column_stack([np.interp(times, data[:, 0], column) for column in data[:, 1:4].T]), spent
