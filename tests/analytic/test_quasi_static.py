"""Quasi-static runs: closed forms, folds at which they snap, forces by virtual work."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.interpolate import make_interp_spline

import locodyn as ld
from locodyn.equilibria import equilibrium, equilibrium_path
from locodyn.robot import GivenSection

pytestmark = pytest.mark.slow

UNIT = GivenSection((1.0, 1.0, 1.0, 1.0, 1.0, 1.0), mass=1.0)
NO_GRAVITY = (0.0, 0.0, 0.0)


def arch() -> ld.Scenario:
    """Two rods on hubs that turn down together, tips pinned: it snaps from above to below the line of the hubs."""
    robot = ld.Robot("arch")
    ground, tips = robot.base("ground", moves="fixed"), []
    for name, x, turn in (("left", -0.92, 0.0), ("right", 0.92, np.pi)):
        hub = robot.body(f"{name}_hub").on(ground, at=(x, 0, 0)).turning("z", name=f"{name}_hub")
        tips.append(hub.rod(name, turned=("z", turn), length=1.0, section=UNIT, bending=(0, 3), nodes=12))
    robot.loop("pin", tips[0], tips[1], joint="revolute", axis="z")
    law = ld.polynomial(0.5, -1.0)
    return ld.Scenario(
        "arch", robot, gravity=NO_GRAVITY, imposed={"left_hub": law, "right_hub": -1.0 * law}, t_end=1.5, dt=0.05,
        start={"left.bending_z.0": 0.5, "right.bending_z.0": -0.5}, integrator="quasi_static",
    )  # fmt: skip


@pytest.fixture(scope="module")
def run() -> ld.Result:
    return arch().run(progress=False)


def test_snaps_once_where_the_path_folds(run: ld.Result) -> None:
    """The stable equilibria end at the fold of the path; the robot falls below and stays there."""
    scenario = arch()
    fold = equilibrium_path(scenario.problem, scenario.initial_state()[0], along="time", arc=0.1, points=60).folds[0].equilibrium
    assert run.status == "completed"
    assert np.atleast_1d(run.attributes["snaps"]) == pytest.approx([fold.time], abs=0.05 / 512)
    height, times = run.body_position.sel(body="left", xyz="y").values, run.time.values
    assert (height[times < fold.time] > 0.0).all() and (height[times > fold.time] < -0.1).all()
    assert (run.unstable_directions.values == 0).all() and (run.least_stiffness.values > 0.0).all()
    ends = [run.body_position.sel(body=tip).values for tip in ("left", "right")]
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-9)


def test_torques_by_virtual_work(run: ld.Result) -> None:
    """The torque of a hub is the slope of the strain energy along its angle, pin closed: by differences over equilibria."""
    scenario = arch()
    for n in (4, 10, 25):
        angle, energies = 0.5 - float(run.time[n]), []
        for turn in (1e-4, -1e-4):
            held = scenario.changed(imposed={"left_hub": angle + turn, "right_hub": -angle}, start=None)
            energies.append(_strain_energy(scenario, equilibrium(held.problem, run.q[n]).q))
        torque = float(run.joint_torque.sel(joint="left_hub")[n])
        assert torque == pytest.approx((energies[0] - energies[1]) / 2e-4, rel=1e-6, abs=1e-7)


def _strain_energy(scenario: ld.Scenario, q: np.ndarray) -> float:
    """sum of q^T K q / 2 over the rods, with K = EI L / (2 k + 1) of Legendre polynomials."""
    stiffness = 1.0 / np.array([1.0, 3.0, 5.0])
    names = scenario.compiled.position_names
    spans = [[names.index(f"{side}.bending_z.{k}") for k in range(3)] for side in ("left", "right")]
    return sum(0.5 * float(stiffness @ q[span] ** 2) for span in spans)


def test_work_is_energy_until_the_snap(run: ld.Result) -> None:
    """Power of the hubs summed up is the strain energy until the snap, where the fall takes energy away."""
    before = run.time.values < 1.0
    energy = run.potential_energy.values
    supplied = run.energy_supplied().values
    assert np.ptp(energy[before]) > 0.1
    times = run.time.values[before]
    work = make_interp_spline(times, run.power_actuators.values[before], k=5).antiderivative()(times)
    np.testing.assert_allclose(work - work[0], energy[before] - energy[0], atol=1e-4 * np.ptp(energy[before]))
    assert energy[-1] - energy[0] < supplied[-1] - supplied[0]
    assert (run.kinetic_energy.values == 0.0).all() and (run.joint_acceleration.values == 0.0).all()


def test_tension_bends_in_closed_form() -> None:
    """A straight tendon: EI kappa = T d at every record; the rate is that of the law."""
    robot = ld.Robot("arm")
    rod = robot.base("ground", moves="fixed").rod("rod", length=0.4, section=UNIT, bending=(0, 3))
    rod.tendon("left", (0.02, 0.0))
    run = ld.simulate(
        robot, gravity=NO_GRAVITY, tension={"left": ld.polynomial(1.0, 2.0)}, t_end=1.0, dt=0.1, integrator="quasi_static",
        progress=False,
    )  # fmt: skip
    tension = 1.0 + 2.0 * run.time.values
    np.testing.assert_allclose(run.rod_strain.values[:, 0, :, 5], np.repeat(0.02 * tension[:, None], 21, axis=1), rtol=1e-9)
    np.testing.assert_allclose(run.joint_velocity.sel(joint="rod.bending_z.0"), 0.04, rtol=1e-6)


def test_fails_with_a_sentence_where_nothing_holds_the_robot() -> None:
    free = ld.Robot("ball")
    free.base("ball", moves="free", mass=1.0, inertia=ld.about_centre(xx=1.0, yy=1.0, zz=1.0))
    with pytest.raises(ld.RunError, match="does not come to rest"):
        ld.simulate(free, t_end=1.0, integrator="quasi_static", progress=False)


def test_a_pressed_column_buckles_at_eulers_load() -> None:
    """Both ends clamped (one by a loop to the world), pressed by a slide: straight up to 4 pi^2 EI / L^2, then it bends aside and
    carries that load on (the elastica rises by less than 1 % here). A pitchfork, where a straight equilibrium goes on, unstable.
    """
    stiff = GivenSection((1e5, 1e5, 1e5, 1.0, 1.0, 1.0), mass=1.0)
    robot = ld.Robot("column")
    slide = robot.body("slide").on(robot.base("ground", moves="fixed")).sliding("x", name="slide")
    rod = slide.rod("rod", length=1.0, section=stiff, bending=(0, 7), stretch=1, nodes=28)
    robot.loop("wall", "world", rod, joint="fixed", at=(1.0, 0.0, 0.0))
    run = ld.simulate(
        robot, gravity=NO_GRAVITY, imposed={"slide": ld.polynomial(0.0, 1e-3)}, t_end=1.0, dt=0.02, integrator="quasi_static",
        progress=False,
    )  # fmt: skip
    assert run.status == "completed"
    euler = 4.0 * np.pi**2
    buckles = euler / 1e5 / 1e-3  # s: strain over the rate of the slide
    assert np.atleast_1d(run.attributes["snaps"]) == pytest.approx([buckles], abs=0.02)
    times, force = run.time.values, run.joint_torque.sel(joint="slide").values
    before = times < buckles
    np.testing.assert_allclose(force[before], 1e5 * 1e-3 * times[before], rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(force[~before], euler, rtol=1e-2)
    bent = 4.0 * np.pi * np.sqrt(1e-3 - euler / 1e5)  # 1/m: cosine whose slope takes up what is shortened
    assert np.abs(run.rod_strain.values[-1, 0, :, 5]).max() == pytest.approx(bent, rel=1e-2)
