"""Where compiled kernels are kept on disk, where they come from, and when they are thrown away.

Numba's own cache looks at the file of a kernel, not at the files of the kernels that it calls, so a change there would
leave stale machine code behind. Here the stamp of a kernel is a hash of its module *and of every locodyn module that
this one imports, directly or not*: what runs is always what is written. Imports for type checkers alone do not count, nor do
modules that have no part in what is compiled (this one). Versions of Numba, LLVM and Python are in the key as well.

Code is looked for in the user's cache, where it was compiled for this very machine, then in the package: a wheel carries code
for a common baseline of processors (``kernel/machine_code``, made by ``locodyn compile --baseline``), with its key in
``baseline.json``. It is taken where the processor has all that the baseline asks for. What is in neither place is compiled.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import re
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import llvmlite
import numba
from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile, _CacheLocator

from locodyn.kernel.front_end import _unsaved, save_all
from locodyn.kernel.intermediate import loaded_intermediate
from locodyn.kernel.turns import Turns, turns_in

_BEGAN = time.time()
PACKAGE = Path(__file__).resolve().parent.parent
SHIPPED = PACKAGE / "kernel" / "machine_code"
BASELINE = "baseline.json"
_NO_CODE = frozenset(PACKAGE / "kernel" / name for name in ("cache.py", "plain.py", "signals.py", "turns.py"))
_FOR_TYPES = re.compile(r"^if TYPE_CHECKING:\n(?:[ \t]+[^\n]*\n|\n)+", re.MULTILINE)
_IMPORT = re.compile(r"^\s*(?:from\s+(locodyn[\w.]*)\s+import\s+(\([^)]*\)|[^\n]*)|import\s+(locodyn[\w.]*))", re.MULTILINE)


def cache_folder() -> Path:
    """Folder of the compiled kernels: ``$LOCODYN_CACHE_DIR``, or ``locodyn`` in the user's cache folder."""
    chosen = os.environ.get("LOCODYN_CACHE_DIR")
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    return (Path(base) if base else Path.home() / ".cache") / "locodyn"


@functools.cache
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
        own = _module_file(module or plain)
        candidates = [own]
        if module and own is not None and own.name == "__init__.py":  # only a package has modules among its names
            candidates += [_module_file(f"{module}.{name}") for name in re.findall(r"\w+", names)]
        found += [file for file in candidates if file is not None]
    return tuple(dict.fromkeys(found))


@functools.cache
def _sources(path: Path) -> tuple[Path, ...]:
    """A source file and all locodyn sources that it imports, directly or not."""
    seen: set[Path] = set()
    waiting = [path]
    while waiting:
        file = waiting.pop()
        if file not in seen and file not in _NO_CODE:
            seen.add(file)
            waiting += _imports(file)
    return tuple(sorted(seen))


@functools.cache
def source_stamp(path: Path) -> str:
    """Hash of a source file and of all locodyn sources that it imports, directly or not."""
    digest = hashlib.sha256()
    for file in _sources(path):
        digest.update(file.read_bytes())
    return digest.hexdigest()


def changed_meanwhile(path: Path) -> bool:
    """Whether one of these sources was written after this process began: what runs here is then not what the stamp says."""
    try:
        return any(file.stat().st_mtime > _BEGAN for file in _sources(path))
    except OSError:
        return True


@functools.cache
def _stamp_here(path: Path) -> str:
    """The stamp of code that runs in this process; where a source was written meanwhile, one that no code on disk has."""
    return "older than its sources" if changed_meanwhile(path) else source_stamp(path)


def made_with() -> str:
    """The versions on which machine code depends."""
    return f"Python {sys.version_info.major}.{sys.version_info.minor}, Numba {numba.__version__}, llvmlite {llvmlite.__version__}"


def why_not_shipped() -> str:
    """Why code that came with the package does not serve here, as a sentence; empty where it does, or none came."""
    try:
        about = json.loads((SHIPPED / BASELINE).read_text())
    except (OSError, ValueError):
        return ""
    if about["made_with"] != made_with():
        return f"The compiled code of this package was made with {about['made_with']}; here are {made_with()}."
    return "" if shipped_baseline() else f"The compiled code of this package is for {about['processor']}, unlike this machine."


@functools.cache
def shipped_baseline() -> tuple[str, str, str] | None:
    """(triple, processor, features) of the code that came with the package, where this machine can run it; else None.

    ``LOCODYN_NATIVE=1`` leaves that code alone.
    """
    from llvmlite import binding

    try:
        about = json.loads((SHIPPED / BASELINE).read_text())
    except (OSError, ValueError):
        return None
    has = binding.get_host_cpu_features()
    asked = [name.removeprefix("+") for name in about["features"].split(",") if name]
    fits = about["triple"] == binding.get_process_triple() and all(has.get(name, False) for name in asked)
    return (about["triple"], about["processor"], about["features"]) if fits and os.environ.get("LOCODYN_NATIVE") != "1" else None


class _SourceHashLocator(_CacheLocator):
    def __init__(self, py_func: Callable[..., Any], py_file: str) -> None:
        self._line = py_func.__code__.co_firstlineno
        self._stamp = _stamp_here(Path(py_file).resolve())
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
    _locator_classes = [_SourceHashLocator]  # noqa: RUF012  # as Numba has it


class _IntermediateImpl(_Impl):
    def rebuild(self, target_context: Any, payload: tuple[Any, ...]) -> Any:
        return loaded_intermediate(target_context, payload)


class KernelCache(FunctionCache):
    """Numba function cache keyed on the hash of all sources that a kernel depends on; for what Python calls.

    A run calls a few of a thousand kernels: where the code of one lies is found out when it is asked for.
    """

    _impl_class: Any = _Impl
    _form = ""
    _warned = False

    def __init__(self, function: Callable[..., Any]) -> None:
        self._name, self._py_func = repr(function), function
        self.enable()

    @functools.cached_property
    def _impl(self) -> Any:
        return self._impl_class(self._py_func)

    @functools.cached_property
    def _cache_path(self) -> str:
        return str(self._impl.locator.get_cache_path())

    @functools.cached_property
    def _cache_file(self) -> IndexDataCacheFile:
        return self._file(self._cache_path)

    def _file(self, folder: str) -> IndexDataCacheFile:
        """Index and data of a kernel in a folder."""
        stamp = self._impl.locator.get_source_stamp()
        file = IndexDataCacheFile(folder, self._impl.filename_base + self._form, stamp)
        # The version is compared before the rest is read, which may name types that have been moved or renamed since.
        file._version += f" {llvmlite.__version__} {stamp}"
        return file

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Machine code from disk. Its library must know which routines it refers to, for kernels that it is linked into."""
        result = super().load_overload(sig, target_context) or self._shipped(sig, target_context)
        if result is not None:
            result.library._reload_init.update(result.reload_init or ())
        return result

    def _shipped(self, sig: Any, target_context: Any) -> Any:
        """Machine code that came with the package."""
        baseline, source = shipped_baseline(), Path(self._py_func.__code__.co_filename).resolve()
        if baseline is None or not source.is_relative_to(PACKAGE):
            return None
        file = self._file(str(SHIPPED / source.relative_to(PACKAGE).parent))
        _, _, code = self._index_key(sig, target_context.codegen())
        data = file.load((sig, baseline, code))
        return None if data is None else self._impl.rebuild(target_context, data)

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep machine code; a folder that cannot be written costs a warning, not the run."""
        if changed_meanwhile(Path(self._py_func.__code__.co_filename).resolve()):
            return
        try:
            super().save_overload(sig, data._replace(type_annotation=""))  # a listing that takes long to write
        except OSError as error:
            if not KernelCache._warned:
                KernelCache._warned = True
                warnings.warn(
                    f"compiled kernels cannot be kept in {self.cache_path} ({error.strerror}); they are compiled again"
                    " in every process. Set LOCODYN_CACHE_DIR to a folder that can be written.",
                    RuntimeWarning,
                    stacklevel=2,
                )


def _save_made() -> None:
    """Put on disk what LLVM is through with; the rest follows when the outermost kernel is there."""
    while _unsaved and (_unsaved[0][2].library._job is None or _unsaved[0][2].library._job.done()):
        kernel, signature, result = _unsaved.pop(0)
        kernel._cache.save_overload(signature, result)


class SharedCache(KernelCache):
    """The same for what other kernels call, and processes that compile at the same time make once (:mod:`locodyn.kernel.turns`).

    What is not found here is compiled next, and saved when LLVM has made it.
    """

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """From disk, where another process may be putting it."""
        result = super().load_overload(sig, target_context)
        if result is None:
            if self._turns.others_wait():
                _save_made()
            self._turns.take(self._turn(sig), save_all)
            result = super().load_overload(sig, target_context)
            if result is not None:
                self._turns.give(self._turn(sig))
        return result

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep it; others need not wait any longer."""
        super().save_overload(sig, data)
        self._turns.give(self._turn(sig))

    @property
    def _turns(self) -> Turns:
        return turns_in(cache_folder())

    def _turn(self, sig: Any) -> str:
        return f"{self._cache_file._index_path} {sig}"


class RoutineCache(SharedCache):
    """The same for machine code that other kernels call by its symbol."""

    _form = ".routine"


class IntermediateCache(SharedCache):
    """The same for code that other kernels merge into theirs."""

    _impl_class: Any = _IntermediateImpl  # Numba has none in its base
    _form = ".intermediate"
