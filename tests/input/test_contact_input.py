"""Bad input of hard contact: one sentence that names the thing, the fault and what would be right."""

import numpy as np
import pytest

import locodyn as ld
from feature_cases import BASES
from locodyn.errors import DescriptionError, InputError
from locodyn.robot import Box, Friction, Mesh, Robot, Sphere

pytestmark = pytest.mark.slow


def body(shape=None):
    return Robot("r").base("b", mass=1.0, shape=Sphere(0.1) if shape is None else shape)


@pytest.mark.parametrize(
    "make, words",
    [
        (lambda: body().collides(friction=-0.1), "The friction along is -0.1, but it must not be negative"),
        (lambda: body().collides(friction=(0.1, 0.2, 0.3)), "one number, or two"),
        (lambda: Friction(0.1, law="coulob"), "did you mean 'coulomb'"),
        (lambda: Friction(0.1, backward=0.2, law="viscous"), "knows no backward coefficient"),
        (lambda: Friction(float("nan")), "must be a finite number"),
        (lambda: body().collides(restitution=1.5), "must be a number from 0 to 1"),
        (lambda: body().collides(Mesh("hull.stl")), "a mesh, which cannot collide: use a sphere, capsule, cylinder, box or"),
        (lambda: Robot("r").base("b", mass=1.0).collides(), "The surface of surface 'b.surface' on 'b' is not known"),
        (lambda: body().collides(vertices=[(1, 2)]), "must be an array"),
        (lambda: body().rests(-1.0), "a force in N that is not negative"),
        (lambda: body().collides(name="x").collides(name="x"), "already has a surface 'x'"),
    ],
)  # fmt: skip
def test_surfaces(make, words):
    with pytest.raises(DescriptionError, match=words):
        make()


@pytest.mark.parametrize(
    "make, words",
    [
        (lambda: ld.Obstacle(ld.Cylinder(-1.0), at=(0, 0)), "The radius of a cylinder is -1, but it must be a positive length"),
        (lambda: ld.Obstacle(ld.Cylinder(1.0), at=(0,)), "it must be 3 finite numbers"),
        (lambda: ld.Obstacle("peg", at=(0, 0)), "an obstacle is made of 'peg'; it must be a solid, such as"),
        (lambda: ld.Obstacle(Mesh("rock.stl"), at=(0, 0)), "The mesh 'mesh' is a mesh, which cannot collide"),
        (lambda: ld.Capsule(0.1), "A capsule has no length: give length="),
        (lambda: robot_with(ld.Cylinder(0.1)), "The shape of body 'b' is a cylinder without a length: give length="),
        (lambda: body().collides(ld.Cylinder(0.1)), "is a cylinder without a length: give length="),
        (lambda: ld.Obstacle(ld.Box((1, 0, 1)), at=(0, 0, 0)), "3 positive lengths"),
        (lambda: ld.Terrain(heights=np.zeros((2, 2))), "at least 4 x 4"),
        (lambda: ld.Ground(restitution=2.0), "a number from 0 to 1"),
        (lambda: ld.HardContact(solver="newtn"), "did you mean 'newton'"),
        (lambda: ld.HardContact(tolerance=0.0), "must be a positive number"),
        (lambda: ld.HardContact(iterations=0), "a whole number, at least 1"),
    ],
)
def test_obstacles_and_options(make, words):
    with pytest.raises((InputError, DescriptionError), match=words):
        make()


def scenario(robot, obstacles, z=1.0, **fields):
    start = ld.Start({"b": (0.0, 0.0, z, 0.0, 0.0, 0.0)})
    return ld.Scenario("s", robot, obstacles=obstacles, start=start, t_end=0.1, dt=1e-3, **{"integrator": "moreau", **fields})


def robot_with(shape):
    robot = Robot("r")
    robot.base("b", mass=1.0, shape=shape).collides()
    return robot


def test_penetration_at_the_start_is_refused():
    with pytest.raises(InputError, match=r"'b.surface on ground' overlap by 0.05 m"):
        scenario(robot_with(Sphere(0.1)), [ld.Ground()], z=0.05).run(progress=False)


def test_overlap_is_resolved_by_the_smallest_move():
    """A ball half in the ground rises; a snake among pegs that are too near leaves them; what cannot be left is said."""
    from dataclasses import replace

    sunk = scenario(robot_with(Sphere(0.1)), [ld.Ground()], z=0.05)
    moved = sunk.changed(start=replace(sunk.start, resolve=True))
    assert moved.initial_state()[0][:3] == pytest.approx((0.0, 0.0, 0.1), abs=1e-6)
    assert moved.run(progress=False).status == "completed"
    snake = ld.zoo.snake_2d(pegs="table_7_5").changed(t_end=0.01, checks=())
    near = [replace(peg, solid=ld.Cylinder(peg.solid.radius + 0.01)) for peg in snake.world.obstacles]
    with pytest.raises(InputError, match=r"overlap by 0\.0\d+ m.*--resolve"):
        snake.changed(obstacles=near).run(progress=False)
    free = snake.changed(obstacles=near, start=replace(snake.start, resolve=True))
    q = free.initial_state()[0]
    assert free.problem.contact.overlap(q)[0] < 1e-6
    assert np.abs(q - snake.initial_state()[0])[:2].max() < 0.02  # m
    narrow = [ld.Ground(), ld.Ground(name="roof", at=(0, 0, 0.15), normal=(0, 0, -1))]
    stuck = scenario(robot_with(Sphere(0.1)), narrow, z=0.075)
    with pytest.raises(InputError, match="does not fit"):
        stuck.changed(start=replace(stuck.start, resolve=True)).run(progress=False)


def test_servos_that_begin_later_need_moreau():
    robot = Robot("r")
    robot.base("b", moves="fixed")
    robot.body("arm", mass=1.0, inertia=np.eye(3)).on("b").turning("z", name="a")
    servo = {"a": ld.Servo(0.3, 5.0, 1.0, begins=0.05)}
    with pytest.raises(InputError, match="takes no servos that begin after the start, such as 'a'; use 'moreau'"):
        ld.Scenario("s", robot, servo=servo, t_end=0.1, dt=1e-3, integrator="rkmk4").run(progress=False)
    result = ld.Scenario("s", robot, servo=servo, t_end=0.1, dt=1e-3).run(progress=False)
    assert result.dataset.attrs["integrator"] == "moreau"  # chosen, where none is named
    torque = result.joint_torque.values[:, 0]
    assert not np.any(torque[:51]) and torque[51] == pytest.approx(1.5, rel=0.05)


def test_step_beyond_the_limit_of_explicit_servos():
    """dt k < 2 d: 2 * 1 / 50 = 0.04 s; with the mass matrix 2 / (d / I) = 2 s."""
    robot = Robot("r")
    robot.base("b", moves="fixed")
    robot.body("arm", mass=1.0, inertia=np.eye(3)).on("b").turning("z", name="a")
    explicit = ld.HardContact(implicit_servo=False)
    given = ld.Scenario(
        "s", robot, servo={"a": ld.Servo(0.3, 50.0, 1.0)}, contact=explicit, integrator="moreau", t_end=1.0, dt=0.05
    )
    with pytest.raises(
        InputError, match=r"the step is 0\.05 s, but servos .* are stable up to 0\.04 s only; take a smaller step"
    ):
        given.run(progress=False)
    assert given.changed(dt=0.025).run(progress=False).status == "completed"


def test_law_of_restitution():
    with pytest.raises(InputError, match="there is no law of restitution 'poison'; did you mean 'poisson'"):
        ld.HardContact(restitution="poison")


def test_other_integrators_are_refused():
    with pytest.raises(InputError, match="use 'moreau' or 'event_driven', or leave out obstacles"):
        scenario(robot_with(Sphere(0.1)), [ld.Ground()], integrator="rkmk4").run(progress=False)


@pytest.mark.slow
def test_dependent_joints_that_run_into_an_obstacle() -> None:
    """Wheels give all velocities of such a robot: a peg in its way wedges it, and the run says so."""
    robot, fields = BASES["train"]()
    robot["cart"].collides(Sphere(0.05))
    del fields["speeds"]
    peg = ld.Obstacle(Sphere(0.02), at=(0.184, 0.014, 0.0), name="peg")
    given = ld.Scenario("train", robot, **fields, t_end=0.22, dt=1e-3, obstacles=[peg], integrator="moreau")
    with pytest.warns(UserWarning, match=r"contact 'cart.surface on peg' carries up to .* it is wedged between things"):
        assert given.run(progress=False).attributes["contact_unconverged_steps"] > 0


def test_surfaces_along_rods():
    robot = Robot("r")
    base = robot.base("b", moves="fixed")
    square = base.rod("square", length=1.0, section=ld.Rectangle(0.1, 0.1), material=ld.steel, bending=2)
    with pytest.raises(DescriptionError, match=r"must be a positive length in m: give radius="):
        square.collides()
    with pytest.raises(DescriptionError, match="which only the surface along a rod has"):
        base.collides(Sphere(0.1), radius=0.1)
    with pytest.raises(InputError, match=r"theta of hard contact is 0.2; it must be a number from 0.5 to 1"):
        ld.HardContact(theta=0.2)


def test_robot_without_surfaces_among_obstacles():
    robot = Robot("r")
    robot.base("b", mass=1.0, shape=Sphere(0.1))
    with pytest.raises(InputError, match=r"has no surface that could touch ground 'ground'"):
        scenario(robot, [ld.Ground()]).run(progress=False)
    with pytest.raises(InputError, match=r"has no surface that could touch another of its bodies"):
        scenario(robot, [], self_collision=True).run(progress=False)


def test_names_of_obstacles():
    with pytest.raises(InputError, match="two obstacles are named 'ground'"):
        scenario(robot_with(Box((0.1, 0.2, 0.3))), [ld.Ground(), ld.Ground(at=(0, 0, -1))]).run(progress=False)
    with pytest.raises(InputError, match="it must be an Obstacle, Ground or Terrain"):
        scenario(robot_with(Sphere(0.1)), ["ground"]).run(progress=False)
    with pytest.raises(InputError, match=r"it must be Obstacle\(solid, at=\)"):
        scenario(robot_with(Sphere(0.1)), [Sphere(0.1)]).run(progress=False)


def test_gait_without_ground():
    with pytest.raises(InputError, match="needs ground to move on"):
        ld.zoo.snake_3d(ground=False)


PEGS = """\
robot: {base: {name: block, mass: 2, shape: {box: [0.4, 0.3, 0.1]}, collides: {sole: {friction: 0.3}}}}
obstacles:
  - {ground: {}}
  - {cylinder: {at: [1, 0], radius: 0.05, name: front}}
start: {positions: {block: [0, 0, 0.05, 0, 0, 0]}}
time: {end: 0.01, step: 1e-3}
integrator: moreau
"""


def test_settings_reach_the_obstacles_of_a_file(tmp_path):
    """Entries of a list are counted from 1."""
    file = tmp_path / "course.yaml"
    file.write_text(PEGS)
    changed = ld.scenario_of(file, {"obstacles.2.cylinder.radius": "0.2"}).scenario
    assert changed.world.obstacles[1].solid.radius == 0.2
    for key in ("obstacles.3.cylinder.radius", "obstacles.cylinder.radius", "obstacles.0.cylinder.radius", "obstacles.2"):
        with pytest.raises(InputError, match="a list of 2; say which entry, from 1 to 2, and what of it"):
            ld.scenario_of(file, {key: "0.2"})
