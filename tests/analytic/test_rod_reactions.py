"""Reactions of contacts along a body and its internal wrench: rows D1.4-D1.6, D3.5, D3.9, D4.3 of Ali 2011."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.integrate import cumulative_simpson
from scipy.optimize import linprog

import locodyn as ld
from body_cases import NO_GRAVITY, earthworm, helix, inchworm, one_kilogram_per_metre, run, snake
from locodyn.errors import InputError
from locodyn.locomotion.problem import Problem
from locodyn.sim.reactions import Reactions, pulls, shared

pytestmark = pytest.mark.slow
EVERYWHERE = (np.arange(1000) + 0.5) / 1000.0  # places over the length of a body


def test_internal_force_of_the_earthworm() -> None:
    """D1.5, D1.6: N(X) = (m/l) c^2 (Gamma(X) - Gamma(0)) at constant speed; with c = b + a t its jump at the anchor is m a."""
    data = run(*earthworm(), t_end=0.5, dt=0.25)
    x = data.s.values
    gamma = 1.0 + 0.5 * np.sin(2.0 * np.pi * (0.025 - x))
    force = data.rod_wrench.values[-1, 0, :, 0]
    np.testing.assert_allclose(force, 0.0025 * (gamma - gamma[0]), atol=1e-6)
    t = 5.0
    data = run(*earthworm(gone=ld.polynomial(0.0, 0.05, 0.005)), t_end=t, dt=0.05)
    gone, speed = 0.05 * t + 0.005 * t * t, 0.05 + 0.01 * t
    gamma = 1.0 + 0.5 * np.sin(2.0 * np.pi * (gone - x))
    along = data.rod_position.values[-1, 0, :, 0] - data.rod_position.values[-1, 0, 0, 0]
    beyond = x > data.contact_abscissa.values[-1, 0]
    expected = speed**2 * (gamma - gamma[0]) - 0.01 * along + 0.010 * beyond  # Lambda(C+) = Lambda(C-) - N_c, N_c = -0.010 N
    np.testing.assert_allclose(data.rod_wrench.values[-1, 0, :, 0], expected, atol=1e-6)


def test_force_of_the_earthworm_with_the_mass_of_the_source() -> None:
    """D1.4, D1.5 with the mass of Ali 2011, (6.21), mu = rho A_o / Gamma for a metre of unstretched body: N(X) = int mu xddot is
    c^2 log(Gamma(X) / Gamma(0)), and nothing is left over a whole wave. (Mass is kept with mu = rho A_o, which rods have.)

    The accelerations are those of the sections of the run. Simpson's rule on 680 panels: (k h)^4 / 180 c^2 = 1e-13 N.
    """
    robot, imposed = earthworm(nodes=340)
    result = ld.simulate(robot, imposed=imposed, t_end=0.5, dt=0.25, integrator="rkmk4", gravity=NO_GRAVITY, progress=False)
    q, v = np.array(result.q[-1]), np.array(result.v[-1])
    a = result.scenario.problem.accelerations(0.5, q, v)
    rod, x = result.scenario.compiled.description.bodies[-1].joint.rod, np.linspace(0.0, 1.0, 681)
    strain = rod.strain_motion(x, q[-1:][None], v[-1:][None], a[-1:][None])[:, 0, :, 0]  # Gamma and its first two rates
    second = a[0] + cumulative_simpson(strain[2], x=x, initial=0.0)  # (6.4)
    force = cumulative_simpson(second / strain[0], x=x, initial=0.0)
    np.testing.assert_allclose(force, 0.0025 * np.log(strain[0] / strain[0, 0]), atol=1e-9)
    assert abs(force[-1]) < 1e-9
    assert force.min() == pytest.approx(-1.9211e-3, abs=1e-6) and force.max() == pytest.approx(8.254e-4, abs=1e-6)


@pytest.mark.parametrize("make", [snake, helix, inchworm])
def test_residual_at_the_tip_of_a_held_body(make: Any) -> None:
    """D0.3 with contacts in a plane and in space: what sleeves and grips give, the body carries; Lambda(l) falls with order 4.

    The smallest order of the three is 3.89, of the snake with 40 and 80 slices.
    """
    left = []
    for nodes in (40, 80):
        robot, imposed = make(nodes=nodes)
        left.append(np.abs(run(robot, imposed, 0.05, 0.05).rod_residual.values[1]).max())
    assert np.log2(left[0] / left[1]) > 3.8


def test_power_of_the_snake_whatever_the_load() -> None:
    """D3.9: -int C_Z Kdot = (J_Z / 2) V_o^3 (K(l)^2 - K(0)^2) = 6.25e-4 W at t = 2 s, for any sharing of the forces."""
    robot, imposed = snake()
    powers = []
    for weights in ({}, {"sleeve_1.y": 5.0, "sleeve_4.y": 0.2}):
        result = ld.simulate(
            robot, imposed=imposed, t_end=2.0, dt=0.02, integrator="rkmk4", gravity=NO_GRAVITY, progress=False, weights=weights
        )
        powers.append(result.dataset.power_actuators.values[-1])
    expected = 0.5e-4 * (-0.5) ** 3 * ((10.0 * np.cos(2.0 * np.pi * 0.25)) ** 2 - 10.0**2)
    assert expected == pytest.approx(6.25e-4)
    np.testing.assert_allclose(powers, expected, atol=1e-7)


def test_ways_to_share_the_load_of_the_snake() -> None:
    """D3.5: A lambda = F_c, smallest norm orthogonal to static loads; least moments are smaller; forces that only push."""
    robot, imposed = snake(nodes=80)
    problem = Problem(robot.model(gravity=NO_GRAVITY), imposed={3: imposed["body.wave"]})
    q, v = problem.start_state(2.0, problem.model.neutral(), np.zeros(4))
    own = Reactions(problem, 2.0, q, v)
    assert own.rank == 3 and own.static.shape == (5, 2)
    smallest = own.smallest()
    np.testing.assert_allclose(own.static.T @ smallest, 0.0, atol=1e-10)
    np.testing.assert_allclose(own.matrix @ smallest, own.resultant, atol=1e-10)
    least = own.least_moment()
    np.testing.assert_allclose(own.matrix @ least, own.resultant, atol=1e-9)
    assert np.sum(own.moments(least) ** 2) < 0.9 * np.sum(own.moments(smallest) ** 2)
    both = own.one_sided({name: int(np.sign(force)) for name, force in zip(own.names, smallest, strict=True)})
    np.testing.assert_allclose(both, smallest, atol=1e-12)


def test_hypotheses_of_the_reactions_that_change_in_time() -> None:
    """Weights and static loads as laws of time (7.3): at an instant, what a run has whose weight or load is constant and as
    large, to round-off; the resultant and so the motion stay as they are.
    """
    robot, imposed = snake(nodes=40)
    options: dict[str, Any] = {"imposed": imposed, "t_end": 1.0, "dt": 0.1, "gravity": NO_GRAVITY, "integrator": "rkmk4"}
    plain = ld.simulate(robot, **options, progress=False)
    for rule, law, value in (("weights", ld.polynomial(1.0, 2.0), 3.0), ("static", ld.polynomial(0.0, 0.4), 0.4)):
        found = shared(plain, **{rule: {"sleeve_2.y": law}})
        other = ld.simulate(robot, **options, **{rule: {"sleeve_2.y": value}}, progress=False)
        np.testing.assert_allclose(found.values[0], plain.multiplier.values[0], atol=1e-12)
        np.testing.assert_allclose(found.values[-1], other.multiplier.values[-1], atol=1e-12)
        assert np.abs(found.values[-1] - plain.multiplier.values[-1]).max() > 1e-3
        own = Reactions(plain.scenario.problem, 1.0, plain.q[-1], plain.v[-1])
        np.testing.assert_allclose(own.matrix @ found.values[-1], own.resultant, atol=1e-12)
    for rule, law, words in (
        ("weights", ld.polynomial(1.0, -1.0), r"at t = 1 s the weight of 'sleeve_2.y' is 0; it must be positive"),
        ("weights", 0.0, "at t = 0 s the weight of 'sleeve_2.y' is 0"),  # the forces left would not give the motion
        ("static", float("nan"), "at t = 0 s the static load of 'sleeve_2.y' is nan"),
    ):
        with pytest.raises(ld.InputError, match=words):
            shared(plain, **{rule: {"sleeve_2.y": law}})


def test_sides_from_which_the_snake_can_be_held() -> None:
    """D3.5: whether sleeves that only push, each from a given side, can hold it is a linear programme: all 32 choices of sides.

    Of 15 of them that can, the forces are the smallest ones: lambda + A^T mu is zero where the row is free, and of its sign where
    it pushes nothing (Karush, Kuhn and Tucker). The others are refused, with the pull that would be needed.
    """
    robot, imposed = snake(nodes=80)
    problem = Problem(robot.model(gravity=NO_GRAVITY), imposed={3: imposed["body.wave"]})
    q, v = problem.start_state(2.0, problem.model.neutral(), np.zeros(4))
    own = Reactions(problem, 2.0, q, v)
    held = 0
    for sides in product((1, -1), repeat=5):
        signs = dict(zip(own.names, sides, strict=True))
        bounds = [(0.0, 100.0) if side > 0 else (-100.0, 0.0) for side in sides]  # N; the load is 0.3 N
        if linprog(np.zeros(5), A_eq=own.matrix, b_eq=own.resultant, bounds=bounds).status == 2:
            with pytest.raises(InputError, match=r"would have to pull with .* at t = 2 s"):
                own.one_sided(signs)
            continue
        held += 1
        forces = own.one_sided(signs)
        assert np.all(forces * np.array(sides) >= -1e-9)
        np.testing.assert_allclose(own.matrix @ forces, own.resultant, atol=1e-9)
        free = np.abs(forces) > 1e-9
        multipliers = np.linalg.lstsq(own.matrix.T[free], forces[free], rcond=None)[0]
        slack = (forces - own.matrix.T @ multipliers) * np.array(sides)
        assert np.abs(slack[free]).max() < 1e-8 and np.all(slack > -1e-8)
    assert held == 15


def test_least_moments_of_a_run() -> None:
    """E10: with ``torque_method="min_torque"`` the moments are least at every record: no static load lowers their mean square.

    That is by sums over 1000 places, most of them not those that the library looks at; sums miss integrals by 1e-6 of them.

    The motion and the power of the muscles are those of any sharing (D3.9). Of nested sets of sleeves (5 of 15 of 45) the larger
    one can do whatever the smaller one does, so that its least mean square is not above it.
    """
    robot, imposed = snake(nodes=80)
    words = {"imposed": imposed, "t_end": 2.0, "dt": 0.02, "record_every": 50, "integrator": "rkmk4", "gravity": NO_GRAVITY}
    run = ld.simulate(robot, torque_method="min_torque", progress=False, **words)
    plain = ld.simulate(robot, progress=False, **words)
    for n, t in enumerate(run.time.values):
        own = Reactions(run.scenario.problem, t, run.q[n], run.v[n])
        forces = run.multiplier.values[n]
        np.testing.assert_allclose(own.matrix @ forces, own.resultant, atol=1e-9)
        np.testing.assert_allclose(own.moments(forces), run.rod_wrench.values[n, ..., 3:], atol=1e-12)
        moments = own.moments(forces, EVERYWHERE)
        for load in own.static.T:
            change = own.moments(forces + load, EVERYWHERE) - moments
            assert abs(np.sum(change * moments)) < 1e-4 * np.sqrt(np.sum(change**2) * np.sum(moments**2))
    assert np.sum(run.rod_wrench.values[..., 5] ** 2) < 0.9 * np.sum(plain.rod_wrench.values[..., 5] ** 2)
    for name in ("position", "power_actuators"):
        np.testing.assert_allclose(run.dataset[name], plain.dataset[name], atol=1e-10)
    squares = []
    for count in (5, 15, 45):
        robot, imposed = snake(nodes=80, count=count)
        problem = Problem(robot.model(gravity=NO_GRAVITY), imposed={3: imposed["body.wave"]})
        q, v = problem.start_state(2.0, problem.model.neutral(), np.zeros(4))
        own = Reactions(problem, 2.0, q, v)
        squares.append(np.mean(own.moments(own.least_moment(), EVERYWHERE) ** 2))
    assert squares[2] <= squares[1] <= squares[0]


def test_bounds_of_the_moments() -> None:
    """Ali 2011, 7.2, C3 at 2 s: guided by its head alone the body bears C_Z = -V^2 (m (r(l) - r(X)) x t(l) + J (K(l) - K(X))), in
    closed form from momentum; contacts that share by the smallest norm about half of it, in the best case far less.

    The closed form at 21 places and more, by slices of 160 nodes: 1e-6 of 0.18 N m.
    """
    robot, imposed = snake()
    problem = Problem(robot.model(gravity=NO_GRAVITY), imposed={3: imposed["body.wave"]})
    q, v = problem.start_state(2.0, problem.model.neutral(), np.zeros(4))
    own = Reactions(problem, 2.0, q, v)
    x = np.linspace(0.0, 1.25, 4001)
    theta = 10.0 / (2.0 * np.pi) * np.sin(2.0 * np.pi * x)  # from the head, s(2 s) = -1 m
    line = cumulative_simpson(np.exp(1j * theta), x=x, initial=0.0)
    arm = line[-1] - line
    free = -0.25 * ((np.conj(arm) * np.exp(1j * theta[-1])).imag + 1e-4 * 10.0 * (0.0 - np.cos(2.0 * np.pi * x)))
    found = own.moments(np.zeros(5))[0, :, 2]
    np.testing.assert_allclose(found, np.interp(np.linspace(0.0, 1.25, len(found)), x, free), atol=1e-6)
    bounds = own.largest_moments()
    assert bounds["clamped"] == pytest.approx(np.abs(free).max(), rel=2e-2)
    assert 0.3 < bounds["smallest"] / bounds["clamped"] < 0.7  # about half of it
    assert bounds["least"] < bounds["smallest"]


def test_forces_and_couples_of_the_helix_compare_over_a_length() -> None:
    """B.10 in space: sleeves give 10 forces and 5 couples for 6 balances. The smallest norm is that of the run, couples counting
    over a length of the robot: not that of N and N m taken as numbers, but the same in centimetres, where a couple of 1 N m has
    1e4 kg cm^2/s^2 and a force of 1 N has 1e2 kg cm/s^2.
    """
    robot, imposed = helix()
    options: dict[str, Any] = {"gravity": NO_GRAVITY, "integrator": "rkmk4", "progress": False}
    result = ld.simulate(robot, imposed=imposed, t_end=0.1, dt=0.05, **options)
    own = Reactions(result.scenario.problem, 0.1, result.q[-1], result.v[-1])
    found = own.smallest()
    np.testing.assert_allclose(found, result.multiplier.values[-1], atol=1e-9 * np.abs(found).max())
    couple = np.array([name.endswith("about_x") for name in own.names])
    assert couple.sum() == 5
    plain = np.linalg.pinv(own.matrix, rcond=1e-4) @ own.resultant
    assert np.abs(plain - found).max() > 1e-3 * np.abs(found).max()
    length = np.where(couple, result.scenario.problem.constraints.length, 1.0)  # m; in the other units 100 times that
    unit = np.where(couple, 1e4, 1e2)  # of a newton, or newton metre, in kg, cm, s
    scale = np.where(couple, 100.0 * length, 1.0)
    other = scale * (np.linalg.pinv(own.matrix / unit * scale, rcond=1e-4) @ own.resultant)
    np.testing.assert_allclose(other / unit, found, atol=1e-9 * np.abs(found).max())
    pushing = own.one_sided({name: int(np.sign(force)) for name, force in zip(own.names, found, strict=True)})
    np.testing.assert_allclose(pushing, found, atol=1e-9 * np.abs(found).max())


def test_helix_in_a_plane_is_the_planar_snake() -> None:
    """D4.3: a body in space that bends in one plane moves and is held as the planar one."""
    planar = run(*snake(nodes=80), t_end=1.0, dt=0.02)
    robot = ld.Robot("space")
    gone = ld.polynomial(0.0, -0.5)
    wave = ld.StrainField("wave", ld.travelling("bending_z", 10.0, wavelength=1.0))
    body = robot.base("head").rod("body", length=1.25, **one_kilogram_per_metre(), nodes=80, fields=[wave])
    for n in range(5):
        body.sleeve(f"sleeve_{n + 1}", at=(n + 0.5) * 0.25 - gone, wrap=(0.0, 1.25))
    data = run(robot, {"body.wave": gone}, t_end=1.0, dt=0.02)
    np.testing.assert_allclose(data.position.values, planar.position.values, atol=1e-8)
    np.testing.assert_allclose(data.contact_force.values, planar.contact_force.values, atol=1e-8)
    np.testing.assert_allclose(data.rod_wrench.values[..., 5], planar.rod_wrench.values[..., 5], atol=1e-8)


def test_moments_of_a_body_that_the_ground_holds_everywhere() -> None:
    """Ali 2011, 7.2, the projected torques: lateral inertia is balanced where it arises, and rotary inertia is left,

        C_Z(X) = -int from X to l of J (Vdot K + V^2 K') = -J (Vdot (theta(l) - theta(X)) + V^2 (K(l) - K(X))),

    at a constant speed and at V = -0.5 (1 + 0.4 sin(pi t)). Slices of 160 nodes: 1e-4 of 2.5e-4 N m. All four bounds in order.
    """
    faster = ld.polynomial(0.0, -0.5) + ld.cosine(0.2 / np.pi, omega=np.pi) - 0.2 / np.pi
    for gone, t in ((None, 2.0), (faster, 2.3)):
        robot, imposed = snake(gone=gone)
        problem = Problem(robot.model(gravity=NO_GRAVITY), imposed={3: imposed["body.wave"]})
        q, v = problem.start_state(t, problem.model.neutral(), np.zeros(4))
        own = Reactions(problem, t, q, v)
        place, speed, growth = imposed["body.wave"].at(t)
        x = 1.25 * EVERYWHERE
        k, k_end = (10.0 * np.cos(2.0 * np.pi * (u + place)) for u in (x, 1.25))
        turn = 10.0 / (2.0 * np.pi) * (np.sin(2.0 * np.pi * (1.25 + place)) - np.sin(2.0 * np.pi * (x + place)))
        wanted = -1e-4 * (growth * turn + speed**2 * (k_end - k))
        np.testing.assert_allclose(own.projected(EVERYWHERE)[0, :, 2], wanted, atol=5e-8)
        bounds = own.largest_moments()
        assert bounds["projected"] == pytest.approx(np.abs(wanted).max(), rel=1e-2)
        assert bounds["projected"] < bounds["least"] < bounds["smallest"] < bounds["clamped"]


def test_power_of_projected_moments_in_space() -> None:
    """dT/dt = -int Lambda^T xidot - Lambda(0)^T eta(0) for the projected wrench of a body whose sections slide along their axes.

    A helix of varying speed, where Kdot does work: the axial force has none of it (no stretch), but the root has V. The rate of
    the kinetic energy by central differences of runs of 1 ms; Simpson's rule on 2001 places.
    """
    faster = ld.polynomial(0.0, -0.5) + ld.cosine(0.2 / np.pi, omega=np.pi)
    robot, _ = helix(nodes=160)
    problem = Problem(robot.model(gravity=NO_GRAVITY), imposed={6: faster})
    t = 0.2
    states = [problem.start_state(t + d, problem.model.neutral(), np.zeros(7)) for d in (-1e-3, 0.0, 1e-3)]
    energies = [0.5 * v @ problem.model.mass_matrix(q) @ v for q, v in states]
    q, v = states[1]
    own = Reactions(problem, t, q, v)
    at = np.linspace(0.0, 1.0, 2001)
    moments = own.projected(at)[0]
    rod = robot.description.body("body").joint.rod
    rate = rod.strain_motion(1.25 * at, q[-1:][None], v[-1:][None])[1, 0, :, 3:]
    work = -cumulative_simpson(np.sum(moments * rate, axis=1), x=1.25 * at)[-1]
    root = -1.25 * faster.acceleration(t)  # N_X(0) = -int of m Vdot
    power = work - root * own.v[0] - moments[0] @ own.v[3:6]
    assert power == pytest.approx((energies[2] - energies[0]) / 2e-3, rel=1e-5)


def test_projected_moments_of_a_twisted_body() -> None:
    """A body that shears and twists hangs along x from its head: with K_X = k, its centre line is a helix about e_x,
    (1, a cos kX, a sin kX) per metre. Weights along e_x are axial in every section, so that nothing is projected away. What is
    left is their moment about X, (0, -m g int r_z, m g int r_y) in the axes of the world, which a section sees turned by k X.

    Strains are constant, so that the poses are exact, and the polynomial through 20 Gauss nodes has the integral of exp(i k X) to
    round-off, (k/4)^40 / 40!: 1e-12 of 1 N m.
    """
    k, a, weight = 4.0, 0.3, 9.81
    robot = ld.Robot("twisted")
    shape = ld.standing("torsion", k) + ld.standing("shear_y", a)
    robot.base("head").rod(
        "body", length=1.0, **one_kilogram_per_metre(), nodes=20, fields=[ld.StrainField("shape", shape)]
    ).anchor("nail", at=0.0)
    problem = Problem(robot.model(gravity=(-weight, 0.0, 0.0)), imposed={6: ld.constant(1.0)})
    own = Reactions(problem, 0.0, *problem.start_state(0.0, problem.model.neutral(), np.zeros(7)))
    at = np.linspace(0.0, 1.0, 21)
    rest = 1.0 - at
    r_y = a / k * ((np.cos(k * at) - np.cos(k)) / k - rest * np.sin(k * at))  # integrals from X to l of r(u) - r(X)
    r_z = a / k * (rest * np.cos(k * at) - (np.sin(k) - np.sin(k * at)) / k)
    c, s = np.cos(k * at), np.sin(k * at)
    y, z = -weight * r_z, weight * r_y
    wanted = np.column_stack([0.0 * at, c * y + s * z, c * z - s * y])
    assert np.abs(wanted).max() > 0.5
    np.testing.assert_allclose(own.moments(np.zeros(6), at)[0], wanted, atol=1e-12)
    np.testing.assert_allclose(own.projected(at)[0], wanted, atol=1e-12)


def test_pulls_over_a_run() -> None:
    """When and where sleeves that only push would let go: signs of the record, and a linear programme at each record."""
    robot, imposed = snake(nodes=80)
    words = {"imposed": imposed, "t_end": 1.0, "dt": 0.02, "record_every": 10, "integrator": "rkmk4", "gravity": NO_GRAVITY}
    result = ld.simulate(robot, progress=False, **words)
    signs = {f"sleeve_{n + 1}.y": (1 if n % 2 else -1) for n in range(5)}
    found = pulls(result, signs)
    forces = result.multiplier.sel(constraint=list(signs)).values
    wrong = np.argwhere(forces * np.array(list(signs.values())) < 0.0)
    assert len(found) == len(wrong) > 0
    for pull, (n, c) in zip(found, wrong, strict=True):
        assert (pull.time, pull.name) == (result.time.values[n], list(signs)[c])
        assert pull.force == forces[n, c] and pull.place == pytest.approx(result.contact_abscissa.values[n, c], abs=1e-12)
    hopeless = {pull.time for pull in pulls(result, signs, shared=True)}
    bounds = [(0.0, 100.0) if sign > 0 else (-100.0, 0.0) for sign in signs.values()]
    for n, t in enumerate(result.time.values):
        own = Reactions(result.scenario.problem, t, result.q[n], result.v[n])
        status = linprog(np.zeros(5), A_eq=own.matrix, b_eq=own.resultant, bounds=bounds).status
        assert (t in hopeless) == (status == 2)
    assert 0 < len(hopeless) < len(result.time)
