"""The command line: what it prints, its exit codes, one sentence for each mistake."""

import io
import subprocess
import sys
from pathlib import Path

import pytest

import locodyn as ld
from locodyn.cli import main

pytestmark = pytest.mark.slow


def test_list_and_describe(locodyn):
    code, out, _ = locodyn("list")
    assert code == 0 and all(name in out for name in ("pendulum", "free_chain", "satellite", "heavy_top", "snakeboard"))
    code, out, _ = locodyn("describe", "satellite", "--set", "case=C")
    assert code == 0
    for words in ("I_o", "kg m^2", "chosen", "106 kg", "9 degrees of freedom", "rotor_3", "imposed: 200 sin"):
        assert words in out


def test_alone_it_says_how_it_is_used(locodyn):
    code, out, err = locodyn()
    assert (code, err) == (0, "") and out.startswith("Usage: locodyn")
    assert "\n  describe " in out and "Begin with: locodyn run" in out


def test_version(locodyn):
    assert locodyn("--version")[:2] == (0, ld.__version__ + "\n")


def test_run_writes_result_plot_and_report(locodyn, tmp_path):
    files = [tmp_path / name for name in ("a.nc", "a.png", "a.html")]
    code, out, err = locodyn(
        "run", "pendulum", "--set", "n=2", "--t-end", 0.5, "--dt", 0.01,
        "--out", files[0], "--plot", files[1], "--report", files[2],
    )  # fmt: skip
    assert code == 0 and "Traceback" not in err
    for file in files:
        assert file.stat().st_size > 1000 and f"wrote {file}" in out
    assert ld.Result.load(files[0]).parameters["n"] == 2


def test_quiet_says_nothing(locodyn):
    assert locodyn("run", "pendulum", "--t-end", 0.1, "--quiet") == (0, "", "")


def test_resume(locodyn, tmp_path):
    file = tmp_path / "a.nc"
    assert locodyn("run", "pendulum", "--t-end", 0.2, "--out", file)[0] == 0
    assert locodyn("run", "--resume", file, "--t-end", 0.4)[0] == 0
    assert ld.Result.load(file).time.values[-1] == pytest.approx(0.4)
    code, _, err = locodyn("run", "satellite", "--resume", file, "--t-end", 1)
    assert code == 2 and "is a run of 'pendulum'" in err
    file.write_bytes(b"damaged")
    code, _, err = locodyn("run", "--resume", file, "--t-end", 1)
    assert code == 2 and "is damaged" in err


@pytest.mark.parametrize(
    "words, sentence",
    [
        (("run", "satelite"), "there is no scenario 'satelite'; did you mean 'satellite'?"),
        (("describe", "xyz"), "there is no scenario 'xyz'; known: "),
        (("run",), "no scenario is named"),
        (("run", "satellite", "--set", "cas=A"), "has no parameter 'cas'; did you mean 'case'?"),
        (("run", "satellite", "--set", "case=D"), "must be one of A, B, C"),
        (("run", "satellite", "--set", "m_o=heavy"), "parameter 'm_o' is 'heavy'; it must be a number."),
        (("run", "satellite", "--set", "m_o"), "is not of the form key=value"),
        (("run", "satellite", "--set", "m=1", "--set", "m=2"), "is given twice"),
        (("run", "satellite", "--t-end", "-1"), "the end time is -1 s"),
        (("run", "satellite", "--dt", "0"), "the step is 0 s"),
        (("run", "satellite", "--t-end", "soon"), "'--t-end'"),
        (("run", "satellite", "--integrator", "euler"), "there is no integrator 'euler'"),
        (("run", "satellite", "--integrator", "adaptive", "--tolerance", "-1"), "the tolerance is -1"),
        (("run", "satellite", "--out", "/no/such/folder/a.nc"), "there is no folder '/no/such/folder'"),
        (("run", "satellite", "--plot", "a.xyz"), "must end in .png, .pdf, .svg"),
        (("run", "satellite", "--video", "a.avi"), "must end in .mp4 or .gif"),
        (("plot", "none.nc", "-o", "a.pdf"), "there is no result file 'none.nc'"),
        (("plot", "none.nc", "-o", "a.doc"), "must end in .png, .pdf, .svg"),
        (("video", "none.nc", "-o", "a.mp4", "--size", "big"), "is not of the form 1280x720"),
        (("run", "--resume", "none.nc"), "there is no result file 'none.nc'"),
        (("run", "--resume", "none.nc", "--dt", "1"), "--dt cannot be given with --resume"),
        (("fly",), "no such command 'fly' ('locodyn --help' explains)"),
        (("plot", "a.nc"), "missing option '--output' / '-o' ('locodyn plot --help' explains)"),
        (("validate", "penguin"), "there is no scenario 'penguin'"),
        (("validate", "pendulum", "--kind", "publishd"), "there is no kind of checks 'publishd'; did you mean 'published'"),
    ],
)
def test_mistakes(locodyn, words, sentence):
    code, out, err = locodyn(*words)
    assert code == 2 and out == ""
    assert sentence in err and err.count("\n") == 1 and "Traceback" not in err


def test_streams_that_are_closed_or_know_ascii_only(monkeypatch):
    """Signs that are not there become question marks; what a closed stream would be told is lost, the work is not."""
    written = io.BytesIO()
    for out, err in ((io.TextIOWrapper(written, "ascii"), sys.stderr), (None, None)):
        monkeypatch.setattr(sys, "stdout", out)
        monkeypatch.setattr(sys, "stderr", err)
        monkeypatch.setattr(sys, "argv", ["locodyn", "describe", "pendulum"])
        with pytest.raises(SystemExit) as ended:
            main()
        assert not ended.value.code
        assert b"??? " in written.getvalue()  # the branches of the tree
        if out is None:
            sys.stdout.close()
            sys.stderr.close()


def test_a_folder_that_is_gone(locodyn, tmp_path, monkeypatch):
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    code, _, err = locodyn("run", "pendulum", "--t-end", "0.1", "--out", "x.nc")
    assert code == 2 and err == "locodyn: the folder in which this command runs is no longer there; go to another one.\n"


def test_short_help(locodyn):
    assert locodyn("run", "-h")[1] == locodyn("run", "--help")[1] != ""


def test_debug_shows_where(monkeypatch):
    monkeypatch.setattr(sys, "argv", ["locodyn", "run", "satelite", "--debug"])
    with pytest.raises(ld.InputError):
        main()


def test_failed_run_exits_with_3(locodyn, tmp_path):
    file = tmp_path / "a.nc"
    code, _, err = locodyn("run", "heavy_top", "--dt", 0.1, "--t-end", 500, "--quiet", "--out", file)
    assert code == 3 and "failed: " in err and err.count("\n") == 1
    assert ld.Result.load(file).failed


def test_validate_prints_one_table(locodyn):
    code, out, _ = locodyn("validate", "pendulum")
    assert code == 0 and "period (s)" in out and "expected" in out and "0 fail" in out
    assert "law of" in out and "1 closed form, 3 law of conservation" in out


def test_validate_takes_a_kind(locodyn):
    code, out, _ = locodyn("validate", "pendulum", "--kind", "closed-form", "--kind", "published")
    assert code == 0 and "period (s)" in out and "energy balance" not in out and "1 check, 1 pass" in out


def test_import_is_light():
    code = (
        "import time; t = time.perf_counter(); import locodyn; t = time.perf_counter() - t; import sys;"
        "heavy = {'numba', 'xarray', 'matplotlib', 'scipy', 'numpy'} & set(sys.modules); print(t < 0.3, sorted(heavy))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "True []"


def test_a_run_loads_what_it_uses(tmp_path):
    """A short run is imports: no plots, no Dask where it is installed, no integrators of SciPy, no readers of files, no gaits."""
    code = (
        "import sys; sys.argv = ['locodyn', 'run', 'satellite', '--t-end', '0.1']\nfrom locodyn.cli import main\n"
        "try: main()\nexcept SystemExit as end: assert not end.code\n"
        "heavy = {'dask.array', 'distributed', 'matplotlib', 'scipy.integrate', 'sympy', 'locodyn.files.load', 'locodyn.gaits',"
        " 'locodyn.phases.passage', 'locodyn.controllers', 'locodyn.view'} & set(sys.modules); print(sorted(heavy))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout.splitlines()[-1] == "[]"


def test_describe_wheels_and_loops(locodyn):
    """What steers and drives the wheels, which joints depend on them, which loops are closed, each with its own line."""
    _, out, _ = locodyn("describe", "mobile_manipulator")
    for words in (
        "driven steered wheel wheel_1 about y",
        "wheel on platform, steering imposed: periodic spline",
        "same torque as",
        "rear             wheel on platform, rolls freely",
        "platform.speed   distance along (1, 0, 0) imposed: 1 t",
    ):
        assert words in out, words
    _, out, _ = locodyn("describe", "wheeled_snake", "--set", "n=4")
    assert "joint_6        dependent: follows from the wheels" in out and "link_7.wheel   wheel on link_7" in out
    _, out, _ = locodyn("describe", "four_bar")
    assert "loop pin: coupler - rocker, revolute about y" in out
    _, out, _ = locodyn("describe", "unicycle")
    assert "right     wheel on cart, rolling imposed: 2.5 t - 2.5 sin(1 t)" in out
    _, out, _ = locodyn("describe", "two_axle", "--set", "contact=friction")
    assert "axle_0      wheel on link_0, contact law Drag" in out


def test_a_change_of_rank_is_one_line(locodyn):
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("default")
        code, out, err = locodyn(
            "run", "wheeled_snake", "--set", "n=3", "--t-end", "6.283185307179586", "--dt", "0.010471975511965976"
        )
    assert code == 0 and "independent constraints: 2 to 3 of them" in out
    said = err.splitlines()
    assert len(said) == 1 and said[0].startswith("locodyn: warning: the number of independent constraints (")


def test_plot_and_report_of_a_saved_result(locodyn, tmp_path):
    saved, pdf, page = tmp_path / "a.nc", tmp_path / "a.pdf", tmp_path / "a.html"
    assert locodyn("run", "snakeboard", "--t-end", 1, "--quiet", "--out", saved)[0] == 0
    assert locodyn("plot", saved, "--what", "path,snapshots", "-o", pdf) == (0, f"wrote {pdf}\n", "")
    assert pdf.read_bytes().startswith(b"%PDF")
    assert locodyn("report", saved, "-o", page) == (0, f"wrote {page}\n", "")
    code, _, err = locodyn("plot", saved, "--what", "energys", "-o", pdf)
    assert code == 2 and "did you mean 'energy'? This result has reference, joints, torques" in err


def test_what_is_shown_may_be_run_first(locodyn, tmp_path):
    """A name of the zoo or a file in place of a result, with the options that go with it."""
    files = Path(__file__).parents[2] / "examples" / "files"
    svg, page = tmp_path / "a.svg", tmp_path / "a.html"
    settings = ("--set", "time.end=0.2")
    code, out, _ = locodyn("plot", files / "snakeboard_drive.yaml", *settings, "--quiet", "--what", "path", "-o", svg)
    assert (code, out) == (0, "") and b"path of board" in svg.read_bytes().replace(b"<!-- ", b"")
    code, out, err = locodyn("report", files / "cart.urdf", "--moves", "planar", "--root", files, "-o", page)
    assert code == 0 and out == f"wrote {page}\n" and "locodyn: note:" in err
    assert "--moves planar" in page.read_text()
    saved = tmp_path / "a.nc"
    assert locodyn("run", "pendulum", "--t-end", 0.1, "--quiet", "--out", saved)[0] == 0
    code, _, err = locodyn("view", saved, "--set", "m=2", "--no-open")
    assert code == 2 and "--set cannot be given with the file" in err
    code, _, err = locodyn("picture", "pendulum", "--moves", "free", "-o", tmp_path / "a.png")
    assert code == 2 and "--moves, --root and --collides go with a file" in err
    code, _, err = locodyn("video", tmp_path / "none.yaml", "-o", tmp_path / "a.gif")
    assert code == 2 and "none.yaml" in err


def test_plot_of_one_joint(locodyn, tmp_path):
    file = tmp_path / "tau.png"
    code, out, _ = locodyn("run", "snakeboard", "--t-end", 1, "--plot", file, "--what", "joint_1")
    assert code == 0 and file.exists() and f"wrote {file}" in out
    code, _, err = locodyn("run", "snakeboard", "--t-end", 1, "--quiet", "--plot", file, "--what", "joint_9")
    assert code == 2 and "there is no plot 'joint_9'; did you mean" in err
