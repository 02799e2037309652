"""Every command, with options that are wrong or mean nothing: one sentence, exit code 2, and nothing is written."""

from __future__ import annotations

import shlex

import pytest

import locodyn as ld

CART = """
robot: {base: {name: cart, mass: 1, inertia: {zz: 1}, moves: planar}}
"""
URDF = '<robot name="r"><link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link></robot>'


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A saved run, files of several kinds, and one that is no file."""
    place = tmp_path_factory.mktemp("files")
    ld.zoo.pendulum().changed(t_end=0.1, dt=0.01).run(progress=False, out=place / "p.nc")
    (place / "folder").mkdir()
    (place / "junk.txt").write_text("x")
    (place / "junk.nc").write_text("x")
    (place / "empty.yaml").write_text("")
    (place / "cart.yaml").write_text(CART)
    (place / "r.urdf").write_text(URDF)
    (place / "moves.yaml").write_text("robot: r.urdf\nmoves: planar\n")
    (place / "zoo.yaml").write_text("robot: {zoo: pendulum}\n")
    return place


REFUSED = {
    # --------------------------------------------------------------------------------------------------------------- describe
    "describe p.nc": "is a result, if it is there: plot, report and view show it",
    "plot junk.txt -o a.png": "neither a result (.nc) nor a robot or a scenario",
    "compile pendulum --jobs 0": "--jobs is 0; it must be a number of processes, at least 1.",
    "describe folder": "'folder' is not a robot file",
    "describe empty.yaml": "is empty",
    "describe pendulum --moves free": "--moves, --root and --collides go with a file",
    "describe pendulum --root .": "--moves, --root and --collides go with a file",
    "describe cart.yaml --moves free": "says itself how its base moves",
    "describe moves.yaml --moves free": "says itself how its base moves",
    "describe zoo.yaml --moves free": "says itself how its base moves",
    "describe cart.yaml --root nowhere": "there is no folder 'nowhere'",
    "describe r.urdf --root junk.txt": "there is no folder 'junk.txt'",
    "describe r.urdf --moves sideways": "a base cannot move 'sideways'",
    # -------------------------------------------------------------------------------------------------------------------- run
    "run": "no scenario is named",
    "run pendulum --t-end nan": "the end time is nan s",
    "run pendulum --t-end inf": "the end time is inf s",
    "run pendulum --t-end -1": "the end time is -1 s",
    "run pendulum --dt 0": "the step is 0 s",
    "run pendulum --dt 100": "longer than the run",
    "run pendulum --dt 1e-300": "keeps 2e+300 records",
    "run pendulum --integrator rk4": "did you mean 'rkmk4'?",
    "run pendulum --integrator rkmk4 --tolerance 1e-9": "and the integrator 'rkmk4' does not have it",
    "run pendulum --integrator adaptive --rho-inf 0.5": "--rho-inf is an option of some integrators",
    "run pendulum --integrator adaptive --tolerance 0": "the tolerance is 0",
    "run pendulum --out x.txt": "the output 'x.txt' must end in .nc",
    "run pendulum --out folder": "must end in .nc",
    "run pendulum --out nowhere/x.nc": "there is no folder 'nowhere'",
    "run pendulum --plot x.jpg": "must end in .png",
    "run pendulum --what torques": "give --plot FILE too",
    "run pendulum --report r.pdf": "the report 'r.pdf' must end in .html",
    "run pendulum --video v.avi": "must end in .mp4 or .gif",
    "run pendulum --resolve": "has no obstacles to overlap",
    "run --resume nothere.nc": "there is no result file",
    "run --resume junk.nc": "is damaged or not a NetCDF-4 file",
    "run --resume p.nc --moves free": "--moves goes with a robot or scenario file",
    "run --resume p.nc --root .": "--root goes with a robot or scenario file",
    "run --resume p.nc --tolerance 1e-9": "--tolerance cannot be given with --resume",
    "run --resume p.nc --rho-inf 0.5": "--rho-inf cannot be given with --resume",
    "run --resume p.nc --resolve": "--resolve cannot be given with --resume",
    "run --resume p.nc --dt 0": "--dt cannot be given with --resume",
    "run --resume p.nc --t-end nan": "the end time is nan s",
    "run --resume p.nc --t-end 1 --out y.txt": "the output 'y.txt' must end in .nc",
    "run --resume p.nc": "has reached t = 0.1 s already",
    # ---------------------------------------------------------------------------------------------- plot, report, picture, video
    "plot p.nc -o x.png --at 99": "wanted at t = 99 s, but the run goes from 0 to 0.1 s",
    "plot p.nc -o x.png --at -1": "wanted at t = -1 s",
    "plot p.nc -o x.png --at nan": "--at is nan",
    "report p.nc -o x.html --plays 3": "--plays says how many runs of a study a page plays",
    "report s.zarr -o x.html --plays 0": "--plays is '0'; it must be a whole number from 1 on, or all",
    "plot pendulum -o x.png --at nan": "--at is nan",
    "plot p.nc -o x.png --what nothere": "there is no plot 'nothere'",
    "plot p.nc -o x.png --what ''": "there is no plot ''",
    "plot p.nc -o folder": "must end in .png",
    "plot p.nc -o x.png --set n=1": "a saved run is what it is",
    "report p.nc -o r.pdf": "the report 'r.pdf' must end in .html",
    "picture p.nc -o x.jpg": "must end in .png",
    "picture pendulum -o x.png --size 20000x20000": "from 16 to 8192 pixels",
    "picture p.nc -o x.png --size 10x10": "from 16 to 8192 pixels",
    "picture p.nc -o x.png --size big": "is not of the form 1280x720",
    "picture p.nc -o x.png --at 99": "wanted at t = 99 s",
    "picture p.nc -o x.png --at nan": "the times 'nan' are not numbers",
    "picture pendulum -o x.png --view below": "there is no view 'below'",
    # ------------------------------------------------------------------------------------------------------------ view, studio
    "view p.nc --port 0 --no-open": "the port is 0",
    "view p.nc --host not.a.host.invalid --no-open": "the page cannot listen on not.a.host.invalid",
    "studio nothere --no-open": "there is no scenario 'nothere'",
    # -------------------------------------------------------------------------------------------------------------- linearise
    "linearise pendulum": "not steady: 'joint_1' has the acceleration",
    "linearise pendulum --at nan": "--at is nan s",
    "linearise pendulum --at -1": "--at is -1 s",
    "linearise pendulum --steady --unsteady": "contradict each other",
    "linearise pendulum --set angle=0 --steady --keep nothere": "there is no state 'nothere' to keep",
    "linearise pendulum --set angle=0 --plot x.png": "--plot draws a sweep",
    "linearise pendulum --set angle=0 --sweep nothere=1:2:0.5": "has no parameter 'nothere'",
    # -------------------------------------------------------------------------------------------------------- workspace, plan
    "workspace pendulum --body link_1 --grid x=0:1:3 --grid x=0:1:3": "names a direction twice",
    "workspace pendulum --body link_1 --grid x=0:1:3 --grid z=nan:1:3": "from < to",
    "workspace pendulum --body link_1 --grid x=0:1:3 --grid z=0:1:3 --out w.txt": "must end in .nc",
    "plan --radius 0.1": "give --place COUNT too",
    "plan --place 0": "a course has 0 pegs",
    "plan --place 3 --radius nan": "--radius is nan; it must be a positive length",
    "plan --place 3 --t-end nan": "--t-end is nan s",
    "plan --place 3 --out x.txt": "must end in .yaml",
    "plan --pegs folder": "cannot be read",
    # ------------------------------------------------------------------------------------------------------- files and the rest
    "validate nothere": "there is no scenario 'nothere'",
    "new x.txt": "must end in .yaml",
    "new empty.yaml": "is there already",
    "convert pendulum x.txt": "cannot be written",
    "convert pendulum nowhere/x.yaml": "there is no folder 'nowhere'",
    "schema nothere": "there is no schema 'nothere'",
    "export pendulum --to fortran": "there is no export to 'fortran'",
    "export pendulum --to c -o junk.txt": "'junk.txt' is a file",
    "export pendulum --to c -o folder --what ''": "--what names no function",
    "export pendulum --to c -o folder --of link_1": "--of goes with jacobian, sensors",
    "export pendulum --to c -o folder --what energy --speeds joint_1": "--speeds goes with reduced",
    "export pendulum --to c -o folder --what energy --wrench link_1": "--wrench goes with inverse",
    "bench --json folder": "is a folder",
}  # fmt: skip


@pytest.mark.parametrize("line", REFUSED)
def test_one_sentence_and_nothing_written(line, folder, locodyn, monkeypatch):
    monkeypatch.chdir(folder)
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    code, out, err = locodyn(*shlex.split(line))
    assert (code, out) == (2, "")
    (said,) = err.splitlines()
    assert REFUSED[line] in said and said.startswith("locodyn: ")
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


VIDEO = {
    "--fps 0": "from 1 to 120",
    "--fps 1000": "from 1 to 120",
    "--speed nan": "the speed of the video is nan",
    "--speed inf": "the speed of the video is inf",
    "--speed 1e-9": "the video would have",
    "--size 20000x20000": "from 16 to 8192 pixels",
    "--view below": "there is no view 'below'",
}


@pytest.mark.parametrize("options", VIDEO)
def test_videos(options, folder, locodyn, monkeypatch):
    pytest.importorskip("playwright")
    monkeypatch.chdir(folder)
    code, out, err = locodyn("video", "p.nc", "-o", "x.gif", *shlex.split(options))
    assert (code, out) == (2, "") and VIDEO[options] in err and not (folder / "x.gif").exists()
