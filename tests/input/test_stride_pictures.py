"""What a report and plots tell of a run through phases: the table of phases, the limit cycle, the Poincare section."""

import json
import re

import numpy as np
import pytest
from matplotlib.figure import Figure

import locodyn as ld
from locodyn.phases import PoincareMap
from locodyn.view import tables
from locodyn.view.charts import default_panels
from locodyn.view.contact_charts import normal_forces, tangential_forces
from locodyn.view.height_charts import shown_bodies
from locodyn.view.stride_pictures import section_states, sticks

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def walk():
    return ld.zoo.compass_gait().run(progress=False)


def test_table_of_phases(walk):
    """A row for each passage, with times that add up to the run, and what was not admissible."""
    made = tables.phases(walk)
    cells = [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in re.findall(r"<tr>(.*?)</tr>", made)]
    rows = [row for row in cells if len(row) == 6]
    assert rows[0][0] == "left" and "touchdown of" in rows[0][3] and float(rows[0][5]) > 0.0
    assert rows[-1][3] == "the run ends" and not any("e-1" in row[4] for row in rows)  # no round-off
    assert abs(sum(float(row[2]) for row in rows) - walk.time.values[-1]) < 1e-3  # five digits each
    assert "No limit that was looked at is passed" in made
    pendulum = ld.zoo.pendulum().changed(t_end=0.1, checks=()).run(progress=False)
    assert tables.phases(pendulum) == ""


def test_section_is_that_of_the_map(walk):
    """The states after the transitions of the run (tolerance 1e-10) are those of the map of strides (1e-11)."""
    names = [str(name) for name in walk.joint.values]
    _, begins, states = section_states(walk, names)
    step = PoincareMap(ld.zoo.compass_gait())
    q, v = ld.zoo.compass_gait().initial_state()
    for _ in range(2):  # one step is half of a stride
        stride = step(q, v)
        q, v = stride.q, stride.v
    order = [step.model.compiled.coordinate_names.index(name) for name in names]
    here = [k for k, name in enumerate(names) if name not in ("x",)]  # it shifts along the floor
    assert abs(begins[1] - 2.0 * 0.7343464) < 1e-6
    assert np.abs(states[1, 0] - q[order])[here].max() < 1e-7 and np.abs(states[1, 1] - v[order])[here].max() < 1e-7


def test_section_on_compliant_feet_comes_to_rest():
    """A phase begins in the middle of an impact there, which no record near it tells: the section closes in as the walk does."""
    run = ld.zoo.rabbit_walk(feet="compliant", mu=0.285).run(progress=False)
    _, _, states = section_states(run, ["hip_1", "knee_1", "hip_2", "knee_2"])
    change = np.abs(np.diff(states, axis=0)).max(axis=(1, 2))
    assert change[-1] < 0.05 * change[0]


def test_pictures_are_drawn(walk, tmp_path):
    for name in ("limit_cycle", "poincare_section", "sticks"):
        assert walk.plot(tmp_path / f"{name}.svg", name).stat().st_size > 10_000
    with pytest.raises(ld.InputError, match="nothing to show for 'poincare_section'"):
        ld.zoo.pendulum().changed(t_end=0.1, checks=()).run(progress=False).plot(tmp_path / "none.svg", "poincare_section")


def test_section_of_what_rolls_on_or_begins_in_the_air(tmp_path):
    """A wheel turns on and on: its section shows what a stride brings back. A run that begins in flight begins no phase there:
    all states of a hopper are those of touchdown, where its leg is as long and as far ahead as it is set."""
    wheel = ld.zoo.rimless_wheel().run(progress=False)
    assert wheel.plot(tmp_path / "wheel.svg", "poincare_section").stat().st_size > 10_000
    hopper = ld.zoo.spring_hopper().run(progress=False)
    phase, begins, states = section_states(hopper, ["angle", "shortening"])
    locked = json.loads(hopper.attributes["phases"])["phases"]["flight"]["locked"]
    assert hopper.phase.attrs["flag_meanings"].split()[phase] == "stance" and begins[0] > 0.0
    assert np.abs(states[:, 0] - (locked["angle"], locked["shortening"])).max() < 1e-9


def test_sticks_follow_rods():
    """The bow of a leg is its centre line, from where it begins, at the end of the thigh, to its tip."""
    leg = ld.zoo.soft_leg(feet="rigid").changed(t_end=0.75, checks=()).run(progress=False)
    axes = Figure().subplots()
    sticks(leg, axes)
    bows = [line.get_xydata() for line in axes.lines if len(line.get_xydata()) > 20]
    assert len(bows) > 5
    for bow in bows:
        hip, begin, thigh = bow[0], bow[1], 0.15
        assert abs(np.linalg.norm(begin - hip) - thigh) < 1e-9
        assert abs(np.linalg.norm(np.diff(bow[1:], axis=0), axis=1).sum() - 0.2) < 1e-4  # chords of a bow of 0.2 m


def test_heights_are_those_of_bodies_with_mass(walk):
    """The rail that carries the hip weighs nothing and stays at zero."""
    assert shown_bodies(walk) == ["hip", "left"]


def test_forces_of_surfaces_are_parted():
    """Along the normal of the ground and along the ground: a block that rests on a slope of 0.3 rad has m g cos and m g sin."""
    landing = ld.zoo.rabbit_stand().changed(checks=()).run(progress=False)
    up, along = normal_forces(landing), tangential_forces(landing)
    assert up.names == ("sole_1", "sole_2") and along.names == ("sole_1, y", "sole_2, y")
    np.testing.assert_array_equal(up.values, landing.contact_force.values[:, :, 2])
    np.testing.assert_array_equal(along.values, landing.contact_force.values[:, :, 1])
    shown = [panel.name for panel in default_panels(landing, "contacts")]
    assert "tangential_forces" in shown and "contact_forces" not in shown
    robot = ld.Robot("block")
    block = robot.base("block", moves="free", mass=2.0, shape=ld.Box((0.2, 0.2, 0.1)))
    block.collides(vertices=[(x, y, -0.05) for x in (-0.1, 0.1) for y in (-0.1, 0.1)], friction=0.6)
    slope = ld.Ground(normal=(np.sin(0.3), 0.0, np.cos(0.3)))
    start = ld.Start({"block": (0.05 * np.sin(0.3), 0.0, 0.05 * np.cos(0.3), 0.0, 0.3, 0.0)})
    rest = ld.simulate(robot, obstacles=[slope], start=start, t_end=0.05, dt=1e-3, progress=False)
    weight = 2.0 * 9.81
    assert abs(normal_forces(rest).values[-1].sum() - weight * np.cos(0.3)) < 1e-6
    assert abs(np.linalg.norm(rest.contact_force.values[-1].sum(axis=0)) - weight) < 1e-6
    sizes = tangential_forces(rest).values[-1]
    assert len(sizes) == 4 and sizes.sum() > weight * np.sin(0.3) - 1e-6  # those of the four corners may turn a little


def test_what_drives_a_robot_in_phases_is_said():
    """Controllers and locks of phases, where the joints would else be called passive."""
    walk = ld.zoo.rabbit_walk(feet="compliant", mu=0.285, observer=400.0)
    words = walk.drive.words(walk.compiled, walk.phases)
    assert words["hip_1"] == "controller: OutputPD of 4 outputs, velocities by an observer of 400 rad/s"
    assert words["trunk"] == words["y"] == "passive" and words["z"] == "free (reference body)"
    kneed = ld.zoo.kneed_walker()
    words = kneed.drive.words(kneed.compiled, kneed.phases)
    assert words["left_hip"] == "passive" and "in phase" in words["left_knee"] and "locked at 0" in words["left_knee"]
