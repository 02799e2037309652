"""Parameters with their covariance, and what they make of measurements: intervals, bands, residuals, a picture."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from locodyn.study.measured import Measured


@dataclass(frozen=True, eq=False)
class Estimate:
    """Parameters that explain measurements best.

    ``names``, ``units``; ``values`` (p,); ``covariance`` (p, p); ``measured``; ``fitted`` (T, columns), in place of what was
    measured; ``slopes`` (T, columns, p) of the fitted values by the parameters.
    """

    names: tuple[str, ...]
    units: tuple[str, ...]
    values: np.ndarray
    covariance: np.ndarray
    measured: Measured
    fitted: np.ndarray
    slopes: np.ndarray

    @property
    def parameters(self) -> dict[str, float]:
        """The values by name."""
        return dict(zip(self.names, self.values.tolist(), strict=True))

    @property
    def standard_errors(self) -> np.ndarray:
        """Of the values, (p,)."""
        return np.asarray(np.sqrt(np.diag(self.covariance)))

    def interval(self, level: float = 0.95) -> np.ndarray:
        """Half widths (p,) of confidence intervals, by Student's t."""
        return np.asarray(self._factor(level) * self.standard_errors)

    def band(self, level: float = 0.95) -> np.ndarray:
        """Half widths (T, columns) of the confidence band of the fitted values."""
        spread = np.einsum("tcp,pq,tcq->tc", self.slopes, self.covariance, self.slopes)
        return np.asarray(self._factor(level) * np.sqrt(np.maximum(spread, 0.0)))

    def _factor(self, level: float) -> float:
        from scipy.stats import t

        return float(t.ppf(0.5 + 0.5 * level, max(self.fitted.size - len(self.names), 1)))

    @property
    def residuals(self) -> np.ndarray:
        """Measured less fitted, (T, columns)."""
        return np.asarray(self.measured.values - self.fitted)

    def plot(self, path: str | Path) -> Path:
        """Draw fit, band and residuals into a file (png, pdf, svg)."""
        from locodyn.view.search_pictures import plot_fit

        return plot_fit(self, path)

    def _told(self) -> str:
        return ", ".join(
            f"{name} = {x:.6g} +- {e:.2g}" for name, x, e in zip(self.names, self.values, self.interval(), strict=True)
        )
