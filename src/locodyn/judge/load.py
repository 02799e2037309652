"""Problem files: where they are, and how one is read. A file that is wrong is answered with a sentence and its line."""

from __future__ import annotations

import runpy
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from locodyn.errors import InputError, nearest
from locodyn.judge.problem import Problem


def judges_folder() -> Path:
    """The folder ``judges`` beside ``src`` in a checkout, or in the working folder."""
    import locodyn

    for root in (Path(locodyn.__file__).resolve().parents[2], Path.cwd()):
        if (root / "judges").is_dir():
            return root / "judges"
    raise InputError("the judges are not part of an installed package; run 'locodyn judge' in a checkout of the repository.")


def problem_files(folder: Path) -> dict[str, Path]:
    """The problem files of a folder by their names, in the order of the alphabet."""
    found = {file.stem: file for file in sorted(folder.glob("*.py")) if not file.name.startswith("_")}
    if not found:
        raise InputError(f"there is no problem file (NAME.py) in the folder '{folder}'.")
    return found


def problems_of(words: list[str], folder: Path | None = None) -> dict[str, Problem]:
    """The problems of these words, of all without any: names of files of the folder, parts of them (``a0``), or files."""
    files: dict[str, Path] = {}
    known = problem_files(folder or judges_folder()) if not words or any(not word.endswith(".py") for word in words) else {}
    for word in words:
        if word.endswith(".py"):
            files[Path(word).stem] = Path(word)
            continue
        found = [word] if word in known else [name for name in known if name.startswith(word)]
        if not found:
            raise InputError(f"there is no problem '{word}'{nearest(word, known)}")
        files |= {name: known[name] for name in found}
    return {name: load_problem(file) for name, file in (files or known).items()}


def load_problem(file: Path) -> Problem:
    """The problem of a file."""
    if not file.is_file():
        raise InputError(f"there is no problem file '{file}'.")
    try:
        with _beside(file):
            names = runpy.run_path(str(file))
    except Exception as error:
        line, words = _line(error, file), str(error).splitlines()[0] if str(error) else type(error).__name__
        where = f", line {line}" if line else ""
        raise InputError(f"the problem file '{file.name}'{where}: {words}") from error
    problem = names.get("PROBLEM")
    if not isinstance(problem, Problem):
        line = _assignment(file)
        where = f", line {line}" if line else ""
        what = "is missing" if problem is None else f"is a {type(problem).__name__}"
        raise InputError(f"the problem file '{file.name}'{where}: PROBLEM {what}; it must be a locodyn.judge.Problem.")
    return problem


def _line(error: BaseException, file: Path) -> int | None:
    """The last line of the file on the way to an error, or the one that cannot be read."""
    if isinstance(error, SyntaxError) and error.filename and Path(error.filename).name == file.name:
        return error.lineno
    lines = [one.lineno for one in traceback.extract_tb(error.__traceback__) if Path(one.filename) == file]
    return lines[-1] if lines else None


def _assignment(file: Path) -> int | None:
    """Line of ``PROBLEM = ...``."""
    lines = file.read_text(encoding="utf-8").splitlines()
    return next((k for k, line in enumerate(lines, start=1) if line.startswith("PROBLEM")), None)


@contextmanager
def _beside(file: Path) -> Iterator[None]:
    """Modules beside a problem file (models that several problems or peers share) are found while it is read."""
    folder = str(file.resolve().parent)
    sys.path.insert(0, folder)
    try:
        yield
    finally:
        sys.path.remove(folder)
