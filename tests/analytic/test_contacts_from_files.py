"""Geoms of MJCF and collision shapes of URDF as surfaces: friction, who meets whom, servos and keyframes; closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest

import locodyn as ld
from locodyn.files import load_robot, scenario_of
from locodyn.files.surfaces import outermost

pytestmark = pytest.mark.slow

G = 9.81
WORLD = """<mujoco model="m"><compiler angle="radian"/><option gravity="0 0 -9.81"/><worldbody>{}</worldbody>{}</mujoco>"""
FLOOR = '<geom name="floor" type="plane" size="1 1 1" {}/>'
BODY = '<body name="{0}" pos="{1}"><freejoint name="{0}"/><geom name="{0}" mass="1" {2}/></body>'
PLACE = '<inertial><mass value="2"/><inertia ixx="0.01" iyy="0.01" izz="0.01"/></inertial>'


def mjcf(tmp_path, world, rest="", **options):
    file = tmp_path / "m.xml"
    file.write_text(WORLD.format(world, rest))
    return load_robot(file, **options)


def surfaces(loaded):
    return {one.name: one for body in loaded.robot.description.bodies for one in body.collisions}


def notes_of(loaded):
    return "\n".join(map(str, loaded.notes))


# ------------------------------------------------------------------------------------------------------------- what is read
def test_a_floor_brings_the_contacts_of_a_file(tmp_path):
    ball = BODY.format("ball", "0 0 1", 'type="sphere" size="0.1"')
    with_floor, without = mjcf(tmp_path, FLOOR.format("") + ball), mjcf(tmp_path, ball)
    assert list(surfaces(with_floor)) == ["ball.ball"] and isinstance(with_floor.obstacles[0], ld.Ground)
    assert not surfaces(without) and "geoms are drawn only (collides=True, --collides)" in notes_of(without)
    assert surfaces(mjcf(tmp_path, ball, collides=True)) and not surfaces(mjcf(tmp_path, FLOOR.format("") + ball, collides=False))
    off = '<option><flag contact="disable"/></option>'
    assert not surfaces(mjcf(tmp_path, FLOOR.format("") + ball, off))


@pytest.mark.parametrize(
    "floor, own, expected",
    [
        ('friction="0.4 0.02 0.003"', 'friction="0.7 0.01 0.001"', (0.7, 0.0, 0.0)),  # condim 3: sliding only
        ('friction="0.4 0.02 0.003" condim="4"', 'friction="0.3 0.01 0.001"', (0.4, 0.02, 0.0)),
        ('friction="0.4 0.02 0.003"', 'friction="0.7 0.01 0.001" condim="6"', (0.7, 0.02, 0.003 / 0.1)),
        ('condim="1"', 'condim="1"', (0.0, 0.0, 0.0)),
    ],
)
def test_friction_is_the_larger_of_both(tmp_path, floor, own, expected):
    """MuJoCo: each entry, and condim, is the larger of the two; rolling friction is a length there, times the radius here."""
    ball = BODY.format("ball", "0 0 1", f'type="sphere" size="0.1" {own}')
    found = surfaces(mjcf(tmp_path, FLOOR.format(floor) + ball))["ball.ball"].friction
    assert (found.along, found.spinning, found.rolling) == pytest.approx(expected, abs=1e-15)


def test_bits_and_exclusions_say_which_bodies_meet(tmp_path):
    """contype and conaffinity: 'a' meets the floor and 'b'; 'c' meets 'a' and 'b' but not the floor; 'd' meets nothing."""
    bits = {"a": (1, 1), "b": (1, 1), "c": (2, 1), "d": (0, 0)}
    world = FLOOR.format('contype="1" conaffinity="0"') + "".join(
        BODY.format(name, f"0 0 {k + 1}", f'type="sphere" size="0.1" contype="{one}" conaffinity="{two}"')
        for k, (name, (one, two)) in enumerate(bits.items())
    )
    loaded = mjcf(tmp_path, world, '<contact><exclude body1="a" body2="b"/></contact>')
    assert list(surfaces(loaded)) == ["a.a", "b.b", "c.c"]
    assert loaded.self_collision.exclude == (("a", "b"),)


def test_bodies_on_a_joint_of_several_axes_are_neighbours(tmp_path):
    """MuJoCo's body with three hinges becomes a chain with bodies that are nothing but steps: its ends stay in touch."""
    hip = '<joint type="hinge" axis="1 0 0"/><joint type="hinge" axis="0 1 0"/><joint type="hinge" axis="0 0 1"/>'
    geom = '<geom type="capsule" size="0.1 0.2" pos="0 0 {}" mass="1"/>'
    foot = f'<body name="foot" pos="0 0 -0.6"><joint type="hinge" axis="0 1 0"/>{geom.format(-0.2)}</body>'
    leg = f'<body name="leg" pos="0 0 -0.2">{hip}{geom.format(-0.2)}{foot}</body>'
    torso = f'<body name="torso" pos="0 0 2"><freejoint/>{geom.format(0)}{leg}</body>'
    file = tmp_path / "m.xml"
    file.write_text(WORLD.format(FLOOR.format("") + torso, ""))
    left_out = scenario_of(file).scenario.left_out()
    assert set(left_out) == {("torso", "leg"), ("leg", "foot")}  # torso and foot meet


def test_outermost_points_hold_the_corners_of_a_box():
    rng = np.random.default_rng(3)
    inside = rng.uniform(-0.9, 0.9, (500, 3))
    corners = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
    found = outermost(np.vstack((inside, corners)))
    assert {tuple(point) for point in found} == {tuple(corner) for corner in corners}


# ------------------------------------------------------------------------------------------------------------- closed forms
def test_a_block_slides_down_a_plane(tmp_path):
    """A plane turned by 0.5 rad about y, coefficient 0.3: a = g (sin - mu cos) down the slope (closed form)."""
    angle, mu, t = 0.5, 0.3, 0.4
    floor = FLOOR.format(f'euler="0 {angle} 0" friction="{mu} 0 0"')
    height = np.array([math.sin(angle), 0.0, math.cos(angle)]) * 0.05
    block = f'<body name="block" pos="{height[0]} 0 {height[2]}" euler="0 {angle} 0"><freejoint name="block"/>' + (
        f'<geom type="box" size="0.1 0.1 0.05" mass="1" friction="{mu} 0 0"/></body>'
    )
    file = tmp_path / "m.xml"
    file.write_text(WORLD.format(floor + block, ""))
    result = scenario_of(file).scenario.changed(t_end=t, dt=1e-3, integrator="moreau").run(progress=False)
    down = np.array([math.cos(angle), 0.0, -math.sin(angle)])
    moved = (result.position.values[-1] - result.position.values[0]) @ down
    acceleration = G * (math.sin(angle) - mu * math.cos(angle))
    # Moreau's step takes the friction of the first step whole: half a step of the final speed at most
    assert moved == pytest.approx(0.5 * acceleration * t**2, abs=0.5 * 1e-3 * acceleration * t)


ARM = """<body name="arm"><joint name="arm" type="hinge" axis="0 1 0" ref="{ref}"/>
<geom type="sphere" size="0.1" pos="1 0 0" mass="2"/></body>"""
SERVO = '<actuator><position name="p" joint="arm" kp="200" kv="30" gear="0.5"/></actuator>'
KEYS = '<keyframe><key name="up" qpos="0.2" qvel="0.5" ctrl="0.05"/><key qpos="0.3" ctrl="0.1"/></keyframe>'


@pytest.mark.parametrize("ref", [0.0, 0.3])
def test_position_actuators_hold_what_mujoco_holds(tmp_path, ref):
    """At rest: kp gear (u - gear q) = -m g L cos(q), solved by Newton's method here, and MuJoCo's own rest beside it."""
    import mujoco

    file = tmp_path / "m.xml"
    file.write_text(WORLD.format(ARM.format(ref=ref), SERVO + KEYS))
    loaded = load_robot(file)
    servo = loaded.servos["arm"]
    assert (servo.stiffness, servo.damping) == (200 * 0.25, 30 * 0.25)
    scenario = loaded.scenario().changed(t_end=20.0, dt=0.01)
    assert "from its keyframe 'up'" in scenario.summary and list(loaded.starts) == ["up", "key_1"]
    q, v = scenario.initial_state()
    assert q == pytest.approx([0.2 - ref]) and v == pytest.approx([0.5])
    rest = scenario.run(progress=False).joint_position.values[-1, 0] + ref
    found = 0.1
    for _ in range(50):  # the arm sinks with growing angle about y; its mass is at cos(angle - ref)
        force = 50 * (0.1 - found) + 2 * G * math.cos(found - ref)
        found += force / (50 + 2 * G * math.sin(found - ref))
    assert rest == pytest.approx(found, abs=1e-9)
    model = mujoco.MjModel.from_xml_path(str(file))
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    for _ in range(10000):
        mujoco.mj_step(model, data)
    assert rest == pytest.approx(float(data.qpos[0]), abs=1e-9)


WHEEL = """<body name="w"><joint name="w" type="hinge" axis="0 1 0"/>
<inertial pos="0 0 0" mass="1" diaginertia="0.2 0.3 0.2"/></body>"""


def test_velocity_actuators_take_velocities(tmp_path):
    """I w' = d (u / gear - w) with d = kv gear^2: w = (u / gear) (1 - exp(-d t / I)), closed form; the action is u / gear.

    The keyframe's control gives the same in a run.
    """
    inertia, kv, gear, u = 0.3, 0.05, 2.0, 3.0
    velocity = f'<actuator><velocity name="v" joint="w" kv="{kv}" gear="{gear}"/></actuator>'
    key = f'<keyframe><key name="zero"/><key name="turn" ctrl="{u}"/></keyframe>'
    loaded = mjcf(tmp_path, WHEEL, velocity + key)
    rate, target = kv * gear**2 / inertia, u / gear
    t, dt = 2.0, 0.01

    def turned(t):
        return target * (t + np.expm1(-rate * t) / rate), -target * np.expm1(-rate * t)

    plain = loaded.scenario().changed(t_end=t, dt=dt, integrator="rkmk4")
    sim = plain.open()
    assert sim.action_names == ("w",) and sim.action == pytest.approx([0.0])
    q, v = sim.step([target], steps=round(t / dt))
    bound = target * t * (rate * dt) ** 4  # the fourth order of the method; its constant is below 1 / 120
    assert np.abs(np.concatenate((q, v)) - turned(t)).max() < bound
    q, v = sim.step([0.0], steps=round(t / dt))  # held back again, by the same damping
    assert v[0] == pytest.approx(turned(t)[1] * math.exp(-rate * t), abs=bound)
    run = loaded.scenario(start="turn").changed(t_end=t, dt=dt, integrator="rkmk4").run(progress=False)
    assert np.abs(np.concatenate((run.q[-1], run.v[-1])) - turned(t)).max() < bound


def test_what_actuators_and_options_cannot_become_is_listed_by_name(tmp_path):
    """A second actuator of a joint, those of a tendon, a site and a muscle; how MuJoCo steps."""
    site = WHEEL.replace("</body>", '<site name="s"/></body>')
    rest = """<tendon><fixed name="t"><joint joint="w" coef="1"/></fixed></tendon>
    <option timestep="0.001" integrator="implicitfast" cone="elliptic"><flag eulerdamp="disable" gravity="disable"/></option>
    <actuator><velocity name="first" joint="w" kv="1" ctrlrange="-1 1"/><motor name="second" joint="w" ctrlrange="-1 1"/>
    <motor name="pull" tendon="t"/><motor name="push" site="s"/><muscle name="flesh" joint="w" lengthrange="-1 1"/></actuator>"""
    said = notes_of(mjcf(tmp_path, site, rest))
    for words in (
        "lost: actuator 'first': the range of its control",
        "lost: 2 x actuator ('second', 'flesh'): its joint has another actuator before it",
        "lost: actuator 'pull': it acts on a tendon",
        "lost: actuator 'push': it acts on a site",
        "lost: option (timestep, integrator, cone, flag eulerdamp): how MuJoCo makes its steps",
    ):
        assert words in said, said


def test_another_keyframe_by_its_name(tmp_path):
    file = tmp_path / "m.xml"
    file.write_text(WORLD.format(ARM.format(ref=0.0), SERVO + KEYS))
    scenario = scenario_of(file, {"start": "key_1"}).scenario
    assert scenario.initial_state()[0] == pytest.approx([0.3]) and scenario.drive.servo["arm"].law.at(0.0)[0] == pytest.approx(
        0.2
    )
    with pytest.raises(ld.InputError, match="has no keyframe 'pu'; known: up, key_1"):
        scenario_of(file, {"start": "pu"})


def test_keyframes_of_a_free_body_that_starts_turned(tmp_path):
    """The pose of the keyframe comes out in the world, where MuJoCo has it."""
    ball = '<body name="b" pos="1 2 3" euler="0.3 0.2 0.1"><freejoint/><geom type="box" size="0.1 0.2 0.3" mass="1"/></body>'
    key = '<keyframe><key qpos="0.5 0.6 0.7 0.5 0.5 0.5 0.5"/></keyframe>'
    loaded = mjcf(tmp_path, ball, key)
    scenario = loaded.scenario().changed(t_end=1e-3, dt=1e-3)
    result = scenario.run(progress=False)
    assert result.position.values[0] == pytest.approx([0.5, 0.6, 0.7], abs=1e-12)
    assert np.abs(result.orientation.values[0]) == pytest.approx([0.5] * 4, abs=1e-12)


# --------------------------------------------------------------------------------------------------------------------- URDF
def test_a_keyframe_that_overlaps_is_moved_out(tmp_path):
    """A ball of 0.1 m stored 4 mm deep, as soft contacts leave it: it starts where it touches, and stays there."""
    key = '<keyframe><key qpos="0 0 0.096 1 0 0 0"/></keyframe>'
    loaded = mjcf(tmp_path, FLOOR.format("") + BODY.format("ball", "0 0 1", 'type="sphere" size="0.1"'), key)
    scenario = loaded.scenario()
    assert "moved out of overlaps" in repr(scenario)
    height = scenario.changed(t_end=0.1).run(progress=False).position.values[:, 2]
    assert np.abs(height - 0.1).max() < 1e-7  # m: the gap by which surfaces count as parted (contact/resolve.py)
    away = mjcf(tmp_path, BODY.format("ball", "0 0 1", 'type="sphere" size="0.1"'), key)  # nothing to overlap with
    assert not away.scenario().start.resolve


def test_a_urdf_stands_on_the_ground_below_it(tmp_path):
    """A box on two cylinders, turned: the ground is at its lowest point, and it stays there."""
    shapes = '<collision><origin xyz="0 0 0.1"/><geometry><box size="0.4 0.3 0.1"/></geometry></collision>' + "".join(
        f'<collision><origin xyz="{x} 0 0" rpy="1.5707963267948966 0 0"/><geometry><cylinder radius="0.05" length="0.3"/>'
        "</geometry></collision>"
        for x in (-0.15, 0.15)
    )
    file = tmp_path / "cart.urdf"
    file.write_text(f'<robot name="cart"><link name="a">{PLACE}{shapes}</link></robot>')
    plain = load_robot(file)
    assert not plain.obstacles and "(collides=True, --collides: they touch)" in notes_of(plain)
    loaded = load_robot(file, collides=True)
    assert loaded.obstacles[0].at == pytest.approx((0.0, 0.0, -0.05), abs=1e-15)
    assert [one.kind for one in surfaces(loaded).values()] == ["box", "cylinder", "cylinder"]
    assert "friction of link 'a': 1; the file says none" in notes_of(loaded)
    result = scenario_of(file, collides=True).scenario.changed(t_end=0.2).run(progress=False)
    # the penetration that the solver leaves is that of its residual, 1e-10 N s per step on 2 kg
    assert np.abs(result.position.values[-1]).max() < 1e-7
    fixed = load_robot(file, collides=True, moves="fixed")
    assert not fixed.obstacles


BALL = '<collision><geometry><sphere radius="0.1"/></geometry>{}</collision>'
DRAKE = "<drake:proximity_properties>{}</drake:proximity_properties>"


@pytest.mark.parametrize("inside, beside, along, across, rolling", [
    ('<contact><lateral_friction value="0.3"/><rolling_friction value="0.02"/></contact>', "", 0.3, 0.3, 0.2),
    ("", '<gazebo reference="a"><mu1>0.4</mu1><mu2>0.6</mu2><kp>1e5</kp></gazebo>', 0.4, 0.6, 0.0),
    ("", '<gazebo reference="a"><mu1 value="0.4"/></gazebo>', 0.4, 0.4, 0.0),
    ('<contact><lateral_friction value="0.3"/></contact>', '<gazebo reference="a"><mu1>0.4</mu1></gazebo>', 0.3, 0.3, 0.0),
    ('<contact><stiffness value="300"/></contact>', "", 1.0, 1.0, 0.0),
])  # fmt: skip
def test_friction_of_a_urdf_is_that_of_bullet_or_gazebo(tmp_path, inside, beside, along, across, rolling):
    file = tmp_path / "ball.urdf"
    file.write_text(f'<robot name="ball"><link name="a">{PLACE}{BALL.format("")}{inside}</link>{beside}</robot>')
    loaded = load_robot(file, collides=True)
    friction = surfaces(loaded)["a.surface"].friction
    assert (friction.along, friction.across) == (along, across) and friction.rolling == pytest.approx(rolling)
    said = repr(loaded)
    assert (
        said.startswith("Loaded <robot 'ball': 1 body")
        and "\n  world    ground 'ground'" in said
        and "<tr>" in loaded._repr_html_()
    )
    assert ("the file says none" in said) == (along == 1.0)
    assert ("it is not read" in said) == any(word in inside + beside for word in ("stiffness", "kp"))  # what is left of the tags


def test_friction_of_a_urdf_is_that_of_drake_first(tmp_path):
    """Shape by shape, before that of the link."""
    shapes = BALL.format(DRAKE.format('<drake:mu_static value="0.9"/><drake:mu_dynamic value="0.7"/>')) + BALL.format("")
    link = f'<contact><lateral_friction value="0.3"/><restitution value="0.5"/></contact>{shapes}'
    file = tmp_path / "ball.urdf"
    file.write_text(f'<robot name="ball" xmlns:drake="http://drake.mit.edu"><link name="a">{PLACE}{link}</link></robot>')
    found = surfaces(load_robot(file, collides=True))
    assert [one.friction.along for one in found.values()] == [0.7, 0.3]
    assert [one.restitution for one in found.values()] == [0.5, 0.5]
    file.write_text(file.read_text().replace('"0.3"', '"-0.3"'))
    with pytest.raises(ld.InputError, match="<lateral_friction> is '-0\\.3'; it must be a number that is not negative"):
        load_robot(file, collides=True)


def test_scenario_files_say_whether_it_collides(tmp_path):
    (tmp_path / "m.xml").write_text(WORLD.format(FLOOR.format("") + BODY.format("ball", "0 0 1", 'size="0.1"'), ""))
    file = tmp_path / "s.yaml"
    file.write_text("robot: m.xml\ncollides: false\n")
    assert not scenario_of(file).scenario.world.obstacles
    file.write_text("robot: m.xml\n")
    assert len(scenario_of(file).scenario.world.obstacles) == 1
    with pytest.raises(ld.InputError, match="says itself what collides; leave --collides out"):
        file.write_text("robot: m.xml\ncollides: true\n")
        scenario_of(file, collides=True)
    with pytest.raises(ld.InputError, match="--moves, --root and --collides go with a file"):
        scenario_of("pendulum", collides=True)
