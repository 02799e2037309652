"""Bad scenarios, parameters, starts and files: each mistake has its own sentence."""

import math
import os

import numpy as np
import pytest

import locodyn as ld
from locodyn.errors import InputError
from locodyn.sim import Parameter, Scenario, Start
from locodyn.sim.parameter import fill
from locodyn.sim.store import check_writable, load_dataset, write_beside


@pytest.fixture(scope="module")
def robot():
    arm = ld.Robot("arm")
    ground = arm.base("ground", moves="fixed")
    inertia = ld.about_centre(xx=0.1, yy=0.1, zz=0.1)
    upper = arm.body("upper", mass=1.0, inertia=inertia, centre=(0, 0, -0.5)).on(ground).turning("y", name="shoulder")
    arm.body("hand", mass=1.0, inertia=inertia).on(upper, at=(0, 0, -1)).ball(name="wrist")
    return arm


@pytest.mark.parametrize(
    "fields, words",
    [
        ({"t_end": 0}, "the end time is 0 s"),
        ({"t_end": math.nan}, "must be positive and finite"),
        ({"t_end": "long"}, "must be a number"),
        ({"dt": -0.1}, "the step is -0.1 s"),
        ({"dt": 2.0, "t_end": 1.0}, "longer than the run"),
        ({"tolerance": 0}, "the tolerance is 0"),
        ({"integrator": "rkmk"}, "did you mean 'rkmk4'"),
        ({"record_every": 0}, "at least 1"),
        ({"gravity": (0, 0)}, "three finite numbers"),
        ({"imposed": {"sholder": 0.0}}, "did you mean 'shoulder'"),
        ({"imposed": {"shoulder": 0.0}, "torque": {"shoulder": 1.0}}, "both imposed and torque-driven"),
        ({"imposed": {"shoulder": "sine"}}, "must be a law"),
        ({"start": "rest"}, "must be 'zero_momentum'"),
        ({"start": 3}, "must be 'zero_momentum'"),
    ],
)
def test_scenario(robot, fields, words):
    with pytest.raises(InputError) as caught:
        Scenario("arm", robot, **fields)
    assert words in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "start, words",
    [
        (Start({"elbow": 1.0}), "no position 'elbow'"),
        (Start({"shoulder": "up"}), "must be numbers"),
        (Start({"shoulder": math.inf}), "not finite"),
        (Start({"wrist": (1.0, 2.0)}), "must be 4 numbers"),
        (Start({"wrist": (0.0, 0.0, 0.0, 0.0)}), "must have length one"),
        (Start([0.0, 1.0]), "must be 5 numbers"),
        (Start(velocities={"wrist": (1.0,)}), "must be 3 numbers"),
        (Start(velocities=[1.0]), "must be 4 numbers"),
    ],
)
def test_start(robot, start, words):
    with pytest.raises(InputError) as caught:
        Scenario("arm", robot, start=start).initial_state()
    assert words in str(caught.value) and "\n" not in str(caught.value)


def test_start_against_an_imposed_motion(robot):
    scenario = Scenario("arm", robot, imposed={"shoulder": ld.cosine(1.0, omega=1)}, start={"shoulder": 0.3})
    with pytest.raises(InputError, match=r"imposed and its motion starts at 1, but the start says 0\.3"):
        scenario.initial_state()


def test_start_by_name(robot):
    scenario = Scenario("arm", robot, start=Start({"shoulder": 0.2, "wrist": (0.0, 0.0, math.pi / 2)}, {"wrist": (1, 2, 3)}))
    q, v = scenario.initial_state()
    assert np.allclose(q, [0.2, math.sqrt(0.5), 0, 0, math.sqrt(0.5)], atol=1e-15)
    assert np.allclose(v, [0, 1, 2, 3])


def test_motion_of_the_run(robot):
    kinked = Scenario("arm", robot, imposed={"shoulder": ld.samples([0, 1, 5], [0, 1, 0])}, t_end=2.0)
    with pytest.raises(InputError, match="motion of 'shoulder' is not twice differentiable near t = 1 s"):
        kinked.run(progress=False)
    short = Scenario("arm", robot, torque={"shoulder": ld.samples([0, 1], [0, 1])}, t_end=2.0)
    with pytest.raises(InputError, match="known from 0 s to 1 s, but the run goes from 0 s to 2 s"):
        short.run(progress=False)


def test_unknown_options(robot):
    with pytest.raises(InputError, match="simulate has no option 'grvity'; did you mean 'gravity'"):
        ld.simulate(robot, grvity=(0, 0, 0))
    with pytest.raises(InputError, match="a scenario has no 'end'"):
        Scenario("arm", robot).changed(end=3)


TABLE = (
    Parameter("n", 3, "-", "here", "a count", least=1),
    Parameter("m", 1.5, "kg", "here", "a mass", above=0.0, aliases=("mass",)),
    Parameter("axis", (0.0, 0.0, 1.0), "-", "here", "three numbers"),
    Parameter("lengths", (1.0,), "m", "here", "any", any_length=True),
    Parameter("case", "A", "-", "here", "a word", choices=("A", "B")),
    Parameter("loud", False, "-", "here", "a switch"),
)


def test_parameters():
    given = {"n": "4", "mass": "2", "axis": "1, 0,0", "lengths": "1,2", "case": "B", "loud": "yes"}
    values = fill(TABLE, given, "thing")
    assert values == {"n": 4, "m": 2.0, "axis": (1.0, 0.0, 0.0), "lengths": (1.0, 2.0), "case": "B", "loud": True}
    assert fill(TABLE, {}, "thing") == {p.name: p.value for p in TABLE}


@pytest.mark.parametrize(
    "given, words",
    [
        ({"mas": 1}, "'thing' has no parameter 'mas'; did you mean 'mass'"),
        ({"n": "2.5"}, "must be a whole number"),
        ({"n": 0}, "at least 1"),
        ({"m": "heavy"}, "must be a number"),
        ({"m": "nan"}, "must be finite"),
        ({"m": -1}, "greater than 0"),
        ({"m": True}, "must be a number"),
        ({"axis": "1,2"}, "has 2 numbers"),
        ({"axis": "a,b,c"}, "3 numbers such as"),
        ({"case": "C"}, "one of A, B"),
        ({"loud": "maybe"}, "true or false"),
    ],
)
def test_bad_parameters(given, words):
    with pytest.raises(InputError) as caught:
        fill(TABLE, given, "thing")
    assert words in str(caught.value)


def test_damaged_and_foreign_files(tmp_path):
    import xarray

    with pytest.raises(InputError, match="there is no result file"):
        load_dataset(tmp_path / "none.nc")
    bad = tmp_path / "bad.nc"
    bad.write_bytes(b"not a file of ours")
    with pytest.raises(InputError, match="damaged or not a NetCDF-4 file"):
        load_dataset(bad)
    foreign = tmp_path / "foreign.nc"
    xarray.Dataset({"a": ("time", [1.0])}, {"time": [0.0]}).to_netcdf(foreign, engine="h5netcdf")
    with pytest.raises(InputError, match="not a result of locodyn"):
        load_dataset(foreign)
    whole = foreign.read_bytes()
    foreign.write_bytes(whole[: len(whole) // 3])
    with pytest.raises(InputError, match="damaged"):
        load_dataset(foreign)


def test_unwritable(tmp_path):
    with pytest.raises(InputError, match="there is no folder"):
        check_writable(tmp_path / "no" / "a.nc")
    with pytest.raises(InputError, match="is a folder"):
        check_writable(tmp_path)
    if os.geteuid() != 0:
        tmp_path.chmod(0o500)
        with pytest.raises(InputError, match="cannot be written"):
            check_writable(tmp_path / "a.nc")


def test_a_file_is_whole_or_not_there(tmp_path):
    file = tmp_path / "a.txt"

    def broken(path):
        path.write_text("half")
        raise OSError(28, "No space left on device")

    with pytest.raises(InputError, match="No space left"):
        write_beside(file, broken)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_step_that_does_not_converge_says_what_to_do():
    """A torque that changes its sign every 3e-7 rad: no part of a step is short enough for Newton's method."""
    robot = ld.Robot("pendulum")
    robot.body("bob", mass=1.0, centre=(0, 0, -0.5)).on(robot.base("ground", moves="fixed")).turning("y")
    wild = {"bob": lambda t, q, v: 1e7 * math.sin(1e7 * q[0])}
    result = ld.simulate(robot, torque=wild, start={"bob": 0.3}, integrator="gauss2", t_end=0.5, dt=0.1, progress=False)
    assert result.failed and result.status.startswith("failed: the step at t = 0 s did not converge")
    assert result.status.endswith("try a smaller step")
