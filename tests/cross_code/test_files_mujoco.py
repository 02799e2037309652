"""MJCF files as MuJoCo reads them: masses, inertias, poses, and a second of motion. The models of Gymnasium are real ones."""

import warnings
from pathlib import Path

import numpy as np
import pytest

from file_peers import MujocoFile, random_state, worst
from locodyn.files import load_robot, scenario_of
from locodyn.sim import LimitWarning

pytestmark = pytest.mark.slow

TESTS = Path(__file__).resolve().parents[1]
GYMNASIUM = ("ant", "humanoid", "hopper", "walker2d", "reacher", "pusher", "inverted_double_pendulum")


def file_of(name):
    if name == "arm":
        return TESTS / "files" / "arm.xml"
    from importlib.util import find_spec

    spec = find_spec("gymnasium")
    if spec is None:
        pytest.skip("gymnasium is not installed")
    return Path(spec.origin).parent / "envs" / "mujoco" / "assets" / f"{name}.xml"


@pytest.mark.parametrize("name", ("arm", *GYMNASIUM))
def test_masses_inertias_poses(name):
    loaded = load_robot(file_of(name))
    model = loaded.robot.model(gravity=loaded.gravity)
    peer = MujocoFile(file_of(name), model)
    rng = np.random.default_rng(5)
    assert float(model.compiled.total_mass) == pytest.approx(float(peer.peer.body_mass.sum()), rel=1e-14)
    for _ in range(3):
        q, _ = random_state(model, rng)
        assert worst(model.mass_matrix(q), peer.mass_matrix(q)) < 1e-12
        for body, (rotation, position) in peer.poses(q).items():
            if body in model.compiled.body_names:
                found = model.pose(body, q)
                assert max(np.abs(found[0] - rotation).max(), np.abs(found[1] - position).max()) < 1e-12


@pytest.mark.parametrize("name", ("arm", "ant", "humanoid", "hopper"))
def test_a_second_of_falling_and_swinging(name):
    """Springs, dampers, rotors, ball and free joints: our adaptive run against MuJoCo's Runge-Kutta 4 with tiny steps."""
    file = file_of(name)
    scenario = scenario_of(file).scenario
    peer = MujocoFile(file, scenario.model)
    q, v = random_state(scenario.model, np.random.default_rng(1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LimitWarning)
        run = scenario.changed(start=(q, v), t_end=1.0, dt=0.1, integrator="adaptive", tolerance=1e-10).run(progress=False)
    for body, position in peer.run(q, v, 1.0, 2e-4).items():
        if body in scenario.compiled.body_names:
            assert np.abs(run.body_position.sel(body=body).values[-1] - position).max() < 1e-6


def test_urdf_as_mujoco_reads_it():
    import mujoco

    file = TESTS.parent / "examples" / "files" / "cart.urdf"
    peer = mujoco.MjModel.from_xml_path(str(file))  # its base is fixed to the world
    data = mujoco.MjData(peer)
    model = load_robot(file, moves="fixed").robot.model()
    q = np.array([0.3, -0.4, 0.2])
    data.qpos[[peer.joint(name).qposadr[0] for name in model.compiled.coordinate_names]] = q
    mujoco.mj_forward(peer, data)
    full = np.zeros((3, 3))
    mujoco.mj_fullM(peer, data, full)
    order = [peer.joint(name).dofadr[0] for name in model.compiled.coordinate_names]
    assert worst(model.mass_matrix(q), full[np.ix_(order, order)]) < 1e-12


def test_what_mjcf_says_and_a_robot_cannot_hold_is_listed():
    notes = "\n".join(str(note) for note in load_robot(TESTS / "files" / "arm.xml").notes)
    for words in (
        "actuator 'reach_servo': the scenario says what drives a joint",
        "actuator 'elbow_motor': motors with a range become torque limits",
        "sensors (1)",
        "contacts between geoms",
        "joint 'elbow': its position is counted from its ref, 0.4",
    ):
        assert words in notes
    robot = load_robot(TESTS / "files" / "arm.xml").robot
    elbow = robot.description.body("lower")
    assert elbow.actuator.torque_limit == 30.0 and elbow.actuator.rest == pytest.approx(0.3)
    assert elbow.joint.limits == pytest.approx((-0.6, 2.0))
    assert Path(elbow.shape.path).name == "wedge.obj" and elbow.shape.colour == pytest.approx((0.2, 0.5, 0.3, 1.0))
    assert [marker.name for marker in elbow.markers] == ["grip"]
    # MuJoCo moves the vertices of a mesh to its principal axes; the shape is where the file puts it
    assert elbow.shape.at == pytest.approx((0.0, 0.0, -0.15), abs=1e-9)
    _, _, y, z = np.array([0.9, 0.1, 0.2, 0.3]) / np.sqrt(0.95)
    assert elbow.shape.turned[0, 0] == pytest.approx(1 - 2 * (y * y + z * z), abs=1e-9)
