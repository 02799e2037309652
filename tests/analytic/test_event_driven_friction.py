"""Stick, slip and impacts with friction by events: closed forms, and the reference that Moreau's time stepping tends to."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import locodyn as ld
from locodyn.errors import InputError
from locodyn.locomotion.servo import Servo
from locodyn.zoo.robots import woodpecker

pytestmark = pytest.mark.slow

G = 9.81


def by_events(scenario, t_end, dt=0.01, tolerance=1e-11):
    fields = {"integrator": "event_driven", "tolerance": tolerance, "dt": dt, "t_end": t_end, "record_every": 1, "checks": ()}
    result = scenario.changed(**fields).run(progress=False)
    assert result.attributes["status"] == "completed"
    return result


def balance(result):
    """Largest defect of the energy balance, J."""
    energy = result.total_energy().values
    return np.abs(energy - energy[0] - result.energy_supplied().values).max()


def test_sliding_block_stops_where_it_should():
    """v0^2 / (2 mu g), at v0 / (mu g); then it rests, with friction that does nothing. Four corners, more than needed."""
    result = by_events(ld.zoo.sliding_block(slope=0.0), 0.5)
    assert result.attributes["last_slip_end"] == pytest.approx(1.0 / (0.3 * G), abs=1e-8)
    assert result.position.values[-1, 0] == pytest.approx(1.0 / (2.0 * 0.3 * G), abs=1e-12)
    assert np.abs(result.v[-1]).max() < 1e-12
    assert result.contact_force.values[-1].sum(axis=0) == pytest.approx((0.0, 0.0, 2.0 * G), abs=1e-9)
    assert result.friction_loss.values[-1] == pytest.approx(1.0, abs=1e-10)
    assert balance(result) < 1e-10


def test_block_on_a_slope_inside_the_cone_rests():
    """Slope 0.2, mu 0.3 > tan 0.2: below 1e-12 m/s after 5 s (measured 7e-13)."""
    result = by_events(ld.zoo.sliding_block(slope=0.2, speed=0.0), 5.0, dt=1.0)
    assert np.abs(result.v).max() < 1e-12
    assert result.attributes["slip_begins"] == 0


def test_ball_from_sliding_to_rolling():
    """It rolls with 5/7 v0 from 2 v0 / (7 mu g) on, and friction then ends; 12/49 v0^2 / (mu g) have gone by until then."""
    result = by_events(ld.zoo.rolling_ball(rolling=0.0), 0.4)
    assert result.attributes["last_slip_end"] == pytest.approx(2.0 / (7.0 * 0.2 * G), abs=1e-8)
    assert np.linalg.norm(result.v[-1, :3]) == pytest.approx(5.0 / 7.0, abs=1e-11)
    end = 12.0 / 49.0 / (0.2 * G) + 5.0 / 7.0 * (0.4 - 2.0 / (7.0 * 0.2 * G))
    assert result.position.values[-1, 0] - result.position.values[0, 0] == pytest.approx(end, abs=1e-11)
    assert np.abs(result.contact_force.values[-1, 0, :2]).max() < 1e-9


def bounced(u, e=0.8, mu=0.3, r=0.1):
    """(velocity, spin) in world axes of a ball (inertia 2/5 m r^2) after an impact on the ground, closed form."""
    v, w = u
    arm = np.array([0.0, 0.0, -r])
    slip = (v + np.cross(w, arm))[:2]
    push = -(1.0 + e) * v[2]
    rub = -2.0 / 7.0 * slip  # stops the slip
    if np.linalg.norm(rub) > mu * push:
        rub *= mu * push / np.linalg.norm(rub)
    impulse = np.array([*rub, push])
    return v + impulse, w + np.cross(arm, impulse) / (0.4 * r * r)


def spinning_ball():
    robot = ld.Robot("ball")
    inertia = ld.about_centre(xx=0.004, yy=0.004, zz=0.004)
    ball = robot.base("ball", mass=1.0, inertia=inertia, shape=ld.Sphere(0.1))
    ball.collides(friction=0.3, restitution=0.8)
    start = ld.Start({"ball": (0.0, 0.0, 0.5, 0.0, 0.0, 0.0)}, {"ball": (0.5, 0.2, 0.0, 10.0, -80.0, 5.0)})
    return ld.Scenario("ball", robot, obstacles=[ld.Ground()], start=start, t_end=1.0, dt=1e-3, integrator="moreau")


def test_spinning_ball_bounces():
    """Two impacts, in the first one the ball slips throughout, in the second one it sticks."""
    result = by_events(spinning_ball(), 1.0, tolerance=1e-12)
    fall = np.sqrt(0.8 / G)
    state = (np.array([0.5, 0.2, -G * fall]), np.array([10.0, -80.0, 5.0]))
    place = np.array([0.5 * fall, 0.2 * fall, 0.1])
    state = bounced(state)
    flight = 2.0 * state[0][2] / G
    place = place + flight * np.array([*state[0][:2], 0.0])
    state = bounced((state[0] - [0.0, 0.0, G * flight], state[1]))
    rest = 1.0 - fall - flight
    place = place + rest * state[0] - [0.0, 0.0, 0.5 * G * rest**2]
    assert result.attributes["impacts"] == 2
    assert result.q[-1, :3] == pytest.approx(place, abs=1e-10)
    assert np.linalg.norm(result.v[-1, 3:]) == pytest.approx(np.linalg.norm(state[1]), abs=1e-10)
    assert balance(result) < 1e-9


def test_rod_slides_before_the_paradox():
    """Painleve's rod at 40 degrees (mu = 1.6: none from 47 degrees on), against its own equations while normal forces grow."""
    mu, angle, end = 1.6, np.radians(40.0), 0.05
    result = by_events(ld.zoo.painleve_rod(mu=mu, angle=angle, speed=6.0), end)

    def load(theta, turn):
        s, c = np.sin(theta), np.cos(theta)
        return (G - 0.5 * s * turn**2) / (1.0 + 3.0 * c * (c - mu * s))

    def rates(_, y):  # centre (1 kg, 1 m) and angle; the lower end is on the ground and slides to -x
        _, theta, xdot, turn = y
        force = load(theta, turn)
        return xdot, turn, mu * force, 6.0 * force * (mu * np.sin(theta) - np.cos(theta))

    x, theta, _, turn = solve_ivp(rates, (0.0, end), (0.0, angle, -6.0, 0.0), rtol=1e-12, atol=1e-13, method="DOP853").y[:, -1]
    assert load(theta, turn) > 1.5 * load(angle, 0.0)
    assert result.q[-1] == pytest.approx((x, 0.5 * np.sin(theta), theta), abs=1e-9)
    assert result.contact_force.values[-1, 0] == pytest.approx(load(theta, turn) * np.array([mu, 0.0, 1.0]), rel=1e-8)


def test_impact_without_collision():
    """In the paradox (58 degrees) the end stops at once, as in the closed form: the rod turns on with what is left of its motion.

    The end at 2 m/s stops, on the ground: momentum about it is kept, m v h = (I + m l^2 / 4) w with h the height of the centre.
    """
    scenario = ld.zoo.painleve_rod()
    result = by_events(scenario, 0.02, dt=0.02)
    assert result.attributes["impacts"] == 1
    turn = 2.0 * 0.5 * np.sin(np.radians(58.0)) / (1.0 / 12.0 + 0.25)
    lost = 0.5 * 2.0**2 - 0.5 * (1.0 / 12.0 + 0.25) * turn**2
    assert result.impact_loss.values[-1] + result.friction_loss.values[-1] == pytest.approx(lost, abs=1e-7)
    ends = moreau_ends(scenario, 0.02, (4e-4, 2e-4, 1e-4))
    errors = [np.abs(end - result.q[-1]).max() for end in ends]
    assert np.divide(errors[:-1], errors[1:]) == pytest.approx(2.0, rel=0.1)


def cart(amplitude=(0.3,), stiffness=50.0, mu=0.3):
    """A mass of 2 kg on rails along x (and across), pulled by springs whose ends swing; friction under its weight."""
    robot = ld.Robot("cart")
    last = robot.base("rail", moves="fixed")
    for name, mass in zip("xy"[: len(amplitude)], ([2.0] if len(amplitude) == 1 else [0.5, 1.5]), strict=True):
        last = robot.body(f"cart_{name}", mass=mass).on(last).sliding(name, name=name)
    last.rests(2.0 * G, friction=mu)
    servo = {"xy"[k]: Servo(ld.motion.sine(a, omega=3.0 + k, phase=k), stiffness, 0.0) for k, a in enumerate(amplitude)}
    return ld.Scenario("cart", robot, servo=servo, t_end=6.0, dt=1e-3, integrator="moreau")


def swung(t_end, m=2.0, k=50.0, amplitude=0.3, omega=3.0, rub=0.3 * 2.0 * G):
    """x, xdot at t_end of the swinging mass, and how often it stopped: closed form between events."""
    own, t, x, sign, stops = np.sqrt(k / m), 0.0, 0.0, 0, 0
    forced = k * amplitude / (k - m * omega**2)
    while True:
        if sign == 0:

            def edge(s, x=x):
                return rub - abs(k * (amplitude * np.sin(omega * s) - x))

            grid = np.linspace(t + 1e-9, t_end, 20001)
            out = np.flatnonzero([edge(s) <= 0.0 for s in grid])
            if not len(out):
                return x, 0.0, stops
            t = brentq(edge, grid[max(0, out[0] - 1)], grid[out[0]], xtol=1e-15) if out[0] else t
            sign, xdot = int(np.sign(amplitude * np.sin(omega * t) - x)), 0.0
        a = x + sign * rub / k - forced * np.sin(omega * t)
        b = (xdot - forced * omega * np.cos(omega * t)) / own

        def speed(s, t=t, a=a, b=b):
            return own * (b * np.cos(own * (s - t)) - a * np.sin(own * (s - t))) + forced * omega * np.cos(omega * s)

        def place(s, t=t, a=a, b=b, sign=sign):
            return a * np.cos(own * (s - t)) + b * np.sin(own * (s - t)) + forced * np.sin(omega * s) - sign * rub / k

        grid = np.linspace(t + 1e-6, t_end, 20001)
        back = np.flatnonzero(sign * np.array([speed(s) for s in grid]) <= 0.0)
        if not len(back):
            return place(t_end), speed(t_end), stops
        stop = brentq(speed, grid[back[0] - 1], grid[back[0]], xtol=1e-15)
        t, x, xdot, stops = stop, place(stop), 0.0, stops + 1
        pull = k * (amplitude * np.sin(omega * t) - x)
        sign = int(np.sign(pull)) if abs(pull) > rub else 0


@pytest.mark.parametrize("tolerance, error", [(1e-7, 1e-6), (1e-9, 1e-8), (1e-12, 1e-11)])
def test_stick_and_slip_against_the_closed_form(tolerance, error):
    """It sticks at first, then stops six times in 6 s, and goes on to either side; the error follows the tolerance."""
    x, xdot, stops = swung(6.0)
    result = by_events(cart(), 6.0, dt=0.5, tolerance=tolerance)
    assert (result.attributes["slip_begins"], result.attributes["slip_ends"]) == (1, stops) == (1, 6)
    assert (result.q[-1, 0], result.v[-1, 0]) == pytest.approx((x, xdot), abs=error)


def test_orthotropic_slip():
    """With mu 0.2 and 0.5, d ln v_x = (0.2 / 0.5)^2 d ln v_y until it stops: v_y = 0.7 v_x^(25/4) (row slide of the table)."""
    robot = ld.Robot("disc")
    disc = robot.base("disc", moves="planar", mass=1.0, inertia=ld.about_centre(zz=0.01))
    disc.rests(G, friction=(0.2, 0.5))
    start = ld.Start({"disc": (0.0, 0.0, 0.4)}, {"disc": (1.0, 0.7, 0.0)})
    result = by_events(ld.Scenario("disc", robot, start=start, dt=1e-3, integrator="moreau"), 0.6, dt=0.02, tolerance=1e-12)
    assert result.v[:, 1] == pytest.approx(0.7 * np.abs(result.v[:, 0]) ** 6.25, abs=1e-10)
    assert result.attributes["slip_ends"] == 1 and np.abs(result.v[-1]).max() < 1e-12


def moreau_ends(scenario, t_end, steps):
    """Configurations at t_end by time stepping, for these steps."""
    changed = [
        scenario.changed(t_end=t_end, dt=dt, record_every=round(t_end / dt), checks=(), integrator="moreau") for dt in steps
    ]
    return [one.run(progress=False).q[-1] for one in changed]


def test_slip_that_turns_and_time_stepping():
    """Two springs pull across each other: slip begins in a direction that turns, stops, begins again.

    Moreau's error: 2.2, 1.1, 0.54 mm at 4, 2, 1 ms; extrapolated from the last two within 3e-6 m.
    """
    scenario = cart(amplitude=(0.15, 0.12))
    exact = by_events(scenario, 3.0, dt=0.5, tolerance=1e-9)
    assert (exact.attributes["slip_begins"], exact.attributes["slip_ends"]) == (2, 1)
    ends = moreau_ends(scenario, 3.0, (4e-3, 2e-3, 1e-3))
    errors = [np.abs(end - exact.q[-1]).max() for end in ends]
    assert np.divide(errors[:-1], errors[1:]) == pytest.approx(2.0, rel=0.02)
    assert 2.0 * ends[2] - ends[1] == pytest.approx(exact.q[-1], abs=5e-6)


def test_time_stepping_through_many_stops():
    """Mean slope of Moreau's error over a factor 32 of the step, through six stops: 18 to 0.3 mm."""
    exact, steps = by_events(cart(), 6.0, dt=6.0).q[-1], 0.06 / 2.0 ** np.arange(6)
    errors = [np.abs(end - exact).max() for end in moreau_ends(cart(), 6.0, steps)]
    assert np.polyfit(np.log(steps), np.log(errors), 1)[0] == pytest.approx(1.2, abs=0.25), errors


def test_time_stepping_through_impacts_with_friction():
    """0.12, 0.06, 0.03, 0.014 mm at 125 to 16 microseconds: order 1, with where in a step the impacts fall."""
    exact, steps = by_events(spinning_ball(), 1.0, dt=1.0).q[-1], 1.25e-4 / 2.0 ** np.arange(4)
    errors = [np.abs(end - exact)[:3].max() for end in moreau_ends(spinning_ball(), 1.0, steps)]
    assert errors[0] < 1.5e-4
    assert np.polyfit(np.log(steps), np.log(errors), 1)[0] == pytest.approx(1.0, abs=0.06), errors


def test_time_stepping_of_an_impact_in_which_slip_turns():
    """A capsule falls on one end, then on the other, and slides: 0.74, 0.42, 0.23, 0.11 mm.

    An impact must be one step: spread over two, the first of which only slows it down, slip turns otherwise, at any step.
    """
    robot = ld.Robot("capsule")
    body = robot.base("capsule", mass=1.0, inertia=ld.about_centre(xx=0.002, yy=0.006, zz=0.006))
    body.collides(ld.Capsule(0.05, 0.2, axis="x"), friction=0.3)
    start = ld.Start({"capsule": (0.0, 0.0, 0.2, 0.0, 0.3, 0.0)}, {"capsule": (0.5, 0.8, 0.0, 0.0, 0.0, 2.0)})
    scenario = ld.Scenario("capsule", robot, obstacles=[ld.Ground()], start=start, dt=1e-3, integrator="moreau")
    exact = by_events(scenario, 0.3)
    assert (exact.attributes["impacts"], exact.attributes["slip_ends"]) == (2, 1)
    steps = 4e-4 / 2.0 ** np.arange(4)
    errors = [np.abs(end - exact.q[-1]).max() for end in moreau_ends(scenario, 0.3, steps)]
    assert np.polyfit(np.log(steps), np.log(errors), 1)[0] == pytest.approx(0.9, abs=0.15), errors


def test_impacts_by_poisson_with_friction():
    """A rod that hits the ground obliquely: the same velocities as Moreau's step through the impact, to its order."""
    robot = ld.Robot("rod")
    rod = robot.base("rod", moves="planar", turned=("x", 0.5 * np.pi), mass=1.0, inertia=ld.about_centre(zz=1.0 / 12.0))
    rod.collides(vertices=[(-0.5, 0.0, 0.0), (0.5, 0.0, 0.0)], restitution=0.5, friction=0.4)
    fields = {"obstacles": [ld.Ground()], "start": ld.Start({"rod": (0.0, 0.5, 0.6)}, {"rod": (1.0, -2.0, 1.0)})}
    scenario = ld.Scenario("rod", robot, contact=ld.HardContact(restitution="poisson"), dt=1e-3, integrator="moreau", **fields)
    exact = by_events(scenario, 0.2)
    assert exact.attributes["impacts"] >= 1
    newton = by_events(scenario.changed(contact=ld.HardContact()), 0.2)
    assert np.abs(newton.q[-1] - exact.q[-1]).max() > 1e-3
    ends = moreau_ends(scenario, 0.2, (1e-4, 1e-5))
    errors = [np.abs(end - exact.q[-1]).max() for end in ends]
    assert errors[1] < 1e-4 and errors[1] < errors[0]
    assert balance(exact) < 1e-9


@pytest.mark.parametrize(
    "friction, words",
    [
        (ld.Friction(0.3, law="rectangle"), "takes no friction by another law than Coulomb's, such as 'rectangle'; use 'moreau'"),
        (ld.Friction(0.3, backward=0.5), "takes no friction that differs forward and backward"),
        (ld.Friction(0.3, rolling=0.01), "takes no rolling or spinning friction"),
    ],
)
def test_what_it_does_not_take(friction, words):
    robot = ld.Robot("ball")
    robot.base("ball", mass=1.0, shape=ld.Sphere(0.1)).collides(friction=friction)
    start = ld.Start({"ball": (0.0, 0.0, 0.2, 0.0, 0.0, 0.0)})
    scenario = ld.Scenario("ball", robot, obstacles=[ld.Ground()], start=start, integrator="event_driven", dt=0.01, t_end=0.1)
    with pytest.raises(InputError, match=words):
        scenario.run(progress=False)


def test_woodpecker_by_events():
    """Four cycles of the toy with impacts, jamming, slip and lift-off: 130.8 ms and 14.50 mm down (Moreau at 20 us: 14.52)."""
    scenario = ld.zoo.woodpecker()
    result = by_events(scenario, 0.6, dt=2e-4, tolerance=1e-9)
    counts = [result.attributes[name] for name in ("impacts", "slip_begins", "slip_ends", "lift_offs")]
    assert min(counts) >= 4
    at = woodpecker.pecks(result)[-2:]
    assert np.diff(result.time.values[at]) == pytest.approx(0.1308, abs=3e-4)
    assert -np.diff(result.joint_position.sel(joint="height").values[at]) == pytest.approx(0.0145, abs=5e-5)
    assert balance(result) < 1e-8


def test_servos_that_begin_later_are_refused():
    scenario = cart().changed(servo={"x": Servo(0.1, 50.0, 0.0, begins=1.0)}, integrator="event_driven")
    with pytest.raises(InputError, match="takes no servos that begin after the start"):
        scenario.run(progress=False)


def test_runs_can_be_written(tmp_path):
    result = by_events(ld.zoo.sliding_block(slope=0.0), 0.5, dt=0.1)
    result.save(tmp_path / "block.nc")
    assert ld.Result.load(tmp_path / "block.nc").attributes["slip_ends"] == 1
