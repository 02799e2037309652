"""Curves of chosen charts beside a live scene, with a line at the present time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.view.chart import Chart
from locodyn.view.charts import PANELS
from locodyn.view.style import PALETTE, plain_unit

if TYPE_CHECKING:
    from locodyn.sim import Result

POINTS = 400
SLOTS = 3
NOTHING = "-"


class CurvePanel:
    """Places for charts; each has a list to choose from."""

    def __init__(self, server: Any) -> None:
        self._server = server
        self._results: list[Result] = []
        self._charts: list[_LiveChart | None] = [None] * SLOTS
        panel = server.gui.add_panel()
        self._tab = panel.add_tab("Curves")
        panel.dock_left()
        panel.set_width(420)
        self._choices = []
        with self._tab:
            for k in range(SLOTS):
                choice = server.gui.add_dropdown(f"curve {k + 1}", (NOTHING,), initial_value=NOTHING, order=2 * k)
                choice.on_update(lambda event, k=k: self._draw(k) if event.client is not None else None)
                self._choices.append(choice)

    def set_results(self, results: list[Result]) -> None:
        """The first result is drawn in full lines, the others dashed."""
        self._results = results
        names = [panel.name for panel in PANELS if panel.has(results[0]) and panel.make(results[0]).kind in ("time", "log")]
        wanted = [name for name in ("joint_positions", "joint_torques", "energies") if name in names] + names
        for k, choice in enumerate(self._choices):
            kept = choice.value
            choice.options = (NOTHING, *names)
            choice.value = kept if kept in names else [*dict.fromkeys(wanted), NOTHING][min(k, len(names))]
            self._draw(k)

    def _draw(self, k: int) -> None:
        old, name = self._charts[k], self._choices[k].value
        if old is not None:
            old.remove()
        self._charts[k] = None
        if name != NOTHING:
            panel = next(panel for panel in PANELS if panel.name == name)
            charts = [(result.time.values, panel.make(result)) for result in self._results if panel.has(result)]
            with self._tab:
                self._charts[k] = _LiveChart(self._server, charts, order=2 * k + 1)

    def show(self, t: float) -> None:
        """Put the time lines at t (s)."""
        for chart in self._charts:
            if chart is not None:
                chart.show(t)


class _LiveChart:
    def __init__(self, server: Any, charts: list[tuple[np.ndarray, Chart]], order: int) -> None:
        times, first = charts[0]
        self._times = np.linspace(times[0], times[-1], min(POINTS, len(times)))
        columns: list[np.ndarray] = []
        series: list[dict[str, Any]] = [{"label": "t (s)"}]
        for number, (stamps, chart) in enumerate(charts):
            for k, name in enumerate(chart.names):
                values = np.interp(self._times, stamps, chart.values[:, k], right=np.nan)
                columns.append(np.log10(values) if chart.kind == "log" else values)
                label = name if number == 0 else f"{name} ({number})"
                style: dict[str, Any] = {
                    "label": label,
                    "stroke": PALETTE[k % len(PALETTE)],
                    "width": 2.0 if number == 0 else 1.0,
                }
                series.append(style if number == 0 else {**style, "dash": (6.0, 4.0)})
        self._columns = columns
        everything = np.concatenate(columns)
        low, high = float(np.nanmin(everything)), float(np.nanmax(everything))
        margin = 0.05 * (high - low) or 0.05 * abs(high) or 1e-9
        least = first.span or (low, high)
        self._range = (min(low - margin, least[0]), max(high + margin, least[1]))
        series.append({"label": "now", "stroke": "#555555", "width": 1.5})
        unit = "log10" if first.kind == "log" else plain_unit(first.unit)
        self._handle = server.gui.add_uplot(
            self._data(float(times[0])),
            tuple(series),
            title=f"{first.title} ({unit})",
            scales={"x": {"time": False}, "y": {"range": self._range}},  # a fixed range: the time line has gaps
            legend={"show": len(columns) <= len(PALETTE)},
            aspect=1.75,
            order=order,
        )

    def _data(self, t: float) -> tuple[np.ndarray, ...]:
        """The curves, and a steep line through two neighbouring points at the time t."""
        line = np.full(len(self._times), np.nan)
        k = min(int(np.searchsorted(self._times, t)), len(self._times) - 2)
        line[k : k + 2] = self._range
        return (self._times, *self._columns, line)

    def show(self, t: float) -> None:
        self._handle.data = self._data(t)

    def remove(self) -> None:
        self._handle.remove()
