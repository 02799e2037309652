"""Anchors, sleeves and pegs on rods in a file: which keys they have, and their way to the words of the builder and back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from locodyn.files.motion_words import MOTION, MOTIONS
from locodyn.files.notes import Notes
from locodyn.files.part_words import AXIS, NOT_NEGATIVE, NUMBER, POSITIVE, ROTATION, VECTOR
from locodyn.files.parts import motion_of
from locodyn.files.records import Key, Record
from locodyn.files.rules import Flag, ListOf, MapOf, Section
from locodyn.motion.base import TERM, Law, Term
from locodyn.robot.rods.contact import RodContact

_PLACE = Key(MOTION, "its abscissa: a number, m, or a law of time", needed=True)
_WRAP = {"wrap": Key(ListOf(NOT_NEGATIVE, 2), "the abscissa goes around between these two, m")}
_OBSTACLE = {
    "place": Key(VECTOR, "of the obstacle in the world, m; by default where the section is at the start"),
    "turned": Key(ROTATION, "rotation of the obstacle"),
    "moves": Key(MOTIONS, "laws of its motion: x, y, z in m along the axes of the world; turn, about_x, about_y, about_z in rad"),
    "axis": Key(AXIS, "about which it turns, z by default"),
    "during": Key(ListOf(NUMBER, 2), "it is there from the first to before the second time, s"),
    "period": Key(POSITIVE, "s; 'during' is of each period"),
}
_ANCHOR = Record(
    "rod_anchor",  # a wrench law is an anchor as well
    {
        "at": _PLACE,
        **_WRAP,
        "slips": Key(
            Flag(), "yes by default: the place of a moving contact is fixed in space; no: the material there is at rest"
        ),
        **_OBSTACLE,
    },
    meaning="The section of a rod at an abscissa stays in the frame of an obstacle.",
)
_SLEEVE = Record(
    "rod_sleeve",
    {"at": _PLACE, **_WRAP, **_OBSTACLE},
    meaning="The section of a rod at an abscissa moves along its axis only and does not spin about it.",
)
_PEG = Record(
    "rod_peg",
    {"at": Key(NOT_NEGATIVE, "abscissa of the section that is there at the start, m; or give its place"), **_OBSTACLE},
    meaning="A sleeve that stays in the world while the rod slides through it.",
)
ROD_CONTACTS = {
    "anchors": Key(MapOf(_ANCHOR, "anchor"), "of a rod"),
    "sleeves": Key(MapOf(_SLEEVE, "sleeve"), "of a rod"),
    "pegs": Key(MapOf(_PEG, "peg"), "of a rod"),
}


def rod_contact_values(section: Section, folder: Path, root: Path) -> dict[str, Any]:
    """What the builder takes, with laws as objects."""
    values = dict(section)
    if "at" in section:
        at = section["at"]
        values["at"] = float(at) if isinstance(at, (int, float)) else motion_of(at, folder, root)
    if "moves" in section:
        values["moves"] = {word: motion_of(law, folder, root) for word, law in section["moves"].items()}
    for word in ("wrap", "during"):
        if word in section:
            values[word] = tuple(section[word])
    return values


def rod_contact_words(contacts: tuple[RodContact, ...], notes: Notes) -> dict[str, Any]:
    """``anchors``, ``sleeves`` and ``pegs`` of a rod; those with laws that have no word here go to ``notes``."""
    result: dict[str, dict[str, Any]] = {}
    for contact in contacts:
        laws = [law for law in (contact.at, *contact.moves.values()) if isinstance(law, Law)]
        if any(_law_words(law) is None for law in laws):
            notes.lost(f"{contact.kind} '{contact.name}'", "it has a law of time that cannot be written; give it in a file")
            continue
        words: dict[str, Any] = {}
        if contact.at is not None:
            words["at"] = _law_words(contact.at) if isinstance(contact.at, Law) else float(contact.at)
        if contact.place is not None:
            words["place"] = [float(x) for x in contact.place.position]
            words["turned"] = [[float(x) for x in row] for row in contact.place.rotation]
        if contact.moves:
            words |= {"moves": {word: _law_words(law) for word, law in contact.moves.items()}}
        if contact.moves or tuple(contact.axis) != (0.0, 0.0, 1.0):
            words["axis"] = [float(x) for x in contact.axis]
        for word in ("wrap", "during"):
            if getattr(contact, word) is not None:
                words[word] = [float(x) for x in getattr(contact, word)]
        words |= {} if contact.period is None else {"period": float(contact.period)}
        words |= {"slips": False} if contact.kind == "anchor" and not contact.slips else {}
        result.setdefault(f"{contact.kind}s", {})[contact.name] = words
    return result


def _law_words(law: Law) -> list[dict[str, Any]] | None:
    """A sum of polynomials, sines and cosines; None for other laws."""
    found = [words for term in law.terms if (words := _term_words(term)) is not None]
    return found if len(found) == len(law.terms) else None


def _term_words(term: Term) -> dict[str, Any] | None:
    if term.window is not None or term.shift != 0.0:
        return None
    if term.kind == TERM.polynomial:
        numbers = [float(c) for c in term.coefficients]
        words: dict[str, Any] = {"constant": numbers[0]} if term.words == "constant" else {"polynomial": numbers}
        return words | ({"factor": float(term.scale)} if term.scale != 1.0 else {})
    if term.kind not in (TERM.sine, TERM.cosine):
        return None
    wave = {"amplitude": float(term.scale), "omega": float(term.omega), "phase": float(term.phase)}
    return {"sine" if term.kind == TERM.sine else "cosine": wave}
