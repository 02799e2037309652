"""A robot written to a file and read back is the same robot: bit for bit in YAML, to round-off in URDF and MJCF."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import locodyn as ld
from file_robots import assert_same, colliding_robot, full_robot, held_robot, rod_robot, rolling_robot
from locodyn import world, zoo
from locodyn.files import load_robot, save_robot
from locodyn.files.schema import FOLDER, KINDS, schema, schema_text
from locodyn.files.template import write_template
from locodyn.files.yaml_reader import read_yaml
from locodyn.robot import front, polynomial_shape, window
from models.file_peers import PinocchioFile, random_state, worst
from random_robots import BASES, random_robot

pytestmark = pytest.mark.slow

HERE = Path(__file__).resolve().parents[1]
IN_PYTHON_ONLY = {"flying_rod": "lost: wrench law 'push': a law made in Python cannot be written"}
REFUSED = {"swimmer": "the section of rod 'actuated' is made in Python"}
EXAMPLES = HERE.parent / "examples" / "files"


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
    if name in REFUSED:
        with pytest.raises(ld.InputError, match=REFUSED[name]):
            through_yaml(description, tmp_path)
        return
    again, notes = through_yaml(description, tmp_path)
    if name in IN_PYTHON_ONLY:
        assert [str(note) for note in notes] == [IN_PYTHON_ONLY[name]]
        description = replace(description, wrenches=())
    else:
        assert not notes
    assert_same(description, again)


@settings(max_examples=40)
@given(seed=st.integers(0, 10**6), base=st.sampled_from(BASES))
def test_random_robots_through_yaml(seed, base, tmp_path_factory):
    rng = np.random.default_rng(seed)
    robot = random_robot(rng, 8, base=base, armature=True, markers=True)
    assert_same(robot.description, through_yaml(robot, tmp_path_factory.mktemp("yaml"))[0])


@pytest.mark.parametrize("build", [full_robot, rolling_robot, rod_robot, colliding_robot, held_robot])
def test_everything_through_yaml(build, tmp_path):
    robot = build()
    again, notes = through_yaml(robot, tmp_path)
    assert_same(robot.description, again)
    assert not notes


def test_loops_in_words():
    robot = full_robot()
    assert "loop rod: tip - no, universal about y and z\nloop screw: claw - world, helical about z, 0.02 m/rad" in str(robot)


def test_laws_made_in_python_are_listed(tmp_path):
    plain = len(full_robot().description.wrenches)
    robot = full_robot().wrench("own", on="hull", law=world.UserLaw(lambda t, r, p, v: np.zeros(6)))
    again, notes = through_yaml(robot, tmp_path)
    assert [str(note) for note in notes] == ["lost: wrench law 'own': a law made in Python cannot be written"]
    assert len(again.wrenches) == plain


def rod_with(**changes):
    words = {"length": 0.4, "section": ld.Circle(0.005), "material": ld.steel, "bending": 2}
    robot = ld.Robot("arm")
    return robot, robot.base("ground", moves="fixed").rod("arm", **words | changes)


@pytest.mark.parametrize(
    "what, changes",
    [
        ("section", {"section": lambda s: ld.Circle(0.005 * (1.0 - s))}),
        ("material", {"material": lambda s: ld.steel}),
        ("rest curvature", {"rest_curvature": lambda s: (0.0, 0.0, s)}),
        ("strain basis", {"basis": lambda x, n: np.cos(np.outer(x, np.arange(n)))}),
    ],
)
def test_rods_of_functions_are_refused(what, changes, tmp_path):
    """Without it the rod would be another one."""
    with pytest.raises(ld.InputError, match=f"the {what} of rod 'arm' is made in Python; a file holds numbers only"):
        save_robot(rod_with(**changes)[0], tmp_path / "arm.yaml")
    assert not (tmp_path / "arm.yaml").exists()


def test_shapes_of_strain_fields_have_words(tmp_path):
    """A file says them as Python does; it is written in terms, which are the same numbers."""
    text = """
robot: worm
base: {name: head, moves: planar}
bodies:
  body:
    parent: head
    rod:
      length: 1.0
      section: {circle: {radius: 0.02}}
      material: silicone
      fields:
        wave:
          amplitude: true
          shape:
            - travelling: {strain: bending_z, amplitude: 10, wavelength: 1.0, phase: 0.1}
              window: [0.0, 0.2]
            - travelling_bump: {strain: bending_y, height: 2, centre: -2.5, half_width: 1}
              front: [0.1, 0.3]
        still:
          shape:
            - standing: {strain: torsion, amplitude: 0.5}
            - polynomial: {strain: stretch, coefficients: [0.1, 0.2]}
"""
    (tmp_path / "worm.yaml").write_text(text)
    read = ld.load_robot(tmp_path / "worm.yaml").robot
    wave = ld.travelling("bending_z", 10, wavelength=1.0, phase=0.1) * window(0.0, 0.2)
    wave = wave + ld.travelling_bump("bending_y", 2, centre=-2.5, half_width=1) * front(0.1, 0.3)
    still = ld.standing("torsion", 0.5) + polynomial_shape("stretch", (0.1, 0.2))
    wanted = (ld.StrainField("wave", wave, amplitude=True), ld.StrainField("still", still))
    rod = read.description.body("body").joint.rod
    assert rod is not None and tuple(rod.fields) == wanted
    assert read.compile().coordinate_names[3:] == ("body.wave", "body.wave.amplitude", "body.still")
    again, _ = through_yaml(read, tmp_path)
    assert tuple(again.body("body").joint.rod.fields) == wanted


def test_tendons_along_functions_are_listed(tmp_path):
    robot, rod = rod_with()
    rod.tendon("helix", lambda s: (0.01 * np.cos(s), 0.01 * np.sin(s))).tendon("straight", (0.01, 0.0))
    again, notes = through_yaml(robot, tmp_path)
    assert [str(note) for note in notes] == ["lost: tendon 'helix': it runs along a Python function, which cannot be written"]
    assert [strand.name for strand in again.body("arm").strands] == ["straight"]


@pytest.mark.parametrize("ending, format", [("urdf", "URDF"), ("xml", "MJCF")])
def test_rods_are_in_no_other_format(ending, format, tmp_path):
    with pytest.raises(ld.InputError, match=f"joint 'arm' is a rod, which {format} does not have"):
        save_robot(rod_with()[0], tmp_path / f"arm.{ending}")


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
        words = " ".join(str(note) for note in save_robot(zoo.make("bicycle").robot, tmp_path / f"b.{ending}"))
        assert "lost: 2 x contact ('rear.tyre', 'front.tyre'): the format has no surface that rolls" in words
        words = " ".join(str(note) for note in save_robot(zoo.make("sliding_block").robot, tmp_path / f"c.{ending}"))
        assert ending == "urdf" or "changed: contacts: MuJoCo's are soft" in words
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
    for name in set(zoo.ROBOTS) - set(REFUSED):
        save_robot(zoo.make(name).compiled.description, tmp_path / f"{name}.yaml")
    save_robot(full_robot(), tmp_path / "full.yaml")
    save_robot(rod_robot(), tmp_path / "rods.yaml")
    save_robot(colliding_robot(), tmp_path / "surfaces.yaml")
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
