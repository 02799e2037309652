"""The bicycle (Mauny, Porez, Boyer 2017) against an independent model, and the numbers of its two examples.

Numbers without a source are those of that independent model (``bicycle_peer``), which is run here too.
"""

import functools

import numpy as np
import pytest

import locodyn as ld
from bicycle_peer import Peer, bodies, eigenvalues, linear_matrices
from locodyn.sim import Scenario, Start
from locodyn.zoo.measures import leans
from locodyn.zoo.whipple import rear_force_up, wheel_angles

pytestmark = pytest.mark.slow

TILT = np.pi / 10
WEIGHT = 94.0 * 9.81


@functools.cache
def run(**parameters):
    return ld.zoo.bicycle(**parameters).run(progress=False)


@functools.cache
def problem():
    return ld.zoo.bicycle().problem


def steering(t, q, v):
    """tau_1, tau_3 of the second example, (18)-(23); the drive acts on the rear wheel."""

    def soft(t, first):
        s = np.clip(t - first, 0.0, 1.0)
        return s - np.sin(2 * np.pi * s) / (2 * np.pi)

    target = np.pi / 12 * (soft(t, 0.0) if t <= 1.0 else 1.0 - soft(t, 1.0))
    return -10.0 * (target - q[7]), 40.0 * (20.0 - v[7]), 0.0


def states(count, seed=3):
    """Random states on the ground: lean, steer and heading, and three independent rates; the rest follows."""
    random = np.random.default_rng(seed)
    names = problem().model.compiled.coordinate_names
    adjust, keep = ([names.index(name) for name in group] for group in (("frame.vz", "frame.wy"), ("frame.wx", "steer", "rear")))
    for _ in range(count):
        q, v = problem().model.neutral(), np.zeros(9)
        q[2] = 0.3
        q = problem().model.move(q, np.concatenate([np.zeros(5), random.uniform(-3, 3, 1), np.zeros(3)]))
        q = problem().model.move(q, np.concatenate([np.zeros(3), random.uniform(-0.6, 0.6, 1), np.zeros(5)]))
        q[7:] = random.uniform(-0.8, 0.8), *random.uniform(-3, 3, 2)
        v[[3, 6, 7]] = (*random.uniform(-2, 2, 2), random.uniform(5, 25))
        yield problem().settled(0.0, q, v, adjust, keep)


# ------------------------------------------------------------------------------------------------ D3, D4, D18: one state
def test_mass_matrix_column_by_column_and_by_newton_and_euler():
    model = problem().model
    for q, v in states(5):
        bias = model.bias(q, v)
        columns = [model.inverse_dynamics(q, v, e) - bias for e in np.eye(9)]
        matrix = model.mass_matrix(q)
        assert np.abs(np.array(columns).T - matrix).max() < 1e-11 * np.abs(matrix).max()
        own_matrix, own_bias = bodies().equations(q, v)  # written in NumPy from Meijaard's table, without the library
        assert np.abs(own_matrix - matrix).max() < 1e-12 * np.abs(matrix).max()
        assert np.abs(own_bias - bias).max() < 1e-12 * np.abs(bias).max()


def test_accelerations_and_forces_are_those_of_the_peer():
    """Random states: here the wandering of the touching points counts, which a linear benchmark cannot see."""
    peer = Peer()
    for q, v in states(20):
        a, forces = peer.solve(0.0, q, v)
        series = problem().series(np.zeros(1), q[None], v[None])
        own = problem().accelerations(0.0, q.copy(), v.copy())
        assert np.abs(own - a).max() < 1e-11 * np.abs(a).max()
        assert np.abs(series["contact_force"][0][::-1] - forces).max() < 1e-11 * np.abs(forces).max()


def test_contact_angles_of_the_source_are_the_lowest_points():
    """Rows and their drifts by psi_2, psi_3 of Mauny 2017 and by the lowest points of two discs."""
    peer = Peer()
    for q, v in states(5, seed=11):
        for one, other in zip(peer.rows(q, v), peer.bodies.rolling(q, v), strict=True):
            assert np.abs(one - other).max() < 1e-11 * np.abs(other).max()


def test_peer_can_fail():
    """Without the wandering of the points the accelerations are others: the comparison above sees it."""
    peer = Peer()
    peer.angles = lambda q, v: tuple((psi, 0.0) for psi, _ in Peer.angles(peer, q, v))
    q, v = next(states(1))
    a = peer.solve(0.0, q, v)[0]
    assert np.abs(problem().accelerations(0.0, q.copy(), v.copy()) - a).max() > 1e-3 * np.abs(a).max()


def test_printed_rate_of_the_contact_angle_is_wrong():
    """Mauny et al. print sin(th) for cos(th) in the rate of a_2; with it the contact accelerations are others."""
    right, printed = Peer(), Peer(printed=True)
    q, v = next(states(1))
    a = right.solve(0.0, q, v)[0]
    assert np.abs(printed.solve(0.0, q, v)[0] - a).max() > 1e-4 * np.abs(a).max()
    h, (psi, rate) = 1e-6, right.angles(q, v)[0]
    ahead, behind = (right.angles(problem().model.move(q, s * h * v), v)[0][0] for s in (1, -1))
    assert (ahead - behind) / (2 * h) == pytest.approx(rate, abs=1e-7) and 0 < psi < 2 * np.pi


def test_six_rows_leave_three_velocities():
    peer = Peer()
    for q, v in states(10):
        rows, _ = peer.rows(q, v)
        assert np.linalg.matrix_rank(rows) == 6
        assert np.abs(rows @ v).max() < 1e-12 * np.abs(v).max() * 10
    assert (run().constraint_rank.values == 6).all()


def test_forces_and_weight_change_the_momentum():
    """Sum of m_i times the acceleration of each mass centre = contact forces + weight."""
    model = problem().model
    for q, v in states(10, seed=8):
        series = problem().series(np.zeros(1), q[None], v[None])
        a, total = problem().accelerations(0.0, q.copy(), v.copy()), np.zeros(3)
        for body in model.compiled.description.bodies:
            eta, etadot = model.twist(body.name, q, v), model.acceleration(body.name, q, v, a)
            centre = body.inertia.centre
            point = etadot[:3] + np.cross(eta[3:], eta[:3])
            point = point + np.cross(etadot[3:], centre) + np.cross(eta[3:], np.cross(eta[3:], centre))
            total += body.inertia.mass * model.pose(body.name, q)[0] @ point
        forces = series["contact_force"][0].sum(axis=0) - (0.0, 0.0, WEIGHT)
        assert np.abs(total - forces).max() < 1e-9 * WEIGHT


# -------------------------------------------------------------------------------------------------------- trajectories
@pytest.mark.parametrize("case, torque", [("free", None), ("turn", steering)])
def test_runs_are_those_of_the_peer(case, torque):
    """DOP853 on the KKT system; the difference is that of the fixed step, and falls when it is halved."""
    peer = Peer(torque) if torque else Peer()
    scenario = ld.zoo.bicycle(case=case).changed(t_end=4.0, record_every=20)
    coarse = scenario.run(progress=False)
    q, v = peer.integrate(coarse.q[0], coarse.v[0], coarse.time.values)
    fine = scenario.changed(dt=0.0025, record_every=40).run(progress=False)
    errors = [max(np.abs(r.q - q).max(), np.abs(r.v - v).max()) for r in (coarse, fine)]
    assert errors[0] < 2e-5 and errors[1] < errors[0] / 10
    tight = scenario.changed(integrator="adaptive", tolerance=1e-11).run(progress=False)
    assert max(np.abs(tight.q - q).max(), np.abs(tight.v - v).max()) < 1e-7


def test_contacts_hold_along_the_runs():
    peer = Peer()
    for case in ("free", "turn"):
        result = run(case=case)
        slip = [np.abs(peer.rows(q, v)[0] @ v).max() for q, v in zip(result.q[::20], result.v[::20], strict=True)]
        assert max(slip) < 1e-9
        assert np.abs(result.contact_point.values[:, :, 2]).max() < 1e-9
        psi = np.array([[a[0] for a in peer.angles(q, v)] for q, v in zip(result.q, result.v, strict=True)])
        assert np.abs(psi - np.array(wheel_angles(result)).T).max() < 1e-12


def test_height_over_a_thousand_seconds():
    result = ld.zoo.bicycle().changed(t_end=1000.0, record_every=400).run(progress=False)
    assert result.status == "completed"
    assert np.abs(result.contact_point.values[:, :, 2]).max() < 1e-9
    energy = result.total_energy().values
    assert np.abs(energy - energy[0]).max() < 1e-4


# ----------------------------------------------------------------------------------------- first example: by itself
def test_energy_is_kept():
    energy = run().total_energy().values
    assert np.abs(energy - energy[0]).max() < 1e-5
    energy = ld.zoo.bicycle().changed(integrator="adaptive", tolerance=1e-11).run(progress=False).total_energy().values
    assert np.abs(energy - energy[0]).max() < 1e-6


def test_free_run():
    result = run()
    forward, lean_rate = result.twist.values[:, 0], result.twist.values[:, 3]
    steer_rate = result.joint_velocity.sel(joint="steer").values
    times = result.time.values
    mass, *_ = linear_matrices()
    moving = 94.0 + 0.12 / 0.3**2 + 0.28 / 0.35**2
    assert forward[-1] == pytest.approx(np.sqrt(4.6**2 + mass[0, 0] * 0.25 / moving), abs=5e-4)
    assert forward[-1] == pytest.approx(4.625, abs=5e-3)  # as Mauny et al. say
    assert forward.max() == pytest.approx(4.667, rel=0.01) and times[forward.argmax()] == pytest.approx(0.44, abs=0.01)
    assert lean_rate.min() == pytest.approx(-0.346, rel=0.01)
    assert (steer_rate.min(), steer_rate.max()) == pytest.approx((-0.471, 0.416), rel=0.01)
    late = times > 9.0
    assert np.abs(lean_rate[late]).max() < 0.02 and np.abs(steer_rate[late]).max() < 0.02


def test_free_run_oscillates_as_the_weave_mode():
    """Two samples predict a third one of a damped oscillation; its poles are those of the linear bicycle at 4.622 m/s."""
    result = run()
    rate = result.joint_velocity.sel(joint="steer").values[result.time.values > 3.0][::20]  # every 0.1 s
    (a, b), *_ = np.linalg.lstsq(np.column_stack([rate[1:-1], rate[:-2]]), rate[2:], rcond=None)
    pole = np.log(np.roots([1.0, -a, -b]).astype(complex)[0]) / 0.1
    weave = max(eigenvalues(4.622), key=lambda x: abs(x.imag))
    assert (pole.real, abs(pole.imag)) == pytest.approx((weave.real, abs(weave.imag)), rel=0.05)
    at_start = max(eigenvalues(4.6), key=lambda x: abs(x.imag))
    assert (at_start.real, abs(at_start.imag)) == pytest.approx((-0.378, 3.873), abs=1e-3)


def test_free_run_on_the_ground():
    result = run()
    front, rear = wheel_angles(result)
    assert front[-1] == pytest.approx(np.pi + TILT, abs=1e-3) and rear[-1] == pytest.approx(np.pi, abs=1e-3)
    assert front.min() == pytest.approx(3.437, abs=1e-3)
    load = rear_force_up(result)
    static = 9.81 * (2.0 + 85.0 * (1 - 0.3 / 1.02) + 4.0 * (1 - 0.9 / 1.02))
    assert load[-1] == pytest.approx(static, abs=0.1) and static == pytest.approx(612.84, abs=0.01)
    assert (load.min(), load.max()) == pytest.approx((599.7, 625.5), abs=0.5)


def test_benchmark_bicycle_is_the_same_bicycle():
    """25 parameters in the axes of Meijaard et al. 2007 give the default of the 26 in those of Mauny 2017."""
    other = ld.zoo.benchmark_bicycle().changed(t_end=2.0).run(progress=False)
    own = ld.zoo.bicycle().changed(t_end=2.0).run(progress=False)
    assert np.abs(other.q - own.q).max() < 1e-12 and np.abs(other.v - own.v).max() < 1e-11


def test_reference_body_may_be_the_fork():
    """The same run, counted from the fork: bodies, forces and touching points agree to the error of the step."""
    frame = ld.zoo.bicycle().changed(t_end=2.0)
    own = frame.run(progress=False)
    q, v = own.q[0], own.v[0]
    place, turn = frame.model.pose("fork", q)[1], (0.0, -TILT, 0.0)
    start = Start({"fork": (*place, *turn)}, {"fork": frame.model.twist("fork", q, v), "rear": v[7], "front": v[8]})
    other = Scenario("bicycle", frame.robot.rerooted("fork"), start=start, t_end=2.0, dt=0.005).run(progress=False)
    for name in ("body_position", "contact_point"):
        labels = "body" if name == "body_position" else "contact"
        mine, theirs = own.dataset[name], other.dataset[name]
        assert np.abs(mine - theirs.sel({labels: mine[labels]})).max() < 1e-8
    assert np.abs(own.contact_force - other.contact_force.sel(contact=own.contact)).max() < 1e-6


def test_literal_fork_is_another_one():
    literal = run(variant="as_printed")
    assert literal.status == "completed"
    difference = np.abs(literal.twist.values[:, 3] - run().twist.values[:, 3]).max()
    assert 1e-3 < difference < 0.1


# ---------------------------------------------------------------------------------------------- second example: a turn
def test_turn():
    result = run(case="turn")
    times, steer = result.time.values, result.joint_position.sel(joint="steer").values
    assert steer.min() == pytest.approx(-0.037, rel=0.03) and times[steer.argmin()] == pytest.approx(0.7, abs=0.05)
    assert steer.max() == pytest.approx(0.210, rel=0.03) and times[steer.argmax()] == pytest.approx(1.4, abs=0.05)
    assert steer.argmin() < steer.argmax()
    assert leans(result).min() == pytest.approx(-0.486, rel=0.03)
    front = wheel_angles(result)[0] - (np.pi + TILT)
    assert 0.115 < -front.min() < 0.135 and front.max() < 0.01  # towards smaller angles: forwards
    w, x, y, z = result.orientation.values.T
    heading = np.unwrap(np.arctan2(2 * (x * y + w * z), 1 - 2 * (y * y + z * z)))
    assert np.degrees(heading[-200:].mean()) == pytest.approx(90.0, abs=5.0)
    assert result.position.values[:, 0].max() == pytest.approx(1 / 0.067, abs=0.3)
    tau = result.joint_torque
    steer_torque, drive = tau.sel(joint="steer").values, tau.sel(joint="rear").values
    assert (steer_torque.min(), steer_torque.max()) == pytest.approx((-2.77, 1.18), rel=0.03)
    assert (drive.min(), drive.max()) == pytest.approx((-41.4, 16.6), rel=0.03)
    assert result.twist.values[-1, 0] == pytest.approx(6.0, abs=1e-3)


def test_turn_with_the_other_sign_falls():
    with pytest.warns(UserWarning, match="lift off"):
        result = ld.zoo.bicycle(case="turn", K_ps=-10.0).run(progress=False)
    lean, times = leans(result), result.time.values
    assert times[np.argmax(lean > 0.9)] < 2.1 and lean.max() > 0.9
    assert result.failed and "lies flat at t = 2.56 s" in result.status
    assert times[-1] < 2.56 and np.isfinite(result.contact_force.values).all()
    # nothing that is kept is flat: the axle is at least 0.14 rad away from the vertical
    axis = result.body_orientation.sel(body="rear").values
    w, x, y, z = axis.T
    assert np.abs(2 * (y * z + w * x)).max() <= 0.99
