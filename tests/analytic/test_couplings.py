"""Gears, differentials, racks: couplings of joints against robots whose motion is known without them; in files as well."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import locodyn as ld
from locodyn.motion import constant, sine
from locodyn.robot import Robot, about_centre

RATIO, ROTOR = 12.0, 2e-4  # of the gear; kg m^2 of the motor
MASS, REACH, INERTIA = 1.2, 0.3, 0.02
DOWN = (0.0, -9.81, 0.0)


def arm(geared: bool, **actuator: float) -> Robot:
    """An arm with a motor behind a gear, or with the inertia that the motor has as seen from the arm."""
    robot = Robot("arm")
    ground = robot.base("ground", moves="fixed")
    own = {"mass": MASS, "centre": (REACH, 0, 0), "inertia": about_centre(zz=INERTIA)}
    body = robot.body("arm", **own).on(ground).turning("z")
    if not geared:
        seen = {name: RATIO**2 * value for name, value in actuator.items()}
        body.actuator(armature=RATIO**2 * ROTOR, **seen)
        return robot
    motor = robot.body("motor", mass=0.1, inertia=about_centre(zz=ROTOR)).on(ground, at=(0.5, 0, 0)).turning("z")
    if actuator:
        motor.actuator(**actuator)
    return robot.coupling("gear", {"motor": 1.0, "arm": -RATIO})


@pytest.mark.parametrize(
    ("method", "dt"),
    [("rkmk4", 2e-3), ("adams", 2e-3), ("adaptive", 2e-3), pytest.param("gauss2", 5e-3, marks=pytest.mark.slow),
     pytest.param("radau3", 5e-3, marks=pytest.mark.slow), pytest.param("generalized_alpha", 2e-3, marks=pytest.mark.slow),
     pytest.param("moreau", 2e-3, marks=pytest.mark.slow)],
)  # fmt: skip
def test_a_geared_arm_swings_as_one_with_the_reflected_inertia(method: str, dt: float) -> None:
    """The factors are constant, so that both robots have the same equation in the angle of the arm. Steps of one size are equal
    to round-off, or to the tolerance 1e-9 to which Newton's method solves them; adaptive steps differ, each within its tolerance
    1e-9 of the exact angle, for which 100 steps of it are allowed. The force of the gear is what the motor needs."""
    runs = []
    for geared in (True, False):
        scenario = ld.Scenario(
            "arm", arm(geared, viscous=1e-4), gravity=DOWN, integrator=method, dt=dt, t_end=0.6, record_every=20
        )
        runs.append(scenario.run(progress=False))
    geared, alone = runs
    angle = geared.joint_position.sel(joint="arm").values
    assert np.ptp(angle) > 1.0
    exact = {"adaptive": 1e-7, "radau3": 1e-9, "generalized_alpha": 1e-9}
    np.testing.assert_allclose(angle, alone.joint_position.sel(joint="arm").values, rtol=0, atol=exact.get(method, 1e-12))
    np.testing.assert_allclose(geared.joint_position.sel(joint="motor").values, RATIO * angle, rtol=0, atol=1e-11)
    if "multiplier" in geared.dataset and method != "moreau":
        speed, rate = (geared.dataset[name].sel(joint="motor").values for name in ("joint_velocity", "joint_acceleration"))
        force = geared.multiplier.sel(constraint="gear").values
        np.testing.assert_allclose(force, ROTOR * rate + 1e-4 * speed, rtol=0, atol=1e-9)


@pytest.mark.slow
def test_a_gear_carries_the_load_at_rest_and_in_the_linear_system() -> None:
    """A spring k on the motor holds the arm: n^2 k phi = -m g r cos(phi) with the ratio n; about that
    the arm swings with the frequency sqrt((n^2 k - m g r sin(phi)) / (J + m r^2 + n^2 J_motor))."""
    k, weight = 0.05, MASS * 9.81 * REACH
    robot = arm(True, stiffness=k)
    found = ld.statics(robot, gravity=DOWN)
    names = robot.compile().position_names
    phi, turn = found.q[names.index("arm")], found.q[names.index("motor")]
    assert phi < -0.3
    assert abs(RATIO**2 * k * phi + weight * np.cos(phi)) < 1e-10
    assert abs(turn - RATIO * phi) < 1e-12
    system = ld.linearise(ld.locomotion.Problem(robot.model(gravity=DOWN)), found.q, np.zeros(2))
    stiffness, inertia = RATIO**2 * k - weight * np.sin(phi), INERTIA + MASS * REACH**2 + RATIO**2 * ROTOR
    np.testing.assert_allclose(np.abs(system.eigenvalues.imag), np.sqrt(stiffness / inertia), rtol=1e-9)
    assert len(system.eigenvalues) == 2


def test_a_differential_gives_each_wheel_half_of_the_torque() -> None:
    """left + right = 2 shaft, a torque T on the shaft: a_left = T/2 / J_l, a_right = T/2 / J_r without inertia of the shaft; with
    it the balance J_l a_l = J_r a_r = (T - J_s a_s) / 2, a_s = (a_l + a_r) / 2."""
    robot = Robot("axle")
    frame = robot.base("frame", moves="fixed")
    inertias = {"left": 0.02, "right": 0.05, "shaft": 0.004}
    for name, inertia in inertias.items():
        robot.body(name, mass=1.0, inertia=about_centre(xx=inertia)).on(frame).turning("x")
    robot.coupling("differential", {"left": 1, "right": 1, "shaft": -2})
    run = ld.simulate(robot, torque={"shaft": constant(0.3)}, t_end=0.1, dt=0.01, gravity=(0, 0, 0), progress=False)
    rates = {name: float(run.joint_acceleration.sel(joint=name)[-1]) for name in inertias}
    half = inertias["left"] * rates["left"]
    assert half == pytest.approx(inertias["right"] * rates["right"], rel=1e-12)
    assert rates["shaft"] == pytest.approx((rates["left"] + rates["right"]) / 2, rel=1e-12)
    assert 2 * half == pytest.approx(0.3 - inertias["shaft"] * rates["shaft"], rel=1e-12)
    assert float(run.multiplier.sel(constraint="differential")[-1]) == pytest.approx(half, rel=1e-12)


def test_a_rack_follows_its_imposed_pinion_and_the_pinion_feels_its_weight() -> None:
    """x = r phi: the torque of the pinion is J a + r m (r a + g), all of it known from the law."""
    radius, mass, inertia = 0.03, 0.8, 1e-4
    robot = Robot("rack")
    frame = robot.base("frame", moves="fixed")
    robot.body("pinion", mass=0.1, inertia=about_centre(zz=inertia)).on(frame).turning("z")
    robot.body("rack", mass=mass).on(frame).sliding("y")
    robot.coupling("teeth", {"pinion": radius, "rack": -1})
    law = sine(0.5, omega=7.0)
    run = ld.simulate(robot, imposed={"pinion": law}, t_end=0.5, dt=0.005, gravity=DOWN, progress=False)
    times = run.time.values
    angle, _, rate = np.array([law.at(t) for t in times]).T
    np.testing.assert_allclose(run.joint_position.sel(joint="rack"), radius * angle, rtol=0, atol=1e-13)
    needed = inertia * rate + radius * mass * (radius * rate + 9.81)
    np.testing.assert_allclose(run.joint_torque.sel(joint="pinion"), needed, rtol=0, atol=1e-12)


@pytest.mark.slow
def test_a_geared_arm_falls_on_the_ground_as_one_with_the_reflected_inertia() -> None:
    """Hard contact beside a gear: the same impact, the same rest."""
    runs = []
    for geared in (True, False):
        robot = arm(geared)
        robot["arm"].collides(vertices=[(2 * REACH, 0, 0)], friction=0.3, restitution=0.4)
        scenario = ld.Scenario(
            "arm", robot, gravity=DOWN, integrator="moreau", dt=1e-3, t_end=1.0, record_every=50,
            obstacles=[ld.Ground(normal=(0, 1, 0), at=(0, -0.3, 0))],
        )  # fmt: skip
        runs.append(scenario.run(progress=False))
    angles = [run.joint_position.sel(joint="arm").values for run in runs]
    assert angles[0].min() == pytest.approx(-np.arcsin(0.3 / (2 * REACH)), abs=1e-3)
    np.testing.assert_allclose(angles[0], angles[1], rtol=0, atol=1e-7)


def test_two_row_pins_close_a_plane_mechanism_as_revolute_joints_do() -> None:
    """A four-bar with the cut as pin: no redundant rows, the same motion."""
    found = []
    for joint in ("pin", "revolute"):
        robot = Robot("four-bar")
        ground = robot.base("ground", moves="fixed")
        for name, parent, at, length in (("crank", ground, (0, 0, 0), 0.1), ("coupler", "crank", (0.1, 0, 0), 0.3)):
            own = {"mass": 1.0, "centre": (length / 2, 0, 0), "inertia": about_centre(zz=length**2 / 12)}
            robot.body(name, **own).on(parent, at=at).turning("z")
        own = {"mass": 1.0, "centre": (0.125, 0, 0), "inertia": about_centre(zz=0.25**2 / 12)}
        robot.body("rocker", **own).on(ground, at=(0.3, 0, 0)).turning("z")
        robot.loop("cut", "coupler", "rocker", joint, "z", first_at=(0.3, 0, 0), second_at=(0.25, 0, 0))
        start = ld.Start({"crank": 0.6, "coupler": 0.5, "rocker": 1.5}, adjust=["coupler", "rocker"])
        run = ld.simulate(robot, start=start, t_end=0.5, dt=1e-3, gravity=DOWN, record_every=100, progress=False)
        found.append(run.joint_position.values)
        assert len(run.multiplier.constraint) == (2 if joint == "pin" else 5)
    np.testing.assert_allclose(found[0], found[1], rtol=0, atol=1e-10)


MJCF = """<mujoco model="hand"><compiler autolimits="true"/><option gravity="0 0 0"/><worldbody><body name="palm">
<geom type="box" size=".03 .03 .01"/>
<body name="a" pos=".05 0 0"><joint name="a" axis="0 0 1" ref="0.1"/><geom type="box" size=".02 .01 .01" pos=".02 0 0"/>
<body name="b" pos=".05 0 0"><joint name="b" axis="0 0 1"/><geom type="box" size=".02 .01 .01" pos=".02 0 0"/></body></body>
<body name="c" pos="-.05 0 0"><joint name="c" axis="0 1 0" type="slide"/><geom type="box" size=".02 .01 .01"/></body>
</body></worldbody>
<tendon><fixed name="t"><joint joint="b" coef="0.02"/><joint joint="c" coef="1.5"/></fixed></tendon>
<equality><joint name="curl" joint1="b" joint2="a" polycoef="0.2 0.7 0 0 0"/>
<tendon name="pull" tendon1="t" polycoef="0 0 0 0 0"/>
<joint name="curve" joint1="c" joint2="a" polycoef="0 0 1 0 0"/></equality></mujoco>"""


def test_equalities_of_mjcf_become_couplings_with_the_rows_of_mujoco(tmp_path: Path) -> None:
    """MuJoCo's own residuals and Jacobian at a state that obeys ours; a curve is listed as left out."""
    mujoco = pytest.importorskip("mujoco")
    file = tmp_path / "hand.xml"
    file.write_text(MJCF)
    loaded = ld.load_robot(file)
    couplings = {one.name: one for one in loaded.robot.description.couplings}
    assert set(couplings) == {"curl", "pull"}
    assert any("'curve'" in str(note) and "straight lines" in str(note) for note in loaded.notes)
    model = mujoco.MjModel.from_xml_path(str(file))
    data = mujoco.MjData(model)
    own = {"a": 0.4}
    own["b"] = couplings["curl"].offset - couplings["curl"].factors["a"] * own["a"]
    own["c"] = (couplings["pull"].offset - couplings["pull"].factors["b"] * own["b"]) / couplings["pull"].factors["c"]
    for name, value in own.items():
        data.joint(name).qpos[0] = value + model.qpos0[model.joint(name).qposadr[0]]
    mujoco.mj_forward(model, data)
    jacobian = np.reshape(data.efc_J, (-1, model.nv))
    for row, name in enumerate(("curl", "pull")):
        assert abs(data.efc_pos[row]) < 1e-14
        expected = [couplings[name].factors.get(joint, 0.0) for joint in ("a", "b", "c")]
        np.testing.assert_allclose(jacobian[row], expected, rtol=0, atol=1e-14)


@pytest.mark.parametrize("ending", ["yaml", "urdf", "xml"])
def test_couplings_are_written_and_read_again(ending: str, tmp_path: Path) -> None:
    """The line between two joints is the same in all formats; three joints are listed as lost where a format has two only."""
    robot = arm(True)
    robot.coupling("more", {"motor": 2.0, "arm": 3.0}, offset=0.5)
    robot.body("third", mass=1.0, inertia=about_centre(zz=1e-3)).on("ground").turning("z")
    robot.coupling("three", {"motor": 1.0, "arm": 1.0, "third": -2.0})
    file = tmp_path / f"arm.{ending}"
    notes = [str(note) for note in ld.save_robot(robot, file)]
    found = ld.load_robot(file, moves="fixed").robot.description.couplings if ending == "urdf" else None
    found = ld.load_robot(file).robot.description.couplings if found is None else found
    rows = {tuple(sorted((one.factors["arm"] / one.factors["motor"], one.offset / one.factors["motor"]))) for one in found[:2]}
    assert rows == {tuple(sorted((-RATIO, 0.0))), tuple(sorted((1.5, 0.25)))}
    assert len(found) == (3 if ending == "yaml" else 2)
    assert any("three" in note for note in notes) == (ending != "yaml")
