"""The tests of SimBenchmark (Kang and Hwangbo 2018) rebuilt from their published numbers: worlds here and in MuJoCo.

Errors are means over the records of squares, as there. MuJoCo has elliptic cones and its Newton solver; its contacts are soft,
with their default parameters, except for restitution, which a contact spring without damping gives (``solref``).
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

import locodyn as ld
from locodyn.errors import RunError
from locodyn.integrate import Solution, solve
from locodyn.judge import timed

G = 9.81
MUJOCO = """<mujoco><option gravity="0 0 {gravity}" timestep="{step}" cone="elliptic" solver="Newton" integrator="{method}"/>
<worldbody>{ground}{bodies}</worldbody></mujoco>"""


def run_hard(scenario: ld.Scenario, step: float, every: int, method: str = "moreau", **options: float) -> tuple[Solution, float]:
    """States at every so many steps and CPU time (s)."""
    problem, start = scenario.problem, scenario.initial_state()
    words: dict[str, Any] = {"t_end": scenario.recording.t_end, "step": step, "method": method, "record_every": every, **options}
    solution, spent = timed(lambda: solve(problem, *start, **words))
    if solution.status != "completed":
        raise RunError(f"the run ended with '{solution.status}' at {solution.times[-1]:g} s.")
    return solution, spent


def unconverged(solution: Solution) -> dict[str, float]:
    """How many steps did not meet the tolerance of contacts."""
    return {"steps not converged": float(solution.attributes.get("contact_unconverged_steps", 0))}


# ------------------------------------------------------------------------------------------------------------- rolling
PUSH, PLATE, SIDE, BALLS, RADIUS = 150.0, 10.0, 5, 25, 0.5
ACCELERATION = (PUSH - 0.4 * (PLATE + BALLS) * G) / (PLATE + BALLS * 2.0 / 7.0)
ROLL_TIME = 4.0


def spots() -> list[tuple[float, float]]:
    """Where the balls lie on the plate, m."""
    return [(2.0 * (k % SIDE) - 4.0, 2.0 * (k // SIDE) - 4.0) for k in range(BALLS)]


@cache
def rolling(angle: float) -> ld.Scenario:
    """A plate of 20 x 20 x 1 m on the ground, pushed at an angle (rad) to x, with 25 balls on it."""
    robot = ld.Robot("rolling")
    world = robot.base("world", moves="fixed")
    plate = robot.body("plate", mass=PLATE, shape=ld.Box((20.0, 20.0, 1.0))).on(world).free(name="plate")
    plate.collides(friction=0.8)
    start = {"plate": (0.0, 0.0, 0.5, 0.0, 0.0, 0.0)}
    for k, (x, y) in enumerate(spots()):
        body = robot.body(f"ball_{k}", mass=1.0, shape=ld.Sphere(RADIUS)).on(world).free(name=f"ball_{k}")
        body.collides(friction=0.8)
        start[f"ball_{k}"] = (x, y, 1.0 + RADIUS, 0.0, 0.0, 0.0)
    law = ld.WorldForce((PUSH * np.cos(angle), PUSH * np.sin(angle), 0.0))
    robot.wrench("push", on="plate", law=law)
    return ld.Scenario("rolling", robot, gravity=(0, 0, -G), obstacles=[ld.Ground(friction=0.4)], self_collision=True,
                       start=ld.Start(start), t_end=ROLL_TIME, integrator="moreau")  # fmt: skip


def rolling_error(times: np.ndarray, plate: np.ndarray, ball: np.ndarray, angle: float) -> float:
    """Mean of squares of the differences of both velocities (times, 3) from the closed form, (m/s)^2."""
    along = np.array([np.cos(angle), np.sin(angle), 0.0])
    wanted = ACCELERATION * np.outer(times, along)
    return float(np.mean(np.sum((plate - wanted) ** 2, axis=1) + np.sum((ball - 2.0 / 7.0 * wanted) ** 2, axis=1)))


def rolling_mjcf(step: float) -> str:
    """The same in MuJoCo: friction of a pair is the larger one there, so that pairs are said one by one."""
    names = [f"ball_{k}" for k in range(BALLS)]
    box = '<geom name="plate" type="box" size="10 10 0.5" mass="10" contype="0" conaffinity="0"/>'
    bodies = f'<body pos="0 0 0.5"><freejoint/>{box}</body>'
    for name, (x, y) in zip(names, spots(), strict=True):
        shape = f'<geom name="{name}" size="{RADIUS}" mass="1" contype="0" conaffinity="0"/>'
        bodies += f'<body pos="{x} {y} {1.0 + RADIUS}"><freejoint/>{shape}</body>'
    pairs = '<pair geom1="ground" geom2="plate" condim="3" friction="0.4 0.4 0 0 0"/>'
    pairs += "".join(f'<pair geom1="plate" geom2="{name}" condim="3" friction="0.8 0.8 0 0 0"/>' for name in names)
    ground = '<geom name="ground" type="plane" size="100 100 1" contype="0" conaffinity="0"/>'
    text = MUJOCO.format(gravity=-G, step=step, method="implicitfast", ground=ground, bodies=bodies)
    return text.replace("</mujoco>", f"<contact>{pairs}</contact></mujoco>")


# ------------------------------------------------------------------------------------------------------- falling balls
@cache
def balls(side: int, layers: int, spacing: float, height: float, restitution: float, t_end: float, jitter: float) -> ld.Scenario:
    """side x side x layers balls of 0.1 m and 10 kg above the ground; those of several layers touch each other."""
    robot, start = ld.Robot("balls"), {}
    world = robot.base("world", moves="fixed")
    for k, place in enumerate(grid(side, layers, spacing, height, jitter)):
        body = robot.body(f"ball_{k}", mass=10.0, shape=ld.Sphere(0.1)).on(world).free(name=f"ball_{k}")
        body.collides(friction=0.0, restitution=restitution)
        start[f"ball_{k}"] = (*place, 0.0, 0.0, 0.0)
    ground = ld.Ground(restitution=restitution)
    return ld.Scenario("balls", robot, gravity=(0, 0, -G), obstacles=[ground], self_collision=layers > 1, start=ld.Start(start),
                       t_end=t_end, integrator="moreau")  # fmt: skip


def cube_of_balls(restitution: float, t_end: float) -> tuple[int, int, float, float, float, float, float]:
    """Arguments of :func:`balls` for the cube of 6 x 6 x 6 balls, shifted by up to 1 mm."""
    return 6, 6, 0.21, 1.1, restitution, t_end, 1e-3


def overlaps(places: np.ndarray) -> np.ndarray:
    """Depths (m) of all pairs of balls and of balls and the ground, 0 where they are apart; places (n, 3) of balls of 0.1 m."""
    one, two = np.triu_indices(len(places), 1)
    apart = np.linalg.norm(places[one] - places[two], axis=1) - 0.2
    return np.maximum(0.0, -np.concatenate([apart, places[:, 2] - 0.1]))


def grid(side: int, layers: int, spacing: float, height: float, jitter: float) -> np.ndarray:
    """Centres (n, 3), m; ``jitter``: largest shift of a ball to the sides."""
    index = np.array([(i, j, k) for k in range(layers) for j in range(side) for i in range(side)], dtype=float)
    places = spacing * index + (0.0, 0.0, height)
    places[:, :2] += np.random.default_rng(0).uniform(-jitter, jitter, (len(places), 2))
    return np.asarray(places)


def balls_mjcf(places: np.ndarray, step: float, elastic: bool) -> str:
    """The same in MuJoCo; elastic contacts are springs without damping, such that an impact lasts 20 steps."""
    solref = f'solref="{-((np.pi / (20.0 * step)) ** 2)} 0"' if elastic else ""
    bodies = "".join(
        f'<body pos="{x} {y} {z}"><freejoint/><geom size="0.1" mass="10" condim="1" {solref}/></body>' for x, y, z in places
    )
    ground = f'<geom type="plane" size="100 100 1" condim="1" {solref}/>'
    return MUJOCO.format(gravity=-G, step=step, method="Euler" if not elastic else "RK4", ground=ground, bodies=bodies)


def energy_of_balls(heights: np.ndarray, velocities: np.ndarray) -> np.ndarray:
    """Total energy (times,) of balls of 10 kg that do not turn, from (times, n) m and (times, n, 3) m/s."""
    found: np.ndarray = 10.0 * (G * heights.sum(axis=1) + 0.5 * np.sum(velocities**2, axis=(1, 2)))
    return found
