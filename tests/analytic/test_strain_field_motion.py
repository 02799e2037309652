"""Bodies whose strain is imposed: closed forms of their shapes, and how they move (Ali 2011, 5.3).

Numbers C5, D0.2, ... are those of the acceptance table that the project keeps for that source.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import locodyn as ld
from locodyn.robot import GivenSection, front, polynomial_shape
from locodyn.robot.layout import MASS, SLICE
from locodyn.world import Drag
from peers import totals_rate

pytestmark = pytest.mark.slow

ROUND = GivenSection((1.0,) * 6, mass=1.0, inertia=(1.25e-3, 6.25e-4, 6.25e-4))  # of C5: 1 kg/m, r = 0.05 m


def body(fields: Any, moves: str = "planar", length: float = 1.0, **options: Any) -> ld.Robot:
    """A rod with these fields; its head is the reference body."""
    robot = ld.Robot("body")
    robot.base("head", moves=moves).rod("body", length=length, section=ROUND, fields=fields, **options)
    return robot


def wave(amplitude: bool = False) -> ld.StrainField:
    """6 cos(2 pi (s + sigma)) 1/m of yaw curvature, as in C5."""
    return ld.StrainField("wave", ld.travelling("bending_z", 6.0, wavelength=1.0), amplitude)


# ------------------------------------------------------------------------------------------------------------------ shapes
def test_helix() -> None:
    """Curvatures A (-sin, cos)(k s) without torsion: radius A / (A^2 + k^2), pitch 2 pi k / (A^2 + k^2) (D4.1)."""
    shape = ld.travelling("bending_y", 10.0, wavelength=1.0, phase=0.5 * np.pi) + ld.travelling("bending_z", 10.0, wavelength=1.0)
    robot = body([ld.StrainField("helix", shape)], "fixed", length=2.0, nodes=40, space="magnus6")
    model = robot.model()
    poses = model.kinematics(np.array([0.3]))[0][::3]  # ends of slices; those between are factors of the integrator
    s = np.concatenate([[0.0], np.cumsum(model.constants[1 : model.nf, SLICE.length])])[::3]
    k, a = 2.0 * np.pi, 10.0
    # Tangents wind about the axis of the helix, which they all make the same angle with.
    tangents = poses[:, :9].reshape(-1, 3, 3)[:, :, 0]
    axis = np.linalg.svd(tangents - tangents.mean(axis=0))[2][2]
    axis *= np.sign(axis @ tangents[0])
    turns = np.hypot(a, k) / (2.0 * np.pi)  # per metre
    np.testing.assert_allclose(tangents @ axis, k / np.hypot(a, k), atol=1e-6)
    along = poses[:, 9:] @ axis
    np.testing.assert_allclose(np.diff(along), np.diff(s) * turns * 2.0 * np.pi * k / (a**2 + k**2), atol=1e-7)
    flat = poses[:, 9:] - np.outer(along, axis)
    normal = np.cross(axis, tangents)
    centre = flat + normal / np.linalg.norm(normal, axis=1)[:, None] * a / (a**2 + k**2)
    assert np.ptp(centre, axis=0).max() < 1e-6


def test_inchworm_span() -> None:
    """theta = a sin(2 pi (s - l) / l): the ends are l J0(a) apart, both on one line."""
    from scipy.special import j0

    model = body(
        [ld.StrainField("omega", ld.standing("bending_z", 2.0 * np.pi, wavelength=1.0))], "fixed", nodes=24, space="magnus6"
    ).model()
    for a in (0.3, 1.0, 2.0):
        tip = model.kinematics(np.array([a]))[0][-1, 9:]
        np.testing.assert_allclose(tip, (j0(a), 0.0, 0.0), atol=1e-6)


def test_stretch_and_polynomials() -> None:
    """A bar that swells: the tip is at the integral of 1 + y (c0 + c1 s + c2 s^2); exact, the strain is a quadratic."""
    model = body([ld.StrainField("swell", polynomial_shape("stretch", (0.1, -0.3, 0.6)))], "fixed", length=0.8, nodes=3).model()
    tip = model.kinematics(np.array([0.7]))[0][-1, 9:]
    assert tip[0] == pytest.approx(0.8 + 0.7 * (0.1 * 0.8 - 0.15 * 0.8**2 + 0.2 * 0.8**3), abs=1e-15)


def test_order_four_along_the_body() -> None:
    """The tip of a waving body converges with the fourth power of the slices (D0.3: 3.8 or more)."""
    tips = []
    for nodes in (16, 32, 64, 128):
        model = body([wave()], "fixed", nodes=nodes).model()
        tips.append(model.kinematics(np.array([0.2]), np.array([1.0]))[1][-1, :6])
    errors = [np.abs(tip - tips[-1]).max() for tip in tips[:-1]]
    assert min(np.log2(errors[0] / errors[1]), np.log2(errors[1] / errors[2])) > 3.8


def test_order_four_with_a_bump() -> None:
    """The bump of a turn has all derivatives, and compact support: the tip converges with the fourth power of the slices too.

    Its edge lies within the body. The last rows are fine enough for it: eight slices on half its width, and twice as many.
    """
    turn = ld.StrainField("turn", ld.travelling_bump("bending_z", 2.0, centre=0.6, half_width=0.3))
    tips = []
    for nodes in (48, 96, 192, 384):
        model = body([turn], "fixed", nodes=nodes).model()
        tips.append(np.concatenate([x[-1] for x in model.kinematics(np.array([0.1]), np.array([1.0]))]))
    errors = [np.abs(tip - tips[-1]).max() for tip in tips[:-1]]
    assert min(np.log2(errors[0] / errors[1]), np.log2(errors[1] / errors[2])) > 3.8


def behind_a_front() -> ld.StrainField:
    """The wave of C5 behind a front of 0.4 m that travels with it."""
    return ld.StrainField("wave", ld.travelling("bending_z", 6.0, wavelength=1.0) * front(0.3, 0.7))


def test_order_four_along_the_body_behind_a_front() -> None:
    """A front begins and ends within slices. It is C^5, so that the accelerations of the strain are C^3 and those of the tip keep
    the order 4 of the slices (with a step that is C^3: 3.0). The largest error over 24 places of the front between slices.
    """
    ends = []
    for nodes in (48, 96, 192, 768):
        model, none = body([behind_a_front()], "fixed", nodes=nodes).model(), np.zeros(1)
        ends.append([model.kinematics(np.array([x]), np.ones(1), none)[1][-1] for x in np.linspace(0.0, 0.1, 24)])
    found = np.array(ends)
    errors = np.array([[np.abs(part).max() for part in np.split(one - found[-1], 2, axis=1)] for one in found[:-1]])
    assert np.log2(errors[:-1] / errors[1:]).min() > 3.8  # of twists, and of their rates


# ------------------------------------------------------------------------------------------------------------------ motion
def planar_run(dt: float, moves: str = "planar", t_end: float = 3.0) -> ld.Result:
    """C5(a): nothing outside, the wave grows from nothing (septic instead of sin^2, whose second derivative jumps)."""
    imposed = {"body.wave": ld.polynomial(0, -0.5), "body.wave.amplitude": ld.motion.transition(0, 1, duration=2, degree=7)}
    return ld.simulate(
        body([wave(amplitude=True)], moves), imposed=imposed, gravity=(0, 0, 0), t_end=t_end, dt=dt, integrator="rkmk4",
        progress=False,
    )  # fmt: skip


def spatial_run(dt: float, t_end: float = 2.0) -> ld.Result:
    """C5(c): torsion and both curvatures, standing shapes with amplitudes that oscillate."""
    fields = [
        ld.StrainField("twist", ld.standing("torsion", 1.5)),
        ld.StrainField("pitch", ld.standing("bending_y", 4.0, wavelength=2.0, phase=-0.5 * np.pi)),
        ld.StrainField("yaw", ld.standing("bending_z", 4.0, wavelength=2.0)),
    ]
    imposed = {
        "body.twist": ld.sine(1.0, omega=2.0 * np.pi / 3.0).soft_start(2.0),
        "body.pitch": ld.cosine(1.0, omega=np.pi).soft_start(2.0),
        "body.yaw": ld.sine(1.0, omega=2.0 * np.pi / 2.5).soft_start(2.0),
    }
    return ld.simulate(
        body(fields, "free"), imposed=imposed, gravity=(0, 0, 0), t_end=t_end, dt=dt, integrator="rkmk4", progress=False
    )


@pytest.mark.parametrize("run, t_end", [(planar_run, 10.0), (spatial_run, 5.0)])
def test_what_swims_in_nothing_stays(run: Any, t_end: float) -> None:
    """D5.1: the centre of mass rests, momentum and angular momentum stay zero; 1e-6 over the times of C5, by steps of 5 ms."""
    result = run(0.005, t_end=t_end)
    assert np.abs(result.mass_centre.values - result.mass_centre.values[0]).max() < 1e-6
    assert np.abs(result.linear_momentum.values).max() < 1e-6
    assert np.abs(result.angular_momentum.values).max() < 1e-6
    assert np.abs(result.position.values).max() > 0.05  # and the head does move


@pytest.mark.parametrize("run", [planar_run, spatial_run])
def test_order_in_time(run: Any) -> None:
    """D5.2: rkmk4 converges with order 4 (3.7 to 4.3, measured on the head's pose with steps halved)."""
    ends = [np.concatenate([r.position.values[-1], r.orientation.values[-1]]) for r in (run(dt) for dt in (0.04, 0.02, 0.01))]
    order = np.log2(np.abs(ends[0] - ends[1]).max() / np.abs(ends[1] - ends[2]).max())
    assert 3.7 < order < 4.3


def test_plane_and_space() -> None:
    """D0.2: on SE(2) and, with the same yaw bending, on SE(3): the same motion and the same force of the wave, to 1e-10."""
    plane, space = planar_run(0.02, "planar", 1.0), planar_run(0.02, "free", 1.0)
    np.testing.assert_allclose(plane.position, space.position, atol=1e-10)
    np.testing.assert_allclose(plane.orientation, space.orientation, atol=1e-10)
    np.testing.assert_allclose(plane.joint_torque, space.joint_torque, atol=1e-10 * np.abs(plane.joint_torque).max())


def test_inertia_of_the_head_is_that_of_the_frozen_body() -> None:
    """D0.4: M_o is symmetric and positive, and the inertia of the body as a rigid one: about its head, from its mass centre."""
    robot = body([wave()], "free", nodes=20)
    model = robot.model()
    q = np.append(model.neutral()[:-1], 0.3)
    head = model.mass_matrix(q)[:6, :6]
    assert np.linalg.eigvalsh(head)[0] > 0.0
    w = np.polynomial.legendre.leggauss(20)[1]
    frames = [k for k in range(1, model.nf) if model.constants[k, MASS] > 0.0]
    inertia = np.zeros((6, 6))
    for k, weight in zip(frames, 0.5 * w, strict=True):
        turn, place = model.kinematics(q)[0][k, :9].reshape(3, 3), model.kinematics(q)[0][k, 9:]
        hat = np.cross(np.eye(3), place)
        inertia[:3, :3] += weight * np.eye(3)
        inertia[:3, 3:] -= weight * hat
        inertia[3:, :3] += weight * hat
        inertia[3:, 3:] += weight * (turn @ np.diag(ROUND.inertia) @ turn.T - hat @ hat)
    np.testing.assert_allclose(head, inertia, atol=1e-12)


def ground(normal: float, dt: float, t_end: float = 4.0, integrator: str = "radau3", tangent: float = 0.2) -> ld.Result:
    """C5(b): viscous ground, small resistance along the body and a large one across it."""
    robot = body([wave()], "planar", nodes=24)
    robot.wrench("ground", on="body", law=Drag(linear=(tangent, normal, 0.0)), along=True)
    return ld.simulate(
        robot, imposed={"body.wave": ld.polynomial(0, -0.5)}, gravity=(0, 0, 0), t_end=t_end, dt=dt, integrator=integrator,
        progress=False,
    )  # fmt: skip


def test_stiff_ground_is_a_track() -> None:
    """D5.3: with c_n = 2000 N s/m^2 the head is at -2 J0(6 / (2 pi)) = -1.56939 m after 4 s, where the track ends, to 2e-3."""
    assert ground(2000.0, 0.01).position.values[-1, 0] == pytest.approx(-1.56939, abs=2e-3)


def test_power_identity() -> None:
    """D0.5: d(kinetic)/dt is the power of the wave less what the ground takes, at every record, to 1e-8 of the largest power."""
    run = ground(20.0, 0.02, t_end=1.0, integrator="rkmk4")
    model = run.model
    rate = []
    for t, q, v in zip(run.time.values, run.q, run.v, strict=True):
        q, v = q.copy(), v.copy()
        rate.append(totals_rate(model, q, v, run.scenario.problem.accelerations(float(t), q, v))[0])
    power = run.power_actuators.values - run.power_dissipated.values
    np.testing.assert_allclose(rate, power, atol=1e-8 * np.abs(power).max())


def test_an_elastic_body_about_its_wave() -> None:
    """A strain that has a field and modes is elastic about the field: stiffer and stiffer, it does what the wave says.

    Four damped modes in the strain of the wave. What they add falls like 1 / stiffness, within what its square leaves (15 %).
    """
    heads, bent = [], []
    for stiffness in (0.5, 5.0, 50.0):
        section = GivenSection((1.0,) * 5 + (stiffness,), mass=1.0, inertia=(1.25e-3, 6.25e-4, 6.25e-4))
        robot = ld.Robot("body")
        robot.base("head", moves="planar").rod(
            "body", length=1.0, section=section, fields=[wave(amplitude=True)], bending=(0, 4), damping=0.1, nodes=14
        )
        imposed = {"body.wave": ld.polynomial(0, -0.5), "body.wave.amplitude": ld.motion.transition(0, 1, duration=2, degree=7)}
        run = ld.simulate(robot, imposed=imposed, gravity=(0, 0, 0), t_end=2.0, dt=0.02, integrator="radau3", progress=False)
        heads.append(run.position.values[-1])
        bent.append(np.abs(run.joint_position.values[:, :4]).max())
    ideal = planar_run(0.02, t_end=2.0).position.values[-1]
    errors = [np.abs(head - ideal).max() for head in heads]
    assert bent[1] / bent[2] == pytest.approx(10.0, rel=0.15)
    assert errors[1] / errors[2] == pytest.approx(10.0, rel=0.3)


def test_any_section_is_the_reference_section() -> None:
    """A body carried by its section at 0.4 m, two rods on one body, moves as the one carried by its head; waves of all strains.

    Both have the same nodes only where they end alike, so that they agree to their discretisation: 3e-6 of 1 m, measured 5e-7.
    """
    shape = ld.travelling("bending_z", 3.0, wavelength=1.0) + ld.travelling("shear_y", 0.1, wavelength=0.8)
    shape = shape + ld.travelling("bending_y", 2.0, wavelength=0.7) + ld.travelling("shear_z", 0.1, wavelength=0.9)
    shape = shape + ld.travelling("torsion", 1.0, wavelength=1.1) + ld.travelling("stretch", 0.1, wavelength=0.6)
    field = ld.StrainField("wave", shape, amplitude=True)
    laws = {"wave": ld.polynomial(0, -0.5), "wave.amplitude": ld.motion.transition(0, 1, duration=1, degree=7)}

    def run(robot: ld.Robot, rods: tuple[str, ...]) -> ld.Result:
        imposed = {f"{rod}.{name}": law for rod in rods for name, law in laws.items()}
        options: dict[str, Any] = {"t_end": 1.0, "dt": 0.02, "integrator": "rkmk4", "progress": False}
        return ld.simulate(robot, imposed=imposed, gravity=(0, 0, 0), **options)

    whole = run(body([field], "free", nodes=60), ("body",))
    robot = ld.Robot("body")
    middle = robot.base("middle", moves="free", at=(0.4, 0.0, 0.0))
    middle.rod("tail", length=0.6, section=ROUND, fields=[field.beyond(0.4)], nodes=40)
    middle.rod("front", length=0.4, section=ROUND, fields=[field.before(0.4)], nodes=30, turned=("z", np.pi))
    halves = run(robot, ("tail", "front"))
    tail, front = (halves.rod_position.sel(rod=name).values[-1] for name in ("tail", "front"))
    line = whole.rod_position.values[-1, 0]
    np.testing.assert_allclose(tail[-1], line[-1], atol=3e-6)
    np.testing.assert_allclose(front[-1], line[0], atol=3e-6)
    np.testing.assert_allclose(front[0], line[8], atol=3e-6)  # at 0.4 m
