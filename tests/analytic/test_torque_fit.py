"""Inertia and friction from joint torques: base parameters by hand, exact data, noise, what is refused."""

import numpy as np
import pytest

import locodyn as ld
from locodyn.study import Measured, fit_torques

LENGTH, TIMES = 0.4, np.linspace(0.0, 4.0, 401)
NAMES = ("one", "two")


def arm(friction: bool = True) -> ld.Scenario:
    """Two links in a vertical plane, with rotors and friction."""
    robot = ld.Robot("arm")
    base = robot.base("ground", moves="fixed")
    inertia = ld.about_centre(xx=0.01, yy=0.02, zz=0.015)
    one = robot.body("upper", mass=1.5, centre=(0.15, 0.0, 0.03), inertia=inertia).on(base).turning("y", name="one")
    two = (
        robot.body("lower", mass=0.8, centre=(0.2, 0.0, -0.02), inertia=inertia)
        .on(one, at=(LENGTH, 0, 0))
        .turning("y", name="two")
    )
    for joint, (rotor, viscous, coulomb) in zip((one, two), ((0.03, 0.2, 0.5), (0.01, 0.1, 0.3)), strict=True):
        words = {"viscous": viscous, "coulomb": coulomb, "coulomb_speed": 1e-3} if friction else {}
        joint.actuator(armature=rotor, **words)
    motion = {
        "one": ld.sine(0.8, omega=2.0) + ld.sine(0.3, omega=5.0),
        "two": ld.sine(0.9, omega=3.0) + ld.cosine(0.2, omega=7.0),
    }
    return ld.Scenario("arm", robot, imposed=motion, t_end=4.0, dt=0.01, integrator="rkmk4")


@pytest.fixture(scope="module")
def result() -> ld.Result:
    return arm().run(progress=False)


def told(result: ld.Result, noise: float = 0.0, joints: int = 2) -> Measured:
    """What was measured: motion, and torques with noise."""
    data, rng = result.dataset, np.random.default_rng(1)
    words = [f"joint_{what}.{name}" for what in ("position", "velocity", "acceleration", "torque") for name in NAMES[:joints]]
    values = np.column_stack([data[word.partition(".")[0]].sel(joint=word.partition(".")[2]).values for word in words])
    values[:, -joints:] += noise * rng.standard_normal((len(values), joints))
    return Measured(np.asarray(result.time.values), values, tuple(words))


def test_exact_torques_give_the_base_parameters_of_the_robot(result):
    """A double pendulum in its plane has seven: J1 + m2 l^2 with the first rotor, two moments each (that of the first with m2 l),
    J2, and the second rotor; friction of two kinds in two joints adds four (Gautier 1991).
    """
    found = fit_torques(arm(), told(result))
    assert len(found.names) == 7 + 4
    assert np.abs(found.residuals).max() < 1e-9
    assert np.allclose(found.values, found.described, rtol=1e-7, atol=1e-9)
    # The group of the first joint: its inertia about the axis, that rotor, and m2 l^2, in whatever name they hide.
    groups = [group for group in found.combinations.values() if {"one.rotor", "two.mass"} <= group.keys()]
    assert len(groups) == 1
    group = groups[0]
    assert group["two.mass"] / group["one.rotor"] == pytest.approx(LENGTH**2, rel=1e-6)
    assert found.parameters["two.viscous"] == pytest.approx(0.1, rel=1e-7)
    assert found.parameters["one.coulomb"] == pytest.approx(0.5, rel=1e-7)


def test_noise_leaves_errors_of_the_size_that_theory_gives(result, tmp_path):
    """sigma^2 (Y^T Y)^-1; scatter of 802 residuals tells sigma to 1 / sqrt(2 * 802) = 2.5 %, taken four times."""
    sigma = 0.02
    found = fit_torques(arm(), told(result, sigma))
    off = np.abs(found.values - found.described) / found.standard_errors
    assert (off < 4.0).all() and (off > 0.0).all()  # beyond 4 in 1 of 16,000 cases
    flat = found.slopes.reshape(-1, len(found.names))
    expected = sigma * np.sqrt(np.diag(np.linalg.inv(flat.T @ flat)))
    assert np.allclose(found.standard_errors, expected, rtol=0.1)
    assert found.plot(tmp_path / "torques.png").stat().st_size > 5000


def test_what_cannot_be_told_is_refused(result):
    still = told(result)
    slow = Measured(still.times, np.hstack([0.0 * still.values[:, :6], still.values[:, 6:]]), still.columns)
    with pytest.raises(ld.RunError, match="the motion does not tell"):
        fit_torques(arm(), slow)
    with pytest.raises(ld.InputError, match="needs a fixed base"):
        fit_torques("snakeboard", still)
    with pytest.raises(ld.InputError, match="a fit needs more"):
        fit_torques(arm(), Measured(still.times[:4], still.values[:4], still.columns))
