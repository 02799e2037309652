"""A saved run goes on, and a study is added to, only with the numbers that made them, wherever a scenario has them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import locodyn as ld
from locodyn.controllers import Measurement, MeasurementNoise, SampledController
from locodyn.sim.seen_numbers import _rounded, seen_numbers
from locodyn.study.subject import fingerprint
from locodyn.world import CompliantContact

pytestmark = pytest.mark.slow

INERTIA = ld.about_centre(xx=0.002, yy=0.003, zz=0.004)
SOFT = ld.Material(young=1e6, density=1000.0, shear=3e5)
TIMES = np.linspace(0.0, 1.0, 11)


def on_a_rail(**fields) -> tuple[ld.Robot, dict]:
    """A ball on a slide, with an arm that swings."""
    robot = ld.Robot("cart")
    cart = robot.body("cart", mass=1.0, inertia=INERTIA, shape=ld.Sphere(0.1)).on(robot.base("ground", moves="fixed"))
    cart.sliding("x")
    robot.body("arm", mass=0.3, centre=(0.2, 0, 0), inertia=INERTIA).on(cart).turning(fields.pop("axis", "y"))
    return robot, {"t_end": 0.04, "dt": 0.01, "start": {"arm": 0.4}, **fields}


def drag(x: float) -> ld.Scenario:
    robot, fields = on_a_rail()
    robot.wrench("wind", on=robot["cart"], law=ld.Drag((x, 1.0, 1.0), 0.0, 0.1))
    return ld.Scenario("cart", robot, **fields)


def axis(x: float) -> ld.Scenario:
    robot, fields = on_a_rail(axis=(0.0, 1.0, x - 1.0))
    return ld.Scenario("cart", robot, **fields)


def spring(x: float) -> ld.Scenario:
    robot, fields = on_a_rail()
    robot.spring("stay", ("world", (0.1, 0.6, 0.0)), (robot["arm"], (0.2, 0.0, 0.0)), stiffness=2.0 * x, rest_length=0.2)
    return ld.Scenario("cart", robot, **fields)


def samples(x: float) -> ld.Scenario:
    robot, fields = on_a_rail()
    return ld.Scenario("cart", robot, imposed={"cart": ld.spline(TIMES, x * np.sin(TIMES))}, **fields)


def surface(friction: float = 0.3, **words) -> ld.Scenario:
    robot, fields = on_a_rail()
    robot["cart"].collides(friction=friction)
    return ld.Scenario("cart", robot, obstacles=[ld.Ground(at=(0.0, 0.0, -0.101))], **{**fields, "integrator": "moreau", **words})


def compliant(x: float) -> ld.Scenario:
    words = CompliantContact(stiffness=1e3 * x, damping=1.0, friction="regularised", speed=0.1)
    return surface(contact=words, integrator="rkmk4")


def whip(x: float, **words) -> ld.Scenario:
    robot, fields = on_a_rail()
    rod = robot["arm"].rod(
        "whip",
        at=(0.3, 0, 0),
        length=0.3,
        section=ld.Circle(0.01),
        material=SOFT,
        bending=(0, 2),
        nodes=5,
        rest_curvature=(0.0, 0.0, x - 1.0),
    )
    if words:
        rod.tendon("wire", (0.008, 0.0))
    return ld.Scenario("cart", robot, **{**fields, "dt": 0.001, "t_end": 0.004, "integrator": "rkmk4", **words})


def fluid(x: float) -> ld.Scenario:
    robot, fields = on_a_rail()
    robot["cart"].fluid((0.3 * x, 0.8, 0.5), (0.01, 0.01, 0.02))
    return ld.Scenario("cart", robot, **fields)


def hold(seen: Measurement) -> np.ndarray:
    return -2.0 * seen.q


def sampled(x: float, **words) -> ld.Scenario:
    robot, fields = on_a_rail()
    noise = MeasurementNoise(position=0.001 * x)
    return ld.Scenario("cart", robot, controller=SampledController(hold, noise=noise, **words), integrator="rkmk4", **fields)


CASES: dict[str, tuple[Callable[[float], ld.Scenario], str]] = {
    "drag": (drag, "wrench laws"),
    "axis of a joint": (axis, "masses, places or rods"),
    "stiffness of a spring": (spring, "wrench laws, springs"),
    "points of a spline": (samples, "numbers of its laws of time"),
    "friction": (lambda x: surface(0.3 * x), "surfaces, obstacles"),
    "theta": (lambda x: surface(contact=ld.HardContact(theta=0.5 * x)), "options of their contacts"),
    "stiffness of a contact": (compliant, "compliant contacts"),
    "rest curvature of a rod": (whip, "masses, places or rods"),
    "tension": (lambda x: whip(1.0, tension={"wire": ld.constant(x)}), "numbers of its laws of time"),
    "added mass": (fluid, "masses, places or rods"),
    "noise": (sampled, "controller"),
    "delay": (lambda x: sampled(1.0, delay=0.0 if x == 1.0 else 0.01), "controller"),
    "period": (lambda x: sampled(1.0, period=0.01 if x == 1.0 else 0.02), "controller"),
}


@pytest.mark.parametrize("case", CASES)
def test_a_run_with_another_number_is_not_resumed(case: str, tmp_path: Path) -> None:
    make, words = CASES[case]
    one, other = make(1.0), make(1.1)
    end = 2 * one.recording.t_end
    one.run(progress=False, out=tmp_path / "a.nc")
    before = (tmp_path / "a.nc").read_bytes()
    with pytest.raises(ld.InputError, match=rf"is of another scenario: .*{words}"):
        ld.resume(tmp_path / "a.nc", end, other, progress=False)
    assert (tmp_path / "a.nc").read_bytes() == before
    assert fingerprint(one) == fingerprint(make(1.0)) != fingerprint(other)
    for again in (one, make(1.0)):  # one that has run, and one that has not
        found = ld.resume(tmp_path / "a.nc", end, again, progress=False, out=tmp_path / "b.nc")
        assert found.status == "completed" and found.time.values[-1] == pytest.approx(end)


def test_results_that_are_saved_later_know_their_numbers(tmp_path: Path) -> None:
    drag(1.0).run(progress=False).save(tmp_path / "a.nc")
    with pytest.raises(ld.InputError, match="wrench laws"):
        ld.resume(tmp_path / "a.nc", 0.1, drag(1.1), progress=False)
    assert ld.resume(tmp_path / "a.nc", 0.1, drag(1.0), progress=False).status == "completed"


ZOO = ("satellite", "wheeled_snake", "snake_2d", "cpr_rfrfr", "compass_gait", "eel", "falling_boxes", "snake_control")
PROGRAM = f"""
import json, locodyn as ld
from locodyn.sim.seen_numbers import seen_numbers
print(json.dumps([seen_numbers(getattr(ld.zoo, name)()) for name in {ZOO}]))
"""


def test_numbers_are_known_again_in_other_processes() -> None:
    """Whatever the order of sets: two processes with hashes of their own."""
    told = []
    for seed in ("1", "2"):
        made = subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        )
        told.append(json.loads(made.stdout))
    assert told[0] == told[1]


def test_round_off_is_no_difference() -> None:
    """Numbers to nine digits, whole ones and those that are none exactly; what is left over from cancelling is none."""
    plain = np.array([1.0, -1e-7, 3e5, np.inf, np.nan, 0.0])
    near = np.array([1.0 + 1e-13, -1e-7 * (1.0 - 1e-13), 3e5 * (1.0 + 1e-13), np.inf, np.nan, 1e-16])
    far = plain * (1.0 + 1e-8)
    assert np.array_equal(_rounded(plain), _rounded(near))
    assert (_rounded(plain) != _rounded(far)).any(axis=0)[:3].all()
    for other in (-np.inf, np.nan, 1.0):
        assert not np.array_equal(_rounded(plain), _rounded(np.array([*plain[:3], other, *plain[4:]])))
    whole = np.array([1, 2, 3])
    assert np.array_equal(_rounded(whole), whole)


def test_a_run_leaves_its_numbers_as_they_were() -> None:
    for make in (lambda: surface(), lambda: ld.zoo.wheeled_snake().changed(t_end=0.1)):
        one = make()
        before = seen_numbers(one)
        one.run(progress=False)
        assert seen_numbers(one) == before
