"""A robot written to a file and read back is the same robot: bit for bit in YAML, to round-off in URDF and MJCF."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import locodyn as ld
from file_peers import PinocchioFile, random_state, worst
from locodyn import world, zoo
from locodyn.files import load_robot, save_robot
from locodyn.files.part_words import LAW
from locodyn.files.parts import WRENCH_LAWS
from locodyn.files.robot_words import ACTUATOR
from locodyn.files.schema import FOLDER, KINDS, schema, schema_text
from locodyn.files.template import write_template
from locodyn.files.yaml_reader import read_yaml
from locodyn.robot import compile_robot
from random_robots import BASES, random_robot

HERE = Path(__file__).resolve().parents[1]
EXAMPLES = HERE.parent / "examples" / "files"


def assert_same(one, other):
    """Two descriptions compile to the same arrays, names, wheels, loops and laws."""
    a, b = compile_robot(one), compile_robot(other)
    for name in ("frames", "constants", "dofs", "dof_constants"):
        assert np.array_equal(getattr(a, name), getattr(b, name)), name
    assert (a.coordinate_names, a.position_names, a.body_names) == (b.coordinate_names, b.position_names, b.body_names)
    for mine, yours in zip((*a.wheels, *a.loops), (*b.wheels, *b.loops), strict=True):
        for key, value in vars(mine).items():
            if key == "contact":
                assert type(value) is type(yours.contact) and (value is None or vars(value) == vars(yours.contact))
            else:
                assert np.array_equal(value, getattr(yours, key)), key
    for mine, yours in zip(one.wrenches, other.wrenches, strict=True):
        assert (mine.name, mine.body, vars(mine.law)) == (yours.name, yours.body, vars(yours.law))
        assert np.array_equal(mine.pose.rotation, yours.pose.rotation)
    for mine, yours in zip(one.bodies, other.bodies, strict=True):
        assert (mine.joint.limits, mine.joint.speed_limit) == (yours.joint.limits, yours.joint.speed_limit)
        assert type(mine.shape) is type(yours.shape)


def through_yaml(robot, folder):
    file = folder / "robot.yaml"
    notes = save_robot(robot, file)
    text = file.read_text()
    loaded = load_robot(file)
    save_robot(loaded.robot, file)
    assert file.read_text() == text
    return loaded.robot.description, notes


@pytest.mark.parametrize("name", zoo.ROBOTS)
def test_zoo_through_yaml(name, tmp_path):
    description = zoo.make(name).compiled.description
    again, notes = through_yaml(description, tmp_path)
    assert_same(description, again)
    assert not notes


@settings(max_examples=40)
@given(seed=st.integers(0, 10**6), base=st.sampled_from(BASES))
def test_random_robots_through_yaml(seed, base, tmp_path_factory):
    rng = np.random.default_rng(seed)
    robot = random_robot(rng, 8, base=base, armature=True, markers=True)
    assert_same(robot.description, through_yaml(robot, tmp_path_factory.mktemp("yaml"))[0])


def full_robot():
    """Everything that a file can say."""
    robot = ld.Robot("every: 'thing'")
    hull = robot.base(
        "hull", moves="planar", mass=3.0, shape=ld.Ellipsoid((0.3, 0.2, 0.1), colour=(0.1, 0.2, 0.3)), joint="float"
    )
    hull.fluid((1.0, 2.0, 0.5), (0.1, 0.2, 0.3), at=(0.1, 0, 0), turned=("z", 0.4))
    hull.wheel("left", at=(0, 0.2, -0.1), radius=0.1, actuated=True, mass=0.2)
    hull.wheel("omni", at=(0.2, 0, -0.1), kind="omni", radius=0.1, roller_angle=0.7, actuated=True)
    hull.wheel("soft", at=(0.3, 0, -0.1), contact=world.Sliding((0.1, 0.7), load=12.0))
    hull.skate("blade", at=(-0.2, 0, 0), along=(1, 1, 0))
    arm = robot.body("no", mass=1.0, centre=(0, 0, 0.1), inertia=ld.about_origin(xx=0.1, yy=0.1, zz=0.02, xy=0.001))
    arm.on(hull, at=(0.1, 0, 0), turned=("y", 0.3), body_at=(0, 0, 0.1), body_turned=(0.5, 0.5, -0.5, 0.5)).universal(
        "x", (0, 1, 1)
    )
    arm.coordinates("roll", "1e3").actuator(viscous=(0.1, 0.2), torque_limit=4.0, stiffness=3.0, rest=(0.1, 0.2), gear=7)
    tip = robot.body("tip", mass=0.2, inertia=ld.about_centre(np.diag([1e-3, 1.1e-3, 2e-3])), shape=ld.Compound([ld.Sphere(0.1)]))
    tip.on(arm, at=(0, 0, 0.2)).screwing("-x", pitch=0.01, name="feed").limits(-1.0, 2.0, speed=3.0).marker("end", at=(1, 2, 3))
    robot.body("claw", mass=0.1, shape=ld.Capsule(0.01, 0.1, "y")).on(tip).ball()
    robot.body("slider", mass=0.1, shape=ld.Box((0.1, 0.1, 0.1), at=(0, 0, 0.3))).on(tip).cylindrical("z").actuator(coulomb=0.3)
    robot.loop("rod", "end", "no", joint="universal", axis="y", second_axis="z", first_at=(0.1, 0, 0))
    robot.loop("screw", "claw", "world", joint="helical", pitch=0.02, at=(0, 0, 1))
    robot.wrench("drag", on="end", law=world.Drag(1.0, (0.1, 0.2, 0.3)), turned=("x", 1.0))
    robot.wrench("wind", on="hull", law=world.WorldForce((1, 0, 0))).wrench("jet", on="no", law=world.Thrust((0, 0, 1)))
    robot.wrench("rope", on="tip", law=world.Anchor((1, 2, 3), 40.0))
    return robot


def test_everything_through_yaml(tmp_path):
    robot = full_robot()
    again, notes = through_yaml(robot, tmp_path)
    assert_same(robot.description, again)
    assert not notes
    assert again.bodies[0].shape.colour == (0.1, 0.2, 0.3)
    assert "loop rod: tip - no, universal about y and z\nloop screw: claw - world, helical about z, 0.02 m/rad" in str(robot)


def test_laws_made_in_python_are_listed(tmp_path):
    robot = full_robot().wrench("own", on="hull", law=world.UserLaw(lambda t, r, p, v: np.zeros(6)))
    again, notes = through_yaml(robot, tmp_path)
    assert [str(note) for note in notes] == ["lost: wrench law 'own': a law made in Python cannot be written"]
    assert len(again.wrenches) == 4


@pytest.mark.parametrize("seed", range(4))
def test_urdf_is_the_same_robot_in_pinocchio(seed, tmp_path):
    """Mass matrix and gravity and velocity terms of the written file, read by Pinocchio, against those of the robot."""
    rng = np.random.default_rng(seed)
    robot = random_robot(rng, 9, ("revolute", "prismatic", "fixed"), "free" if seed % 2 else "fixed", markers=True)
    file = tmp_path / "robot.urdf"
    save_robot(robot, file)
    model = robot.model()
    peer = PinocchioFile(file, model)
    q, v = random_state(model, rng)
    assert worst(peer.mass_matrix(q), model.mass_matrix(q)) < 1e-13
    if seed % 2 == 0:  # a free base is counted from elsewhere, so that gravity has another direction
        assert worst(peer.bias(q, v), model.inverse_dynamics(q, v, np.zeros(model.nv))) < 1e-13


@pytest.mark.parametrize("ending", ["urdf", "xml"])
@pytest.mark.parametrize("seed", range(4))
def test_chains_for_joints_of_several_axes(seed, ending, tmp_path):
    """Universal, cylindrical and translating joints, and bodies off their joints, keep all poses and the mass matrix."""
    rng = np.random.default_rng(seed)
    robot = random_robot(rng, 7, ("universal", "cylindrical", "revolute", "fixed"), "fixed", markers=True)
    file = tmp_path / f"robot.{ending}"
    save_robot(robot, file)
    again = load_robot(file, **({"moves": "fixed"} if ending == "urdf" else {})).robot.model()
    model = robot.model()
    q = rng.uniform(-1, 1, model.nq)
    names = [again.compiled.coordinate_names.index(name) for name in model.compiled.coordinate_names]
    other = np.zeros(again.nq)
    other[names] = q
    assert worst(again.mass_matrix(other)[np.ix_(names, names)], model.mass_matrix(q)) < 1e-12
    for body in model.compiled.body_names:
        for found, wanted in zip(again.pose(body, other), model.pose(body, q), strict=True):
            assert np.abs(found - wanted).max() < 1e-12


def test_losses_of_an_export_are_listed(tmp_path):
    robot = zoo.make("snakeboard").robot
    for ending in ("urdf", "xml"):
        words = " ".join(str(note) for note in save_robot(robot, tmp_path / f"a.{ending}"))
        assert "2 x wheel ('front.wheel', 'rear.wheel')" in words
    with pytest.raises(ld.InputError, match="joint 'top' is spherical, which URDF does not have"):
        save_robot(zoo.make("heavy_top").robot, tmp_path / "top.urdf")
    assert not (tmp_path / "top.urdf").exists()


# ------------------------------------------------------------------------------------------------------------------- schema
def test_committed_schemas_are_current():
    for kind in KINDS:
        assert (FOLDER / f"{kind}.schema.json").read_text() == schema_text(kind), "run: make schema"


def test_schema_and_reader_agree(tmp_path):
    """What the readers take fulfils the schema; what the schema refuses, the readers refuse too."""
    jsonschema = pytest.importorskip("jsonschema")
    check = {kind: jsonschema.Draft202012Validator(schema(kind)) for kind in KINDS}
    for validator in check.values():
        validator.check_schema(validator.schema)
    write_template(tmp_path / "new.yaml")
    for name in zoo.ROBOTS:
        save_robot(zoo.make(name).compiled.description, tmp_path / f"{name}.yaml")
    save_robot(full_robot(), tmp_path / "full.yaml")
    for file in (*tmp_path.glob("*.yaml"), *EXAMPLES.glob("*.yaml")):
        value = json.loads(json.dumps(read_yaml(file).plain))
        kind = "robot" if "base" in value or "from" in value else "scenario"
        assert [error.message for error in check[kind].iter_errors(value)] == [], file
    good = read_yaml(tmp_path / "full.yaml").plain
    for path, bad in (
        (("base", "mass"), -1.0),
        (("base", "moves"), "flies"),
        (("base", "colour"), "red"),
        (("bodies", "tip", "screwing"), {"axis": "z"}),
        (("bodies", "tip", "turning"), "z"),
        (("bodies", "no", "turned"), [1, 2, 3]),
        (("base", "wheels", "left", "at"), [0, 0]),
        (("wrenches", "drag", "law"), {"drag": {}, "anchor": {"place": [0, 0, 0], "stiffness": 1}}),
        (("loops", "rod", "joint"), "magnet"),
    ):
        value = json.loads(json.dumps(good))
        inner = value
        for key in path[:-1]:
            inner = inner[key]
        inner[path[-1]] = bad
        assert list(check["robot"].iter_errors(value)), path
        (tmp_path / "bad.yaml").write_text(json.dumps(value))  # JSON is YAML
        with pytest.raises(ld.InputError, match=r"'bad\.yaml', line 1: "):
            load_robot(tmp_path / "bad.yaml")


def test_tables_know_all_laws_and_actuator_values():
    """The tables of the files and the classes of the library say the same words."""
    from dataclasses import fields

    laws = {name for name in world.__all__ if name not in ("WrenchLaw", "UserLaw")}
    assert {law.__name__ for law in WRENCH_LAWS.values()} == laws
    for kind, law in WRENCH_LAWS.items():
        assert set(LAW.keys[kind].rule.keys) == {entry.name for entry in fields(law)}
    assert set(ACTUATOR.keys) == {entry.name for entry in fields(ld.Actuator)}
