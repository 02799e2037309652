"""Every entry of a batch with every feature of a robot: bit for bit what one robot alone gives, or refused in a sentence.

The table says which of the two, so that a feature cannot be left out in silence. Where the answer is "same", the reference is
``Model`` for the dynamics of the tree and a run of one robot with ``rkmk4`` for a rollout.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import locodyn as ld
from locodyn.batch import Batch
from locodyn.errors import InputError
from locodyn.integrate import solve
from locodyn.locomotion.constraint_rows import Drives
from locodyn.locomotion.problem import Problem, Schedule, Surroundings
from locodyn.locomotion.servo import Servo
from locodyn.motion import constant, function, sine
from locodyn.world import Anchor, Drag, Feedback, Ground, Sliding, Thrust, UserLaw, WorldForce
from random_robots import random_configuration, random_velocity

STEP, STEPS, COUNT = 0.01, 6, 5
INERTIA = ld.about_centre(xx=0.02, yy=0.03, zz=0.04)


def arm(moves: str = "free", change: Callable[[ld.Robot], Any] = lambda robot: None) -> ld.Robot:
    """Three bodies: a reference body, an upper arm about z, a forearm about y."""
    robot = ld.Robot("arm")
    base = robot.base("base", mass=2.0, inertia=INERTIA, moves=moves)
    upper = robot.body("upper", mass=1.0, centre=(0.2, 0, 0), inertia=INERTIA).on(base, at=(0.1, 0, 0)).turning("z")
    robot.body("fore", mass=0.7, centre=(0.2, 0, 0), inertia=INERTIA).on(upper, at=(0.4, 0, 0)).turning("y")
    change(robot)
    return robot


def numbers(robot: ld.Robot, *names: str) -> list[int]:
    return [robot.model().compiled.coordinate_index(name) for name in names]


class Feature(NamedTuple):
    """A robot, what its problem adds, and the word of the refusal: of any batch, of dynamics of the tree, of a rollout."""

    robot: Callable[[], ld.Robot]
    problem: Callable[[ld.Robot], dict[str, Any]] = lambda robot: {}
    never: str = ""
    tree: str = ""
    rollout: str = ""


def with_law(law: Any, **options: Any) -> Callable[[], ld.Robot]:
    return lambda: arm(change=lambda robot: robot.wrench("law", on="fore", at=(0.1, 0, 0.05), law=law, **options))


def on_wheels(**words: Any) -> Callable[[], ld.Robot]:
    return lambda: arm("planar", lambda robot: robot["base"].wheel("front", at=(0.2, 0, 0), axis="y", **words))


def on(part: Callable[[Any], Any], moves: str = "free", body: str = "base") -> Callable[[], ld.Robot]:
    return lambda: arm(moves, lambda robot: part(robot[body]))


def rod() -> ld.Robot:
    robot = arm("fixed")
    robot["fore"].rod("rod", length=0.3, section=ld.Circle(0.01), material=ld.silicone, bending=1)
    return robot


def actuated(**values: Any) -> Callable[[], ld.Robot]:
    return lambda: arm().changed({f"{joint}.{name}": value for joint in ("upper", "fore") for name, value in values.items()})


def servo(**options: Any) -> Callable[[ld.Robot], dict[str, Any]]:
    return lambda robot: {"servo": dict.fromkeys(numbers(robot, "fore"), Servo(sine(0.3, omega=2.0), **options))}


def obstacle(robot: ld.Robot) -> dict[str, Any]:
    return {"surroundings": Surroundings([Ground()])}


BALL = ld.Sphere(0.1)
FEATURES = {
    "nothing": Feature(arm),
    "fixed base": Feature(lambda: arm("fixed")),
    "planar base": Feature(lambda: arm("planar")),
    "ball joint": Feature(lambda: arm(change=lambda r: r.body("ball", mass=1.0, inertia=INERTIA).on("fore").ball())),
    # ---- forces of the joints
    "springs": Feature(actuated(stiffness=3.0, rest=0.2)),
    "damping": Feature(actuated(viscous=0.3)),
    "dry friction": Feature(actuated(coulomb=0.3)),
    "armature": Feature(actuated(armature=0.1, gear=3.0)),
    "torque limits": Feature(actuated(torque_limit=0.2), lambda r: {"torque": {numbers(r, "fore")[0]: sine(1.0, omega=3.0)}}),
    "joint limits": Feature(lambda: arm(change=lambda robot: robot["fore"].limits(-0.1, 0.1))),
    # ---- drives
    "torque law": Feature(arm, lambda r: {"torque": {i: sine(1.0, omega=3.0) for i in numbers(r, "upper", "fore")}}),
    "torque function": Feature(
        arm, lambda r: {"torque": {numbers(r, "fore")[0]: lambda t, q, v: 1.0}}, rollout="Python functions"
    ),
    "python law": Feature(
        arm, lambda r: {"torque": {numbers(r, "fore")[0]: function(lambda t: t)}}, rollout="Python functions"
    ),
    "imposed": Feature(arm, lambda r: {"imposed": {numbers(r, "upper")[0]: sine(0.3, omega=3.0)}}),
    "controller": Feature(arm, lambda r: {"controller": lambda t, q, v: -v}, rollout="Python functions"),
    "servo": Feature(arm, servo(stiffness=3.0, damping=0.2)),
    "servo that begins later": Feature(arm, servo(stiffness=3.0, begins=0.5), rollout="no servos that begin after the start"),
    "servo too stiff": Feature(arm, servo(stiffness=1e5, damping=1e4), rollout="are stable up to"),
    "motor reactions": Feature(arm, lambda r: {"drives": Drives(motor_reactions=True)}),
    # ---- wrench laws
    "dead load": Feature(with_law(WorldForce((1.0, 2.0, 3.0), (0.1, 0.2, 0.3)))),
    "thrust": Feature(with_law(Thrust((1.0, 2.0, 3.0)))),
    "drag": Feature(with_law(Drag(0.5, 0.3, 0.1))),
    "sliding": Feature(with_law(Sliding(0.5, 3.0))),
    "anchor": Feature(with_law(Anchor((1, 0, 0), 5.0, 0.4))),
    "load law": Feature(with_law(Thrust((1.0, 2.0, 3.0))), lambda r: {"schedule": Schedule(loads={"law": sine(1.0, omega=4.0)})}),
    "feedback": Feature(with_law(Feedback(0.3, 0.2)), lambda r: {"schedule": Schedule(desired={"law.y": sine(0.2, omega=3.0)})}),
    "bristles": Feature(with_law(ld.LuGre(2.0, stiffness=50.0, static=3.0, speed=0.1))),
    "python wrench": Feature(with_law(UserLaw(lambda t, r, p, w: np.ones(6))), rollout="Python functions"),
    # ---- fluid
    "fluid": Feature(on(lambda b: b.fluid((1.0, 2.0, 3.0), (0.1, 0.2, 0.3))), tree="moves fluid along"),
    # ---- what holds the motion
    "wheel": Feature(on_wheels(), never="held by the wheel 'front'"),
    "driven wheel": Feature(
        on_wheels(radius=0.1, actuated=True),
        lambda r: {"drives": Drives(rolling={"front": constant(1.0)})},
        never="held by the wheel 'front'",
    ),
    "wheel that is a body": Feature(on_wheels(radius=0.1, mass=0.3, spin_inertia=0.01, across_inertia=0.006), never="'front'"),
    "skate": Feature(on(lambda b: b.skate("blade", along="x"), "planar"), never="held by the wheel 'blade'"),
    "castor": Feature(on_wheels(kind="castor")),
    "wheel with a contact law": Feature(on_wheels(contact=Drag(0.5, 0.3))),
    "rolling surface": Feature(on(lambda b: b.rolling(radius=0.1)), never="held by the surface"),
    "foot": Feature(on(lambda b: b.foot()), never="held by the surface"),
    "loop": Feature(
        lambda: arm("fixed", lambda r: r.loop("rod", "fore", "base", joint="spherical", first_at=(0.4, 0, 0))),
        never="held by the loop 'rod'",
    ),
    "imposed speed": Feature(
        arm, lambda r: {"drives": Drives(speeds=(("base", (1, 0, 0), constant(0.1)),))}, rollout="constraint 'base.speed'"
    ),
    "rod": Feature(rod, never="has rods"),
    # ---- hard contact
    "surface without obstacles": Feature(on(lambda b: b.collides(BALL))),
    "hard contact": Feature(on(lambda b: b.collides(BALL)), obstacle, rollout="does not see hard contacts, such as"),
    "self collision": Feature(
        lambda: arm(change=lambda r: (r["base"].collides(BALL), r["fore"].collides(BALL))),
        lambda r: {"surroundings": Surroundings(self_collision=True)},
        rollout="does not see hard contacts",
    ),
    "support": Feature(on(lambda b: b.rests(5.0, friction=0.3), "planar"), rollout="does not see hard contacts"),
}  # fmt: skip


def filled(batch: Batch, seed: int = 0) -> np.ndarray:
    """Random states; returns random forces or accelerations (COUNT, nv)."""
    rng, compiled = np.random.default_rng(seed), batch.model.compiled
    batch.q = np.array([random_configuration(rng, compiled) for _ in range(COUNT)])
    batch.v = np.array([random_velocity(rng, compiled) for _ in range(COUNT)])
    return rng.standard_normal((COUNT, batch.model.nv))


def each(batch: Batch, given: np.ndarray, method: Callable[..., np.ndarray]) -> np.ndarray:
    return np.array([method(q, v, x) for q, v, x in zip(batch.q, batch.v, given, strict=True)])


# Each entry gives two functions: what the batch says, and what one robot after the other says from the same states.
def inverse(batch: Batch, given: np.ndarray, problem: Problem) -> tuple[Callable[[], Any], Callable[[], Any]]:
    return lambda: batch.inverse_dynamics(given), lambda: each(batch, given, batch.model.inverse_dynamics)


def forward(batch: Batch, given: np.ndarray, problem: Problem) -> tuple[Callable[[], Any], Callable[[], Any]]:
    return lambda: batch.forward_dynamics(given), lambda: each(batch, given, batch.model.forward_dynamics)


def blocks(batch: Batch, given: np.ndarray, problem: Problem) -> tuple[Callable[[], Any], Callable[[], Any]]:
    def together() -> np.ndarray:
        batch._write(batch._tau, given, "tau")
        batch.forward_blocks()
        return batch._read(batch._a)

    return together, lambda: each(batch, given, batch.model.forward_dynamics)


def rollout(batch: Batch, given: np.ndarray, problem: Problem) -> tuple[Callable[[], Any], Callable[[], Any]]:
    starts = list(zip(batch.q, batch.v, strict=True))

    def alone() -> np.ndarray:
        runs = [solve(problem, *start, t_end=STEPS * STEP, step=STEP, record_every=2) for start in starts]
        return np.array([np.hstack([run.q, run.v]) for run in runs]).swapaxes(0, 1)

    return lambda: np.concatenate(batch.rollout(STEPS, STEP, problem=problem, record_every=2), axis=2), alone


ENTRIES = {
    "inverse": (inverse, "tree"),
    "forward": (forward, "tree"),
    "blocks": (blocks, "tree"),
    "rollout": (rollout, "rollout"),
}


# Rollouts in lanes compile for half a minute.
@pytest.mark.parametrize("entry", [pytest.param(e, marks=pytest.mark.slow if e == "rollout" else ()) for e in ENTRIES])
@pytest.mark.parametrize("name", FEATURES)
def test_as_one_robot_alone_or_refused(name: str, entry: str) -> None:
    feature = FEATURES[name]
    robot = feature.robot()
    model = robot.model()
    if feature.never:
        for make in (lambda: robot.batch(COUNT), lambda: Batch(model, COUNT)):
            with pytest.raises(InputError, match=feature.never):
                make()
        return
    batch = Batch(model, COUNT, threads=1)
    given, problem = filled(batch), Problem(model, **feature.problem(robot))
    call, kind = ENTRIES[entry]
    together, alone = call(batch, given, problem)
    words = getattr(feature, kind)
    if words:
        with pytest.raises(InputError, match=words):
            together()
    else:
        np.testing.assert_array_equal(together(), alone())


def test_fluid_without_gravity() -> None:
    batch = Batch(FEATURES["fluid"].robot().model(gravity=(0, 0, 0)), COUNT, threads=1)
    given = filled(batch)
    for call in (inverse, forward, blocks):
        together, alone = call(batch, given, Problem(batch.model))
        np.testing.assert_array_equal(together(), alone())


@pytest.mark.slow
def test_forces_of_robots_beside_laws() -> None:
    """``tau`` of a coordinate that a law drives is refused; of the others it acts."""
    robot = arm()
    batch = Batch(robot.model(), COUNT, threads=1)
    upper, fore = numbers(robot, "upper", "fore")
    tau = np.zeros((COUNT, batch.model.nv))
    for law in ({"imposed": {upper: sine(0.1, omega=2.0)}}, {"torque": {upper: sine(0.1, omega=2.0)}}):
        tau[:, upper], tau[:, fore] = 1.0, 0.0
        with pytest.raises(InputError, match=r"'upper' has a (motion|torque) law in the problem and forces in tau"):
            batch.rollout(1, STEP, tau=tau, problem=Problem(batch.model, **law))
        tau[:, upper], tau[:, fore] = 0.0, 1.0
        batch.rollout(1, STEP, tau=tau, problem=Problem(batch.model, **law))
    assert np.abs(batch.v[:, fore]).min() > 1e-3


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"record_every": -1}, "record_every is -1"),
        ({"record_every": 1.5}, "record_every is 1.5"),
        ({"t0": np.nan}, "start time is nan"),
        ({"steps": "3"}, "number of steps is '3'"),
    ],
)
def test_numbers_of_a_rollout(options: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        Batch(arm().model(), COUNT, threads=1).rollout(**({"steps": 2, "dt": STEP} | options))


def test_threads_and_quaternions() -> None:
    model = arm().model()
    for threads in (0, -1, 1.5):
        with pytest.raises(InputError, match=f"number of threads is {threads}"):
            Batch(model, COUNT, threads=threads)
    batch = Batch(model, COUNT, threads=1)
    q = np.tile(model.neutral(), (COUNT, 1))
    q[2, 3:7] = (2.0, 0.0, 2.0, 0.0)
    batch.q = q
    np.testing.assert_array_equal(batch.q[2], model.normalised(q[2]))
    q[3, 3:7] = 0.0
    with pytest.raises(InputError, match="quaternion of robot 'arm' is zero"):
        batch.q = q


@pytest.mark.slow
def test_a_state_that_is_not_a_number_is_told() -> None:
    robot = arm("fixed").changed({"fore.viscous": 1e4})
    batch = Batch(robot.model(), COUNT, threads=1)
    batch.v = np.ones((COUNT, 2))
    with pytest.warns(RuntimeWarning, match="state of 5 of 5 robots, the first of them number 0, is not a number"):
        batch.rollout(400, 0.01)
