"""The command ``locodyn``."""

from __future__ import annotations

import errno
import gc
import io
import os
import signal
import sys
import warnings
from typing import TYPE_CHECKING, Any

from locodyn.errors import LocodynError

if TYPE_CHECKING:
    from rich.console import Console


class Stopped(LocodynError):
    """Ctrl-C or SIGTERM ended a command; ``kept``: what is there for all that."""

    exit_code = 130

    def __init__(self, *kept: str) -> None:
        super().__init__(f"stopped: {'; '.join(kept) or 'nothing was written'}.")


# Names that no file can have, and what the machine does not have or give: no defects of ours, wherever they are met.
_OF_THE_SYSTEM = (
    errno.ENAMETOOLONG,
    errno.ENOSPC,
    errno.EDQUOT,
    errno.EROFS,
    errno.EACCES,
    errno.EPERM,
    errno.EFBIG,
    errno.EMFILE,
)


def main() -> None:
    """Entry point: an error is one sentence on standard error; ``--debug`` shows where it came from.

    So is a warning, unless ``--quiet`` asks for errors only.
    """
    # What a command imports and computes stays to its end: looking for garbage all the time took a seventh of a short run.
    gc.set_threshold(500_000, 20, 20)
    _able_streams()
    debug, quiet = "--debug" in sys.argv, "--quiet" in sys.argv
    warnings.showwarning = lambda message, *_: None if quiet else print(f"locodyn: warning: {message}", file=sys.stderr)
    try:
        from locodyn.sim.interrupts import terminate

        signal.signal(signal.SIGTERM, terminate)
        from locodyn.cli.app import app

        code = app(standalone_mode=False, prog_name="locodyn")
        code = code if isinstance(code, int) else 0
        if code == Stopped.exit_code:  # of typer, which was stopped before it came to the command
            raise Stopped
    except LocodynError as error:
        if debug:
            raise
        code = complain(str(error), error.exit_code)
    except KeyboardInterrupt:
        code = complain(str(Stopped()), Stopped.exit_code)
    except BrokenPipeError:  # the reader of our output has gone
        sys.stdout = None
        code = 0
    except MemoryError as error:
        if debug:
            raise
        code = complain(f"there is not enough memory: {str(error).strip('. ') or 'the command needs too much'}; ask for less.", 2)
    except Exception as error:
        if debug:
            raise
        if isinstance(error, OSError) and error.errno in _OF_THE_SYSTEM:
            where = f"'{error.filename}' cannot be used" if error.filename else "the command cannot go on"
            code = complain(f"{where} ({error.strerror}).", 2)
        elif isinstance(error, FileNotFoundError) and error.filename is None and not _is_somewhere():
            code = complain("the folder in which this command runs is no longer there; go to another one.", 2)
        elif hasattr(error, "format_message"):  # wrong use of the command line, found by typer
            code = complain(wrong_use(error), 2)
        else:
            code = complain(f"unexpected {type(error).__name__}: {error} (run again with --debug to see where).", 1)
    gc.freeze()  # at the end of a process too the interpreter looks for garbage: half a second of a short run
    sys.exit(code)


def _able_streams() -> None:
    """Standard output and error take every word: with ASCII only other signs are ?, and what is closed tells nothing."""
    sys.stdout = sys.stdout or open(os.devnull, "w")
    sys.stderr = sys.stderr or open(os.devnull, "w")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _is_somewhere() -> bool:
    """Whether the working folder is there."""
    try:
        os.getcwd()
    except OSError:
        return False
    return True


def wrong_use(error: Any) -> str:
    """What typer says of an option, argument or command, and which command explains it."""
    said = error.format_message().rstrip(".")
    words = said[:1].lower() + said[1:]
    context = getattr(error, "ctx", None)
    return f"{words}." if context is None else f"{words} ('{context.command_path} --help' explains)."


def complain(sentence: str, code: int) -> int:
    """Print one sentence to standard error and give the exit code back."""
    words = " ".join(sentence.split())
    print(f"locodyn: {words}{'' if words.endswith(('.', '?', '!')) else '.'}", file=sys.stderr)
    return code


def wide_console() -> Console:
    """A console on standard output for tables; 160 columns where there is no terminal to fit into."""
    from rich.console import Console

    return Console(highlight=False) if sys.stdout.isatty() else Console(highlight=False, width=160)
