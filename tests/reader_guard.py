"""What a reader of damaged files may not do: open others, outside of its folder, start programs, use the network, take memory.

Python tells of programs, connections and files that it opens by audit events. Libraries in C do not: of files that lie beside the
folder the kernel of Linux tells (inotify), whoever opens them. Memory is limited by the system: asking for more raises a
MemoryError in the reader.
"""

from __future__ import annotations

import ctypes
import importlib
import os
import resource
import struct
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

MEMORY = 2_000_000_000  # bytes that a file may take beyond what is there when it is opened
SECRET = "secret"
KINDS = ("obj", "stl", "xml", "urdf", "yaml", "csv", "png")
PATHS = [
    *(f"../{SECRET}.{kind}".encode() for kind in KINDS),
    *(f"link.{kind}".encode() for kind in KINDS),
    b"file://../secret.obj",
    b"package://../secret.obj",
    b"package://files/../../secret.obj",
    b"..\\secret.obj",
    b"./inner.xml",
    b"",
    b".",
    b"..",
    b"/dev/zero",
    b"/etc/passwd",
    b"/proc/self/environ",
    b"http://localhost:9/a.obj",
]
_FORBIDDEN = ("os.system", "subprocess.Popen", "os.exec", "os.posix_spawn", "os.fork", "socket.connect", "socket.getaddrinfo")
_OPENED, _READ = 0x20, 0x1  # IN_OPEN, IN_ACCESS of inotify
_EVENT = struct.Struct("iIII")  # of inotify: which file, what, cookie, length of the name
_CONTENT = {
    "obj": "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n",
    "xml": "<mujoco><worldbody><body><geom size='1'/></body></worldbody></mujoco>",
    "urdf": "<robot name='a'><link name='b'/></robot>",
    "yaml": "robot: secret\nbase: {name: b, moves: fixed}\nbodies: {arm: {parent: b, turning: z, mass: 1}}\n",
    "csv": "time,a\n" + "".join(f"{k},{k * k}\n" for k in range(9)),
}
_PARTS = {**_CONTENT, "xml": "<mujoco><body name='c'/></mujoco>", "urdf": "<robot name='a'><link name='b'/></robot>"}
# Inside the folder, and names others outside: a model that MuJoCo puts into another one.
_INNER = """<mujoco><asset><mesh name="m" file="../secret.obj"/></asset>
<worldbody><body name="b"><geom type="mesh" mesh="m"/></body></worldbody></mujoco>"""


class Guard:
    """Watches what reads the files of ``folder``; it keeps its secrets in the folder above."""

    def __init__(self, above: Path) -> None:
        self.folder = above / "files"
        self.folder.mkdir()
        self.heard: list[str] = []
        self._listens = False
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._inotify = self._libc.inotify_init1(os.O_NONBLOCK)
        self._names: dict[int, str] = {}
        for kind in KINDS:
            secret = above / f"{SECRET}.{kind}"
            secret.write_text(_CONTENT.get(kind, "x"))
            (self.folder / f"link.{kind}").symlink_to(secret)
            self._names[self._libc.inotify_add_watch(self._inotify, bytes(secret), _OPENED | _READ)] = str(secret)
        for kind, content in _PARTS.items():
            (self.folder / f"part.{kind}").write_text(content)
        (self.folder / "inner.xml").write_text(_INNER)
        (self.folder / "secret.obj").write_text(_CONTENT["obj"])  # of the same name, and may be opened
        (self.folder / "meshes").mkdir()
        (self.folder / "meshes" / "wedge.obj").write_text(_CONTENT["obj"])
        importlib.import_module("mujoco")  # what it imports asks another process for a version, once
        sys.addaudithook(self._hear)  # there is no way to take it away again

    def close(self) -> None:
        """Watch no longer."""
        self._listens = False
        os.close(self._inotify)

    def _hear(self, event: str, about: tuple[Any, ...]) -> None:
        if not self._listens:
            return
        if event in _FORBIDDEN:
            self.heard.append(f"{event} {about!r:.200}")
        elif event == "open" and isinstance(about[0], (str, bytes)):
            path = os.path.realpath(os.fsdecode(about[0])) if about[0] else ""
            if path.startswith("/etc/") or path in ("/dev/zero", "/proc/self/environ"):
                self.heard.append(f"opened {path}")

    def _opened(self) -> Iterator[str]:
        try:
            told = os.read(self._inotify, 1 << 16)
        except BlockingIOError:
            return
        while told:
            watch, _, _, length = _EVENT.unpack_from(told)
            told = told[_EVENT.size + length :]
            yield f"opened {self._names.get(watch, 'a secret')}"

    @contextmanager
    def watching(self) -> Iterator[None]:
        """An AssertionError at its end where something was done that may not be."""
        self.heard.clear()
        list(self._opened())
        soft, hard = resource.getrlimit(resource.RLIMIT_AS)
        now = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (now + MEMORY, hard))
        self._listens = True
        try:
            yield
        finally:
            self._listens = False
            resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
        done = [*self.heard, *dict.fromkeys(self._opened())]
        assert not done, f"a reader {'; '.join(done)}"
