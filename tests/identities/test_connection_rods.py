"""Connections of free robots whose shape coordinates are the strains of rods: the motion of a run, and exact slopes."""

from __future__ import annotations

import numpy as np
import pytest

import locodyn as ld
from locodyn.gaits.local_curvature import slopes
from locodyn.locomotion.connection import Connection
from locodyn.robot import RodFluid

pytestmark = pytest.mark.slow

SHAPE = ("tail.bending_z.0", "tail.bending_z.1", "fin")


def swimmer(fluid: bool, moves: str) -> ld.Robot:
    """A head, a tail that bends, and a fin at its end; in a fluid, or in space."""
    robot = ld.Robot("swimmer")
    head = robot.base("head", moves=moves, mass=0.3, inertia=ld.about_centre(xx=2e-3, yy=1e-3, zz=1e-3))
    rod = {"section": ld.robot.Ellipse(0.01, 0.03), "material": ld.Material(young=1e6, density=1000.0)}
    rod |= {"fluid": RodFluid(1000.0)} if fluid else {}
    head.rod("tail", at=(-0.05, 0.0, 0.0), turned=("z", np.pi), length=0.4, bending=(0, 2), nodes=5, **rod)
    robot.body("fin", mass=0.05, inertia=ld.about_centre(xx=1e-4, yy=1e-4, zz=1e-4)).on("tail").turning("z")
    if fluid:
        head.fluid((0.05, 0.4, 0.3), (0.0, 1e-3, 1e-3))
    return robot


@pytest.mark.parametrize("moves", ["planar", "free"])
@pytest.mark.parametrize("fluid", [False, True])
def test_motion_of_a_run(fluid: bool, moves: str) -> None:
    """With imposed strains and no momentum, the twist of the head at all records is -A rdot: errors of steps, 1e-11."""
    robot = swimmer(fluid, moves)
    laws = [ld.sine(3.0, omega=4.0), ld.sine(2.0, omega=4.0, phase=1.2), ld.sine(0.5, omega=4.0, phase=2.0)]
    scenario = ld.Scenario(
        "swim", robot, gravity=(0.0, 0.0, 0.0), imposed=dict(zip(SHAPE, laws, strict=True)), t_end=0.5, dt=0.005,
        integrator="adaptive", tolerance=1e-12, start="zero_momentum",
    )  # fmt: skip
    result = scenario.run(progress=False)
    connected = Connection(scenario.problem.model)
    assert connected.shape == SHAPE and connected.kind == ("hydrodynamic" if fluid else "mechanical")
    n = connected.dim
    for q, v in zip(result.q[::10], result.v[::10], strict=True):
        np.testing.assert_allclose(v[:n], -connected.at(q) @ v[n:], atol=1e-9)


@pytest.mark.parametrize("fluid", [False, True])
def test_slopes_are_exact(fluid: bool) -> None:
    """Against central differences of A: h^2 and round-off / h."""
    model = swimmer(fluid, "free").model(gravity=(0.0, 0.0, 0.0))
    connected, h = Connection(model), 1e-5
    q = connected.configuration((2.0, -3.0, 0.4))
    found = slopes(connected, q)
    for a, i in enumerate(connected.indices):
        step = np.zeros(model.nv)
        step[i] = h
        wanted = (connected.at(model.move(q, step)) - connected.at(model.move(q, -step))) / (2.0 * h)
        np.testing.assert_allclose(found[a], wanted, atol=1e-8)
