"""Bring the stored checks up to what the robots declare, without a run: python docs/site/label_checks.py.

Kind, source, expected value and tolerance are those of the robot's file; what was measured stays. Checks that the file has no
more are left out; one that was never measured needs a run: python docs/site/make_gallery.py NAME.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from entries import entry, files
from locodyn.sim import Check
from locodyn.sim.check import show
from locodyn.zoo.registry import ROBOTS, make, module
from make_gallery import first_paragraph


def labelled(check: Check, settings: str, obtained: str) -> dict[str, Any]:
    """The stored form of a check with what was measured."""
    values = np.array([float(x) for x in obtained.strip("()").split(",")])
    off = np.max(np.abs(values - np.ravel(np.asarray(check.expected, dtype=float))))
    digits = 5e-7 * float(np.max(np.abs(values)))  # what was measured is stored with seven
    return {
        "settings": settings,
        "check": check.name,
        "expected": show(check.expected),
        "obtained": obtained,
        "tolerance": f"{check.tolerance:.2g}",
        "kind": check.kind.value,
        "source": check.source,
        "passed": bool(off <= check.tolerance + digits),
    }


def label(name: str) -> list[str]:
    """Write the entry of one robot anew; the checks that were never measured."""
    about, lacking, rows = entry(name), [], []
    stored = {(row["settings"], row["check"]): row["obtained"] for row in about["checks"]}
    for given in module(name).VALIDATION:
        settings = " ".join(f"{key}={value}" for key, value in given.items())
        for check in make(name, given).checks:
            if (settings, check.name) in stored:
                rows.append(labelled(check, settings, stored[settings, check.name]))
            else:
                lacking.append(f"{name} {settings}: {check.name}")
    about["checks"], about["about"] = rows, first_paragraph(module(name))
    files(name)[0].write_text(json.dumps(about, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return lacking


def main() -> None:
    """All robots."""
    lacking = [words for name in ROBOTS for words in label(name)]
    print("\n".join(["never measured:", *lacking]) if lacking else "all checks have been measured")


if __name__ == "__main__":
    main()
