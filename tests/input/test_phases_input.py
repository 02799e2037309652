"""Phases that make no sense are refused in one sentence."""

import numpy as np
import pytest

import locodyn as ld
from locodyn.controllers import SampledController
from locodyn.locomotion.memories import ControllerWithMemory
from locodyn.phases import LiftOff, Mirror, Phase, PoincareMap, Reaches, Touchdown, When
from walker_cases import bench, biped

WALK = {"left": "left_foot", "right": "right_foot"}


def refused(act, *words):
    with pytest.raises(ld.LocodynError) as caught:
        act()
    sentence = str(caught.value)
    assert all(word in sentence for word in words), sentence
    assert sentence.count(". ") == 0


def scenario(phases, **fields):
    return ld.Scenario("biped", biped(), phases=phases, **fields)


def test_phase_without_a_way_out():
    refused(lambda: ld.Phases(WALK, [Touchdown("left", "right", "right_foot")]), "'right'", "no way out")
    assert len(ld.Phases(WALK, [Touchdown("left", "right", "right_foot")], final="right")) == 2


def test_unknown_phase():
    refused(lambda: ld.Phases(WALK, [Touchdown("left", "rigth", "right_foot")]), "'rigth'", "right")
    refused(lambda: ld.Phases.walking("left_foot", "right_foot", start="middle"), "'middle'")


def test_unknown_foot_and_coordinate():
    refused(lambda: scenario(ld.Phases.walking("left_foot", "rigth_foot")), "'rigth_foot'", "right_foot")
    knee = [Touchdown("left", "right", "right_foot"), Reaches("right", "left", "left_kne")]
    refused(lambda: scenario(ld.Phases(WALK, knee)), "'left_kne'", "left_knee")


def test_foot_that_lands_must_hold():
    ways = [Touchdown("left", "right", "left_foot"), Touchdown("right", "left", "left_foot")]
    refused(lambda: scenario(ld.Phases(WALK, ways)), "'left_foot'", "does not hold in phase 'right'")


def test_foot_that_lifts_must_stand():
    ways = [LiftOff("left", "right", "right_foot"), Touchdown("right", "left", "left_foot")]
    refused(lambda: scenario(ld.Phases(WALK, ways)), "'right_foot'", "does not hold")


def test_exchange_needs_a_mirror():
    way = Touchdown("step", "step", "right_foot", exchange=True)
    refused(lambda: ld.Phases({"step": "left_foot"}, [way]), "no mirror", "Mirror")
    refused(lambda: Mirror({"a": "b", "b": "c"}), "'b'", "twice")


def test_contacts_on_rods_stay_in_the_world():
    """An exchange of legs mirrors the robot, not the world; and a stride does not begin anew where a rod is held."""
    robot = ld.Robot("tailed")
    trunk = robot.base("trunk", moves="planar", mass=1.0, inertia=ld.about_centre(xx=1, yy=1, zz=1))
    tail = trunk.rod("tail", length=1.0, section=ld.Circle(0.02), material=ld.silicone, bending=(0, 1), nodes=2)
    tail.sleeve("ring", at=0.5)
    for side in ("left", "right"):
        leg = robot.body(side, mass=1.0, inertia=ld.about_centre(xx=1, yy=1, zz=1)).on(trunk).turning("z")
        leg.foot(f"{side}_foot", normal="y")
    way = Touchdown("step", "step", "right_foot", exchange=True)
    mirror = Mirror({"left": "right"}, {"left_foot": "right_foot"})
    exchanged = ld.Phases({"step": "left_foot"}, [way], mirror=mirror)
    refused(lambda: ld.Scenario("tailed", robot, phases=exchanged), "'ring'", "'tail'", "exchange=True")
    walk = ld.Scenario("tailed", robot, phases=ld.Phases.walking("left_foot", "right_foot"))
    refused(lambda: PoincareMap(walk), "'ring'", "'tail'", "stride")


def test_laws_with_memory_in_phases():
    """Their states go from phase to phase as they are: they have no mirror image, and all phases have the same."""
    robot = biped()
    robot["left_shank"].actuator(bristles=ld.LuGre(1.0, 100.0))
    way = Touchdown("step", "step", "right_foot", exchange=True)
    mirror = Mirror({"left_hip": "right_hip", "left_knee": "right_knee"}, {"left_foot": "right_foot"})
    exchanged = ld.Phases({"step": "left_foot"}, [way], mirror=mirror)
    refused(lambda: ld.Scenario("biped", robot, phases=exchanged), "'left_knee.bristles'", "exchange=True")
    controller = ControllerWithMemory(lambda t, q, v, z: (0.0 * v, 0.0 * z), {"sum": "m"})
    ways = [Touchdown("left", "right", "right_foot"), Touchdown("right", "left", "left_foot")]
    mixed = ld.Phases({"left": "left_foot", "right": Phase("right_foot", controller)}, ways)
    refused(lambda: scenario(mixed), "'right' has the state 'controller.sum'", "phase 'left' does not")


def test_strides_know_no_memory_and_no_time():
    """A map of states (q, v): what laws remember, and when they began, are not among them."""
    robot = biped()
    robot["left_shank"].actuator(bristles=ld.LuGre(1.0, 100.0))
    walk = ld.Phases.walking("left_foot", "right_foot")
    refused(lambda: PoincareMap(ld.Scenario("biped", robot, phases=walk)), "'left_knee.bristles'", "map of strides")
    timed = scenario(walk, torque={"left_knee": ld.sine(1.0, omega=2.0)})
    refused(lambda: PoincareMap(timed), "phase 'left'", "law sin(2 t) of time", "TimedConstraints")
    PoincareMap(scenario(walk, torque={"left_knee": ld.motion.constant(1.0)}))


def test_other_integrators_and_hard_contact():
    walk = ld.Phases.walking("left_foot", "right_foot")
    refused(lambda: scenario(walk, integrator="rkmk4"), "'rkmk4'", "adaptive")
    refused(lambda: scenario(walk, obstacles=[ld.Ground()]), "hard contact")
    refused(lambda: scenario("walk"), "Phases")


def test_wrong_words():
    refused(lambda: Reaches("a", "b", "knee", direction="down"), "'knee'", "'down'", "falling")
    refused(lambda: When("a", "b", 3), "function")
    refused(lambda: ld.Phases(WALK, ["touchdown"]), "Touchdown")
    refused(lambda: ld.Phases.walking("left_foot", "right_foot", friction=-1.0), "friction")
    refused(lambda: Phase(controller=3), "controller")


def test_joint_without_a_position_of_its_own():
    robot = ld.Robot("ball")
    robot.base("ball", mass=1.0, inertia=ld.about_centre(xx=1, yy=1, zz=1)).foot("tip", at=(0, 0, -1))
    phases = ld.Phases({"a": "tip"}, [Reaches("a", "a", "ball.wx")])
    refused(lambda: ld.Scenario("ball", robot, phases=phases), "'ball.wx'", "one axis")


@pytest.mark.slow
def test_impact_that_the_map_does_not_cover():
    """Both feet of a biped with straight legs come down on each other's side: the rear one would go into the ground."""
    walk = ld.Phases.walking("left_foot", "right_foot")
    model = scenario(walk).model
    from walker_cases import standing

    q = standing(model, "left_foot", np.array([0.0, 0.3, 0.0, -0.3, 0.0]))
    hybrid = scenario(walk).hybrid
    v = np.zeros(7)
    v[1] = -1.0  # straight down, both feet at once
    change = hybrid.change(walk.transitions[0], 0.0, q, v)
    assert "'left_foot'" in change.refusal and "both feet hold" in change.refusal


@pytest.mark.slow
def test_a_foot_that_would_hold_in_the_air():
    """A bench that falls at a tilt of 0.1 rad: as its front foot lands, the rear one is 0.4 sin(0.1) m above the ground. It lands
    with both feet at once only where it falls flat, to 1e-6 of its length."""
    height = 0.4 * np.sin(0.1)
    run = bench(0.0, tilt=0.1).run(progress=False)
    assert f"the foot 'rear' begins to hold in phase 'both', but it is {height:.3g} m above the ground" in run.status
    assert abs(run.time.values[-1] - np.sqrt(2.0 * (0.4 - 0.3 * np.cos(0.1) - 0.2 * np.sin(0.1)) / 9.81)) < 0.01
    assert bench(0.0, tilt=1e-8).run(progress=False).status == "completed"


def test_what_steps_of_its_own_choice_do_not_take():
    """Torques that are held over a period, and servos that begin later, as without phases."""
    walk = ld.Phases.walking("left_foot", "right_foot")
    knee = scenario(walk).compiled.coordinate_names[-1]
    refused(lambda: scenario(walk, controller=SampledController(lambda seen: 0.0 * seen.v, period=0.01)), "sampled controllers")
    refused(lambda: scenario(walk, servo={knee: ld.Servo(0.1, 1.0, begins=0.5)}), "servos that begin after the start", knee)
