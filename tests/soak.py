"""Does memory stay flat? Sessions of the studio and runs of many kinds, again and again.

``python tests/soak.py 60`` goes on for 60 minutes. Each round opens the page of one ``locodyn studio``, over HTTP and with the
requests of its page: it chooses a robot, moves sliders, runs, compares with the run before, saves, leaves in the middle of a
run. Then this process makes a run of each kind with a file, loads and resumes it, steps a simulation from outside and makes a
report. Every minute it prints the memory of both processes, and at its end by how much each grew in a round, from the second
quarter on: least squares, which a leak shows and a cache that fills up does not. ``--pause 10`` waits 10 s after each round.
"""

from __future__ import annotations

import argparse
import gc
import http.client
import json
import re
import subprocess
import sys
import tempfile
import time
import warnings
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np

import locodyn as ld
from locodyn.sim.run import resume

# Wheels, a loop, rolling, a tree, hard contact, events, phases.
ROBOTS: dict[str, dict[str, Any]] = {
    "snakeboard": {"t_end": 2.0},
    "four_bar": {"t_end": 1.0},
    "rolling_disc": {"t_end": 1.0},
    "satellite": {"t_end": 1.0, "integrator": "adaptive"},
    "falling_boxes": {"t_end": 0.1},
    "bouncing_ball": {"t_end": 1.0, "integrator": "event_driven"},
    "compass_gait": {"t_end": 1.0},
}
SLIDES = 3  # sliders that a session moves
Told = dict[str, Any]


def resident(process: int | str = "self") -> float:
    """Memory of a process, MB."""
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * 4096 / 1e6


class Studio:
    """A ``locodyn studio`` in a process of its own, and one browser before it."""

    def __init__(self) -> None:
        command = [sys.executable, "-u", "-m", "locodyn", "studio", "--no-open", "--port", "8765"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if found := re.search(r"http://\S+", line):
                break
        else:
            raise RuntimeError("the studio said no address")
        self.place = urlsplit(found[0])
        self.cookie, self.sessions, self.runs = "", 0, 0

    def close(self) -> None:
        """End it."""
        self.process.terminate()
        self.process.wait(20)

    def asked(self, method: str, path: str, body: str | None = None) -> tuple[int, bytes]:
        """Status and content of an answer; a page that sets a cookie is remembered."""
        with closing(http.client.HTTPConnection("localhost", self.place.port, timeout=300)) as connection:
            connection.request(method, path, body, {"Cookie": self.cookie} if self.cookie else {})
            with connection.getresponse() as answer:
                self.cookie = answer.headers.get("Set-Cookie", self.cookie).partition(";")[0]
                return answer.status, answer.read()

    def got(self, path: str) -> bytes:
        """A page, packet or file that must be there."""
        status, content = self.asked("GET", path)
        assert status == 200 and content, (path, status)
        return content

    def told(self, work: str, sent: Told) -> Told:
        """All that a work tells, the last of each word."""
        status, content = self.asked("POST", f"/{work}", json.dumps(sent))
        assert status == 200
        return {key: value for line in content.splitlines() for key, value in json.loads(line).items()}

    def session(self, name: str, words: dict[str, Any], random: np.random.Generator) -> None:
        """One visitor: opens the page, chooses a robot, moves sliders, runs twice, compares, saves, leaves during a third run."""
        self.cookie = ""
        assert self.asked("GET", "/")[0] == 403  # the token is in the address
        assert b"studio" in self.got(f"/?{self.place.query}")
        chosen = self.told("choose", {"robot": name})
        sent = {key: chosen[key] for key in ("robot", "dt", "integrator")} | {"t_end": str(words["t_end"])}
        sent["values"] = {field["name"]: field["value"] for field in chosen["fields"]}
        self.got(f"/packet/{chosen['shown']}")
        sliders = [field for field in chosen["fields"] if field["slider"] and "." in field["value"]]
        for field in random.permutation(np.array(sliders, dtype=object))[:SLIDES]:
            value = float(field["value"]) * random.uniform(0.98, 1.02)
            drawn = self.told("draw", {**sent, "values": {**sent["values"], field["name"]: f"{value:.6g}"}})
            if "shown" in drawn:
                self.got(f"/packet/{drawn['shown']}")
        first, second = (self.told("run", sent)["number"] for _ in range(2))
        self.got(f"/packet/{second}?with={first}")
        for kind in ("nc", "html", "py"):
            self.got(f"/save/{second}/{kind}")
        for page in ("about", "source"):
            self.got(f"/{page}/{name}")
        assert "refused" in self.told("run", {**sent, "t_end": "-1"})
        self.leave(sent)
        self.sessions, self.runs = self.sessions + 1, self.runs + 3

    def leave(self, sent: Told) -> None:
        """Close the page in the middle of a long run; the next visitor finds the studio free."""
        with closing(http.client.HTTPConnection("localhost", self.place.port, timeout=300)) as connection:
            connection.request("POST", "/run", json.dumps({**sent, "t_end": "1000"}), {"Cookie": self.cookie})
            connection.getresponse().readline()
        for _ in range(200):
            self.told("stop", {})
            if "refused" not in self.told("draw", sent):
                return
            time.sleep(0.05)
        raise RuntimeError("the studio still runs for a page that has gone")


def one_round(folder: Path) -> None:
    """A run of each kind: written, read, resumed, stepped and shown."""
    for name, words in ROBOTS.items():
        scenario = getattr(ld.zoo, name)().changed(checks=(), **words)
        file = folder / f"{name}.nc"
        scenario.run(progress=False, out=file)
        whole = resume(file, 1.5 * words["t_end"], getattr(ld.zoo, name)().changed(checks=(), **words), progress=False)
        assert ld.Result.load(file).status == whole.status
        whole.report(folder / f"{name}.html")
    simulation = ld.zoo.pendulum(n=2).changed(integrator="rkmk4", dt=0.001).open(actions=["joint_1"])
    for _ in range(100):
        simulation.step([0.1], steps=10)


def growth(name: str, memory: list[float]) -> float:
    """By how much the memory of a process grew in a round, MB; said, too."""
    later = np.array(memory[len(memory) // 4 :])
    found = float(np.polyfit(np.arange(len(later)), later, 1)[0])
    print(f"{name}: {later[0]:.0f} MB, then {later[-1]:.0f} MB; {1e3 * found:+.0f} kB a round")
    return found


def soak(minutes: float, pause: float) -> tuple[float, float]:
    """Rounds for so many minutes; growth of the memory of the studio and of the runs in a round, MB."""
    warnings.simplefilter("ignore")
    random, robots = np.random.default_rng(0), list(ROBOTS.items())
    own: list[float] = []
    pages: list[float] = []
    studio, begun, said = Studio(), time.monotonic(), -60.0
    try:
        with tempfile.TemporaryDirectory() as folder:
            while time.monotonic() < begun + 60.0 * minutes or len(own) < 2 * len(robots):
                studio.session(*robots[len(own) % len(robots)], random)
                one_round(Path(folder))
                gc.collect()
                own.append(resident())
                pages.append(resident(studio.process.pid))
                if time.monotonic() - said >= 60.0:
                    said = time.monotonic()
                    print(f"{len(own)} rounds, {own[-1]:.0f} MB; studio {pages[-1]:.0f} MB", flush=True)
                time.sleep(pause)
        spent = (time.monotonic() - begun) / 60.0
        print(
            f"{spent:.0f} minutes: {len(own)} rounds of {len(ROBOTS)} runs, {studio.sessions} sessions with {studio.runs} runs."
        )
        return growth("studio", pages), growth("runs", own)
    finally:
        studio.close()


if __name__ == "__main__":
    reader = argparse.ArgumentParser(description="Sessions of the studio and runs of many kinds: does memory stay flat?")
    reader.add_argument("minutes", type=float)
    reader.add_argument("--pause", type=float, default=0.0, help="s after each round")
    chosen = reader.parse_args()
    soak(chosen.minutes, chosen.pause)
