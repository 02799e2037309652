"""Studies: many runs of a scenario over its parameters, what is kept of them, and what they say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from locodyn.lazy import lazy_names

if TYPE_CHECKING:
    from locodyn.study.axes import Range as Range
    from locodyn.study.estimate import Estimate as Estimate
    from locodyn.study.measured import Measured as Measured
    from locodyn.study.metrics import METRICS as METRICS
    from locodyn.study.metrics import Metric as Metric
    from locodyn.study.model_choice import ModelChoice as ModelChoice
    from locodyn.study.model_choice import choose_model as choose_model
    from locodyn.study.optimisation import Optimisation as Optimisation
    from locodyn.study.optimum import Optimum as Optimum
    from locodyn.study.parameter_fit import ParameterFit as ParameterFit
    from locodyn.study.parameter_fit import fit as fit
    from locodyn.study.sensitivity import local_sensitivity as local_sensitivity
    from locodyn.study.sensitivity import sobol_indices as sobol_indices
    from locodyn.study.study import Study as Study
    from locodyn.study.study_result import Best as Best
    from locodyn.study.study_result import StudyResult as StudyResult
    from locodyn.study.torque_fit import TorqueFit as TorqueFit
    from locodyn.study.torque_fit import fit_torques as fit_torques
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)
