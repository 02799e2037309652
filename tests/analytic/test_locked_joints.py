"""Energy of joints that a phase locks: of their springs, of the impact that locks them, and of a lock that moves them."""

import json

import numpy as np
import pytest

import locodyn as ld
from locodyn.phases import Phase, Reaches
from locodyn.zoo import walkers

pytestmark = pytest.mark.slow

STIFFNESS, MASS, CARRIER = 90.0, 2.0, 3.0


def slider(caught: float) -> ld.Scenario:
    """A mass on a spring on a carrier that slides: on its first way back through 0.1 m a lock puts it to ``caught``."""
    robot = ld.Robot("caught")
    carrier = robot.body("carrier", mass=CARRIER).on(robot.base("ground", moves="fixed")).sliding("x", name="carrier")
    robot.body("mass", mass=MASS).on(carrier).sliding("x", name="mass").actuator(stiffness=STIFFNESS, rest=0.02)
    phases = ld.Phases(
        {"loose": Phase(), "held": Phase(locked={"mass": caught})},
        [Reaches("loose", "held", "mass", 0.1, "falling")],
        final="held",
    )
    start = ld.Start({"mass": 0.3}, {"carrier": 0.4})
    return ld.Scenario("caught", robot, gravity=(0, 0, 0), phases=phases, start=start, t_end=1.0, dt=0.01, tolerance=1e-11)


@pytest.mark.parametrize("caught", [0.1, 0.25])
def test_a_lock_is_an_impact_and_gives_what_it_moves(caught: float) -> None:
    """Both masses go on with the velocity of their mass centre; the spring keeps 1/2 k (caught - rest)^2.

    Before, they swing about it: the impact loses all of that motion, which is what the spring has given since the start. A lock
    that puts the mass to 0.25 m gives the difference of the spring's energy.
    """
    run = slider(caught).run(progress=False)
    held = run.phase.values == 1
    assert held.any() and not held.all()
    mean = 0.4  # both moved with it at the start, and nothing acts from outside
    np.testing.assert_allclose(run.joint_velocity.sel(joint="carrier").values[held], mean, atol=1e-9)
    np.testing.assert_allclose(run.joint_position.sel(joint="mass").values[held], caught, atol=1e-12)
    np.testing.assert_allclose(
        run.total_energy().values[held], 0.5 * (CARRIER + MASS) * mean**2 + 0.5 * STIFFNESS * (caught - 0.02) ** 2, rtol=1e-10
    )
    (change,) = json.loads(run.attributes["transitions"])
    assert change["loss"] == pytest.approx(0.5 * STIFFNESS * (0.28**2 - 0.08**2), rel=1e-9)
    assert walkers.energy_kept(run) < 1e-8


def test_springs_of_knees_that_lock_keep_the_account() -> None:
    """The kneed walker with springs in its knees, whose rest is not where they lock: energy through strikes and releases."""
    made = ld.zoo.kneed_walker()
    for side in ("left", "right"):
        made.robot[f"{side}_shank"].actuator(stiffness=0.02, rest=0.3)
    run = made.changed(robot=made.robot, checks=(), t_end=1.0).run(progress=False)
    assert len(walkers.step_times(run)) >= 1
    assert walkers.energy_kept(run) < 1e-8
