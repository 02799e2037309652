"""Functions of time: which kinds there are in a file, their keys and what they mean.

The words are those of :mod:`locodyn.motion`.
"""

from __future__ import annotations

from locodyn.files.part_words import NAME, NOT_NEGATIVE, NUMBER, POSITIVE
from locodyn.files.records import Key, Record, kinds
from locodyn.files.rules import AnyOf, Flag, ListOf, MapOf, Number

_HARMONIC = {
    "amplitude": Key(NUMBER, "rad, m, N m or N", needed=True),
    "omega": Key(NUMBER, "rad/s", needed=True),
    "phase": Key(NUMBER, "rad"),
    "offset": Key(NUMBER, "added"),
}
_FROM_TO = {
    "start": Key(NUMBER, "from", needed=True),
    "end": Key(NUMBER, "to", needed=True),
    "duration": Key(POSITIVE, "s", needed=True),
    "at": Key(NUMBER, "when it begins, s"),
}
_DATA = {
    "times": Key(ListOf(NUMBER, least=2), "s, increasing", needed=True),
    "values": Key(ListOf(NUMBER, least=2), "as many", needed=True),
}
_DEGREE = Key(Number(whole=True, least=1), "1, 3, 5 (default) or 7")
LAW_KINDS = kinds(
    {
        "constant": Key(NUMBER, "stays there"),
        "polynomial": Key(ListOf(NUMBER, least=1), "c0, c1, c2, ...: c0 + c1 t + c2 t^2 + ..."),
        "ramp": (
            "zero, then rising",
            {"slope": Key(NUMBER, "1/s", needed=True), "at": Key(NUMBER, "s"), "blend": Key(NOT_NEGATIVE, "rounds it, s")},
        ),
        "sine": ("offset + amplitude sin(omega t + phase)", _HARMONIC),
        "cosine": ("offset + amplitude cos(omega t + phase)", _HARMONIC),
        "transition": ("smooth, from rest to rest", {**_FROM_TO, "degree": Key(Number(whole=True, least=5), "5 (default) or 7")}),
        "cycloid": ("from rest to rest, as a cycloidal cam", _FROM_TO),
        "spline": ("a spline through samples", {**_DATA, "degree": _DEGREE, "periodic": Key(Flag(), "repeats")}),
        "samples": ("straight lines between samples (not for imposed motion)", _DATA),
        "filtered": (
            "measured samples, made smooth",
            {
                **_DATA,
                "cutoff": Key(POSITIVE, "Hz; what is faster is filtered away", needed=True),
                "order": Key(Number(whole=True, least=1), "of the Butterworth filter, 4 by default"),
                "step": Key(POSITIVE, "s, between the samples that the filter sees; by default the median of those given"),
            },
        ),
        "csv": (
            "measured data",
            {
                "file": Key(NAME, "a CSV file beside this one, with a header line", needed=True),
                "column": Key(NAME, "name of the column", needed=True),
                "time": Key(NAME, "name of the time column, 'time' by default"),
                "degree": _DEGREE,
                "periodic": Key(Flag(), "repeats"),
                "cutoff": Key(POSITIVE, "Hz; what is faster is filtered away"),
            },
        ),
    }
)
ONE_LAW = Record(
    "law",
    {
        **LAW_KINDS,
        "factor": Key(NUMBER, "multiplies it"),
        "soft_start": Key(
            AnyOf(
                (
                    POSITIVE,
                    Record("soft_start", {"duration": Key(POSITIVE, "s", needed=True), "start": Key(NUMBER, "s, 0 by default")}),
                ),
                "a duration (s), or {duration: 2, start: 1}",
            ),
            "begins at rest and is fully there after this time, s",
        ),
    },
    exactly_one=tuple(LAW_KINDS),
    meaning="A function of time.",
)
MOTION = AnyOf(
    (NUMBER, ONE_LAW, ListOf(ONE_LAW, least=1)),
    "a number, a law such as {sine: {amplitude: 0.3, omega: 2}}, or a list (their sum)",
)
MOTIONS = MapOf(MOTION, "law of")
