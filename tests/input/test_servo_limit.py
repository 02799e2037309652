"""Steps that are too long for servos under explicit integrators."""

import numpy as np
import pytest

import locodyn as ld
from locodyn.errors import InputError
from locodyn.integrate.explicit_limit import longest_servo_step
from locodyn.integrate.methods import method_of

pytestmark = pytest.mark.slow


def arm(stiffness, damping, **fields):
    """A wheel of inertia 1 that a servo turns."""
    robot = ld.Robot("arm")
    robot.body("wheel", mass=1.0, inertia=np.eye(3)).on(robot.base("base", moves="fixed")).turning("z", name="joint")
    servo = {"joint": ld.Servo(1.0, stiffness, damping)}
    return ld.Scenario("arm", robot, gravity=(0, 0, 0), servo=servo, **fields)


# A step at the limit does not resolve the servo, which is said beforehand where the spring counts too.
@pytest.mark.filterwarnings("ignore::locodyn.sim.energy_account.EnergyWarning")
@pytest.mark.filterwarnings("ignore::locodyn.integrate.choice.StabilityWarning")
@pytest.mark.parametrize("integrator, limit", [("rkmk4", 2.785), ("adams", None)])
def test_a_step_above_the_limit_is_refused(integrator, limit):
    """d = 100 on inertia 1: Runge-Kutta up to 2.785 / 100 s. Just below the limit the wheel settles; above it would not."""
    longest = longest_servo_step(method_of(integrator), np.eye(1), np.array([100.0]), np.array([100.0]))
    if limit is not None:
        assert longest == pytest.approx(limit / 99.0, rel=0.01)
    below = arm(100.0, 100.0, dt=0.97 * longest, t_end=500 * 0.97 * longest, integrator=integrator).run(progress=False)
    assert below.joint_position.values[-1, 0] == pytest.approx(1.0, abs=0.01)
    with pytest.raises(InputError, match=f"servos are stable up to .* with '{integrator}'"):
        arm(100.0, 100.0, dt=1.05 * longest, t_end=100 * longest, integrator=integrator).run(progress=False)


def test_implicit_integrators_take_it():
    assert arm(100.0, 100.0, dt=0.1, t_end=1.0, integrator="radau3").run(progress=False).status == "completed"
