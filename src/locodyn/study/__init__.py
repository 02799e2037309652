"""Studies: many runs of a scenario over its parameters, what is kept of them, and what they say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from locodyn.lazy import lazy_names

if TYPE_CHECKING:
    from locodyn.study.axes import Range as Range
    from locodyn.study.metrics import METRICS as METRICS
    from locodyn.study.metrics import Metric as Metric
    from locodyn.study.optimisation import Optimisation as Optimisation
    from locodyn.study.optimum import Optimum as Optimum
    from locodyn.study.study import Study as Study
    from locodyn.study.study_result import Best as Best
    from locodyn.study.study_result import StudyResult as StudyResult
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)
