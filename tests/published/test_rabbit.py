"""RABBIT (Aguirre 2010): model, impacts, the gait C5, its zero dynamics and its walk; numbers D of its specification."""

import functools
import json
from dataclasses import replace

import numpy as np
import pytest

import locodyn as ld
from locodyn.controllers.curves import Bezier
from locodyn.phases import PoincareMap
from locodyn.symbolic import SymbolicModel
from locodyn.walking import ZeroDynamics, controllers, invariant_gait, level_posture
from locodyn.walking.design import GaitDesign
from locodyn.world.compliant_law import restitution_of
from locodyn.zoo import rabbit
from locodyn.zoo.registry import make

GRAVITY = 9.81


@functools.cache
def hybrid():
    return ld.Scenario("rabbit", rabbit.robot(), phases=rabbit.phases()).hybrid


@functools.cache
def reduced():
    return ZeroDynamics(rabbit.gait_c5(hybrid()))


@functools.cache
def walker(law, tolerance=1e-10, **options):
    """Poincare map of the whole robot on the gait."""
    phases = rabbit.phases(controllers(reduced().gait, law, **options))
    return PoincareMap(ld.Scenario("rabbit", rabbit.robot(), phases=phases, start=reduced().start()), tolerance=tolerance)


def states(count=5):
    rng = np.random.default_rng(1)
    return [(rng.uniform(-1.0, 1.0, 7), rng.normal(size=7)) for _ in range(count)]


# --------------------------------------------------------------------------------------------------------------------- model
def closed_form(q, v):
    """M and c in absolute angles: sum m J_c^T J_c + I J_w^T J_w, sum m J_c^T (Jdot qd + g e_z); order z, y, T, F1, K1, F2, K2."""
    links = rabbit.LINKS["T21"]
    mass, bias = np.zeros((7, 7)), np.zeros(7)
    chains = [("trunk", [2]), ("femur", [2, 3]), ("tibia", [2, 3, 4]), ("femur", [2, 5]), ("tibia", [2, 5, 6])]
    for kind, chain in chains:
        m, _, centre, inertia = links[kind]
        arms = [(chain, centre, 1.0 if kind == "trunk" else -1.0)]
        if kind == "tibia":
            arms.append((chain[:2], links["femur"][1], -1.0))
        jacobian, drift = np.zeros((2, 7)), np.zeros(2)  # rows y, z
        jacobian[0, 1] = jacobian[1, 0] = 1.0
        for joints, length, side in arms:
            angle, rate = q[joints].sum(), v[joints].sum()
            jacobian[:, joints] += side * length * np.array([[-np.cos(angle)], [-np.sin(angle)]])
            drift += side * length * rate**2 * np.array([np.sin(angle), -np.cos(angle)])
        spin = np.zeros(7)
        spin[chain] = 1.0
        mass += m * jacobian.T @ jacobian + inertia * np.outer(spin, spin)
        bias += m * jacobian.T @ (drift + np.array([0.0, GRAVITY]))
    return mass, bias


def test_mass_matrix_and_bias_are_those_of_the_closed_form():
    """D1, 1e-10."""
    model = hybrid().model
    for q, v in states():
        mass, bias = closed_form(q, v)
        assert np.abs(model.mass_matrix(q) - mass).max() < 1e-10
        assert np.abs(model.bias(q, v) - bias).max() < 1e-10


def test_symbolic_functions_equal_the_numeric_recursion():
    """D3: the same kernels on symbols, torques to 1e-10, and a place."""
    casadi = pytest.importorskip("casadi")
    model, symbolic = hybrid().model, SymbolicModel(rabbit.robot())
    parts = [casadi.SX.sym(name, 7) for name in "qva"]
    q, v, a = (np.array(casadi.vertsplit(part), dtype=object) for part in parts)
    foot = symbolic.kinematics(q, symbolic.room(7), symbolic.room(7))[0][symbolic.compiled.point("tibia_1")[0], 9:]
    function = casadi.Function("f", parts, [casadi.vertcat(*symbolic.inverse_dynamics(q, v, a)), casadi.vertcat(*foot)])
    for q, v in states(3):
        a = v[::-1].copy()
        torque, place = (np.asarray(one).ravel() for one in function(q, v, a))
        assert np.abs(torque - model.inverse_dynamics(q, v, a)).max() < 1e-10
        assert np.abs(place - model.pose("tibia_1", q)[1]).max() < 1e-12


def test_sensors_of_a_foot():
    """D3: J qd is the velocity of the foot by differences of its place, and J qdd + Jdot qd that of its velocity; 1e-6."""
    model, h = hybrid().model, 1e-5
    sole = np.array([0.0, 0.0, -0.4])
    for q, v in states(3):
        a = v[::-1].copy()

        def place(t, q=q, v=v, a=a):
            rotation, position = model.pose("tibia_1", q + t * v + 0.5 * t * t * a)
            return position + rotation @ sole

        rotation, (jacobian, rate) = model.pose("tibia_1", q)[0], model.jacobians("tibia_1", q, v)
        twist, change = jacobian @ v, jacobian @ a + rate @ v
        speed = rotation @ (twist[:3] + np.cross(twist[3:], sole))
        assert np.abs(speed - (place(h) - place(-h)) / (2 * h)).max() < 1e-6
        inner = change[:3] + np.cross(change[3:], sole) + np.cross(twist[3:], twist[:3] + np.cross(twist[3:], sole))
        second = (place(20 * h) - 2.0 * place(0.0) + place(-20 * h)) / (20 * h) ** 2
        assert np.abs(rotation @ inner - second).max() < 1e-6 * max(1.0, np.abs(second).max())


def test_free_flight():
    """D2: energy, ballistic mass centre and angular momentum about it over 1 s, 1e-7."""
    air = ld.Phases({"air": ()}, [], final="air")
    q, v = states(1)[0]
    q[0] = 10.0
    run = ld.Scenario("flight", rabbit.robot(), phases=air, start=(q, v), t_end=1.0, dt=0.02).run(progress=False)
    energy = run.total_energy().values
    assert np.abs(energy - energy[0]).max() < 1e-7 * np.abs(energy).max()
    centre, speed, t = run.mass_centre.values, run.mass_centre_velocity.values[0], run.time.values[:, None]
    wanted = centre[0] + t * speed - 0.5 * GRAVITY * t**2 * np.array([0.0, 0.0, 1.0])
    assert np.abs(centre - wanted).max() < 1e-7
    spin = run.angular_momentum.values[:, 0]
    assert np.abs(spin - spin[0]).max() < 1e-7


def test_boom():
    """D23: I_s = 4.357 kg m^2, 2.223 kg at the hip, potential slope 4.65 kg m."""
    added = rabbit.boom()
    for name, value in (("I_s", 4.357), ("up", 2.223), ("slope", 4.65)):
        assert abs(added[name] / value - 1.0) < 1e-3, name
    with_boom, without = rabbit.robot(boom_on=True).model(), rabbit.robot().model()
    change = with_boom.mass_matrix(np.zeros(7)) - without.mass_matrix(np.zeros(7))
    assert abs(change[0, 0] - added["up"]) < 1e-12 and abs(change[1, 1] - added["along"]) < 1e-12
    moon = (0.0, 0.0, -1.62)
    for gravity, robot in ((moon, rabbit.robot(boom_on=True, gravity=moon)), ((0.0, 0.0, -9.81), rabbit.robot(boom_on=True))):
        air = ld.Phases({"air": ()}, [], final="air")
        problem = ld.Scenario("fall", robot, gravity=gravity, phases=air).problem
        fall = problem.accelerations(0.0, np.zeros(7), np.zeros(7))[0]  # stretched, it falls as one mass
        assert abs(fall - gravity[2] * (40.0 + added["weight"]) / (40.0 + added["up"])) < 1e-9


def test_rotors_and_friction_of_the_drives():
    """Table 2.3: I_a = 0.83 kg m^2 on the diagonal of the four joints with the links of section 3.4; those of Table 2.1 have it
    in them. Friction takes F_v v + F_s sgn(v) from each joint."""
    for links, rotor in (("S34", 0.83), ("T21", 0.0)):
        driven, without = (rabbit.robot(links, drives=drives).model() for drives in (True, False))
        q, v = states(1)[0]
        v = np.sign(v) * (1.0 + np.abs(v))
        change = driven.mass_matrix(q) - without.mass_matrix(q)
        names = without.compiled.coordinate_names
        wanted = np.diag([rotor if name in rabbit.JOINTS else 0.0 for name in names])
        assert np.abs(change - wanted).max() < 1e-12
        taken = np.zeros(7)
        for i, name in enumerate(names):
            if name in rabbit.JOINTS:
                taken[i] = 5.48 * v[i] + (15.0 if name.startswith("hip") else 8.84) * np.sign(v[i])
        free = ld.Scenario("flight", rabbit.robot(links, drives=True), phases=ld.Phases({"air": ()}, [], final="air"))
        a = free.problem.accelerations(0.0, q.copy(), v.copy())
        off = driven.mass_matrix(q) @ a + driven.bias(q, v) + taken
        assert np.abs(off).max() < 1e-4 * 15.0  # dry friction is v / sqrt(v^2 + v_0^2), v_0 = 0.01 rad/s: 5e-5 off at 1 rad/s


# ------------------------------------------------------------------------------------------------------------------ contact
def test_restitution_of_the_feet():
    """D4: the exact relation of B4, to 1e-4; `jumper_1d` is held to it by simulation, to 1e-6."""
    for damping, speed, wanted in ((9e5, 1.0, 0.8057), (9e5, 0.05, 0.98814), (9e6, 1.0, 0.2643)):
        assert abs(restitution_of(damping / 2.5e6, speed) - wanted) < 1e-4
    alpha = 2.0 / 3.0 * 9e5 / 2.5e6
    assert abs(restitution_of(9e5 / 2.5e6, 1e-3) - (1.0 - alpha * 1e-3)) < 1e-6  # e -> 1 - alpha v


@pytest.mark.slow
def test_the_hardest_push_of_the_drop():
    """D6: 34.1 kN at 0.3526 s, 1 % of each (the time since touchdown is 2.9 ms: 1 % of it would be less than a record)."""
    run = make("rabbit_drop", {}).changed(t_end=0.36, dt=2e-5, checks=()).run(progress=False)
    push = run.contact_force.values[:, :, 2].sum(axis=1)
    assert abs(push.max() / 34.1e3 - 1.0) < 0.01
    assert abs(run.time.values[push.argmax()] - 0.3526) < 5e-5  # the digits given


@pytest.mark.slow
def test_twelve_steps_on_compliant_feet():
    """D19: none falls, and the last takes 0.681 s and 0.455 m, 3 % of each."""
    scenario = make("rabbit_walk", {"feet": "compliant", "control": "pd", "mu": rabbit.FOOT_FRICTION})
    run = scenario.changed(t_end=8.5, checks=()).run(progress=False)
    steps = json.loads(run.attributes["transitions"])
    assert len(steps) >= 12 and run.attributes["status"] == "completed"
    before, last = steps[-2:]
    assert abs((last["time"] - before["time"]) / 0.681 - 1.0) < 0.03
    assert abs((last["place"][1] - before["place"][1]) / 0.455 - 1.0) < 0.03


# ------------------------------------------------------------------------------------------------------------ zero dynamics
def test_hybrid_invariance():
    """D13: after the impact the state lies on the constraints, 1e-10."""
    assert reduced().gait.invariance_defect() < 1e-10


def test_zero_dynamics_of_c5():
    """D14, relative 1e-3."""
    z = reduced()
    found = (z.delta_squared, z.fixed_point, z.final_potential, z.highest_potential, z.length, z.duration, z.speed)
    wanted = (0.6148, 581.16, -223.86, 205.5, 0.4392, 0.6275, 0.700)
    assert np.abs(np.array(found) / wanted - 1.0).max() < 1e-3
    assert z.existence < 0.0


def test_phase_variables_that_go_back_are_refused():
    """One that falls in the step, of a gait and of a design; one whose rate turns round where the swing leg spins forward."""
    away = replace(rabbit.biped(hybrid()), phase={name: -weight for name, weight in rabbit.PHASE.items()})
    posture = level_posture(away, rabbit.C5_POSTURE, "hip_1")
    with pytest.raises(ld.InputError, match=r"goes from 0\.\d+ to -0\.\d+ in a step; it must increase: .* opposite signs"):
        invariant_gait(away, posture, rabbit.C5_LAST, rabbit.C5_INNER)
    with pytest.raises(ld.InputError, match="in a step that ends in the posture of the guess; it must increase"):
        GaitDesign(away, rabbit.C5_POSTURE)
    gait = reduced().gait
    spinning = gait.curve.coefficients.copy()
    spinning[1] = np.linspace(0.0, 40.0, spinning.shape[1])  # rad, of the swing femur: 20 times as fast as theta and the robot
    with pytest.raises(ld.InputError, match=r"the phase variable would turn back: .* which must be positive"):
        ZeroDynamics(replace(gait, curve=Bezier(spinning)))


def test_checks_of_the_walk_hold_for_its_options():
    """Numbers of other gains, gaits or starts are not those of the sources; what cannot walk is refused."""
    soft = {"feet": "compliant", "mu": rabbit.FOOT_FRICTION}
    for options in (soft | {"faster": 1.1}, soft | {"pd": (2000.0, 120.0)}, soft | {"links": "S34"}, soft | {"limit": 60.0},
                    {"control": "pd", "pd": (2000.0, 120.0)}, {"control": "pd", "limit": 60.0}, {"limit": 60.0}):  # fmt: skip
        assert len(make("rabbit_walk", options).checks) == 1, options
    for options, count in ((soft, 3), ({"control": "pd"}, 2), ({}, 4)):
        assert len(make("rabbit_walk", options).checks) == count
    for law in ("linearisation", "finite_time"):
        with pytest.raises(ld.InputError, match=rf"control={law} .* which a compliant foot does not; set control=pd"):
            make("rabbit_walk", {"feet": "compliant", "control": law})


@pytest.mark.slow
def test_torques_and_forces_of_c5():
    """D17, 1 %."""
    step = reduced().sampled()
    found = [*np.abs(step.torque).max(axis=0), step.normal.min(), step.normal.max(), (np.abs(step.along) / step.normal).max(),
             step.height.max()]  # fmt: skip
    assert np.abs(np.array(found) / (32.8, 24.4, 24.4, 12.7, 226.0, 378.0, 0.358, 0.070) - 1.0).max() < 0.01
    assert step.height.min() > -1e-9


def test_whole_robot_repeats_the_step():
    """D15: T and zeta, relative 1e-6; measured 1e-12."""
    q, v = reduced().start()
    stride = walker("linearisation")(q, v)
    assert abs(stride.duration / reduced().duration - 1.0) < 1e-6
    assert np.abs(stride.v - v).max() < 1e-6 * np.abs(v).max()
    assert abs(stride.loss / (reduced().gait.impact.loss * reduced().rate(reduced().gait.end) ** 2) - 1.0) < 1e-6


def test_perturbed_start_follows_the_scalar_map():
    """D16: zeta before each impact obeys the map to 1e-6, and converges."""
    z, step = reduced(), walker("linearisation")
    q, v = z.start()
    v = 1.05 * v
    found = []
    for _ in range(5):
        stride = step(q, v)
        found.append(stride.loss / z.gait.impact.loss * 0.5 * float(z.inertia(z.gait.end)) ** 2)
        q, v = stride.q, stride.v
    assert np.abs(np.array(found[1:]) / [z.next(one) for one in found[:-1]] - 1.0).max() < 1e-6
    off = np.array(found) - z.fixed_point
    assert np.abs(off[1:] / off[:-1] - z.delta_squared).max() < 1e-3


@pytest.mark.slow
def test_dominant_multiplier_is_delta_squared():
    """D16: the dominant multiplier is delta^2 to 1e-5, the other eight are small (measured 3e-5 at poles -20)."""
    q, v = reduced().start()
    orbit = walker("linearisation").fixed_point(q, v, tolerance=1e-8)
    assert abs(orbit.multipliers[0] - reduced().delta_squared) < 1e-5
    assert np.abs(orbit.multipliers[1:]).max() < 1e-3


def test_finite_time_law_repeats_the_step_and_settles():
    """Off the constraints by 0.02 rad/s, the outputs are zero to 1e-6 before the step ends (settling 0.1 s)."""
    q, v = reduced().start()
    step = walker("finite_time", settling=0.1)
    v[3] += 0.02
    way = step(q, v).passages[0]
    y, rate, _, _ = reduced().gait.constraints().at(*way.state(way.end))
    assert np.abs(y).max() < 1e-6 and np.abs(rate).max() < 1e-5


def test_unknown_law_is_refused():
    with pytest.raises(ld.InputError, match="linearisation, finite_time"):
        controllers(reduced().gait, "magic")


@pytest.mark.slow
def test_joint_pd_settles_near_the_gait():
    """D18: period-1 gait near 0.70 m/s, 3 %; measured 0.7024 m/s."""
    step = walker("pd", 1e-8, stiffness=3000.0, damping=120.0, limit=150.0)
    q, v = reduced().start()
    for _ in range(12):
        stride = step(q, v)
        change, q, v = np.abs(stride.v - v).max(), stride.q, stride.v
    assert abs(stride.speed / 0.70 - 1.0) < 0.03 and change < 1e-3


@pytest.mark.slow
def test_compliant_feet_walk_as_rigid_ones_when_they_are_stiff():
    """Depths, bristles and speeds of rebound go with k^(-2/3), and so does the error of the step time: by 4 from 64 k to 512 k.

    Measured 2.0e-3 and 3.8e-4 s. Friction of 1 keeps feet from slipping, as rigid ones do not; both walks have settled to 2e-5 s.
    """

    def last(**given):
        result = make("rabbit_walk", {"control": "pd", "mu": 1.0, **given}).run(progress=False)
        return np.diff([one["time"] for one in json.loads(result.attributes["transitions"])])[-1]

    rigid = last()
    soft, stiff = (abs(last(feet="compliant", stiffness=factor) - rigid) for factor in (64.0, 512.0))
    assert stiff < 1e-3 and soft > 3.0 * stiff


@pytest.mark.slow
def test_one_step_on_compliant_feet_has_the_order_of_their_depth():
    """Under a given force a foot sinks in by d ~ k^(-2/3), and all else that gives way is scaled with it: 4 for 8 times k.

    Before the first impact only the depth of the standing foot counts: the error of the time of touchdown falls by 4 (measured
    4.03, 3.99). Through an impact errors of depth and of rebound, both of order d, partly cancel: they fall at least so fast.
    """

    def end(**given):
        scenario = make("rabbit_walk", {"control": "pd", "mu": 1.0, **given})
        run = scenario.changed(t_end=1.6 * reduced().duration, tolerance=1e-7, checks=()).run(progress=False)
        return json.loads(run.attributes["transitions"])[0]["time"], run.joint_position.values[-1]

    time, joints = end()
    found = [end(feet="compliant", stiffness=factor) for factor in (8.0, 64.0, 512.0)]
    early = [abs(one[0] - time) for one in found]
    off = [np.abs(one[1] - joints).max() for one in found]
    assert abs(early[0] / early[1] - 4.0) < 0.1 and abs(early[1] / early[2] - 4.0) < 0.1
    assert off[1] > 4.0 * off[2]  # measured 5.9
