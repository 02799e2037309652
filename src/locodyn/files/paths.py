"""Files that may be read: of a sensible size, and inside the folder that was given."""

from __future__ import annotations

import os
from pathlib import Path

from locodyn.errors import InputError

MOST_TEXT = 16 * 2**20  # bytes of a robot or scenario file
MOST_MESH = 256 * 2**20  # bytes of a mesh


def read_bytes(path: Path, most: int = MOST_TEXT) -> bytes:
    """The content of a file, if it is there, readable and not larger than ``most`` bytes."""
    check_size(path, most)
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"the file '{path}' cannot be read ({error.strerror}).") from None


def check_size(path: Path, most: int) -> None:
    """Refuse what is not a file, and a file of more than ``most`` bytes."""
    if path.is_dir():
        raise InputError(f"'{path}' is a folder; give the name of a file.")
    if not path.is_file():
        raise InputError(f"there is no file '{path}'.")
    size = path.stat().st_size
    if size > most:
        raise InputError(f"the file '{path}' has {size / 2**20:.1f} MiB; files of more than {most / 2**20:g} MiB are not read.")


def inside(reference: str, folder: Path, root: Path, what: str) -> Path:
    """The file that ``reference`` means, seen from ``folder``; an error if it lies outside of ``root`` (links resolved)."""
    if "\0" in reference or not reference.strip():
        raise InputError(f"{what} is {reference!r}, which is not the name of a file.")
    path = Path(os.path.realpath(folder / reference))
    top = Path(os.path.realpath(root))
    if path != top and top not in path.parents:
        raise InputError(
            f"{what} is '{reference}', which lies outside of the folder '{root}'; move it there, or name a folder that holds both"
            " (--root)."
        )
    return path
