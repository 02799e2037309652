"""Robots without a table of parameters: formulas in their dotted numbers, at other numbers, against the robot with those."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import locodyn as ld
from locodyn.errors import InputError
from locodyn.files import save_robot
from locodyn.locomotion.problem import Problem
from locodyn.symbolic.model import plain
from locodyn.symbolic.numbers import RobotNumbers
from locodyn.symbolic.scenarios import generator
from locodyn.zoo.registry import make
from models.file_peers import random_state


def wheeled() -> ld.Robot:
    """A cart with a turning wheel, a screw, a damper for each of two axes, and a loop."""
    robot = ld.Robot("cart")
    cart = robot.base(
        "cart", mass=2.0, centre=(0.1, 0, 0), inertia=ld.about_centre(xx=0.2, yy=0.3, zz=0.4, xy=0.01), moves="planar"
    )
    cart.wheel("left", at=(0, 0.2, -0.1), radius=0.1, actuated=True, mass=0.2).wheel("rear", at=(-0.2, 0, -0.1))
    arm = robot.body("arm", mass=0.5, inertia=ld.about_centre(xx=0.01, yy=0.02, zz=0.03)).on(cart, at=(0.2, 0, 0.1))
    arm.universal("x", "y", name="hinge").actuator(viscous=(0.1, 0.2), armature=0.01, gear=3.0, stiffness=2.0)
    nut = robot.body("nut", mass=0.1, inertia=ld.about_centre(xx=0.01, yy=0.01, zz=0.01)).on(arm, body_at=(0, 0.1, 0))
    nut.screwing("z", pitch=0.02)
    robot.loop("rope", "nut", "cart", joint="planar", axis="y", first_at=(0.1, 0, 0))
    return robot


@pytest.mark.parametrize("which", ["wheeled", "bicycle", "rattleback", "rolling_disc", "satellite"])
def test_formulas_at_other_numbers(which):
    rng = np.random.default_rng(3)
    scenario = ld.Scenario("cart", wheeled()) if which == "wheeled" else make(which)
    source = generator(scenario, symbols="all")
    numbers = RobotNumbers(replace(scenario.compiled.description, any_inertia=True))
    symbols = {p.name: p.value * rng.uniform(0.9, 1.1) for p in source.robot.parameters if p.name != "g"}
    assert len(symbols) >= 5
    other = numbers.build({name: symbols[plain(name)] for name in numbers.values if plain(name) in symbols}).model()
    problem = Problem(other)
    q, v = random_state(other, rng)
    mass = source.function("mass_matrix")

    def p(function):
        return [symbols.get(name, 9.81) for group in function.inputs if group.name == "p" for name in group.symbols]

    np.testing.assert_allclose(mass(q=q, p=p(mass))[0], other.mass_matrix(q), rtol=1e-11, atol=1e-12)
    if problem.constraints.arrays is None:
        return
    rows = source.function("constraints")
    q, v = problem.imposed_state(0.0, q, v)
    found = rows(q=q, v=v, p=p(rows))[0]
    columns = [problem.row_speeds(q, unit) for unit in np.eye(other.nv)]
    np.testing.assert_allclose(found, np.transpose(columns), rtol=1e-9, atol=1e-10)


def test_a_file_gives_the_formulas_of_the_zoo(tmp_path):
    """The snakeboard written to a file: the same reduced equations, with no symbols and with its masses."""
    file = tmp_path / "board.yaml"
    save_robot(make("snakeboard").robot, file)
    rng = np.random.default_rng(5)
    q, tau = rng.standard_normal(6), rng.standard_normal(3)
    wanted = generator("snakeboard").function("reduced", speeds=("board.vx", "joint_1", "joint_2", "joint_3"))
    for symbols in ("none", "board"):
        found = generator(str(file), symbols=symbols).function("reduced", speeds=("board.vx", "joint_1", "joint_2", "joint_3"))
        u = rng.standard_normal(4)
        for one, two in zip(found(q=q, u=u, tau=tau), wanted(q=q, u=u, tau=tau), strict=True):
            np.testing.assert_allclose(one, two, rtol=1e-12, atol=1e-13)
    assert next(group.entries for group in found.inputs if group.name == "p")[0] == "board_mass"


def test_words_for_symbols(tmp_path):
    numbers = RobotNumbers(wheeled().description)
    assert numbers.named(["cart.mass", "hinge.at", "cart.mass"]) == ["cart.mass", "hinge.at.x", "hinge.at.z"]
    assert numbers.named(["cart.inertia"]) == [f"cart.inertia.{entry}" for entry in ("xx", "yy", "zz", "xy")]
    assert numbers.values["hinge.viscous.1"] == 0.2 and numbers.units()["left.at.y"][0] == "m"
    assert "nut.coulomb_speed" not in numbers.values  # there is no dry friction
    scenario = ld.Scenario("cart", wheeled())
    with pytest.raises(InputError, match=r"no parameter 'cart.mas' that could be a symbol; did you mean 'cart.mass'"):
        generator(scenario, symbols="cart.mas")
    with pytest.raises(InputError, match="parameters go with a name or a file"):
        generator(scenario, {"cart.mass": 2.0})
    twice = ld.Robot("twice")
    twice.base("a", mass=1.0, inertia=ld.about_centre(zz=1.0)).marker("a_centre", at=(1, 0, 0))
    twice.body("a_b", mass=1.0, inertia=ld.about_centre(zz=1.0)).on("a").turning("z", name="a.b")
    twice.body("c", mass=1.0, inertia=ld.about_centre(zz=1.0)).on("a_b", at=(1, 0, 0)).turning("z", name="a_b.c")
    twice.body("d", mass=1.0, inertia=ld.about_centre(zz=1.0)).on("a_b", at=(1, 0, 0)).turning("z", name="a.b_c")
    with pytest.raises(InputError, match=r"'a_b.c.at.x' and 'a.b_c.at.x' would be one symbol, 'a_b_c_at_x'"):
        generator(ld.Scenario("twice", twice), symbols="all")
