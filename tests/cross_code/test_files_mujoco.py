"""MJCF files as MuJoCo reads them: masses, inertias, poses, and a second of motion. The models of Gymnasium are real ones."""

import warnings
from pathlib import Path

import numpy as np
import pytest

from locodyn.files import load_robot, scenario_of
from locodyn.locomotion.problem import Problem
from locodyn.sim import LimitWarning
from models.file_peers import MujocoFile, random_state, worst

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
    scenario = scenario_of(file, collides=False).scenario.changed(servo={})
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
        "actuator 'reach_servo': actuators of position and velocity become servos of their joints",
        "actuator 'elbow_motor': motors with a range become torque limits",
        "sensors (1)",
        "contacts: MuJoCo's are soft (solref, solimp); here they are hard, without rebound",
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


# ------------------------------------------------------------------------------------------------------------------ flags
# A ball and four hinges and slides with all that a flag can switch off; joint 'reach' has a ref and neither spring nor limit.
FLAGGED = """
<mujoco model="flagged">
  <compiler angle="radian"/>
  <option gravity="1 -2 -9"><flag {flags}/></option>
  <worldbody>
    <body name="upper" pos="0.1 0 1.2" euler="0.2 0.1 0">
      <joint name="shoulder" type="ball" damping="0.3" stiffness="{ball}" armature="0.01"/>
      <geom type="capsule" fromto="0 0 0 0.1 0 -0.4" size="0.04"/>
      <body name="lower" pos="0 0 -0.42">
        <joint name="elbow" type="hinge" axis="0 1 0" ref="0.4" springref="0.7" stiffness="6" damping="0.2" range="-0.2 2.4"
               frictionloss="0.3"/>
        <geom type="capsule" fromto="0 0 0 0.1 0.1 -0.3" size="0.03"/>
        <body name="hand" pos="0 0 -0.3" gravcomp="{gravcomp}">
          <joint name="reach" type="slide" axis="0 0 -1" ref="0.2"/>
          <geom type="box" size="0.03 0.05 0.02"/>
        </body>
      </body>
    </body>
  </worldbody>
  <equality><connect body1="hand" body2="world" anchor="0 0 0"/></equality>
  <actuator>
    <motor name="turn" joint="elbow" gear="3" armature="0.02" damping="0.1" ctrllimited="true" ctrlrange="-1 2"/>
    <position name="servo" joint="reach" kp="50"/>
  </actuator>
</mujoco>
"""
SWITCHED_OFF = {
    "gravity": "equality gravity",
    "spring": "equality spring",
    "damper": "equality damper",
    "passive": "equality spring damper",
    "equality": "equality",
    "constraint": "constraint",
    "all": "equality spring damper gravity",
}


def flagged(tmp_path, off, ball=2.0, gravcomp=0.0):
    file = tmp_path / "flagged.xml"
    flags = " ".join(f'{name}="disable"' for name in off.split())
    file.write_text(FLAGGED.format(flags=flags, ball=ball, gravcomp=gravcomp))
    return file, load_robot(file)


@pytest.mark.parametrize("case", SWITCHED_OFF)
def test_what_flags_switch_off_does_not_act(case, tmp_path):
    """Accelerations at random states, with and without gravity, springs, dampers, constraints: those of MuJoCo's ``mj_forward``.

    The dry friction is switched off in both (MuJoCo holds it by a constraint, here it is smoothed), and so is the loop, by the
    flags of the file.
    """
    file, loaded = flagged(tmp_path, f"frictionloss {SWITCHED_OFF[case]}")
    model = loaded.robot.model(gravity=loaded.gravity)
    peer, problem, rng = MujocoFile(file, model), Problem(model), np.random.default_rng(3)
    assert not loaded.robot.description.loops
    for _ in range(5):
        q, v = random_state(model, rng)
        assert worst(problem.accelerations(0.0, q.copy(), v.copy()), peer.acceleration(q, v)) < 1e-11


def test_flags_and_references_are_noted(tmp_path):
    off = "gravity spring damper frictionloss limit contact equality clampctrl actuation constraint"
    notes = "\n".join(map(str, flagged(tmp_path, off)[1].notes))
    for name in off.split():
        assert f"changed: flag '{name}': it switches off" in notes
    loaded = flagged(tmp_path, "")[1]
    notes = "\n".join(map(str, loaded.notes))
    for words in (
        "joint 'elbow': its position is counted from its ref, 0.4",
        "joint 'reach': its position is counted from its ref, 0.2",
        "joint 'elbow': MuJoCo stops it at its limits; here a run that passes them says so",
        "actuator 'turn': its range is not symmetric",
    ):
        assert words in notes
    assert "flag" not in notes and "gravity compensation" not in notes
    elbow = loaded.robot.description.body("lower")
    assert len(loaded.robot.description.loops) == 1 and elbow.joint.limits == pytest.approx((-0.6, 2.0))
    assert elbow.actuator.torque_limit == 6.0 and elbow.actuator.coulomb == 0.3
    assert elbow.actuator.armature == pytest.approx(0.18) and elbow.actuator.viscous == pytest.approx(0.2 + 0.9)


def test_what_is_switched_off_is_not_in_the_robot(tmp_path):
    elbow = flagged(tmp_path, "limit clampctrl frictionloss")[1].robot.description.body("lower")
    assert (
        elbow.joint.limits == (-np.inf, np.inf) and elbow.actuator.coulomb == 0.0 and not np.isfinite(elbow.actuator.torque_limit)
    )
    assert not np.isfinite(flagged(tmp_path, "actuation")[1].robot.description.body("lower").actuator.torque_limit)


@pytest.mark.parametrize(("off", "noted"), [("", True), ("gravity", False), ("spring", True), ("spring damper", False)])
def test_gravity_compensation_is_listed_where_it_acts(off, noted, tmp_path):
    loaded = flagged(tmp_path, off, gravcomp=1.0)[1]
    assert noted == any("gravity compensation" in str(note) for note in loaded.notes)
