"""A result as a piece of HTML, for notebooks: what was run, what came out, and a small picture."""

from __future__ import annotations

import base64
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.robot.html import html_table
from locodyn.view.charts import default_panels
from locodyn.view.plots import svg

if TYPE_CHECKING:
    from locodyn.sim import Result

MOST_VALUES = 12  # joints, wheels: values of more of them are left to the dataset


def result_html(result: Result) -> str:
    """Status and classification, numbers at the end of the run, and plots of the reference body or of the joints."""
    about = result.attributes
    times = result.dataset["time"].values
    span = f"{len(times)} records, t = {times[0]:g} to {times[-1]:g} s" if len(times) else "no records"
    colour = "#00795a" if result.status == "completed" else "#b03a00"
    head = (
        f"<p><b>{escape(str(about['scenario']))}</b> <span style='color:{colour}'>{escape(result.status)}</span>: {span}<br>"
        f"{escape(str(about.get('classification', '')))}</p>"
    )
    body = html_table(("at the end", "value", "unit"), list(final_numbers(result))) if len(times) else ""
    return f"<div>{head}{body}{picture(result)}</div>"


def final_numbers(result: Result) -> Any:
    """Rows (name, value, unit) of the last record."""
    data = result.dataset
    for name in ("position", "orientation", "twist"):
        if name in data:
            yield name, ", ".join(f"{x:.6g}" for x in data[name].values[-1]), data[name].attrs["units"]
    for name, dim in (("joint_position", "joint"), ("joint_torque", "joint"), ("wheel_angle", "wheel")):
        if name in data and data.sizes[dim] <= MOST_VALUES:
            units = data[name].attrs["units"]
            values = zip(data[dim].values, data[name].values[-1], strict=True)
            yield name.replace("_", " "), ", ".join(f"{label} {x:.6g}" for label, x in values), units
    if "kinetic_energy" in data:
        total = result.total_energy().values
        yield "energy", f"{total[-1]:.6g}", "J"
        if len(total) > 1:
            defect = np.abs(total - total[0] - result.energy_supplied().values).max()
            yield "defect of the energy balance", f"{defect:.2g}", "J"


def picture(result: Result) -> str:
    """The plots of the reference body if it moves, otherwise of the joints, as an image that needs no other file."""
    if result.dataset.sizes["time"] < 2:
        return ""
    position = result.dataset["position"].values
    still = not np.isfinite(position).all() or np.abs(position - position[0]).max() < 1e-12
    for group in ("joints", "reference") if still else ("reference", "joints"):
        if default_panels(result, group):
            data = base64.b64encode(svg(result, group).encode("utf-8")).decode("ascii")
            return f"<img style='max-width:760px;width:100%' alt='{group}' src='data:image/svg+xml;base64,{data}'>"
    return ""
