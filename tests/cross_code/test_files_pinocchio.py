"""URDF files as Pinocchio reads them: masses, inertias, poses, and a second of motion."""

import warnings
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from locodyn.files import load_robot, scenario_of
from locodyn.robot import Robot
from locodyn.sim import LimitWarning
from models.file_peers import PinocchioFile, random_state, worst

pytestmark = pytest.mark.slow

TESTS = Path(__file__).resolve().parents[1]
FILES = {
    "torso": TESTS / "files" / "torso.urdf",
    "quadruped": TESTS / "files" / "quadruped.urdf",
    "cart": TESTS.parent / "examples" / "files" / "cart.urdf",
}


@pytest.mark.parametrize("name", FILES)
def test_masses_inertias_poses(name):
    model = load_robot(FILES[name]).robot.model()
    peer = PinocchioFile(FILES[name], model)
    rng = np.random.default_rng(7)
    fixed = float(peer.peer.inertias[0].mass)  # what is fixed to the world
    assert abs(float(model.compiled.total_mass) - sum(inertia.mass for inertia in peer.peer.inertias)) < 1e-12
    assert fixed == pytest.approx(18.2 if name == "torso" else 0.0)
    for _ in range(3):
        q, v = random_state(model, rng)
        assert worst(model.mass_matrix(q), peer.mass_matrix(q)) < 1e-13
        assert worst(model.inverse_dynamics(q, v, np.zeros(model.nv)), peer.bias(q, v)) < 1e-13
        for body in model.compiled.body_names:
            for found, wanted in zip(model.pose(body, q), peer.position(body, q), strict=True):
                assert np.abs(found - wanted).max() < 1e-13


@pytest.mark.parametrize("name", FILES)
def test_a_second_of_falling_and_swinging(name):
    """Free fall or swing with joint damping: our run against Pinocchio's ABA under DOP853 (1e-8)."""
    scenario = scenario_of(FILES[name]).scenario
    robot = Robot.from_description(scenario.compiled.description)
    for coupling in scenario.compiled.description.couplings:  # joints that mimic move by themselves in Pinocchio
        robot.remove(coupling.name)
    scenario = scenario.changed(robot=robot)
    model, compiled = scenario.model, scenario.compiled
    peer = PinocchioFile(FILES[name], model)
    q, v = random_state(model, np.random.default_rng(3))
    damping = np.zeros(model.nv)
    for body in compiled.description.bodies:
        if body.actuator is not None:
            damping[compiled.joint_velocities[compiled.joint_index(body.joint.name)]] = body.actuator.viscous
    assert damping.max() > 0.0
    free = compiled.joint_types[0] == "free"

    def rates(t, y):
        position, velocity = y[: model.nq], y[model.nq :]
        slope = np.empty(model.nq)
        if free:
            w, x, y_, z = unit = position[3:7] / np.linalg.norm(position[3:7])
            turn = model.pose(compiled.reference_body, np.concatenate([position[:3], unit, position[7:]]))[0]
            left = np.array([[-x, -y_, -z], [w, -z, y_], [z, w, -x], [-y_, x, w]])
            slope[:3], slope[3:7], slope[7:] = turn @ velocity[:3], 0.5 * left @ velocity[3:6], velocity[6:]
        else:
            slope[:] = velocity
        here = np.concatenate([position[:3], unit, position[7:]]) if free else position
        return np.concatenate([slope, peer.acceleration(here, velocity, -damping * velocity)])

    end = solve_ivp(rates, (0.0, 1.0), np.concatenate([q, v]), method="DOP853", rtol=1e-8, atol=1e-9).y[:, -1]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LimitWarning)  # nothing stops the joints at their limits, in neither code
        run = scenario.changed(start=(q, v), t_end=1.0, dt=0.1, integrator="adaptive", tolerance=1e-11).run(progress=False)
    position = end[: model.nq]
    if free:
        position[3:7] /= np.linalg.norm(position[3:7])
    for body in compiled.body_names:
        place = peer.position(body, position)[1]
        assert np.abs(run.body_position.sel(body=body).values[-1] - place).max() < 1e-6
    assert np.abs(run.v[-1] - end[model.nq :]).max() < 1e-6 * max(1.0, np.abs(run.v[-1]).max())
