"""Wrong rods, tendons, loops and contacts in files: `locodyn run` says one sentence and ends with 2, before the first step."""

import pytest

pytestmark = pytest.mark.slow

ARM = """\
robot:
  base: {{name: ground, moves: fixed}}
  bodies:
    arm:
      parent: ground
      rod:
        length: 0.4
        section: {{circle: {{radius: {radius}}}}}
        material: {{young: {young}, density: 1000}}
        bending: {bending}
      tendons: {{wire: {{offset: {offset}}}}}
  loops: {{{loops}}}
drives: {{{drives}}}
start: {{equilibrium: {equilibrium}}}
time: {{end: 0.02, step: 0.01}}
integrator: generalized_alpha
"""
GOOD_ARM = {
    "radius": 0.005, "young": 1e7, "bending": 2, "offset": [0.004, 0], "loops": "", "drives": "tension: {wire: 0.1}",
    "equilibrium": "false",
}  # fmt: skip
FAR = "pin: {first: arm, second: world, joint: spherical, at: [0.9, 0, 0]}"
TWICE = (
    "one: {first: arm, second: world, joint: spherical, at: [0.3, 0.1, 0]}, "
    "two: {first: arm, second: world, joint: spherical, at: [0.3, -0.1, 0]}"
)
BLOCK = """\
robot:
  base: {{name: block, mass: 2, shape: {{box: [0.4, 0.3, 0.1]}}, collides: {{sole: {{friction: {friction}}}}}}}
obstacles: [{obstacle}]
start: {{positions: {{block: [0, 0, {height}, 0, 0, 0]}}}}
time: {{end: 0.002, step: 1e-3}}
integrator: {integrator}
"""
GOOD_BLOCK = {"friction": 0.3, "obstacle": "{ground: {}}", "height": 0.05, "integrator": "moreau"}


@pytest.mark.parametrize(
    ("text", "change", "words"),
    [
        (
            ARM,
            {"young": -1e7},
            "'young' of 'material' of 'rod' of body 'arm' is -10000000.0; it must be a finite number greater than 0",
        ),
        (
            ARM,
            {"radius": -0.005},
            "'radius' of 'circle' of 'section' of 'rod' of body 'arm' is -0.005; it must be a finite number greater than 0",
        ),
        (ARM, {"bending": 0}, "no strain function at all; give at least one of bending"),
        (
            ARM,
            {"bending": [2, 0]},
            "Tendon 'wire' works along stretch and bending z of rod 'arm', which has no functions for them",
        ),
        (ARM, {"offset": [4, 0]}, "The offset of 'wire' is 4 m from the centre line of rod 'arm', which is 0.4 m long"),
        (
            ARM,
            {"offset": "{helix: {radius: 0.004, pitch: 0}}"},
            "The pitch of a helix is 0.0; it must be a finite number other than 0",
        ),
        (ARM, {"offset": "{helx: {radius: 0.004}}"}, "has the key 'helx', which is not known; did you mean 'helix'"),
        (ARM, {"drives": "tension: {wire: -1}"}, "the tension of 'wire' is -1 N at t = 0 s; a tendon pulls only"),
        (
            ARM,
            {"drives": "tension: {wire: {ramp: {slope: -50, at: 0.01}}}"},
            "the tension of 'wire' is -0.5 N at t = 0.02 s; a tendon pulls only",
        ),
        (ARM, {"loops": FAR}, "the loop 'pin' cannot be closed at t = 0 s: 0.5"),
        (ARM, {"loops": FAR, "equilibrium": "true"}, "cannot be closed near the start: 'pin.x' stays open by 0.5"),
        (ARM, {"loops": TWICE}, "the loop 'one' cannot be closed at t = 0 s"),
        (
            ARM,
            {"drives": "imposed: {arm.bending_y.0: 0}, torque: {arm.bending_y.0: 1}"},
            "'arm.bending_y.0' is both imposed and torque-driven",
        ),
        (BLOCK, {"friction": -0.3}, "'friction' of surface 'sole' is -0.3; it must be a finite number of at least 0"),
        (
            BLOCK,
            {"obstacle": "{ground: {friction: -0.3}}"},
            "'friction' of 'ground' of entry 1 of 'obstacles' of the scenario is -0.3; it must",
        ),
        (BLOCK, {"height": 0.03}, "'sole[0] on ground' overlap by 0.02 m"),
        (BLOCK, {"integrator": "rkmk4"}, "'rkmk4' takes no hard contact, such as"),
    ],
)
def test_wrong_file(text, change, words, locodyn, tmp_path):
    file = tmp_path / "wrong.yaml"
    file.write_text(text.format(**{**(GOOD_ARM if text is ARM else GOOD_BLOCK), **change}))
    code, out, err = locodyn("run", file)
    assert (code, out) == (2, ""), err
    assert words in err and "Traceback" not in err


@pytest.mark.parametrize(("text", "good"), [(ARM, GOOD_ARM), (BLOCK, GOOD_BLOCK)])
def test_the_files_without_a_fault_run(text, good, locodyn, tmp_path):
    file = tmp_path / "right.yaml"
    file.write_text(text.format(**good))
    assert locodyn("run", file, "--quiet") == (0, "", "")


@pytest.mark.parametrize(
    ("words", "arguments"),
    [
        ("needs ground to move on", ("snake_3d", "--set", "ground=false")),
        (
            "the torques of the controller are held for",
            ("snake_control", "--set", "controller=pd", "--set", "noise=b", "--dt", 0.3, "--t-end", 6),
        ),
        ("there is no integrator 'moreu'; did you mean 'moreau'?", ("snake_2d", "--integrator", "moreu")),
    ],
)
def test_wrong_snake(words, arguments, locodyn):
    code, _, err = locodyn("run", *arguments)
    assert code == 2 and words in err and "Traceback" not in err
