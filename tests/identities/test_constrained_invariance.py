"""The choice of reference body, the numbering of bodies and the unit of length change neither motion nor torques."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from locodyn.integrate import solve
from locodyn.locomotion.constraint_rows import Drives
from locodyn.locomotion.problem import Problem
from locodyn.motion import Law, constant, sine
from locodyn.robot import Robot, about_centre

# A robot: (bodies in the order of declaration, scale of lengths) -> robot. Its laws are given by name.
Parts = dict[str, Callable[[Robot, float], Any]]


def build(name: str, parts: Parts, order: list[str], scale: float) -> Robot:
    robot = Robot(name)
    for part in order:
        parts[part](robot, scale)
    return robot


def inertia(zz: float, scale: float) -> Any:
    return about_centre(zz=zz * scale**2)


def snakeboard(order: list[str], scale: float) -> Robot:
    def board(r: Robot, s: float) -> None:
        r.base("board", mass=2.0, inertia=inertia(0.05, s), moves="planar")

    def rotor(r: Robot, s: float) -> None:
        r.body("rotor", mass=1.0, inertia=inertia(0.04, s)).on("board").turning("z")

    def truck(name: str, x: float) -> Callable[[Robot, float], None]:
        def add(r: Robot, s: float) -> None:
            body = r.body(name, mass=0.5, centre=(0.01 * s, 0, 0), inertia=inertia(0.002, s)).on("board", at=(x * s, 0, 0))
            body.turning("z").wheel(f"{name}_wheel", axis="y", radius=0.03 * s)

        return add

    parts = {"board": board, "rotor": rotor, "front": truck("front", 0.2), "rear": truck("rear", -0.2)}
    return build("snakeboard", parts, order, scale)


def trailer(order: list[str], scale: float) -> Robot:
    """A driven, steered tractor with two passive trailers."""

    def tractor(r: Robot, s: float) -> None:
        body = r.base("tractor", mass=4.0, centre=(0.2 * s, 0.01 * s, 0), inertia=inertia(0.3, s), moves="planar")
        body.wheel("drive", radius=0.1 * s, actuated=True).wheel("steer", at=(0.5 * s, 0, 0), kind="steered")

    def follower(name: str, on: str) -> Callable[[Robot, float], None]:
        def add(r: Robot, s: float) -> None:
            body = r.body(name, mass=2.0, centre=(-0.3 * s, 0, 0), inertia=inertia(0.1, s)).on(on, at=(-0.1 * s, 0, 0))
            body.turning("z").wheel(f"{name}_wheel", at=(-0.4 * s, 0, 0), axis="y", radius=0.1 * s)

        return add

    parts = {"tractor": tractor, "first": follower("first", "tractor"), "second": follower("second", "first")}
    return build("trailer", parts, order, scale)


def rover(order: list[str], scale: float) -> Robot:
    """A body on two wheels of one axle, which are redundant; an arm under torque and an imposed hand."""

    def body(r: Robot, s: float) -> None:
        base = r.base("body", mass=3.0, centre=(0.1 * s, 0, 0), inertia=inertia(0.2, s), moves="planar")
        base.wheel("left", at=(0, 0.2 * s, 0)).wheel("right", at=(0, -0.2 * s, 0))

    def arm(r: Robot, s: float) -> None:
        part = r.body("arm", mass=1.0, centre=(0.2 * s, 0, 0), inertia=inertia(0.02, s))
        part.on("body", at=(0.3 * s, 0.1 * s, 0)).turning("z")

    def hand(r: Robot, s: float) -> None:
        r.body("hand", mass=0.5, centre=(0.1 * s, 0, 0), inertia=inertia(0.01, s)).on("arm", at=(0.4 * s, 0, 0)).turning("z")

    return build("rover", {"body": body, "arm": arm, "hand": hand}, order, scale)


ROBOTS: dict[str, tuple[Any, list[str], list[str], str]] = {
    "snakeboard": (snakeboard, ["board", "rotor", "front", "rear"], ["rear", "front", "rotor", "board"], "front"),
    "trailer": (trailer, ["tractor", "first", "second"], ["second", "first", "tractor"], "first"),
    "rover": (rover, ["body", "arm", "hand"], ["hand", "body", "arm"], "hand"),
}
IMPOSED: dict[str, dict[str, Law]] = {
    "snakeboard": {
        "rotor": sine(0.8, omega=2.0),
        "front": sine(-0.4, omega=2.0, phase=0.3),
        "rear": sine(0.4, omega=2.0, phase=0.3),
    },
    "trailer": {},
    "rover": {"hand": sine(0.7, omega=3.0, phase=0.2)},
}


def problem_of(name: str, robot: Robot, scale: float) -> Problem:
    model = robot.model()
    number = {coordinate: i for i, coordinate in enumerate(model.compiled.coordinate_names)}
    imposed = {number[joint]: law for joint, law in IMPOSED[name].items()}
    if name == "trailer":
        drives = Drives(steering={"steer": sine(0.4, omega=1.0)}, rolling={"drive": sine(2.0, omega=1.5, phase=-1.0)})
        return Problem(model, imposed, drives=drives)
    # Torques have the unit of length squared (masses and times stay).
    torque = {number["arm"]: sine(0.3 * scale**2, omega=2.0)} if name == "rover" else {}
    return Problem(model, imposed, torque)


def run(name: str, robot: Robot, scale: float = 1.0, start: Any = None) -> dict[str, np.ndarray]:
    """Positions of the bodies, torques by joint, wheel torques and contact forces over 3 s from the state of ``start``."""
    problem = problem_of(name, robot, scale)
    model = problem.model
    if start is None:
        q, v = model.neutral(), np.zeros(model.nv)
        q[0], q[2], v[0] = 0.1 * scale, 0.4, 0.3 * scale
        q, v = problem.imposed_state(0.0, q, v)
    else:
        q, v = start(problem)
    solution = solve(problem, q, v, t_end=3.0, step=2e-3, record_every=50)
    assert solution.status == "completed"
    series = problem.series(solution.times, solution.q, solution.v)
    result = {f"place of {b}": series["body_position"][:, k] for k, b in enumerate(model.compiled.body_names)}
    names = model.compiled.coordinate_names[model.compiled.reference_nv :]
    result |= {f"torque of {joint}": series["joint_torque"][:, k] for k, joint in enumerate(names)}
    wheels = [wheel.name for wheel in model.compiled.wheels]
    result |= {f"force at {wheel}": series["contact_force"][:, k] for k, wheel in enumerate(wheels)}
    if "wheel_torque" in series:
        result["torque of motors"] = series["wheel_torque"].sum(axis=1)
    result["energy"] = series["kinetic_energy"]
    return result


# Motions of order 1 over 1500 steps of rkmk4, whose error depends on the frame it works in: measured 2e-11 for another reference
# body. For another numbering or unit only the round-off differs: measured 5e-15.
REROOTED, RENUMBERED = 1e-9, 1e-12


@pytest.mark.parametrize("name", ROBOTS)
def test_other_reference_body(name: str) -> None:
    make, order, _, other = ROBOTS[name]
    robot = make(order, 1.0)
    rerooting = robot.rerooting(other)
    first = problem_of(name, robot, 1.0)

    def start(problem: Problem) -> tuple[np.ndarray, np.ndarray]:
        q, v = first.model.neutral(), np.zeros(first.model.nv)
        q[0], q[2], v[0] = 0.1, 0.4, 0.3
        return rerooting.convert(*first.imposed_state(0.0, q, v))

    wanted, found = run(name, robot), run(name, robot.rerooted(other), start=start)
    assert wanted.keys() == found.keys() and any(key.startswith("torque of") for key in wanted)
    for key, value in wanted.items():
        np.testing.assert_allclose(found[key], value, atol=REROOTED * max(1.0, np.abs(value).max()), err_msg=key)


@pytest.mark.parametrize("name", ROBOTS)
def test_other_numbering(name: str) -> None:
    make, order, other, _ = ROBOTS[name]
    wanted, found = run(name, make(order, 1.0)), run(name, make(other, 1.0))
    assert wanted.keys() == found.keys()
    for key, value in wanted.items():
        np.testing.assert_allclose(found[key], value, atol=RENUMBERED * max(1.0, np.abs(value).max()), err_msg=key)


@pytest.mark.parametrize("name", ROBOTS)
@pytest.mark.parametrize("scale", [10.0, 1e-3])
def test_other_unit_of_length(name: str, scale: float) -> None:
    """The same robot in decimetres or kilometres: places times s, forces times s, torques and energy times s^2."""
    make, order, _, _ = ROBOTS[name]
    wanted, found = run(name, make(order, 1.0)), run(name, make(order, scale), scale)
    for key, value in wanted.items():
        factor = scale if key.startswith(("place", "force")) else scale**2
        np.testing.assert_allclose(found[key] / factor, value, atol=RENUMBERED * max(1.0, np.abs(value).max()), err_msg=key)


def test_standing_robot_has_the_rank_of_its_wheels_in_any_unit() -> None:
    for scale in (1.0, 1e3, 1e-3):
        problem = problem_of("trailer", trailer(["tractor", "first", "second"], scale), scale)
        model = problem.model
        series = problem.series(np.zeros(1), model.neutral()[None], np.zeros((1, model.nv)))
        assert series["constraint_rank"][0] == 5


def test_shared_load_of_two_motors_in_another_unit_of_length() -> None:
    """Two driven wheels and a steered one: five multipliers for three balances."""

    def multipliers(scale: float) -> np.ndarray:
        robot = Robot("car")
        base = robot.base("car", mass=10.0, centre=(0.4 * scale, 0.1 * scale, 0), inertia=inertia(1.0, scale), moves="planar")
        for name, y in (("left", 0.3), ("right", -0.3)):
            base.wheel(name, at=(0, y * scale, 0), radius=0.1 * scale, actuated=True)
        base.wheel("front", at=(0.9 * scale, 0, 0), kind="steered")
        turn = np.tan(0.4) / 0.9
        rolling = {name: sine(3.0 * (1.0 - y * turn), omega=1.0) for name, y in (("left", 0.3), ("right", -0.3))}
        problem = Problem(robot.model(), drives=Drives(steering={"front": constant(0.4)}, rolling=rolling))
        q, v = problem.imposed_state(0.6, np.zeros(3), np.zeros(3))
        series = problem.series(np.array([0.6]), q[None], v[None])
        unit = [scale if row.name.endswith("side") else scale**2 for row in problem.constraints.rows if row.name != "front.roll"]
        return series["multiplier"][0] / np.array(unit)

    np.testing.assert_allclose(multipliers(10.0), multipliers(1.0), rtol=1e-9)
