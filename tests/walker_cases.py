"""Small robots with feet for the tests of phases."""

import numpy as np

import locodyn as ld
from locodyn.phases import LiftOff, Touchdown

MOMENT = 0.1  # kg m^2


def hopper(force, limit=np.inf, **options):
    """Two masses (1 kg, foot 0.5 kg) one above the other, pressed apart by the force law, up to a limit (N); gravity 10 m/s^2."""
    robot = ld.Robot("hopper")
    foot = robot.base("foot", moves="prismatic", axis="z", mass=0.5)
    foot.foot("sole")
    robot.body("body", mass=1.0).on(foot).sliding("z", name="leg").actuator(torque_limit=limit)
    phases = ld.Phases(
        {"stance": "sole", "flight": ()},
        [LiftOff("stance", "flight", "sole"), Touchdown("flight", "stance", "sole", ahead=None)],
        **options,
    )
    return ld.Scenario(
        "hopper", robot, gravity=(0, 0, -10.0), phases=phases, torque={"leg": force}, start={"leg": 1.0}, t_end=1.0, dt=0.01,
        tolerance=1e-11,
    )  # fmt: skip


def biped(rng=None):
    """A planar biped with a trunk, knees and two feet, of uneven masses."""
    robot = ld.Robot("biped")
    rail = robot.base("rail", moves="prismatic", axis="x", joint="x")
    hip = robot.body("hip", mass=0.3).on(rail).sliding("z", name="z")
    moment = ld.about_centre(xx=0.2, yy=0.3, zz=0.15)
    trunk = robot.body("trunk", mass=5.0, centre=(0.02, 0, 0.3), inertia=moment).on(hip).turning("y")
    for side, extra in (("left", 0.0), ("right", 0.2)):
        thigh = robot.body(f"{side}_thigh", mass=2.0 + extra, centre=(0, 0, -0.2), inertia=moment).on(trunk)
        thigh.turning("y", name=f"{side}_hip")
        shank = robot.body(f"{side}_shank", mass=1.0 + extra, centre=(0, 0, -0.2), inertia=moment)
        shank.on(thigh, at=(0, 0, -0.5)).turning("y", name=f"{side}_knee").foot(f"{side}_foot", at=(0, 0, -0.5))
    return robot


def standing(model, foot, angles):
    """Configuration of :func:`biped` with these joint angles (5,) and the foot on the ground at x = 0."""
    from locodyn.phases.feet import Feet

    q = np.concatenate([[0.0, 0.0], angles])
    place = Feet(model).place(foot, q)
    q[0], q[1] = -place[0], -place[2]
    return q


def slides(robot, mass):
    """A body that slides along x and z."""
    rail = robot.base("rail", moves="prismatic", axis="x", joint="x")
    return robot.body("hip", mass=mass).on(rail).sliding("z", name="z")


def bench(speed, tilt=0.0):
    """A body of 3 kg that falls flat on both feet, 0.2 m before and behind its mass centre and 0.3 m below it; or tilted."""
    robot = ld.Robot("bench")
    inertia = ld.about_centre(xx=MOMENT, yy=MOMENT, zz=MOMENT)
    top = robot.body("top", mass=3.0, inertia=inertia).on(slides(robot, 0.0)).turning("y", name="tilt")
    top.foot("front", at=(0.2, 0, -0.3))
    top.foot("rear", at=(-0.2, 0, -0.3))
    phases = ld.Phases({"air": (), "both": ("front", "rear")}, [Touchdown("air", "both", "front", ahead=None)], final="both")
    start = ld.Start({"z": 0.4, "tilt": tilt}, {"x": speed})
    return ld.Scenario("bench", robot, phases=phases, start=start, t_end=0.2, dt=0.01, tolerance=1e-11)
