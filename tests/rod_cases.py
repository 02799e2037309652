"""Robots with rods for tests."""

from __future__ import annotations

from typing import Any

import numpy as np

import locodyn as ld
from locodyn.dynamics.inverse_dynamics import ROD_WORK, inverse_dynamics
from locodyn.dynamics.model import Model
from locodyn.kernel import twin
from locodyn.robot import Ellipse, GivenSection
from locodyn.world.laws import WorldForce
from peers import TINY, complex_move, relative, totals_rate

SOFT = ld.Material(young=1e6, density=1000.0, shear=1e6 / 3.0)


def tree(base: str = "free", space: str = "magnus4", **options: Any) -> ld.Robot:
    """Rods of all kinds: pre-curved and damped on the base, on a joint along it, at its tip; bodies at their ends."""
    robot = ld.Robot(f"rods on a {base} base")
    body = {} if base == "fixed" else {"mass": 0.3, "inertia": ld.about_centre(xx=0.01, yy=0.02, zz=0.015)}
    ground = robot.base("ground", moves=base, **body)
    one = ground.rod(
        "one", length=0.5, at=(0.1, 0.2, 0.0), turned=("z", 0.3), section=Ellipse(0.02, 0.015), material=SOFT, bending=(3, 2),
        stretch=2, shear=(1, 2), torsion=2, rest_curvature=(0.5, 0.2, -1.0), damping=0.01, space=space, **options,
    )  # fmt: skip
    ball = robot.body("ball", mass=0.1, shape=ld.Sphere(0.01)).on(one, at_s=0.2, at=(0, 0.1, 0)).turning("y")
    ball.rod("two", length=0.3, section=ld.Circle(0.01), material=ld.silicone, bending=2, torsion=1, at=(0, 0, 0.05))
    three = one.rod("three", length=0.3, section=ld.Rectangle(0.02, 0.01), material=ld.silicone, bending=(2, 1), stretch=1)
    end = robot.body("end", mass=0.2, inertia=ld.about_centre(xx=0.001, yy=0.002, zz=0.0015), centre=(0.05, 0, 0.01))
    end.on(three).ball()
    return robot


def cantilever(law: Any = None, **values: Any) -> ld.Robot:
    """One rod along x, clamped at the origin, with a wrench law at its tip."""
    robot = ld.Robot("cantilever")
    rod = robot.base("ground", moves="fixed").rod("rod", **values)
    if law is not None:
        robot.wrench("load", on=rod, law=law)
    return robot


def state(model: Model, seed: int, size: float = 1.0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A random configuration, velocity and acceleration."""
    rng = np.random.default_rng(seed)
    q = model.move(model.neutral(), size * rng.standard_normal(model.nv))
    return q, size * rng.standard_normal(model.nv), size * rng.standard_normal(model.nv)


def complex_inverse(model: Model, q: np.ndarray, v: np.ndarray, a: np.ndarray, loads: np.ndarray | None = None) -> np.ndarray:
    """Inverse dynamics of a robot with rods on complex numbers."""
    tau, work = np.zeros(model.nv, dtype=complex), np.zeros((model.nf, ROD_WORK.size), dtype=complex)
    wrenches = np.zeros((0, 6)) if loads is None else loads
    twin(inverse_dynamics)(model.frames, model.constants, model.gravity, q, v, a, wrenches, work, tau)
    return tau


def check_power(model: Model) -> None:
    """tau . v = d/dt (kinetic energy + energy of gravity), the rate by complex step through another kernel."""
    q, v, a = state(model, 1)
    rate = totals_rate(model, q, v, a)
    power = model.inverse_dynamics(q, v, a) @ v
    assert abs(rate[0] + rate[1] - power) < 1e-12 * (abs(power) + 1.0)


def check_jacobians(model: Model, name: str, seed: int) -> None:
    """J v is the twist, J a + dJ/dt v its derivative, and dJ/dt the derivative of J along the motion (differences, 1e-6)."""
    q, v, a = state(model, seed)
    jacobian, rate = model.jacobians(name, q, v)
    assert relative(jacobian @ v, model.twist(name, q, v)) < 1e-13
    assert relative(jacobian @ a + rate @ v, model.acceleration(name, q, v, a)) < 1e-13
    h = 1e-6
    ahead, behind = (model.jacobian(name, model.move(q, sign * h * v)) for sign in (1, -1))
    assert relative((ahead - behind) / (2.0 * h), rate) < 1e-8


def check_derivatives(model: Model) -> None:
    """d tau / d(q, v, a) against complex steps through the kernel, with wrenches everywhere; measured 2e-15."""
    q, v, a = state(model, 6)
    rng = np.random.default_rng(7)
    wrenches = {name: rng.standard_normal(6) for name in model.compiled.body_names}
    loads = model.frame_wrenches(wrenches)
    by_q, by_v, by_a = model.inverse_dynamics_derivatives(q, v, a, wrenches)
    small = 1j * TINY * np.eye(model.nv)
    exact_q = np.array([complex_inverse(model, complex_move(model, q, u), v, a, loads).imag for u in small]).T / TINY
    exact_v = np.array([complex_inverse(model, q, v + u, a, loads).imag for u in small]).T / TINY
    exact_a = np.array([complex_inverse(model, q, v, a + u, loads).imag for u in small]).T / TINY
    for found, exact in ((by_q, exact_q), (by_v, exact_v), (by_a, exact_a)):
        assert relative(found, exact) < 1e-12


def flying_rod(case: str, planar: bool = False, pushed: bool = True, **options: Any) -> ld.Robot:
    """The flying rods of Gotelli 2024, 3.9.1, Kirchhoff with three functions each: pushed and turned at A, see :func:`push`.

    Soft: force (p/10, 0, 0), moment (0, p/2, p), p = 200 at most. Stiff: force (p, 0, 0), p = 2 at most.
    """
    soft = case == "soft"
    robot = ld.Robot(f"{case} flying rod")
    end = robot.base("A", moves="free", at=(6.0, 0, 0) if soft else (0.6, 0, 0), turned=("z", np.arctan2(0.8, -0.6)))
    rod: dict[str, Any] = {"length": 1.0, "section": ld.Circle(0.05), "material": ld.Material(1e6, 1e3, shear=1e6 / 3.0)}
    if soft:
        rod = {"length": 10.0, "section": GivenSection((1e4,) * 3 + (500.0,) * 3, mass=1.0, inertia=(10.0,) * 3)}
    end.rod("B", **{"bending": 3, "torsion": 3, "nodes": 20, **rod, **options})
    if pushed:
        p, force = (200.0, 20.0) if soft else (2.0, 2.0)
        robot.wrench("push", on=end, law=WorldForce((force, 0.0, 0.0), moment=(0.0, 0.0 if planar else 0.5 * p, p)))
    return robot


def push(case: str) -> dict[str, ld.motion.Law]:
    """The load of the flying rods over time, a triangle: 1 at 2.5 s, over at 5 s; stiff: 1 at 0.7 s, over at 1.4 s."""
    peak = 2.5 if case == "soft" else 0.7
    return {"push": ld.samples([0.0, peak, 2.0 * peak, 20.0], [0.0, 1.0, 0.0, 0.0])}
