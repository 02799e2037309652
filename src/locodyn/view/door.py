"""Who may come in to the viewer and the studio: a browser that was given the address with its token.

The server listens on this machine alone, but all programs and all users of the machine reach it there, and any page in the
browser may try to. So the address carries a token (``http://localhost:8080/?token=...``), which the browser keeps in a cookie
for this server. Without it nothing is served. A connection that a page of another origin opens is refused, and so is, on a
server of this machine, a name other than those of the machine (a foreign name that was made to point here).
"""

from __future__ import annotations

import secrets
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs, urlsplit

LOOPBACK = "127.0.0.1"
_OWN_NAMES = ("localhost", LOOPBACK, "::1")


class Door:
    """The token of one server, and what it lets in. ``host``: the address on which the server listens."""

    def __init__(self, host: str) -> None:
        self.token = secrets.token_urlsafe(16)
        self._is_local = host in _OWN_NAMES

    def refusal(self, path: str, headers: Any) -> str:
        """Why a request may not come in, as a sentence; empty where it may. ``headers``: a mapping with ``get``."""
        name = headers.get("Host") or ""
        if self._is_local and urlsplit(f"//{name}").hostname not in _OWN_NAMES:
            return "This server is for this machine only."
        origin = headers.get("Origin")
        if origin is not None and urlsplit(origin).netloc != name:
            return "A page of another origin may not connect."
        if not (self._knows(self._of_address(path)) or self._knows(self._of_cookie(headers, name))):
            return "Open the address with its token, as the command printed it."
        return ""

    def cookie(self, path: str, headers: Any) -> str:
        """The cookie to set for a request whose address has the token; empty for others."""
        name = _cookie_name(headers.get("Host") or "")
        return f"{name}={self.token}; HttpOnly; SameSite=Strict; Path=/" if self._knows(self._of_address(path)) else ""

    def _knows(self, token: str) -> bool:
        return secrets.compare_digest(token.encode(), self.token.encode())

    @staticmethod
    def _of_address(path: str) -> str:
        return parse_qs(urlsplit(path).query).get("token", [""])[0]

    @staticmethod
    def _of_cookie(headers: Any, name: str) -> str:
        try:
            kept = SimpleCookie(headers.get("Cookie") or "").get(_cookie_name(name))
        except CookieError:
            return ""
        return kept.value if kept is not None else ""


def _cookie_name(host: str) -> str:
    """Cookies do not tell ports apart: two studios on one machine have each its own."""
    return f"locodyn_{urlsplit(f'//{host}').port or 80}"
