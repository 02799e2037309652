"""Bodies without joints that make no sense, in files: `locodyn run` says one sentence and ends with 2, before the first step."""

import numpy as np
import pytest

pytestmark = pytest.mark.slow

BODY = """\
robot:
  base: {{name: head, moves: planar}}
  bodies:
    body:
      parent: head
      rod:
        length: 1
        section: {{circle: {{radius: 0.02}}}}
        material: {{young: 1e5, density: 1000}}
        {strains}
      {contacts}
world: {{gravity: 0}}
drives: {{{drives}}}
time: {{end: {end}, step: 0.02}}
integrator: rkmk4
"""
WAVE = "fields: {wave: {shape: [{travelling: {strain: bending_z, amplitude: 3, wavelength: 1}}]}}"
SWELL = "fields: {wave: {shape: [{standing: {strain: stretch, amplitude: 1}}]}}"
PULSE = "fields: {wave: {shape: [{standing: {strain: bending_z, amplitude: 1, wavelength: 1}}]}}"
FIVE = "sleeves: {a: {at: 0.1}, b: {at: 0.3}, c: {at: 0.5}, d: {at: 0.7}, e: {at: 0.9}}"
SWING = "imposed: {body.wave: {sine: {amplitude: 1.5, omega: 2}}}"
GOOD = {
    "strains": WAVE, "contacts": "anchors: {a: {at: 0.5}}", "drives": "imposed: {body.wave: {polynomial: [0, -0.2]}}", "end": 3,
}  # fmt: skip
MARKS = "measured: {body: {file: marks.csv, places: [0, 0.5, 1]}}"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            {"strains": SWELL, "drives": SWING},
            "the imposed stretch of rod 'body' is -0.5 at s = 0 m and t = 2.35 s: the body would turn inside out; keep",
        ),
        (
            {"strains": SWELL + "\n        keeps_volume: true", "drives": SWING},
            "inside out, and no section keeps its volume there; keep the stretch above zero",
        ),
        ({"strains": WAVE + "\n        keeps_volume: true"}, "A rod keeps its volume but cannot stretch"),
        ({"contacts": "sleeves: {a: {at: 1.2}}"}, "The sleeve 'a' on rod 'body' is at s = 1.2 m; the rod goes from 0 to 1 m"),
        (
            {"contacts": "sleeves: {a: {at: {polynomial: [0.5, 0.25]}}}"},
            "the sleeve 'a' is at s = 1.00025 m at t = 2.001 s, outside rod 'body', which goes from 0 to 1 m; give another law",
        ),
        (
            {"strains": PULSE, "contacts": FIVE, "drives": SWING},
            "do not go together at t = 0 s: 'c.y' at s = 0.5 m of rod 'body' is missed by -0.137 m/s (or rad/s)",
        ),
        ({"contacts": ""}, "with the wave 'body.wave': no contact, friction or fluid force acts on it; add anchors, sleeves"),
        (
            {"drives": "imposed: {body.wave: {ramp: {slope: -0.5, at: 1}}}"},
            "the motion of 'body.wave' is not twice differentiable near t = 1 s (ramp from t = 1 s); give a smooth motion there",
        ),
        (
            {"contacts": "anchors: {a: {at: [{constant: 0.1}, {ramp: {slope: 0.2, at: 1}}]}}"},
            "is not twice differentiable near t = 1 s",
        ),
        (
            {"contacts": "anchors: {a: {at: 0.1, moves: {x: {ramp: {slope: 0.2, at: 1}}}}}"},
            "is not twice differentiable near t = 1 s",
        ),
        ({"strains": "bending: [0, 9]", "drives": MARKS}, "a centre line of 3 points cannot show 12 unknowns"),
        ({"drives": MARKS}, "a measured body is fitted by strain modes; this rod has the strain field 'wave'"),
    ],
)
def test_wrong_body(change, words, locodyn, tmp_path):
    times = np.linspace(0.0, 1.0, 30)
    columns = [column for s in (0.0, 0.5, 1.0) for column in (np.full(30, s), 0.0 * times)]
    header = "time,x0,y0,x1,y1,x2,y2"
    np.savetxt(tmp_path / "marks.csv", np.column_stack([times, *columns]), delimiter=",", header=header, comments="")
    file = tmp_path / "wrong.yaml"
    file.write_text(BODY.format(**{**GOOD, **change}))
    code, out, err = locodyn("run", file)
    assert (code, out) == (2, ""), err
    assert words in err and "Traceback" not in err


def test_the_file_without_a_fault_runs(locodyn, tmp_path):
    file = tmp_path / "right.yaml"
    file.write_text(BODY.format(**{**GOOD, "end": 0.1}))
    assert locodyn("run", file, "--quiet") == (0, "", "")


def test_a_gait_that_stops_to_suit_its_contacts(locodyn, tmp_path):
    """What only the run shows ends it where it shows, with 3: which contact, where on the body, by how much, when."""
    file = tmp_path / "later.yaml"
    drives = "imposed: {body.wave: {cosine: {amplitude: 3, omega: 2}}}"  # its rate is zero at first
    file.write_text(BODY.format(**{**GOOD, "strains": PULSE, "contacts": FIVE, "drives": drives}))
    code, _, err = locodyn("run", file, "--quiet")
    assert code == 3 and "Traceback" not in err
    assert "m of rod 'body' is missed by" in err
