"""Results of robots that roll in space: where they touch, what is saved, going on, falling."""

import numpy as np
import pytest

import locodyn as ld
from locodyn.errors import InputError
from locodyn.robot.pose import rotation_of_quaternion
from locodyn.sim import Scenario, Start
from locodyn.sim.touching import contact_angles, contacts_of

pytestmark = pytest.mark.slow


def coin(lean=0.2, spin=1.0, **fields):
    """A disc that rolls too slowly, and falls."""
    robot = ld.Robot("coin")
    body = robot.base("coin", mass=1.0, inertia=ld.about_centre(xx=0.0025, yy=0.005, zz=0.0025))
    body.rolling("rim", radius=0.1, axis="y")
    start = Start(
        {"coin": (0.0, 0.0, 0.1, lean, 0.0, 0.0)}, {"coin.wy": spin}, adjust="coin.vz", keep=("coin.wx", "coin.wy", "coin.wz")
    )
    return Scenario("coin", robot, start=start, **{"t_end": 2.0, "dt": 0.002, **fields})


def test_contact_points_are_labelled_saved_and_loaded(tmp_path):
    result = ld.zoo.bicycle(case="turn").changed(t_end=1.5).run(progress=False)
    assert result.contact_point.dims == ("time", "contact", "xyz") and result.contact_point.attrs["units"] == "m"
    loaded = ld.Result.load(result.save(tmp_path / "a.nc"))
    assert (loaded.contact_point.values == result.contact_point.values).all()
    assert contacts_of(loaded.dataset) == contacts_of(result.dataset)
    for name, values in contact_angles(loaded.dataset).items():
        assert (values == contact_angles(result.dataset)[name]).all()


def test_contact_points_of_planar_wheels_move_with_their_bodies():
    result = ld.zoo.car().changed(t_end=1.0).run(progress=False)
    r = rotation_of_quaternion(result.orientation.values)
    for name, y in (("rear_right", -0.75), ("rear_left", 0.75)):
        offset = result.contact_point.sel(contact=name).values - result.position.values
        at = next(wheel.at for _, wheel in result.scenario.compiled.description.wheels if wheel.name == name)
        assert np.sign(at[1]) == np.sign(y)
        assert np.abs(offset - r @ at).max() < 1e-14


def test_the_touching_point_runs_while_the_material_point_rests():
    """On a circle of the radius rho + r sin(lean), with the rate of the precession: closed form."""
    from locodyn.zoo.robots.rolling_disc import precession

    result = ld.zoo.rolling_disc().run(progress=False)
    p = {q.name: q.value for q in result.scenario.parameters}
    steps = np.linalg.norm(np.diff(result.contact_point.values[:, 0], axis=0), axis=1)
    chord = 2 * (p["rho"] + p["r"] * np.sin(p["lean"])) * np.sin(0.5 * precession(p) * np.diff(result.time.values))
    assert np.abs(steps - chord).max() < 1e-9


def test_resumed_bicycle_is_the_uninterrupted_one(tmp_path):
    scenario = ld.zoo.bicycle(case="turn")
    scenario.changed(t_end=1.0).run(progress=False, out=tmp_path / "a.nc")
    resumed = ld.zoo.resume(tmp_path / "a.nc", 2.0, progress=False)
    whole = scenario.changed(t_end=2.0).run(progress=False)
    for name in ("position", "contact_point", "contact_force", "joint_torque"):
        assert np.abs(resumed.dataset[name].values - whole.dataset[name].values).max() < 1e-7, name


def test_a_coin_falls(tmp_path):
    """It is kept until its axis is within 0.1411 of the vertical, and not beyond."""
    result = coin().run(progress=False, out=tmp_path / "a.nc")
    last, step = float(result.time.values[-1]), 0.002
    assert result.failed and result.status == f"failed: the wheel 'rim' lies flat at t = {last + step:g} s"
    upward = np.abs((rotation_of_quaternion(result.orientation.values) @ [0.0, 1.0, 0.0])[:, 2])
    assert upward.max() <= 0.99 and upward[-1] > 0.9
    assert all(np.isfinite(values.values).all() for values in result.dataset.data_vars.values())
    with pytest.raises(InputError, match=r"lies flat at t = .*; only a sound run can be resumed"):
        ld.zoo.resume(tmp_path / "a.nc", 3.0, coin(), progress=False)


def test_a_coin_falls_in_a_resumed_run_and_with_adaptive_steps(tmp_path):
    whole = coin().run(progress=False)
    until = 0.5 * float(whole.time.values[-1])
    coin(t_end=round(until / 0.002) * 0.002).run(progress=False, out=tmp_path / "a.nc")
    resumed = ld.zoo.resume(tmp_path / "a.nc", 2.0, coin(), progress=False)
    assert resumed.status == whole.status
    assert coin(integrator="adaptive").run(progress=False).status == whole.status


def test_a_coin_on_a_slope_falls_onto_the_slope():
    """Flat is what lies along the plane of the contact, not what is level."""
    robot = ld.Robot("coin")
    body = robot.base("coin", mass=1.0, inertia=ld.about_centre(xx=0.0025, yy=0.005, zz=0.0025))
    normal = np.array([0.0, np.sin(0.5), np.cos(0.5)])
    body.rolling("rim", radius=0.1, axis="y", normal=normal)
    every = tuple(f"coin.{word}" for word in ("vx", "vy", "vz", "wx", "wy", "wz"))
    start = Start({"coin": (0.0, 0.0, 0.1, np.pi / 2, 0.0, 0.0)}, adjust=every)  # level: leans by 1.07 rad on the slope
    with pytest.raises(InputError, match="the wheel 'rim' lies flat at the start"):
        Scenario("coin", robot, start=Start({"coin": (0.0, 0.0, 0.1, np.pi / 2 - 0.5, 0.0, 0.0)}), t_end=0.1).run(progress=False)
    with pytest.warns(UserWarning, match="lift off"):
        result = Scenario("coin", robot, start=start, t_end=1.0, dt=0.002).run(progress=False)
    assert "the wheel 'rim' lies flat" in result.status
    axis = rotation_of_quaternion(result.orientation.values) @ [0.0, 1.0, 0.0]
    assert np.abs(axis @ normal).max() <= 0.99
