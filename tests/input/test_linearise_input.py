"""Linearisation: one sentence for each mistake, and what the command line prints."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.linalg import solve_continuous_are

import locodyn as ld
from locodyn.controllers import SampledController
from locodyn.errors import InputError, RunError
from locodyn.linearisation import linearise, steady_motion
from locodyn.locomotion.problem import Problem
from locodyn.motion import constant
from locodyn.robot import Robot, about_centre
from locodyn.world import CompliantContact
from locodyn.zoo.registry import make

pytestmark = pytest.mark.slow


def pendulum():
    return make("pendulum", {"n": 2, "angle": 0.0})


def four_bar() -> Problem:
    robot = Robot("four-bar")
    ground = robot.base("ground", moves="fixed")
    for name, on, at, length in (("a", ground, (0, 0, 0), 0.1), ("b", "a", (0.1, 0, 0), 0.3), ("c", ground, (0.3, 0, 0), 0.25)):
        bar = robot.body(name, mass=0.5, centre=(length / 2, 0, 0), inertia=about_centre(zz=0.004))
        bar.on(on, at=at).turning("z").marker(f"{name}_end", at=(length, 0, 0))
    robot.loop("pin", "b_end", "c_end")
    return Problem(robot.model(gravity=(0, -2.0, 0)))


@pytest.mark.parametrize(
    "options, words",
    [
        ({"coordinates": ("joint_3",)}, "has no coordinate 'joint_3'; did you mean 'joint_"),
        ({"coordinates": {"sum": {"joint_1": 0.0}}}, "must have a finite factor that is not zero"),
        ({"coordinates": {"one": "joint_1", "two": {"joint_1": 2.0}}}, "'two' cannot be chosen"),
        ({"inputs": ("link_1.fq",)}, "there is no input 'link_1.fq'"),
        ({"outputs": ("speed",)}, "there is no state 'speed' to be an output"),
        ({"spin": {"link_1": (0, 0, 1)}}, "only a body on a free or spherical joint can"),
        ({"spin": {"rod": (0, 0, 1)}}, "no body or marker 'rod'"),
        ({"v": [0.0]}, "v has 1 entries"),
    ],
)
def test_mistakes(options, words):
    with pytest.raises(InputError, match=words):
        linearise(pendulum(), **options)


def test_mistakes_of_other_robots():
    problem = pendulum().problem
    with pytest.raises(InputError, match="has no start of its own"):
        linearise(problem)
    with pytest.raises(InputError, match="must be a problem or a scenario"):
        linearise(3.0)
    with pytest.raises(InputError, match="'b' cannot be chosen: the constraints"):
        linearise(four_bar(), [1.2, -0.6, 1.6], np.zeros(3), coordinates=("a", "b"))
    with pytest.raises(InputError, match="acts on an imposed coordinate"):
        linearise(Problem(problem.model, imposed={0: constant(0.0)}), [0.0, 0.0], [0.0, 0.0], inputs=("joint_1",))
    with pytest.raises(InputError, match="three numbers, not all zero"):
        linearise(make("heavy_top"), spin={"top": (0, 0, 0)})


def test_a_singular_state_has_no_linear_system():
    """Two axles in line: straight, the row of the second is independent of the first only off the straight shape."""
    robot = Robot("two skates")
    robot.base("one", mass=1.0, inertia=about_centre(zz=0.1), moves="planar").skate("a", along="x")
    robot.body("two", mass=1.0, inertia=about_centre(zz=0.1)).on("one").turning("z").skate("b", along="x")
    with pytest.raises(InputError, match="the number of independent constraints changes near this state"):
        linearise(Problem(robot.model()), np.zeros(4), np.zeros(4))


def test_parts_of_a_system():
    system = linearise(pendulum())
    with pytest.raises(InputError, match="joint_1 do not form a closed system: 'rate of joint_1' depends on 'joint_2'"):
        system.subsystem(("joint_1",))
    with pytest.raises(InputError, match="there is no coordinate 'joint'"):
        system.second_order(("joint",))
    assert "4 states (joint_1, joint_2, rate of joint_1, rate of joint_2)" in repr(system)


def test_no_steady_motion():
    """A ball in free fall has none; names that are no states."""
    robot = Robot("ball")
    robot.base("ground", moves="fixed")
    robot.body("ball", mass=1.0, inertia=about_centre(zz=0.1)).on("ground").sliding("z")
    with pytest.raises(RunError, match="no steady motion was found"):
        steady_motion(Problem(robot.model()), [0.0], [0.0])
    with pytest.raises(InputError, match="there is no state 'speed' to keep"):
        steady_motion(make("pendulum", {"n": 1, "angle": 0.3}), keep=("speed",))


def test_a_regulator_on_wheels():
    """LQR from the linear system holds the pole up in a run of the full equations; without it the pole falls."""
    robot = Robot("cart")
    cart = robot.base("cart", mass=2.0, inertia=about_centre(zz=0.1), moves="planar")
    cart.wheel("front", at=(0.3, 0, -0.1), axis="y")
    cart.wheel("rear", at=(-0.3, 0, -0.1), axis="y", radius=0.1, mass=0.4, actuated=True)
    pole = robot.body("pole", mass=0.5, centre=(0, 0, 0.4), inertia=about_centre(np.diag([0.03, 0.03, 1e-4])))
    pole.on("cart").turning("y")
    scenario = ld.Scenario("cart", robot, t_end=4.0, dt=0.01, start=ld.Start(positions={"pole": 0.4}))
    upright = scenario.changed(start=None)
    system = linearise(upright, coordinates=("cart.x", "pole"), inputs=("rear",)).subsystem(("cart.x", "pole"))
    # Closed form: wheel of mass m, radius r and m r^2 / 2 on the axle adds m / 2 to the mass that moves along.
    whole, arm = np.array([[2.0 + 0.4 + 0.2 + 0.5, 0.5 * 0.4], [0.5 * 0.4, 0.03 + 0.5 * 0.4**2]]), 0.5 * 9.81 * 0.4
    mass, _, stiffness = system.second_order()
    np.testing.assert_allclose(mass, whole, atol=1e-12)
    np.testing.assert_allclose(stiffness, [[0.0, 0.0], [0.0, -arm]], atol=1e-10)
    np.testing.assert_allclose(mass @ system.B[2:], [[1 / 0.1], [0.0]], atol=1e-9)
    riccati = solve_continuous_are(system.A, system.B, np.diag([4.0, 20.0, 1.0, 1.0]), np.array([[0.25]]))
    gains = 4.0 * (system.B.T @ riccati)[0]
    at = scenario.compiled.coordinate_names.index("pole")

    def regulator(t, q, v):
        return -gains @ [q[0], q[at], v[0], v[at]]

    tilts = [
        s.run(progress=False).joint_position.sel(joint="pole").values
        for s in (scenario, scenario.changed(torque={"rear": regulator}))
    ]
    assert abs(tilts[0]).max() > 1.5 and abs(tilts[1][-1]) < 2e-3 and abs(tilts[1]).max() < 0.45


@pytest.fixture
def locodyn(locodyn):
    return lambda *words: locodyn("linearise", *words)


def test_command_prints_matrices_and_modes(locodyn):
    code, out, err = locodyn("pendulum", "--set", "angle=0", "--inputs", "joint_1")
    assert code == 0 and err == ""
    assert "-14.715" in out and "3.83601" in out and "neutral, oscillatory" in out  # w^2 = 3 g / 2 l
    code, out, err = locodyn("pendulum", "--set", "angle=0.4", "--quiet")
    assert (code, out) == (2, "") and "not steady: 'joint_1' has the acceleration -5.73 rad/s^2" in err  # -3 g sin / 2 l
    code, out, err = locodyn("pendulum", "--set", "angle=0.4", "--unsteady")
    assert code == 0 and err == "" and "-13.55" in out  # -3 g cos / 2 l
    assert locodyn("pendulum", "--at", "nan")[0] == locodyn("pendulum", "--at", "-1")[0] == 2
    code, out, err = locodyn("pendulum", "--set", "angle=0.4", "--steady", "--coordinates", "swing=-joint_1")
    assert code == 0 and err == "" and "rate of swing" in out


def test_command_sweeps(locodyn, tmp_path):
    file = tmp_path / "a.png"
    code, out, _ = locodyn("chaplygin_sleigh", "--set", "w_0=0", "--sweep", "u_0=-1:1:0.25", "--plot", file)
    assert code == 0 and file.stat().st_size > 10_000
    assert (
        "9 values of u_0 from -1 to 1 m/s" in out and "u_0 = 0 m/s: a mode that is monotone" in out and "from 0 to 1 m/s" in out
    )


def test_command_takes_files(locodyn, tmp_path):
    """The inverted mast of a URDF: I phidd + c phid = m g h phi, h = 0.2 m, I = 0.012 + m h^2, c = 0.3 N m s."""
    cart = Path(__file__).resolve().parents[2] / "examples" / "files" / "cart.urdf"
    code, out, err = locodyn(cart, "--moves", "fixed")
    assert code == 0 and err.count("note: ") == 1
    assert f"{0.9 * 9.81 * 0.2 / 0.048:.7g}" in out and f"{-0.3 / 0.048:.7g}" in out
    file = tmp_path / "mast.yaml"
    file.write_text(f"robot: {cart.name}\nmoves: fixed\nworld: {{gravity: 9.81}}\n")
    (tmp_path / cart.name).write_text(cart.read_text())
    code, out, err = locodyn(file, "--sweep", "world.gravity=1:2:0.5")
    assert code == 0 and "3 values of world.gravity from 1 to 2\n" in out and err.count("note: ") == 1
    code, out, err = locodyn(file, "--sweep", "mast.mas=1:2:0.5")
    assert code == 2 and "did you mean 'mast.mass'?" in err
    code, out, err = locodyn(tmp_path / "none.yaml")
    assert code == 2 and "there is no file" in err


def test_command_goes_to_a_later_state(locodyn):
    """The road train on its circle: the modes of its trailers, -v cos(r) / L."""
    code, out, _ = locodyn("trailer_truck", "--at", 60, "--quiet")
    assert code == 0
    code, out, _ = locodyn("trailer_truck", "--at", 90, "--only", "joint_1")
    assert code == 0 and "-0.5533" in out and "joint_2" not in out


@pytest.mark.parametrize(
    "words, sentence",
    [
        (("pendulm",), "did you mean 'pendulum'?"),
        (("pendulum", "--plot", "a.png"), "--plot draws a sweep"),
        (("pendulum", "--keep", "joint_1"), "give --steady too"),
        (("pendulum", "--sweep", "g=1:2"), "not of the form KEY=FROM:TO:STEP"),
        (("pendulum", "--sweep", "g=2:1:0.1"), "not of the form KEY=FROM:TO:STEP"),
        (("pendulum", "--sweep", "g=0:1:1e-9"), "more than 100000 values"),
        (("pendulum", "--sweep", "h=0:1:0.1"), "no parameter 'h'"),
        (("pendulum", "--set", "g=2", "--sweep", "g=1:2:0.1"), "both set and swept"),
        (("pendulum", "--sweep", "g=1:2:0.1", "--plot", "a.xyz"), "must end in .png"),
        (("heavy_top", "--spin", "top=w"), "it must be x, y or z"),
        (("pendulum", "--coordinates", "a="), "not of the form key=value"),
    ],
)
def test_command_mistakes(locodyn, words, sentence):
    code, out, err = locodyn(*words)
    assert code == 2 and out == "" and sentence in err and err.count("\n") == 1


def test_sampled_controllers():
    """Their torques are held over a period; the eigenvalues were those of a law that answers at once."""
    held = pendulum().changed(controller=SampledController(lambda seen: -seen.q, period=0.01))
    with pytest.raises(InputError, match="answer at once, but the controller is sampled"):
        linearise(held)


def test_servos_that_begin_later():
    """Before, the pendulum swings freely; after, the servo draws it back."""
    late = pendulum().changed(servo={"joint_1": ld.Servo(0.0, 8.0, begins=1.0), "joint_2": ld.Servo(0.0, 8.0, begins=1.0)})
    free, on = linearise(pendulum()).eigenvalues, pendulum().changed(servo={n: ld.Servo(0.0, 8.0) for n in late.drive.servo})
    np.testing.assert_allclose(np.sort(linearise(late).eigenvalues.imag), np.sort(free.imag), atol=1e-9)
    after = linearise(late, t=2.0).eigenvalues.imag
    np.testing.assert_allclose(np.sort(after), np.sort(linearise(on).eigenvalues.imag), atol=1e-9)
    assert np.abs(after).max() > np.abs(free.imag).max() + 0.1


def test_hard_contact():
    """A ball on the ground was linearised as one that falls freely; above it, it is one, and compliant contact has its slopes."""

    def ball(height, **fields):
        robot = ld.Robot("ball")
        inertia = ld.about_centre(xx=0.004, yy=0.004, zz=0.004)
        robot.base("ball", mass=1.0, inertia=inertia, shape=ld.Sphere(0.1)).collides(friction=0.3)
        start = ld.Start({"ball": (0.0, 0.0, height, 0.0, 0.0, 0.0)})
        return ld.Scenario("ball", robot, obstacles=[ld.Ground()], integrator="moreau", start=start, **fields)

    for look in (lambda one: linearise(one, unsteady=True), steady_motion):
        with pytest.raises(
            InputError, match=r"'ball.* on ground.*' touch in this state, and linear equations know no hard contact"
        ):
            look(ball(0.1))
    free = linearise(ball(0.2), unsteady=True)
    assert np.abs(free.eigenvalues).max() < 1e-6
    soft = ball(0.0999, contact=CompliantContact(stiffness=1e4, damping=0.0, exponent=1.0, friction="none"))
    rates = linearise(soft.changed(integrator="rkmk4"), unsteady=True).eigenvalues
    assert np.abs(rates.imag).max() == pytest.approx(np.sqrt(1e4), rel=1e-3)  # of 1 kg on 1e4 N/m
