"""Bad motion: each mistake has its own sentence."""

import math

import numpy as np
import pytest

from locodyn import motion
from locodyn.errors import InputError


@pytest.mark.parametrize(
    "make, words",
    [
        (lambda: motion.constant("x"), "must be a number"),
        (lambda: motion.constant(math.nan), "must be finite"),
        (lambda: motion.polynomial(), "no coefficient"),
        (lambda: motion.sine(1, omega=math.inf), "omega of a sine"),
        (lambda: motion.transition(0, 1, duration=0), "must be positive"),
        (lambda: motion.transition(0, 1, duration=1, degree=4), "must be 5 or 7"),
        (lambda: motion.ramp(1, blend=-1), "zero or positive"),
        (lambda: motion.spline([0, 1], [0, 1, 2]), "equally long"),
        (lambda: motion.spline([0, 1, 2], [0, 1, 2]), "at least 6"),
        (lambda: motion.spline([*range(9), 1e300], range(10)), "through times from 1 to 1e+300 s apart"),
        (lambda: motion.spline(np.arange(9) * 1e-150, range(9)), "no spline of degree 5 can be computed"),
        (lambda: motion.spline(range(9), range(9), degree=2), "must be 1, 3, 5 or 7"),
        (lambda: motion.spline(range(9), range(9), periodic=True), "first and last value"),
        (lambda: motion.samples([0, 1, 1], [0, 1, 2]), "do not increase at sample 3"),
        (lambda: motion.samples([0, 1, 2], [0, math.nan, 2]), "nan at sample 2"),
        (lambda: motion.sine(1, omega=1).soft_start(-2), "must be positive"),
        (lambda: motion.sine(1, omega=1).soft_start(1).soft_start(1), "soft start already"),
        (lambda: motion.sine(1, omega=1) / 0, "divided by zero"),
        (lambda: motion.function(3), "must be a function"),
        (lambda: motion.function(math.sin, math.sin), "derivative of the same function"),
        (lambda: motion.function(lambda t: math.nan)(1.0), "must be finite"),
        (lambda: motion.function(lambda t: "a")(1.0), "must give one number"),
        (lambda: motion.as_law("sine"), "must be a law"),
    ],
)
def test_sentence(make, words):
    with pytest.raises(InputError) as caught:
        make()
    assert words in str(caught.value) and "\n" not in str(caught.value)


KINKED = [
    (motion.samples([0, 1, 2], [0, 1, 0]), 1.0),
    (motion.spline([0, 1, 2], [0, 1, 0], degree=1), 1.0),
    (motion.ramp(1.0, at=2.0), 2.0),
    (motion.function(lambda t: abs(t - 1.234)), 1.234),
    (motion.function(lambda t: 1.0 if t > 3.21 else 0.0), 3.21),
    (motion.function(lambda t: (t - 1.23) * abs(t - 1.23)), 1.23),
    (motion.function(lambda t: math.sin(t) + 1e-3 * abs(t - 2.2)), 2.2),
    (motion.function(lambda t: math.sin(t) + 0.01 * max(0.0, t - 3.3) ** 2), 3.3),
]


@pytest.mark.parametrize("law, where", KINKED)
def test_kinks_are_found(law, where):
    with pytest.raises(InputError, match=r"motion of 'knee' is not twice differentiable near t = ") as caught:
        law.require_twice_differentiable("knee")
    assert float(str(caught.value).split("t = ")[1].split(" s")[0]) == pytest.approx(where, abs=2e-3)


SMOOTH = [
    lambda t: math.sin(30 * t),
    lambda t: 1000.0 + 3 * t,
    lambda t: 5.0,
    lambda t: max(0.0, t - 2.5) ** 3,
    lambda t: math.tanh(20 * (t - 3)),
    lambda t: math.exp(t),
    lambda t: math.sin(t * t),
    lambda t: 1e6 + math.sin(t),
    lambda t: math.exp(-(((t - 5) / 0.1) ** 2)),
]


@pytest.mark.parametrize("f", SMOOTH)
def test_smooth_functions_pass(f):
    motion.function(f).require_twice_differentiable("knee", 0.0, 10.0)


def test_kink_outside_the_run_does_not_matter():
    motion.ramp(1.0, at=2.0).require_twice_differentiable("knee", 2.0, 5.0)
    motion.samples([0, 1, 2], [0, 1, 0]).soft_start(1.0, start=1.5).require_twice_differentiable("knee")


def test_known_range():
    law = motion.samples([0, 1, 2], [0, 1, 0])
    law.require_known("knee", 0.0, 2.0)
    with pytest.raises(InputError, match="known from 0 s to 2 s, but the run goes from 0 s to 3 s"):
        law.require_known("knee", 0.0, 3.0)


def test_csv(tmp_path):
    file = tmp_path / "walk.csv"
    times = np.linspace(0, 1, 21)
    rows = "".join(f"{t},{math.sin(t)},{t * t}\n" for t in times)
    file.write_text("# filmed\ntime, hip, knee\n\n" + rows)
    laws = motion.from_csv(file)
    assert set(laws) == {"hip", "knee"}
    assert laws["hip"](0.5) == pytest.approx(math.sin(0.5), abs=1e-9)
    assert set(motion.from_csv(file, ["knee"])) == {"knee"}


@pytest.mark.parametrize(
    "text, words",
    [
        ("", "holds no data"),
        ("t,a\n0,1\n1,2\n", "no column 'time'"),
        ("time,a\n0,1\n1\n", "line 3 .* has 1 values"),
        ("time,a\n0,1\n1,x\n", "line 3 .* has 'x' in column 'a'"),
        ("time,a\n0,1\n1,nan\n", "line 3 .* must be finite"),
        ("time,a\n0,1\n0,2\n", "time does not increase in line 3"),
        ("time,a,a\n0,1,1\n", "two columns 'a' in line 1"),
    ],
)
def test_bad_csv(tmp_path, text, words):
    file = tmp_path / "bad.csv"
    file.write_text(text)
    with pytest.raises(InputError, match=words):
        motion.from_csv(file)


def test_missing_csv(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        motion.from_csv(tmp_path / "none.csv")
    with pytest.raises(InputError, match="did you mean 'knee'"):
        file = tmp_path / "a.csv"
        file.write_text("time,knee\n0,1\n1,2\n")
        motion.from_csv(file, ["kne"])
