"""Dynamic shooting: the motion that runs with strain modes tend to, and the step below which it fails (Gotelli 2024, (2.23))."""

from __future__ import annotations

import numpy as np
import pytest

import locodyn as ld
from locodyn.equilibria import DynamicShooting, critical_step
from locodyn.integrate import solve
from locodyn.locomotion.problem import Problem
from locodyn.robot import Rod

pytestmark = pytest.mark.slow


def clamped(young: float = 1e6, length: float = 0.5, modes: int = 6) -> ld.Robot:
    """The rod of the benchmark rod_drop, which bends about y."""
    robot = ld.Robot("rod")
    material = ld.Material(young, 1000.0, shear=young / 3.0)
    ground = robot.base("ground", moves="fixed")
    ground.rod("rod", length=length, section=ld.Circle(0.02), material=material, bending=(modes, 0), nodes=30)
    return robot


def rod_of(robot: ld.Robot) -> Rod:
    rod = robot.description.bodies[1].joint.rod
    assert rod is not None
    return rod


def test_falls_as_the_rod_with_modes() -> None:
    """A horizontal rod released straight on the moon: tip after 0.2 s against six modes in small steps, to 1e-3 of the length.

    Measured 6.4e-4 and 3.9e-4 m: at these steps BDF 2 damps the third mode (78 rad/s) and those above, which are in the fall.
    """
    robot, gravity = clamped(), (0.0, 0.0, -1.6)
    model = robot.model(gravity=gravity)
    fine = solve(Problem(model), model.neutral(), np.zeros(model.nv), t_end=0.2, step=0.002, method="gauss2", tolerance=1e-10)
    exact = model.pose("rod", fine.q[-1])[1]
    shooting = DynamicShooting(rod_of(robot), gravity, nodes=24)
    errors = [np.linalg.norm(shooting.run(0.2, step).tip[-1] - exact) for step in (0.02, 0.01)]
    assert errors[1] < errors[0] and errors[1] < 1e-3 * 0.5


def test_rests_at_the_equilibrium_of_a_tip_force() -> None:
    """Steps far longer than the rod's own motion leave statics: tip and root wrench of a cantilever under a force."""
    robot = clamped()
    rod = robot.description.bodies[1]
    robot.wrench("pull", on="rod", law=ld.world.WorldForce((0.0, 0.0, 0.2)))
    found = ld.statics(robot, gravity=(0, 0, 0))
    motion = DynamicShooting(rod_of(clamped()), gravity=(0, 0, 0)).run(1e4, 1e3, tip_force=(0.0, 0.0, 0.2))
    assert rod.name == "rod"
    assert motion.tip[-1] == pytest.approx(robot.model().pose("rod", found.q)[1], abs=1e-4)
    assert motion.wrench[-1][:3] == pytest.approx([0.0, 0.0, 0.2], abs=1e-6)


@pytest.mark.parametrize(("young", "length"), [(1e6, 0.5), (1e8, 0.5), (1e6, 1.0)])
def test_fails_below_its_critical_step(young: float, length: float) -> None:
    """dt_c = psi l^2 sqrt(rho A/EI), psi about 1/100: rods under loads of the same rho A g l^3/EI = 15 fail at the same psi.

    Measured: steps of 3 dt_c work, of 2 dt_c and less do not.
    """
    rod = rod_of(clamped(young, length))
    area, moment = np.pi * 0.02**2, np.pi * 0.02**4 / 4.0
    step = critical_step(rod)
    assert step == pytest.approx(0.01 * length**2 * np.sqrt(1000.0 * area / (young * moment)))
    weight = 9.81 * young / 1e6 * (0.5 / length) ** 3
    shooting = DynamicShooting(rod, (0.0, 0.0, -weight), nodes=24)
    assert np.isfinite(shooting.run(18.0 * step, 3.0 * step).tip).all()
    with pytest.raises(ld.RunError, match="this rod cannot be solved from its root"):
        shooting.run(2.0 * step, 0.5 * step)


def test_refused() -> None:
    robot = ld.Robot("stiff")
    robot.base("ground", moves="fixed").rod("rod", length=1.0, section=ld.Circle(0.01), material=ld.silicone, stretch=2)
    with pytest.raises(ld.InputError, match="needs a rod that bends"):
        DynamicShooting(rod_of(robot))
    with pytest.raises(ld.InputError, match="must be positive and smaller"):
        DynamicShooting(rod_of(clamped())).run(1.0, 2.0)
