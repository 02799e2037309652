"""Files that may be read: of a sensible size, and inside the folder that was given."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from locodyn.errors import InputError

MOST_TEXT = 16 * 2**20  # bytes of a robot or scenario file
MOST_MESH = 256 * 2**20  # bytes of a mesh
PACKAGE = "package.xml"  # what a ROS package has in its folder


def read_bytes(path: Path, most: int = MOST_TEXT) -> bytes:
    """The content of a file, if it is there, readable and not larger than ``most`` bytes."""
    check_size(path, most)
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"the file '{path}' cannot be read ({error.strerror}).") from None


def check_size(path: Path, most: int) -> None:
    """Refuse what is not a file, and a file of more than ``most`` bytes."""
    if os.path.isdir(path):  # also False for names that are too long, where Path.is_dir raises
        raise InputError(f"'{path}' is a folder; give the name of a file.")
    if not os.path.isfile(path):
        raise InputError(f"there is no file '{path}'.")
    size = path.stat().st_size
    if size > most:
        raise InputError(f"the file '{path}' has {size / 2**20:.1f} MiB; files of more than {most / 2**20:g} MiB are not read.")


def inside(reference: str, folder: Path, root: Path, what: str, *, option: bool = True) -> Path:
    """The file that ``reference`` means, seen from ``folder``; an error if it lies outside of ``root`` (links resolved).

    ``option``: whether the command that reads it takes ``--root``.
    """
    if "\0" in reference or not reference.strip():
        raise InputError(f"{what} is {reference!r}, which is not the name of a file.")
    path = Path(os.path.realpath(folder / reference))
    top = Path(os.path.realpath(root))
    if path != top and top not in path.parents:
        other = ", or name a folder that holds both (--root)" if option else ""
        raise InputError(f"{what} is '{reference}', which lies outside of the folder '{root}'; move it there{other}.")
    return path


def beside(reference: str, file: Path, what: str) -> str:
    """The name of the file that ``reference`` means in another ``file``; an error if it lies outside of the folder of that."""
    folder = file.parent
    found = inside(reference, folder, folder, what, option=False)
    return str(folder / found.relative_to(os.path.realpath(folder)))


def own_tree(file: Path) -> Path:
    """The folder whose files a robot in XML may name if no other is given: its ROS package, or else its own folder.

    The package is the nearest folder above that holds a ``package.xml``.
    """
    home = Path(os.path.realpath(file)).parent
    return next((above for above in (home, *home.parents) if (above / PACKAGE).is_file()), file.parent)


def find_mesh(name: str, file: Path, root: Path) -> tuple[Path | None, str]:
    """The file of a mesh that a URDF names, or ``None`` and why there is none.

    ``package://NAME/...`` (and ``model://``) is looked for in the folders above the file that are called NAME, in folders NAME
    inside ``root``, and beside the file's own package if they are packages themselves. Nothing else is opened.
    """
    if "\0" in name or not name.strip():
        raise InputError(f"the mesh is {name!r}, which is not the name of a file.")
    scheme, sign, rest = name.partition("://")
    if sign and scheme in ("package", "model"):
        package, _, inner = rest.lstrip("/").partition("/")
        for folder in _packages(package, file, root):
            path = Path(os.path.realpath(folder / inner))
            if os.path.isfile(path) and folder in path.parents:
                check_size(path, MOST_MESH)
                return path, ""
        return None, "there is no such file (--root names the folder that holds its package)"
    path = Path(os.path.realpath(file.parent / (rest if sign and scheme == "file" else name)))
    if Path(os.path.realpath(root)) not in path.parents:
        return None, f"it lies outside of the folder '{root.name}' (--root names one that holds both)"
    if not os.path.isfile(path):
        return None, "there is no such file"
    check_size(path, MOST_MESH)
    return path, ""


def _packages(name: str, file: Path, root: Path) -> Iterator[Path]:
    """Folders that may be the package ``name`` of a file, the nearest first."""
    if name in ("", ".", ".."):
        return
    top, home = Path(os.path.realpath(root)), Path(os.path.realpath(file)).parent
    for above in (home, *home.parents):
        if above.name == name:
            yield above
        beside = above / name
        within = above == top or top in above.parents
        if os.path.isdir(beside) and (
            within or (above == top.parent and (top / PACKAGE).is_file() and (beside / PACKAGE).is_file())
        ):
            yield beside
