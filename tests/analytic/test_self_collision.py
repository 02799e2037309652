"""Two bodies joined by a free joint hit each other."""

import numpy as np
import pytest

import locodyn as ld

pytestmark = pytest.mark.slow


def test_equal_balls_swap_their_velocities():
    """A central elastic impact of equal masses: the momentum is handed on (Newton), here to a body on a free joint of the other.

    The gap of 0.3 m closes at 1 m/s. Free motion along a line is exact in every step, and so is the impact.
    """
    robot = ld.Robot("pair")
    first = robot.base("first", mass=1, shape=ld.Sphere(0.1)).collides(restitution=1.0)
    robot.body("second", mass=1, shape=ld.Sphere(0.1)).on(first, at=(0.5, 0, 0)).free().collides(restitution=1.0)
    scenario = ld.Scenario(
        "pair", robot, gravity=(0, 0, 0), self_collision=True, integrator="moreau", dt=1e-2, t_end=0.5,
        # The second ball rests in the world: its velocity is counted from the first.
        start=ld.Start(None, {"first": (1, 0, 0, 0, 0, 0), "second": (-1, 0, 0, 0, 0, 0)}),
    )  # fmt: skip
    result = scenario.run(progress=False)
    assert result.status == "completed"
    before, after = (result.v[k][[0, 6]] for k in (0, -1))
    np.testing.assert_allclose(before, (1.0, -1.0), atol=1e-12)
    np.testing.assert_allclose(after, (0.0, 1.0), atol=1e-9)  # the first stops, the second goes on with 1 m/s
