"""Gaits of snakes: what they are, that they are smooth, that they move the robot the way they say; chains on backbone curves."""

import math

import numpy as np
import pytest

import locodyn as ld
from locodyn.errors import InputError
from locodyn.files import scenario_of
from locodyn.gaits import SNAKE_GAITS, fit_backbone, gait_along, gait_transitions, serpenoid_curve, snake_gait, soften
from locodyn.gaits.rolling_helix import Screw, posture

pytestmark = pytest.mark.slow

YAW, PITCH = [f"joint_{k}.0" for k in range(1, 11)], [f"joint_{k}.1" for k in range(1, 11)]


def moved(name, t_end, **parameters):
    """Displacement (3,) of the mass centre, and the result."""
    result = getattr(ld.zoo, name)(**parameters).changed(t_end=t_end, record_every=200, checks=()).run(progress=False)
    assert result.status == "completed"
    centre = result.mass_centre.values
    return centre[-1] - centre[0], result


def assert_smooth(law, times):
    """Rate and acceleration of a law against central differences of its value and rate."""
    h = 1e-5
    assert law.rate(times) == pytest.approx((law(times + h) - law(times - h)) / (2 * h), abs=1e-6)
    assert law.acceleration(times) == pytest.approx((law.rate(times + h) - law.rate(times - h)) / (2 * h), abs=1e-4)
    law.require_twice_differentiable("joint", 0.0, 10.0)


def test_skidding_goes_on_in_a_zigzag():
    """Head first where friction across is larger, as a wave to the tail drives it; back where it is the same along and across.

    The bends go to both sides in turn. Measured in 4.5 s: 0.30 m forward with mu 0.2 and 0.5, 0.13 m back with 0.2 alone.
    """
    forward, _ = moved("snake_2d", 4.5, gait="skidding", mu_y=0.5)
    backward, _ = moved("snake_2d", 4.5, gait="skidding")
    assert forward[0] > 0.2 and backward[0] < -0.05
    walk = snake_gait("skidding", YAW)
    half = 0.5 * walk.period
    for name in (YAW[0], YAW[5]):
        assert walk[name](0.4 + half) == pytest.approx(-walk[name](0.4), abs=1e-9)


@pytest.mark.parametrize("kind", SNAKE_GAITS)
def test_every_gait_is_periodic_and_smooth(kind):
    walk = snake_gait(kind, YAW, PITCH, omega=1.3, steering=0.05)
    assert walk.period == pytest.approx(2 * math.pi / 1.3)
    for name in (YAW[0], YAW[6], PITCH[0], PITCH[6]):
        assert_smooth(walk[name], np.linspace(0.1, 9.0, 60))
    assert walk.at(0.3) == pytest.approx(walk.at(0.3 + 2 * walk.period), abs=1e-9)


def test_waves_are_those_of_the_source():
    walk = snake_gait("sidewinding", YAW, PITCH, steering=0.1)
    for i in (0, 3, 9):
        phase = math.radians(80.0) * 0.7 - math.radians(50.0) * i
        assert walk[YAW[i]](0.7) == pytest.approx(math.radians(30.0) * math.sin(phase) + 0.1)
        assert walk[PITCH[i]](0.7) == pytest.approx(math.radians(10.0) * math.sin(phase + math.pi / 2))


def test_a_ring_is_closed():
    """Pitch angles of the wheel without its flattening: the end of the last link is the beginning of the first."""
    ring = snake_gait("wheel", (), PITCH, scale=0.0)
    headings = np.concatenate([[0.0], np.cumsum([ring[name](0.0) for name in PITCH])])
    assert abs(np.exp(1j * headings).sum()) < 1e-12


def test_inchworm_goes_with_its_wave():
    """Towards link 1 (+x), at half the speed w A r, or more, of the surface of a trough about the middle line."""
    way, _ = moved("snake_3d", 4.5, gait="inchworm")
    assert way[0] > 0.5 * math.radians(80.0) * math.radians(20.0) * 0.0525 * 3.5
    assert abs(way[1]) < 1e-3


@pytest.mark.parametrize("robot", ["snake_2d", "snake_3d"])
def test_concertina_draws_itself_forward(robot):
    """A fold that runs through makes a way below that by which it shortens the chain, L sum (1 - cos of the headings)."""
    way, _ = moved(robot, 4.5, gait="concertina")
    joints = np.arange(10)
    fold = (-1.0) ** joints * math.radians(80.0) * np.cos(math.pi * np.clip((joints - 4.5) / 6.0, -0.5, 0.5)) ** 4
    shortened = 0.122 * np.sum(1.0 - np.cos(np.concatenate([[0.0], np.cumsum(fold)])))
    assert 0.6 * shortened < way[0] < 1.1 * shortened
    assert abs(way[1]) < 0.1 * way[0]


def test_the_wheel_rolls():
    """The flattening runs round once in two periods: the way is the outer length of the ring, 2 pi (R + r), in that time."""
    way, result = moved("snake_3d", 10.0, gait="wheel")
    half = result.mass_centre.values[len(result.time) // 10]  # at 1 s the soft start is over
    outer = 11 * 0.122 + 2 * math.pi * 0.0525
    assert (result.mass_centre.values[-1] - half)[0] == pytest.approx(outer, rel=0.15)
    assert abs(way[1]) < 1e-3
    assert result.body_position.values[:, :, 2].max() > 0.35


def test_a_chain_stays_on_its_helix_as_it_rolls():
    """Links of the joints against screws put one after the other; radius of a ring by the inscribed circle of its polygon."""
    ring, helix = Screw(math.tau / 11.0), Screw(math.radians(50.0), math.radians(8.0))
    assert ring.room(0.122, 0.0525) == pytest.approx(0.061 / math.tan(math.pi / 11.0) - 0.0525, rel=1e-12)
    for screw in (ring, helix):
        for psi in (0.0, 0.7, 2.0, -3.0, 5.0):
            yaw, pitch, turns = posture(screw, 10, psi)
            assert turns[5] == pytest.approx(psi)
            here = ld.rotation_about("x", turns[0])
            there, one, other = np.eye(3), np.zeros(3), np.zeros(3)
            half = np.array([0.061, 0.0, 0.0])
            for a, b in zip(yaw, pitch, strict=True):
                one, other = one + here @ half, other + there @ half
                here = here @ ld.rotation_about("z", a) @ ld.rotation_about("y", b)
                there = there @ screw.rotation
                one, other = one + here @ half, other + there @ half
                assert one == pytest.approx(other, abs=1e-14)
            assert here == pytest.approx(there @ ld.rotation_about("x", turns[-1]), abs=1e-14)
            # All links are as far from the axis.
            assert np.linalg.norm(screw.centre(0.122)) == pytest.approx(screw.room(0.122, 0.0))


@pytest.mark.filterwarnings("ignore::locodyn.sim.WedgeWarning")  # a tenth of a gram does not matter to the grip
@pytest.mark.parametrize("gait, loss", [("smoke_ring", 0.01), ("climbing", 0.05)])
def test_a_robot_rolls_up_a_pole(gait, loss):
    """Without weight by the way on which its links roll, r omega cos a, in a whole period (measured: 0.4 and 3.5 % from it);
    with weight less, as slip goes down; on a pole that is too smooth it falls."""
    rise = Screw(math.radians(50.0), math.radians(8.0)).rise if gait == "climbing" else 0.0
    rolled = 0.0525 * math.tau * math.cos(rise)
    light, heavy = (moved("snake_3d", 4.5, gait=gait, g=g)[0][2] for g in (1e-3, 9.81))
    assert light == pytest.approx(rolled, rel=loss)
    assert 0.5 * rolled < heavy < light
    assert moved("snake_3d", 0.3, gait=gait, mu_pole=0.02)[0][2] < -0.2


def test_a_bridge_shuffles_ahead():
    """In a period by its stroke, or less where the end that carries more slips too; it stands all the time."""
    walk = snake_gait("bridge", YAW, PITCH)
    times = np.linspace(0.0, walk.period, 181)
    slopes = np.cumsum([np.zeros(181)] + [walk[name](times) for name in PITCH[2:8]], axis=0)
    span = 0.122 * np.abs(np.exp(1j * slopes).sum(axis=0))
    _, result = moved("snake_3d", 9.0, gait="bridge")
    x, z = result.mass_centre.values[:, 0], result.body_position.sel(body="link_6").values[:, 2]
    half = len(x) // 2
    assert 0.6 * np.ptp(span) < x[-1] - x[half] < np.ptp(span)
    assert z.min() > 3.0 * 0.0525


def test_sinus_lifting_goes_forward_where_lateral_undulation_goes_back():
    """On ground with the same friction along and across."""
    lifting, result = moved("snake_3d", 5.5, gait="sinus_lifting")
    flat, _ = moved("snake_3d", 5.5, gait="lateral", rolling=0.0)
    assert lifting[0] > 0.02 and flat[0] < -0.02
    lifted = (result.contact_gap.values[5:] > 1e-4).mean()
    assert 0.2 < lifted < 0.9


def test_steering_turns_the_robot():
    way, _ = moved("snake_2d", 4.5, mu_y=0.5, steering=math.radians(5.0))
    other, _ = moved("snake_2d", 4.5, mu_y=0.5, steering=math.radians(-5.0))
    assert way[1] * other[1] < 0.0 and abs(way[1] - other[1]) > 0.05


# ---------------------------------------------------------------------------------------------------------------- changes
def test_changes_of_gait_are_twice_differentiable():
    first = {name: soften(law, 1.0) for name, law in snake_gait("wheel", YAW, PITCH).items()}
    second, third = snake_gait("rolling", YAW, PITCH), snake_gait("concertina", YAW, PITCH)
    laws = gait_transitions(first, (2.0, 1.5, second), (4.0, 0.5, third))
    times = np.array([0.5, 1.5, 1.999, 2.001, 2.7, 3.499, 3.501, 3.9, 4.1, 4.499, 4.501, 6.0])
    for name in (YAW[2], PITCH[2]):
        assert_smooth(laws[name], times)
        assert laws[name](1.7) == pytest.approx(first[name](1.7), abs=1e-12)
        assert laws[name](3.8) == pytest.approx(second[name](3.8), abs=1e-12)
        assert laws[name](5.0) == pytest.approx(third[name](5.0), abs=1e-12)


def test_a_robot_changes_its_gait():
    """Rolls sideways, then goes on as an inchworm: its own servos carry it over."""
    _, result = moved("snake_3d", 3.0, gait="rolling", then="sidewinding", change_at=1.0, change_for=1.0)
    assert result.dataset.attrs["status"] == "completed"
    target = snake_gait("sidewinding", YAW, PITCH)
    assert result.joint_position.sel(joint=YAW[4]).values[-1] == pytest.approx(target[YAW[4]](3.0), abs=0.02)


@pytest.mark.parametrize(
    "changes, message",
    [
        ([(0.5, 1.0, {"a": 0.0})], "the soft start of 'a' ends at 1 s, after a change of gait at 0.5 s"),
        ([(1.0, 1.0, {"a": 0.0}), (1.5, 1.0, {"a": 1.0})], "begins at 1.5 s, before the one before it ends at 2 s"),
        ([(1.0, 0.0, {"a": 0.0})], "the duration of a change of gait is 0; it must be positive"),
    ],
)
def test_wrong_changes(changes, message):
    with pytest.raises(InputError, match=message):
        gait_transitions({"a": ld.sine(1.0, omega=1.0).soft_start(1.0)}, *changes)


# ------------------------------------------------------------------------------------------------------------ backbone curves
def chain(fit, length):
    """Ends of the links from the angles alone."""
    rotation, ends = fit.rotation, [fit.joints[0]]
    for k in range(len(fit.yaw) + 1):
        ends.append(ends[-1] + length * rotation[:, 0])
        if k < len(fit.yaw):
            rotation = rotation @ ld.rotation_about("z", fit.yaw[k]) @ ld.rotation_about("y", fit.pitch[k])
    return np.array(ends)


def test_a_chain_lies_on_a_curve_in_space():
    """A helix: the joints that follow from the angles are on it, one link apart."""

    def helix(s):
        return 0.3 * np.cos(2 * s), 0.3 * np.sin(2 * s), 0.4 * s

    fit = fit_backbone(helix, 11, 0.122)
    ends = chain(fit, 0.122)
    assert np.abs(ends - [helix(s) for s in fit.places]).max() < 1e-12
    assert np.linalg.norm(np.diff(ends, axis=0), axis=1) == pytest.approx(0.122)
    assert np.abs(fit.pitch).max() > 0.01


def test_angles_of_the_serpenoid_curve_are_a_sine_wave():
    """Links of length L on the curve with winding alpha and quarter wave l: phi = -2 alpha sin(pi L / (4 l)) sin(pi s / (2 l)),
    for tangents at the middles of links; chords differ by the second order in L."""
    errors = []
    for links in (20, 40):
        length = 1.2 / links
        fit = fit_backbone(lambda s: serpenoid_curve(s, 0.8, 0.22)[0], links, length)
        s = fit.places[1:-1]
        expected = -2 * 0.8 * np.sin(np.pi * length / 0.88) * np.sin(np.pi * s / 0.44)
        errors.append(np.abs(fit.yaw - expected).max() / np.abs(expected).max())
        assert np.abs(fit.pitch).max() < 1e-12
    assert errors[0] < 0.02 and errors[1] < 0.3 * errors[0]


def test_a_gait_along_a_moving_curve():
    """Points on a wave that travels, as data and as a function of time: the angles at a time are those of the curve then."""

    def wave(s, t):
        return s, 0.1 * math.sin(6.0 * s - 2.0 * t)

    walk = gait_along(wave, YAW, length=0.122, period=math.pi)
    fit = fit_backbone(np.array([wave(s, 0.4) for s in np.linspace(0.0, 2.0, 400)]), 11, 0.122)
    assert walk.at(0.4)[0] == pytest.approx(fit.yaw, abs=1e-4)


@pytest.mark.parametrize(
    "act, message",
    [
        (lambda: fit_backbone(np.eye(4)[:, :3], 11, 0.5), "the curve ends before the end of link"),
        (lambda: fit_backbone(lambda s: (0.0, 0.0, s), 3, 0.1), "points along 'up'"),
        (lambda: fit_backbone(lambda s: (s,), 3, 0.1), "it must be two or three finite numbers"),
        (lambda: fit_backbone(lambda s: (s, 0.0), 1, 0.1), "it must have two or more"),
        (lambda: gait_along(lambda s, t: (s, 0, math.sin(9 * s)), YAW, length=0.1, period=1.0), "leaves the plane"),
        (lambda: snake_gait("crawl", YAW), "there is no gait 'crawl' of snakes"),
        (lambda: snake_gait("wheel", YAW), "needs pitch joints; without them there are lateral, concertina and skidding"),
        (lambda: snake_gait("concertina", (), PITCH), "needs yaw joints"),
        (lambda: snake_gait("lateral", YAW, PITCH[:3]), "as many for yaw as for pitch"),
    ],
)
def test_wrong_gaits_and_curves(act, message):
    with pytest.raises(InputError, match=message):
        act()


# ------------------------------------------------------------------------------------------------------------------- files
FILE = """\
robot: {zoo: snake_3d, parameters: {n: 5}}
drives:
  gait:
    snake: {kind: inchworm, pitch: [joint_1.1, joint_2.1, joint_3.1, joint_4.1], scale: 0.5}
    stiffness: 700
    damping: 3
time: {end: 0.05, step: 2.5e-4}
"""


def test_a_file_says_a_gait_followed_by_servos(tmp_path):
    (tmp_path / "snake.yaml").write_text(FILE)
    scenario = scenario_of(tmp_path / "snake.yaml").scenario
    assert scenario.drive.imposed == {}
    servo = scenario.drive.servo["joint_2.1"]
    assert (servo.stiffness, servo.damping) == (700.0, 3.0)
    pitch = [f"joint_{k}.1" for k in range(1, 5)]
    assert servo.law.at(0.3) == snake_gait("inchworm", pitch=pitch, scale=0.5)["joint_2.1"].at(0.3)
    assert scenario.run(progress=False).status == "completed"
    for old, new, message in (
        ("kind: inchworm", "kind: inchwrm", "line 4: .*did you mean 'inchworm'"),
        ("    stiffness: 700\n", "", "line 3: the gait has a damping but no stiffness"),
        ("kind: inchworm, pitch", "kind: wheel, yaw", "needs pitch joints"),
    ):
        (tmp_path / "snake.yaml").write_text(FILE.replace(old, new))
        with pytest.raises(InputError, match=message):
            scenario_of(tmp_path / "snake.yaml")
