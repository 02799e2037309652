"""Bad files: one sentence with the file, the line and what would be right; exit code 2; nothing half-written or executed."""

import re
from pathlib import Path

import numpy as np
import pytest

import locodyn as ld
from locodyn.files import load_robot, paths, scenario_of

pytestmark = pytest.mark.slow

TESTS = Path(__file__).resolve().parents[1]
EXAMPLES = TESTS.parent / "examples" / "files"

ROBOT = """\
robot: cart
base: {name: cart, moves: planar, mass: 2.0, shape: {box: [0.4, 0.2, 0.1]}}
bodies:
  arm:
    parent: cart
    turning: z
    mass: 1.0
    shape: {box: [0.2, 0.1, 0.1]}
"""
SCENARIO = """\
robot: robot.yaml
drives:
  imposed:
    arm: {sine: {amplitude: 0.3, omega: 2}}
time: {end: 1}
"""
URDF = """\
<robot name="two">
  <link name="a">
    <inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial>
  </link>
  <link name="b">
    <inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial>
  </link>
  <joint name="j" type="revolute">
    <parent link="a"/>
    <child link="b"/>
    <axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="5" velocity="2"/>
  </joint>
</robot>
"""
MJCF = """\
<mujoco model="one">
  <worldbody>
    <body name="a">
      <joint name="j"/>
      <geom size="0.1"/>
    </body>
  </worldbody>
</mujoco>
"""


@pytest.fixture
def put(tmp_path):
    def write(name, text):
        file = tmp_path / name
        file.write_text(text) if isinstance(text, str) else file.write_bytes(text)
        return file

    return write


def refused(sentence, act):
    with pytest.raises(ld.LocodynError, match=re.escape(sentence)) as error:
        act()
    assert "\n" not in str(error.value)


# --------------------------------------------------------------------------------------------------------------------- YAML
BAD_ROBOTS = {
    "line 6: this is not YAML: while parsing a flow sequence": (ROBOT, "  arm:\n", "  arm: [\n"),
    "line 7: body 'arm' has the key 'mas', which is not known; did you mean 'mass'?": (ROBOT, "mass: 1.0", "mas: 1.0"),
    "line 7: 'mass' of body 'arm' is 'heavy'; it must be a finite number of at least 0.": (ROBOT, "mass: 1.0", "mass: heavy"),
    "line 7: 'mass' of body 'arm' is -1; it must be": (ROBOT, "mass: 1.0", "mass: -1"),
    "line 7: 'mass' of body 'arm' is nan": (ROBOT, "mass: 1.0", "mass: .nan"),
    "line 7: 'mass' of body 'arm' is '2 * 3'": (ROBOT, "mass: 1.0", "mass: 2 * 3"),
    "line 6: 'turning' of body 'arm' is 'w', which is not known": (ROBOT, "turning: z", "turning: w"),
    "line 4: how body 'arm' moves on 'cart' is not said": (ROBOT, "    turning: z\n", ""),
    "line 7: body 'arm' has both 'turning' and 'sliding'; give one": (ROBOT, "    mass: 1.0", "    sliding: x"),
    "line 4: body 'arm' has no 'parent': the name of the body that carries it.": (ROBOT, "    parent: cart\n", ""),
    "line 5: body 'arm' has the key 'on', which is called 'parent'; rename it.": (ROBOT, "parent: cart", "on: cart"),
    "line 1: Body 'arm' is on 'carr', which is not a body; did you mean 'cart'?": (ROBOT, "parent: cart", "parent: carr"),
    "line 2: 'base' of the robot has no 'name'": (ROBOT, "name: cart, ", ""),
    "line 2: 'moves' of 'base' of the robot is 'flying'": (ROBOT, "moves: planar", "moves: flying"),
    "line 9: the key 'mass' is there already, in line 7": (ROBOT, "0.1]}\n", "0.1]}\n    mass: 3.0\n", -1),
    "line 7: the tag '!!python/object/apply:os.system' is not read": (
        ROBOT, "mass: 1.0", "mass: !!python/object/apply:os.system ['touch hacked']"),
    "line 7: the tag '!mass' is not read": (ROBOT, "mass: 1.0", "mass: !mass 1"),
    "line 4: Robot 'cart' already has a body 'cart'": (ROBOT, "  arm:\n", "  cart:\n"),
    "line 8: the mesh is '../m.stl', which lies outside of the folder": (ROBOT, "{box: [0.2, 0.1, 0.1]}", "{mesh: ../m.stl}"),
    "line 8: the mesh is '/etc/passwd', which lies outside of the folder": (
        ROBOT, "{box: [0.2, 0.1, 0.1]}", "{mesh: /etc/passwd}"),
    "line 8: 'shape' of body 'arm' needs one of box, sphere": (ROBOT, "{box: [0.2, 0.1, 0.1]}", "{colour: [1, 0, 0]}"),
    "line 8: only a mesh has a scale.": (ROBOT, "{box: [0.2, 0.1, 0.1]}", "{box: [1, 1, 1], scale: 2}"),
    "line 8: 'box' of 'shape' of body 'arm' has 2 entries; it must be a list of 3 numbers.": (
        ROBOT, "{box: [0.2, 0.1, 0.1]}", "{box: [1, 1]}"),
    "line 8: Disc 'tyre' on 'arm' has the radius 0.1 m, but it must be positive, and larger than its crown": (
        ROBOT, "mass: 1.0", "mass: 1.0\n    rolling: {tyre: {radius: 0.1, axis: y, crown: 0.2}}"),
    "line 8: rolling surface 'tyre' needs one of radius, semi_axes": (
        ROBOT, "mass: 1.0", "mass: 1.0\n    rolling: {tyre: {axis: y}}"),
    "line 1: the robot needs one of base, from, robots.": (ROBOT, ROBOT, "robot: cart\n"),
    "is empty; 'locodyn new robot.yaml' writes a template.": (ROBOT, ROBOT, "# nothing\n"),
    "line 1: the robot is a list; it must be a mapping": (ROBOT, ROBOT, "- 1\n"),
}  # fmt: skip


@pytest.mark.parametrize("sentence", BAD_ROBOTS)
def test_bad_robot_files(sentence, put, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text, old, new, *last = BAD_ROBOTS[sentence]
    changed = new.join(text.rsplit(old, 1)) if last else text.replace(old, new)
    assert changed != text
    file = put("robot.yaml", changed)
    refused(sentence, lambda: load_robot(file))
    assert not (tmp_path / "hacked").exists()


def test_files_that_are_too_large_or_grow(put, monkeypatch):
    bomb = "a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n"
    bomb += "".join(f"{y}: &{y} [{', '.join(['*' + x] * 10)}]\n" for x, y in zip("abcdefgh", "bcdefghi", strict=True))
    refused("holds more than 200000 entries", lambda: load_robot(put("bomb.yaml", bomb)))
    refused("nested too deeply", lambda: load_robot(put("deep.yaml", "a: " + "[" * 3000 + "]" * 3000)))
    refused("is not text in UTF-8", lambda: load_robot(put("binary.yaml", b"robot: \xff\xfe")))
    refused("it holds a character that is not allowed", lambda: load_robot(put("odd.yaml", "robot: \x01\n")))
    monkeypatch.setattr(paths, "MOST_TEXT", 100)
    monkeypatch.setattr(paths.read_bytes, "__defaults__", (100,))
    refused("files of more than", lambda: load_robot(put("long.yaml", ROBOT)))
    refused("files of more than", lambda: load_robot(put("long.urdf", URDF)))


def test_files_that_begin_with_each_other(put):
    put("a.yaml", "from: b.yaml\n")
    file = put("b.yaml", "from: a.yaml\n")
    refused("begins with itself", lambda: load_robot(file))
    refused("begins with itself", lambda: scenario_of(file))


def test_a_robot_that_begins_with_a_urdf(put):
    """What is said on top of another file, in a robot file and in place; what that file says itself is not said again."""
    put("two.urdf", URDF)
    more = "bodies: {b: {actuator: {viscous: 0.5}, markers: {tip: {at: [1, 0, 0]}}}, c: {parent: b, sliding: x, mass: 1}}\n"
    loaded = load_robot(put("more.yaml", "from: two.urdf\nmoves: planar\nchange: {a.mass: 3.0}\n" + more))
    description = loaded.robot.description
    assert [body.inertia.mass for body in description.bodies] == [3.0, 1.0, 1.0] and description.bodies[0].joint.type == "planar"
    assert vars(description.body("b").actuator)["torque_limit"] == 5.0 and description.body("b").actuator.viscous == 0.5
    place = put("place.yaml", "robot:\n  from: two.urdf\n  moves: fixed\n  " + more)
    assert scenario_of(place).scenario.compiled.coordinate_names == ("j", "c")
    refused(
        "line 1: body 'b' has its place and joint in 'two.urdf'",
        lambda: load_robot(put("bad.yaml", "{from: two.urdf, bodies: {b: {turning: z}}}")),
    )
    refused(
        "line 1: body 'bb' has no 'parent': the name of the body that carries it",
        lambda: load_robot(put("bad.yaml", "{from: two.urdf, bodies: {bb: {mass: 1}}}")),
    )
    refused(
        "line 2: Robot 'two' has no parameter 'b.mas'; did you mean 'b.mass'?",
        lambda: load_robot(put("bad.yaml", "from: two.urdf\nchange: {b.mas: 1}\n")),
    )
    refused("line 1: 'moves' goes with 'from'", lambda: load_robot(put("bad.yaml", "{base: {name: a, mass: 1}, moves: free}")))


def test_other_files(put, tmp_path):
    refused("there is no file", lambda: load_robot(tmp_path / "none.yaml"))
    (tmp_path / "folder.yaml").mkdir()
    refused("is a folder", lambda: load_robot(tmp_path / "folder.yaml"))
    refused("expand it first, with ROS's xacro", lambda: load_robot(put("a.xacro", "<robot/>")))
    half = '<robot name="a"><link name="b"><inertial><mass value="${r}"/></inertial></link></robot>'
    refused("it must be a finite number. This is xacro; expand it first", lambda: load_robot(put("half.urdf", half)))
    refused("SDF is not read", lambda: load_robot(put("a.sdf", "<sdf/>")))
    refused("its ending must be one of .yaml", lambda: load_robot(put("a.txt", ROBOT)))
    refused("begins with <html>", lambda: load_robot(put("a.xml", "<html/>")))


BAD_SCENARIOS = {
    "line 4: 'sine' of law of 'arm' has the key 'omge', which is not known; did you mean 'omega'?": ("omega", "omge"),
    "line 4: 'sine' of law of 'arm' has no 'omega': rad/s.": (", omega: 2", ""),
    "line 4: robot 'cart' has no coordinate 'amr'; did you mean 'arm'?": ("    arm:", "    amr:"),
    "line 5: 'end' of 'time' of the scenario is 0": ("end: 1", "end: 0"),
    "line 5: the step is 2 s, longer than the run": ("end: 1", "end: 1, step: 2"),
    "line 1: the robot is '../robot.yaml', which lies outside of the folder": ("robot.yaml", "../robot.yaml"),
    "line 1: there is no file": ("robot.yaml", "rbot.yaml"),
    "line 1: 'robot' of the scenario is 3; it must be the name of a file": ("robot: robot.yaml", "robot: 3"),
    "line 1: there is no scenario 'snakebord'; did you mean 'snakeboard'?": ("robot: robot.yaml", "robot: {zoo: snakebord}"),
    "line 4: law of 'arm' needs one of constant, polynomial": ("sine: {amplitude: 0.3, omega: 2}", "soft_start: 1"),
    "line 4: 'csv' of law of 'arm' has no 'column'": ("sine: {amplitude: 0.3, omega: 2}", "csv: {file: a.csv}"),
    "the motion file is '/etc/passwd', which lies outside": (
        "sine: {amplitude: 0.3, omega: 2}", "csv: {file: /etc/passwd, column: root}"),
    "line 6: the direction of the slope must lie in the ground": (
        "time: {end: 1}", "time: {end: 1}\nworld: {slope: {angle: 1, towards: z}}"),
    "line 7: a result has no variable 'positon'; did you mean 'position'?": (
        "time: {end: 1}", "time: {end: 1}\nchecks:\n  - {of: positon, expected: 1, tolerance: 1}"),
    "line 6: Wrench law 'wind' acts on 'crt', which is not a body": (
        "time: {end: 1}", "time: {end: 1}\nworld: {laws: {wind: {acts_on: crt, law: {world_force: {force: [1, 0, 0]}}}}}"),
    "line 6: robot 'cart' has no position 'amr'; did you mean 'arm'?": (
        "time: {end: 1}", "time: {end: 1}\nstart: {positions: {amr: 1}}"),
    "line 6: robot 'cart' has no velocity 'cart.vz'; did you mean 'cart.wz'?": (
        "time: {end: 1}", "time: {end: 1}\nstart: {velocities: {cart.vz: 1}}"),
    "line 5: robot 'cart' has no wheel 'left'; none is known": ("time: {end: 1}", "  steering: {left: 1}"),
    "line 5: robot 'cart' has no coordinate 'amr'; did you mean 'arm'?": ("time: {end: 1}", "  servo: {amr: {stiffness: 1}}"),
    "line 6: robot 'cart' has no coordinate 'amr'; did you mean": ("time: {end: 1}", "time: {end: 1}\nstart: {keep: [amr]}"),
    "line 4: 'cycloid' of law of 'arm' has no 'duration'": ("sine: {amplitude: 0.3, omega: 2}", "cycloid: {start: 0, end: 1}"),
    "line 3: 'arm' is moved by the gait and under 'imposed'; choose one.": (
        "  imposed:", "  gait: {harmonic: {omega: 2, joints: {arm: 0.2}}}\n  imposed:"),
}  # fmt: skip


@pytest.mark.parametrize("sentence", BAD_SCENARIOS)
def test_bad_scenario_files(sentence, put):
    put("robot.yaml", ROBOT)
    old, new = BAD_SCENARIOS[sentence]
    assert old in SCENARIO
    file = put("scenario.yaml", SCENARIO.replace(old, new))

    refused(sentence, lambda: scenario_of(file))


def test_settings_of_a_file(put):
    put("robot.yaml", ROBOT)
    file = put("scenario.yaml", SCENARIO)
    scenario = scenario_of(file, {"arm.mass": "3", "drives.imposed.arm.sine.amplitude": "0.5", "time.step": "0.02"}).scenario
    assert scenario.compiled.total_mass == 5.0 and scenario.numerics.step == 0.02
    assert scenario.drive.imposed["arm"].at(0.0)[1] == 1.0
    refused("has no parameter 'amr.mass'; did you mean 'arm.mass'?", lambda: scenario_of(file, {"amr.mass": "3"}))
    refused("has the key 'enb', which is not known", lambda: scenario_of(file, {"time.enb": "3"}))
    refused("the file has no 'impsed' there; did you mean 'imposed'?", lambda: scenario_of(file, {"drives.impsed.arm": "3"}))
    refused("'end' of 'time' of the scenario is 'x'", lambda: scenario_of(file, {"time.end": "x"}))
    assert scenario_of(put("b.yaml", "robot: {zoo: pendulum}\ntime: {end: 2}\n"), {"n": "3"}).scenario.compiled.nv == 3


def test_slope_tilts_gravity(put):
    put("robot.yaml", ROBOT)
    file = put("scenario.yaml", SCENARIO + "world: {gravity: 10, slope: 0.3}\n")
    assert scenario_of(file).scenario.world.gravity == pytest.approx((-2.955202067, 0.0, -9.553364891))  # -g (sin, 0, cos)
    file = put("scenario.yaml", SCENARIO + "world: {gravity: 10, slope: {angle: 0.3, towards: -y}}\n")
    assert scenario_of(file).scenario.world.gravity == pytest.approx((0.0, 2.955202067, -9.553364891))


# ---------------------------------------------------------------------------------------------------------------------- XML
BAD_URDF = {
    "line 13: this is not XML: Opening and ending tag mismatch": ("  </joint>\n", ""),
    "line 3: <link> 'a' has <inertal>, which is not known; did you mean 'inertial'?": (
        "<inertial><mass value=\"1\"/><inertia ixx=\"0.1\" iyy=\"0.1\" izz=\"0.1\"/></inertial>", "<inertal/>"),
    "line 3: <mass> has no 'value'.": ('<mass value="1"/>', "<mass/>"),
    "line 3: <mass> has no 'value'": ('mass value="1"', 'mass valeu="1"'),
    "line 3: 'value' of <mass> is 'heavy'; it must be a finite number.": ('mass value="1"', 'mass value="heavy"'),
    "line 3: 'value' of <mass> is 'nan'": ('mass value="1"', 'mass value="nan"'),
    "line 3: <inertia> has no 'ixx'.": ('ixx="0.1" ', ""),
    "line 11: 'xyz' of <axis> is '0 0'; it must be 3 finite numbers.": ('xyz="0 0 1"', 'xyz="0 0"'),
    "line 10: joint 'j' has the child 'bb', which is not a link; did you mean 'b'?": ('child link="b"', 'child link="bb"'),
    "line 5: there is a link 'a' already, in line 2; names must differ.": ('<link name="b">', '<link name="a">'),
    "line 8: <joint> 'j' has no <child>.": ('    <child link="b"/>\n', ""),
    "'two.urdf', line 5: The axis of joint 'j' is zero": ('xyz="0 0 1"', 'xyz="0 0 0"'),
    "'two.urdf' has 2 links without a parent, 'a' and 'c'": ("</robot>", '<link name="c"/></robot>'),
    "link 'b' hangs on two joints": (
        "</robot>", '<joint name="k" type="fixed"><parent link="a"/><child link="b"/></joint></robot>'),
    "the joints form a cycle": ('parent link="a"/>\n    <child link="b"', 'parent link="b"/>\n    <child link="b"'),
    "a document type (<!DOCTYPE ...>) is not read": ("<robot name", '<!DOCTYPE r [<!ENTITY x "y">]>\n<robot name'),
}  # fmt: skip


@pytest.mark.parametrize("sentence", BAD_URDF)
def test_bad_urdf_files(sentence, put):
    old, new = BAD_URDF[sentence]
    assert old in URDF
    refused(sentence, lambda: load_robot(put("two.urdf", URDF.replace(old, new, 1))))


def test_what_a_urdf_lacks_is_listed(put):
    """Missing inertials and meshes, joints of an unknown type, mimics, extensions: each gives a note, with its line."""
    text = URDF.replace(
        "</robot>",
        """<link name="c"><visual><geometry><mesh filename="package://gone/c.dae"/></geometry></visual></link>
<joint name="k" type="screw"><parent link="b"/><child link="c"/></joint>
<link name="d"><inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="4"/></inertial></link>
<joint name="m" type="prismatic"><parent link="b"/><child link="d"/><axis xyz="1 0 0"/>
<limit lower="0" upper="0" effort="0" velocity="0"/><dynamics friction="1"/><mimic joint="j" multiplier="2" offset=".1"/></joint>
<link name="e"/>
<joint name="n" type="continuous"><parent link="d"/><child link="e"/></joint>
<gazebo reference="a"/><transmission name="t"/>
</robot>""",
    )
    loaded = load_robot(put("two.urdf", text))
    notes = "\n".join(str(note) for note in loaded.notes)
    for words in (
        "assumed: base 'a': URDF does not say how it moves; it is free",
        "assumed: line 14: 2 x link ('c', 'e'): it has no inertial, so no mass",
        "changed: line 14: mesh 'package://gone/c.dae': there is no such file (--root names",
        "lost: line 15: joint 'k': the type 'screw' is not known; it is held fixed",
        "lost: line 17: joint 'm': limits from 0 to 0 leave no room",
        "lost: line 17: joint 'm': a limit of 0 on its effort",
        "changed: line 17: joint 'm': its dry friction is smoothed over 0.01",
        "assumed: line 16: body 'd': its principal moments 1, 1, 4 kg m^2 are those of no body",
        "changed: line 19: joint 'n': it moves nothing that has inertia; it is held fixed",
        "lost: line 21: <gazebo>: it is not read",
        "lost: line 21: <transmission> 't': it is not read",
    ):
        assert words in notes
    assert loaded.robot.compile().nv == 8
    (coupling,) = loaded.robot.description.couplings
    assert (coupling.factors, coupling.offset) == ({"m": 1.0, "j": -2.0}, 0.1)
    file = put("scenario.yaml", "robot: two.urdf\nmoves: fixed\ndrives: {imposed: {j: {sine: {amplitude: 0.3, omega: 1}}}}\n")
    scenario = scenario_of(file).scenario
    run = scenario.changed(t_end=0.1, dt=0.01).run(progress=False)
    np.testing.assert_allclose(run.joint_position.sel(joint="m"), 2 * run.joint_position.sel(joint="j") + 0.1, rtol=0, atol=1e-13)


BAD_MJCF = {
    "line 4: MuJoCo cannot read this: Schema violation: unrecognized element Element 'jiont', line 4; did you mean 'joint'": (
        "joint", "jiont"),
    "unrecognized attribute: 'tpye' Element 'joint', line 4; did you mean 'type'?": (
        'joint name="j"', 'joint tpye="ball"'),
    "line 6: this is not XML: Opening and ending tag mismatch: body line 3": ("    </body>\n", ""),
    "repeated name 'a' in body": ("  </worldbody>", '<body name="a"/></worldbody>'),
    "the file of a mesh is '../x.stl', which lies": ("  <worldbody>", '<asset><mesh file="../x.stl"/></asset><worldbody>'),
    "the included file is '/etc/hosts', which lies outside": ("  <worldbody>", '<include file="/etc/hosts"/><worldbody>'),
    "there is no file": ("  <worldbody>", '<include file="gone.xml"/><worldbody>'),
    "files include each other without end": ("  <worldbody>", '<include file="one.xml"/><worldbody>'),
    "body 'a' has its inertia from the mesh 'gone.obj', which is not there": (
        '  <worldbody>\n    <body name="a">', '<asset><mesh name="g" file="gone.obj"/></asset><worldbody><body name="a">'
        '<geom type="mesh" mesh="g"/>'),
}  # fmt: skip


@pytest.mark.parametrize("sentence", BAD_MJCF)
def test_bad_mjcf_files(sentence, put):
    old, new = BAD_MJCF[sentence]
    assert old in MJCF
    refused(sentence, lambda: load_robot(put("one.xml", MJCF.replace(old, new))))


def test_missing_mesh_of_mjcf_is_a_box(put):
    text = MJCF.replace("  <worldbody>", '<asset><mesh name="g" file="gone.obj"/></asset><worldbody>').replace(
        '<geom size="0.1"/>', '<inertial pos="0 0 0" mass="1" diaginertia="0.01 0.01 0.01"/><geom type="mesh" mesh="g"/>'
    )
    loaded = load_robot(put("one.xml", text))
    assert "mesh 'gone.obj': there is no such file; a box of the same inertia is drawn" in str(loaded.notes[0])
    assert loaded.robot.description.body("a").shape.size == pytest.approx([0.06**0.5] * 3)  # I = m a^2 / 6


# -------------------------------------------------------------------------------------------------------------- command line
def test_commands_take_files(locodyn, put, tmp_path):
    put("robot.yaml", ROBOT)
    file, urdf = put("scenario.yaml", SCENARIO), put("two.urdf", URDF)
    code, out, _ = locodyn("describe", file)
    assert code == 0 and "imposed: 0.3 sin(2 t)" in out
    code, out, _ = locodyn("describe", urdf, "--moves", "fixed")
    assert code == 0 and "turns about z (joint j)" in out and "Notes" not in out
    code, out, err = locodyn("run", urdf, "--t-end", "0.1", "--out", tmp_path / "a.nc")
    assert code == 0 and "locodyn: note: assumed: base 'a'" in err
    assert ld.Result.load(tmp_path / "a.nc").attributes["command"].startswith(f"locodyn run {urdf} --t-end 0.1")
    assert locodyn("run", urdf, "--resume", tmp_path / "a.nc", "--t-end", "0.2", "--quiet")[0] == 0
    assert ld.Result.load(tmp_path / "a.nc").time.values[-1] == pytest.approx(0.2)
    assert locodyn("validate", file, "--quiet")[0] == 0
    code, out, _ = locodyn("schema", "robot")
    assert code == 0 and '"title": "locodyn robot file"' in out


def test_new_and_convert(locodyn, tmp_path):
    file = tmp_path / "mine.yaml"
    assert locodyn("new", file)[0] == 0
    assert locodyn("run", file, "--t-end", "0.2", "--quiet") == (0, "", "")
    code, _, err = locodyn("new", file)
    assert code == 2 and "is there already" in err
    assert locodyn("new", tmp_path / "mine.txt")[0] == 2
    for ending in ("urdf", "xml", "yaml"):
        out = tmp_path / f"out.{ending}"
        code, text, _ = locodyn("convert", "snakeboard", out)
        assert code == 0 and f"wrote {out}" in text and (ending == "yaml" or "lost: 2 x wheel" in text)
        assert "lost: 3 x imposed ('joint_1', 'joint_2', 'joint_3'): what drives a robot goes into a scenario file" in text
        assert load_robot(out, **({"moves": "fixed"} if ending == "urdf" else {})).robot.mass == pytest.approx(4.0)
    for name, said in (("piston", "lost: controller of 'piston'"), ("compass_gait", "lost: phases of 'compass_gait'")):
        assert said in locodyn("convert", name, tmp_path / f"{name}.yaml")[1]


def test_wrong_input_exits_with_2_and_writes_nothing(locodyn, put, tmp_path):
    bad = put("bad.yaml", ROBOT.replace("mass: 1.0", "mas: 1.0"))
    for words in (
        ("run", bad, "--out", tmp_path / "a.nc", "--plot", tmp_path / "a.png"),
        ("describe", bad),
        ("convert", bad, tmp_path / "a.urdf"),
        ("convert", "heavy_top", tmp_path / "a.urdf"),
        ("convert", "snakeboard", tmp_path / "a.doc"),
        ("convert", bad, bad),
        ("run", "satellite", "--moves", "free"),
        ("run", tmp_path / "none.urdf"),
        ("validate", "snakeboard", bad),
        ("schema", "robt"),
    ):
        code, out, err = locodyn(*words)
        assert code == 2 and out == "" and err.count("\n") == 1 and "Traceback" not in err
    assert [file.name for file in tmp_path.iterdir()] == ["bad.yaml"]


def test_result_of_a_newer_version(tmp_path):
    run = ld.zoo.pendulum().changed(t_end=0.1).run(progress=False)
    run.dataset.attrs["locodyn_result"] = 99
    run.save(tmp_path / "new.nc")
    refused("was written by a newer locodyn", lambda: ld.Result.load(tmp_path / "new.nc"))


# ------------------------------------------------------------------------------------------------------------------ limits
def test_a_run_that_passes_a_limit_says_so(put):
    put("robot.yaml", ROBOT + "    limits: {lower: -0.2, upper: 1}\n")
    with pytest.warns(ld.sim.LimitWarning, match=r"joint 'arm' passes its limits from t = 1\.\d+ s on"):
        result = scenario_of(put("scenario.yaml", SCENARIO.replace("end: 1", "end: 3"))).scenario.run(progress=False)
    assert "arm" in result.attributes["limits_passed"]
    refused(
        "The limits of joint 'arm' are 1 and 0", lambda: load_robot(put("r.yaml", ROBOT + "    limits: {lower: 1, upper: 0}\n"))
    )


# -------------------------------------------------------------------------------------------------------------------- HTML
def test_html_of_robots_and_results():
    robot = ld.Robot("<script>alert(1)</script>")
    base = robot.base("a & b", mass=1.0, shape=ld.Sphere(0.1))
    robot.body("arm", mass=1.0, shape=ld.Sphere(0.1)).on(base, at=(0.5, 0, 0)).turning("y").limits(-1, 1)
    page = robot._repr_html_()
    assert "<script>" not in page and "a &amp; b" in page and "turns about y" in page and "-1 to 1" in page
    assert "not complete" in ld.Robot("x")._repr_html_()
    result = ld.simulate(robot, start={"arm": 0.1}, t_end=0.2, progress=False)
    page = result._repr_html_()
    assert "<script>" not in page and "data:image/svg+xml;base64," in page and "unconstrained" in page
    wheeled = load_robot(EXAMPLES / "snakeboard.yaml").robot.description._repr_html_()
    assert "front_wheels" in wheeled and "planar in the world" in wheeled
