"""JSON schemas of robot and scenario files, from the tables that the readers use. ``make schema`` writes the committed copies."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from locodyn.errors import InputError, nearest
from locodyn.files.records import Record
from locodyn.files.robot_words import ROBOT
from locodyn.files.scenario_words import SCENARIO

KINDS: dict[str, Record] = {"robot": ROBOT, "scenario": SCENARIO}
FOLDER = Path(__file__).with_name("schemas")


def schema(kind: str) -> dict[str, Any]:
    """The JSON schema (draft 2020-12) of a ``robot`` or ``scenario`` file."""
    if kind not in KINDS:
        raise InputError(f"there is no schema '{kind}'{nearest(kind, KINDS)}")
    parts: dict[str, Any] = {}
    own = KINDS[kind].own_schema(parts)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"locodyn {kind} file",
        **own,
        "$defs": dict(sorted(parts.items())),
    }


def schema_text(kind: str) -> str:
    """The schema as the text of a file."""
    return json.dumps(schema(kind), indent=1) + "\n"


def write_schemas(folder: Path = FOLDER) -> list[Path]:
    """Write both schemas, and give their files."""
    from locodyn.sim.store import write_beside

    folder.mkdir(exist_ok=True)
    return [
        write_beside(folder / f"{kind}.schema.json", lambda file, kind=kind: file.write_text(schema_text(kind), encoding="utf-8"))
        for kind in KINDS
    ]


if __name__ == "__main__":
    for written in write_schemas():
        print(f"wrote {written.name}")
