"""Which of several models explains a measured motion: each is fitted, and judged by Akaike's criterion.

AICc = n ln(S / n) + 2 k + 2 k (k + 1) / (n - k - 1), with the weighted sum of squares S of n residuals that a model with k - 1
fitted parameters leaves, and one for their variance (Akaike 1974; for few data Hurvich and Tsai 1989). A parameter must
lower S by more than chance would. Weights exp(-difference / 2) tell how much better one model is than the others.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from locodyn.errors import InputError, LocodynError
from locodyn.sim import Scenario
from locodyn.study.axes import Range
from locodyn.study.measured import Measured
from locodyn.study.parameter_fit import MeasuredLike, ParameterFit, fit
from locodyn.study.subject import Maker

Candidate = tuple[str | Scenario | Maker, Mapping[str, str | Range]]


@dataclass(frozen=True, eq=False)
class ModelChoice:
    """Fits of several models: ``fits`` {name: fit}, ``criteria`` {name: AICc}, ``failures`` {name: why it has none}."""

    fits: dict[str, ParameterFit]
    criteria: dict[str, float]
    failures: dict[str, str]

    @property
    def best(self) -> str:
        """The name of the model that explains the motion best."""
        return min(self.criteria, key=lambda name: self.criteria[name])

    @property
    def weights(self) -> dict[str, float]:
        """Akaike's weights, which sum up to one."""
        least = self.criteria[self.best]
        shares = {name: math.exp(-0.5 * (value - least)) for name, value in self.criteria.items()}
        return {name: share / sum(shares.values()) for name, share in shares.items()}

    def __repr__(self) -> str:
        words = [f"{name} {weight:.3g}" for name, weight in sorted(self.weights.items(), key=lambda one: -one[1])]
        return f"ModelChoice({', '.join(words)})"


def choose_model(
    candidates: Mapping[str, Candidate],
    measured: MeasuredLike,
    *,
    columns: Sequence[str] = (),
    noise: Mapping[str, float] | None = None,
    settings: Mapping[str, object] | None = None,
    search: int = 0,
) -> ModelChoice:
    """Fit each of several models to a measured motion and say which one explains it.

    Parameters
    ----------
    candidates : {name: (source, {parameter: range})}, as ``source`` and ``over`` of :func:`fit`
    measured, columns, noise, settings, search : as of :func:`fit`
    """
    if len(candidates) < 2:
        raise InputError("a choice needs two models or more.")
    data = Measured.of(measured, tuple(columns))
    fits, criteria, failures = {}, {}, {}
    for name, (source, over) in candidates.items():
        try:
            found = fit(source, over, data, noise=noise, settings=settings, search=search)
        except LocodynError as error:
            failures[name] = str(error)
            continue
        fits[name], criteria[name] = found, criterion(found, data, noise or {})
    if not fits:
        raise InputError(f"no model could be fitted: {'; '.join(f'{name}: {why}' for name, why in failures.items())}")
    return ModelChoice(fits, criteria, failures)


def criterion(found: ParameterFit, data: Measured, noise: Mapping[str, float]) -> float:
    """AICc of a fit; residuals of each column over its noise, by default over the range of its values."""
    spread = np.ptp(data.values, axis=0)
    scale = np.array([noise.get(name, spread[k] or 1.0) for k, name in enumerate(data.columns)])
    n, k = data.values.size, len(found.names) + 1
    if n <= k + 1:
        raise InputError(f"there are {n} measured values for {k - 1} parameters; a choice of models needs more of them.")
    squares = float(((found.residuals / scale) ** 2).sum())
    return n * math.log(max(squares, np.finfo(float).tiny) / n) + 2.0 * k + 2.0 * k * (k + 1.0) / (n - k - 1.0)
