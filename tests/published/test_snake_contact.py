"""Snake robots with hard contact: rows of the acceptance table of Transeth (2007), and a second way to the same motion."""

import numpy as np
import pytest

import locodyn as ld
from locodyn.control.joint_waves import joint_waves, switching_time
from locodyn.errors import InputError
from locodyn.zoo.snake_links import COURSES, LINK, chain
from maximal_snake import MaximalSnake

A, OMEGA, PHASE = np.radians([40.0, 80.0, -50.0])


def maximal(scenario, dt, t_end, mu=(0.2, 0.2), pegs=()):
    """Link positions at the end by the maximal-coordinate stepper, started where the scenario starts."""

    def reference(t):
        phases = OMEGA * t + PHASE * np.arange(10)
        return A * np.sin(phases), A * OMEGA * np.cos(phases)

    snake = MaximalSnake(11, 0.122, 0.0393, 0.0525, 7.5 / 11, 1.32e-3, mu, 9.81, pegs, 800.0, 2.0, reference)
    q0 = scenario.initial_state()[0]
    q, (x, y, heading) = np.zeros(33), q0[:3]
    angles = heading + np.concatenate([[0.0], np.cumsum(q0[3:])])
    q[2::3], q[0], q[1] = angles, x, y
    for i in range(10):
        pair = angles[i : i + 2]
        q[3 * i + 3 : 3 * i + 5] = q[3 * i : 3 * i + 2] + 0.061 * np.array([np.cos(pair).sum(), np.sin(pair).sum()])
    u = np.zeros(33)
    for n in range(round(t_end / dt)):
        q, u = snake.step(q, u, n * dt, dt, 1e-7)
    return q.reshape(11, 3)[:, :2]


def apart(pegs, dt, t_end):
    """Largest distance of a link in minimal and maximal coordinates, both with explicit PD, m."""
    scenario = ld.zoo.snake_2d(pegs=pegs, servo="explicit")
    scenario = scenario.changed(dt=dt, t_end=t_end, record_every=round(t_end / dt), checks=())
    ours = scenario.run(progress=False).body_position.values[-1, :, :2]
    return np.abs(ours - maximal(scenario, dt, t_end, pegs=COURSES[pegs])).max()


def test_minimal_and_maximal_coordinates_agree():
    """After 0.15 s of the gait, which starts with a jolt; the distance falls with the step (0.6 micrometres, halved)."""
    coarse, fine = apart("none", 2.5e-4, 0.15), apart("none", 1.25e-4, 0.15)
    assert coarse < 5e-6
    assert fine < 0.6 * coarse


def test_minimal_and_maximal_coordinates_agree_among_pegs():
    """After 0.3 s (measured: 1 micrometre)."""
    assert apart("table_7_5", 2.5e-4, 0.3) < 1e-5


def test_nine_pegs():
    """Row pegs9: links 2, 7, 10 push at 5.2 s against pegs 5, 4, 3; that on link 7 is opposite in y; the sum points forward."""
    result = ld.zoo.snake_2d(pegs="table_7_3").changed(t_end=5.4, record_every=4).run(progress=False)
    window = (result.time.values > 5.1) & (result.time.values < 5.3)
    force = result.contact_force[window].mean("time")
    pushing = {str(name): f for name, f in zip(force.contact.values, force.values, strict=True) if "peg" in str(name)}
    pushing = {name: f for name, f in pushing.items() if np.linalg.norm(f) > 0.1}
    assert set(pushing) == {"link_2.surface on peg_5", "link_7.surface on peg_4", "link_10.surface on peg_3"}
    two, seven, ten = (pushing[f"link_{k}.surface on peg_{b}"] for k, b in ((2, 5), (7, 4), (10, 3)))
    assert two[1] * seven[1] < 0.0 and ten[1] * seven[1] < 0.0
    assert np.linalg.norm(seven) > max(np.linalg.norm(two), np.linalg.norm(ten))
    assert (two + seven + ten)[0] > 0.0


@pytest.mark.slow
def test_third_peg():
    """Row peg3: without peg 3 link 6 never passes x = 0.8 m in 15 s; with the peg moved it completes the course."""
    paths = {}
    for peg in ("removed", "moved"):
        scenario = ld.zoo.snake_2d(pegs="table_7_3", peg_3=peg).changed(t_end=15.0)
        paths[peg] = scenario.run(progress=False).body_position.sel(body="link_6").values
    assert paths["removed"][:, 0].max() < 0.8
    assert paths["moved"][-1, 0] > 2.5


def test_halving_the_step():
    """Row conv: link 6 after one period among seven pegs, 1 mm."""
    ends = []
    for dt in (2.5e-4, 1.25e-4):
        scenario = ld.zoo.snake_2d(pegs="table_7_5").changed(t_end=4.5, dt=dt, record_every=round(4.5 / dt))
        ends.append(scenario.run(progress=False).body_position.sel(body="link_6").values[-1])
    assert np.linalg.norm(ends[0] - ends[1]) < 1e-3


def test_explicit_pd_needs_a_small_step():
    """Row PDstab: 5e-4 s is refused with the limit (about 3.4e-4 s), 2.5e-4 s runs."""
    scenario = ld.zoo.snake_2d(servo="explicit").changed(t_end=0.1, checks=())
    assert scenario.run(progress=False).status == "completed"
    with pytest.raises(InputError, match=r"stable up to 0\.000[34]\d* s only"):
        scenario.changed(dt=5e-4).run(progress=False)


def test_drop():
    """Rows drop1 and drop2: v_1z = -2.3453 m/s before the first impact at 0.23907 s; at rest before 1 s; link 6 goes to -x."""
    result = ld.zoo.snake_3d(gait="drop", mu_y=0.5).changed(record_every=1).run(progress=False)
    z = result.body_position.sel(body="link_1").values[:, 2]
    t, speed = result.time.values, np.gradient(z, result.time.values)
    first = int(np.argmax(np.linalg.norm(result.contact_force.values, axis=2).max(axis=1) > 0.0))
    assert t[first] == pytest.approx(0.23907, abs=2.5e-4)
    assert speed[first - 2] == pytest.approx(-2.3453, abs=0.01)
    assert result.attributes["contact_deepest_penetration"] < 1e-3
    assert np.abs(result.v[-1]).max() < 0.05
    assert result.body_position.values[-1, :, 2] == pytest.approx(0.0525, abs=5e-4)
    assert result.body_position.sel(body="link_6").values[-1, 0] < result.body_position.sel(body="link_6").values[first, 0]


@pytest.mark.slow
@pytest.mark.parametrize("mu_y, low, high", [(0.2, 0.060, 0.075), (0.5, 0.072, 0.090)])
def test_lateral_rolling(mu_y, low, high):
    """Row roll2: mean speed of the mass centre towards -y."""
    result = ld.zoo.snake_3d(gait="rolling", mu_y=mu_y).run(progress=False)
    y = result.mass_centre.values[:, 1]
    assert low < (y[0] - y[-1]) / 9.0 < high


@pytest.mark.slow
def test_sidewinding():
    """Row side: net motion along +y; most of the time fewer than half of the 22 balls touch the ground."""
    result = ld.zoo.snake_3d(gait="sidewinding").changed(t_end=6.75).run(progress=False)
    x, y, _ = result.mass_centre.values[-1] - result.mass_centre.values[0]
    assert y > 0.2 and abs(x) < 0.15 * y
    touching = (result.contact_gap.values[100:] < 1e-5).sum(axis=1)
    assert np.median(touching) < 11


def test_plane_and_space_agree_among_pegs():
    """Row 2D-3D: link 6 after 2 s among seven pegs; the models differ in where friction acts (one or two points a link): 2 cm."""
    flat = ld.zoo.snake_2d(pegs="table_7_5").changed(t_end=2.0).run(progress=False)
    space = ld.zoo.snake_3d(pegs="table_7_5", rolling=0.0).changed(t_end=2.0).run(progress=False)
    ends = [r.body_position.sel(body="link_6").values[-1, :2] for r in (flat, space)]
    assert np.linalg.norm(ends[0] - ends[1]) < 0.02


def test_waves_and_their_soft_start():
    laws = joint_waves(10, A, OMEGA, PHASE, soft=np.radians(3.0))
    for i, law in enumerate(laws):
        begin = switching_time(A, OMEGA, i * PHASE, np.radians(3.0))
        t = np.linspace(0.0, 3.0, 3001)
        value = A * np.sin(OMEGA * t + i * PHASE)
        first = t[np.argmax(np.abs(value) <= np.radians(3.0))]
        assert begin == pytest.approx(first, abs=1e-3)
        assert law(t[t > begin + 1e-3]) == pytest.approx(value[t > begin + 1e-3], abs=1e-12)
        assert not np.any(law(t[t < begin]))


@pytest.mark.parametrize("pitch", [False, True])
def test_path_does_not_depend_on_the_tolerance(pitch):
    """Ten links on twenty contacts, which leave the loads open: 1 s with 1e-6 and with 1e-8 (measured over a period: 0.02 mm)."""
    parameters = {entry.name: entry.value for entry in LINK} | {"n": 10}
    robot = chain(parameters, "snake", "free", pitch, ld.Friction(0.2))
    laws = joint_waves(9, A, OMEGA, PHASE)
    names = [f"joint_{k}.0" if pitch else f"joint_{k}" for k in range(1, 10)]
    servo = {name: ld.Servo(law, 800.0, 2.0) for name, law in zip(names, laws, strict=True)}
    servo |= {f"joint_{k}.1": ld.Servo(0.0, 800.0, 2.0) for k in range(1, 10) if pitch}
    start = {name: law(0.0) for name, law in zip(names, laws, strict=True)} | {"link_1": (0.0, 0.0, 0.0525, 0.0, 0.0, 0.0)}
    ends = []
    for tolerance in (1e-6, 1e-8):
        scenario = ld.Scenario(
            "snake", robot, servo=servo, obstacles=[ld.Ground()], start=ld.Start(start), t_end=1.0, dt=1e-3, record_every=100,
            integrator="moreau", contact=ld.HardContact(tolerance=tolerance, midpoint=False),
        )  # fmt: skip
        result = scenario.run(progress=False)
        assert result.attributes["contact_unconverged_steps"] == 0
        ends.append(result.mass_centre.values[-1])
    assert np.abs(ends[0] - ends[1]).max() < 5e-5
