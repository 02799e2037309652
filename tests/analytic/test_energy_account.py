"""The energy account of a run: errors of the integrator, of the quadrature, numerical damping, explosions."""

from __future__ import annotations

import numpy as np
import pytest

import locodyn as ld
from locodyn.integrate import solve
from locodyn.integrate.base import RHO_INF
from locodyn.integrate.runaway import Runaway
from locodyn.integrate.steppers.base import Rows
from locodyn.integrate.unrecorded_work import UnrecordedWork
from locodyn.locomotion.problem import Problem
from locodyn.locomotion.servo import Servo
from locodyn.robot import GivenSection
from locodyn.sim.energy_account import account
from locodyn.sim.scenario import Scenario


def bob(**actuator: float) -> ld.Robot:
    """A pendulum of 0.1 kg and 0.1 m, J = 1e-3 kg m^2, with springs and friction in its joint."""
    robot = ld.Robot("pendulum")
    robot.body("bob", mass=0.1, centre=(0, 0, -0.1)).on(robot.base("ground", moves="fixed")).turning("y").actuator(**actuator)
    return robot


def swings(times: np.ndarray, factor: np.ndarray | float = 1.0) -> dict[str, np.ndarray]:
    """Energies of an oscillator of 1 J and 1 rad/s, times a factor; nothing drives it."""
    none = np.zeros(len(times))
    kinetic, potential = factor * np.sin(times) ** 2, factor * np.cos(times) ** 2
    return {"kinetic_energy": kinetic, "potential_energy": potential, "power_actuators": none, "power_dissipated": none}


def test_speeds_are_compared_in_lengths_of_the_robot(monkeypatch: pytest.MonkeyPatch) -> None:
    """A curvature changes by 1 / L a second where its rod turns by a radian: from a thousand of these on, energies are asked."""
    robot = ld.Robot("rod")
    robot.base("ground", moves="fixed").rod("rod", length=0.2, section=ld.Circle(0.01), material=ld.steel, bending=1)
    problem = Problem(robot.model())
    asked: list[float] = []
    energies = problem.series

    def series(times: np.ndarray, *states: np.ndarray) -> dict[str, np.ndarray]:
        asked.append(float(times[-1]))
        return energies(times, *states)

    monkeypatch.setattr(problem, "series", series)
    nv, q = problem.model.nv, problem.model.neutral()[None]

    def row(time: float, speed: float) -> Rows:
        return Rows(np.array([time]), q, np.full((1, nv), speed), np.zeros(1, dtype=np.int64), np.zeros((1, 0)))

    watch = Runaway(problem, row(0.0, 0.0))
    assert watch.seen(row(1.0, 0.9e3 / 0.2)) == "" and asked == []
    watch = Runaway(problem, row(0.0, 0.0))
    assert "a million times more than it can have" in watch.seen(row(2.0, 1.1e3 / 0.2)) and asked == [2.0]


def test_exact_motion_closes() -> None:
    times = np.linspace(0.0, 20.0, 2001)
    found = account(times, swings(times), 4, 1e-3)
    assert np.abs(found.defect).max() < 1e-14 and found.scale == pytest.approx(1.0, abs=1e-4)
    assert found.first_warning(damps=False) is None and found.first_failure() is None


@pytest.mark.parametrize("rate", [1e-3, -1e-3])
def test_drift_beyond_order_and_step_is_told(rate: float) -> None:
    """Energy that grows or falls by 1e-3 in a second: at 10 ms and order 4 the differences of order 5 of T explain
    (2 h)^5 / 2 of it in each step, 3e-6 in 20 s in all; so it is told when the drift passes 1e-3 of 1 J, after about 1 s.
    """
    times = np.linspace(0.0, 20.0, 2001)
    found = account(times, swings(times, 1.0 + rate * times), 4, 1e-3)
    first = found.first_warning(damps=False)
    assert first is not None and times[first] == pytest.approx(1.0, abs=0.1)
    assert found.first_failure() is None
    # A method that damps may lose this much, but gain nothing.
    assert (found.first_warning(damps=True) is None) == (rate < 0.0)


def test_coarse_records_are_no_defect() -> None:
    """An exact motion driven by P = 5 sin(5 t) W, recorded five times a period: the quadrature is wrong by more than 1e-3 of S,
    but so is its difference to that of every other record.
    """
    times = np.arange(0.0, 20.0, 2.0 * np.pi / 5.0 / 5.0)
    none = np.zeros(len(times))
    series = {"kinetic_energy": 1.0 - np.cos(5.0 * times), "potential_energy": none, "power_actuators": 5.0 * np.sin(5.0 * times)}
    found = account(times, series, 4, 1e-3)
    assert np.abs(found.defect).max() > 1e-3 * found.scale
    assert found.first_warning(damps=False) is None and found.first_failure() is None


@pytest.mark.slow
def test_work_between_records_is_no_defect() -> None:
    """A servo that is through after 1 ms, recorded every 10 ms: no record sees its power, but the path of the joint tells."""
    fields = {"servo": {"bob": Servo(0.5, 1e5, 100.0)}, "t_end": 0.5, "integrator": "radau3", "progress": False}
    for dt, every in ((1e-4, 100), (1e-2, 1)):
        result = ld.simulate(bob(), dt=dt, record_every=every, **fields)
        assert result.status == "completed"
        assert np.ptp(result.potential_energy.values) == pytest.approx(0.1 * 9.81 * 0.1 * (1.0 - np.cos(0.5)), rel=1e-2)
        seen = np.trapezoid(result.power_actuators.values, result.time.values)
        assert every == 1 or seen < 0.1 * np.ptp(result.potential_energy.values)


PULSE = ([0.0, 0.02, 0.03, 0.06, 1.0], [0.0, 0.0, 50.0, 0.0, 0.0])  # s, N


@pytest.mark.parametrize(
    "integrator",
    [
        "rkmk4",
        "adams",
        "variational",
        "in Python",
        pytest.param("radau3", marks=pytest.mark.slow),
        pytest.param("generalized_alpha", marks=pytest.mark.slow),
    ],
)
def test_a_pulse_between_records(integrator: str) -> None:
    """1 N s on 1 kg within 40 ms, recorded every 100 ms: W = 1/2 J, none of which a record sees. It is the sum over the steps, to
    three times the error of their trapezoids, h^2 / 12 [dP/dt] of the kinks: 2e-4 J. From records alone the run has 'failed'.
    """
    robot = ld.Robot("block")
    robot.body("block", mass=1.0).on(robot.base("ground", moves="fixed")).sliding("x")
    law = ld.function(lambda t: float(np.interp(t, *PULSE))) if integrator == "in Python" else ld.motion.samples(*PULSE)
    method = "rkmk4" if integrator == "in Python" else integrator
    result = ld.simulate(
        robot, torque={"block": law}, gravity=(0, 0, 0), t_end=0.5, dt=1e-3, record_every=100, integrator=method, progress=False
    )
    assert result.status == "completed"
    assert np.abs(result.power_actuators.values).max() == 0.0
    error = result.work_unrecorded_error.values[-1]
    assert result.work_unrecorded.values[-1] == pytest.approx(0.5, abs=error + 1e-12) and error < 5e-4
    assert result.energy_supplied().values[-1] == pytest.approx(result.total_energy().values[-1], abs=error + 1e-12)
    assert abs(result.attributes["energy_defect"]) < 1e-6


@pytest.mark.parametrize(
    ("integrator", "order"), [("rkmk4", 4), ("variational", 2), pytest.param("gauss2", 4, marks=pytest.mark.slow)]
)
def test_smooth_work_between_records_has_the_order_of_the_method(integrator: str, order: int) -> None:
    """cos(w t) N on 1 kg for w t = 5/2 pi between two records, both without power: W = 1 / (2 w^2). By trapezoids alone its error
    would be h^2 / 12 [dP/dt], of order 2 with any method. At these steps the slope is that of the order to 0.2, or more.
    """
    w, end = 25.0 * np.pi, 0.1
    robot = ld.Robot("block")
    robot.body("block", mass=1.0).on(robot.base("ground", moves="fixed")).sliding("x")
    law = ld.sine(1.0, omega=w, phase=0.5 * np.pi)
    off = []
    for count in (20, 40):
        result = ld.simulate(
            robot, torque={"block": law}, gravity=(0, 0, 0), t_end=end, dt=end / count, record_every=count, integrator=integrator,
            progress=False,
        )  # fmt: skip
        off.append(abs(result.work_unrecorded.values[-1] - 0.5 / w**2))
        assert off[-1] < result.work_unrecorded_error.values[-1]
    assert np.log2(off[0] / off[1]) > order - 0.2


@pytest.mark.parametrize("integrator", ["adaptive", pytest.param("radau_adaptive", marks=pytest.mark.slow)])
def test_an_impact_between_two_records(integrator: str) -> None:
    """2 kg fall by 0.2 m on ground of restitution 0 (0.02): m g h = 3.92 J are lost within 5 ms; records each 10 ms see nothing.

    Parts of steps resolve the impact: the work is off by 0.05 % (0.2 % allowed), from trapezoids of the records that follow.
    From records alone, 98 % of the energy would be 'lost without a source'.
    """
    robot = ld.Robot("block")
    block = robot.base("block", moves="prismatic", axis="z", joint="z", mass=2.0)
    block.collides(name="sole", vertices=[(0, 0, 0)], friction=0.3, restitution=0.0)
    result = ld.simulate(
        robot, obstacles=[ld.Ground()], contact="compliant", start={"z": 0.2}, t_end=0.3, dt=0.01, tolerance=1e-8,
        integrator=integrator, progress=False,
    )  # fmt: skip
    lost = result.total_energy().values[0] - result.total_energy().values[-1]
    error = result.work_unrecorded_error.values[-1]
    supplied = result.energy_supplied().values[-1] - result.energy_supplied().values[0]
    assert lost == pytest.approx(3.92, abs=0.01)
    assert supplied == pytest.approx(-lost, abs=0.002 * lost) and error < 0.01 * lost
    assert abs(result.attributes["energy_defect"]) < 1e-6


def test_an_impact_before_an_adaptive_run_goes_on(tmp_path) -> None:
    """A run that is stopped between the steps of the impact takes along the states since its last record."""
    robot = ld.Robot("block")
    block = robot.base("block", moves="prismatic", axis="z", joint="z", mass=2.0)
    block.collides(name="sole", vertices=[(0, 0, 0)], friction=0.3, restitution=0.0)
    scenario = Scenario(
        "block",
        robot,
        obstacles=(ld.Ground(),),
        contact="compliant",
        start={"z": 0.2},
        t_end=0.21,
        dt=0.01,
        integrator="adaptive",
    )
    whole = scenario.changed(t_end=0.3).run(progress=False)
    scenario.run(progress=False, out=tmp_path / "block.nc")
    resumed = ld.resume(tmp_path / "block.nc", 0.3, scenario, progress=False)
    assert resumed.work_unrecorded.values[-1] == pytest.approx(whole.work_unrecorded.values[-1], abs=0.01)
    assert whole.work_unrecorded.values[-1] < -3.8


def test_long_runs_with_functions_keep_few_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pulse with a function in Python: of 500 steps at most 60 wait beside the records; the work is known to its error."""
    waiting = []

    class Watched(UnrecordedWork):
        def add(self, steps: Rows, recorded: np.ndarray) -> None:
            super().add(steps, recorded)
            waiting.append(sum(len(rows.times) - len(kept) for rows, kept in self._waiting))

    monkeypatch.setattr("locodyn.integrate.unrecorded_work._WAITING", 60)
    monkeypatch.setattr("locodyn.integrate.fixed.UnrecordedWork", Watched)
    robot = ld.Robot("block")
    robot.body("block", mass=1.0).on(robot.base("ground", moves="fixed")).sliding("x")
    law = ld.function(lambda t: float(np.interp(t, *PULSE)))
    result = ld.simulate(
        robot, torque={"block": law}, gravity=(0, 0, 0), t_end=0.5, dt=1e-3, record_every=100, integrator="rkmk4", progress=False
    )
    assert 0 < max(waiting) <= 60
    error = result.work_unrecorded_error.values[-1]
    assert result.work_unrecorded.values[-1] == pytest.approx(0.5, abs=error) and error < 0.1


def test_looking_at_all_steps_changes_none() -> None:
    """Every 10th state of a run that records all of them, bit by bit; a motion that its records resolve has nothing to add."""
    scenario = ld.zoo.snakeboard().changed(t_end=2.0)
    every, some = (scenario.changed(record_every=n).run(progress=False) for n in (1, 10))
    assert np.array_equal(every.q[::10], some.q) and np.array_equal(every.v[::10], some.v)
    assert every.solver_iterations.values.sum() == some.solver_iterations.values.sum()
    assert "work_unrecorded" not in some.dataset


def test_a_controller_that_is_faster_than_the_records() -> None:
    """Input-output linearisation with 2400 1/s, recorded every 2.5 ms: the work of its first strokes falls between records."""
    snake = ld.zoo.snake_control(friction="smooth").changed(t_end=0.3, record_every=10, checks=())
    assert snake.run(progress=False).status == "completed"


def test_growth_without_a_source_fails() -> None:
    """exp(t) J in a motion that had 1 J: 1 + 2 J are reached at ln 3 s."""
    times = np.linspace(0.0, 5.0, 501)
    first = account(times, swings(times, np.exp(times)), 4, 1e-3).first_failure()
    assert first is not None and times[first] == pytest.approx(np.log(3.0), abs=0.02)


def test_a_robot_at_rest_has_no_account_to_close() -> None:
    """Round-off of a potential energy of 100 J: 1e-14 J that come and go."""
    times, noise = np.linspace(0.0, 5.0, 501), 1e-14 * np.random.default_rng(1).standard_normal((2, 501))
    none = np.zeros(501)
    series = {"kinetic_energy": np.abs(noise[0]), "potential_energy": 100.0 + noise[1], "power_actuators": none}
    found = account(times, series, 4, 1e-3)
    assert found.first_warning(damps=False) is None and found.first_failure() is None


@pytest.mark.slow
def test_losses_by_numerical_damping() -> None:
    """Implicit Euler at w h = 0.1 loses 1 % of the energy in a step: explained by the method, until half of all is lost."""
    with pytest.warns(ld.sim.EnergyWarning, match=r"energy is lost without a source, 0\.0\d+ J by t = 2 s, 0\.\d+ of the scale"):
        result = ld.simulate(bob(), start={"bob": 1.0}, t_end=2.0, dt=0.01, integrator="implicit_euler", progress=False)
    assert result.status == "completed"
    assert result.attributes["energy_defect"] == pytest.approx(-0.9 * result.attributes["energy_scale"], rel=0.15)
    brief = ld.simulate(bob(), start={"bob": 1.0}, t_end=0.3, dt=0.01, integrator="implicit_euler", progress=False)
    assert brief.attributes["energy_defect"] < -0.05 * brief.attributes["energy_scale"]  # no warning, as the mark of pytest tells


def test_explosion_fails_and_keeps_what_was() -> None:
    """c / J = 1000 1/s at 10 ms: |R(-10)| = 291 in each step of rkmk4."""
    with pytest.warns(
        ld.integrate.StabilityWarning, match=r"'rkmk4' is stable up to 0\.0028 s only .* 'bob' reacts within 0\.001 s"
    ):
        result = ld.simulate(bob(viscous=1.0), start={"bob": 1.0}, t_end=2.0, integrator="rkmk4", progress=False)
    assert result.failed and "gained" in result.status and "take 'radau3'" in result.status
    assert "a step below 0.0028 s" in result.status
    assert 1 < len(result.time) < 10 and np.isfinite(result.kinetic_energy.values).all()
    assert result.attributes["resume_time"] == result.time.values[-1]
    calm = ld.simulate(bob(viscous=1.0), start={"bob": 1.0}, t_end=2.0, integrator="rkmk4", dt=0.002, progress=False)
    assert calm.status == "completed"


def test_a_run_that_runs_away_is_stopped_early() -> None:
    """w h = 2.9, beyond 2.83: the amplitude grows by |R(2.9 i)| = 1.19 in a step, 1e306 times in 4000 steps, still finite."""
    robot = ld.Robot("spring")
    robot.body("bob", mass=1.0).on(robot.base("ground", moves="fixed")).sliding("x").actuator(stiffness=290.0**2)
    run = solve(Problem(robot.model()), [1e-3], [0.0], t_end=40.0, step=0.01, method="rkmk4")
    assert run.failed and "a million times more than it can have; take 'radau3'" in run.status
    assert len(run.times) < 4000


@pytest.mark.slow
def test_newmark_on_a_stiff_rod() -> None:
    """Newmark's energy grows without bound on nonlinear rods at long steps: 1e21 times larger at the end, and 'completed'."""
    scenario = ld.zoo.cantilever(case="stiff", g=0.0).changed(integrator="newmark", dt=0.01)
    result = scenario.run(progress=False)
    assert result.failed and "take 'radau3'" in result.status and float(result.time[-1]) < scenario.recording.t_end


def stretching_loop() -> Scenario:
    """Crank, extensible coupler and rocker under their weight: it stretches at sqrt(EA / m) / L = 125 rad/s and more."""
    angle, robot = 0.9, ld.Robot("loop")
    ground = robot.base("ground", moves="fixed")
    inertia = ld.about_centre(xx=0.01, yy=0.01, zz=0.01)
    crank = robot.body("crank", mass=1.0, centre=(0.15, 0, 0), inertia=inertia).on(ground).turning("z")
    hub = robot.body("hub").on(crank, at=(0.3, 0, 0)).turning("z")
    section = GivenSection((1e3, 1e3, 1e3, 1.0, 1.0, 1.0), mass=0.1)
    hub.rod("coupler", length=0.8, section=section, bending=(0, 3), stretch=1, nodes=6)
    pivot = (0.8 + 0.3 * np.cos(angle), 0.3 * np.sin(angle) - 0.4, 0.0)
    robot.body("rocker", mass=1.0, centre=(0, 0.2, 0), inertia=inertia).on(ground, at=pivot).turning("z")
    robot.loop("pin", "coupler", "rocker", joint="revolute", axis="z", second_at=(0, 0.4, 0))
    start = {"crank": angle, "hub": -angle}
    fields = {"gravity": (0, -9.81, 0), "start": start, "t_end": 2.0, "dt": 0.002, "integrator": "generalized_alpha"}
    return Scenario("loop", robot, **fields)


@pytest.mark.slow
def test_default_damping_is_stable_with_loops_and_extensible_rods() -> None:
    """rho_inf = 0.9 gains more than twice the energy within 1.4 s; the default, from the range 0.5 to 0.8, gains nothing."""
    scenario = stretching_loop()
    assert scenario.numerics.rho_inf == RHO_INF == 0.6
    assert scenario.changed(rho_inf=0.9).run(progress=False).failed
    result = scenario.run(progress=False)
    assert result.status == "completed"
    gained = result.total_energy().values - result.total_energy().values[0]
    assert gained.max() < 0.01 * result.attributes["energy_scale"]


def test_a_pulse_before_a_run_goes_on(tmp_path) -> None:
    """The work that no record saw is in the file: the stretch that follows goes on from it, and its account closes."""
    robot = ld.Robot("block")
    robot.body("block", mass=1.0).on(robot.base("ground", moves="fixed")).sliding("x")
    law = ld.motion.samples(*PULSE)
    scenario = Scenario(
        "block", robot, torque={"block": law}, gravity=(0, 0, 0), t_end=0.2, dt=1e-3, record_every=100, integrator="rkmk4"
    )
    whole = scenario.changed(t_end=0.5).run(progress=False)
    scenario.run(progress=False, out=tmp_path / "block.nc")
    resumed = ld.resume(tmp_path / "block.nc", 0.5, scenario, progress=False)
    assert np.array_equal(whole.work_unrecorded.values, resumed.work_unrecorded.values)
    assert resumed.work_unrecorded.values[-1] > 0.49
