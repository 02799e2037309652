"""Dynamic shooting: the motion that runs with strain modes tend to, and the step below which it fails (Gotelli 2024, (2.23))."""

from __future__ import annotations

import numpy as np
import pytest

import locodyn as ld
from locodyn.equilibria import DynamicShooting, FreeShooting, critical_step
from locodyn.integrate import solve
from locodyn.locomotion.problem import Problem, Schedule
from locodyn.robot import Rod
from rod_cases import flying_rod, push

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


def flown(case: str) -> tuple[Problem, FreeShooting]:
    """A flying rod of Gotelli 2024, 3.9.1, with strain modes, and by shooting."""
    problem = Problem(flying_rod(case, bending=6, torsion=4).model(gravity=(0, 0, 0)), schedule=Schedule(loads=push(case)))
    rotation, place = problem.model.pose("A", problem.model.neutral())
    force, moment, peak = (20.0, 200.0, 2.5) if case == "soft" else (2.0, 2.0, 0.7)

    def load(t: float) -> np.ndarray:
        return min(t / peak, max(0.0, 2.0 - t / peak)) * np.array([force, 0.0, 0.0, 0.0, 0.5 * moment, moment])

    rod = problem.model.compiled.description.bodies[1].joint.rod
    assert rod is not None
    return problem, FreeShooting(rod, load, rotation=rotation, place=place, nodes=24)


def test_flies_as_the_rod_with_modes() -> None:
    """A free rod, pushed and turned at its end in space, after 0.3 s: both ends tend to those of a run in small steps.

    BDF 2 and the trapezoidal rule have order 2; at these few steps the first one, of order 1, still shows: half the step leaves
    less than 0.45 of the error.
    """
    problem, shooting = flown("stiff")
    model = problem.model
    fine = solve(problem, model.neutral(), np.zeros(model.nv), t_end=0.3, step=0.005, method="gauss2", tolerance=1e-9)
    ends = [model.pose(name, fine.q[-1])[1] for name in ("A", "B")]
    errors = []
    for step in (0.1, 0.05):
        found = shooting.fly(0.3, step)
        errors.append([np.linalg.norm(one[-1] - end) for one, end in zip((found.root, found.tip), ends, strict=True)])
    assert np.all(np.less(errors[1], 0.45 * np.array(errors[0]))) and np.max(errors[1]) < 0.02


def test_soft_free_rods_fail_at_the_step_of_the_source() -> None:
    """Table 3.1 of Gotelli 2024: shooting fails on the soft flying rod at 10 ms; its law says 45 ms."""
    _, shooting = flown("soft")
    assert critical_step(shooting.rod) == pytest.approx(0.01 * 10.0**2 * np.sqrt(1.0 / 500.0))
    with pytest.raises(ld.RunError, match="this rod cannot be solved from its root"):
        shooting.fly(0.05, 0.01)


def test_refused() -> None:
    robot = ld.Robot("stiff")
    robot.base("ground", moves="fixed").rod("rod", length=1.0, section=ld.Circle(0.01), material=ld.silicone, stretch=2)
    with pytest.raises(ld.InputError, match="needs a rod that bends"):
        DynamicShooting(rod_of(robot))
    with pytest.raises(ld.InputError, match="must be positive and smaller"):
        DynamicShooting(rod_of(clamped())).run(1.0, 2.0)
    with pytest.raises(ld.InputError, match="must be positive and smaller"):
        FreeShooting(rod_of(clamped())).fly(1.0, 2.0)
