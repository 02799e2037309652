"""``locodyn bench``: the benchmarks of a repository checkout."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from locodyn.errors import InputError


def benchmarks_folder() -> Path | None:
    """The folder ``benchmarks`` beside ``src`` in a checkout, or in the working folder; None when there is none."""
    import locodyn

    for root in (Path(locodyn.__file__).resolve().parents[2], Path.cwd()):
        if (root / "benchmarks" / "rigid.py").is_file():
            return root / "benchmarks"
    return None


def bench(quick: bool, json: Path | None) -> int:
    """Run ``benchmarks/rigid.py`` and give its exit code back."""
    folder = benchmarks_folder()
    if folder is None:
        raise InputError(
            "the benchmarks are not part of an installed package; run 'locodyn bench' in a checkout of the repository."
        )
    if json is not None:
        from locodyn.sim.store import check_writable

        check_writable(json)
    options = (["--quick"] if quick else []) + (["--json", str(json)] if json else [])
    return subprocess.run([sys.executable, str(folder / "rigid.py"), *options], check=False).returncode
