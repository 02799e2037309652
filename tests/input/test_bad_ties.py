"""Cables and springs that cannot be: one sentence each."""

from __future__ import annotations

from typing import Any

import pytest

import locodyn as ld


def robot() -> ld.Robot:
    made = ld.Robot("arm")
    ground = made.base("ground", moves="fixed")
    made.body("arm", mass=1.0, centre=(0.5, 0, 0)).on(ground).turning("y")
    made.body("hand", mass=1.0).on("arm", at=(1, 0, 0)).fixed()
    return made


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ({"stiffness": -1.0}, "The stiffness of spring 's' is -1; it must be zero or more."),
        ({"rest_length": -1.0}, "The rest length of spring 's' is -1 m; it must be zero or more."),
        ({"tension": float("inf")}, "The tension of spring 's' is inf; it must be a finite number."),
        ({"curve": [(0, 0), (1, 2)], "stiffness": 3}, "has a curve beside a stiffness or a tension: give one of them."),
        ({"curve": [(1, 2), (0, 0)]}, "does not go on from 1 to 0: sort its pairs"),
        ({"curve": [(0, -1), (1, 2)], "pulls_only": True}, "has negative tensions, but it only pulls"),
        ({"damping_curve": [(1, 2), (2, 3)]}, r"has no pair \(0, 0\): a damper does nothing at rest."),
        ({"damping_curve": [(0, 0), (1, -2)]}, "is -2 at the rate 1, where it would drive"),
    ],
)
def test_numbers(words: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ld.DescriptionError, match=sentence):
        robot().spring("s", "ground", "arm", **words)


def test_places() -> None:
    for place, sentence in (
        ("amr", "Spring 's' holds on to 'amr', which is not a body or marker; did you mean 'arm'"),
        (("arm", 0.3), "Spring 's' holds on to s = 0.3 m of 'arm', which is not a rod."),
        ("world", "Spring 's' holds on to points that are fixed to each other"),
        (("arm", "x", "y"), "A point of 's' is .* it must be a body or marker"),
    ):
        with pytest.raises(ld.DescriptionError, match=sentence):
            robot().spring("s", "ground", place, stiffness=1.0).description  # noqa: B018
    with pytest.raises(ld.DescriptionError, match="fixed to each other"):
        robot().cable("c", ["arm", ("hand", (0, 0, 1))], tension=1.0).description  # noqa: B018
    with pytest.raises(ld.DescriptionError, match="give a list of two points or more"):
        robot().cable("c", ["arm"])
    with pytest.raises(ld.DescriptionError, match="two cables or springs named 's'"):
        robot().spring("s", "ground", "arm", stiffness=1.0).spring("s", "ground", "hand", stiffness=1.0)


def test_laws_of_time() -> None:
    """A rest length is drawn in of what has a stiffness, a tension is given of what has none."""
    made = robot().spring("s", "ground", ("arm", (1, 0, 1)), stiffness=1.0, rest_length=1.0)
    with pytest.raises(ld.InputError, match="which is not a tendon, cable or spring without stiffness"):
        ld.Scenario("arm", made, tension={"s": 3.0})
    with pytest.raises(ld.InputError, match="shooting does not know"):
        ld.statics(made, method="shooting")
