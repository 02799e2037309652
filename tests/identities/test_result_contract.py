"""A run gives the dataset of the contract, keeps it on disk, survives interruption, goes on to the same bits."""

import json

import numpy as np
import pytest

import locodyn as ld
from locodyn.errors import InputError
from locodyn.sim.recorders import VARIABLES

TABLE = {  # docs/results.md
    "position": ("time", "xyz"),
    "orientation": ("time", "quat"),
    "twist": ("time", "twist"),
    "acceleration": ("time", "twist"),
    "joint_position": ("time", "joint"),
    "joint_velocity": ("time", "joint"),
    "joint_acceleration": ("time", "joint"),
    "joint_torque": ("time", "joint"),
    "body_position": ("time", "body", "xyz"),
    "body_orientation": ("time", "body", "quat"),
    "mass_centre": ("time", "xyz"),
    "mass_centre_velocity": ("time", "xyz"),
    "linear_momentum": ("time", "xyz"),
    "angular_momentum": ("time", "xyz"),
    "kinetic_energy": ("time",),
    "potential_energy": ("time",),
    "power_actuators": ("time",),
    "power_dissipated": ("time",),
    "constraint_residual": ("time",),
    "solver_iterations": ("time",),
}
ATTRIBUTES = (
    "scenario parameters classification integrator step tolerance library_version wall_time compile_time status"
).split()


@pytest.fixture(scope="module")
def result():
    return ld.zoo.free_chain(n=3).changed(t_end=1.0, dt=0.01).run(progress=False)


def test_variables_dims_units(result):
    dataset = result.dataset
    assert set(dataset.data_vars) == set(TABLE)
    for name, dims in TABLE.items():
        assert dataset[name].dims == dims, name
        assert dataset[name].attrs["units"] and dataset[name].attrs["long_name"], name
        assert np.isfinite(dataset[name].values).all(), name
    assert dataset.time.attrs["units"] == "s"
    assert dataset.joint.values.tolist() == ["joint_1", "joint_2"]
    assert dataset.body.values.tolist() == ["body_0", "body_1", "body_2"]
    assert dataset.twist_component.values.tolist() == ["vx", "vy", "vz", "wx", "wy", "wz"]
    assert set(TABLE) <= set(VARIABLES)
    for name in ATTRIBUTES:
        assert name in dataset.attrs
    assert json.loads(dataset.attrs["parameters"])["n"] == 3
    assert result.status == "completed" and not result.failed
    assert result.time.values[[0, -1]] == pytest.approx([0.0, 1.0])


@pytest.mark.parametrize("dt, every", [(0.01, 1), (0.03, 1), (0.01, 7), pytest.param(0.4, 3, marks=pytest.mark.slow)])
def test_last_record_is_at_the_end(dt, every):
    run = ld.zoo.pendulum().changed(t_end=1.0, dt=dt, record_every=every).run(progress=False)
    assert run.time.values[-1] == pytest.approx(1.0, abs=1e-12)
    assert run.attributes["step"] <= dt
    assert (run.attributes["step"] == dt) == (every * dt == 0.01)


def test_attribute_access(result):
    assert result.joint_torque.sel(joint="joint_1").dims == ("time",)
    with pytest.raises(AttributeError, match="did you mean 'joint_torque'"):
        result.joint_torques  # noqa: B018


def test_units_follow_the_joints():
    slider = ld.Robot("slider")
    ground = slider.base("ground", moves="fixed")
    inertia = ld.about_centre(xx=1, yy=1, zz=1)
    cart = slider.body("cart", mass=1.0, inertia=inertia).on(ground).sliding("x")
    slider.body("bob", mass=1.0, inertia=inertia, centre=(0, 0, -1)).on(cart).turning("y")
    run = ld.simulate(slider, t_end=0.1, dt=0.01, progress=False)
    assert run.joint_torque.attrs["units"] == "N m or N"
    assert run.joint_position.attrs["units_by_joint"] == "m, rad"
    assert run.attributes["scenario"] == "slider"


def test_round_trip(result, tmp_path):
    file = result.save(tmp_path / "a.nc")
    again = ld.Result.load(file)
    assert again.dataset.equals(result.dataset)
    assert set(again.dataset.data_vars) == set(result.dataset.data_vars)
    assert again.parameters == result.parameters
    assert np.array_equal(again.attributes["resume_position"], result.attributes["resume_position"])
    assert [f.name for f in tmp_path.iterdir()] == ["a.nc"]


@pytest.mark.parametrize("integrator", ["rkmk4", "adams", "variational"])
def test_resumed_run_is_the_uninterrupted_run(tmp_path, integrator):
    joints = "revolute" if integrator == "variational" else "spherical"
    scenario = ld.zoo.pendulum(n=2, joints=joints).changed(dt=0.01, record_every=2, integrator=integrator)
    whole = scenario.changed(t_end=1.0).run(progress=False)
    file = tmp_path / "half.nc"
    scenario.changed(t_end=0.5).run(progress=False, out=file)
    resumed = ld.resume(file, 1.0, progress=False)
    for name in whole.dataset.data_vars:
        if name != "solver_iterations":
            assert np.array_equal(resumed.dataset[name].values, whole.dataset[name].values), name
    assert np.array_equal(resumed.time.values, whole.time.values)
    assert ld.Result.load(file).time.values[-1] == pytest.approx(1.0)


def test_resume_refuses(tmp_path):
    file = tmp_path / "a.nc"
    ld.zoo.pendulum().changed(t_end=0.1, dt=0.01).run(progress=False, out=file)
    with pytest.raises(InputError, match=r"reached t = 0\.1 s already"):
        ld.resume(file, 0.1, progress=False)
    with pytest.raises(InputError, match="give the scenario of that run"):
        ld.resume(file, 1.0, ld.zoo.pendulum(n=2), progress=False)
    file.write_bytes(file.read_bytes()[:200])
    with pytest.raises(InputError, match="damaged"):
        ld.resume(file, 1.0, progress=False)


def chain(**torque):
    robot = ld.Robot("wheel")
    ground = robot.base("ground", moves="fixed")
    robot.body("rotor", mass=1.0, inertia=ld.about_centre(xx=1, yy=1, zz=1)).on(ground).turning("z")
    return ld.Scenario("wheel", robot, torque=torque, t_end=1.0, dt=0.01)


def test_ctrl_c_keeps_what_is_there(tmp_path):
    def interrupt(t, q, v):
        if t > 0.5:
            raise KeyboardInterrupt
        return 1.0

    file = tmp_path / "a.nc"
    result = chain(rotor=interrupt).run(progress=False, out=file)
    assert result.status.startswith("interrupted at t = 0.")
    kept = ld.Result.load(file)
    assert 0.0 < kept.time.values[-1] <= 0.51
    assert kept.joint_velocity.values[-1, 0] == pytest.approx(kept.time.values[-1], abs=1e-12)  # constant torque, inertia 1
    assert np.isfinite(kept.joint_torque.values).all()


def test_numbers_that_go_bad_fail_the_run(tmp_path):
    file = tmp_path / "a.nc"
    result = chain(rotor=lambda t, q, v: 1.0 if t < 0.5 else float("nan")).run(progress=False, out=file)
    assert result.failed and result.status.startswith("failed: ")
    kept = ld.Result.load(file)
    assert kept.status == result.status and 0.0 < kept.time.values[-1] <= 0.51
    assert np.isfinite(kept.joint_velocity.values).all()
    with pytest.raises(InputError, match="only a sound run can be resumed"):
        ld.resume(file, 2.0, chain(), progress=False)


def test_python_loop_gives_the_same_motion():
    compiled = chain(rotor=ld.sine(1.0, omega=3.0)).run(progress=False)
    python = chain(rotor=lambda t, q, v: np.sin(3.0 * t)).run(progress=False)
    assert compiled.attributes["time_loop"] == "compiled" and python.attributes["time_loop"] == "Python"
    assert np.allclose(compiled.joint_position.values, python.joint_position.values, atol=1e-14)
