"""Bad input of wheels, loops and their drives: one sentence that names what is wrong and what to do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from locodyn.errors import InputError
from locodyn.integrate import solve
from locodyn.locomotion.constraint_rows import Drives, Sharing
from locodyn.locomotion.problem import Problem
from locodyn.motion import constant, cosine, polynomial, sine
from locodyn.robot import Robot, about_centre
from locodyn.sim import Start, simulate
from locodyn.world import Drag

SOLID = {"mass": 1.0, "inertia": about_centre(xx=0.01, yy=0.01, zz=0.02)}
LAW = constant(0.1)
STEERED = {"front": LAW}


def car() -> Robot:
    robot = Robot("car")
    base = robot.base("car", moves="planar", **SOLID)
    base.wheel("rear", radius=0.1, actuated=True).wheel("front", at=(0.5, 0, 0), kind="steered", radius=0.1)
    base.wheel("castor", at=(0.2, 0.2, 0), kind="castor").wheel("pad", at=(-0.2, 0, 0), radius=0.1, contact=Drag(linear=1.0))
    robot.body("arm", **SOLID).on("car", at=(0.1, 0, 0)).turning("z")
    return robot


def chain(bodies: int, moves: str = "planar") -> Robot:
    """Bodies one behind the other, each with an axle."""
    robot = Robot("chain")
    robot.base("b0", moves=moves, **SOLID).wheel("w0", axis="y")
    for i in range(1, bodies):
        robot.body(f"b{i}", **SOLID).on(f"b{i - 1}", at=(0.3, 0, 0)).turning("z").wheel(f"w{i}", axis="y", at=(0.2, 0, 0))
    return robot


def told(make: Callable[[], Any], *parts: str) -> None:
    """An InputError of one sentence that holds all these parts."""
    with pytest.raises(InputError) as error:
        make()
    sentence = str(error.value)
    for part in parts:
        assert part in sentence, sentence
    assert "\n" not in sentence and "nan" not in sentence.split()


DRIVES: dict[str, tuple[Drives, tuple[str, ...]]] = {
    "passive wheel given a motion": (Drives(STEERED, rolling={"front": LAW}), ("'front' is passive", "a rolling motion")),
    "passive wheel given a torque": (Drives(STEERED, torque={"front": LAW}), ("'front' is passive", "a torque")),
    "castor given a motion": (Drives(STEERED, rolling={"castor": LAW}), ("'castor' cannot be driven", "castor")),
    "castor given a torque": (Drives(STEERED, torque={"castor": LAW}), ("'castor' cannot be driven",)),
    "rubbing wheel given a motion": (Drives(STEERED, rolling={"pad": LAW}), ("'pad' is passive", "a rolling motion")),
    "no steering angle": (Drives(), ("'front' is steered but no steering angle is given",)),
    "steering of a fixed wheel": (Drives({**STEERED, "rear": LAW}), ("'rear' is fixed", "no steering angle")),
    "motion and torque": (Drives(STEERED, rolling={"rear": LAW}, torque={"rear": LAW}), ("'rear' is given both", "choose one")),
    "unknown wheel steered": (Drives({**STEERED, "frnt": LAW}), ("no wheel 'frnt'", "steering", "did you mean 'front'?")),
    "unknown wheel driven": (Drives(STEERED, rolling={"raer": LAW}), ("no wheel 'raer'", "rolling", "did you mean 'rear'?")),
    "unknown wheel with a torque": (Drives(STEERED, torque={"reer": LAW}), ("no wheel 'reer'", "torque", "'rear'?")),
    "unknown wheel in a group": (Drives(STEERED, equal=[("rear", "rer")]), ("no wheel 'rer' to share a torque", "'rear'?")),
    "speed without direction": (Drives(STEERED, speeds=[("car", (0, 0, 0), LAW)]), ("the speed of 'car'", "not all zero")),
    "speed of nothing": (Drives(STEERED, speeds=[("carr", (1, 0, 0), LAW)]), ("no body or marker 'carr'", "'car'?")),
}


@pytest.mark.parametrize("what", DRIVES)
def test_drives(what: str) -> None:
    drives, parts = DRIVES[what]
    told(lambda: Problem(car().model(), drives=drives), *parts)


def test_names_of_contact_rows_and_methods() -> None:
    model, drives = car().model(), Drives(STEERED)
    told(
        lambda: Problem(model, drives=drives, sharing=Sharing({"rear.sid": 2.0})),
        "no contact row 'rear.sid' to load",
        "'rear.side'?",
    )
    told(
        lambda: Problem(model, drives=drives, sharing=Sharing(static={"reer.side": 2.0})),
        "no contact row 'reer.side' to load",
        "'rear.side'?",
    )
    told(lambda: Problem(model, drives=drives, sharing=Sharing(torque_method="exct")), "no torque method 'exct'", "'exact'?")


def test_steered_wheel_with_friction_needs_its_angle_too() -> None:
    robot = Robot("r")
    robot.base("b", moves="planar", **SOLID).wheel("w", kind="steered", contact=Drag(linear=1.0))
    told(lambda: Problem(robot.model()), "'w' is steered", "no steering angle is given")


# ------------------------------------------------------------------------------------------------------------ dependent joints
def test_dependent_joint_without_a_wheel() -> None:
    model = car().model()
    told(lambda: Problem(model, drives=Drives(STEERED), dependent=[3]), "'arm' cannot be dependent", "no wheel that it carries")
    bare = Robot("bare")
    bare.base("b", moves="planar", **SOLID)
    bare.body("arm", **SOLID).on("b").turning("z")
    told(lambda: Problem(bare.model(), dependent=[3]), "'arm' cannot be dependent", "no wheels or loops")


def test_dependent_joint_that_cannot_be_one() -> None:
    model = chain(3).model()
    told(lambda: Problem(model, dependent=[0]), "'b0.vx' cannot be dependent", "one axis")
    told(lambda: Problem(model, imposed={3: LAW}, dependent=[3]), "'b1' is dependent and driven")
    told(lambda: Problem(model, torque={3: LAW}, dependent=[3]), "'b1' is dependent and driven")
    robot = chain(2)
    robot.body("arm", **SOLID).on("b1", at=(0.3, 0, 0)).turning("z")
    robot.body("hand", **SOLID).on("arm", at=(0.3, 0, 0)).turning("z")
    told(lambda: Problem(robot.model(), dependent=[4]), "'arm' cannot be dependent")


# ----------------------------------------------------------------------------------------------------------------- compatibility
def test_motions_that_fight_at_the_start() -> None:
    """Four axles with imposed hinges: three fix the base, the fourth slips by what its rate is off."""
    problem = Problem(chain(4).model(), imposed={3: polynomial(0.3, 0.5), 4: polynomial(-0.4, 0.2), 5: polynomial(0.2, 0.7)})
    told(lambda: solve(problem, np.zeros(6), np.zeros(6)), "do not go together at t = 0 s", "m/s", "dependent",
         *(f"'w{i}.side'" for i in range(4)))  # fmt: skip
    with pytest.raises(InputError) as error:
        solve(problem, np.zeros(6), np.zeros(6))
    amount = float(str(error.value).split("missed by ")[1].split()[0])
    # The same from the rows themselves: what least squares over all but the named row leaves of it.
    model, v = problem.model, np.array([0.0, 0.0, 0.0, 0.5, 0.2, 0.7])
    q = np.array([0.0, 0.0, 0.0, 0.3, -0.4, 0.2])
    rows = np.array([np.array([0, 1, 0, 0, 0, 0.2 if i else 0.0]) @ model.jacobian(f"b{i}", q) for i in range(4)])
    fighter = int(str(error.value).split("'w")[1].split(".")[0])
    rest = [i for i in range(4) if i != fighter]
    base = np.linalg.solve(rows[rest][:, :3], -rows[rest] @ v)
    missed = -(rows[fighter, :3] @ base + rows[fighter] @ v)
    assert amount == pytest.approx(missed, rel=5e-3)  # three digits are printed


def test_motions_that_go_together_are_taken() -> None:
    """The last hinge as the dense solve wants it: no complaint."""
    model = chain(4).model()
    problem = Problem(model, imposed={3: polynomial(0.3, 0.5), 4: polynomial(-0.4, 0.2)}, dependent=[5])
    _, v = problem.imposed_state(0.0, np.array([0.0, 0, 0, 0.3, -0.4, 0.2]), np.zeros(6))
    imposed = {3: polynomial(0.3, 0.5), 4: polynomial(-0.4, 0.2), 5: polynomial(0.2, v[5])}
    _, start = Problem(model, imposed).start_state(0.0, np.zeros(6), np.zeros(6))
    np.testing.assert_allclose(start, v, atol=1e-12)


def test_motions_that_fight_after_the_start() -> None:
    """Cosines: all rates are zero at t = 0, and fight from then on; the wheels slip by 0.5 m/s."""
    problem = Problem(chain(4).model(), imposed={3: cosine(0.3, omega=1.0), 4: cosine(0.4, omega=1.3), 5: cosine(0.7, omega=1.5)})
    try:
        solution = solve(problem, np.zeros(6), np.zeros(6), t_end=2.0)
    except InputError as error:
        assert ".side" in str(error)
    else:
        assert solution.status != "completed" and ".side" in solution.status


def test_all_rows_locked_by_imposed_coordinates() -> None:
    """A prismatic base with an axle across its way, imposed: nothing is free, and the wheel slips."""
    robot = Robot("rail")
    robot.base("wagon", moves="prismatic", axis="x", **SOLID).wheel("bad", axis=(0.6, 0.8, 0.0))
    problem = Problem(robot.model(), imposed={0: polynomial(0.0, 0.5)})
    told(lambda: solve(problem, np.zeros(1), np.zeros(1)), "'bad.side'", "-0.3 m/s")


# --------------------------------------------------------------------------------------------------- drives that are not obeyed
def test_law_of_a_wheel_with_inertia_is_obeyed_or_refused() -> None:
    robot = Robot("heavy wheel")
    robot.base("cart", moves="planar", **SOLID).wheel("disc", at=(0, 0, -0.1), radius=0.1, mass=0.3, actuated=True)
    try:
        problem = Problem(robot.model(), drives=Drives(rolling={"disc": polynomial(0.0, 2.0)}))
    except InputError as error:
        assert "disc" in str(error)
        return
    _, v = problem.imposed_state(0.5, problem.model.neutral(), np.zeros(4))
    assert v[0] == pytest.approx(0.2) and v[3] == pytest.approx(2.0)


def test_equal_torques_that_cannot_do_it_are_told() -> None:
    """Two wheels that turn the cart on the spot need opposite torques."""
    robot = Robot("cart")
    base = robot.base("cart", moves="planar", **SOLID)
    for name, y in (("left", 0.2), ("right", -0.2)):
        base.wheel(name, at=(0, y, 0), radius=0.1, actuated=True)
    drives = Drives(rolling={"left": polynomial(0, 0, -1.0), "right": polynomial(0, 0, 1.0)}, equal=[("left", "right")])
    check_power(robot, drives)


def test_imposed_speed_without_a_motor_is_told() -> None:
    robot = Robot("cart")
    robot.base("cart", moves="planar", **SOLID).wheel("rear", radius=0.1)
    check_power(robot, Drives(speeds=[("cart", (1, 0, 0), polynomial(0, 0, 1.0))]))


def check_power(robot: Robot, drives: Drives) -> None:
    """The forces cannot be in balance: refused when torques are asked for."""
    problem = Problem(robot.model(), drives=drives)
    solution = solve(problem, np.zeros(3), np.zeros(3), t_end=0.5, step=0.01)
    with pytest.raises(InputError, match="no contact and no motor can give the force"):
        problem.series(solution.times, solution.q, solution.v)


@pytest.mark.parametrize("speed", [1.0, 1e-3, 30.0])
def test_a_cart_that_coasts_needs_no_force(speed: float) -> None:
    """Its forces are round-off, and so is what no contact gives of them: one wheel with inertia, one without, straight on."""
    robot = Robot("cart")
    cart = robot.base("cart", moves="planar", **SOLID)
    cart.wheel("left", at=(0.0, 0.3, 0.0), radius=0.1, mass=0.2)
    cart.wheel("right", at=(0.0, -0.3, 0.0), radius=0.1)
    start = Start(velocities={"cart.vx": speed, "left": 10.0 * speed})
    result = simulate(robot, t_end=0.5, dt=0.01, start=start, progress=False)
    assert result.status == "completed"
    assert result.position.values[-1, 0] == pytest.approx(0.5 * speed, rel=1e-12)
    assert np.abs(result.contact_force.values).max() < 1e-10 * speed**2


def test_dependent_joint_of_an_under_constrained_robot() -> None:
    """The force of its wheel would not be determined: refused."""
    problem = Problem(chain(3).model(), imposed={3: sine(0.3, omega=1.0, phase=0.4, offset=0.3)}, dependent=[4])
    with pytest.raises(InputError, match="the wheels leave a direction free"):
        solve(problem, np.zeros(5), np.array([1.0, 0, 0, 0, 0]), t_end=1.0, step=0.01)
