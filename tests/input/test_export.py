"""``locodyn export``: what it writes and prints, and one sentence for each mistake."""

import os
from pathlib import Path

import pytest

from locodyn.files import save_robot
from locodyn.symbolic import export
from locodyn.zoo.registry import make

pytestmark = pytest.mark.slow


def test_files_and_summary(locodyn, tmp_path):
    folder = tmp_path / "new" / "folder"
    code, out, err = locodyn(
        "export", "car", "--to", "python", "--what", "reduced,energy", "--symbols", "l,m", "--set", "R=0.25", "-o", folder
    )
    assert code == 0 and not err
    assert sorted(os.listdir(folder)) == ["car_energy.py", "car_reduced.py"]
    for words in ("operations", "steering_front (2)", "angle [rad]", "l [m] = 2.6", "F (1): reduced force", f"wrote {folder}"):
        assert words in out


def test_c_without_a_compiler_still_writes(locodyn, tmp_path, monkeypatch):
    monkeypatch.setattr(export.shutil, "which", lambda name: None)
    code, out, _ = locodyn("export", "pendulum", "--to", "c", "--what", "forward", "-o", tmp_path)
    assert code == 0 and "no C compiler was found (cc, gcc, clang): the files are written but were not compiled." in out
    assert sorted(os.listdir(tmp_path)) == ["pendulum.c", "pendulum.h", "pendulum_test.c"]


@pytest.mark.skipif(export.compiler() is None, reason="no C compiler")
def test_c_is_compiled_and_compared(locodyn, tmp_path):
    code, out, _ = locodyn("export", "snakeboard", "--to", "c", "--what", "reduced,contacts", "--symbols", "all", "-o", tmp_path)
    assert code == 0 and "the result agrees with Python" in out


@pytest.mark.parametrize("words, sentence", [
    (["bouncing_ball", "--to", "c", "--what", "forward"], "Left out: hard contacts ('ball.surface on ground')."),
    (["rabbit_drop", "--to", "python"], "Left out: contact laws ('sole_1 on ground', 'sole_2 on ground')"),
    (["snakeboard", "--to", "matlab"], "Left out: the motions given for 'joint_1', 'joint_2', 'joint_3', which tau drives here"),
    (["compass_gait", "--to", "latex", "--what", "inverse"], "Left out: its phases"),
    (["piston", "--to", "fmu"], "Left out: the 'controller'; tau is an input instead."),
])  # fmt: skip
def test_what_is_left_out_is_said(words, sentence, locodyn, tmp_path):
    """On the screen and, of equations, in the file."""
    code, out, err = locodyn("export", *words, "-o", tmp_path)
    assert code == 0 and not err and sentence in " ".join(out.split())
    texts = [file.read_text() for file in tmp_path.iterdir() if file.suffix in (".c", ".py", ".m")]
    assert any(sentence in " ".join(text.split()) for text in texts) or words[2] in ("latex", "fmu")


@pytest.mark.skipif(export.compiler() is None, reason="no C compiler")
def test_dynamics_and_sensors_of_a_walker_with_forces_on_its_feet(locodyn, tmp_path):
    """The files of Aguirre 2010 also from a RABBIT that goes through phases; its feet are then inputs, which is said."""
    feet = ("--of", "tibia_1,tibia_2", "--wrench", "tibia_1,tibia_2")
    code, out, err = locodyn("export", "rabbit_walk", "--to", "c", "--what", "forward,sensors", *feet, "-o", tmp_path)
    assert code == 0 and not err and "agrees with Python" in out and "Left out: its phases" in " ".join(out.split())
    assert "rabbit_walk_forward_step" in (tmp_path / "rabbit_walk.h").read_text()


def test_quiet(locodyn, tmp_path):
    assert locodyn("export", "pendulum", "--to", "latex", "--what", "energy", "-o", tmp_path, "--quiet") == (0, "", "")


def test_files_of_robots(locodyn, tmp_path):
    """A YAML robot, and one that begins with a URDF, as a scenario: names of files and symbols are identifiers."""
    file = tmp_path / "my board.yaml"
    save_robot(make("snakeboard").robot, file)
    code, out, err = locodyn("export", file, "--to", "python", "--symbols", "board.mass,joint_2.at", "-o", tmp_path / "out")
    assert code == 0 and not err and os.listdir(tmp_path / "out") == ["my_board_reduced.py"]
    assert "board_mass [kg] = 2" in out and "joint_2_at_x [m] = 0.2" in out
    cart = Path(__file__).resolve().parents[2] / "examples" / "files" / "cart.urdf"
    code, out, err = locodyn("export", cart, "--to", "latex", "--what", "energy", "--moves", "planar", "-o", tmp_path / "out")
    assert code == 0 and "base_link.angle" in out and "note: assumed: line 58: link 'castor'" in err
    code, out, err = locodyn("export", file, "--to", "c", "--symbols", "bord.mass", "-o", tmp_path / "none")
    assert code == 2 and "no parameter 'bord.mass' that could be a symbol; did you mean 'board.mass'?" in err
    code, out, err = locodyn("export", "snakeboard", "--to", "c", "--moves", "free", "-o", tmp_path / "none")
    assert code == 2 and "is a name of the zoo" in err and not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["car", "--to", "fortran"], "no export to 'fortran'"),
        (["car", "--to", "pyton"], "did you mean 'python'?"),
        (["cart", "--to", "c"], "did you mean 'car'?"),
        (["car", "--to", "c", "--what", "reducd"], "did you mean 'reduced'?"),
        (["car", "--to", "c", "--symbols", "ll"], "no parameter 'll' that could be a symbol"),
        (["car", "--to", "c", "--symbols", "beta"], "'beta' does not enter the robot"),
        (["car", "--to", "c", "--drive", "torqe"], "did you mean 'torque'?"),
        (["car", "--to", "c", "--set", "l=-1"], "must be greater than 0"),
        (["car", "--to", "c", "--what", "sensors"], "name at least one"),
        (["car", "--to", "c", "--what", "sensors", "--of", "bdy"], "did you mean 'body'?"),
        (["car", "--to", "c", "--speeds", "body.vz"], "no free speed 'body.vz'"),
        (["car", "--to", "c", "--wrench", "wing"], "no body or marker 'wing'"),
        (["pendulum", "--to", "c", "--what", "contacts"], "no wheels or loops"),
        (["three_axle", "--to", "c", "--drive", "scenario"], "follows from its constraints alone"),
        (["car", "--what", "reduced"], "missing option '--to' ('locodyn export --help' explains)"),
    ],
)
def test_mistakes_are_one_sentence_and_write_nothing(locodyn, tmp_path, words, sentence):
    code, out, err = locodyn("export", *words, "-o", tmp_path / "out")
    assert code == 2 and not out and err.count("\n") == 1 and sentence in err
    assert not (tmp_path / "out").exists()


def test_a_folder_that_cannot_be(locodyn, tmp_path):
    (tmp_path / "file").write_text("")
    code, _, err = locodyn("export", "pendulum", "--to", "python", "-o", tmp_path / "file")
    assert code == 2 and "is a file; give a folder" in err
    code, _, err = locodyn("export", "pendulum", "--to", "python", "-o", tmp_path / "file" / "below")
    assert code == 2 and "cannot be written to" in err


def test_an_fmu_and_robot_files_are_written(locodyn, tmp_path):
    code, out, err = locodyn("export", "falling_boxes", "--to", "mjcf", "-o", tmp_path / "out")
    assert code == 0 and not err and "wrote" in out and "MuJoCo's are soft" in out
    code, out, err = locodyn("export", "pendulum", "--to", "fmu", "--symbols", "g", "-o", tmp_path / "out")
    assert code == 0 and not err and "pendulum.fmu" in out
    assert locodyn("export", "pendulum", "--to", "urdf", "-o", tmp_path / "out", "--quiet") == (0, "", "")
    assert sorted(os.listdir(tmp_path / "out")) == ["falling_boxes.xml", "pendulum.fmu", "pendulum.urdf"]


@pytest.mark.parametrize("words, sentence", [
    (["pendulum", "--to", "fmi"], "there is no export to 'fmi'; did you mean 'fmu'?"),
    (["pendulum", "--to", "fmu", "--what", "forward"], "--what does not go with --to fmu"),
    (["pendulum", "--to", "mjcf", "--symbols", "all"], "--symbols does not go with --to mjcf"),
    (["pendulum", "--to", "urdf", "--drive", "scenario"], "--drive does not go with --to urdf"),
    (["snake_3d", "--to", "fmu"], "cannot be an FMU, which holds one smooth motion: it has hard contacts"),
    (["cantilever", "--to", "mjcf"], "which MJCF does not have"),
])  # fmt: skip
def test_what_other_targets_refuse(words, sentence, locodyn, tmp_path):
    code, _, err = locodyn("export", *words, "-o", tmp_path)
    assert code == 2 and sentence in " ".join(err.split()) and not os.listdir(tmp_path)


def test_a_robot_that_needs_more_than_its_table_is_written_too(locodyn, tmp_path):
    """Its friction is a word of the scenario, not a parameter of the robot alone."""
    assert locodyn("export", "snake_control", "--to", "c", "--what", "energy", "-o", tmp_path, "--quiet") == (0, "", "")
