"""Contacts on rods that make no sense: one sentence each."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import locodyn as ld
from locodyn.errors import InputError, LocodynError
from locodyn.files import load_robot, save_robot
from locodyn.robot.building.sentence import BodyHandle


def rod(**words: object) -> BodyHandle:
    """A planar rod of 1 m with an imposed wave."""
    wave = ld.StrainField("wave", ld.travelling("bending_z", 3.0, wavelength=1.0))
    base = ld.Robot("worm").base("head", moves="planar")
    return base.rod("body", length=1.0, section=ld.Circle(0.02), material=ld.silicone, **({"fields": [wave]} | words))


@pytest.mark.parametrize(
    "said, sentence",
    [
        (lambda body: body.anchor("a", at=1.2), "anchor 'a' on rod 'body' is at s = 1.2 m; the rod goes from 0 to 1 m"),
        (lambda body: body.sleeve("a", at=-0.1), "is at s = -0.1 m"),
        (lambda body: body.peg("a"), "has no abscissa"),
        (lambda body: body.peg("a", at=ld.polynomial(0.0, 1.0)), "its abscissa at the start is a number"),
        (lambda body: body.sleeve("a", at="x"), "must be a number"),
        (lambda body: body.sleeve("a", at=0.5, wrap=(0.0, 1.0)), "its abscissa does not move"),
        (lambda body: body.sleeve("a", at=ld.polynomial(0.0, 1.0), wrap=(0.0, 1.5)), "that must be a stretch of the rod"),
        (lambda body: body.anchor("a", at=0.5, period=2.0), "has a period, but it is always there"),
        (lambda body: body.anchor("a", at=0.5, during=(2.0, 1.0)), "the first time must come before the second"),
        (lambda body: body.anchor("a", at=0.5, during=(0.0, 3.0), period=2.0), "within the period"),
        (lambda body: body.anchor("a", at=0.5, moves={"up": ld.constant(1.0)}), "cannot move along 'up'"),
        (lambda body: body.anchor("a", at=0.5, moves={"x": 1.0}), "must be a law of time"),
        (lambda body: body.anchor("a", at=0.5).sleeve("a", at=0.6), "already has a contact 'a'"),
        (lambda body: body._robot["head"].anchor("a", at=0.5), "which is not a rod"),
    ],
)
def test_descriptions(said, sentence: str) -> None:
    with pytest.raises(LocodynError, match=sentence.replace("(", r"\(")):
        said(rod())


def test_least_moments_need_a_rod_and_no_other_rule() -> None:
    """``torque_method="min_torque"``: refused where it would change nothing, or where another rule shares the forces."""
    body = rod().sleeve("ring", at=0.5)
    with pytest.raises(InputError, match=r"'ring\.y' is weighted or loaded, and torque_method='min_torque'"):
        ld.Scenario("worm", body._robot, torque_method="min_torque", weights={"ring.y": 2.0}, t_end=1.0)
    with pytest.raises(InputError, match="without phases, obstacles and self-collision"):
        ld.Scenario("worm", body._robot, torque_method="min_torque", obstacles=[ld.Ground()], t_end=1.0)
    plain = ld.Robot("box")
    plain.base("box", moves="planar", mass=1.0, inertia=ld.about_centre(xx=1, yy=1, zz=1))
    with pytest.raises(InputError, match="robot 'box' has no rod"):
        ld.Scenario("box", plain, torque_method="min_torque", t_end=1.0)


def test_space_integrator_must_fit() -> None:
    with pytest.raises(LocodynError, match="needs space='magnus4'"):
        rod(space="magnus6").anchor("a", at=0.5)


def test_a_law_that_leaves_the_rod() -> None:
    """Time and place are told, also of a law that is back at the same place at a thousand even times."""
    body = rod().sleeve("ring", at=ld.polynomial(0.5, 0.1))
    with pytest.raises(InputError, match=r"sleeve 'ring' is at s = 1.000\d+ m at t = 5.00\d s, outside rod 'body'"):
        ld.simulate(body._robot, imposed={"body.wave": ld.constant(0.0)}, t_end=10.0, dt=0.1, progress=False)
    hidden = ld.Scenario(
        "worm", rod().sleeve("ring", at=0.5 + ld.sine(0.6, omega=200.0 * np.pi))._robot, imposed={"body.wave": 0.0}, t_end=10.0
    )
    with pytest.raises(InputError, match=r"sleeve 'ring' is at s = (1\.|-0\.)\d+ m at t = \d+\.?\d* s, outside rod 'body'"):
        hidden.check_motion()


@pytest.mark.slow
@pytest.mark.parametrize("place", [(0.3, 5.0, 0.0), (-3.0, 0.0, 0.0)])
def test_a_peg_that_is_not_on_its_rod(place: tuple[float, float, float]) -> None:
    """Beside the body, or beyond its head; also where another peg holds. It was dropped without a word."""
    for others in ((), (0.4,)):
        body = rod().peg("post", place=place)
        for at in others:
            body.peg("other", at=at)
        with pytest.raises(InputError, match=r"the peg '(post|other)' cannot be held at t = 0 s: it is .* m from rod 'body'"):
            ld.simulate(
                body._robot, imposed={"body.wave": ld.polynomial(0.0, -0.1)}, t_end=0.1, dt=0.1, gravity=(0, 0, 0), progress=False
            )


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["anchor", "peg"])
@pytest.mark.parametrize("integrator", ["rkmk4", "radau3", "adaptive"])
def test_a_contact_that_comes_where_its_section_is_not(kind: str, integrator: str) -> None:
    """A straight bar drifts at 0.2 m/s across its axis, and is 0.02 m aside at 0.1 s, when a contact comes at a given place.

    There the run goes on, although it is fast before and at rest after it, with an anchor; 0.05 m farther it ends, with the
    distance. The body was put there, with what energy that took.
    """
    for aside in (0.0, 0.05):
        base = ld.Robot("bar").base("head", moves="planar")
        body = base.rod("bar", length=1.0, section=ld.Circle(0.02), material=ld.silicone, bending=(0, 1))
        words = {"at": 0.3} if kind == "anchor" else {}
        getattr(body, kind)("late", place=(0.3, 0.02 + aside, 0.0), during=(0.1, 1.0), **words)
        run = ld.simulate(
            body._robot, imposed={"bar": 0.0}, start=ld.Start(velocities={"head": (0.0, 0.2, 0.0)}), gravity=(0, 0, 0), t_end=0.2,
            dt=0.02, integrator=integrator, progress=False,
        )  # fmt: skip
        if not aside:
            assert run.status == "completed"
            continue
        assert run.status.startswith(f"failed: the {kind} 'late' comes at t = 0.1 s, 0.05 m or rad from its section of rod 'bar'")
        assert run.time.values[-1] == pytest.approx(0.08)


def test_a_sleeve_that_holds_nothing() -> None:
    """On a line nothing moves sideways."""
    wave = ld.StrainField("wave", ld.travelling("stretch", 0.3, wavelength=1.0))
    base = ld.Robot("bar").base("head", moves="prismatic", axis="x")
    body = base.rod("body", length=1.0, section=ld.Circle(0.02), material=ld.silicone, fields=[wave]).sleeve("ring", at=0.5)
    with pytest.raises(InputError, match="holds nothing: rod 'body' of robot 'bar' cannot move sideways"):
        ld.simulate(body._robot, imposed={"body.wave": ld.constant(0.0)}, t_end=0.1, dt=0.01, progress=False)


@pytest.mark.slow
@pytest.mark.parametrize("word", ["z", "about_x"])
def test_an_obstacle_that_leaves_the_plane(word: str) -> None:
    """A body in a plane cannot follow an obstacle out of it."""
    body = rod().anchor("hand", at=0.5, moves={word: ld.sine(0.1, omega=1.0), "turn": ld.sine(0.1, omega=1.0)})
    with pytest.raises(InputError, match=f"'hand' moves along '{word}', where rod 'body' .* cannot follow: it moves in a plane"):
        ld.simulate(body._robot, imposed={"body.wave": 0.0}, t_end=0.1, dt=0.1, progress=False)


@pytest.mark.slow
@pytest.mark.parametrize("word", ["z", "about_z"])
def test_an_obstacle_that_leaves_the_plane_of_bending_about_y(word: str) -> None:
    """The plane of the world is x-z of the sections: they follow along y of the world, and in turns about their own y."""
    wave = ld.StrainField("wave", ld.travelling("bending_y", 3.0, wavelength=1.0))
    head = ld.Robot("worm").base("head", moves="planar")
    body = head.rod("body", length=1.0, turned=("x", 0.5 * np.pi), section=ld.Circle(0.02), material=ld.silicone, fields=[wave])
    still = ld.sine(0.1, omega=1.0)
    body.anchor("hand", at=0.5, moves={"y": still, "about_y": still, word: still})
    with pytest.raises(InputError, match=f"'hand' moves along '{word}', where rod 'body' .* cannot follow: it moves in a plane"):
        ld.simulate(body._robot, imposed={"body.wave": 0.0}, t_end=0.1, dt=0.1, progress=False)


def test_a_gait_that_does_not_suit_its_contacts() -> None:
    """A standing wave through five sleeves: which row is missed, where on the body, by how much, when."""
    body = rod(fields=[ld.StrainField("pulse", ld.standing("bending_z", 1.0, wavelength=1.0))])
    for n in range(5):
        body.sleeve(f"ring_{n + 1}", at=0.1 + 0.2 * n)
    with pytest.raises(
        InputError,
        match=r"do not go together at t = 0 s: 'ring_\d.y' at s = 0.\d m of rod 'body' is missed by -?\d.\d+e?-?\d* m/s",
    ):
        ld.simulate(body._robot, imposed={"body.pulse": ld.sine(3.0, omega=2.0)}, t_end=1.0, dt=0.01, progress=False)


def test_files_hold_them(tmp_path: Path) -> None:
    """What is written is read again, with its laws."""
    body = rod()
    body.anchor("grip", at=0.25 + ld.polynomial(0.0, 0.1), wrap=(0.0, 1.0), slips=False, during=(0.0, 1.0), period=2.0)
    body.sleeve("ring", at=0.5, place=(0.1, 0.2, 0.0), moves={"x": ld.sine(0.1, omega=2.0)}).peg("post", at=0.3)
    save_robot(body._robot, tmp_path / "worm.yaml")
    again = load_robot(tmp_path / "worm.yaml")
    again = getattr(again, "robot", again)
    assert str(again.description) == str(body._robot.description)
    found = {one.name: one for _, one in again.description.rod_contacts}
    assert found["grip"].at(1.0) == pytest.approx(0.35) and not found["grip"].slips and found["grip"].period == 2.0
    assert found["ring"].moves["x"](1.0) == pytest.approx(ld.sine(0.1, omega=2.0)(1.0))
    assert found["post"].at == pytest.approx(0.3)


@pytest.mark.slow
def test_contacts_on_rods_do_not_widen_the_limit_of_loops() -> None:
    """Two bars of 0.5 m cannot reach a pin that is 1 m and 5 um away: that is told, also where a sleeve holds a rod to 0.1 mm."""
    robot = ld.Robot("bars")
    ground = robot.base("ground", moves="fixed")
    inertia = {"mass": 1.0, "inertia": ld.about_centre(zz=0.1, xx=0.1, yy=0.1)}
    first = robot.body("first", **inertia).on(ground).turning("z")
    second = robot.body("second", **inertia).on(first, at=(0.5, 0, 0)).turning("z")
    robot.loop("pin", second, "world", first_at=(0.5, 0, 0), at=(1.0 + 5e-6, 0, 0))
    rod = ground.rod("rod", at=(0, 1, 0), length=1.0, section=ld.Circle(0.02), material=ld.silicone, bending=(0, 2))
    rod.sleeve("ring", at=0.5)
    with pytest.raises(InputError, match="the loop 'pin' cannot be closed at t = 0 s: 5e-06 m or rad are left"):
        ld.simulate(robot, gravity=(0, 0, 0), t_end=0.01, dt=0.001, progress=False)
