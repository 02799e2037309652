"""Laws with memory in files: runs that go on bit by bit, robots that are written and read again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import locodyn as ld
from locodyn.sim.run import resume, run
from locodyn.sim.scenario import Scenario

pytestmark = pytest.mark.slow


def pulled(integrator: str) -> Scenario:
    robot = ld.Robot("pulled")
    cart = robot.base("cart", moves="planar", mass=1.0, inertia=ld.about_centre(zz=0.1), shape=ld.Sphere(0.1))
    arm = robot.body("arm", mass=0.3, centre=(0.1, 0, 0), inertia=ld.about_centre(zz=0.01)).on(cart).turning("z")
    arm.actuator(time_constant=0.1, bristles=ld.LuGre(0.05, 5.0, static=0.08, speed=0.5, damping=0.02))
    robot.wrench("pad", on=cart, law=ld.LuGre(0.5, 50.0, static=0.8, speed=0.3, damping=0.4))
    start = ld.Start(velocities={"cart.vx": 0.5, "cart.wz": 0.3}, memory={"arm.drive": 0.05})
    return Scenario(
        "pulled", robot, torque={"arm": ld.sine(0.2, omega=5.0)}, gravity=(0, 0, 0), start=start, t_end=0.6, dt=0.01,
        integrator=integrator,
    )  # fmt: skip


@pytest.mark.parametrize("integrator", ["rkmk4", "adams", "variational", "moreau"])
def test_resumed_runs_are_the_same(integrator: str, tmp_path: Path) -> None:
    """To the bit; a run that began without its memory would differ by 1e-3."""
    scenario, file = pulled(integrator), tmp_path / "run.nc"
    whole = run(scenario, progress=False)
    run(scenario.changed(t_end=0.3), progress=False, out=file)
    again = resume(file, 0.6, pulled(integrator), progress=False)
    for name in ("position", "twist", "joint_position", "joint_velocity", "memory", "potential_energy"):
        np.testing.assert_array_equal(again.dataset[name].values, whole.dataset[name].values)
    assert again.memory.dims == ("time", "state")
    assert again.memory.attrs["units_by_state"] == "m, m, rad, N m"


def test_another_time_constant_is_another_run(tmp_path: Path) -> None:
    file = tmp_path / "run.nc"
    run(pulled("rkmk4").changed(t_end=0.1), progress=False, out=file)
    other = pulled("rkmk4")
    other.robot["arm"].actuator(time_constant=0.2)
    with pytest.raises(ld.InputError, match="time constants of its drives or bristles of its joints differ"):
        resume(file, 0.2, Scenario("pulled", other.robot, torque={"arm": ld.sine(0.2, omega=5.0)}, gravity=(0, 0, 0), dt=0.01,
                                   t_end=0.2, integrator="rkmk4"), progress=False)  # fmt: skip


def test_files_hold_what_remembers(tmp_path: Path) -> None:
    """A robot with lags and bristles, written and read again, moves in the same way."""
    scenario = pulled("rkmk4")
    ld.save_robot(scenario.robot, tmp_path / "pulled.robot.yaml")
    again = ld.load_robot(tmp_path / "pulled.robot.yaml").robot
    np.testing.assert_array_equal(again.compile().lags[3], 0.1)
    assert again.compile().bristles == scenario.compiled.bristles
    assert again.description.wrenches[0].law == scenario.compiled.description.wrenches[0].law
