"""Signals whose handlers raise, while kernels are compiled, loaded and called: exceptions, never a crash or a lost kernel."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

MODULE = """
import numpy as np
from locodyn.kernel import compiled
from locodyn.kernel.bundle import Bundle


class Numbers(Bundle):
    values: np.ndarray
    factor: float = 2.0


@compiled({kind})
def scaled(numbers, i):
    return numbers.factor * numbers.values[i]


@compiled
def total(numbers):
    result = 0.0
    for i in range(numbers.values.shape[0]):
        result += scaled(numbers, i)
    return result
"""
SCRIPT = """
import faulthandler, random, signal, sys
import numpy as np
faulthandler.enable()


class Stop(Exception):
    pass


def stop(number, frame):
    raise Stop


import kernels

signal.signal(signal.SIGALRM, stop)
random.seed(int(sys.argv[1]))
stops = done = 0
while done < 20 or stops < 20:
    try:
        signal.setitimer(signal.ITIMER_REAL, random.uniform(1e-4, 0.05 if done == 0 else 1e-3))
        for _ in range(2000):  # Python itself loses exceptions that come while it calls back or tidies up
            assert kernels.total(kernels.Numbers(values=np.arange(4.0))) == 12.0
            done += 1
    except Stop:
        stops += 1
signal.setitimer(signal.ITIMER_REAL, 0)
print(stops)
"""


@pytest.mark.parametrize("kind", ["called=True", "late=1"])
def test_handlers_that_raise_do_no_harm(kind: str, tmp_path: Path) -> None:
    """While two kernels are compiled, in a second process loaded, and called with a new bundle each time.

    One of them is called by the other, or compiled while the other runs.
    """
    (tmp_path / "kernels.py").write_text(MODULE.format(kind=kind))
    paths = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "LOCODYN_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": paths}
    for seed in range(4):
        ended = subprocess.run(
            [sys.executable, "-c", SCRIPT, str(seed)], env=environment, capture_output=True, text=True, timeout=60
        )
        assert ended.returncode == 0, ended.stderr
        assert int(ended.stdout) >= 20
