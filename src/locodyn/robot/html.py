"""A robot as tables of HTML, for notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

import numpy as np

from locodyn.robot.body import Body
from locodyn.robot.describe import loop_words, motion, number, summary, wheel_words
from locodyn.robot.description import RobotDescription
from locodyn.robot.values import is_number

MOST_ROWS = 60  # longer tables end with a line that says how many rows are left out


def html_table(headings: Sequence[str], rows: Iterable[Sequence[Any]], title: str = "") -> str:
    """A table; every cell is escaped."""
    head = "".join(f"<th style='text-align:left;padding-right:1em'>{escape(heading)}</th>" for heading in headings)
    lines = [f"<tr>{''.join(_cell(cell) for cell in row)}</tr>" for row in rows]
    if len(lines) > MOST_ROWS:
        more = f"<tr><td colspan='{len(headings)}'>and {len(lines) - MOST_ROWS} more</td></tr>"
        lines = [*lines[:MOST_ROWS], more]
    caption = f"<caption style='text-align:left;font-weight:bold'>{escape(title)}</caption>" if title else ""
    return f"<table style='margin:0 0 .8em'>{caption}<thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table>"


def _cell(value: Any) -> str:
    return f"<td style='text-align:left;vertical-align:top;padding-right:1em'>{escape(str(value))}</td>"


def robot_html(description: RobotDescription) -> str:
    """Name and summary; tables of bodies with joints and masses, of wheels, loops and wrench laws if there are any."""
    parts = [f"<p><b>{escape(description.name)}</b>: {escape(summary(description))}</p>"]
    headings = ("body", "on", "moves", "mass (kg)", "centre (m)", "moments (kg m²)", "shape", "drive, limits")
    parts.append(html_table(headings, map(_body_row, description.bodies)))
    wheels = [(wheel.name, body.name, wheel_words(wheel), _vector(wheel.at)) for body, wheel in description.wheels]
    if wheels:
        parts.append(html_table(("wheel", "on", "what", "contact at (m)"), wheels))
    if description.couplings:
        rows = [(one.words.removeprefix("coupling "),) for one in description.couplings]
        parts.append(html_table(("coupling",), rows))
    if description.loops:
        parts.append(html_table(("loop",), [(loop_words(loop).removeprefix("loop "),) for loop in description.loops]))
    if description.ties:
        parts.append(html_table(("cable or spring",), [(tie.words,) for tie in description.ties]))
    if description.wrenches:
        laws = [(wrench.name, wrench.body, type(wrench.law).__name__) for wrench in description.wrenches]
        parts.append(html_table(("wrench law", "on", "law"), laws))
    return f"<div>{''.join(parts)}</div>"


def _body_row(body: Body) -> tuple[str, ...]:
    inertia = body.inertia
    moments = np.diag(inertia.tensor) if inertia.tensor is not None else np.zeros(3)
    return (
        body.name,
        body.parent or "",
        motion(body),
        number(inertia.mass),
        _vector(inertia.centre),
        _vector(moments),
        "" if body.shape is None else body.shape.word,
        ", ".join(_joint_words(body)),
    )


def _joint_words(body: Body) -> list[str]:
    words, joint = [], body.joint
    if joint.is_limited:
        lower, upper = joint.limits
        words += [f"{lower:g} to {upper:g}"] if np.isfinite([lower, upper]).any() else []
        words += [f"speed {joint.speed_limit:g}"] if np.isfinite(joint.speed_limit) else []
    if body.actuator is not None:
        limit = body.actuator.torque_limit
        finite = is_number(limit) and np.isfinite(limit)
        words.append(f"torque {limit:g}" if finite else "actuator")
    return words


def _vector(values: Any) -> str:
    return ", ".join(number(value) for value in values)
