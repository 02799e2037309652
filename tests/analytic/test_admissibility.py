"""What the ground does not allow, against closed forms: which foot or joint, when, by how much; and two feet at once."""

import json
import warnings

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq

import locodyn as ld
from locodyn.phases import LiftOff, Phase, PoincareMap, Reaches, Touchdown
from walker_cases import MOMENT, bench, biped, hopper, slides, standing

pytestmark = pytest.mark.slow

G, LENGTH, MASS = 9.81, 0.8, 2.0


def told(scenario, words):
    """The one entry of the violations of a run, and the warning that says it."""
    with pytest.warns(ld.sim.AdmissibilityWarning, match=words):
        result = scenario.run(progress=False)
    (found,) = json.loads(result.attributes["violations"])
    return found, result


def scene(robot, phases, height, angle):
    start = ld.Start({"angle": angle, "z": height}, adjust=["x"])
    return ld.Scenario("leg", robot, phases=phases, start=start, t_end=0.7, dt=0.05, tolerance=1e-11)


def upright(angle, **options):
    """A leg with its mass at the upper end, which falls over its foot."""
    robot = ld.Robot("leg")
    leg = robot.body("leg", mass=MASS, inertia=ld.about_centre(xx=MOMENT, yy=MOMENT, zz=MOMENT)).on(slides(robot, 0.0))
    leg.turning("y", name="angle").foot("tip", at=(0, 0, -LENGTH))
    phases = ld.Phases({"stance": "tip"}, [], final="stance", **options)
    return scene(robot, phases, LENGTH * np.cos(angle), angle).changed(t_end=0.4)


def hanging(hip, angle, **options):
    """A leg with its mass at the lower end, which swings below a hip that stands on a heel of its own at this height (m)."""
    robot = ld.Robot("leg")
    carried = slides(robot, 5.0).foot("heel", at=(0, 0, -hip))
    leg = robot.body("leg", mass=MASS, centre=(0, 0, -LENGTH), inertia=((0.0,) * 3,) * 3).on(carried)
    leg.turning("y", name="angle").foot("tip", at=(0, 0, -LENGTH))
    return scene(robot, ld.Phases({"stance": "heel"}, [], final="stance", **options), hip, angle)


def swing(angle, to, pull):
    """Time (s) from rest at ``angle`` to the angle ``to`` with rate^2 = 2 pull (cos(angle) - cos(to))."""
    way = to - angle  # the root at the start is taken out: x = angle + s^2 way
    rate = lambda s: np.sqrt(2.0 * pull * (np.cos(angle) - np.cos(angle + way * s * s)))  # noqa: E731
    return quad(lambda s: 2.0 * s * abs(way) / rate(s), 0.0, 1.0, epsabs=1e-12, epsrel=1e-12)[0]


def test_friction_of_a_falling_leg():
    """Forces of a pendulum that falls from rest, with its moment of inertia, in closed form; the time of slip to 1e-8 s."""
    mu, begin = 0.25, 0.2
    pull = MASS * G * LENGTH / (MOMENT + MASS * LENGTH**2)

    def needed(x):
        turn, square = pull * np.sin(x), 2.0 * pull * (np.cos(begin) - np.cos(x))
        along = turn * np.cos(x) - square * np.sin(x)
        return along / (G / LENGTH - turn * np.sin(x) - square * np.cos(x))

    found, result = told(upright(begin, friction=mu), r"friction needed of 'tip' in phase 'stance'")
    slips = brentq(lambda x: needed(x) - mu, begin, 0.5)
    assert (found["name"], found["phase"]) == ("tip", "stance")
    assert abs(found["time"] - swing(begin, slips, pull)) < 1e-8
    angles = result.joint_position.sel(joint="angle").values
    assert found["amount"] > np.abs(needed(angles)).max() - 1e-7 > mu
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        upright(begin, friction=1.01 * found["amount"]).run(progress=False)


def test_a_foot_that_scuffs():
    """A leg that is longer than its hip is high swings through the ground: from cos(angle) = hip / length on, and at most by the
    difference of both. Records are 0.05 s apart: the lowest place lies between two of them, at most 0.025 s from one."""
    hip, begin = 0.75, -1.2
    pull = G / LENGTH
    found, _ = told(hanging(hip, begin), r"depth in the ground \(m\) of 'tip' in phase 'stance'")
    assert abs(found["time"] - swing(begin, -np.arccos(hip / LENGTH), -pull)) < 1e-8
    missed = 0.5 * LENGTH * 2.0 * pull * (1.0 - np.cos(begin)) * 0.025**2
    assert LENGTH - hip - missed < found["amount"] < (LENGTH - hip) * (1.0 + 1e-9)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        hanging(hip, begin, scuffing=True).run(progress=False)


def test_a_torque_at_its_limit():
    """10 + 50 t N with a drive of 30 N: from 0.4 s on, to 1e-8 s; between two records."""
    scenario = hopper(ld.polynomial(10.0, 50.0), limit=30.0).changed(t_end=0.5, dt=0.03)
    found, _ = told(scenario, r"torque at its limit \(N m\) of 'leg' in phase 'stance': 30, from t = 0.4 s on")
    assert abs(found["time"] - 0.4) < 1e-8 and abs(found["amount"] - 30.0) < 1e-9


def test_a_foot_that_is_pulled():
    """The force of the hopper's ground, 45 - 90 t N, is zero at 0.5 s; the largest pull is that of the last record."""
    held = ld.Phases({"stance": "sole"}, [], final="stance")
    scenario = hopper(ld.polynomial(40.0, -90.0)).changed(phases=held, t_end=0.7, dt=0.03)
    found, _ = told(scenario, r"pull on the ground \(N\) of 'sole' in phase 'stance': 18, from t = 0.5 s on")
    assert abs(found["time"] - 0.5) < 1e-8 and abs(found["amount"] - 18.0) < 1e-8


def leaping(aside, friction=0.5, **options):
    """The hopper with a third mass that a force (N) drives aside: the ground gives 45 - 90 t N up and this force along, N."""
    robot = ld.Robot("hopper")
    rail = robot.base("rail", moves="prismatic", axis="x", joint="x")
    foot = robot.body("foot", mass=0.5).on(rail).sliding("z", name="z")
    foot.foot("sole")
    body = robot.body("body", mass=0.7).on(foot).sliding("z", name="leg")
    robot.body("load", mass=0.3).on(body).sliding("x", name="arm")
    ways = [LiftOff("stance", "flight", "sole")]
    phases = ld.Phases({"stance": "sole", "flight": ()}, ways, final="flight", friction=friction)
    return ld.Scenario(
        "hopper", robot, gravity=(0, 0, -10.0), phases=phases, torque={"leg": ld.polynomial(40.0, -90.0), "arm": aside},
        start={"leg": 1.0}, t_end=0.6, dt=0.01, tolerance=1e-11, **options,
    )  # fmt: skip


def test_slip_before_lift_off():
    """The force c along and 90 (0.5 - t) N up: the foot slips for c / (mu 90 N/s) before it lifts off, whatever c is.

    The impulses of the last 0.01 s are 0.01 c and 45 N/s (0.01 s)^2: the friction needed is c / 0.45 N. Up to c = 0.225 N it is
    less than mu = 0.5, and the slip of 5 ms or less is not told. Longer ones are told from their beginning on.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = leaping(ld.constant(0.224)).run(progress=False)
    assert abs(json.loads(run.attributes["transitions"])[0]["time"] - 0.5) < 1e-9
    assert np.abs(run.multiplier.sel(constraint="sole.first").values[run.phase.values == 0]).max() > 0.2
    words = "friction needed of 'sole' in phase 'stance'"
    found, _ = told(leaping(ld.constant(0.3)), words)
    assert abs(found["time"] - 0.49) < 1e-8 and abs(found["amount"] - 0.3 / 0.45) < 1e-8
    found, _ = told(leaping(ld.constant(2.0)), words)
    assert abs(found["time"] - (0.5 - 2.0 / 45.0)) < 1e-8 and found["amount"] >= 2.0 / 0.45 - 1e-8


def test_friction_of_a_light_foot_that_stays():
    """Nothing but lift-off excuses slip: a foot that carries 0.1 N, 1/200 of the weight, and is pushed by as much needs 1."""
    robot = ld.Robot("scale")
    rail = robot.base("rail", moves="prismatic", axis="x", joint="x")
    foot = robot.body("foot", mass=2.0).on(rail).sliding("z", name="z")
    foot.foot("sole")
    phases = ld.Phases({"stance": "sole"}, [], final="stance", friction=0.5)
    drawn = {"z": ld.constant(19.9), "x": ld.constant(0.1)}
    scenario = ld.Scenario("scale", robot, gravity=(0, 0, -10.0), phases=phases, torque=drawn, t_end=0.1, dt=0.01)
    found, _ = told(scenario, "friction needed of 'sole' in phase 'stance'")
    assert abs(found["amount"] - 1.0) < 1e-9 and found["time"] == 0.0


# ------------------------------------------------------------------------------------------------------------------- falling
def test_a_robot_that_falls_ends_its_run():
    """The upright leg tips over; its mass is as low as its foot at a quarter turn, after a time in closed form (six digits)."""
    begin = 0.2
    pull = MASS * G * LENGTH / (MOMENT + MASS * LENGTH**2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it is pulled before
        run = upright(begin).changed(t_end=2.0).run(progress=False)
    fallen = swing(begin, 0.5 * np.pi, pull)
    assert run.status == f"failed: 'leg' has fallen: its mass centre comes down to the ground of its feet at t = {fallen:g} s"
    assert run.time.values[-1] <= fallen < run.time.values[-1] + 0.05
    goes_on = ld.Phases({"stance": "tip"}, [Reaches("stance", "stance", "x", 9.0)])
    with pytest.raises(ld.RunError, match="'leg' has fallen"):
        PoincareMap(upright(begin).changed(phases=goes_on)).fixed_point()


def test_what_hangs_below_its_feet_has_not_fallen():
    """A mass that hangs from its hold is pulled, which is told, and swings on."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = upright(2.0).changed(t_end=1.0).run(progress=False)
    assert run.status == "completed"


def point(speed):
    """A mass that falls on its foot from 0.2 m with a speed (m/s) along x."""
    robot = ld.Robot("point")
    rail = robot.base("rail", moves="prismatic", axis="x", joint="x")
    robot.body("mass", mass=3.0).on(rail).sliding("z", name="z").foot("sole")
    ways = [Touchdown("air", "ground", "sole", ahead=None)]
    phases = ld.Phases({"air": (), "ground": "sole"}, ways, final="ground", friction=0.5)
    start = ld.Start({"z": 0.2}, {"x": speed})
    return ld.Scenario("point", robot, phases=phases, start=start, t_end=0.3, dt=0.01, tolerance=1e-11)


def test_slip_of_an_impact():
    """The impulse is m (-v_x, v_z) with v_z = sqrt(2 g h): it needs the friction v_x / v_z, at sqrt(2 h / g)."""
    down, time = np.sqrt(2 * G * 0.2), np.sqrt(2 * 0.2 / G)
    found, result = told(point(0.6 * down), "impact slips, friction needed of 'sole' in phase 'air'")
    assert abs(found["amount"] - 0.6) < 1e-9 and abs(found["time"] - time) < 1e-9
    (change,) = json.loads(result.attributes["transitions"])
    assert abs(change["impulse"]["sole.normal"] - 3.0 * down) < 1e-8
    assert abs(change["loss"] - 1.5 * 1.36 * down**2) < 1e-7
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        point(0.45 * down).run(progress=False)


# ------------------------------------------------------------------------------------------------------------------ two feet
def test_two_feet_land_at_once():
    """The body stops: the impulses along the ground, m v_x in sum at 0.3 m below its mass centre, are balanced by those of the
    normals, m (v_z / 2 +- v_x h / (2 a)). Four rows hold three freedoms: along the ground feet share alike. Where v_x h > v_z a
    the rear foot would be pulled, which is told with its impulse.
    """
    down = np.sqrt(2 * G * 0.1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = bench(0.5).run(progress=False)
    (change,) = json.loads(run.attributes["transitions"])
    assert abs(change["time"] - np.sqrt(2 * 0.1 / G)) < 1e-9
    assert abs(change["loss"] - 1.5 * (0.25 + down**2)) < 1e-9 and np.abs(change["joint_velocity"]).max() < 1e-12
    assert abs(change["impulse"]["front.normal"] - 3.0 * (0.5 * down + 0.5 * 0.3 / 0.4)) < 1e-9
    assert abs(change["impulse"]["front.first"] + 1.5 * 0.5) < 1e-9
    held = run.phase.values == 1
    normal = run.multiplier.sel(constraint=["front.normal", "rear.normal"]).values[held]
    assert np.abs(normal - 1.5 * G).max() < 1e-8
    found, _ = told(bench(1.5), r"impulse pulls \(N s\) of 'rear' in phase 'air'")
    assert abs(found["amount"] + 3.0 * (0.5 * down - 1.5 * 0.3 / 0.4)) < 1e-9


ANGLES = np.array([0.0, 0.35, -0.2, -0.15, -0.25])  # trunk, hips and knees: the right foot is in front


def on_both():
    """A biped that stands on its left foot until the right one lands; then both hold."""
    feet = {"left": "left_foot", "both": ("left_foot", "right_foot")}
    phases = ld.Phases(feet, [Touchdown("left", "both", "right_foot", ahead=None)], final="both")
    return ld.Scenario("biped", biped(), phases=phases, t_end=0.3, dt=0.01, tolerance=1e-10)


def level(model):
    """The right hip changed so that both feet are at one height."""
    from locodyn.phases.feet import Feet

    feet = Feet(model)

    def posture(hip):
        return standing(model, "left_foot", ANGLES + np.array([0.0, 0.0, 0.0, hip, 0.0]))

    hip = brentq(lambda x: feet.height("right_foot", posture(x)), 0.0, 0.15)
    return posture(hip)


def test_an_impact_into_double_support():
    """Both feet are at rest after it, and the old one carries its share; a free posture keeps three of seven freedoms."""
    scenario = on_both()
    hybrid, q = scenario.hybrid, level(scenario.model)
    assert [hybrid.freedoms(name, q) for name in ("left", "both")] == [5, 3]
    motors = ("left_hip", "right_hip", "left_knee", "right_knee")
    assert [hybrid.actuation_degree(name, motors, q) for name in ("left", "both")] == [-1, 1]  # under- and over-actuated
    v = hybrid.problems["left"].start_state(0.0, q, np.array([0.0, 0.0, 0.4, 0.4, 0.0, 0.3, 0.0]))[1]
    change = hybrid.change(scenario.phases.transitions[0], 0.0, q, v)
    for foot in ("left_foot", "right_foot"):
        speed = hybrid.feet.motion(foot, q, change.v, np.zeros(7))[0]
        assert np.abs(speed).max() < 1e-12
    before, after = (scenario.model.kinetic_energy(q, one) for one in (v, change.v))
    assert after < before and abs(before - after - change.impact.loss) < 1e-12 * before
    gained = scenario.model.momentum(q, change.v)[0] - scenario.model.momentum(q, v)[0]
    given = sum(np.array([change.impact.impulse[f"{foot}.{way}"] for way in ("first", "second", "normal")])
                for foot in ("left_foot", "right_foot"))  # fmt: skip
    assert np.abs(gained - given).max() < 1e-11


def test_an_impact_that_lifts_the_other_foot_is_told():
    """Into double support the rear foot would have to be held down: the impact map does not cover it, and the run says so."""
    scenario = on_both()
    hybrid, q = scenario.hybrid, level(scenario.model)
    rng = np.random.default_rng(0)
    refusals = []
    for _ in range(20):
        v = hybrid.problems["left"].start_state(0.0, q, rng.normal(size=7))[1]
        if hybrid.feet.rising_speed("right_foot", q, v) < 0.0:
            change = hybrid.change(scenario.phases.transitions[0], 0.0, q, v)
            pull = change.impact.impulse["left_foot.normal"]
            assert bool(change.refusal) == (pull < 0.0)
            refusals.append(change.refusal)
    said = [one for one in refusals if one]
    assert said and len(said) < len(refusals)
    assert all("would have to hold 'left_foot' down by" in one and "does not cover" in one for one in said)


def test_double_support_carries_the_weight():
    """Two feet under locked legs, the trunk on a joint without a motor: moments about each foot tell the force of the other."""
    robot = biped()
    names = ("left_hip", "left_knee", "right_hip", "right_knee")
    free = ld.Scenario("biped", robot, phases=on_both().phases)
    q = level(free.model)
    locked = {name: float(q[free.model.position_of(name)]) for name in names}
    phases = ld.Phases({"both": Phase(("left_foot", "right_foot"), None, locked)}, [], final="both")
    scenario = ld.Scenario("biped", robot, phases=phases, start=(q, np.zeros(7)), t_end=0.1, dt=0.05)
    run = scenario.run(progress=False)
    support = ld.sim.support(run)
    weight = free.model.compiled.total_mass * 9.81
    force = run.contact_force.sel(contact=["left_foot", "right_foot"]).values[-1, :, 2]
    places = run.contact_point.sel(contact=["left_foot", "right_foot"]).values[-1, :, 0]
    centre = run.mass_centre.values[-1, 0]
    share = (centre - places[0]) / (places[1] - places[0])
    assert np.abs(force - weight * np.array([1.0 - share, share])).max() < 1e-8 * weight
    assert np.abs(support.pressure[:, 0] - centre).max() < 1e-9 and support.dynamically_stable.all()
    margin = min(centre - places.min(), places.max() - centre)
    assert abs(support.static_margin[-1] - margin) < 1e-9 and support.statically_stable.all() == (margin > 0.0)


def test_lift_off_from_double_support():
    """From both feet onto one: where the normal force of the other falls to zero, found to 1e-6 N."""
    scenario = on_both()
    q = level(scenario.model)
    phases = ld.Phases(
        {"both": ("left_foot", "right_foot"), "left": "left_foot", "right": "right_foot"},
        [LiftOff("both", "right", "left_foot"), LiftOff("both", "left", "right_foot")], final=("left", "right"),
    )  # fmt: skip
    fallen = ld.Scenario("biped", biped(), phases=phases, start=(q, np.zeros(7)), t_end=1.0, dt=0.02, tolerance=1e-10)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = fallen.run(progress=False)
    change = json.loads(run.attributes["transitions"])[0]
    assert change["kind"] == "lift-off" and change["loss"] == 0.0
    held = run.time.values < change["time"]
    normal = run.multiplier.sel(constraint=f"{change['foot']}.normal").values
    assert (normal[held] > 0.0).all() and (normal[~held] == 0.0).all()
    last = fallen.changed(t_end=change["time"]).run(progress=False)  # ends there: its last record is that of the guard
    assert abs(last.multiplier.sel(constraint=f"{change['foot']}.normal").values[-1]) < 1e-6
