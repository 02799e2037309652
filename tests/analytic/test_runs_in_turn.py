"""Runs in turn: parts let go and taken up during a motion; wheels and bodies that slip where contacts cannot hold."""

from __future__ import annotations

import numpy as np
import pytest

import locodyn as ld
from body_cases import one_kilogram_per_metre
from locodyn.controllers import Measurement, SampledController
from locodyn.integrate.history import contact_kept
from locodyn.sim import across_singularities, run_in_turn
from locodyn.sim.hand_over import state_of, with_history
from locodyn.world import Drag

pytestmark = pytest.mark.slow

INERTIA = ld.about_centre(xx=1e-3, yy=2e-3, zz=1.5e-3)


def arm(loaded: bool) -> ld.Robot:
    """A driven arm that lags behind its command; ``loaded``: with a ball in its hand."""
    robot = ld.Robot("arm")
    upper = (
        robot.body("upper", mass=1.0, centre=(0.2, 0, 0), inertia=INERTIA).on(robot.base("ground", moves="fixed")).turning("z")
    )
    upper.actuator(time_constant=0.05)
    lower = (
        robot.body("lower", mass=0.5, centre=(0.1, 0, 0), inertia=INERTIA).on(upper, at=(0.4, 0, 0)).turning("z", name="elbow")
    )
    if loaded:
        robot.body("ball", mass=0.3, inertia=INERTIA).on(lower, at=(0.2, 0, 0)).fixed()
    return robot


def scenario(loaded: bool, t_end: float = 0.6) -> ld.Scenario:
    torque = {"upper": ld.sine(0.8, omega=7.0, phase=0.4)}
    return ld.Scenario("arm", arm(loaded), gravity=(0, -9.81, 0), torque=torque, integrator="rkmk4", dt=1e-3, t_end=t_end)


def test_one_robot_in_two_turns_is_one_run() -> None:
    """Without a change nothing changes: laws of time go on, states of laws are handed over, steps are the same."""
    whole = scenario(True).run(progress=False)
    turns = run_in_turn([(scenario(True), 0.25), (scenario(True), 0.6)])
    assert turns.status == "completed" and turns.jumps == (0.0,)
    assert [one.time.values[-1] for one in turns.results] == pytest.approx([0.25, 0.6])
    np.testing.assert_allclose(turns.results[-1].q[-1], whole.q[-1], atol=1e-12)
    np.testing.assert_allclose(turns.results[-1].memory.values[-1], whole.memory.values[-1], atol=1e-12)


def test_a_load_is_dropped_and_taken_up() -> None:
    """Places, velocities and the state of the drive go on by name; the energy that is missing is that of the ball, at rest
    in the hand. Against runs that are put together by hand.
    """
    first = scenario(True).changed(t_end=0.2).run(progress=False)
    turns = run_in_turn([(scenario(True), 0.2), (scenario(False), 0.35), (scenario(True), 0.6)])
    assert [len(one.dataset.body) for one in turns.results] == [4, 3, 4]
    path = turns.series("body_position", body="lower")
    assert path.shape == (len(turns.time), 3) and np.abs(np.diff(path.values, axis=0)).max() < 0.02
    before, after = turns.results[0], turns.results[1]
    np.testing.assert_allclose(before.q[-1], first.q[-1], atol=1e-13)
    np.testing.assert_array_equal(after.q[0], before.q[-1])
    np.testing.assert_array_equal(after.v[0], before.v[-1])
    np.testing.assert_array_equal(after.memory.values[0], before.memory.values[-1])
    model = before.scenario.model
    ball = model.twist("ball", before.q[-1], before.v[-1])
    energy = 0.5 * 0.3 * ball[:3] @ ball[:3] + 0.5 * 1.5e-3 * ball[5] ** 2
    assert after.kinetic_energy.values[0] == pytest.approx(before.kinetic_energy.values[-1] - energy, rel=1e-12)


def test_a_function_ends_a_run() -> None:
    """At the first record at which it is not negative."""
    high = run_in_turn([(scenario(True), lambda t, q, v: -0.3 - q[0]), (scenario(False), 0.6)])
    angle = high.results[0].joint_position.sel(joint="upper").values
    assert angle[-1] <= -0.3 < angle[-2] and len(high.results) == 2


def chain(friction: float) -> tuple[ld.Scenario, ld.Scenario]:
    """Three axles that meet in one point at t = pi - 0.5 s, where r_1 = r_2; nothing else makes the gait compatible there."""
    imposed = {"joint_1": 0.4 + ld.sine(0.2, omega=1.0, phase=0.5), "joint_2": ld.constant(0.4)}
    numbers = {"imposed": imposed, "checks": (), "t_end": 4.5}
    slipping = ld.zoo.three_axle(contact="friction", c=friction).changed(integrator="radau3", dt=0.005, record_every=2, **numbers)
    return ld.zoo.three_axle().changed(**numbers), slipping


@pytest.mark.filterwarnings("ignore::locodyn.sim.RankWarning")
def test_the_model_changes_at_a_true_singularity() -> None:
    """Rolls, slips where the axles meet in a point, rolls on.

    A model that slips from beginning to end differs from it only where the other rolls, by slip of the order 1/c: ten times the
    friction, a tenth of the difference and of what has to be stopped.
    """
    apart, jumps = [], []
    for friction in (2e4, 2e5):
        rolling, slipping = chain(friction)
        found = across_singularities(rolling, slipping, below=0.02)
        assert found.status == "completed" and len(found.results) == 3
        first, middle, last = found.results
        assert first.time.values[-1] < np.pi - 0.5 < middle.time.values[-1]
        for one in (first, last):
            assert one.constraint_condition.values[1:-1].min() >= 0.02
        np.testing.assert_array_equal(middle.q[0], first.q[-1])
        np.testing.assert_allclose(last.q[0], middle.q[-1], atol=1e-12)
        start = rolling.problem.start_state(0.0, *rolling.initial_state())
        whole = slipping.changed(start=start).run(progress=False)
        apart.append(np.abs(last.q[-1] - whole.q[-1]).max())
        jumps.append(found.jumps[1])
        assert found.jumps[0] < 1e-12
    assert apart[0] / apart[1] == pytest.approx(10.0, rel=0.4)
    assert jumps[0] / jumps[1] == pytest.approx(10.0, rel=0.2)


def test_refusals() -> None:
    with pytest.raises(ld.InputError, match="need at least one scenario"):
        run_in_turn([])
    with pytest.raises(ld.InputError, match=r"run 2 of 2 would end at 0\.1 s, but begins at 0\.2 s"):
        run_in_turn([(scenario(True), 0.2), (scenario(False), 0.1)])
    rolling, slipping = chain(200.0)
    with pytest.raises(ld.InputError, match=r"below the condition 0\.2 and back above 0\.1"):
        across_singularities(rolling, slipping, below=0.2, above=0.1)
    with pytest.raises(ld.InputError, match="'arm' has no wheels, loops or contacts on rods"):
        across_singularities(scenario(True), scenario(True))
    with pytest.raises(ld.InputError, match="has phases"):
        run_in_turn([(ld.zoo.compass_gait(), 0.1)])


def held_body(friction: float | None) -> ld.Scenario:
    """A body of 0.6 m between three sleeves, or where these are, three places that resist across the body, N s/m each.

    Its curvature 2 + 1.5 sin(t + 0.5) cos(2 pi s / 1.2) is that of a circle at t = pi - 0.5: all normals meet in its centre.
    """
    fields = [
        ld.StrainField("bend", ld.standing("bending_z", 1.0)),
        ld.StrainField("bow", ld.standing("bending_z", 1.0, wavelength=1.2)),
    ]
    robot = ld.Robot("body")
    body = robot.base("head", moves="planar").rod("body", length=0.6, **one_kilogram_per_metre(), nodes=40, fields=fields)
    for n, at in enumerate((0.05, 0.35, 0.6)):
        if friction is None:
            body.sleeve(f"ring_{n + 1}", at=at)
        else:
            robot.wrench(f"ground_{n + 1}", on=body, law=Drag(linear=(0.0, friction, 0.0)), at_s=at)
    numbers = {"dt": 0.01, "integrator": "rkmk4"}
    if friction is not None:
        numbers = {"dt": 0.005, "integrator": "radau3", "record_every": 2}
    imposed = {"body.bend": ld.constant(2.0), "body.bow": ld.sine(1.5, omega=1.0, phase=0.5)}
    return ld.Scenario("body", robot, imposed=imposed, gravity=(0, 0, 0), t_end=4.5, **numbers)


@pytest.mark.filterwarnings("ignore::locodyn.sim.RankWarning")
def test_a_body_slips_through_a_singular_shape() -> None:
    """Contacts that fix the motion of a body ask for speeds without bound towards an arc of a circle (Ali 2011, perspectives).

    The kinematic model ends there; the body goes on by its dynamics with friction, and then through its sleeves again.

    As for wheels: it differs from a body that slips all the time by what that slips where the sleeves hold, and so does what has
    to be stopped: 1/c, to the next power of it. It holds once friction rules at the condition 0.02 too, where 0.6 kg come to
    speed within m / (0.02^2 c), which is 7 ms at 2e5 N s/m; at 2e4 it is the time of the passage.
    """
    alone = held_body(None).run(progress=False)
    assert alone.status.startswith("failed: the motion goes through a singular shape near t = 2.6")
    apart, jumps = [], []
    for friction in (2e5, 2e6):
        held, slipping = held_body(None), held_body(friction)
        found = across_singularities(held, slipping, below=0.02)
        assert found.status == "completed" and len(found.results) == 3
        first, middle, last = found.results
        assert first.time.values[-1] < np.pi - 0.5 < middle.time.values[-1]
        for one in (first, last):
            assert one.constraint_condition.values[1:-1].min() >= 0.02
        np.testing.assert_allclose(last.q[0], middle.q[-1], atol=1e-12)
        whole = slipping.changed(start=held.problem.start_state(0.0, *held.initial_state())).run(progress=False)
        apart.append(np.abs(last.q[-1] - whole.q[-1]).max())
        jumps.append(found.jumps[1])
    assert apart[0] / apart[1] == pytest.approx(10.0, rel=0.1)
    assert jumps[0] / jumps[1] == pytest.approx(10.0, rel=0.1)


def sliding(parts: int, dt: float = 2e-3) -> ld.Scenario:
    """``parts`` boxes on the ground, side by side; the last ones are pushed by springs that lag, all are pulled at 50 Hz."""
    robot = ld.Robot("boxes")
    world = robot.base("ground", moves="fixed")
    for n in range(parts):
        box = robot.body(
            f"box_{n}", mass=1.0 + n, inertia=ld.about_centre(xx=2e-3, yy=2e-3, zz=2e-3), shape=ld.Box((0.2, 0.1, 0.1))
        )
        box.on(world).free(name=f"box_{n}").collides(friction=ld.Friction(0.3))
    place = {f"box_{n}": (0.0, 0.5 * n, 0.05, 1.0, 0.0, 0.0, 0.0) for n in range(parts)}
    speed = {f"box_{n}": (0.8 - 0.1 * n, 0.1, 0.0, 0.0, 0.0, 1.0) for n in range(parts)}

    def law(seen: Measurement) -> np.ndarray:
        pull = np.zeros((parts, 6))
        pull[:, 0] = 2.0 * np.cos(9.0 * seen.time + np.arange(parts)) - 0.5 * seen.v.reshape(parts, 6)[:, 0]
        return pull.ravel()

    return ld.Scenario(
        "boxes", robot, obstacles=[ld.Ground()], start=ld.Start(place, speed), integrator="moreau", dt=dt, t_end=0.3,
        controller=SampledController(law, period=10 * dt, delay=3 * dt), record_every=5,
    )  # fmt: skip


def test_hard_contact_and_sampled_laws_go_on_bit_by_bit() -> None:
    """A motion in three turns is that of one run: impulses, torques that are held and on their way, counts of steps.

    One turn ends by a function, at a record within a control period.
    """
    whole = sliding(1).run(progress=False)
    one = sliding(1)
    turns = run_in_turn([(one, lambda t, q, v: t - 0.0699), (one, 0.11), (one, 0.3)])
    assert turns.status == "completed" and turns.jumps == (0.0, 0.0)
    assert [float(part.time.values[-1]) for part in turns.results] == pytest.approx([0.07, 0.11, 0.3])
    for part in turns.results:
        own = np.searchsorted(whole.time.values, part.time.values - 1e-9)
        np.testing.assert_array_equal(part.q, whole.q[own])
        np.testing.assert_array_equal(part.v, whole.v[own])


@pytest.mark.parametrize("method", [("adams", 2e-3), ("radau3", 1e-2), ("variational", 2e-3)], ids=str)
def test_methods_that_look_back_go_on_bit_by_bit(method: tuple[str, float]) -> None:
    """Past accelerations, predictions and matrices of implicit steps."""
    one = scenario(True).changed(integrator=method[0], dt=method[1], t_end=0.3)
    whole, turns = one.run(progress=False), run_in_turn([(one, 0.1), (one, 0.3)])
    last = turns.results[-1]
    np.testing.assert_array_equal(last.q, whole.q[-len(last.q) :])
    np.testing.assert_array_equal(last.memory.values, whole.memory.values[-len(last.q) :])


def test_a_box_that_leaves_does_not_touch_the_others() -> None:
    """Boxes that never meet: what is left when one is taken away, and what was there before one comes, moves as in runs in which
    that one never was, impulses and held torques handed over by name.

    The islands of hard contact are solved apart, so these differ by no more than the tolerance of its solver and the detection,
    which is part of it: 1e-9 of the weight of a box for 100 steps of 2 ms, below 1e-10 m.
    """
    alone = sliding(1).run(progress=False)
    turns = run_in_turn([(sliding(2), 0.13), (sliding(1), 0.21), (sliding(2), 0.3)])
    assert turns.status == "completed"
    for part in turns.results:
        own = np.searchsorted(alone.time.values, part.time.values - 1e-9)
        np.testing.assert_allclose(part.q[:, :7], alone.q[own], atol=1e-10)
    before, after = turns.results[:2]
    np.testing.assert_array_equal(after.q[0], before.q[-1, :7])
    np.testing.assert_array_equal(after.v[0], before.v[-1, :6])
    one, own_step = sliding(1), 2e-3  # what the first step starts from, and what a law would feel there
    begin = with_history(state_of(before, one, 0.13), before, one, 0.0)
    kept = contact_kept(one.problem)
    assert begin.history is not None
    kept.recall(begin.history[-kept.size :])
    felt = before.scenario.problem.contact
    told = dict(zip(felt.table.names, felt.forces(own_step), strict=True))
    assert max(np.abs(force).max() for force in told.values()) > 5.0
    for name, force in zip(one.problem.contact.table.names, one.problem.contact.forces(own_step), strict=True):
        np.testing.assert_allclose(force, told[name], atol=1e-12)
    last = turns.results[2]
    np.testing.assert_array_equal(last.q[0, 7:], sliding(2).initial_state()[0][7:])  # where its own scenario has it
    np.testing.assert_array_equal(last.v[0, 6:], sliding(2).initial_state()[1][6:])


def test_more_contacts_take_over_those_that_were_there() -> None:
    """Boxes that may hit each other from 0.1 s on, but do not come near: as those that cannot, to the tolerance of the solver."""
    whole = sliding(2).run(progress=False)
    one = sliding(2)
    turns = run_in_turn([(one, 0.1), (one.changed(self_collision=True), 0.2)])
    first, second = (len(part.scenario.problem.contact.table) for part in turns.results)
    assert turns.status == "completed" and first < second
    own = np.searchsorted(whole.time.values, turns.results[1].time.values - 1e-9)
    np.testing.assert_allclose(turns.results[1].q, whole.q[own], atol=1e-10)


def test_a_part_that_comes_within_another_is_refused() -> None:
    inside = sliding(2).changed(start={"box_1": (0.0, 0.5, 0.0, 1.0, 0.0, 0.0, 0.0)})
    with pytest.raises(ld.InputError, match=r"the part that comes has 'box_1.* on ground.*' overlap by 0\.\d+ m"):
        run_in_turn([(sliding(1), 0.1), (inside, 0.2)])


def test_states_of_laws_are_handed_over_from_runs_that_do_not_record_them() -> None:
    """They were zero in the next run."""
    short = scenario(True).changed(record=("body_position",))
    whole, turns = scenario(True).run(progress=False), run_in_turn([(short, 0.25), (short, 0.6)])
    np.testing.assert_allclose(turns.results[-1].q[-1], whole.q[-1], atol=1e-12)


def test_another_number_is_another_robot() -> None:
    """Accelerations from before the drag grew tell ``adams`` nothing: with them, its error was of second order.

    Against a fine run in two parts put together by hand; half the step divides the error by 2^4 at least, since the first steps
    are of Runge and Kutta.
    """

    def dragged(c: float, **words: object) -> ld.Scenario:
        robot = arm(False)
        robot.wrench("wind", on=robot["lower"], at=(0.2, 0, 0), law=Drag((c, c, c), 0.0, 0.0))
        torque = {"upper": ld.sine(0.8, omega=7.0, phase=0.4)}
        return ld.Scenario("arm", robot, gravity=(0, -9.81, 0), torque=torque, **{"integrator": "adams", "dt": 0.01, **words})

    fine = {"integrator": "rkmk4", "dt": 2e-4}
    first = dragged(0.1, t_end=0.2, **fine).run(progress=False)
    best = run_in_turn([(dragged(0.1, t_end=0.2, **fine), 0.2), (dragged(5.0, t_end=0.4, **fine), 0.4)]).results[-1]
    np.testing.assert_allclose(best.q[0], first.q[-1], atol=1e-12)
    errors = []
    for step in (0.01, 0.005):
        turns = run_in_turn([(dragged(0.1, dt=step), 0.2), (dragged(5.0, dt=step), 0.4)])
        errors.append(np.abs(turns.results[-1].q[-1] - best.q[-1]).max())
    assert errors[0] / errors[1] > 2.0**3.6


def test_an_imposed_joint_that_is_elsewhere_is_refused() -> None:
    """It was put there at once, without a word."""
    one, two = scenario(False), scenario(False).changed(torque={}, imposed={"elbow": ld.constant(0.3)})
    with pytest.raises(ld.InputError, match=r"imposed motion of 'elbow' would take it from -?0\.\d+ to 0.3 at once at t = 0.2 s"):
        run_in_turn([(one, 0.2), (two, 0.4)])


def test_positions_that_constraints_move_are_said() -> None:
    """A gear that the joints have not kept to before; what touched already is not moved."""

    def geared(there: bool) -> ld.Scenario:
        robot = arm(False)
        if there:
            robot.coupling("gear", {"upper": 1.0, "elbow": -2.0})
        return scenario(False).changed(robot=robot)

    with pytest.warns(ld.sim.StartWarning, match=r"at t = 0.2 s, where 'arm' begins, '(upper|elbow)' was moved from"):
        run_in_turn([(geared(False), 0.2), (geared(True), 0.3)])


def test_a_joint_of_another_kind_is_refused() -> None:
    robot = ld.Robot("arm")
    upper = robot.body("upper", mass=1.0, inertia=INERTIA).on(robot.base("ground", moves="fixed")).sliding("z")
    robot.body("lower", mass=0.5, inertia=INERTIA).on(upper, at=(0.4, 0, 0)).turning("z", name="elbow")
    slides = ld.Scenario("arm", robot, integrator="rkmk4", dt=1e-3, t_end=0.6)
    with pytest.raises(ld.InputError, match="joint 'upper' has other coordinates in robot 'arm'"):
        run_in_turn([(scenario(False), 0.2), (slides, 0.4)])
