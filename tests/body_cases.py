"""Bodies without joints of Ali 2011, chapter 6, held by anchors and sleeves: earthworm, inchworm, snake, helix."""

from __future__ import annotations

import numpy as np

import locodyn as ld

NO_GRAVITY = (0.0, 0.0, 0.0)
STEP = 1e-4  # s, of the differences: their error is STEP^4 / 30 times a fifth derivative, 1e-11 of the power at 30 rad/s


def one_kilogram_per_metre(radius: float = 0.02) -> dict:
    """Section and material of a rod of 1 kg/m."""
    return {"section": ld.Circle(radius), "material": ld.Material(young=1e6, density=1.0 / (np.pi * radius**2))}


def run(robot: ld.Robot, imposed: dict, t_end: float, dt: float, gravity: tuple = NO_GRAVITY):
    """The data of a run by the classical Runge-Kutta method on the group."""
    result = ld.simulate(robot, imposed=imposed, t_end=t_end, dt=dt, integrator="rkmk4", gravity=gravity, progress=False)
    assert result.status == "completed"
    return result.dataset


def earthworm(
    slips: bool = True, waves: int = 1, gone=None, nodes: int = 100, anchors: tuple[int, ...] | None = None
) -> tuple[ld.Robot, dict]:
    """C1: Gamma = 1 + 0.5 sin(2 pi (s - X)), anchors where the body is thickest, on all waves or on those named; ``gone`` s(t),
    0.05 m/s by default.
    """
    gone = ld.polynomial(0.0, 0.05) if gone is None else gone
    robot = ld.Robot("earthworm")
    wave = ld.travelling("stretch", 0.5, wavelength=1.0, phase=0.5 * np.pi)
    body = robot.base("head", moves="prismatic", axis="x").rod(
        "body", length=float(waves), **one_kilogram_per_metre(), nodes=nodes * waves, fields=[ld.StrainField("wave", wave)]
    )
    for n in range(waves) if anchors is None else anchors:
        body.anchor(f"anchor_{n + 1}", at=0.25 + n + gone, wrap=(float(n), n + 1.0), slips=slips)
    return robot, {"body.wave": -1.0 * gone}


def inchworm(alpha: float = 2.0, nodes: int = 240) -> tuple[ld.Robot, dict]:
    """C2: theta = alpha sin^2(w t) sin(2 pi (X - l) / l); the head holds on in the first half of each period, then the tail."""
    robot = ld.Robot("inchworm")
    bend = ld.standing("bending_z", 2.0 * np.pi, wavelength=1.0)
    body = robot.base("head", moves="planar").rod(
        "body", length=1.0, **one_kilogram_per_metre(), nodes=nodes, fields=[ld.StrainField("bend", bend)]
    )
    body.anchor("head_grip", at=0.0, during=(0.0, 1.0), period=2.0)
    body.anchor("tail_grip", at=1.0, during=(1.0, 2.0), period=2.0)
    return robot, {"body.bend": 0.5 * alpha - ld.cosine(0.5 * alpha, omega=np.pi)}


def snake(
    length: float = 1.25, nodes: int = 160, turn: bool = False, gone=None, count: int = 5, amplitude: float = 10.0
) -> tuple[ld.Robot, dict]:
    """C3: K_Z = amplitude cos(2 pi (X + s)), s = -0.5 t, sleeves that stay in space while the body slides through."""
    gone = ld.polynomial(0.0, -0.5) if gone is None else gone
    shape = ld.travelling("bending_z", amplitude, wavelength=1.0)
    if turn:
        shape = shape + ld.travelling_bump("bending_z", 2.0, centre=-2.5, half_width=1.0)  # t_o = 3 s, T_o = 4 s
    robot = ld.Robot("snake")
    body = robot.base("head", moves="planar").rod(
        "body", length=length, **one_kilogram_per_metre(), nodes=nodes, fields=[ld.StrainField("wave", shape)]
    )
    for n in range(count):
        body.sleeve(f"sleeve_{n + 1}", at=(n + 0.5) * length / count - gone, wrap=(0.0, length))
    return robot, {"body.wave": gone}


def helix(sleeves: int = 5, nodes: int = 100, **obstacle) -> tuple[ld.Robot, dict]:
    """C4: K_Y = -A sin, K_Z = A cos of 2 pi (X + s) / lambda, sleeves that stay in space, or on an ``obstacle`` that moves."""
    robot = ld.Robot("helix")
    wave = ld.travelling("bending_z", 10.0, wavelength=1.0) + ld.travelling("bending_y", 10.0, wavelength=1.0, phase=0.5 * np.pi)
    gone = ld.polynomial(0.0, -0.5)
    body = robot.base("head").rod(
        "body", length=1.25, **one_kilogram_per_metre(), nodes=nodes, fields=[ld.StrainField("wave", wave)]
    )
    for n in range(sleeves):
        body.sleeve(f"sleeve_{n + 1}", at=(n + 0.5) * 1.25 / sleeves - gone, wrap=(0.0, 1.25), **obstacle)
    return robot, {"body.wave": gone}


def check_rate_of_energy(result: ld.Result) -> None:
    """At seven states of a run: dE/dt along (v, a), by differences of order 4, is the power given less what is dissipated; 1e-8.

    Relative to what passes between the coordinates, the sum of |v_i (M a + h)_i|: the actuators of a worm or a helix at constant
    speed give nothing in the sum.
    """
    problem, model = result.scenario.problem, result.model
    at = np.linspace(1, len(result.time) - 2, 7).astype(int)
    t, q, v = result.time.values[at], result.q[at].copy(), result.v[at].copy()
    a = np.array([problem.accelerations(float(t[n]), q[n], v[n]).copy() for n in range(len(at))])  # settles q and v
    now = problem.series(t, q, v)
    power = now["power_actuators"] - now["power_dissipated"] + now.get("power_external", 0.0)
    exchange = max(float(np.abs(v[n] * model.inverse_dynamics(q[n], v[n], a[n])).sum()) for n in range(len(at)))

    def energy(ahead: float) -> np.ndarray:
        places = np.array([model.move(q[n], ahead * v[n]) for n in range(len(at))])
        speeds = v + ahead * a
        kinetic = [model.kinetic_energy(places[n], speeds[n]) for n in range(len(at))]
        return np.asarray(kinetic + problem.series(t + ahead, places, speeds)["potential_energy"])

    near, far = energy(STEP) - energy(-STEP), energy(2.0 * STEP) - energy(-2.0 * STEP)
    round_off = 100.0 * np.finfo(float).eps * np.abs(energy(0.0)).max() / STEP  # of the differences; for a worm, all there is
    np.testing.assert_allclose((8.0 * near - far) / (12.0 * STEP), power, rtol=0.0, atol=1e-8 * exchange + round_off)
