"""Robots with their contacts as MJCF and URDF: read back by MuJoCo, by Pinocchio and by the library."""

import math

import numpy as np
import pytest

import locodyn as ld
from locodyn.files.export_scenario import save_with_world

mujoco = pytest.importorskip("mujoco")


def sled(self_collision=False):
    """A body with a box, on whose front a leg with a ball swings, over a slope, a step and a hill."""
    robot = ld.Robot("sled")
    trunk = robot.base("trunk", mass=2.0, inertia=ld.about_centre(xx=0.02, yy=0.03, zz=0.04), moves="free", at=(0.1, -0.2, 0.5))
    trunk.collides(ld.Box((0.4, 0.2, 0.1)), name="belly", friction=0.6)
    leg = robot.body("leg", mass=0.3, inertia=ld.about_centre(xx=1e-3, yy=1e-3, zz=1e-4), centre=(0, 0, -0.1))
    leg.on(trunk, at=(0.2, 0.0, 0.0)).turning("y")
    foot = ld.Friction(0.8, spinning=0.01, rolling=0.05)
    leg.collides(ld.Sphere(0.03, at=(0.0, 0.0, -0.2)), name="foot", friction=foot)
    leg.collides(ld.Capsule(0.02, 0.1, at=(0.0, 0.0, -0.1)), name="shin", friction=0.8)
    x = np.arange(6) * 0.5
    ground = [
        ld.Ground(at=(0.0, 0.0, -0.3), normal=(0.1, 0.0, 1.0)),
        ld.Obstacle(ld.Box((0.3, 0.4, 0.2)), at=(1.0, 0.0, 0.1), name="step"),
        ld.Terrain(heights=0.1 * np.outer(np.sin(x), np.cos(x)), spacing=0.5, origin=(2.0, -1.0), name="hill"),
    ]
    return ld.Scenario("sled", robot, obstacles=ground, self_collision=self_collision, dt=1e-3, t_end=0.3)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("contacts")
    notes = save_with_world(sled(), folder / "sled.xml") + save_with_world(sled(), folder / "sled.urdf")
    return folder, [str(note) for note in notes]


def test_mujoco_sees_the_same_surfaces_friction_and_world(written):
    model = mujoco.MjModel.from_xml_path(str(written[0] / "sled.xml"))
    geoms = {model.geom(k).name: model.geom(k) for k in range(model.ngeom) if model.geom_contype[k] | model.geom_conaffinity[k]}
    assert set(geoms) == {"belly", "foot", "shin", "ground", "step", "hill"}
    assert geoms["belly"].size == pytest.approx([0.2, 0.1, 0.05]) and geoms["belly"].friction[0] == 0.6
    assert geoms["foot"].friction == pytest.approx([0.8, 0.01, 0.05 * 0.03]) and geoms["foot"].condim[0] == 6
    assert model.opt.gravity == pytest.approx([0.0, 0.0, -9.81])
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    place = data.geom("ground").xmat.reshape(3, 3)[:, 2]
    assert place == pytest.approx(np.array([0.1, 0.0, 1.0]) / math.sqrt(1.01))


def test_mujoco_finds_the_gaps_that_we_find(written):
    """The ball of the foot pressed into the slope: the depth of the point below the plane, less the radius."""
    model = mujoco.MjModel.from_xml_path(str(written[0] / "sled.xml"))
    data = mujoco.MjData(model)
    data.qpos[2] = -0.14
    mujoco.mj_forward(model, data)
    depths = {model.geom(int(c.geom[1])).name: c.dist for c in data.contact if model.geom(int(c.geom[0])).name == "ground"}
    at = data.geom("foot").xpos
    wanted = np.dot(at - [0.0, 0.0, -0.3], np.array([0.1, 0.0, 1.0]) / math.sqrt(1.01)) - 0.03
    assert wanted < 0.0 and depths["foot"] == pytest.approx(wanted, abs=1e-12)
    names = [{model.geom(int(k)).name for k in c.geom} for c in data.contact]
    assert {"belly", "shin"} not in names and {"belly", "foot"} not in names  # bodies do not hit each other


def test_the_library_reads_the_same_robot_back(written):
    """Masses, surfaces and obstacles to round-off; a fall on the ground is the same fall."""
    ours, read = sled(), ld.load_robot(written[0] / "sled.xml")
    again = ld.Scenario("again", read.robot, obstacles=read.obstacles, self_collision=read.self_collision, dt=1e-3, t_end=0.3)
    assert again.compiled.total_mass == pytest.approx(ours.compiled.total_mass, rel=1e-15)
    hill, old = ({o.name: o for o in one.world.obstacles}["hill"] for one in (again, ours))
    assert hill.heights == pytest.approx(old.heights, abs=2e-8) and hill.spacing == pytest.approx(old.spacing)  # MuJoCo: float32
    assert hill.origin == pytest.approx(old.origin)
    one, two = ours.run(progress=False), again.run(progress=False)
    assert float(one.contact_force.max()) > 1.0  # it has landed
    assert np.abs(one.body_position.values - two.body_position.values).max() < 1e-9
    frictions = {surface.name.split(".")[-1]: surface.friction for _, surface in again.compiled.description.collisions}
    assert frictions["belly"].along == 0.6 and frictions["foot"].rolling == pytest.approx(0.05)


def test_urdf_has_the_surfaces_and_says_what_it_lost(written):
    pin = pytest.importorskip("pinocchio")
    folder, notes = written
    model = pin.buildModelFromUrdf(str(folder / "sled.urdf"), pin.JointModelFreeFlyer())
    shapes = pin.buildGeomFromUrdf(model, str(folder / "sled.urdf"), pin.GeometryType.COLLISION)
    kinds = sorted(type(one.geometry).__name__ for one in shapes.geometryObjects)
    assert kinds == sorted(["Box", "Sphere", "Cylinder", "Sphere", "Sphere"])
    assert pin.computeTotalMass(model) == pytest.approx(2.3)
    read = ld.load_robot(folder / "sled.urdf", moves="free", collides=True)
    assert len(list(read.robot.description.collisions)) == 5 and len(read.obstacles) == 1
    frictions = {one.name: one.friction for _, one in read.robot.description.collisions}
    assert frictions["trunk.surface"].along == 0.6
    foot = frictions["leg.surface"]
    assert (foot.along, foot.spinning) == (0.8, 0.01) and foot.rolling == pytest.approx(0.05)
    said = "\n".join(notes)
    assert "link 'leg': its surfaces differ in friction or restitution" in said
    assert "URDF has no world" in said and "MuJoCo's are soft" in said


def test_pairs_that_do_not_meet(tmp_path):
    robot = ld.Robot("three")
    body = robot.base("a", mass=1.0, inertia=ld.about_centre(xx=1, yy=1, zz=1), moves="free")
    body.collides(ld.Sphere(0.05))
    for name in ("b", "c"):
        body = robot.body(name, mass=1.0, inertia=ld.about_centre(xx=1, yy=1, zz=1)).on(body, at=(0.2, 0, 0)).turning("y")
        body.collides(ld.Sphere(0.05))
    for choice, count in ((True, 0), (ld.SelfCollision(exclude=[("a", "c")]), 1)):
        scenario = ld.Scenario("three", robot, obstacles=[ld.Ground(at=(0, 0, -1))], self_collision=choice)
        save_with_world(scenario, tmp_path / "three.xml")
        model = mujoco.MjModel.from_xml_path(str(tmp_path / "three.xml"))
        assert model.nexclude == count
        read = ld.load_robot(tmp_path / "three.xml")
        assert [one.name for _, one in read.robot.description.collisions] == ["a.surface", "b.surface", "c.surface"]
        assert list(read.self_collision.exclude) == [("a", "c")] * count


FIELD = """<mujoco><asset><hfield name="f" nrow="{rows}" ncol="{columns}" size="1 1 0.5 0.1" elevation="{heights}"/></asset>
<worldbody><geom name="land" type="hfield" hfield="f" pos="3 0 0.2" euler="0 0 {turn}"/>
<body name="ball" pos="3 0 2"><freejoint/><geom type="sphere" size="0.1" mass="1"/></body></worldbody></mujoco>"""


def field(rows, columns, turn=0.0):
    """A slope: heights rise along x and twice as fast along y (the first row of an elevation lies at the largest y)."""
    x, y = np.linspace(0.0, 1.0, columns), np.linspace(1.0, 0.0, rows)
    heights = (x[None, :] + 2.0 * y[:, None]) / 3.0
    return FIELD.format(rows=rows, columns=columns, turn=turn, heights=" ".join(map(repr, heights.ravel().tolist())))


def test_a_height_field_of_mjcf_is_terrain(tmp_path):
    """On a slope straight lines are exact, also where rows and columns have another spacing; MuJoCo's heights are float32."""
    for rows, columns in ((5, 5), (5, 9)):
        (tmp_path / "land.xml").write_text(field(rows, columns))
        read = ld.load_robot(tmp_path / "land.xml")  # a height field is a floor: what is there collides
        (land,) = read.obstacles
        assert not any("height field" in str(note) and "lost" in str(note) for note in read.notes)
        assert isinstance(land, ld.Terrain) and land.origin == pytest.approx([2.0, -1.0]) and land.spacing == 2.0 / (columns - 1)
        i, j = np.indices(land.heights.shape) * land.spacing / 2.0
        assert land.heights == pytest.approx(0.2 + 0.5 * (i + 2.0 * j) / 3.0, abs=1e-6)
        assert land.heights.shape == (columns, columns)
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "land.xml"))
    data = mujoco.MjData(model)
    data.qpos[:3] = (3.5, 0.5, 0.2 + 0.5 * 0.75 + 0.09)  # the ball on the slope at (0.75, 0.75) of the way
    mujoco.mj_forward(model, data)
    scenario = ld.Scenario("land", read.robot, obstacles=read.obstacles)
    gap = scenario.problem.contact.gaps(np.array([0.5, 0.5, 0.665 - 2.0, 1.0, 0.0, 0.0, 0.0])).min()
    assert data.contact[0].dist < 0.0 and gap == pytest.approx(min(c.dist for c in data.contact), abs=1e-3)


@pytest.mark.parametrize("given, why", [((5, 5, 30.0), "that is turned"), ((3, 5, 0.0), "at least 4 x 4")])
def test_a_height_field_that_is_not_taken_is_listed(given, why, tmp_path):
    (tmp_path / "land.xml").write_text(field(*given))
    assert why in " ".join(map(str, ld.load_robot(tmp_path / "land.xml", collides=True).notes))
