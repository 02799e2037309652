"""Frictional contact problems in files: FCLIB (HDF5, group ``fclib_local``) and the text of Siconos (``.dat``).

FCLIB (Acary et al. 2014) keeps W as a sparse matrix of CSparse (``nz`` -1: by columns, -2: by rows, else triplets), ``spacedim``,
``vectors/q`` and ``vectors/mu``. The text has the dimension, the number of contacts, the storage and size of W, then W (dense by
columns, or blocks by rows, each by columns), q, mu.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.errors import InputError
from locodyn.files.paths import MOST_MESH, check_size
from locodyn.record import codes

if TYPE_CHECKING:
    from locodyn.locomotion.contact.friction_problem import FrictionProblem

_STORAGE = codes("dense", "blocks")  # of W in the text
_MOST = 10_000  # rows of W, which is kept dense: 800 MB


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

    from locodyn.sim.store import write_beside

    path = Path(file)
    if path.suffix.lower() not in (".hdf5", ".h5"):
        raise InputError(f"the contact problem '{path}' must end in .hdf5 or .h5; FCLIB is HDF5.")
    sparse = csc_array(problem.W)
    sparse.sort_indices()

    def write(temporary: Path) -> None:
        with h5py.File(temporary, "w") as target:
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

    return write_beside(path, write)


def _fclib(path: Path) -> FrictionProblem:
    import h5py

    check_size(path, MOST_MESH)
    try:
        with h5py.File(path, "r") as source:
            if "fclib_local" not in source:
                found = ", ".join(source) or "nothing"
                raise InputError(f"the file '{path}' has {found}; a contact problem is in the group fclib_local.")
            group = source["fclib_local"]
            dimension = int(_numbers(group["spacedim"])[0])
            matrix = {name: _numbers(group["W"][name]) for name in ("m", "n", "nz", "p", "i", "x")}
            q, mu = _numbers(group["vectors"]["q"]), _numbers(group["vectors"]["mu"])
    except InputError:
        raise
    except Exception as error:  # h5py raises OSError, KeyError, RuntimeError, ... according to where the damage is
        why = " ".join(str(error).strip(chr(34)).split()) or type(error).__name__
        raise InputError(f"the file '{path}' cannot be read as FCLIB: {why}.") from None
    _check_dimension(path, dimension)
    from locodyn.locomotion.contact.friction_problem import FrictionProblem  # loads the solvers: only where one is read

    return FrictionProblem(_csparse(path, matrix), q, mu)


def _numbers(stored: Any) -> np.ndarray:
    """The numbers of a dataset, of a size that a problem can have: one that packs well may say any size."""
    if stored.size > _MOST**2:
        raise ValueError(f"it has {stored.size} numbers in one place")
    found = np.ravel(stored[...])
    if found.dtype.kind not in "iuf" or not len(found):
        raise ValueError(f"'{stored.name}' has no numbers")
    return found


def _check_rows(path: Path, rows: int, columns: int) -> None:
    """Refuse a W that does not fit into memory, before it is made."""
    if not (0 < rows <= _MOST and 0 < columns <= _MOST):
        raise InputError(f"the W of '{path}' is of {rows} x {columns}; it must be of 1 to {_MOST} rows and columns.")


def _csparse(path: Path, matrix: dict[str, np.ndarray]) -> np.ndarray:
    """A matrix of CSparse, dense."""
    from scipy.sparse import coo_array, csc_array, csr_array

    shape, kind = (int(matrix["m"][0]), int(matrix["n"][0])), int(matrix["nz"][0])
    _check_rows(path, *shape)
    try:
        if kind >= 0:
            made = coo_array((matrix["x"][:kind], (matrix["i"][:kind], matrix["p"][:kind])), shape=shape)
        else:
            count = int(matrix["p"][-1])
            made = (csc_array if kind == -1 else csr_array)((matrix["x"][:count], matrix["i"][:count], matrix["p"]), shape=shape)
            made.check_format(full_check=True)
    except (ValueError, TypeError, IndexError, OverflowError) as error:
        raise InputError(f"the matrix W of the file '{path}' is damaged: {' '.join(str(error).split())}.") from None
    dense: np.ndarray = made.toarray()
    return dense


def _check_dimension(path: Path, dimension: int) -> None:
    if dimension != 3:
        raise InputError(f"the contact problem '{path}' is of dimension {dimension}; it must be 3.")


class _Words:
    """The numbers of a text, one after the other."""

    def __init__(self, path: Path) -> None:
        check_size(path, MOST_MESH)
        self.path, self.words, self.at = path, path.read_text(encoding="utf-8", errors="replace").split(), 0

    def whole(self) -> int:
        """The next number, which must be whole."""
        (value,) = self.take(1)
        if value != int(value):
            raise InputError(f"word {self.at} of the file '{self.path}' is {value:g}; it must be a whole number.")
        return int(value)

    def take(self, count: int) -> np.ndarray:
        """The next numbers."""
        if count < 0:
            raise InputError(f"the file '{self.path}' has {count} before word {self.at + 1}, for a number of things.")
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
    _check_rows(path, rows, columns)
    if storage == _STORAGE.dense:
        words.take(2)  # the size once more
        matrix = words.take(rows * columns).reshape(columns, rows).T
    elif storage == _STORAGE.blocks:
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
    numbered = len(starts) > 0 and starts[0] == 0 and starts[-1] <= blocks and len(starts) <= down + 1
    in_order = all((np.diff(one) >= 0).all() for one in (starts, *ends))
    within = ends[0][-1] <= rows and ends[1][-1] <= columns and np.all((places >= 0) & (places < across))
    if not (numbered and in_order and within):
        raise InputError(f"the blocks of W in '{words.path}' are numbered wrongly.")
    for row in range(len(starts) - 1):
        for block in range(starts[row], starts[row + 1]):
            if words.whole() != block:
                raise InputError(f"the blocks of W in '{words.path}' are not in the order of their numbers.")
            top, bottom = ends[0][row : row + 2]
            left, right = ends[1][places[block] : places[block] + 2]
            matrix[top:bottom, left:right] = words.take((bottom - top) * (right - left)).reshape(right - left, bottom - top).T
    return matrix
