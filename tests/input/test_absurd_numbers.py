"""Numbers beyond reason get a sentence at once, before anything is built or computed."""

from __future__ import annotations

import pytest

import locodyn as ld
from locodyn.robot.building import builder


@pytest.mark.parametrize("links", [2**63, 10**300])
def test_a_count_beyond_integers(links: int) -> None:
    with pytest.raises(ld.InputError, match=r"parameter 'n' is .*; it must be a whole number of less than 19 digits"):
        ld.zoo.pendulum(n=links)


@pytest.mark.parametrize("tolerance", [1e-16, 1e-40, 1e-300])
def test_a_tolerance_below_round_off(tolerance: float) -> None:
    """1e-15 is about five units in the last place of 1: no sum of a step is better than that."""
    with pytest.raises(ld.InputError, match="numbers have 16 digits, so that it must be at least 1e-15"):
        ld.zoo.pendulum().changed(integrator="adaptive", tolerance=tolerance)
    assert ld.zoo.pendulum().changed(integrator="adaptive", tolerance=1e-14).numerics.tolerance == 1e-14


@pytest.mark.parametrize("every", [10**10, 10**30])
def test_records_further_apart_than_any_run(every: int) -> None:
    with pytest.raises(ld.InputError, match=r"record_every is 1e\+\d+ steps; it must be at most 1e\+09"):
        ld.zoo.pendulum().changed(record_every=every)


@pytest.mark.parametrize("step", [1e-15, 1e-300])
def test_a_step_that_no_run_could_take(step: float) -> None:
    with pytest.raises(ld.InputError, match="at most 1e\\+08 are possible"):
        ld.zoo.pendulum().changed(dt=step).run(progress=False)


def test_a_million_links(monkeypatch: pytest.MonkeyPatch) -> None:
    """By their number in the zoo, and on the way where a robot is built."""
    with pytest.raises(ld.InputError, match=r"parameter 'n' is 1e\+06; it must be at most 5000"):
        ld.zoo.pendulum(n=10**6)
    monkeypatch.setattr(builder, "MOST_BODIES", 50)
    with pytest.raises(ld.DescriptionError, match="has more than 50 bodies"):
        ld.zoo.pendulum(n=60)


@pytest.mark.parametrize("name, values, sentence", [
    ("pendulum", {"lengths": 1e300}, r"parameter 'lengths' is 1e\+300; it must be at most 1e\+40: its products overflow"),
    ("free_chain", {"mass": 1e-300}, "parameter 'mass' is 1e-300; it must be zero, or at least 1e-40"),
    ("trailer_truck", {"l": 1e-39}, r"'trailer_truck' cannot be made of l = 1e-39 \(.*\); choose numbers nearer to the usual"),
])  # fmt: skip
def test_parameters_that_give_no_robot(name: str, values: dict[str, float], sentence: str) -> None:
    with pytest.raises(ld.InputError, match=sentence):
        ld.zoo.make(name, values)


@pytest.mark.parametrize("what", ["mass", "centre", "place"])
def test_numbers_whose_products_overflow(what: str) -> None:
    huge = {"mass": 1.0, "centre": (0.0, 0.0, 0.1), "place": (0.0, 0.0, 0.0)}
    huge[what] = 1e300 if what == "mass" else (0.0, 1e300, 0.0)
    robot = ld.Robot("huge")
    base = robot.base("base", moves="fixed")
    with pytest.raises(ld.DescriptionError, match=r"1e\+300.*but it must be at most 1e\+40 in SI units: its products overflow"):
        robot.body("arm", mass=huge["mass"], centre=huge["centre"], inertia=ld.about_centre(xx=1, yy=1, zz=1)).on(
            base, at=huge["place"]
        ).turning("y")
        ld.simulate(robot, t_end=0.1, progress=False)
