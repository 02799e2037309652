"""Viewer and studio let in a browser that has the address with its token, and nobody else."""

from __future__ import annotations

import http.client
import socket
from contextlib import closing
from urllib.parse import urlsplit

import pytest

from locodyn.view.door import Door
from locodyn.view.viewer import address, serve

HOST = {"Host": "localhost:8080"}


def test_the_token_comes_with_the_address_or_with_the_cookie() -> None:
    door = Door("127.0.0.1")
    assert "its token" in door.refusal("/", HOST)
    assert "its token" in door.refusal("/?token=guess", HOST)
    assert door.refusal(f"/?token={door.token}", HOST) == ""
    name, _, rest = door.cookie(f"/?token={door.token}", HOST).partition("=")
    value, *words = rest.split("; ")
    assert {"HttpOnly", "SameSite=Strict"} <= set(words) and door.cookie("/", HOST) == ""
    assert door.refusal("/", {**HOST, "Cookie": f"other=1; {name}={value}"}) == ""
    assert "its token" in door.refusal("/", {"Host": "localhost:8081", "Cookie": f"{name}={value}"})  # of another server
    assert "its token" in door.refusal("/", {**HOST, "Cookie": f"{name}="})
    assert door.token != Door("127.0.0.1").token


@pytest.mark.parametrize("origin", ["http://evil.example", "http://localhost:9999", "http://localhost.evil.example", "null"])
def test_pages_of_other_origins_are_refused(origin: str) -> None:
    door = Door("127.0.0.1")
    assert "another origin" in door.refusal(f"/?token={door.token}", {**HOST, "Origin": origin})
    assert door.refusal(f"/?token={door.token}", {**HOST, "Origin": "http://localhost:8080"}) == ""


def test_foreign_names_of_this_machine_are_refused() -> None:
    """A page whose name was made to point to this machine (DNS rebinding) has its own name as host and origin."""
    path = f"/?token={(door := Door('127.0.0.1')).token}"
    assert "this machine only" in door.refusal(path, {"Host": "evil.example:8080", "Origin": "http://evil.example:8080"})
    assert "this machine only" in door.refusal(path, {})
    assert all(door.refusal(path, {"Host": name}) == "" for name in ("127.0.0.1:8080", "[::1]:8080"))
    asked_for = Door("0.0.0.0")  # a server that others are to reach
    assert asked_for.refusal(f"/?token={asked_for.token}", {"Host": "robot.lab:8080"}) == ""
    assert "its token" in asked_for.refusal("/", {"Host": "robot.lab:8080"})


def test_a_server_stands_behind_its_door() -> None:
    pytest.importorskip("viser")
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        port = trial.getsockname()[1]
    server = serve("127.0.0.1", port, "test")
    try:
        place = urlsplit(address(server))

        def status(path: str, **headers: str) -> tuple[int, str]:
            with closing(http.client.HTTPConnection("localhost", port, timeout=20)) as connection:
                connection.request("GET", path, headers=headers)
                with connection.getresponse() as answer:
                    return answer.status, answer.headers.get("Set-Cookie", "").partition(";")[0]

        upgrade = {
            "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
        }  # fmt: skip
        assert status("/") == (403, "")
        assert status("/../../../../etc/passwd")[0] == 403
        found, cookie = status(f"/?{place.query}")
        assert found == 200 and cookie
        assert status("/", Cookie=cookie)[0] == 200
        assert status("/", **upgrade)[0] == 403
        assert status("/", **upgrade, Cookie=cookie, Origin="http://evil.example")[0] == 403
        assert status("/", **upgrade, Cookie=cookie, Origin=f"http://localhost:{port}")[0] == 101
        assert status("/%2e%2e/%2e%2e/etc/passwd", Cookie=cookie)[0] == 404
    finally:
        server.stop()
