"""Results of robots with wheels and loops: variables, names, units, warnings at a loss of rank, resuming."""

import functools
import math
import warnings

import numpy as np
import pytest

import locodyn as ld
from locodyn.errors import InputError
from locodyn.sim.recorders import VARIABLES

TABLE = {  # docs/results.md
    "multiplier": ("time", "constraint"),
    "contact_force": ("time", "contact", "xyz"),
    "wheel_angle": ("time", "wheel"),
    "wheel_rate": ("time", "wheel"),
    "wheel_torque": ("time", "wheel"),
    "constraint_rank": ("time",),
    "constraint_condition": ("time",),
}


@functools.cache
def unicycle():
    return ld.zoo.unicycle().changed(t_end=1.0).run(progress=False)


def test_variables_dims_units():
    dataset = unicycle().dataset
    for name, dims in TABLE.items():
        assert dataset[name].dims == dims and name in VARIABLES
        assert dataset[name].attrs["units"] and dataset[name].attrs["long_name"]
        assert np.isfinite(dataset[name].values).all()
    assert dataset.constraint.values.tolist() == ["right.side", "right.roll", "left.side"]
    assert dataset.multiplier.attrs["units_by_constraint"] == "N, N m, N"
    assert dataset.wheel.values.tolist() == dataset.contact.values.tolist() == ["right", "left"]
    assert dataset.constraint_rank.dtype.kind == "i"
    assert "base_wrench" not in dataset


def test_robots_without_wheels_have_none_of_it():
    dataset = ld.zoo.pendulum().changed(t_end=0.1, dt=0.01).run(progress=False).dataset
    assert not set(TABLE) & set(dataset.data_vars) and "constraint" not in dataset.coords


def test_wheels_that_do_not_roll_leave_no_empty_dimension():
    dataset = ld.zoo.snakeboard().changed(t_end=0.1).run(progress=False).dataset
    assert "wheel_angle" not in dataset and "wheel" not in dataset.coords
    assert dataset.contact.values.tolist() == ["front.wheel", "rear.wheel"]
    friction = ld.zoo.two_axle(contact="friction").changed(t_end=0.1).run(progress=False).dataset
    assert "multiplier" not in friction and "constraint_rank" not in friction


def test_base_wrench_of_projective_torques():
    dataset = ld.zoo.two_axle(torques="projective").changed(t_end=0.1).run(progress=False).dataset
    assert dataset.base_wrench.dims == ("time", "wrench")
    assert dataset["wrench"].values.tolist() == ["fx", "fy", "fz", "mx", "my", "mz"]


def test_contact_forces_are_those_of_the_multipliers():
    """World axes: the side force along the axle, the motor's along the heading."""
    result = unicycle()
    heading = 2.0 * np.arctan2(result.orientation.values[:, 3], result.orientation.values[:, 0])
    ahead = np.column_stack([np.cos(heading), np.sin(heading), 0 * heading])
    aside = np.column_stack([-np.sin(heading), np.cos(heading), 0 * heading])
    row = {str(name): result.multiplier.sel(constraint=name).values for name in result.constraint.values}
    right = row["right.side"][:, None] * aside + (row["right.roll"] / 0.1)[:, None] * ahead
    assert np.abs(result.contact_force.sel(contact="right").values - right).max() < 1e-12
    left = row["left.side"][:, None] * aside
    assert np.abs(result.contact_force.sel(contact="left").values - left).max() < 1e-12


def test_round_trip(tmp_path):
    file = unicycle().save(tmp_path / "a.nc")
    assert ld.Result.load(file).dataset.equals(unicycle().dataset)


@pytest.mark.parametrize(
    "name, parameters", [("unicycle", {}), ("wheeled_snake", {"n": 4}), ("four_bar", {}), ("mobile_manipulator", {})]
)
def test_resumed_run_is_the_uninterrupted_run(tmp_path, name, parameters):
    """The motion bit by bit. Rolling angles go on to round-off, since a sum is begun anew.

    The snake starts at a singular configuration, whose accelerations are extrapolated: 3e-11 of 0.6 rad/s^2 (measured).
    """
    scenario = ld.zoo.make(name, parameters)
    whole = scenario.changed(t_end=1.0).run(progress=False)
    file = tmp_path / "half.nc"
    scenario.changed(t_end=0.5).run(progress=False, out=file)
    resumed = ld.resume(file, 1.0, progress=False)
    assert np.array_equal(resumed.time.values, whole.time.values)
    for variable in whole.dataset.data_vars:
        if variable != "solver_iterations":
            values, wanted = resumed.dataset[variable].values, whole.dataset[variable].values
            assert np.abs(values - wanted).max() <= 1e-9 * max(1.0, np.abs(wanted).max()), variable
    for variable in ("position", "orientation", "twist", "joint_position", "joint_velocity"):
        np.testing.assert_array_equal(resumed.dataset[variable].values, whole.dataset[variable].values, variable)
    if name == "unicycle":
        assert whole.wheel_angle.values[0].tolist() == [0.0, 0.0]
        assert resumed.wheel_angle.sel(wheel="right").values[-1] == pytest.approx(2.5 * (1 - math.sin(1.0)), abs=1e-9)
    assert set(resumed.dataset.attrs) == set(whole.dataset.attrs)


def test_rank_changes_are_noted_and_warned_of(tmp_path):
    scenario = ld.zoo.wheeled_snake(n=3).changed(t_end=2 * math.pi, dt=math.pi / 300)
    with pytest.warns(ld.sim.RankWarning, match="changes between 2 and 3"):
        result = scenario.run(progress=False, out=tmp_path / "a.nc")
    times = [math.pi / 300, math.pi, 301 * math.pi / 300, 2 * math.pi]
    assert result.attributes["rank_changes"] == pytest.approx(times)
    assert ld.Result.load(tmp_path / "a.nc").attributes["rank_changes"] == pytest.approx(times)


def test_a_singular_start_is_noted_only():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = ld.zoo.wheeled_snake(n=3).changed(t_end=1.0).run(progress=False)
    assert np.atleast_1d(result.attributes["rank_changes"]) == pytest.approx([0.01])
    assert "rank_changes" not in unicycle().attributes


def test_simulate_takes_the_same_words():
    """A cart on two driven wheels: given torques, given rolling, given speed; the speed is the same in all three."""
    robot = ld.Robot("cart")
    cart = robot.base("cart", moves="planar", mass=2.0, inertia=ld.about_centre(zz=0.1))
    for name, y in (("left", 0.2), ("right", -0.2)):
        cart.wheel(name, at=(0, y, 0), axis="y", radius=0.1, actuated=True)
    torque, common = 0.3, {"t_end": 1.0, "progress": False}
    rate = 2 * torque / 0.1 / 2.0  # acceleration of the cart: two forces torque / radius on 2 kg
    pushed = ld.simulate(robot, wheel_torque={"left": torque, "right": torque}, **common)
    law = ld.polynomial(0, 0, rate / 2 / 0.1)
    rolled = ld.simulate(robot, rolling={"left": law, "right": law}, **common)
    led = ld.simulate(robot, speeds=[("cart", (1, 0, 0), ld.polynomial(0, 0, rate / 2))], equal=[("left", "right")], **common)
    for result in (pushed, rolled, led):
        assert result.position.values[-1, 0] == pytest.approx(rate / 2, abs=1e-12)
        assert result.twist.values[-1, 0] == pytest.approx(rate, abs=1e-12)
        assert np.abs(result.wheel_torque.values - torque).max() < 1e-12
        assert result.wheel_angle.values[-1] == pytest.approx([rate / 2 / 0.1] * 2, abs=1e-10)
        assert np.abs(result.power_actuators.values - 2 * torque * result.twist.values[:, 0] / 0.1).max() < 1e-12
    with pytest.raises(InputError, match="did you mean 'wheel_torque'"):
        ld.simulate(robot, wheel_torqe={}, **common)
