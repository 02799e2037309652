"""Steps of hard contact that have no finite end: the run stops there, says so, and keeps what was recorded before."""

import numpy as np
import pytest

import locodyn as ld
from locodyn.contact.newton import solve_newton
from locodyn.contact.options import HardContact
from locodyn.dynamics.model import Model
from locodyn.locomotion.problem import Problem, Surroundings
from locodyn.robot import Box, Robot

pytestmark = pytest.mark.slow


def block():
    robot = Robot("block")
    robot.base("block", mass=2.0, shape=Box((0.4, 0.3, 0.1))).collides(friction=0.3)
    return robot


def settled():
    """A block on the ground after one step: its problem, with the pair of that step still at hand."""
    problem = Problem(Model(block().compile()), surroundings=Surroundings((ld.Ground(),), contact=HardContact()))
    from locodyn.integrate import solve

    q = np.array([0.0, 0.0, 0.05, 1.0, 0.0, 0.0, 0.0])
    solve(problem, q, np.zeros(6), t_end=1e-3, step=1e-3, method="moreau")
    return problem


def test_no_pair_of_an_earlier_step_is_taken():
    """With a right-hand side that is not a number no pair is finite: the best one of the step before must not come back."""
    problem = settled()
    contacts, work = problem.contact.arrays, problem.workspace
    assert contacts.closed == 4 and np.isfinite(contacts.newton.best_end_velocity).all()
    contacts.rhs[:] = np.nan
    tolerance = contacts.tolerance * contacts.mean_weight * 1e-3
    residual = solve_newton(problem.arrays, contacts, contacts.probe.q, work, work.tau, tolerance, tolerance)
    assert np.isnan(residual)
    assert np.isnan(contacts.end_velocity).all()


@pytest.mark.parametrize("solver", ["newton", "gauss_seidel", "prox"])
def test_a_run_ends_where_nothing_is_finite(solver):
    """A force that is not a number from 0.05 s on, given in Python: finite records up to there, and a sentence."""
    start = ld.Start({"block": (0, 0, 0.05, 0, 0, 0)})

    def push(t, q, v):
        return np.full(6, np.nan if t > 0.0499 else 0.0)

    scenario = ld.Scenario("push", block(), obstacles=[ld.Ground()], start=start, t_end=0.2, dt=1e-3, integrator="moreau",
                           record_every=10, contact=HardContact(solver=solver), controller=push)  # fmt: skip
    result = scenario.run(progress=False)
    assert result.status.startswith("failed: the step from t = 0.05 s has no finite impulses and velocities")
    assert "all records before it are kept" in result.status
    assert result.time.values == pytest.approx(np.arange(6) * 0.01)
    for name in ("position", "twist", "contact_force", "contact_gap"):
        assert np.isfinite(result.dataset[name].values).all(), name


def test_a_compiled_run_ends_where_nothing_is_finite():
    """A torque law beyond what floats can hold; the loop is compiled, and stops at the first number that is not finite."""
    robot = block()
    arm = robot.body("arm", mass=1.0, shape=Box((0.1, 0.1, 0.1), at=(0, 0, 0.2))).on("block").turning("y", name="hinge")
    arm.actuator()
    scenario = ld.Scenario("torque", robot, obstacles=[ld.Ground()], start=ld.Start({"block": (0, 0, 0.05, 0, 0, 0)}),
                           torque={"hinge": 1e308}, t_end=0.2, dt=1e-3, integrator="moreau")  # fmt: skip
    result = scenario.run(progress=False)
    assert result.attributes["time_loop"] == "compiled"
    assert result.status.startswith("failed: the step from t = ")
    assert len(result.time) < 200
    assert np.isfinite(result.v).all()
