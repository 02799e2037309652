"""Parameters of a scenario as sliders and fields of a viser panel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from locodyn.sim.parameter import Parameter, format_value


def bounds(parameter: Parameter) -> tuple[float, float, float]:
    """Least and largest value and step of a slider: around the default, within what is allowed.

    >>> bounds(Parameter("m", 2.0, "kg", "", "", above=0.0))
    (0.01, 6.0, 0.01)
    """
    value = parameter.value
    reach = 2 * abs(value) or 1
    low, high = value - reach, value + reach
    if isinstance(value, int):
        low = max(low, int(parameter.least)) if parameter.least is not None else low
        return low, max(high, low + 4), 1
    step = round_down(reach / 200.0)
    if parameter.least is not None:
        low = max(low, parameter.least)
    if parameter.above is not None and low <= parameter.above:
        low = parameter.above + step
    return low, high, step


def round_down(value: float) -> float:
    """The power of ten at or below a positive number."""
    import math

    return float(f"1e{math.floor(math.log10(value))}")


class ParameterFields:
    """Sliders for numbers, lists for words, boxes for yes and no, text for several numbers; ``values()`` reads them."""

    def __init__(self, gui: Any, parameters: tuple[Parameter, ...], on_change: Callable[[], None]) -> None:
        self._parameters = parameters
        self._handles = {p.name: _field(gui, p) for p in parameters}
        for handle in self._handles.values():
            handle.on_update(lambda event: on_change() if event.client is not None else None)  # a person, not the program

    def values(self) -> dict[str, Any]:
        """The values that differ from the defaults, checked; a wrong one is an InputError."""
        found = {}
        for parameter in self._parameters:
            given = self._handles[parameter.name].value
            if isinstance(parameter.value, float) and abs(given - parameter.value) <= 1e-12 * abs(parameter.value):
                given = parameter.value  # a slider gives its default back through a message
            value = parameter.check(given)
            if value != parameter.value:
                found[parameter.name] = value
        return found

    def remove(self) -> None:
        """Take the fields away."""
        for handle in self._handles.values():
            handle.remove()


def _field(gui: Any, p: Parameter) -> Any:
    label = p.name if p.unit == "-" else f"{p.name} ({p.unit})"
    hint = f"{p.meaning}; source: {p.source}"
    if isinstance(p.value, bool):
        return gui.add_checkbox(label, p.value, hint=hint)
    if p.choices is not None:
        return gui.add_dropdown(label, tuple(map(str, p.choices)), initial_value=str(p.value), hint=hint)
    if isinstance(p.value, (int, float)):
        low, high, step = bounds(p)
        return gui.add_slider(label, low, high, step, p.value, hint=hint)
    return gui.add_text(label, format_value(p.value), hint=hint)
