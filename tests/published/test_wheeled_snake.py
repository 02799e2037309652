"""Wheeled snake of Hirose's type (Ali 2011, section 4.3): kinematic connection, singular instants, three ways to torques.

Pose, advance, speed range, slip and power balance are checks of the zoo; here is what they leave out.
"""

import functools
import math
import warnings

import numpy as np
import pytest

import locodyn as ld
from locodyn.zoo import measures
from peers import Recursion

pytestmark = pytest.mark.slow

LEAVES = [f"joint_{j}" for j in range(1, 20, 2)]


@functools.cache
def run(**parameters):
    return ld.zoo.wheeled_snake(**parameters).run(progress=False)


def printed_rows(r, half=0.1):
    """Abar (3, 3) and Bbar (3, 2) as printed (L1834-1846); columns of Bbar: rates of joints 2 and 4."""
    r1, r2, r3, r4, r5 = r
    r3bar, r5bar = r2 + r3, r2 + r4 + r5
    s, c = math.sin, math.cos
    b31 = half * (c(r5) + 2 * c(r4 + r5))
    a = [[-s(r1), c(r1), 0], [-s(r3bar), c(r3bar), half * (c(r3) + c(r3bar))], [-s(r5bar), c(r5bar), b31 + half * c(r5bar)]]
    return np.array(a), np.array([[0, 0], [half * c(r3), 0], [b31, half * c(r5)]])


def side_speeds(model, q, v):
    """Speeds of the first three wheels along their axles, from the twists of their bodies."""
    return np.array([model.twist(f"link_{j}", q, v)[1] for j in (1, 3, 5)])


def test_rows_of_the_first_three_wheels_are_the_printed_ones():
    model = run().model
    names = model.compiled.coordinate_names
    rng = np.random.default_rng(1)
    for _ in range(20):
        q, v = rng.uniform(-1, 1, model.nq), rng.uniform(-1, 1, model.nv)
        r = [q[names.index(f"joint_{j}")] for j in range(1, 6)]
        rates = [v[names.index(f"joint_{j}")] for j in (2, 4)]
        a, b = printed_rows(r)
        assert np.abs(side_speeds(model, q, v) - a @ v[:3] - b @ rates).max() < 1e-14


def test_the_printed_adjoints_of_the_first_module_do_not_give_these_rows():
    """L1816-1822 put every wheel at l and every hinge at 2 l; for S_0 they must be 0 (S_1) and l (S_2)."""
    model = ld.zoo.wheeled_snake().robot.changed({"link_1.at": (0.1, 0, 0), "link_2.at": (0.2, 0, 0)}).model()
    names = model.compiled.coordinate_names
    q, v = np.full(model.nq, 0.3), np.full(model.nv, 0.5)
    a, b = printed_rows([q[names.index(f"joint_{j}")] for j in range(1, 6)])
    assert np.abs(side_speeds(model, q, v) - a @ v[:3] - b @ [0.5, 0.5]).min() > 0.01


def test_the_start_is_singular_and_its_twist_is_the_limit():
    """eta_0(0+) = (-0.12196, -0.00476, -0.28406), where det Abar = 0 and a plain solver gives a twist that is too small."""
    result = run()
    assert result.constraint_rank.values[[0, 1]].tolist() == [2, 3]
    assert np.atleast_1d(result.attributes["rank_changes"]) == pytest.approx([0.01])
    twist = result.twist.values[0, [0, 1, 5]]
    assert twist == pytest.approx([-0.12196, -0.00476, -0.28406], abs=1e-5)
    q = result.q[0]
    a, b = printed_rows([q[result.model.compiled.coordinate_names.index(f"joint_{j}")] for j in range(1, 6)])
    assert abs(np.linalg.det(a)) < 1e-12
    smallest = np.linalg.lstsq(a, -b @ result.joint_velocity.values[0, [1, 3]], rcond=1e-9)[0]
    assert np.linalg.norm(smallest) < 0.9 * np.linalg.norm(twist)


@functools.cache
def through_pi(dt):
    """A run over t = pi; records 300 and 3000 steps of pi / 300 and pi / 3000 away are there."""
    scenario = ld.zoo.wheeled_snake().changed(t_end=1.25 * 300 * dt if dt > 0.01 else 1.25 * 3000 * dt, dt=dt)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ld.sim.RankWarning)
        return scenario.run(progress=False)


def between(values, k):
    """Cubic through the neighbours of record k."""
    return (-values[k - 2] + 4 * values[k - 1] + 4 * values[k + 1] - values[k + 2]) / 6


def test_records_at_singular_instants():
    """Records exactly at k pi, where det Abar = 0, lie on the curve of their neighbours to the accuracy of the integrator.

    Velocities follow from the derivative of the lost row (spec E2); accelerations and forces are continued. Neighbours are a
    thousandth of a second away: the cubic misses by 1e-12, accelerations carry round-off over the square of the condition 3e-4.
    """
    result = through_pi(math.pi / 3000)
    assert result.constraint_rank.values[3000] == 2 and result.constraint_condition.values[3000] == 0.0
    measured = {"twist": 3e-13, "joint_velocity": 1e-12, "kinetic_energy": 4e-15, "acceleration": 1e-10, "joint_torque": 1e-11}
    measured |= {"joint_acceleration": 4e-10, "power_actuators": 2e-11, "contact_force": 7e-11}
    for name, error in measured.items():
        values = result.dataset[name].values
        assert np.abs(values[3000] - between(values, 3000)).max() < 10 * error, name


def test_record_at_a_singular_instant_solves_the_equations_of_the_limit():
    """[A; w^T Adot] eta = -[B rdot; w^T (Bdot rdot + B rddot)] with the printed matrices and differences of them (spec E2)."""
    result = through_pi(math.pi / 3000)
    names = result.model.compiled.coordinate_names
    laws = [result.scenario.drive.imposed[f"joint_{j}"] for j in range(1, 6)]

    def rows(t):
        a, b = printed_rows([law.at(t)[0] for law in laws])
        return a, b @ [laws[1].at(t)[1], laws[3].at(t)[1]]

    t, h = math.pi, 1e-3
    weights = ((-2, 1 / 12), (-1, -8 / 12), (1, 8 / 12), (2, -1 / 12))  # derivative, of order 4
    a, known = rows(t)
    a_rate, known_rate = (sum(c * rows(t + k * h)[part] for k, c in weights) / h for part in (0, 1))
    w = np.linalg.svd(a)[0][:, 2]
    assert np.abs(w @ a).max() < 1e-15
    eta = np.linalg.lstsq(np.vstack([a, w @ a_rate]), -np.append(known, w @ known_rate), rcond=None)[0]
    assert result.time.values[3000] == pytest.approx(t, abs=1e-14)
    assert result.twist.values[3000, [0, 1, 5]] == pytest.approx(eta, abs=1e-10)  # differences: h^4
    assert names[:3] == ("link_0.vx", "link_0.vy", "link_0.wz")


def test_records_beside_a_singular_instant():
    """dt a hair off pi / 300: the record near pi has almost lost rank, and is as good as that at pi."""
    exact, beside = through_pi(math.pi / 300), through_pi(3.14159265 / 300)
    away = abs(beside.time.values[300] - math.pi)
    assert 1e-9 < away < 1e-8
    for name in ("twist", "acceleration", "joint_torque", "contact_force"):
        difference = beside.dataset[name].values[300] - exact.dataset[name].values[300]
        assert np.abs(difference).max() < away + 1e-8, name  # rates are below 1; round-off / condition 1e-9


def test_singular_instants_do_not_spoil_the_way():
    scenario = ld.zoo.wheeled_snake().changed(t_end=2 * math.pi, dt=math.pi / 300)
    with pytest.warns(ld.sim.RankWarning, match="between 2 and 3, at t = 0.010472, 3.14159"):
        result = scenario.run(progress=False)
    assert all(np.isfinite(result.dataset[name].values).all() for name in result.dataset.data_vars)
    assert measures.final_pose(result)[2] == pytest.approx(0.0, abs=1e-6)
    assert np.hypot(*result.position.values[-1, :2]) == pytest.approx(0.68363, abs=1e-5)


def test_condition_falls_to_zero_towards_a_loss_of_rank():
    """Proportional to the distance from k pi, as det Abar is; one of the result's numbers, not only its last pivot."""
    result = through_pi(math.pi / 3000)
    condition = result.constraint_condition.values
    assert condition[[0, 3000]].tolist() == [0.0, 0.0]
    assert condition[3001:3006] == pytest.approx(condition[3001] * np.arange(1, 6), rel=1e-3)
    assert condition[3001] < 2e-3 * condition.max()


def test_half_the_length_halves_the_positions_exactly():
    whole, half = run(), run(l=0.05)
    assert np.abs(2 * half.position.values - whole.position.values).max() < 1e-12  # round-off of a sum over 2000 steps
    assert np.abs(half.joint_position.values - whole.joint_position.values).max() < 1e-12


def test_torques_scale_with_the_square_of_the_length():
    whole, half = run(), run(l=0.05, I_w=0.25e-4)
    assert np.abs(4 * half.joint_torque.values - whole.joint_torque.values)[1:].max() < 1e-11


def test_projective_torques_need_the_wrench_that_they_leave_behind():
    """Exact: tau.rdot = dT/dt to 1e-12. Projective: fails by up to 0.019 W, and + W_0.eta_0 closes it to 1e-12."""
    exact, projective = run(), run(torques="projective")
    power = np.sum((exact.joint_torque * exact.joint_velocity).values, axis=1)[1:]
    short = np.sum((projective.joint_torque * projective.joint_velocity).values, axis=1)[1:]
    rest = np.sum(projective.base_wrench.values * projective.twist.values, axis=1)[1:]
    assert np.abs(short - power).max() == pytest.approx(0.019, abs=5e-4)
    assert np.abs(short + rest - power).max() < 1e-12
    assert measures.power_balance(exact) < 1e-12
    assert measures.power_defect(exact) < 1e-7  # from recorded energies: error of the integrator, 1.5e-8, of order 4
    # (i) leaf bodies, joint through the axle: exact; (ii) the others are not
    difference = (projective.joint_torque - exact.joint_torque)[1:]
    assert np.abs(difference.sel(joint=LEAVES).values).max() < 1e-12
    assert np.abs(difference.drop_sel(joint=LEAVES).values).max() > 0.01


def test_range_of_tau_10():
    """Projective, as in Fig. 4.8: about [-0.0129, 0.0160] N m; the no-contact bound is wider."""
    projective = run(torques="projective").joint_torque.sel(joint="joint_10").values
    assert measures.extent(projective) == pytest.approx((-0.0129, 0.0160), abs=1e-4)
    bound = run(torques="no_contact").joint_torque.sel(joint="joint_10").values
    assert bound.min() < projective.min() and bound.max() > projective.max()


def test_motion_does_not_depend_on_who_gives_the_torque():
    for other in ({"tail": "passive"}, {"torques": "projective"}, {"torques": "no_contact"}):
        assert np.abs(run(**other).position.values - run().position.values).max() < 1e-10


def test_a_passive_tail_loads_the_leading_wheels_without_bound():
    """Joints 6, 8, ... without torque: torques grow like 1 / |t - k pi|; those of smallest norm stay bounded."""
    assert np.abs(run(tail="passive").joint_torque.sel(joint=[f"joint_{j}" for j in range(6, 20, 2)]).values).max() == 0.0
    assert np.abs(run().joint_torque.values).max() < 0.03
    fine = {"t_end": 3.16, "dt": 0.001}
    passive, actuated = (ld.zoo.wheeled_snake(tail=tail).changed(**fine).run(progress=False) for tail in ("passive", "actuated"))
    away = np.abs(passive.time.values - math.pi)
    near = away < 0.004
    scaled = np.abs(passive.joint_torque.values[near]).max(axis=1) * away[near]
    assert scaled.max() / scaled.min() < 1.2  # constant at leading order: 3e-4 N m s, of which 6e-3 |t - pi| is the rest
    assert np.abs(passive.joint_torque.values[near]).max() > 50 * np.abs(actuated.joint_torque.values[near]).max()


def test_static_loading_changes_torques_but_no_motion_and_no_power():
    """lambda = lambda_kin + lambda_stat (7.3): a loading in the kernel of A^T is carried by the joints."""
    plain = run()
    loaded = plain.scenario.changed(static={"link_9.wheel.side": 0.5}, t_end=5.0).run(progress=False)
    count = loaded.dataset.sizes["time"]
    assert np.abs(loaded.position.values - plain.position.values[:count]).max() == 0.0
    difference = (loaded.joint_torque.values - plain.joint_torque.values[:count])[1:]
    assert np.abs(difference).max() > 0.01
    assert np.abs(np.sum(difference * loaded.joint_velocity.values[1:], axis=1)).max() < 1e-12
    heavy = plain.scenario.changed(weights={"link_9.wheel.side": 10.0}, t_end=5.0).run(progress=False)
    rows = [np.abs(r.multiplier.sel(constraint="link_9.wheel.side").values[1:count]).mean() for r in (plain, heavy)]
    assert rows[1] > 2 * rows[0]


def test_fourth_order():
    """Plain RK4 misses the head by 3e-7 m at h = 0.1, by 2e-8 m at h = 0.05; on the group it is closer, with the same ratio."""
    scenario = ld.zoo.wheeled_snake(n=4)
    best = scenario.changed(dt=0.005, record_every=20).run(progress=False).position.values[-1]
    errors = [np.abs(scenario.changed(dt=h).run(progress=False).position.values[-1] - best).max() for h in (0.1, 0.05)]
    assert errors[0] < 3e-7 and errors[1] < 2e-8
    assert errors[0] / errors[1] == pytest.approx(16, rel=0.05)


def test_an_implicit_method_goes_the_same_way():
    """Seven dependent joints under Radau's method, through six singular instants: the pose of an independent integration
    (DOP853, 1e-12, five digits), to the 1e-4 of its acceptance row.
    """
    scenario = ld.zoo.wheeled_snake().changed(integrator="radau3", dt=0.013, record_every=10, checks=())
    result = scenario.run(progress=False)
    assert result.status == "completed" and len(scenario.drive.dependent) == 7
    assert result.q[-1][:3] == pytest.approx((-1.84942, -1.15444, 0.10243), abs=1e-4)


def test_the_printed_acceleration_ruins_the_torques():
    """(3.10) beside (3.13): wrong by more than the whole range of tau_10."""
    result = run()
    right, printed = Recursion(result.model), Recursion(result.model, printed="zeta")
    joint = result.model.compiled.coordinate_names.index("joint_10")
    found = []
    for k in range(1, 2001, 50):
        q, v = result.q[k].copy(), result.v[k].copy()
        a = result.scenario.problem.accelerations(float(result.time[k]), q, v)
        found.append([r.inverse_dynamics(q, v, a)[joint] for r in (right, printed)])
    found = np.array(found)
    assert np.abs(found[:, 1] - found[:, 0]).max() > np.ptp(found[:, 0])
    bound = run(torques="no_contact").joint_torque.sel(joint="joint_10").values[1:2001:50]
    assert np.abs(found[:, 0] - bound).max() < 1e-12  # without contacts the recursion is the whole torque
