"""Strain fields that make no sense: one sentence each."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import locodyn as ld
from locodyn import gaits
from locodyn.robot import FieldTerm, GivenSection, Profile, window

SECTION = GivenSection((1.0,) * 6, mass=1.0, inertia=(2e-4, 1e-4, 1e-4))
WAVE = ld.StrainField("wave", ld.travelling("bending_z", 3.0, wavelength=1.0))


def body(*fields: Any, **options: Any) -> ld.Robot:
    robot = ld.Robot("worm")
    robot.base("head", moves="planar").rod("body", length=1.0, section=SECTION, fields=fields, **options)
    return robot


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: ld.travelling("yaw", 1.0, wavelength=1.0), "A rod has no strain 'yaw'"),
        (
            lambda: ld.travelling("bending_z", 1.0, wavelength=0.0),
            "The wavelength of a strain field is 0 m",
        ),
        (lambda: ld.travelling("bending_z", np.nan, wavelength=1.0), "all must be finite"),
        (lambda: ld.travelling_bump("bending_z", 1.0, centre=0.0, half_width=-1.0), "The half-width of a bump is -1 m"),
        (lambda: window(0.3, 0.3), "it must begin and end at different places"),
        (lambda: ld.StrainField("a.b", WAVE.shape), "it must be a word without dots"),
        (lambda: ld.StrainField("wave", ()), "The strain field 'wave' has no term"),
        (lambda: FieldTerm("torsion", 1.0, (Profile(2, 1.0, coefficients=(0.0,) * 9),)), "has 9 coefficients; at most 8"),
        (lambda: body(WAVE, WAVE), "A rod has two strain fields or modes named 'wave'"),
        (lambda: body(ld.StrainField("torsion", WAVE.shape)), "A rod has two strain fields or modes named 'torsion'"),
        (lambda: body("wave"), "A strain field of a rod is 'wave'; it must be a StrainField"),
        (lambda: body(), "A rod has no strain function at all"),
        (lambda: body(WAVE, keeps_volume=True), "A rod keeps its volume but cannot stretch"),
        (lambda: body(WAVE)["body"].tendon("wire", (0.01, 0.0)), "a rod has strain fields, or tendons, chambers and muscles"),
    ],
)
def test_descriptions(make: Any, message: str) -> None:
    with pytest.raises(ld.DescriptionError, match=message):
        make()


@pytest.mark.parametrize(
    "make, message",
    [
        (
            lambda: gaits.peristalsis(1.2, wavelength=1.0, travel=0.1),
            "below 1, where the body turns inside out",
        ),
        (lambda: gaits.omega_bend(2.0, length=-1.0, period=2.0), "the length of an inchworm is -1; it must be positive"),
        (lambda: gaits.concertina(2.0, length=1.0, folds=0, period=2.0), "it must have a whole number of them, 1 or more"),
        (
            lambda: gaits.lateral_undulation(1.0, wavelength=1.0, travel=0.0, turns=[gaits.Turn(0.0, 1.0, 1.0)]),
            "a turn needs a moving wave",
        ),
    ],
)
def test_gaits(make: Any, message: str) -> None:
    with pytest.raises(ld.InputError, match=message):
        make()


@pytest.mark.slow
def test_runs() -> None:
    """Inside out, with and without volume; a wave whose motion has a kink; statics of the strong form."""
    swell = ld.StrainField("swell", ld.standing("stretch", 1.0))
    law = {"body.swell": ld.sine(1.5, omega=2.0)}
    with pytest.raises(
        ld.InputError, match=r"the imposed stretch of rod 'body' is -0.5 at s = 0 m and t = 2.3[56] s.*turn inside out; keep"
    ):
        ld.simulate(body(swell), imposed=law, t_end=3.0, progress=False)
    fast = ld.Scenario("worm", body(swell), imposed={"body.swell": ld.sine(1.5, omega=200.0 * np.pi)}, t_end=4.0)
    with pytest.raises(ld.InputError, match=r"the imposed stretch of rod 'body' is -0\.\d+ at s = "):
        fast.check_motion()  # the sine is zero at 401 even times
    with pytest.raises(ld.InputError, match="inside out, and no section keeps its volume there"):
        ld.simulate(body(swell, keeps_volume=True), imposed=law, t_end=3.0, progress=False)
    with pytest.raises(ld.InputError, match=r"the motion of 'body\.wave' is not twice differentiable near t = 1 s"):
        ld.simulate(body(WAVE), imposed={"body.wave": ld.ramp(-0.5, at=1.0)}, t_end=3.0, progress=False)
    with pytest.raises(ld.InputError, match="no strain modes; those of rod 'body' cannot be imposed"):
        ld.statics(body(WAVE), imposed={"body.wave": 0.2}, method="shooting")


def test_a_wave_that_nothing_holds() -> None:
    """A wave that runs at the start, without contact, force or fluid: its start alone would say where the body drifts."""
    law = {"body.wave": ld.polynomial(0.0, -0.5)}
    with pytest.raises(ld.InputError, match=r"nothing determines how robot 'worm' moves with the wave 'body\.wave': no contact"):
        ld.Scenario("worm", body(WAVE), imposed=law, t_end=1.0).check_motion()
    ld.Scenario("worm", body(WAVE), imposed=law, start="zero_momentum", t_end=1.0).check_motion()
    ld.Scenario("worm", body(WAVE), imposed={"body.wave": law["body.wave"].soft_start(1.0)}, t_end=2.0).check_motion()
    held = body(WAVE)
    held["body"].sleeve("ring", at=0.5)
    ld.Scenario("worm", held, imposed=law, t_end=1.0).check_motion()
