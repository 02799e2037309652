"""A small server for pages of this machine, behind a :class:`~locodyn.view.door.Door`: that of the viewer and of the studio.

It serves what a table of functions gives, nothing from the disk. An answer is either whole, or a stream of JSON objects, one a
line, which the page reads while the work goes on.
"""

from __future__ import annotations

import contextlib
import errno
import json
import socket
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from locodyn.errors import InputError, LocodynError
from locodyn.view.door import LOOPBACK, Door

HTML, TEXT, BYTES, LINES = (
    "text/html; charset=utf-8",
    "text/plain; charset=utf-8",
    "application/octet-stream",
    "application/x-ndjson",
)
LONGEST = 1_000_000  # bytes of what a page may send
NEXT_PORTS = 50  # tried after one that is taken


@dataclass(frozen=True)
class Answer:
    """What the server sends: bytes, their kind, and the name of the file where they are to be saved."""

    content: bytes
    kind: str = HTML
    file: str = ""


@dataclass(frozen=True)
class Request:
    """What was asked for: the rest of the path behind the name of its function, the words of the address, what was sent."""

    rest: str
    words: dict[str, str]
    sent: dict[str, Any]


Tell = Callable[[dict[str, Any]], None]
Whole = Callable[[Request], Answer]
Streamed = Callable[[Request, Tell], None]


class NotThere(LocodynError):
    """A page asks for something that the server does not have."""


class Server:
    """Functions by the first word of a path: ``pages`` answer with a whole, ``works`` are posted to and tell as they go on.

    A work whose page has gone gets a :class:`KeyboardInterrupt` from ``tell``. Only this machine reaches the server unless
    another ``host`` is named; a port that is taken is followed by the next ones.
    """

    def __init__(self, host: str, port: int, pages: Mapping[str, Whole], works: Mapping[str, Streamed] | None = None) -> None:
        if not isinstance(port, int) or not 0 < port < 65536:
            raise InputError(f"the port is {port}; it must be between 1 and 65535.")
        self.door, self.pages, self.works = Door(host), pages, works or {}
        self._http = _listening(self, host, port)
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.1,), daemon=True)
        self._thread.start()

    @property
    def port(self) -> int:
        """The port on which it listens."""
        return int(self._http.server_address[1])

    @property
    def address(self) -> str:
        """Where a browser finds it, with the token that lets it in."""
        host = str(self._http.server_address[0])
        host = "localhost" if host in (LOOPBACK, "0.0.0.0") else f"[{host}]" if ":" in host else host
        return f"http://{host}:{self.port}/?token={self.door.token}"

    def stop(self) -> None:
        """Close it."""
        self._http.shutdown()
        self._http.server_close()
        self._thread.join(timeout=2.0)


def wait(server: Server, open_browser: bool) -> None:
    """Open a browser, if wanted, and stay until Ctrl-C."""
    import time
    import webbrowser

    if open_browser:
        webbrowser.open(server.address)
    with contextlib.suppress(KeyboardInterrupt):
        while True:
            time.sleep(3600.0)


class _Listener(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, owner: Server, host: str, port: int) -> None:
        self.owner = owner
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        super().__init__((host, port), _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print where a defect is; a browser that goes away while it is being answered is no news."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


def _listening(owner: Server, host: str, port: int) -> _Listener:
    last = min(port + NEXT_PORTS, 65535)
    for one in range(port, last + 1):
        try:
            return _Listener(owner, host, one)
        except (OSError, UnicodeError) as error:
            if getattr(error, "errno", None) == errno.EADDRINUSE and one < last:
                continue
            reason = getattr(error, "strerror", None) or error
            raise InputError(f"the page cannot listen on {host}, port {port} ({reason}); choose another.") from None
    raise AssertionError("the last port has been tried")


def _unexpected(error: Exception) -> str:
    """A defect of ours, said to the page that met it; the trace goes to the terminal (``handle_error``)."""
    return f"unexpected {type(error).__name__}: {error} (the terminal of this server says where)."


class _Handler(BaseHTTPRequestHandler):
    server_version, sys_version = "locodyn", ""

    @property
    def _owner(self) -> Server:
        assert isinstance(self.server, _Listener)
        return self.server.owner

    def log_message(self, format: str, *arguments: Any) -> None:
        """Nothing is printed."""

    def do_GET(self) -> None:
        """A page, a packet, a file."""
        found = self._let_in(self._owner.pages)
        if found is None:
            return
        act, rest = found
        words = {key: value[-1] for key, value in parse_qs(urlsplit(self.path).query).items()}
        try:
            answer = act(Request(rest, words, {}))
        except NotThere as error:
            self._say(HTTPStatus.NOT_FOUND, str(error))
        except LocodynError as error:
            self._say(HTTPStatus.UNPROCESSABLE_ENTITY, str(error))
        except Exception as error:
            self._say(HTTPStatus.INTERNAL_SERVER_ERROR, _unexpected(error))
            raise
        else:
            self._send(HTTPStatus.OK, answer)

    def do_POST(self) -> None:
        """Work that tells how it goes on."""
        found = self._let_in(self._owner.works)
        if found is None:
            return
        act, rest = found
        try:
            sent = self._sent()
        except ValueError:
            self._say(HTTPStatus.BAD_REQUEST, "A JSON object of at most 1 MB must be sent.")
            return
        self.send_response(HTTPStatus.OK)
        self._headers(LINES)
        self.end_headers()

        def tell(said: dict[str, Any]) -> None:
            try:
                self.wfile.write(json.dumps(said, allow_nan=False).encode() + b"\n")
                self.wfile.flush()
            except OSError:
                raise KeyboardInterrupt from None

        with contextlib.suppress(KeyboardInterrupt):
            try:
                act(Request(rest, {}, sent), tell)
            except LocodynError as error:
                tell({"refused": str(error)})
            except Exception as error:
                tell({"refused": _unexpected(error)})
                raise

    def _let_in(self, table: Mapping[str, Any]) -> tuple[Any, str] | None:
        """The function for this path and the rest of it; None where the door or the table refuses."""
        why = self._owner.door.refusal(self.path, self.headers)
        if why:
            self._say(HTTPStatus.FORBIDDEN, why)
            return None
        first, _, rest = urlsplit(self.path).path.lstrip("/").partition("/")
        if first not in table:
            self._say(HTTPStatus.NOT_FOUND, "There is no such page.")
            return None
        return table[first], rest

    def _sent(self) -> dict[str, Any]:
        length = int(self.headers.get("Content-Length") or 0)
        if not 0 <= length <= LONGEST:
            raise ValueError
        found = json.loads(self.rfile.read(length) or b"{}")
        if not isinstance(found, dict):
            raise ValueError
        return found

    def _say(self, status: HTTPStatus, sentence: str) -> None:
        self._send(status, Answer(f"{sentence}\n".encode(), TEXT))

    def _send(self, status: HTTPStatus, answer: Answer) -> None:
        self.send_response(status)
        self._headers(answer.kind)
        self.send_header("Content-Length", str(len(answer.content)))
        if answer.file:
            self.send_header("Content-Disposition", f'attachment; filename="{answer.file}"')
        cookie = self._owner.door.cookie(self.path, self.headers) if status == HTTPStatus.OK else ""
        if cookie:
            self.send_header("Set-Cookie", cookie)
        self.end_headers()
        with contextlib.suppress(OSError):  # it has gone
            self.wfile.write(answer.content)

    def _headers(self, kind: str) -> None:
        self.send_header("Content-Type", kind)
        for name, value in (
            ("Cache-Control", "no-store"),
            ("X-Content-Type-Options", "nosniff"),
            ("Referrer-Policy", "no-referrer"),  # the address has the token
            ("X-Frame-Options", "DENY"),
        ):
            self.send_header(name, value)
