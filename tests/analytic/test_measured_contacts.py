"""Friction and restitution of hard contact from measured tosses, and the contact model of a film; known models give the data."""

import math

import numpy as np
import pytest

import locodyn as ld
from locodyn.study import Measured, choose_model, fit
from locodyn.world import Drag

pytestmark = pytest.mark.slow

G, RADIUS, DROP = 9.81, 0.05, 0.2
TRUTH = {"restitution": 0.6, "mu": 0.15}
COLUMNS = ("position.x", "position.z")
TIMES = np.arange(0.0, 0.5, 0.02)


def toss(restitution: float = 0.5, mu: float = 0.3, speed: float = 1.0, height: float = DROP) -> ld.Scenario:
    """A ball thrown forward without spin, which bounces and slides."""
    robot = ld.Robot("ball")
    robot.base("ball", mass=0.3, shape=ld.Sphere(RADIUS)).collides(restitution=restitution, friction=mu)
    start = ld.Start({"ball": (0, 0, height + RADIUS, 0, 0, 0)}, {"ball": (speed, 0, 0, 0, 0, 0)})
    return ld.Scenario(
        "toss", robot, obstacles=[ld.Ground()], start=start, t_end=0.5, dt=1e-3, integrator="moreau", record_every=5
    )


def closed_form(restitution: float, mu: float, speed: float, height: float) -> np.ndarray:
    """x, z of the centre (T, 2): parabolas between bounces, at which the ball slips: m dv = -mu (1 + e) m |v_z|.

    It slips as long as this is less than what stops the slip, 2/7 of the speed of its lowest point.
    """
    path, t0, x0, z0, vx, vz, spin = [], 0.0, 0.0, 0.0, speed, 0.0, 0.0
    z0 = height
    landing = (vz + math.sqrt(vz**2 + 2.0 * G * z0)) / G
    for t in TIMES:
        while t - t0 > landing:
            x0, t0 = x0 + vx * landing, t0 + landing
            hit = vz - G * landing
            slip = vx - spin * RADIUS
            change = min(mu * (1.0 + restitution) * abs(hit), 2.0 / 7.0 * slip)
            vx, spin = vx - change, spin + 2.5 * change / RADIUS
            z0, vz = 0.0, -restitution * hit
            landing = 2.0 * vz / G
        own = t - t0
        path.append((x0 + vx * own, RADIUS + z0 + vz * own - 0.5 * G * own**2))
    return np.array(path)


def test_friction_and_restitution_from_three_tosses(tmp_path):
    """The data are the closed form; the steps of 1 ms see impacts up to a step late, so that a bounce is wrong by up to
    dt |v_z| (1 + e) = 3 mm here, and each of both parameters by about that over the 0.5 m and 0.15 m that they move the ball.
    """
    throws = [{"speed": 1.0}, {"speed": 1.5, "height": 0.3}, {"speed": 2.0, "height": 0.15}]
    measured = [Measured(TIMES, closed_form(**TRUTH, **{"speed": 1.0, "height": DROP, **one}), COLUMNS) for one in throws]
    found = fit(toss, {"restitution": "0.3..0.9", "mu": "0.02..0.3"}, measured, settings=throws, search=16)
    assert found.parameters["restitution"] == pytest.approx(TRUTH["restitution"], abs=0.01)
    assert found.parameters["mu"] == pytest.approx(TRUTH["mu"], abs=0.01)
    assert found.fitted.shape == (3 * len(TIMES), 2) and (np.diff(found.measured.times) > 0.0).all()
    assert found.plot(tmp_path / "tosses.png").stat().st_size > 5000
    with pytest.raises(ld.InputError, match="3 measured trials and settings of 2; give as many of both"):
        fit(toss, {"mu": "0.02..0.3"}, measured, settings=throws[:2])
    with pytest.raises(ld.InputError, match=r"the search has 0\.5 points"):
        fit(toss, {"mu": "0.02..0.3"}, measured, settings=throws, search=0.5)


def crawler(kind: str, across: float = 20.0, along: float = 1.0) -> ld.Scenario:
    """Three links whose joints move as filmed, on ground that resists by its kind."""
    robot = ld.Robot("crawler")
    bar = {"mass": 0.1, "shape": ld.Box((0.1, 0.02, 0.02))}
    part = robot.base("link_1", moves="planar", **bar)
    laws = {
        "linear": lambda: Drag(linear=(along, across, 0.0)),
        "quadratic": lambda: Drag(quadratic=(along, across, 0.0)),
        "isotropic": lambda: Drag(linear=(across, across, 0.0)),
    }
    for k in (1, 2, 3):
        if k > 1:
            part = (
                robot.body(f"link_{k}", **bar).on(part, at=(0.05, 0, 0), body_at=(0.05, 0, 0)).turning("z", name=f"joint_{k - 1}")
            )
        robot.wrench(f"ground_{k}", on=part, law=laws[kind]())
    motion = {"joint_1": ld.sine(0.6, omega=3.0), "joint_2": ld.cosine(0.6, omega=3.0)}
    return ld.Scenario("crawler", robot, gravity=(0, 0, 0), imposed=motion, t_end=3.0, dt=0.005, integrator="rkmk4")


def linear(across: float = 20.0, along: float = 1.0) -> ld.Scenario:
    return crawler("linear", across, along)


def quadratic(across: float = 20.0, along: float = 1.0) -> ld.Scenario:
    return crawler("quadratic", across, along)


def isotropic(across: float = 20.0) -> ld.Scenario:
    return crawler("isotropic", across)


@pytest.mark.parametrize(("truth", "name"), [(linear, "linear"), (quadratic, "quadratic")])
def test_the_contact_model_behind_a_film_is_chosen(truth, name):
    """Joints as filmed are imposed; the net motion (0.5 mm of noise) tells the law of the ground (Ali 2011, 2.1)."""
    result = truth(15.0, 2.0).run(progress=False)
    data, rng = Measured.of(result, ("position.x", "position.y")), np.random.default_rng(3)
    data = Measured(data.times[::12], data.values[::12] + 5e-4 * rng.standard_normal(data.values[::12].shape), data.columns)
    over = {"across": "2..30", "along": "0.2..6"}
    models = {"linear": (linear, over), "quadratic": (quadratic, over), "isotropic": (isotropic, {"across": "2..30"})}
    choice = choose_model(models, data, noise={"position.x": 5e-4, "position.y": 5e-4})
    assert choice.best == name and choice.weights[name] > 0.99
    assert sum(choice.weights.values()) == pytest.approx(1.0)
    # Residuals of the right model are the noise: their scatter over it is 1 to 1 / sqrt(2 n), taken four times.
    squares = float(((choice.fits[name].residuals / 5e-4) ** 2).mean())
    assert squares == pytest.approx(1.0, abs=4.0 * math.sqrt(2.0 / data.values.size))


def test_a_choice_needs_models_that_can_be_fitted():
    data = Measured.of(linear().run(progress=False), ("position.x",))
    with pytest.raises(ld.InputError, match="a choice needs two models or more"):
        choose_model({"linear": (linear, {"across": "2..30"})}, data)
    with pytest.raises(ld.InputError, match=r"no model could be fitted: one: .*; two: "):
        choose_model({"one": (linear, {"acros": "2..30"}), "two": (isotropic, {"a": "1..2"})}, data)


def rod(modulus: float = 1e6, damping: float = 5e-3) -> ld.Scenario:
    """A soft rod, clamped, let go bent, in its plane."""
    robot = ld.Robot("whip")
    robot.base("wall", moves="fixed").rod(
        "rod",
        length=0.5,
        section=ld.Circle(0.01),
        material=ld.Material(modulus, 1000.0),
        bending=(0, 2),
        damping=damping,
        nodes=8,
    )
    return ld.Scenario(
        "whip", robot, gravity=(0, 0, 0), start={"rod.bending_z.0": 0.5}, t_end=3.0, dt=0.005, integrator="rkmk4", record_every=4
    )


def test_modulus_and_damping_from_the_motion_of_a_rod():
    """Within four standard errors of what made the data; these errors are far below a percent of E, which the frequency tells."""
    truth = {"modulus": 1.3e6, "damping": 0.01}
    data, rng = Measured.of(rod(**truth).run(progress=False), ("mass_centre.y",)), np.random.default_rng(5)
    noisy = Measured(data.times, data.values + 2e-4 * rng.standard_normal(data.values.shape), data.columns)
    found = fit(rod, {"modulus": "8e5..2e6", "damping": "2e-3..0.03"}, noisy, start={"modulus": 1.2e6})
    off = np.abs(found.values - list(truth.values())) / found.standard_errors
    assert (off < 4.0).all() and (off > 0.0).all()
    assert found.standard_errors[0] < 0.01 * truth["modulus"] and found.standard_errors[1] < 0.1 * truth["damping"]
