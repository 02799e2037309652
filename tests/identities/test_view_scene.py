"""The scene of a result: poses, wheels, mass centre and forces are those of the numbers; what has no shape gets one; packing."""

import functools
import gzip
import json
import math
import struct

import numpy as np
import pytest

import locodyn as ld
from locodyn.dynamics import totals
from locodyn.errors import InputError
from locodyn.robot.mesh_file import read_mesh
from locodyn.robot.portrait import portrait
from locodyn.view.look import body_parts
from locodyn.view.pack import Packer, pack_scene
from locodyn.view.parts import Part, surface
from locodyn.view.quaternions import about, compose, rotate, rotation_vectors, upright_angles
from locodyn.view.report_page import STAGE, document, packet
from locodyn.view.rods import strip
from locodyn.view.scene import scene_of
from scenes import Z, synthetic

pytestmark = pytest.mark.slow


@functools.cache
def run(name, t_end=1.0, **parameters):
    return ld.zoo.make(name, parameters).changed(t_end=t_end).run(progress=False)


@pytest.mark.parametrize("name", ["snakeboard", "satellite", "four_bar", "car"])
def test_poses_at_records(name):
    result = run(name)
    times = result.time.values[::7]
    scene = scene_of(result, times)
    assert [look.name for look in scene.bodies] == list(result.body.values)
    assert np.abs(scene.positions - result.body_position.values[::7]).max() < 1e-14
    assert np.abs(scene.orientations - result.body_orientation.values[::7]).max() < 1e-14


def test_instants_follow_the_turning():
    """The heavy top spins at 150 rad/s: 30 pictures a second would show it turning at random."""
    result = run("heavy_top", 0.5)
    scene = scene_of(result)
    h = scene.orientations[:, 0]
    turn = 2.0 * np.arccos(np.clip(np.abs(np.sum(h[1:] * h[:-1], axis=1)), 0.0, 1.0))
    assert turn.max() < 0.62 and len(scene.times) < len(result.time)
    assert len(scene_of(run("pendulum", 4.0)).times) == 121


def test_mass_centre_is_that_of_the_model():
    result = run("mobile_manipulator")
    scene = scene_of(result, result.time.values[[0, 50, 100]])
    for k, i in enumerate((0, 50, 100)):
        wanted = result.model.totals(result.q[i], result.v[i])[totals.TOTALS.centre : totals.TOTALS.centre + 3]
        assert np.abs(scene.mass_centre[k] - wanted).max() < 1e-12


def test_wheels_roll_as_recorded_and_by_geometry():
    """Recorded angles are taken; without a radius the angle is the way over the radius that is drawn."""
    scene = scene_of(run("unicycle"), run("unicycle").time.values)
    k = [wheel.name for wheel in scene.wheels].index("right")
    assert np.array_equal(scene.wheel_turn[:, k], run("unicycle").wheel_angle.sel(wheel="right").values)
    result = run("snakeboard", 3.0)
    scene = scene_of(result, result.time.values)
    k = [wheel.name for wheel in scene.wheels].index("front.wheel")
    way = result.body_position.sel(body="front").values
    length = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(way, axis=0), axis=1))])
    assert np.abs(np.abs(scene.wheel_turn[:, k]) * scene.wheels[k].radius - length).max() < 2e-3 * length[-1]  # does not go back
    assert len(scene.wheels[k].places) == 2


def test_steering_is_recorded():
    result = run("car", beta=0.25)
    assert result.steering_angle.dims == ("time", "steered_wheel") and result.steering_angle.attrs["units"] == "rad"
    assert np.all(result.steering_angle.values == 0.25)
    scene = scene_of(result)
    names = [wheel.name for wheel in scene.wheels]
    assert (
        np.allclose(scene.wheel_steer[:, names.index("front")], 0.25) and not scene.wheel_steer[:, names.index("rear_left")].any()
    )


def test_a_castor_turns_where_it_goes():
    robot = ld.Robot("cart")
    cart = robot.base("cart", moves="planar", mass=1.0, inertia=ld.about_centre(zz=1.0))
    cart.wheel("castor", at=(1.0, 0.0, 0.0), axis="y", radius=0.1, kind="castor")
    start = ld.Start(velocities={"cart.vx": 1.0, "cart.wz": 1.0})
    result = ld.simulate(robot, t_end=1.0, dt=0.001, start=start, progress=False)
    scene = scene_of(result, result.time.values[[0, 500, 1000]])
    # the velocity of the contact point in the axes of the cart: the mass centre goes straight on, the cart turns at 1 rad/s
    wanted = [math.atan2(1.0 - math.sin(t), math.cos(t)) for t in (0.0, 0.5, 1.0)]
    assert scene.wheel_steer[1:, 0] == pytest.approx(wanted[1:], abs=1e-3)


def test_a_wheel_with_inertia_is_a_body():
    """Its tyre turns with its own joint; it is not drawn a second time."""
    robot = ld.Robot("cart")
    cart = robot.base("cart", moves="planar", mass=1.0, inertia=ld.about_centre(zz=1.0), shape=ld.Box((1, 0.4, 0.2)))
    cart.wheel("left", at=(0.0, 0.3, 0.0), axis="y", radius=0.1, mass=0.2)
    cart.wheel("right", at=(0.0, -0.3, 0.0), axis="y", radius=0.1)
    start = ld.Start(velocities={"cart.vx": 1.0, "cart.wz": 0.5, "left": 8.5})  # rolls: (1 - 0.3 * 0.5) / 0.1
    result = ld.simulate(robot, t_end=0.5, dt=0.01, start=start, progress=False)
    scene = scene_of(result, result.time.values)
    assert [wheel.name for wheel in scene.wheels] == ["right"]
    tyre = scene.bodies[scene.index("left")].parts[0]
    assert (tyre.role, tyre.lengths["radius"]) == ("tyre", 0.1)
    down = rotate(scene.orientations[-1, scene.index("left")], Z)  # the spoke that was upright
    angle = float(result.joint_position.sel(joint="left").values[-1])
    assert angle > 4.0 and down[2] == pytest.approx(math.cos(angle), abs=1e-9)
    assert scene.positions[-1, scene.index("left"), 2] == pytest.approx(0.1)


def test_forces_stand_at_the_contacts():
    result = run("snakeboard", 2.0)
    scene = scene_of(result, result.time.values)
    assert scene.contacts.names == ("front.wheel", "rear.wheel")
    assert np.abs(scene.contacts.points[:, 0] - result.body_position.sel(body="front").values).max() < 1e-14
    assert np.array_equal(scene.contacts.forces, result.contact_force.values)
    longest = np.linalg.norm(scene.contacts.forces, axis=-1).max() * scene.contacts.scale
    assert longest == pytest.approx(0.45 * scene.size)


def test_planar_robots_stand_on_the_ground():
    scene = scene_of(run("car"))
    lowest = min(float(part.outline()[:, 2].min()) for body in scene.bodies for part in body.parts)
    assert lowest < 0.0 < lowest + scene.lift[2] and scene.ground.point[2] == 0.0
    assert not scene_of(run("mobile_manipulator")).lift.any()  # described above the ground already
    assert scene_of(run("satellite")).ground is None
    assert not scene_of(run("fish", 0.1)).ground.solid


def test_a_slope_is_looked_at_with_gravity_down():
    result = ld.zoo.car().changed(t_end=0.1, gravity=(-9.81 * 0.6, 0.0, -9.81 * 0.8)).run(progress=False)
    assert scene_of(result).up == pytest.approx([0.6, 0.0, 0.8])


def test_bodies_without_shape():
    """Rods between joints; the box of the moments where there are none, which has these moments again."""
    robot = ld.Robot("bare")
    ground = robot.base("ground", moves="fixed")
    arm = robot.body("arm", mass=1.0, inertia=ld.about_centre(xx=1, yy=1, zz=1)).on(ground, at=(0, 0, 2)).turning("y")
    moments = (1.0 / 12 * (0.09 + 0.04), 1.0 / 12 * (0.16 + 0.04), 1.0 / 12 * (0.16 + 0.09))  # box 0.4 x 0.3 x 0.2
    inertia = ld.about_centre(**dict(zip(("xx", "yy", "zz"), moments, strict=True)))
    robot.body("hand", mass=1.0, inertia=inertia).on(arm, at=(0, 0, -1.5)).ball()
    parts = body_parts(portrait(robot.compile().description))
    assert sorted(parts["hand"][0].lengths["size"]) == pytest.approx([0.2, 0.3, 0.4])
    rod = next(part for part in parts["arm"] if part.kind == "capsule")
    assert rod.lengths["length"] == 1.5 and rod.outline()[:, 2].min() == pytest.approx(-1.5 - rod.lengths["radius"])


def test_a_base_of_bodies_that_float_is_not_seen():
    """Eels in the sea: no box of the sea. What holds an arm is drawn."""
    seen = []
    for word in ("free", "planar", "turning"):
        robot = ld.Robot("things")
        body = robot.body("thing", mass=1.0, inertia=ld.about_centre(xx=1, yy=1, zz=1)).on(robot.base("ground", moves="fixed"))
        body.turning("z") if word == "turning" else getattr(body, word)()
        seen.append(len(body_parts(portrait(robot.compile().description))["ground"]))
    assert seen == [0, 0, 1]


@pytest.mark.parametrize("shape, volume", [
    (ld.Box((1, 2, 3), turned=("x", 0.3)), 6.0),
    (ld.Sphere(0.5), math.pi / 6),
    (ld.Ellipsoid((1, 2, 0.5)), 4 / 3 * math.pi),
    (ld.Cylinder(radius=1, length=2, axis=(1, 1, 0)), 2 * math.pi),
    (ld.Capsule(radius=1, length=2, axis="y"), math.pi * (2 + 4 / 3)),
])  # fmt: skip
def test_outlines_enclose_the_volume(shape, volume):
    """The hull of the outline has the volume of the shape, to what 24 points on a circle give."""
    from scipy.spatial import ConvexHull

    robot = ld.Robot("solid")
    robot.base("solid", moves="free", mass=1.0, shape=shape)
    part = body_parts(portrait(robot.compile().description))["solid"][0]
    assert ConvexHull(part.outline()).volume == pytest.approx(volume, rel=0.06)


def signed_volume(vertices, triangles):
    a, b, c = (vertices[triangles[:, k]].astype(float) for k in range(3))
    return float(np.sum(a * np.cross(b, c)) / 6.0)


@pytest.mark.parametrize("kind, lengths, volume", [
    ("box", {"size": [1.0, 2.0, 3.0]}, 6.0), ("cylinder", {"radius": 1.0, "length": 2.0}, 2 * math.pi),
    ("capsule", {"radius": 0.5, "length": 1.0}, math.pi * (0.25 + 1 / 6)),
])  # fmt: skip
def test_surfaces_look_outwards(kind, lengths, volume):
    part = Part(kind, np.array([0.3, 0.2, 0.1]), np.array([0.5, 0.5, 0.5, 0.5]), lengths)
    assert signed_volume(*surface(part)) == pytest.approx(volume, rel=0.06)


# ------------------------------------------------------------------------- surfaces that roll, contact laws
def test_surfaces_that_roll_touch_where_they_are_drawn():
    """Lowest points of wheels and balls as drawn are the recorded contact points; arrows stand there with the forces."""
    for name, bodies in (("bicycle", {"rear": "tyre", "front": "tyre"}), ("rolling_sphere_robot", {"shell": "ball"})):
        result = run(name, 0.5)
        scene = scene_of(result, result.time.values)
        assert np.array_equal(scene.contacts.points, result.contact_point.values)
        assert np.array_equal(scene.contacts.forces, result.contact_force.values)
        for number, (body, role) in enumerate(bodies.items()):
            k = scene.index(body)
            part = next(part for part in scene.bodies[k].parts if part.role == role)
            drawn = rotate(scene.orientations[-1, k], part.outline()) + scene.positions[-1, k]
            assert drawn[:, 2].min() == pytest.approx(0.0, abs=0.01 * part.lengths["radius"])
            lowest = drawn[np.argmin(drawn[:, 2])]
            assert np.linalg.norm(lowest - scene.contacts.points[-1, number]) < 0.3 * part.lengths["radius"]
        assert scene.ground.point.tolist() == [0.0, 0.0, 0.0] and not scene.wheels


def test_surfaces_without_a_shape_are_drawn_by_their_contact():
    robot = ld.Robot("bare")
    inertia = ld.about_centre(xx=1, yy=1, zz=1)
    body = robot.base("disc", moves="free", mass=1.0, inertia=inertia)
    body.rolling("rim", radius=0.4, crown=0.05, axis="y", normal=(0.0, 0.6, 0.8))
    parts = body_parts(portrait(robot.compile().description))["disc"]
    assert [part.role for part in parts] == ["tyre"]
    assert parts[0].lengths["radius"] == pytest.approx(0.4)
    assert np.ptp(parts[0].outline(), axis=0)[1] == pytest.approx(0.1)  # as wide as its crown


def test_forces_of_contact_laws_stand_at_their_wheels():
    result = ld.zoo.two_axle(contact="friction").changed(t_end=0.2).run(progress=False)
    scene = scene_of(result, result.time.values)
    assert scene.contacts.names == ("axle_0", "axle_1") and scene.contacts.scale > 0.0
    assert np.array_equal(scene.contacts.forces, result.contact_force.values)
    names = [wheel.name for wheel in scene.wheels]
    for k, name in enumerate(scene.contacts.names):
        wheel = scene.wheels[names.index(name)]
        b = scene.index(wheel.body)
        wanted = scene.positions[-1, b] + rotate(scene.orientations[-1, b], wheel.contact)
        assert np.abs(scene.contacts.points[-1, k] - wanted).max() < 1e-14


# ------------------------------------------------------------------------- compounds, colours, meshes
def test_compounds_and_colours():
    pieces = ld.Compound(
        (ld.Box((1, 1, 1), at=(2, 0, 0), colour=(1, 0, 0)), ld.Sphere(0.5, at=(0, 0, 1), colour=(0, 0, 1, 0.25)))
    )
    robot = ld.Robot("thing")
    robot.base("thing", moves="free", mass=1.0, inertia=ld.about_centre(xx=1, yy=1, zz=1), shape=pieces)
    box, ball = body_parts(portrait(robot.compile().description))["thing"]
    assert (box.kind, box.colour, box.at.tolist()) == ("box", (1.0, 0.0, 0.0), [2.0, 0.0, 0.0])
    assert (ball.kind, ball.colour, ball.at.tolist()) == ("sphere", (0.0, 0.0, 1.0, 0.25), [0.0, 0.0, 1.0])


def test_meshes_with_three_factors(tmp_path):
    """A mirrored mesh still looks outwards: its signed volume is positive."""
    (tmp_path / "a.obj").write_bytes(obj())
    for scale, volume in (((2.0, 3.0, 0.5), 0.5), ((-2.0, 3.0, 0.5), 0.5)):
        robot = ld.Robot("stone")
        robot.base(
            "stone",
            moves="free",
            mass=1.0,
            inertia=ld.about_centre(xx=1, yy=1, zz=1),
            shape=ld.Mesh(str(tmp_path / "a.obj"), scale),
        )
        (part,) = body_parts(portrait(robot.compile().description))["stone"]
        assert signed_volume(*surface(part)) == pytest.approx(volume)
        assert np.ptp(part.outline(), axis=0) == pytest.approx(np.abs(scale))


# ------------------------------------------------------------------------- orientations
def test_rotation_vectors_go_on_over_many_turns():
    angle = np.linspace(0.0, 40.0, 500)
    axis = np.array([0.6, 0.0, 0.8])
    assert rotation_vectors(about(axis, angle)) == pytest.approx(np.outer(angle, axis), abs=1e-9)


def test_angles_of_an_upright_body():
    heading, pitch, lean = np.linspace(0.0, 15.0, 200), np.linspace(-0.4, 0.5, 200), np.linspace(0.6, -0.7, 200)
    x, y = np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])
    q = compose(compose(about(Z, heading), about(y, pitch)), about(x, lean))
    assert upright_angles(q) == pytest.approx(np.column_stack([heading, pitch, lean]), abs=1e-12)
    assert upright_angles(about(x, np.array([0.0, 2.0]))) is None


TETRAHEDRON = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], float)
FACES = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]


def stl_text():
    lines = ["solid t"]
    for face in FACES:
        lines += ["facet normal 0 0 0", "outer loop", *(f"vertex {x} {y} {z}" for x, y, z in TETRAHEDRON[list(face)])]
        lines += ["endloop", "endfacet"]
    return "\n".join([*lines, "endsolid"]).encode()


def stl_binary():
    records = b"".join(struct.pack("<12fH", 0, 0, 0, *TETRAHEDRON[list(face)].ravel(), 0) for face in FACES)
    return b"\0" * 80 + struct.pack("<I", len(FACES)) + records


def obj():
    lines = [f"v {x} {y} {z}" for x, y, z in TETRAHEDRON] + [f"f {a + 1}/1 {b + 1}/1 {c + 1}/1" for a, b, c in FACES]
    return "\n".join(lines).encode()


@pytest.mark.parametrize("name, content", [("a.stl", stl_text()), ("b.stl", stl_binary()), ("c.obj", obj())])
def test_mesh_files(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    vertices, triangles = read_mesh(tmp_path / name)
    assert vertices.shape == (4, 3) and triangles.shape == (4, 3)
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    assert np.sum(a * np.cross(b, c)) / 6.0 == pytest.approx(1.0 / 6.0)  # signed volume: faces look outwards


@pytest.mark.parametrize("name, content, words", [
    ("a.stl", b"\xff" * 50, "is damaged"), ("b.stl", b"solid", "no sound triangles"),
    ("a.obj", b"v 0 0 0\nf 1 2 3", "no sound triangles"), ("a.xyz", b"", "must end in"), ("a.ply", b"", "is damaged"),
    ("a.dae", b"<COLLADA/>", "is damaged"),
])  # fmt: skip
def test_bad_meshes(tmp_path, name, content, words):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=words):
        read_mesh(tmp_path / name)


def test_a_mesh_is_in_the_result(tmp_path):
    """The file may be gone when the result is drawn."""
    file = tmp_path / "a.obj"
    file.write_bytes(obj())
    robot = ld.Robot("stone")
    robot.base("stone", moves="free", mass=1.0, inertia=ld.about_centre(xx=1, yy=1, zz=1), shape=ld.Mesh(str(file), scale=2.0))
    saved = ld.simulate(robot, t_end=0.1, dt=0.01, progress=False).save(tmp_path / "a.nc")
    file.unlink()
    part = scene_of(ld.Result.load(saved)).bodies[0].parts[0]
    assert np.array_equal(part.vertices, 2.0 * TETRAHEDRON) and len(part.triangles) == 4
    with pytest.warns(UserWarning, match="drawn without its mesh: the mesh '.*' cannot be read"):
        portrait(robot.compile().description)


# ------------------------------------------------------------------------- packing
def unpack(packet):
    """The reader of the page, written anew from the description in pack.py."""
    raw = gzip.decompress(packet)
    (length,) = struct.unpack("<I", raw[:4])
    header = json.loads(raw[4 : 4 + length])

    def read(entry):
        count, start = math.prod(entry["shape"]), 4 + length + entry["array"]
        if entry["kind"] in ("f32", "u32"):
            return np.frombuffer(raw, "<f4" if entry["kind"] == "f32" else "<u4", count, start).reshape(entry["shape"])
        rows = entry["shape"][0]
        levels = np.cumsum(np.frombuffer(raw, "<i2", count, start).reshape(-1, rows).astype(np.int64), axis=1)
        if entry["kind"] == "i16":
            levels = (levels + 2**15) % 2**16 - 2**15
            return (entry["middle"] + entry["step"] * levels).T.reshape(entry["shape"])
        return (2 * math.pi / 2**16 * levels).T.reshape(entry["shape"])

    def revive(value):
        if isinstance(value, list):
            return [revive(item) for item in value]
        if isinstance(value, dict):
            return read(value) if "array" in value else {key: revive(item) for key, item in value.items()}
        return value

    return revive(header)


def test_packing_keeps_half_a_step():
    scene = synthetic()
    packer = Packer()
    again = unpack(packer.packet(pack_scene(scene, packer)))
    for name in ("positions", "orientations"):
        values = getattr(scene, name)
        assert np.abs(again[name] - values).max() <= 0.51 * np.ptp(values) / 65534
    assert np.abs(again["wheel_turn"] - scene.wheel_turn).max() < 1e-4  # 250 rad: many turns
    assert np.abs(again["rods"][2]["centre"] - scene.rods[2].centre).max() < 1e-4
    radius = scene.rods[2].radius
    assert again["rods"][2]["radius"].shape == radius.shape
    assert np.abs(again["rods"][2]["radius"] - radius).max() <= 0.51 * np.ptp(radius) / 65534
    assert again["terrain"]["heights"].shape == scene.terrain.heights.shape
    assert np.array_equal(again["bodies"][1]["parts"][0]["triangles"], scene.bodies[1].parts[0].triangles)


def test_report_of_twenty_bodies_and_six_rods_is_small():
    """10 s of a motion that does not repeat, with eight charts of twenty curves that wander at random: below 2 MB by far."""
    scene, times = synthetic(bodies=20, rods=6, frames=301), np.linspace(0.0, 10.0, 1000)
    noise = np.random.default_rng(1).standard_normal((8, 1000, 20)).cumsum(axis=1)
    charts = [{"name": f"chart_{k}", "kind": "time", "values": values} for k, values in enumerate(noise)]
    page = document(scene.title, STAGE, packet(scene, times, charts))
    assert len(page.encode()) < 1_300_000
    assert len(document(scene.title, STAGE, packet(scene, times, [])).encode()) < 900_000


# --------------------------------------------------------------------------------------------------------------------- rods
def test_rods_are_tubes_about_their_centre_lines():
    """Centre, tip and radius are those of the result and the section; the colour is the bending strain."""
    result = run("rod_drop", 0.3)
    scene = scene_of(result, result.time.values[::5])
    (rod,) = scene.rods
    places = slice(None, None, (rod.centre.shape[1] - 1) // (result.rod_position.shape[2] - 1))  # recorded; splines between them
    assert np.abs(rod.centre[:, places] - result.rod_position.values[::5, 0]).max() < 1e-14
    assert np.abs(rod.centre[:, -1] - scene.positions[:, scene.index("rod")]).max() < 1e-12
    assert np.abs(rod.radius - np.full(rod.centre.shape[:2], 0.02)).max() < 1e-15
    assert np.abs(rod.scalar[:, places] - np.hypot(*np.moveaxis(result.rod_strain.values[::5, 0, :, 4:], -1, 0))).max() < 1e-14
    assert scene.size == pytest.approx(0.5, rel=0.1) and scene.extreme[:, 2].min() < -0.3
    outline = strip(rod, 0, (0, 2))  # straight along x at first: a rectangle
    assert np.abs(np.abs(outline[:, 1]) - 0.02).max() < 1e-12 and np.ptp(outline[:, 0]) == pytest.approx(0.5)


def test_sections_that_are_not_round_have_the_radius_of_their_gyration():
    robot = ld.Robot("flat")
    section = ld.Rectangle(0.03, 0.04)
    robot.base("ground", moves="fixed").rod("rod", length=1.0, section=section, material=ld.steel, bending=1)
    (rod,) = portrait(robot.compile().description)["rods"]
    assert rod["radius"] == pytest.approx([math.sqrt((0.03**2 + 0.04**2) / 6.0)] * 21)


def test_tendons_run_along_their_rods():
    """A rod bent to a circle: the tendon is at its radius less the offset, from start to end."""
    robot = ld.Robot("arm")
    rod = robot.base("ground", moves="fixed").rod("arm", length=1.0, section=ld.Circle(0.01), material=ld.steel, bending=1)
    rod.tendon("near", offset=(0.05, 0.0), start=0.25, end=0.75)
    rod.tendon("spiral", offset=lambda s: (0.05 * math.cos(6 * s), 0.05 * math.sin(6 * s)))
    bent = {"arm.bending_y.0": 0.0, "arm.bending_z.0": 0.5}  # curvature 0.5 / m about z, constant
    result = ld.simulate(robot, imposed=bent, gravity=(0, 0, 0), t_end=0.02, dt=0.01, progress=False)
    near, spiral = scene_of(result, result.time.values).tendons
    assert (near.name, spiral.name) == ("near", "spiral") and near.points.shape == (3, 21, 3)
    centre = np.array([0.0, 2.0, 0.0])  # of the circle
    # at places of the record exactly, between two of them to the sagitta of the chord, (1/20)^2 / 8 / 2 = 1.6e-4 m
    assert np.abs(np.linalg.norm(near.points - centre, axis=-1) - 1.95).max() < 2e-4
    ends = [[1.95 * math.sin(a), 2.0 - 1.95 * math.cos(a), 0.0] for a in (0.125, 0.375)]
    assert np.abs(near.points[0, [0, -1]] - ends).max() < 1e-9
    assert np.abs(spiral.points[0, :, 2] - 0.05 * np.sin(6 * np.linspace(0, 1, 21))).max() < 1e-9


# ---------------------------------------------------------------------------------------------------------------- obstacles
def test_obstacles_are_drawn_where_they_stand():
    robot = ld.Robot("ball")
    robot.base("ball", moves="free", mass=1.0, shape=ld.Sphere(0.1)).collides()
    heights = 0.1 * np.arange(20.0).reshape(4, 5) - 3.0
    world = [
        ld.Obstacle(ld.Cylinder(0.05), at=(1.0, 0.0)),
        ld.Obstacle(ld.Capsule(0.02, 0.5, axis="x"), at=(0.0, 1.0, 0.2), name="bar"),
        ld.Obstacle(ld.Sphere(0.3), at=(2.0, 0.0, 0.0)),
        ld.Obstacle(ld.Box((0.1, 0.2, 0.3)), at=(0.0, 2.0, 0.0), turned=("z", 0.5)),
    ]
    for floor in (ld.Ground(at=(0.0, 0.0, -0.4)), ld.Terrain(heights=heights, spacing=0.5, origin=(3.0, 1.0))):
        result = ld.simulate(
            robot, obstacles=[*world, floor], gravity=(0, 0, 0), t_end=0.02, dt=0.01, integrator="moreau", progress=False
        )
        scene = scene_of(result)
        tall, short, ball, block = scene.fixtures
        assert (tall.kind, short.kind, ball.kind, block.kind) == ("cylinder", "capsule", "sphere", "box")
        assert tall.at[:2] == pytest.approx([1.0, 0.0]) and tall.lengths["length"] > 0.2  # as high as the robot, and more
        assert rotate(short.quaternion, np.array([0.0, 0.0, 1.0])) == pytest.approx([1.0, 0.0, 0.0])
        assert short.lengths == {"radius": 0.02, "length": 0.5} and ball.lengths == {"radius": 0.3}
        assert abs(block.quaternion @ about(Z, 0.5)) == pytest.approx(1.0)
        if isinstance(floor, ld.Ground):
            assert scene.ground.point[2] == -0.4 and scene.terrain is None
        else:
            assert scene.ground is None and np.abs(scene.terrain.heights - heights).max() < 1e-6
            assert scene.terrain.origin == pytest.approx([3.0, 1.0]) and scene.terrain.spacing == pytest.approx([0.5, 0.5])


def test_forces_that_die_away_do_not_make_endless_arrows():
    """The edge of the sleigh pushes at the start only: the longest arrow is a few times as long as a usual one, not 1e5 times."""
    scene = scene_of(run("chaplygin_sleigh", 20.0))
    longest = scene.contacts.scale * np.linalg.norm(scene.contacts.forces, axis=-1).max()
    assert 0.4 * scene.size < longest < 2.5 * scene.size


def test_a_worm_is_drawn_as_thick_as_it_is():
    """The drawn radius is that of a body that keeps its volume, r / sqrt(1 + eps sin(k (s - X))) (Ali 2011, (6.3)), at records.

    Between the places of records it is drawn by straight lines; those places are among the drawn ones.
    """
    result = run("earthworm", 2.5)
    scene = scene_of(result, result.time.values[::4])
    (rod,) = scene.rods
    x = result.s.values
    stretch = 1.0 + 0.5 * np.sin(2.0 * np.pi * (0.05 * scene.times[:, None] - x))
    parts = (rod.radius.shape[1] - 1) // (len(x) - 1)
    np.testing.assert_allclose(rod.radius[:, ::parts], 0.02 / np.sqrt(stretch), rtol=1e-9)
