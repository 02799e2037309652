"""Stress of tendons, chambers and muscles in the sections of rods, section axes. Equations: :mod:`locodyn.robot.rods.strand`."""

from __future__ import annotations

import numpy as np

from locodyn.locomotion.problem import Problem
from locodyn.robot.body import Body
from locodyn.robot.layout import CHAMBER, MUSCLE, SPRING
from locodyn.robot.rods.rod import Rod
from locodyn.robot.rods.strand import Strand


def rod_actuation(
    problem: Problem,
    body: Body,
    times: np.ndarray,
    places: np.ndarray,
    strain: np.ndarray,
    q: np.ndarray,
    memory: np.ndarray,
) -> np.ndarray:
    """Wrench (N, places, 6) of all strands of a rod; each acts from its start to its end, both included.

    ``strain`` (N, places, 6) at ``places`` (m) on the rod, ``q`` (N, nq), ``memory`` (N, nz).
    """
    rod = body.joint.rod
    assert rod is not None
    result = np.zeros(strain.shape)
    for strand in body.strands:
        value = _value(problem, strand, times, q, memory)[:, None]
        end = rod.length if strand.end is None else strand.end
        for p, s in enumerate(places):
            if strand.start - 1e-9 * rod.length <= s <= end + 1e-9 * rod.length:
                result[:, p] += value * _stress_of_one(strand, rod, float(s), strain[:, p])
    return result


def _value(problem: Problem, strand: Strand, times: np.ndarray, q: np.ndarray, memory: np.ndarray) -> np.ndarray:
    """Tension (N, negative where a chamber pushes) or activation, (N,)."""
    law = problem.strands.get(strand.name)
    values = np.zeros(len(times)) if law is None else np.asarray(law(times), dtype=float)
    if strand.time_constant:
        values = memory[:, problem.memories.names.index(f"{strand.name}.drive")]
    if strand.kind == SPRING:
        row = problem.model.compiled.strand_names.index(strand.name)
        lengths = np.array([problem.model.strand_lengths(x)[row] for x in q])
        found: np.ndarray = strand.stiffness * np.maximum(lengths - values, 0.0)
        return found
    return -strand.area * values if strand.kind == CHAMBER else values


def _stress_of_one(strand: Strand, rod: Rod, s: float, strain: np.ndarray) -> np.ndarray:
    """Wrench (N, 6) for a tension of 1 N or an activation of 1, at s (m) with strains (N, 6)."""
    if strand.kind == MUSCLE:
        found: np.ndarray = strand.six("stress", s) + strand.six("active_stiffness", s) * (strain - rod.rest(np.array([s])))
        return found
    place = strand.place(s)
    if strand.kind == CHAMBER:
        along = np.tile([1.0, 0.0, 0.0], (len(strain), 1))
    else:
        along = strain[:, :3] + np.cross(strain[:, 3:], place) + strand.slope(s, rod.length)
        along /= np.linalg.norm(along, axis=1, keepdims=True)
    return np.concatenate([along, np.cross(place, along)], axis=1)
