"""Bodies at rest that are not solved for (`HardContact(sleeping=True)`): nothing changes beyond the tolerance, and they wake."""

import numpy as np
import pytest

import locodyn as ld

pytestmark = pytest.mark.slow

STEP, G, STRICT = 2e-3, 9.81, 1e-6  # s; m/s^2; of the solver, where loads are open
BOXES = 4


def stack(sleeping: bool, count: int = BOXES) -> ld.Scenario:
    """Boxes on each other, each turned against the one below, and a ball that comes from the side."""
    robot, start = ld.Robot("stack"), {}
    world = robot.base("world", moves="fixed")
    for k in range(count):
        name = f"box_{k}"
        robot.body(name, mass=1.0, shape=ld.Box((0.2, 0.2, 0.1))).on(world).free(name=name).collides(friction=0.5)
        start[name] = (0.0, 0.0, 0.05 + 0.1 * k, 0.0, 0.0, 0.1 * k)
    robot.body("ball", mass=2.0, shape=ld.Sphere(0.1)).on(world).free(name="ball").collides(friction=0.5)
    start["ball"] = (-1.0, 0.0, 0.25, 0.0, 0.0, 0.0)
    return ld.Scenario(
        "stack", robot, obstacles=[ld.Ground()], self_collision=True, integrator="moreau", dt=STEP, t_end=0.5, record_every=5,
        start=ld.Start(start, {"ball": (3.0, 0.0, 1.0, 0.0, 0.0, 0.0)}), contact=ld.HardContact(sleeping=sleeping),
    )  # fmt: skip


@pytest.fixture(scope="module")
def runs():
    return tuple(stack(sleeping).run(progress=False) for sleeping in (False, True))


def boxes(result):
    return result.body_position.sel(body=[f"box_{k}" for k in range(BOXES)]).values


def test_a_stack_that_sleeps_stays_where_a_stack_that_rests_is(runs):
    """Until the ball comes: what rests is slower than STRICT g dt, what sleeps does not move at all, and takes no iteration."""
    awake, asleep = runs
    before = awake.time.values < 0.2
    far = STRICT * G * STEP * awake.time.values[before]
    assert (np.abs(boxes(awake) - boxes(asleep))[before].max(axis=(1, 2)) <= far).all()
    places = boxes(asleep)[before]
    assert (places[2:] == places[2]).all()  # exactly
    for result in runs:
        assert result.attributes["contact_unconverged_steps"] == 0
    spent = [result.solver_iterations.values[before].sum() for result in runs]
    assert spent[0] >= 95 and spent[1] <= 5  # steps; those until it sleeps


def test_what_hits_a_stack_wakes_it(runs):
    """The ball throws boxes down. How they fall is chaotic (1 nm of the ball's place is 1 cm there); one box by itself is not.

    What sleeping changes before, 1e-8 of g dt^2, is less than a nanometre.
    """
    places = boxes(runs[1])
    assert np.abs(places[-1] - places[0]).max() > 0.02
    ends = [stack(sleeping, 1).run(progress=False).body_position.sel(body="box_0").values[-1] for sleeping in (False, True)]
    assert abs(ends[1][0]) > 0.02 and np.abs(ends[0] - ends[1]).max() < 1e-9


def test_a_force_that_grows_wakes_a_body():
    """A box is pulled by 2 N, less than its friction of 2.94 N, and sleeps; by 2 + 4 (t - 0.5) N from then on, and slides."""
    robot = ld.Robot("box")
    cart = robot.body("cart", mass=0.1).on(robot.base("ground", moves="fixed")).sliding("x", name="pull")
    robot.body("box", mass=1.0, shape=ld.Box((0.2, 0.2, 0.1))).on(cart).sliding("z", name="lift").collides(friction=0.3)
    force = ld.samples([0.0, 0.5, 1.2], [2.0, 2.0, 4.8])
    ends = []
    for sleeping in (False, True):
        run = ld.Scenario(
            "box", robot, torque={"pull": force}, obstacles=[ld.Ground()], start={"lift": 0.05}, integrator="moreau", dt=STEP,
            t_end=1.2, contact=ld.HardContact(sleeping=sleeping), record_every=20,
        ).run(progress=False)  # fmt: skip
        places = run.joint_position.sel(joint="pull").values
        still = run.time.values < 0.5 + (0.3 * G - 2.0) / 4.0 - 2.0 * STEP
        assert np.abs(places[still]).max() < STRICT * G * STEP * 1.2 and places[-1] > 0.005
        ends.append(places[-1])
    assert abs(ends[0] - ends[1]) < STRICT * G * STEP * 1.2
