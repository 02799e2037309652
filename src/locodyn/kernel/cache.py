"""Where compiled kernels are kept on disk, and when they are thrown away.

Numba's own cache looks at the file of a kernel, not at the files of the kernels that it calls, so a change there would
leave stale machine code behind. Here the stamp of a kernel is a hash of its module *and of every locodyn module that
this one imports, directly or not*: what runs is always what is written. Imports for type checkers alone do not count.
"""

from __future__ import annotations

import functools
import hashlib
import os
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator

PACKAGE = Path(__file__).resolve().parent.parent
_FOR_TYPES = re.compile(r"^if TYPE_CHECKING:\n(?:[ \t]+[^\n]*\n|\n)+", re.MULTILINE)
_IMPORT = re.compile(r"^\s*(?:from\s+(locodyn[\w.]*)\s+import\s+(\([^)]*\)|[^\n]*)|import\s+(locodyn[\w.]*))", re.MULTILINE)


def cache_folder() -> Path:
    """Folder of the compiled kernels: ``$LOCODYN_CACHE_DIR``, or ``locodyn`` in the user's cache folder."""
    chosen = os.environ.get("LOCODYN_CACHE_DIR")
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    return (Path(base) if base else Path.home() / ".cache") / "locodyn"


def _module_file(module: str) -> Path | None:
    path = PACKAGE.parent.joinpath(*module.split("."))
    for candidate in (path.with_suffix(".py"), path / "__init__.py"):
        if candidate.is_file():
            return candidate
    return None


@functools.cache
def _imports(path: Path) -> tuple[Path, ...]:
    found = []
    text = _FOR_TYPES.sub("", path.read_text(encoding="utf-8"))  # what is imported for annotations only does not run
    for module, names, plain in _IMPORT.findall(text):
        candidates = [module or plain]
        candidates += [f"{module}.{name}" for name in re.findall(r"\w+", names)] if module else []
        found += [file for file in map(_module_file, candidates) if file is not None]
    return tuple(dict.fromkeys(found))


@functools.cache
def source_stamp(path: Path) -> str:
    """Hash of a source file and of all locodyn sources that it imports, directly or not."""
    seen: set[Path] = set()
    waiting = [path]
    while waiting:
        file = waiting.pop()
        if file not in seen:
            seen.add(file)
            waiting += _imports(file)
    digest = hashlib.sha256()
    for file in sorted(seen):
        digest.update(file.read_bytes())
    return digest.hexdigest()


class _SourceHashLocator(_CacheLocator):
    def __init__(self, py_func: Callable[..., Any], py_file: str) -> None:
        self._line = py_func.__code__.co_firstlineno
        self._stamp = source_stamp(Path(py_file).resolve())
        self._path = cache_folder() / "kernels" / self.get_suitable_cache_subpath(py_file)

    def get_cache_path(self) -> str:
        return str(self._path)

    def get_source_stamp(self) -> str:
        return self._stamp

    def get_disambiguator(self) -> str:
        return str(self._line)

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> _SourceHashLocator:
        return cls(py_func, py_file)


class _Impl(CompileResultCacheImpl):
    pass


_Impl._locator_classes = [_SourceHashLocator]


class KernelCache(FunctionCache):
    """Numba function cache keyed on the hash of all sources that a kernel depends on."""

    _impl_class = _Impl
    _warned = False

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        # The version is compared before the rest is read, which may name types that have been moved or renamed since.
        self._cache_file._version += f" {self._impl.locator.get_source_stamp()}"

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Machine code from disk. Its library must know which routines it refers to, for kernels that it is linked into."""
        result = super().load_overload(sig, target_context)
        if result is not None:
            result.library._reload_init.update(result.reload_init or ())
        return result

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep machine code; a folder that cannot be written costs a warning, not the run."""
        try:
            super().save_overload(sig, data)
        except OSError as error:
            if not KernelCache._warned:
                KernelCache._warned = True
                warnings.warn(
                    f"compiled kernels cannot be kept in {self.cache_path} ({error.strerror}); they are compiled again"
                    " in every process. Set LOCODYN_CACHE_DIR to a folder that can be written.",
                    RuntimeWarning,
                    stacklevel=2,
                )
