"""Closed forms of random trees against the compiled kernels."""

from __future__ import annotations

import numpy as np
import pytest

import locodyn as ld
from locodyn.dynamics.joint_laws import joint_energy
from locodyn.errors import InputError
from locodyn.locomotion.problem import Problem
from locodyn.symbolic import Generator, SymbolicModel, symbolic_robot
from locodyn.symbolic.program import Program
from locodyn.zoo.registry import make
from random_robots import ALL, BASES, random_configuration, random_robot, random_velocity

pytestmark = pytest.mark.slow

GRAVITY = (0.3, -0.2, -9.7)
TOLERANCE = 1e-12  # relative to the largest entry; measured: below 1e-13


def close(found, wanted):
    scale = max(1.0, float(np.abs(wanted).max(initial=0.0)))
    assert np.abs(np.asarray(found) - wanted).max(initial=0.0) < TOLERANCE * scale


def case(seed: int, n_bodies: int = 4):
    rng = np.random.default_rng(seed)
    base = BASES[seed % len(BASES)]
    robot = random_robot(rng, n_bodies, ALL, base=base, armature=True, markers=True)
    model = robot.model(gravity=GRAVITY)
    symbolic = symbolic_robot(lambda _: robot, {}, GRAVITY)
    state = random_configuration(rng, model.compiled), *(random_velocity(rng, model.compiled) for _ in range(3))
    return model, Generator(symbolic, Problem(model)), state, rng


@pytest.mark.parametrize("seed", range(14))
def test_dynamics_of_random_trees(seed):
    model, source, (q, v, a, tau), rng = case(seed)
    wrench = rng.standard_normal(6)
    inverse = source.function("inverse", wrenches=["body_2"])
    close(inverse(q=q, v=v, a=a, wrench_body_2=wrench)[0], model.inverse_dynamics(q, v, a, {"body_2": wrench}))
    close(source.function("mass_matrix")(q)[0], model.mass_matrix(q))
    close(source.function("bias")(q, v)[0], model.bias(q, v))
    energy = source.function("energy")(q, v)
    close(energy[0], model.kinetic_energy(q, v))
    close(energy[1], model.potential_energy(q))
    forward = source.function("forward")
    given = {g.name: g.size for g in forward.inputs}
    force = np.zeros(model.nv)
    force[model.nv - given["tau"] :] = tau[model.nv - given["tau"] :]
    wanted = model.forward_dynamics(q, v, force)
    scale = float(np.abs(wanted).max())
    assert np.abs(forward(q, v, force[model.nv - given["tau"] :])[1] - wanted).max() < 1e-10 * max(1.0, scale)


@pytest.mark.parametrize("seed", range(14))
def test_sensors_of_random_trees(seed):
    model, source, (q, v, a, _), _ = case(seed)
    point = "tip_3"
    rotation, position, twist, rate = source.function("sensors", of=[point])(q, v, a)
    wanted = model.pose(point, q)
    close(rotation, wanted[0])
    close(position, wanted[1])
    close(twist, model.twist(point, q, v))
    close(rate, model.acceleration(point, q, v, a))
    found = source.function("jacobian", of=["body_3"])(q, v)
    for got, expected in zip(found, model.jacobians("body_3", q, v), strict=True):
        close(got, expected)


def test_a_robot_that_moves_fluid_along():
    scenario = make("fish")
    model = scenario.robot.model(gravity=GRAVITY)
    source = Generator(symbolic_robot(lambda _: scenario.robot, {}, GRAVITY), Problem(model))
    rng = np.random.default_rng(5)
    q, v, a = random_configuration(rng, model.compiled), *(random_velocity(rng, model.compiled) for _ in range(2))
    close(source.function("mass_matrix")(q)[0], model.mass_matrix(q))
    close(source.function("inverse")(q, v, a)[0], model.inverse_dynamics(q, v, a))
    symbolic = SymbolicModel(scenario.robot, GRAVITY)
    values = {x.names[0]: number for x, number in zip((*symbolic.q, *symbolic.v, *symbolic.tau), (*q, *v, *a), strict=True)}
    close(Program(list(symbolic.forward_dynamics())).run(values), model.forward_dynamics(q, v, a))


def test_symbols_among_the_parameters():
    def build(p):
        robot = ld.Robot("arm")
        ground = robot.base("ground", moves="fixed")
        first = robot.body("first", mass=p["m"], centre=(0, 0, -p["l"] / 2), inertia=ld.about_centre(xx=0.1, yy=p["I"], zz=0.1))
        tilt = np.array([[np.cos(p["tilt"]), 0, np.sin(p["tilt"])], [0, 1, 0], [-np.sin(p["tilt"]), 0, np.cos(p["tilt"])]])
        first.on(ground, turned=tilt).turning("y")
        second = robot.body("second", mass=p["m"], centre=(0, 0, -0.1), inertia=ld.about_centre(xx=0.1, yy=0.1, zz=0.1))
        second.on(first, at=(0, 0, -p["l"])).turning("z" if p["flat"] > 0.0 else "y")
        return robot

    values = {"m": 2.0, "l": 0.5, "I": 0.02, "tilt": 0.3, "flat": 1.0, "unused": 3.0, "word": "no"}
    robot = symbolic_robot(build, values, GRAVITY, "all", {"m": ("kg", "mass")})
    assert [p.name for p in robot.parameters] == ["m", "l", "I", "tilt", "g"]  # flat decides, unused does not enter
    assert robot.parameters[0].unit == "kg" and robot.parameters[-1].value == pytest.approx(np.linalg.norm(GRAVITY))
    other = {**values, "m": 1.3, "l": 0.7, "I": 0.05, "tilt": -0.4}
    model = build(other).model(gravity=GRAVITY)
    source = Generator(robot, Problem(build(values).model(gravity=GRAVITY)))
    q, v, a = np.random.default_rng(3).standard_normal((3, 2))
    inverse = source.function("inverse")
    close(inverse(q, v, a, p=[1.3, 0.7, 0.05, -0.4, np.linalg.norm(GRAVITY)])[0], model.inverse_dynamics(q, v, a))
    close(inverse(q, v, a)[0], build(values).model(gravity=GRAVITY).inverse_dynamics(q, v, a))
    with pytest.raises(InputError, match="'flat' cannot stay symbolic"):
        symbolic_robot(build, values, GRAVITY, ["flat"])
    with pytest.raises(InputError, match="'unused' does not enter"):
        symbolic_robot(build, values, GRAVITY, ["unused"])
    with pytest.raises(InputError, match="no parameter 'mm'"):
        symbolic_robot(build, values, GRAVITY, ["mm"])


def test_wrong_calls_are_told():
    _, source, _, _ = case(0)
    for what, options, words in (
        ("revers", {}, "did you mean"),
        ("jacobian", {}, "one body or marker"),
        ("sensors", {}, "at least one"),
        ("sensors", {"of": ["body_9"]}, "no body or marker"),
        ("contacts", {}, "no wheels or loops"),
        ("reduced", {"speeds": ["body_0.vx"]}, "do not determine|needed"),
        ("reduced", {"speeds": ["nothing"]}, "no free speed"),
    ):
        with pytest.raises(InputError, match=words):
            source.function(what, **options)
    mass = source.function("mass_matrix")
    with pytest.raises(InputError, match="needs the input 'q'"):
        mass()
    with pytest.raises(InputError, match="it must have"):
        mass([1.0])
    with pytest.raises(InputError, match="has no input 'w'"):
        mass(np.zeros(mass.inputs[0].size), w=1)


@pytest.mark.parametrize("moves, modes", [("planar", {}), ("free", {}), ("fixed", {"bending": (0, 2), "stretch": 1})])
def test_bodies_with_strain_fields(moves, modes):
    """A wave and a bump along a rod, with symbols for phase and amplitude; on a free base, and beside elastic strains."""
    shape = ld.travelling("bending_z", 6.0, wavelength=1.0)
    if moves != "planar":
        shape = shape + ld.travelling_bump("bending_y", 1.0, centre=0.3, half_width=0.8)
    section = ld.robot.GivenSection((1.0,) * 6, mass=1.0, inertia=(2e-4, 1e-4, 1e-4))
    robot, gravity = ld.Robot("worm"), (0.2, -9.81, 0.0)
    body = robot.base("head", moves=moves).rod(
        "body", length=1.0, section=section, fields=[ld.StrainField("wave", shape, amplitude=True)], nodes=3, **modes
    )
    body.sleeve("ring", at=0.4)
    model, rng = robot.model(gravity=gravity), np.random.default_rng(0)
    q, v, a = model.move(model.neutral(), 0.3 * rng.normal(size=model.nv)), rng.normal(size=model.nv), rng.normal(size=model.nv)
    source = Generator(symbolic_robot(lambda _: robot, {}, gravity), Problem(model))
    close(source.function("inverse")(q, v, a)[0], model.inverse_dynamics(q, v, a))
    close(source.function("mass_matrix")(q)[0], model.mass_matrix(q))
    kinetic, weight, springs = source.function("energy")(q, v)
    close(kinetic, model.kinetic_energy(q, v))
    close(weight, model.potential_energy(q))
    close(springs, joint_energy(model.frames, model.dof_constants, q, v)[0])
    position = source.function("sensors", of=["body"])(q, v, a)[1]
    close(position, model.kinematics(q)[0][-1, 9:])
    for what in ("forward", "constraints"):
        with pytest.raises(InputError, match=f"'ring' holds a rod along its length, .* '{what}' takes rods without it"):
            source.function(what)


def test_symbols_of_other_engines_are_refused():
    sympy = pytest.importorskip("sympy")
    robot = ld.Robot("pendulum")
    ground = robot.base("ground", moves="fixed")
    robot.body("bob", mass=sympy.Symbol("m"), centre=(0, 0, -1), inertia=ld.about_centre(xx=0, yy=0, zz=0)).on(ground).turning(
        "y"
    )
    with pytest.raises(InputError, match="of sympy"):
        SymbolicModel(robot)
