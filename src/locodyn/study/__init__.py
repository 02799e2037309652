"""Studies: many runs of a scenario over its parameters, what is kept of them, and what they say."""

from locodyn.study.axes import Range
from locodyn.study.metrics import METRICS, Metric
from locodyn.study.optimisation import Optimisation
from locodyn.study.optimum import Optimum
from locodyn.study.study import Study
from locodyn.study.study_result import Best, StudyResult

__all__ = ["METRICS", "Best", "Metric", "Optimisation", "Optimum", "Range", "Study", "StudyResult"]
