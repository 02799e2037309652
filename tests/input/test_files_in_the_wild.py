"""Robot files as people publish them: odd declarations, doubled tags, packages of ROS, no inertias, meshes of other programs."""

from __future__ import annotations

import numpy as np
import pytest

import locodyn as ld
from locodyn.cli.describe import describe
from locodyn.files import scenario_of
from locodyn.files.reading import Reading
from locodyn.robot.mesh_file import read_mesh

LINK = '<link name="{}"><inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial>{}</link>'
JOINT = '<joint name="j" type="revolute"><parent link="a"/><child link="b"/>{}<limit lower="-1" upper="1"/></joint>'
AXIS = '<axis xyz="0 0 1"/>'
MESH = '<visual><geometry><mesh filename="{}" {}/></geometry></visual>'
TETRAHEDRON = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"


def urdf(inside: str = "", axis: str = AXIS, head: str = "") -> str:
    return f'{head}<robot name="two">\n{LINK.format("a", inside)}\n{LINK.format("b", "")}\n{JOINT.format(axis)}\n</robot>\n'


def notes_of(loaded: ld.Loaded) -> str:
    return "\n".join(map(str, loaded.notes))


@pytest.mark.parametrize(
    "head, tail",
    [
        ('<?xml version="0.0" ?>\n', ""),
        ('\n\n<?xml version="1.0"?>\n', ""),
        ("", "\0"),
        ('\ufeff<?xml version="0.0"?>\n', "\0\0"),
    ],
)
def test_odd_frames_of_a_file_are_passed_over_with_a_note(tmp_path, head, tail):
    """TinyXML, by which Pinocchio and PyBullet read, never looks at them. Lines stay those of the file."""
    file = tmp_path / "two.urdf"
    file.write_text(urdf(head=head) + tail, encoding="utf-8")
    loaded = ld.load_robot(file)
    assert loaded.robot.compile().nv == 7
    assert "assumed: XML: its declaration or its end is not XML" in notes_of(loaded)
    file.write_text(urdf(head=head, axis='<axis xyz="0 0"/>') + tail, encoding="utf-8")
    line = head.count("\n") + 4
    with pytest.raises(ld.InputError, match=f"line {line}: 'xyz' of <axis> is '0 0'"):
        ld.load_robot(file)


def test_a_file_that_is_as_it_should_be_gets_no_note(tmp_path):
    file = tmp_path / "two.urdf"
    file.write_text(urdf(head='\ufeff<?xml version="1.0" encoding="utf-8"?>\n'), encoding="utf-8")
    assert "XML" not in notes_of(ld.load_robot(file))


def test_doubled_tags_long_scales_and_empty_shapes(tmp_path):
    (tmp_path / "m.obj").write_bytes(TETRAHEDRON)
    file = tmp_path / "two.urdf"
    inside = MESH.format("m.obj", 'scale="2 2 2 1"') + '<collision><geometry><sphere radius="0"/></geometry></collision>'
    file.write_text(urdf(inside, axis='<axis xyz="0 1 0"/><axis xyz="0 0 1"/>'))
    loaded = ld.load_robot(file)
    description = loaded.robot.description
    assert np.array_equal(description.bodies[1].joint.axes[0], (0.0, 1.0, 0.0))  # the first, as in urdfdom
    assert np.array_equal(description.bodies[0].shape.scale, (2.0, 2.0, 2.0))
    for words in (
        "changed: line 4: <axis> in line 4: <joint> 'j' has two; the first is read",
        "changed: mesh 'm.obj': its scale has 4 numbers; the first three are read",
        "lost: line 2: <collision> of link 'a': its sphere has no extent",
    ):
        assert words in notes_of(loaded)
    file.write_text(urdf().replace('<child link="b"/>', '<child link="b"/><child link="a"/>'))
    with pytest.raises(ld.InputError, match="<joint> 'j' has two <child>"):
        ld.load_robot(file)


# -------------------------------------------------------------------------------------------------------- where meshes lie
@pytest.fixture
def package(tmp_path):
    """src/robot/{package.xml, urdf/two.urdf, meshes/m.obj}, src/other/{meshes/m.obj}, and secret.obj beside src."""
    for folder in ("src/robot/urdf", "src/robot/meshes", "src/other/meshes"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "src/robot/package.xml").write_text("<package/>")
    for name in ("src/robot/meshes/m.obj", "src/other/meshes/m.obj", "secret.obj"):
        (tmp_path / name).write_bytes(TETRAHEDRON)
    return tmp_path / "src"


def shape_of(package, name, **options):
    file = package / "robot/urdf/two.urdf"
    file.write_text(urdf(MESH.format(name, "")))
    loaded = ld.load_robot(file, **options)
    return loaded.robot.description.bodies[0].shape, notes_of(loaded)


@pytest.mark.parametrize("name", ["../meshes/m.obj", "package://robot/meshes/m.obj", "package:///robot/meshes/m.obj"])
def test_meshes_are_found_in_the_package_of_the_file(package, name):
    shape, notes = shape_of(package, name)
    assert shape.path == str((package / "robot/meshes/m.obj").resolve()) and "mesh" not in notes


def test_meshes_of_a_package_beside_that_of_the_file(package):
    """Only if it is a package itself: a folder of that name might be anything."""
    shape, notes = shape_of(package, "package://other/meshes/m.obj")
    assert isinstance(shape, ld.Box)
    assert "there is no such file (--root names the folder that holds its package); a box of the same inertia is drawn" in notes
    assert shape_of(package, "package://other/meshes/m.obj", root=package)[0].path.endswith("other/meshes/m.obj")
    (package / "other/package.xml").write_text("<package/>")
    assert shape_of(package, "package://other/meshes/m.obj")[0].path.endswith("other/meshes/m.obj")


@pytest.mark.parametrize("name", ["../../../secret.obj", "package://robot/../../secret.obj", "package://../secret.obj"])
def test_meshes_outside_are_not_opened(package, name):
    shape, notes = shape_of(package, name)
    assert isinstance(shape, ld.Box) and "--root names" in notes


def test_links_that_lead_outside_are_not_followed(package):
    (package / "robot/meshes/link.obj").symlink_to(package.parent / "secret.obj")
    for name in ("../meshes/link.obj", "package://robot/meshes/link.obj"):
        assert isinstance(shape_of(package, name)[0], ld.Box)


# ------------------------------------------------------------------------------------------------------- without inertias
def test_a_robot_without_masses_serves_kinematics(tmp_path, capsys):
    file = tmp_path / "two.urdf"
    file.write_text(f'<robot name="two"><link name="a"/><link name="b"/>{JOINT.format(AXIS)}</robot>')
    loaded = ld.load_robot(file)
    assert loaded.robot.compile().coordinate_names == ("j",)
    assert "no body has mass; it serves kinematics and imposed motion (give masses for forces)" in notes_of(loaded)
    assert "assumed: base 'a': nothing has mass, so it is fixed" in notes_of(loaded)
    result = ld.simulate(loaded.robot, imposed={"j": ld.sine(0.5, omega=1.0)}, t_end=1.0, dt=0.1, progress=False)
    assert result.joint_position.values[-1, 0] == pytest.approx(0.5 * np.sin(1.0), abs=1e-15)
    with pytest.raises(ld.InputError, match="robot 'two' has no mass, so that forces cannot move 'j'; impose the motion of all"):
        ld.simulate(loaded.robot, t_end=1.0, progress=False)
    describe(str(file), {}, Reading("fixed"))
    assert "Run: not as it is: robot 'two' has no mass, so that forces cannot move 'j'" in capsys.readouterr().out


def test_a_robot_that_cannot_move_is_described(tmp_path, capsys):
    file = tmp_path / "one.urdf"
    file.write_text(f'<robot name="one">{LINK.format("a", "")}</robot>')
    describe(str(file), {}, Reading("fixed"))
    assert "nothing moves: the robot has no degree of freedom" in capsys.readouterr().out
    assert scenario_of(file, moves="fixed").scenario.compiled.nv == 0


# ---------------------------------------------------------------------------------------------------- meshes by trimesh
def test_collada_in_its_own_unit(tmp_path):
    """A tetrahedron with edges of one inch, signed volume of its faces included."""
    import trimesh

    vertices = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype=float)
    mesh = trimesh.Trimesh(vertices, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]], process=False)
    plain = mesh.export(file_type="dae")
    inch = plain.replace(b"<asset>", b'<asset><unit name="inch" meter="0.0254"/>', 1)
    assert inch != plain
    (tmp_path / "a.dae").write_bytes(inch)
    found, triangles = read_mesh(tmp_path / "a.dae")
    a, b, c = (found[triangles[:, k]] for k in range(3))
    assert np.sum(a * np.cross(b, c)) / 6.0 == pytest.approx(0.0254**3 / 6.0)
    (tmp_path / "a.dae").write_bytes(inch.replace(b"<COLLADA", b'<!DOCTYPE c [<!ENTITY x SYSTEM "/etc/passwd">]>\n<COLLADA', 1))
    with pytest.raises(ld.InputError, match="a document type"):
        read_mesh(tmp_path / "a.dae")
    (tmp_path / "a.ply").write_bytes(mesh.export(file_type="ply"))
    assert len(read_mesh(tmp_path / "a.ply")[1]) == 4
