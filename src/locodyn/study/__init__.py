"""Studies: many runs of a scenario over its parameters, what is kept of them, and what they say."""

from locodyn.study.axes import Range
from locodyn.study.measured import Measured
from locodyn.study.metrics import METRICS, Metric
from locodyn.study.optimisation import Optimisation
from locodyn.study.optimum import Optimum
from locodyn.study.parameter_fit import ParameterFit, fit
from locodyn.study.sensitivity import local_sensitivity, sobol_indices
from locodyn.study.study import Study
from locodyn.study.study_result import Best, StudyResult

__all__ = [
    "METRICS",
    "Best",
    "Measured",
    "Metric",
    "Optimisation",
    "Optimum",
    "ParameterFit",
    "Range",
    "Study",
    "StudyResult",
    "fit",
    "local_sensitivity",
    "sobol_indices",
]
