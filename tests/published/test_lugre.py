"""The experiments of Canudas de Wit, Olsson, Astrom and Lischinsky (1995, IV) with their numbers (table I), each against the
paper's own equations, integrated apart by a stiff method (Radau of SciPy), and against what holds in closed form.

The paper prints curves, not numbers: what it says of them is what is held to here beside the two calculations.
"""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import locodyn as ld

pytestmark = pytest.mark.slow

COULOMB, STATIC, STIFFNESS, DAMPING, VISCOUS, SPEED = 1.0, 1.5, 1e5, np.sqrt(1e5), 0.4, 1e-3
LAW = ld.LuGre(COULOMB, STIFFNESS, static=STATIC, speed=SPEED, damping=DAMPING, viscous=VISCOUS)
NONE = (0.0, 0.0, 0.0)


def slider():
    robot = ld.Robot("slider")
    robot.body("mass", mass=1.0).on(robot.base("ground", moves="fixed")).sliding("x").actuator(bristles=LAW)
    return robot


def friction(v, z):
    """Force (N) and rate of the bristles (m/s) at a speed v (m/s) and a deflection z (m): (1)-(3) and (6) there."""
    level = COULOMB + (STATIC - COULOMB) * np.exp(-((v / SPEED) ** 2))
    rate = v - STIFFNESS * np.abs(v) / level * z
    return STIFFNESS * z + DAMPING * rate + VISCOUS * v, rate


def apart(force, times):
    """Place, speed and deflection (3, n) of a mass of 1 kg under force(t), by SciPy."""

    def rates(t, y):
        push, bent = friction(y[1], y[2])
        return [y[1], force(t) - push, bent]

    def slopes(_, y):
        """Written out: differences of SciPy overflow where the mass hardly moves."""
        v, z = y[1:]
        peak = (STATIC - COULOMB) * np.exp(-((v / SPEED) ** 2))
        level, change = COULOMB + peak, -2.0 * v / SPEED**2 * peak
        by_v = 1.0 - STIFFNESS * z * (np.sign(v) / level - np.abs(v) * change / level**2)
        by_z = -STIFFNESS * np.abs(v) / level
        return [[0.0, 1.0, 0.0], [0.0, -DAMPING * by_v - VISCOUS, -STIFFNESS - DAMPING * by_z], [0.0, by_v, by_z]]

    words = {"t_eval": times, "jac": slopes, "rtol": 1e-9, "atol": 1e-14}
    return solve_ivp(rates, (0.0, times[-1]), [0.0] * 3, "Radau", **words).y


def pushed(law, t_end, dt):
    """The mass of 1 kg under a force law."""
    words = {"gravity": NONE, "t_end": t_end, "dt": dt, "integrator": "radau_adaptive", "tolerance": 1e-9, "progress": False}
    return ld.simulate(slider(), torque={"mass": law}, **words)


def test_presliding_displacement():
    """A force that swings slowly between +-95 % of F_S, so that the mass creeps: the displacement has a loop.

    Closed form where |v| << v_S (g = F_S, F = s0 z): x = -F_S/s0 ln(1 - F/F_S) on the way up, and, from a turn at F_1, x = x_1 +
    F_S/s0 ln((1 + F/F_S) / (1 + F_1/F_S)) on the way down. With F' <= 0.03 N/s, the damping of the bristles is 1e-4 N and the
    creep 6e-6 m/s: 4e-4 of x at most by F_S/(F_S - F) = 20 times the first. The independent calculation: 1e-6.
    """
    most, omega = 0.95 * STATIC, 0.02
    end = 1.25 * 2.0 * np.pi / omega
    run = pushed(ld.sine(most, omega=omega), end, end / 500)
    t, x = run.time.values, run.joint_position.values[:, 0]
    exact = apart(lambda t: most * np.sin(omega * t), t)
    bend = STATIC / STIFFNESS
    assert np.abs(x - exact[0]).max() < 1e-6 * np.abs(x).max() + 1e-12
    force = most * np.sin(omega * t)
    up, down = t <= 0.25 * end / 1.25, (t >= 0.25 * end / 1.25) & (t <= 0.75 * end / 1.25)
    first = -bend * np.log(1.0 - force / STATIC)
    top = -bend * np.log(1.0 - most / STATIC)
    assert np.abs(x - first)[up].max() < 3e-3 * top
    back = top + bend * np.log((1.0 + np.minimum(force, most) / STATIC) / (1.0 + most / STATIC))
    assert np.abs(x - back)[down].max() < 3e-3 * top
    # The loop: at no force the mass is not where it began, on the way down and on the way up.
    zero = np.argmin(np.abs(t - 0.5 * end / 1.25))
    assert x[zero] > 0.5 * top


def test_frictional_lag():
    """Speeds between 0.1 and 1.1 mm/s (1, 10 and 25 rad/s): friction is larger where the speed grows than where it falls, and the
    loop is the wider the faster the speed changes. Against the equation of the bristles: while they bend for the first time, ten
    times the tolerance of 1e-9 m times their stiffness; then, since they forget what was, 1e-6 N.
    """
    widths, slow, swing = [], 0.6e-3, 0.5e-3
    for omega in (1.0, 10.0, 25.0):
        motion = ld.polynomial(0.0, slow) + ld.sine(swing / omega, omega=omega, phase=-0.5 * np.pi)  # speed: slow + swing sin
        end = 3.0 * 2.0 * np.pi / omega
        words = {"gravity": NONE, "t_end": end, "dt": end / 1200, "integrator": "radau_adaptive", "tolerance": 1e-9}
        run = ld.simulate(slider(), imposed={"mass": motion}, progress=False, **words)
        t = run.time.values
        v = slow + swing * np.sin(omega * t)
        bent = solve_ivp(lambda t, z, w=omega: [friction(slow + swing * np.sin(w * t), z[0])[1]], (0.0, t[-1]), [0.0], "Radau",
                         t_eval=t, rtol=1e-10, atol=1e-15).y[0]  # fmt: skip
        exact = friction(v, bent)[0] + swing * omega * np.cos(omega * t)  # and 1 kg times its acceleration
        off = np.abs(run.joint_torque.values[:, 0] - exact)
        assert off.max() < 10.0 * 1e-9 * STIFFNESS and off[t > end / 3.0].max() < 1e-6
        rub = friction(v, bent)[0]
        last = t > 2.0 / 3.0 * end
        half = slow  # both ways through the mean speed
        rising = last & (np.cos(omega * t) > 0.0)
        falling = last & (np.cos(omega * t) < 0.0)
        gap = rub[rising][np.argmin(np.abs(v[rising] - half))] - rub[falling][np.argmin(np.abs(v[falling] - half))]
        widths.append(gap)
    assert 0.0 < widths[0] < widths[1] < widths[2]


def test_break_away_force_falls_with_the_rate_of_the_force():
    """A force that grows from zero: the mass breaks away below F_S, the lower the faster the force grows, and at F_S in the limit
    of a slow one. The largest friction against the independent calculation, 1e-5 N.
    """
    found = []
    for rate in (0.2, 2.0, 20.0):
        end = 1.7 / rate
        run = pushed(ld.ramp(rate), end, end / 2000)
        t, v = run.time.values, run.joint_velocity.values[:, 0]
        rub = rate * t - run.joint_acceleration.values[:, 0]
        exact = apart(lambda t, rate=rate: rate * t, t)
        early = v < 5.0 * SPEED  # until it slides
        assert np.abs(rub - friction(exact[1], exact[2])[0])[early].max() < 1e-4
        found.append(rub[early].max())
    assert STATIC > found[0] > found[1] > found[2] > COULOMB
    assert found[0] > 0.97 * STATIC
