"""Compliant contact that cannot be is refused in a sentence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import locodyn as ld
from locodyn.integrate.choice import StabilityWarning
from locodyn.phases import Phase, Touchdown
from locodyn.world import CompliantContact


def ball(shape: Any = None, **surface: Any) -> ld.Robot:
    robot = ld.Robot("ball")
    body = (
        robot.body("ball", mass=1.0, shape=shape or ld.Sphere(0.1)).on(robot.base("world", moves="fixed")).sliding("z", name="z")
    )
    body.collides(**surface)
    return robot


def support() -> ld.Robot:
    robot = ball()
    robot["ball"].rests(3.0, name="pad")
    return robot


def rubbing() -> ld.Robot:
    robot = ball()
    robot["ball"].actuator(bristles=ld.LuGre((1.0, 2.0), 10.0))
    return robot


def scene(robot: ld.Robot, **words: Any) -> Any:
    given: dict[str, Any] = {"obstacles": [ld.Ground()], "contact": "compliant", "t_end": 0.1, **words}
    return ld.Scenario("scene", robot, **given).problem


CASES: list[tuple[Callable[[], Any], str]] = [
    (
        lambda: CompliantContact("hertz"),
        "the normal law of compliant contact is 'hertz'; it must be one of hunt_crossley, linear",
    ),
    (lambda: CompliantContact(friction="coulomb"), "the friction law of compliant contact is 'coulomb'; it must be one of lugre"),
    (lambda: CompliantContact(stiffness=0.0), "the stiffness of compliant contact is 0.0; it must be a positive number"),
    (lambda: CompliantContact(damping=-1.0), "the damping of compliant contact is -1.0; it must be a number, zero or more"),
    (lambda: CompliantContact(exponent=1.7), "the exponent of compliant contact is 1.7; it must be 1, 1.5, 2, 2.5 or 3"),
    (lambda: CompliantContact(static=0.5), "the static of compliant contact is 0.5; it must be a number, 1 or more"),
    (lambda: scene(ball(), contact="soft"), "contact is 'soft'; it must be a HardContact"),
    (lambda: scene(ball(), obstacles=[]), "compliant contact has nothing to touch"),
    (lambda: scene(ball(friction=ld.Friction(0.3, backward=0.6))), "'ball.surface on ground' has one coefficient forward and"),
    (lambda: scene(ball(friction=ld.Friction(0.3, spinning=0.01))), "'ball.surface on ground' also acts against rolling"),
    (lambda: scene(ball(friction=ld.Friction(0.3, rolling=0.1))), "'ball.surface on ground' also acts against rolling"),
    (lambda: scene(support()), "surface 'pad' is a support with a known load; compliant contact finds loads itself"),
    (lambda: CompliantContact(static=(1.0, 1.1, 1.2)), "the static of compliant contact is .* it must be one number, or two"),
    (
        lambda: CompliantContact(viscous=(0.1, -0.2)),
        "the viscous of compliant contact is -0.2; it must be a number, zero or more",
    ),
    (lambda: ld.LuGre((1.0, 2.0), 10.0, static=1.5), "static friction of a LuGre law is 1.5 and its Coulomb friction 2"),
    (lambda: scene(rubbing()), "the bristles of joint 'z' have two directions; a joint has one"),
]


@pytest.mark.parametrize("act, words", CASES, ids=[words[:40] for _, words in CASES])
def test_refused(act: Callable[[], Any], words: str) -> None:
    with pytest.raises(ld.InputError, match=words):
        act()


@pytest.mark.slow
def test_explicit_steps_have_a_limit() -> None:
    """1 kg on k = 1e8 N/m under 9.81 N: omega = 1e4 1/s; RKMK4 is stable up to 2.83 / omega on the imaginary axis."""
    stiff = CompliantContact(stiffness=1e8, exponent=1, damping=0.0, friction="none")
    words: dict[str, Any] = {"obstacles": [ld.Ground()], "contact": stiff, "integrator": "rkmk4", "start": {"z": 0.2}}
    with pytest.raises(ld.InputError, match=r"'ball.surface on ground' .* 1e\+08 N/m .* mass of 1 kg, .* up to 0.00028\d? s;"):
        ld.simulate(ball(), t_end=0.1, dt=1e-3, progress=False, **words)
    assert ld.simulate(ball(), t_end=0.01, dt=2.5e-4, progress=False, **words).status == "completed"


def test_explicit_steps_follow_what_falls_back_in_the_air() -> None:
    """Bristles fall back by zdot = -z / T off the ground; RKMK4 is stable up to 2.785 T on the real axis, soft or not."""
    for friction in ("lugre", "stick_slip"):
        soft = CompliantContact(
            stiffness=1e3, exponent=1, damping=5.0, friction=friction, bristle_stiffness=10.0, relaxation=1e-3
        )
        words: dict[str, Any] = {"obstacles": [ld.Ground()], "contact": soft, "integrator": "rkmk4", "start": {"z": 0.09}}
        with pytest.warns(
            StabilityWarning, match=r"at 'ball.surface on ground' up to 0.0027\d? s only .* falls back in 0\.001 s"
        ):
            ld.simulate(ball(friction=0.5), t_end=0.1, dt=5e-3, progress=False, **words)
        assert ld.simulate(ball(friction=0.5), t_end=0.01, dt=2.5e-3, progress=False, **words).status == "completed"


def test_a_depth_needs_compliant_ground() -> None:
    robot = ld.Robot("leg")
    body = robot.body("leg", mass=1.0).on(robot.base("world", moves="fixed")).sliding("z", name="z")
    body.foot("sole")
    ways = [Touchdown("air", "stand", "sole", None, depth=1e-3)]
    phases = ld.Phases({"air": Phase(), "stand": "sole"}, ways, final="stand")
    with pytest.raises(ld.InputError, match=r"'sole' waits for a depth of 0\.001 m, but its ground is hard"):
        ld.Scenario("leg", robot, phases=phases)
    with pytest.raises(ld.InputError, match='take contact="compliant"'):
        ld.Scenario("leg", robot, phases=phases, obstacles=[ld.Ground()])
