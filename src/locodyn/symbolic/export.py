"""Functions in closed form as files: C, Python, MATLAB, CasADi, LaTeX."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from locodyn.errors import InputError, nearest
from locodyn.symbolic.function import Function
from locodyn.symbolic.write_c import c_driver, c_header, c_source
from locodyn.symbolic.write_latex import latex_source
from locodyn.symbolic.write_matlab import matlab_source
from locodyn.symbolic.write_python import casadi_source, python_source

COMPILERS = ("cc", "gcc", "clang")


def _each(ending: str, write: Callable[[Function], str]) -> Callable[[Sequence[Function], str], dict[str, str]]:
    return lambda functions, stem: {f"{function.name}{ending}": write(function) for function in functions}


def _c(functions: Sequence[Function], stem: str) -> dict[str, str]:
    return {
        f"{stem}.c": c_source(functions, stem),
        f"{stem}.h": c_header(functions, stem),
        f"{stem}_test.c": c_driver(functions, stem),
    }


# target -> texts by file name
TARGETS: dict[str, Callable[[Sequence[Function], str], dict[str, str]]] = {
    "c": _c,
    "python": _each(".py", python_source),
    "latex": _each(".tex", latex_source),
    "casadi": _each("_casadi.py", casadi_source),
    "matlab": _each(".m", matlab_source),
}


def check_target(target: str) -> None:
    """Refuse a target that does not exist."""
    if target not in TARGETS:
        raise InputError(f"there is no export to '{target}'{nearest(target, TARGETS)}")


def write(functions: Sequence[Function], target: str, folder: str | Path, stem: str) -> list[Path]:
    """Write functions to a folder, which is made if need be; returns the files. ``stem``: name of the files of C.

    All texts are made before the first is written, and each file appears complete or not at all.
    """
    check_target(target)
    texts, place = TARGETS[target](functions, stem), Path(folder)
    try:
        place.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=place, prefix=f".{name}.", delete=False) as file:
                file.write(text)
            os.chmod(file.name, 0o644)
            os.replace(file.name, place / name)
    except OSError as error:
        raise InputError(f"the folder '{folder}' cannot be written to: {error.strerror or error}.") from None
    return [place / name for name in texts]


def compiler() -> str | None:
    """The C compiler of this machine, or None."""
    return next((found for name in COMPILERS if (found := shutil.which(name))), None)


def check_c(files: Sequence[Path]) -> str:
    """Compile exported C files and run their test driver; returns what came out in a sentence."""
    cc = compiler()
    if cc is None:
        return f"no C compiler was found ({', '.join(COMPILERS)}): the files are written but were not compiled."
    sources = [str(file.resolve()) for file in files if file.suffix == ".c"]
    with tempfile.TemporaryDirectory() as folder:
        binary = str(Path(folder) / "check")
        built = subprocess.run(
            [cc, "-std=c99", "-O2", *sources, "-lm", "-o", binary], capture_output=True, text=True, check=False
        )
        if built.returncode:
            raise InputError(f"{Path(cc).name} does not compile the exported files: {built.stderr.strip().splitlines()[0]}.")
        ran = subprocess.run([binary], capture_output=True, text=True, check=False)
    worst = max(float(line.split()[-1]) for line in ran.stdout.splitlines())
    verdict = "agrees with" if ran.returncode == 0 else "DIFFERS from"
    return f"compiled with {Path(cc).name}; the result {verdict} Python (largest relative difference {worst:.1e})."
