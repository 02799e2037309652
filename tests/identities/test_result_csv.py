"""The table of a run, and robots that are declared in another order (acceptance S1 of Gotelli 2024)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import locodyn as ld
from rod_cases import SOFT

pytestmark = pytest.mark.slow


def pair(names: tuple[str, str]) -> ld.Robot:
    """Two rods on a free base, declared in the order of their names."""
    robot = ld.Robot("pair")
    base = robot.base("base", moves="free", mass=0.5, inertia=ld.about_centre(xx=0.01, yy=0.01, zz=0.01))
    for name in names:
        turned = 0.0 if name == "left" else 2.0
        modes = 2 if name == "left" else 3
        base.rod(name, length=0.3, turned=("z", turned), section=ld.Circle(0.01), material=SOFT, bending=(modes, 1))
    return robot


def test_table_of_a_run(tmp_path: Path) -> None:
    """One row for each record, all coordinates, rates and accelerations; laws through its columns are the run."""
    run = ld.simulate(pair(("left", "right")), t_end=0.2, dt=0.01, integrator="gauss2", progress=False)
    file = run.to_csv(tmp_path / "run.csv")
    lines = file.read_text().splitlines()
    assert len(lines) == len(run.time) + 1 == 22
    header = lines[0].split(",")
    joints = list(run.joint.values)
    assert len(joints) == 7
    wanted = [f"joint_{what}.{name}" for what in ("position", "velocity", "acceleration") for name in joints]
    assert set(wanted) < set(header)
    assert {"time", "position.z", "orientation.w", "twist.wx"} < set(header)
    table = np.array([[float(x) for x in line.split(",")] for line in lines[1:]])
    np.testing.assert_array_equal(table[:, header.index(wanted[0])], run.joint_position.values[:, 0])
    law = ld.motion.from_csv(file, [wanted[0]])[wanted[0]]
    assert law(0.1) == pytest.approx(float(run.joint_position.values[10, 0]), abs=1e-14)
    with pytest.raises(ld.InputError, match="cannot be written"):
        run.to_csv(tmp_path / "nowhere" / "run.csv")


def test_table_holds_the_multipliers(tmp_path: Path) -> None:
    """With a closed loop Gotelli's state chi has multipliers; redundant rows of a planar pin carry nothing."""
    run = ld.zoo.make("cpr_rfrfr").changed(t_end=1.2, record_every=1, checks=()).run(progress=False)
    lines = run.to_csv(tmp_path / "run.csv").read_text().splitlines()
    header = lines[0].split(",")
    assert len(lines) == 1 + 1 + 120  # one row for each step of 10 ms, and the start
    rows = np.array([[float(x) for x in line.split(",")] for line in lines[1:]])
    columns = [header.index(f"multiplier.pin.{word}") for word in ("x", "y", "z")]
    assert np.abs(rows[-1, columns[:2]]).max() > 1e-3 and np.abs(rows[:, columns[2]]).max() < 1e-12


def test_order_of_declaration_does_not_matter() -> None:
    """Rods declared the other way round: the same motion of every body."""
    runs = [
        ld.simulate(pair(names), t_end=0.3, dt=0.01, integrator="gauss2", tolerance=1e-12, progress=False)
        for names in (("left", "right"), ("right", "left"))
    ]
    for name in ("base", "left", "right"):
        one, two = (run.body_position.sel(body=name).values for run in runs)
        np.testing.assert_allclose(one, two, atol=1e-10)
