"""Obstacle-aided locomotion: Gray's three links, tracks and pegs, plans that pass their course, push points, reaction."""

import math

import numpy as np
import pytest

import locodyn as ld
from locodyn.controllers import (
    Chain,
    Course,
    ObstacleReaction,
    SampledController,
    place_pegs,
    plan_gait,
    plan_start,
    push_count,
    push_points,
    three_link_push,
)
from locodyn.controllers.peg_planner import PegPlan, peg_gaps, track_fit, wave_posture, wavelength
from locodyn.controllers.push_points import obstacle_forces
from locodyn.errors import InputError
from locodyn.locomotion.sampled_controller import Measurement

pytestmark = pytest.mark.slow

OMEGA = math.radians(80.0)
JOINTS = [f"joint_{k}" for k in range(1, 11)]


# ------------------------------------------------------------------------------------------------------------ three links
def three_links(radius=0.01):
    robot = ld.Robot("three links")
    link = {"mass": 0.2, "inertia": ld.about_centre(xx=1e-4, yy=1e-3, zz=1e-3)}
    middle = robot.base("link_2", moves="planar", **link, shape=ld.Capsule(radius, 0.1, axis="x"))
    front = robot.body("link_1", centre=(0.06, 0, 0), **link, shape=ld.Capsule(radius, 0.1, axis="x"))
    rear = robot.body("link_3", centre=(-0.06, 0, 0), **link, shape=ld.Capsule(radius, 0.1, axis="x"))
    front.on(middle, at=(0.061, 0, 0)).turning("z", name="alpha")
    rear.on(middle, at=(-0.061, 0, 0)).turning("z", name="beta")
    for body in (middle, front, rear):
        body.collides(friction=0.0)
    return robot


def pushes(alpha, beta, push):
    """Points (link, place along its x) and forces (world, link 2 along x) of the pegs."""
    n1, n2, n3 = push.forces
    return (
        ("link_1", 0.06, n1 * np.array([math.sin(alpha), -math.cos(alpha), 0.0])),
        ("link_2", 0.061 - push.place, np.array([0.0, n2, 0.0])),
        ("link_3", -0.06, n3 * np.array([-math.sin(beta), -math.cos(beta), 0.0])),
    )


def test_forces_balance_in_the_kernel():
    """Generalised forces sum J^T f + tau: nothing at the joints, F along link 2, nothing across it, no moment."""
    model = three_links().model()
    alpha, beta, torques = 0.7, 0.25, (0.4, 0.3)
    push = three_link_push(alpha, beta, torques, (0.06, 0.06), 0.122)
    q = np.array([0.0, 0.0, 0.0, alpha, -beta])
    total = np.array([0.0, 0.0, 0.0, torques[0], -torques[1]])
    for body, x, force in pushes(alpha, beta, push):
        rotation = model.pose(body, q)[0]
        jacobian = model.jacobian(body, q)
        arm = np.array([x, 0.0, 0.0])
        columns = jacobian[:3] - np.cross(arm, jacobian[3:], axis=0)  # v + w x arm, columns
        total += columns.T @ (rotation.T @ force)
    assert total == pytest.approx([push.forward, 0.0, 0.0, 0.0, 0.0], abs=1e-12)


@pytest.mark.parametrize("alpha, beta, way", [(0.8, 0.3, 1.0), (0.3, 0.8, -1.0), (0.5, 0.5, 0.0)])
def test_three_links_slide_towards_the_larger_angle(alpha, beta, way):
    """The same pegs as hard obstacles, torques in the joints, no friction: it starts the way that the closed form says."""
    push = three_link_push(alpha, beta, (0.3, 0.3))
    assert np.sign(round(push.forward, 12)) == way
    robot = three_links()
    q, model, pegs = np.array([0.0, 0.0, 0.0, alpha, -beta]), robot.model(), []
    for body, x, force in pushes(alpha, beta, push):
        rotation, place = model.pose(body, q)
        at = place + rotation @ (x, 0.0, 0.0) - 0.03 * force / np.linalg.norm(force)
        pegs.append(ld.Obstacle(ld.Cylinder(0.02), at=tuple(at[:2]), name=f"peg_{body}", friction=0.0))
    scenario = ld.Scenario(
        "three links", robot, torque={"alpha": 0.3, "beta": -0.3}, obstacles=pegs,
        start=ld.Start({"alpha": alpha, "beta": -beta}), integrator="moreau", dt=1e-4, t_end=0.01,
    )  # fmt: skip
    moved = scenario.run(progress=False).position.values[-1, 0]
    assert moved * way > 1e-6 if way else abs(moved) < 1e-9


def test_wrong_three_links():
    with pytest.raises(InputError, match="alpha is 2 rad; the links must be bent by 0 or more"):
        three_link_push(2.0, 0.1)
    with pytest.raises(InputError, match="a torque of three links is 0; it must be positive"):
        three_link_push(0.2, 0.1, (0.0, 1.0))


# ------------------------------------------------------------------------------------------------------- tracks and pegs
@pytest.mark.parametrize("degrees", [(40, -50), (30, -62), (50, -37)])
def test_every_link_follows_the_one_before_it(degrees):
    """The posture a link later is the same posture one link ahead (series of 7 terms: 1e-5 m); angles are a wave."""
    chain = Chain()
    amplitude, phase = np.radians(degrees)
    now, later = (wave_posture(chain, amplitude, phase, f) for f in (0.3, 0.3 - phase))
    assert later[1:] == pytest.approx(now[:-1], abs=1e-5)
    assert np.diff(now[:, 2]) == pytest.approx(amplitude * np.sin(0.3 + phase * np.arange(10)))
    after = wave_posture(chain, amplitude, phase, 0.3 + math.tau)
    assert (after - now)[:, 0] == pytest.approx(wavelength(chain, amplitude, phase))


def test_gaps_are_those_of_the_library():
    plan = plan_start([(0.3, 0.2, 0.02)], Chain(), 0.7, -0.9, (0.0, 0.0))
    pegs = np.array([(0.3, 0.2, 0.02), (0.5, -0.25, 0.1), (-0.1, 0.3, 0.05)])
    scenario = course(plan, pegs)
    posture = wave_posture(Chain(), 0.7, -0.9, plan.first_phase)
    posture[:, :2] += np.array(plan.place[:2]) - posture[0, :2]
    gaps = scenario.problem.contact.gaps(scenario.initial_state()[0])
    names = scenario.problem.contact.table.names
    ours = peg_gaps(Chain(), posture, pegs)[0]
    for k, gap in enumerate(ours, start=1):
        assert gap == pytest.approx(min(g for g, name in zip(gaps, names, strict=True) if name.endswith(f"peg_{k}")), abs=1e-9)


def test_placed_pegs_alternate_and_push():
    pegs = np.array(place_pegs(math.radians(45), math.radians(-60), 8))
    assert (np.diff(np.sign(pegs[:, 1])) != 0).all() and np.abs(pegs[:, 1]).max() < 0.08
    length = wavelength(Chain(), math.radians(45), math.radians(-60))
    assert np.diff(pegs[:, 0]) == pytest.approx(length / 2, abs=1e-3)
    fit = track_fit(Chain(), math.radians(45), math.radians(-60), (0.0, 0.0), pegs)
    assert fit.push_points > 2.5 and fit.clearance > -2e-3


def course(plan, pegs, t_end=9.0, law=None):
    """The planar snake with the gait of a plan among pegs."""
    posts = [ld.Obstacle(ld.Cylinder(r), at=(x, y), name=f"peg_{k}", friction=0.0) for k, (x, y, r) in enumerate(pegs, start=1)]
    start = ld.Start({"link_1": plan.place, **dict(zip(JOINTS, plan.angles, strict=True))})
    servo = {name: ld.Servo(goal, 800.0, 2.0) for name, goal in zip(JOINTS, plan.laws(OMEGA), strict=True)}
    drive = {"servo": servo} if law is None else {"servo": {}, "controller": SampledController(law)}
    return ld.zoo.snake_2d().changed(obstacles=posts, start=start, t_end=t_end, checks=(), **drive)


def way(result):
    x = result.body_position.sel(body="link_6").values[:, 0]
    return x[-1] - x[0]


def test_a_plan_passes_a_course_that_another_gait_does_not():
    """Pegs for a shorter wave: the plan finds it and follows its track; Transeth's, from its best place, gets stuck."""
    pegs = place_pegs(math.radians(45), math.radians(-60), 7)
    plan = plan_gait(pegs)
    assert np.degrees([plan.amplitude, plan.phase]) == pytest.approx([45.0, -60.0], abs=3.0)
    assert plan.push_points > 2.5
    amplitude, phase = np.radians([40.0, -50.0])
    length = wavelength(Chain(), amplitude, phase)
    places = [(x * length, y) for x in np.arange(8) / 8 for y in (-0.03, 0.0, 0.03)]
    best = max(places, key=lambda at: track_fit(Chain(), amplitude, phase, at, np.array(pegs)).value)
    poor = plan_start(pegs, Chain(), amplitude, phase, best)
    good, bad = (course(one, pegs).run(progress=False) for one in (plan, poor))
    ideal = 2.0 * wavelength(Chain(), plan.amplitude, plan.phase)
    assert way(good) == pytest.approx(ideal, rel=0.1)
    assert way(bad) < 0.6 * way(good)
    found = push_points(good, 2.0, 6.0)
    assert len(found) >= 3 and all(point.forward > 0.1 and point.obstacle.startswith("peg_") for point in found)
    assert np.median(push_count(good)[20:]) >= 2
    backward = push_points(good, 2.0, 6.0, direction=math.pi)
    assert sum(point.forward for point in backward) < 0.2 * sum(point.forward for point in found)


def test_progress_by_the_phase_between_joints():
    """Transeth (2007, 7.3.4): with -30 degrees no progress, with -70 progress with larger forces; his pegs are not printed, these
    are placed for each wave. A body of 11 links has 0.9 waves at -30, too few for three push points.

    Measured: ways of link 6 in the last period of two, 0.08, 0.73, 0.57 m; sums of forces of the pegs 4.5, 18.9, 26.9 N.
    """
    ways, forces = [], []
    for degrees in (-30.0, -50.0, -70.0):
        amplitude, phase = np.radians([40.0, degrees])
        pegs = np.array(place_pegs(amplitude, phase, 13))
        result = course(plan_start(pegs, Chain(), amplitude, phase, (0.0, 0.0)), pegs).run(progress=False)
        x, half = result.body_position.sel(body="link_6").values[:, 0], len(result.time) // 2
        ways.append((x[-1] - x[half]) / wavelength(Chain(), amplitude, phase))
        forces.append(np.linalg.norm(obstacle_forces(result)[0][half:], axis=2).sum(axis=1).mean())
    assert ways[0] < 0.2 and min(ways[1:]) > 0.95  # of a wavelength in a period, which ideal motion gives
    assert forces[2] > 1.2 * forces[1]


def test_a_robot_that_feels_its_way_gets_through_where_a_plan_does_not():
    """Pegs from the fifth on are up to 8 cm from where they were planned. Measured: 0.08 m/s open loop, 0.14 m/s reacting."""
    planned = np.array(place_pegs(math.radians(45), math.radians(-60), 9))
    plan = plan_gait(planned)
    real = planned.copy()
    real[4:, :2] += np.random.default_rng(3).uniform(-0.08, 0.08, (5, 2))
    blind = course(plan, real, 12.0).run(progress=False)
    law = ObstacleReaction(blind.scenario.model, plan, OMEGA)
    feeling = course(plan, real, 12.0, law).run(progress=False)
    assert way(blind) < 1.25 and way(feeling) > 1.5
    assert max(row[1] for row in law.log) > 1.02 * plan.amplitude  # missing pegs have widened the wave


def test_a_robot_that_keeps_its_line_stays_within_reach_of_the_pegs():
    """With the direction alone it is pushed aside, and has no pegs any more."""
    planned = np.array(place_pegs(math.radians(45), math.radians(-60), 9))
    plan = plan_gait(planned)
    real = planned.copy()
    real[4:, :2] += np.random.default_rng(11).uniform(-0.08, 0.08, (5, 2))
    model = course(plan, real).model
    ways = [
        way(course(plan, real, 12.0, ObstacleReaction(model, plan, OMEGA, course=Course(ahead=ahead))).run(progress=False))
        for ahead in (math.inf, 1.6)
    ]
    assert ways[0] < 1.25 and ways[1] > 1.6  # m; measured 1.09, 1.72


def test_without_gains_the_reaction_is_the_plan():
    pegs = place_pegs(math.radians(45), math.radians(-60), 5)
    plan = plan_start(pegs, Chain(), math.radians(45), math.radians(-60), (0.0, 0.0))
    blind = course(plan, pegs, 0.5)
    law = ObstacleReaction(blind.model, plan, OMEGA, widen=0.0, steer=0.0)
    ends = [scenario.run(progress=False).body_position.values[-1] for scenario in (blind, course(plan, pegs, 0.5, law))]
    assert np.abs(ends[0] - ends[1]).max() < 2e-4  # servos are implicit, the controller is not


def course_in_space(plan, pegs, t_end, law=None):
    """The same course for the snake in space, on the ground: yaw joints have the gait, pitch joints are kept straight."""
    yaw, pitch = ([f"{name}.{axis}" for name in JOINTS] for axis in (0, 1))
    posts = [ld.Obstacle(ld.Cylinder(r), at=(x, y), name=f"peg_{k}", friction=0.0) for k, (x, y, r) in enumerate(pegs, start=1)]
    x, y, heading = plan.place
    start = ld.Start({"link_1": (x, y, Chain().radius, 0.0, 0.0, heading), **dict(zip(yaw, plan.angles, strict=True))})
    goals = dict(zip(yaw, plan.laws(OMEGA), strict=True)) | dict.fromkeys(pitch, 0.0)
    servo = {name: ld.Servo(goal, 800.0, 2.0) for name, goal in goals.items()}
    drive = {"servo": servo} if law is None else {"servo": {}, "controller": SampledController(law)}
    return ld.zoo.snake_3d().changed(obstacles=[ld.Ground(), *posts], start=start, t_end=t_end, checks=(), **drive)


def test_a_snake_in_space_feels_as_the_planar_one_does():
    """On the same pegs, in the same posture: headings, way aside and torques of the yaw joints are those of the planar robot.

    Headings run through the half turn, where angles of single links jump.
    """
    pegs = place_pegs(math.radians(45), math.radians(-60), 9)
    plan = plan_start(pegs, Chain(), math.radians(45), math.radians(-60), (0.0, 0.0))
    flat, spatial = course(plan, pegs), course_in_space(plan, pegs, 1.0)
    laws = [ObstacleReaction(one.model, plan, OMEGA) for one in (flat, spatial)]
    states = [one.initial_state() for one in (flat, spatial)]
    for law, (q, _) in zip(laws, states, strict=True):
        law.aside(law.seen_from_above(q)[1])  # the line of the start
    q, v = (part.copy() for part in states[0])
    q[:2] += (0.3, 0.1)
    q[3:] += 0.05 * np.sin(np.arange(10))
    v[3:] = 0.2 * np.cos(np.arange(10))
    other_q, other_v = (part.copy() for part in states[1])
    other_q[:2] += (0.3, 0.1)
    other_q[7::2], other_v[6::2] = q[3:], v[3:]
    above = [law.seen_from_above(x) for law, x in zip(laws, (q, other_q), strict=True)]
    seen = [law.turned(headings, 0.4) for law, (headings, _) in zip(laws, above, strict=True)]
    aside = [law.aside(places) for law, (_, places) in zip(laws, above, strict=True)]
    assert seen[1] == pytest.approx(seen[0], abs=1e-12) and aside[1] == pytest.approx(aside[0], abs=1e-12)
    forces = np.array([[0.5, 0.2, 0.0], [0.4, -0.3, 1.0], [0.0, 0.0, 9.0]])
    names = "link_1 on peg_1", "link_5 on peg_2", "link_2 on ground"
    both = zip(laws, (q, other_q), (v, other_v), strict=True)
    torques = [law(Measurement(0.1, x, w, forces, names)) for law, x, w in both]
    assert torques[1][6::2] == pytest.approx(torques[0][3:], abs=1e-9)
    assert torques[1][7::2] == pytest.approx(np.zeros(10), abs=1e-12) and not torques[1][:6].any()


def test_without_gains_the_reaction_in_space_is_the_plan():
    """A fifth of a second on the ground, among pegs: the controller against implicit servos."""
    pegs = place_pegs(math.radians(45), math.radians(-60), 5)
    plan = plan_start(pegs, Chain(), math.radians(45), math.radians(-60), (0.0, 0.0))
    blind = course_in_space(plan, pegs, 0.2)
    law = ObstacleReaction(blind.model, plan, OMEGA, widen=0.0, steer=0.0)
    ends = [one.run(progress=False).body_position.values[-1] for one in (blind, course_in_space(plan, pegs, 0.2, law))]
    assert np.abs(ends[0] - ends[1]).max() < 2e-4  # servos are implicit, the controller is not


def test_a_snake_in_space_feels_its_way_through_a_whole_course() -> None:
    """The displaced pegs of the planar robot, the whole course: blind it is stuck as that one is, reacting it arrives beyond the
    last peg. Measured, 12 s: 1.06 m blind, 1.68 m reacting (in the plane 1.0 and 1.7)."""
    planned = np.array(place_pegs(math.radians(45), math.radians(-60), 9))
    plan = plan_gait(planned)
    real = planned.copy()
    real[4:, :2] += np.random.default_rng(3).uniform(-0.08, 0.08, (5, 2))
    blind = course_in_space(plan, real, 12.0).run(progress=False)
    law = ObstacleReaction(blind.scenario.model, plan, OMEGA)
    feeling = course_in_space(plan, real, 12.0, law).run(progress=False)
    assert way(blind) < 1.25 and way(feeling) > 1.5
    assert feeling.body_position.values[-1, :, 0].max() > real[:, 0].max() > blind.body_position.values[-1, :, 0].max()
    above = feeling.body_position.values[..., 2]
    assert np.abs(above - Chain().radius).max() < 2e-3  # it lies on the ground all the time


@pytest.mark.parametrize(
    "act, message",
    [
        (lambda: plan_gait([(0.0, 0.0, 0.02)]), "a course is given by 3 or more pegs"),
        (lambda: plan_gait([(0.0, 0.0, 0.02), (3.0, 0.0, 0.02), (6.0, 0.0, 0.02)]), "no gait finds push points on this course"),
        (lambda: Course(ahead=0.0), "the distance ahead of a course"),
        (
            lambda: ObstacleReaction(three_links().model(), PegPlan(0.7, -0.9, 0.0, (0, 0, 0), (0.0,) * 5, 3.0, 0.0), OMEGA),
            r"moves by 3 and 2 coordinates; a reaction for 5 joints needs a planar chain \(3 and 5\) or a free one",
        ),
        (lambda: place_pegs(0.7, -0.9, 0), "a course has 0 pegs; it must have one or more"),
        (
            lambda: push_points(ld.zoo.bouncing_ball().run(progress=False)),
            "no contact of the result is with an obstacle called 'peg",
        ),
        (lambda: push_points(ld.zoo.pendulum().changed(t_end=0.1).run(progress=False)), "the result has no contact forces"),
    ],
)
def test_wrong_courses(act, message):
    with pytest.raises(InputError, match=message):
        act()
