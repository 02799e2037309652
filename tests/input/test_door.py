"""Viewer and studio let in a browser that has the address with its token, and nobody else."""

from __future__ import annotations

import http.client
import socket
from contextlib import closing
from urllib.parse import urlsplit

import pytest

from locodyn.errors import InputError
from locodyn.view.door import Door
from locodyn.view.server import Answer, Request, Server, Tell

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
    done: list[str] = []

    def work(request: Request, tell: Tell) -> None:
        done.append(str(request.sent))
        tell({"said": "done"})

    server = Server("127.0.0.1", free_port(), {"": lambda request: Answer(b"page")}, {"work": work})
    try:
        place = urlsplit(server.address)

        def status(method: str, path: str, body: str | None = None, **headers: str) -> tuple[int, str]:
            with closing(http.client.HTTPConnection("localhost", server.port, timeout=20)) as connection:
                connection.request(method, path, body, headers)
                with connection.getresponse() as answer:
                    return answer.status, answer.headers.get("Set-Cookie", "").partition(";")[0]

        assert status("GET", "/") == (403, "")
        assert status("GET", "/../../../../etc/passwd")[0] == 403
        assert status("POST", "/work", "{}")[0] == 403
        found, cookie = status("GET", f"/?{place.query}")
        assert found == 200 and cookie
        assert status("GET", "/", Cookie=cookie)[0] == 200
        assert status("POST", "/work", "{}", Cookie=cookie, Origin="http://evil.example")[0] == 403
        assert done == []
        assert status("POST", "/work", "{}", Cookie=cookie, Origin=f"http://localhost:{server.port}")[0] == 200
        assert status("POST", "/work", "[1]", Cookie=cookie)[0] == 400
        assert status("POST", "/work", "{", Cookie=cookie)[0] == 400
        assert status("POST", "/work", "{}", Cookie=cookie, **{"Content-Length": "99999999"})[0] == 400
        assert status("GET", "/%2e%2e/%2e%2e/etc/passwd", Cookie=cookie)[0] == 404
        assert status("GET", "/work", Cookie=cookie)[0] == 404  # work is posted
        assert done == ["{}"]
    finally:
        server.stop()


def test_a_port_that_is_taken_is_followed_by_the_next_and_a_foreign_host_is_refused() -> None:
    first = Server("127.0.0.1", free_port(), {})
    second = Server("127.0.0.1", first.port, {})
    try:
        assert first.port < second.port <= first.port + 50
        with pytest.raises(OSError, match="refused"):
            socket.create_connection(("127.0.0.2", first.port), timeout=2)  # it listens on 127.0.0.1 only
        with pytest.raises(InputError, match=r"cannot listen on 192\.0\.2\.1"):
            Server("192.0.2.1", first.port, {})
        with pytest.raises(InputError, match="the port is 70000; it must be between 1 and 65535"):
            Server("127.0.0.1", 70000, {})
    finally:
        first.stop()
        second.stop()


def test_a_defect_is_said_to_the_page_and_traced_in_the_terminal(capfd: pytest.CaptureFixture[str]) -> None:
    def page(request: Request) -> Answer:
        raise ZeroDivisionError("by nothing")

    def work(request: Request, tell: Tell) -> None:
        raise ZeroDivisionError("by nothing")

    server = Server("127.0.0.1", free_port(), {"page": page}, {"work": work})
    try:
        token = urlsplit(server.address).query
        for method, path, status in (("GET", f"/page?{token}", 500), ("POST", f"/work?{token}", 200)):
            with closing(http.client.HTTPConnection("localhost", server.port, timeout=20)) as connection:
                connection.request(method, path, "{}")
                with connection.getresponse() as answer:
                    assert answer.status == status and "unexpected ZeroDivisionError: by nothing" in answer.read().decode()
    finally:
        server.stop()
    assert "Traceback" in capfd.readouterr().err


def free_port() -> int:
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        return int(trial.getsockname()[1])
