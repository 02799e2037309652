"""Runs that explode: ``locodyn run`` says when, how much and what would do, ends with 3 and keeps what was computed."""

import pytest

import locodyn as ld

DAMPED = """\
robot:
  base: {name: ground, moves: fixed}
  bodies:
    arm:
      parent: ground
      mass: 0.1
      centre: [0, 0, -0.1]
      turning: y
      actuator: {viscous: 1.0}
start: {positions: {arm: 1.0}}
time: {end: 1.0}
"""


@pytest.mark.slow
@pytest.mark.filterwarnings("always")  # the command prints them
def test_explosion_exits_with_3_and_default_does_not(locodyn, tmp_path):
    """Damping of 1000 1/s, beyond 2.79 / 10 ms."""
    file, out = tmp_path / "damped.yaml", tmp_path / "a.nc"
    file.write_text(DAMPED)
    code, _, err = locodyn("run", file, "--integrator", "rkmk4", "--out", out)
    assert "warning: the step is 0.01 s, but 'rkmk4' is stable up to 0.0028 s only" in err
    assert code == 3 and "J without a source" in err and "take 'radau3'" in err and err.count("locodyn: ") == 2
    kept = ld.Result.load(out)
    assert kept.failed and 1 < len(kept.time) < 100
    code, said, _ = locodyn("run", file)
    assert code == 0 and "integrator radau3 at 0.01 s: 'arm' reacts within 0.001 s, too fast for 'rkmk4' at 0.01 s" in said
    code, said, _ = locodyn("describe", file)
    assert code == 0 and "radau3 at 0.01 s" in " ".join(said.split())
