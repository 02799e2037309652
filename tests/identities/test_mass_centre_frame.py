"""The floating frame at the mass centre of the whole robot: momentum, connection and results in it (Ali 2011, section 2.2)."""

import numpy as np
import pytest

import locodyn as ld
from locodyn.gaits import Connection, connection
from locodyn.sim import Result

pytestmark = pytest.mark.slow


def chain(moves="free"):
    """Three links with random offsets, on joints about different axes."""
    rng = np.random.default_rng(5)
    robot = ld.Robot("chain")
    solid = {"mass": 1.3, "inertia": ld.about_centre(xx=0.02, yy=0.03, zz=0.04)}
    robot.base("b0", moves=moves, centre=(0.1, -0.05, 0.0), **solid)
    for i, axis in ((1, "z"), (2, "x" if moves == "free" else "z")):
        at = (*rng.uniform(0.1, 0.4, 2), 0.0)
        robot.body(f"b{i}", centre=(0.15, 0.02 * i, 0), **solid).on(f"b{i - 1}", at=at).turning(axis)
    return robot


@pytest.mark.parametrize("moves", ["free", "planar"])
def test_mechanical_connection_there_has_no_linear_part(moves):
    """Zero momentum: the mass centre rests; what is left turns, I_c A_ang = the angular momentum of unit rates about it."""
    model = chain(moves).model(gravity=(0, 0, 0))
    q = model.move(model.neutral(), 0.3 * np.arange(1, model.nv + 1))
    there, here = connection(model, q, frame="mass_centre"), connection(model, q)
    linear = 3 if moves == "free" else 2
    assert np.abs(there[:linear]).max() < 1e-15
    np.testing.assert_array_equal(there[linear:], here[linear:])
    # Independently: locked inertia and momentum of each rate about the mass centre, the reference body at the origin.
    centred = Connection(model).centred(q)
    about = slice(0, 3) if moves == "free" else slice(2, 3)

    def turning(v):
        return model.momentum(centred, v)[1][about]

    locked = np.column_stack([turning(np.eye(model.nv)[i]) for i in range(linear, linear + (3 if moves == "free" else 1))])
    rates = np.column_stack([turning(np.eye(model.nv)[i]) for i in range(model.nv - 2, model.nv)])
    np.testing.assert_allclose(locked @ there[linear:], rates, atol=1e-14)


def test_kinematic_connection_there_is_the_motion_of_the_mass_centre():
    """Along a gait of the snake, the twist -A_c rdot is the derivative of where the mass centre goes, in the axes of the head."""
    scenario = ld.zoo.three_axle()
    problem = scenario.problem
    t = 0.8
    q, v = problem.imposed_state(t, problem.model.neutral(), np.zeros(problem.model.nv))
    form = Connection(problem)
    found = -form.at(q, "mass_centre") @ v[form.indices]
    step = 1e-5
    ends = [problem.model.centre_of_mass(problem.model.move(q, s * step * v)) for s in (-1, 1)]
    velocity = (ends[1] - ends[0]) / (2 * step)
    c, s = np.cos(q[2]), np.sin(q[2])
    np.testing.assert_allclose(found[:2], (c * velocity[0] + s * velocity[1], c * velocity[1] - s * velocity[0]), atol=1e-9)
    assert found[2] == pytest.approx(v[2], abs=1e-14)


def test_a_pivot_has_no_such_frame():
    with pytest.raises(ld.InputError, match="on a pivot or an axis"):
        connection(ld.zoo.satellite().model, ld.zoo.satellite().model.neutral(), frame="mass_centre")
    with pytest.raises(ld.InputError, match="'centre'; it must be 'body' or 'mass_centre'"):
        connection(chain().model(gravity=(0, 0, 0)), chain().model().neutral(), frame="centre")


def test_results_in_this_frame(tmp_path):
    """A free chain with momentum: m V_c is the linear momentum, constant; position integrates it; also from a file."""
    start = ld.Start(velocities=[0.3, -0.2, 0.1, 0.5, 0.4, -0.6, 1.0, -2.0])
    result = ld.simulate(chain(), gravity=(0, 0, 0), start=start, t_end=1.0, dt=0.002, progress=False)
    result = Result.load(result.save(tmp_path / "run.nc"))
    frame = result.at_mass_centre()
    momentum, angular = result.linear_momentum.values, result.angular_momentum.values
    np.testing.assert_allclose(momentum, momentum[:1].repeat(501, axis=0), atol=1e-9)
    np.testing.assert_allclose(angular, angular[:1].repeat(501, axis=0), atol=1e-9)
    speed = np.linalg.norm(frame.twist.values[:, :3], axis=1)
    np.testing.assert_allclose(3.9 * speed, np.linalg.norm(momentum, axis=1), atol=1e-12)
    straight = frame.position.values[:1] + np.outer(result.time.values, momentum[0] / 3.9)
    np.testing.assert_allclose(frame.position.values, straight, atol=1e-9)
    np.testing.assert_array_equal(frame.twist.values[:, 3:], result.twist.values[:, 3:])
    assert frame.twist.attrs["units"] == "m/s, rad/s"


def test_mass_centre_in_a_fluid_moves_with_the_bodies_not_with_the_momentum():
    result = ld.zoo.fish().changed(t_end=0.5).run(progress=False)
    centre, velocity = result.mass_centre.values, result.mass_centre_velocity.values
    step = float(result.time[1] - result.time[0])
    rate = (centre[:-4] - 8 * centre[1:-3] + 8 * centre[3:-1] - centre[4:]) / (12 * step)
    np.testing.assert_allclose(velocity[2:-2], rate, atol=1e-6)
    assert np.abs(result.linear_momentum.values).max() < 1e-9  # with the fluid's: it stays zero
