"""FMUs of robots, run by FMPy, against the library's own runs."""

import zipfile

import numpy as np
import pytest

import locodyn as ld
from locodyn.symbolic.export import compiler
from locodyn.symbolic.fmu import write_fmu

fmpy = pytest.importorskip("fmpy")
pytestmark = pytest.mark.skipif(compiler() is None, reason="there is no C compiler on this machine")


@pytest.fixture(scope="module")
def pendulum(tmp_path_factory):
    """A chain of two links that swings freely, with all its parameters."""
    file = tmp_path_factory.mktemp("fmu") / "pendulum.fmu"
    scenario = ld.zoo.pendulum(n=2)
    assert "compiled with" in write_fmu(scenario, file, name="pendulum", parameters={"n": 2}, symbols="all")
    return scenario, file


def instance(file, kind):
    """An instance of an FMU, initialised, and the references of its variables by name."""
    from fmpy.fmi3 import FMU3Model, FMU3Slave

    described = fmpy.read_model_description(str(file))
    part = described.modelExchange if kind == "me" else described.coSimulation
    made = (FMU3Model if kind == "me" else FMU3Slave)(
        guid=described.guid, unzipDirectory=fmpy.extract(str(file)), modelIdentifier=part.modelIdentifier
    )
    made.instantiate()
    made.enterInitializationMode()
    made.exitInitializationMode()
    return made, {v.name: v.valueReference for v in described.modelVariables}


def test_the_description_is_that_of_the_standard(pendulum):
    from fmpy.validation import validate_fmu

    assert validate_fmu(str(pendulum[1])) == []
    described = fmpy.read_model_description(str(pendulum[1]))
    units = {v.name: v.unit for v in described.modelVariables}
    assert units["q.joint_1"] == "rad" and units["u.joint_2"] == "rad/s" and units["tau.joint_1"] == "N m"
    assert units["g"] == "m/s^2" and units["masses_1"] == "kg"


def test_co_simulation_is_the_own_run(pendulum):
    """Both step by the classical Runge-Kutta method with the same step; on joint angles they are the same method."""
    scenario, file = pendulum
    wanted = scenario.changed(t_end=1.0, dt=0.002, integrator="rkmk4").run(progress=False)
    got = fmpy.simulate_fmu(str(file), stop_time=1.0, output_interval=0.01, fmi_type="CoSimulation")
    for joint in wanted.joint.values:
        for name, variable in (("q", "joint_position"), ("u", "joint_velocity")):
            there = wanted.dataset[variable].sel(joint=joint).interp(time=got["time"]).values
            assert np.abs(got[f"{name}.{joint}"] - there).max() < 1e-9  # round-off of 500 steps of a double pendulum


def test_model_exchange_tends_to_the_own_run(pendulum):
    """CVODE with a tolerance against our own adaptive run with a tighter one."""
    scenario, file = pendulum
    wanted = scenario.changed(t_end=1.0, integrator="adaptive", tolerance=1e-12).run(progress=False)
    errors = []
    for tolerance in (1e-5, 1e-9):
        got = fmpy.simulate_fmu(
            str(file), stop_time=1.0, output_interval=0.5, fmi_type="ModelExchange", relative_tolerance=tolerance
        )
        errors.append(abs(got["q.joint_2"][-1] - float(wanted.joint_position.sel(joint="joint_2")[-1])))
    assert errors[1] < 1e-6 and errors[1] < 1e-2 * errors[0]


def test_a_platform_in_space_with_wheels_of_torque(tmp_path):
    """Quaternions, and inputs that change: the rates of model exchange are the accelerations of the robot, at random states."""
    scenario = ld.zoo.satellite()
    file = tmp_path / "satellite.fmu"
    write_fmu(scenario, file, name="satellite")
    made, place = instance(file, "me")
    rng = np.random.default_rng(3)
    model, compiled = scenario.model, scenario.compiled
    q, v, tau = rng.normal(size=model.nq), rng.normal(size=model.nv), np.zeros(model.nv)
    first = next(i for i, name in enumerate(compiled.position_names) if name.endswith("qw"))
    q[first : first + 4] /= np.linalg.norm(q[first : first + 4])
    motors = [i for i, name in enumerate(compiled.coordinate_names) if f"tau.{name}" in place]
    tau[motors] = rng.normal(size=len(motors))
    made.setContinuousStates((np.concatenate([q, v])).ctypes.data_as(pointer()), len(q) + len(v))
    made.setFloat64([place[f"tau.{compiled.coordinate_names[i]}"] for i in motors], [float(tau[i]) for i in motors])
    rates = made.getFloat64([place[f"der(u.{name})"] for name in compiled.coordinate_names])
    assert motors and np.abs(np.array(rates) - model.forward_dynamics(q, v, tau)).max() < 1e-12 * np.abs(rates).max()
    turning = [place[f"der(q.{name})"] for name in compiled.position_names[first : first + 4]]
    wanted = made.getFloat64(turning)
    q[first : first + 4] *= 1.01  # as a solver outside might leave it: the rates are those at norm 1
    made.setContinuousStates((np.concatenate([q, v])).ctypes.data_as(pointer()), len(q) + len(v))
    assert made.getFloat64(turning) == pytest.approx(wanted, rel=1e-12)
    made.terminate()
    made.freeInstance()


def test_wheels_and_motion_that_is_given(tmp_path):
    """A snakeboard whose joints are moved: rates of the independent speed are the accelerations of the library."""
    scenario = ld.zoo.snakeboard()
    file = tmp_path / "snakeboard.fmu"
    write_fmu(scenario, file, name="snakeboard", drive="scenario")
    made, place = instance(file, "me")
    compiled, problem = scenario.compiled, scenario.problem
    joints = [name for name in compiled.coordinate_names if f"v_given.{name}" in place]
    speeds = [name for name in compiled.coordinate_names if f"u.{name}" in place]
    assert len(joints) == 3 and len(speeds) == 1  # one free direction
    for t in (0.3, 1.7):
        q, v = problem.start_state(t, np.zeros(problem.model.nq), np.full(problem.model.nv, 0.3))
        a = problem.accelerations(t, q, v)
        number = {name: i for i, name in enumerate(compiled.coordinate_names)}
        state = np.array([*q, *(v[number[name]] for name in speeds)])
        made.setContinuousStates(state.ctypes.data_as(pointer()), len(state))
        made.setFloat64([place[f"v_given.{name}"] for name in joints], [float(v[number[name]]) for name in joints])
        made.setFloat64([place[f"a_given.{name}"] for name in joints], [float(a[number[name]]) for name in joints])
        rates = made.getFloat64([place[f"der(u.{name})"] for name in speeds])
        assert rates == pytest.approx([a[number[name]] for name in speeds], rel=1e-10)
    made.freeInstance()


def test_directional_derivatives_are_those_of_forward_dynamics(pendulum):
    """Exact to round-off against the derivatives of the kernels; by a parameter against differences."""
    scenario, file = pendulum
    made, place = instance(file, "me")
    joints = scenario.compiled.coordinate_names
    rng = np.random.default_rng(5)
    q, v, tau, dq, dv, dtau = rng.normal(size=(6, 2))
    made.setContinuousStates(np.concatenate([q, v]).ctypes.data_as(pointer()), 4)
    made.setFloat64([place[f"tau.{joint}"] for joint in joints], list(tau))
    knowns = [place[f"{letter}.{joint}"] for letter in ("q", "u", "tau") for joint in joints]
    rates = [place[f"der({letter}.{joint})"] for letter in ("q", "u") for joint in joints]
    found = made.getDirectionalDerivative(rates, knowns, [*dq, *dv, *dtau])
    by_q, by_v, by_tau = scenario.model.forward_dynamics_derivatives(q, v, tau)
    wanted = np.concatenate([dv, by_q @ dq + by_v @ dv + by_tau @ dtau])
    assert found == pytest.approx(wanted, rel=1e-11)
    assert made.getDirectionalDerivative([place["q.joint_1"]], [place["q.joint_1"], place["time"]], [3.0, 1.0]) == [3.0]

    def at(g):
        made.setFloat64([place["g"]], [g])
        return np.array(made.getFloat64(rates))

    slope = at(10.0) - at(9.0)  # gravity enters linearly
    assert made.getDirectionalDerivative(rates, [place["g"]], [1.0]) == pytest.approx(slope, rel=1e-10)
    with pytest.raises(fmpy.fmi1.FMICallException):
        made.getDirectionalDerivative(rates, [rates[0]], [1.0])
    made.freeInstance()


def test_directional_derivatives_with_quaternions_off_their_norm(tmp_path):
    """Central differences of the rates (their error is of order h^2, 1e-10, beside rounding over h, 1e-10)."""
    file = tmp_path / "satellite.fmu"
    write_fmu(ld.zoo.satellite(), file, name="satellite")
    made, place = instance(file, "me")
    states = [name for name in place if name.startswith(("q.", "u."))]
    rng = np.random.default_rng(7)
    middle, seed = rng.normal(size=(2, len(states)))

    def rates(h):
        moved = middle + h * seed
        made.setContinuousStates(moved.ctypes.data_as(pointer()), len(moved))
        return np.array(made.getFloat64([place[f"der({name})"] for name in states]))

    wanted = (rates(1e-5) - rates(-1e-5)) / 2e-5
    rates(0.0)
    unknowns, knowns = [place[f"der({name})"] for name in states], [place[name] for name in states]
    found = made.getDirectionalDerivative(unknowns, knowns, list(seed))
    assert np.abs(found - wanted).max() < 1e-8 * np.abs(wanted).max()
    made.freeInstance()


def test_a_loop_stays_closed(tmp_path):
    """Half a minute by a solver with a coarse tolerance: the gap of the four-bar's pin, from the lengths of its bars alone."""
    file, scenario = tmp_path / "four_bar.fmu", ld.zoo.four_bar()
    write_fmu(scenario, file, name="four_bar")
    loop, model = scenario.compiled.loops[0], scenario.model
    gaps = {}
    for pull in (0.0, 50.0):
        got = fmpy.simulate_fmu(
            str(file), stop_time=30.0, output_interval=0.1, fmi_type="ModelExchange", relative_tolerance=1e-4,
            start_values={"pull": pull},
        )  # fmt: skip
        largest = 0.0
        for row in got:
            poses = model.kinematics(np.array([row[f"q.{name}"] for name in scenario.compiled.position_names]))[0]
            ends = [
                poses[frame, 9:] + poses[frame, :9].reshape(3, 3) @ point
                for frame, point in ((loop.first_frame, loop.first_position), (loop.second_frame, loop.second_position))
            ]
            largest = max(largest, float(np.linalg.norm(ends[0] - ends[1])))
        gaps[pull] = largest
    assert gaps[50.0] < 1e-3 and gaps[50.0] < 0.1 * gaps[0.0]  # m, of bars of 0.1 to 0.3 m


def test_a_contact_law_without_memory_is_in_the_fmu(tmp_path):
    """A mass on compliant feet: in the air and pressed in, its rates are the accelerations of the library."""
    scenario, file = ld.zoo.jumper_1d(), tmp_path / "jumper_1d.fmu"
    write_fmu(scenario, file, name="jumper_1d")
    made, place = instance(file, "me")
    for z, speed in ((0.65, -1.0), (0.049, -0.3), (0.049, 0.2), (0.04, -2.0)):
        made.setContinuousStates(np.array([z, speed]).ctypes.data_as(pointer()), 2)
        wanted = scenario.problem.accelerations(0.0, np.array([z]), np.array([speed]))
        assert made.getFloat64([place["der(u.z)"]]) == pytest.approx(wanted, rel=1e-12)
    made.freeInstance()


def pointer():
    from ctypes import POINTER, c_double

    return POINTER(c_double)


def test_states_are_kept_and_reset(pendulum):
    made, place = instance(pendulum[1], "cs")
    angle = [place["q.joint_1"], place["q.joint_2"]]
    first = made.getFloat64(angle)
    kept = made.getFMUState()
    made.doStep(0.0, 0.25)
    there = made.getFloat64(angle)
    made.setFMUState(kept)
    assert made.getFloat64(angle) == first != there
    made.doStep(0.0, 0.25)
    assert made.getFloat64(angle) == there
    made.reset()
    assert made.getFloat64(angle) == first
    made.setFloat64([place["g"]], [0.0])
    made.doStep(0.0, 0.25)
    assert made.getFloat64(angle) == first  # at rest, without gravity
    made.freeInstance()


def test_wrong_calls_are_refused(pendulum):
    made, place = instance(pendulum[1], "cs")
    for references, values in (
        ([place["time"]], [1.0]),
        ([place["der(q.joint_1)"]], [1.0]),
        ([999], [1.0]),
        ([place["g"]], [float("nan")]),
        ([place["internal_step"]], [0.0]),
    ):
        with pytest.raises(fmpy.fmi1.FMICallException):
            made.setFloat64(references, values)
    with pytest.raises(fmpy.fmi1.FMICallException):
        made.doStep(0.0, -1.0)
    made.freeInstance()


def test_the_same_robot_gives_the_same_bytes(pendulum, tmp_path):
    scenario, file = pendulum
    write_fmu(scenario, tmp_path / "pendulum.fmu", name="pendulum", parameters={"n": 2}, symbols="all")
    with zipfile.ZipFile(file) as one, zipfile.ZipFile(tmp_path / "pendulum.fmu") as two:
        assert {n: one.read(n) for n in one.namelist()} == {n: two.read(n) for n in two.namelist()}


@pytest.mark.parametrize("name, why", [
    ("snake_3d", "hard contacts or joint stops"), ("rabbit_drop", "states of its own"), ("compass_gait", "goes through phases"),
])  # fmt: skip
def test_what_an_fmu_does_not_hold_is_refused(name, why, tmp_path):
    with pytest.raises(ld.InputError, match=why):
        write_fmu(ld.zoo.make(name, {}), tmp_path / "robot.fmu")
    with pytest.raises(ld.InputError, match="must end in"):
        write_fmu(ld.zoo.pendulum(), tmp_path / "robot.zip")
