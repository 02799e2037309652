"""Frictional contact problems in files: FCLIB (HDF5, group ``fclib_local``) and the text of Siconos (``.dat``).

FCLIB (Acary et al. 2014) keeps W as a sparse matrix of CSparse (``nz`` -1: by columns, -2: by rows, else triplets), ``spacedim``,
``vectors/q`` and ``vectors/mu``. The text has the dimension, the number of contacts, the storage and size of W, then W (dense by
columns, or blocks by rows, each by columns), q, mu.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from locodyn.errors import InputError

if TYPE_CHECKING:
    from locodyn.locomotion.contact.friction_problem import FrictionProblem

_DENSE, _BLOCKS = 0, 1  # storages of W in the text


def load_contact_problem(file: str | Path) -> FrictionProblem:
    """The problem of a file: FCLIB (``.hdf5``, ``.h5``) or the text of Siconos (``.dat``)."""
    path = Path(file)
    if not path.is_file():
        raise InputError(f"there is no file '{path}' with a contact problem.")
    if path.suffix.lower() in (".hdf5", ".h5"):
        return _fclib(path)
    if path.suffix.lower() == ".dat":
        return _text(path)
    raise InputError(f"the contact problem '{path}' must end in .hdf5, .h5 or .dat; the ending says the format.")


def save_contact_problem(problem: FrictionProblem, file: str | Path) -> Path:
    """Write a problem as FCLIB keeps it (``.hdf5``)."""
    import h5py
    from scipy.sparse import csc_array

    path = Path(file)
    if path.suffix.lower() not in (".hdf5", ".h5"):
        raise InputError(f"the contact problem '{path}' must end in .hdf5 or .h5; FCLIB is HDF5.")
    sparse = csc_array(problem.W)
    sparse.sort_indices()
    with h5py.File(path, "w") as target:
        group = target.create_group("fclib_local")
        group["spacedim"] = np.array([3], dtype=np.int32)
        matrix = group.create_group("W")
        sizes = {"nzmax": sparse.nnz, "m": sparse.shape[0], "n": sparse.shape[1], "nz": -1}
        for name, value in sizes.items():
            matrix[name] = np.array([value], dtype=np.int32)
        matrix["p"], matrix["i"] = sparse.indptr.astype(np.int32), sparse.indices.astype(np.int32)
        matrix["x"] = sparse.data
        vectors = group.create_group("vectors")
        vectors["q"], vectors["mu"] = problem.q, problem.mu
    return path


def _fclib(path: Path) -> FrictionProblem:
    import h5py

    try:
        with h5py.File(path, "r") as source:
            if "fclib_local" not in source:
                found = ", ".join(source) or "nothing"
                raise InputError(f"the file '{path}' has {found}; a contact problem is in the group fclib_local.")
            group = source["fclib_local"]
            dimension = int(np.ravel(group["spacedim"])[0])
            matrix = {name: np.ravel(group["W"][name]) for name in ("m", "n", "nz", "p", "i", "x")}
            q, mu = np.ravel(group["vectors"]["q"]), np.ravel(group["vectors"]["mu"])
    except (OSError, KeyError) as error:
        raise InputError(f"the file '{path}' cannot be read as FCLIB: {str(error).strip(chr(34))}.") from None
    _check_dimension(path, dimension)
    from locodyn.locomotion.contact.friction_problem import FrictionProblem  # loads the solvers: only where one is read

    return FrictionProblem(_csparse(path, matrix), q, mu)


def _csparse(path: Path, matrix: dict[str, np.ndarray]) -> np.ndarray:
    """A matrix of CSparse, dense."""
    from scipy.sparse import coo_array, csc_array, csr_array

    shape, kind = (int(matrix["m"][0]), int(matrix["n"][0])), int(matrix["nz"][0])
    try:
        if kind >= 0:
            made = coo_array((matrix["x"][:kind], (matrix["i"][:kind], matrix["p"][:kind])), shape=shape)
        else:
            count = int(matrix["p"][-1])
            made = (csc_array if kind == -1 else csr_array)((matrix["x"][:count], matrix["i"][:count], matrix["p"]), shape=shape)
    except ValueError as error:
        raise InputError(f"the matrix W of the file '{path}' is damaged: {error}.") from None
    dense: np.ndarray = made.toarray()
    return dense


def _check_dimension(path: Path, dimension: int) -> None:
    if dimension != 3:
        raise InputError(f"the contact problem '{path}' is of dimension {dimension}; it must be 3.")


class _Words:
    """The numbers of a text, one after the other."""

    def __init__(self, path: Path) -> None:
        self.path, self.words, self.at = path, path.read_text(encoding="utf-8", errors="replace").split(), 0

    def whole(self) -> int:
        """The next number, which must be whole."""
        (value,) = self.take(1)
        if value != int(value):
            raise InputError(f"word {self.at} of the file '{self.path}' is {value:g}; it must be a whole number.")
        return int(value)

    def take(self, count: int) -> np.ndarray:
        """The next numbers."""
        words = self.words[self.at : self.at + count]
        try:
            found = np.array([float(word) for word in words])
        except ValueError as error:
            raise InputError(f"the file '{self.path}' has words that are not numbers: {error}.") from None
        if len(found) < count or not np.isfinite(found).all():
            raise InputError(
                f"the file '{self.path}' ends, or has no number, after {self.at + len(found)} words; {count} were due."
            )
        self.at += count
        return found


def _text(path: Path) -> FrictionProblem:
    words = _Words(path)
    _check_dimension(path, words.whole())
    count = words.whole()
    storage, rows, columns = words.whole(), words.whole(), words.whole()
    if rows != 3 * count or columns != 3 * count:
        raise InputError(
            f"the W of '{path}' is of {rows} x {columns} for {count} contacts; it must be {3 * count} x {3 * count}."
        )
    if storage == _DENSE:
        words.take(2)  # the size once more
        matrix = words.take(rows * columns).reshape(columns, rows).T
    elif storage == _BLOCKS:
        matrix = _block_matrix(words, rows, columns)
    else:
        raise InputError(f"the W of '{path}' has the storage {storage}; known are 0 (dense) and 1 (blocks).")
    from locodyn.locomotion.contact.friction_problem import FrictionProblem  # loads the solvers: only where one is read

    return FrictionProblem(matrix, words.take(3 * count), words.take(count))


def _block_matrix(words: _Words, rows: int, columns: int) -> np.ndarray:
    """Blocks by rows of blocks: numbers of blocks, ends of rows and columns, starts and columns of the blocks, the blocks."""
    words.whole()
    down, across = words.whole(), words.whole()
    ends = [np.concatenate([[0], words.take(size)]).astype(int) for size in (down, across)]
    filled, blocks = words.whole(), words.whole()
    starts, places = words.take(filled).astype(int), words.take(blocks).astype(int)
    matrix = np.zeros((rows, columns))
    if len(starts) == 0 or starts[-1] > blocks or len(starts) > down + 1 or np.any(places >= across):
        raise InputError(f"the blocks of W in '{words.path}' are numbered wrongly.")
    for row in range(len(starts) - 1):
        for block in range(starts[row], starts[row + 1]):
            if words.whole() != block:
                raise InputError(f"the blocks of W in '{words.path}' are not in the order of their numbers.")
            top, bottom = ends[0][row : row + 2]
            left, right = ends[1][places[block] : places[block] + 2]
            matrix[top:bottom, left:right] = words.take((bottom - top) * (right - left)).reshape(right - left, bottom - top).T
    return matrix
