"""``--quiet``: nothing but errors, whatever a command has to say about its file, its robot and its run."""

from __future__ import annotations

import warnings

import pytest
import typer

from locodyn.cli.app import app

pytestmark = pytest.mark.slow

# <gazebo> is not read (a note); the joint falls beyond its limits (a warning).
INERTIAL = '<inertial><origin xyz="0.2 0 0"/><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial>'
LINK = f'<link name="{{}}">{INERTIAL}</link>'
LIMITS = '<axis xyz="0 1 0"/><limit lower="-0.1" upper="0.1"/>'
URDF = (
    f'<robot name="two">{LINK.format("world")}{LINK.format("b")}<joint name="j" type="revolute"><parent link="world"/>'
    f'<child link="b"/>{LIMITS}</joint><gazebo/></robot>'
)
ARCH = ("cpr_rfrfr_gravity", "--set", "clamps=facing", "--set", "d=0.9", "--set", "m_p=0.05", "--body", "platform")
COMMANDS = {
    "run": ("two.urdf", "--t-end", "1", "--plot", "a.png", "--out", "a.nc"),
    "plot": ("two.urdf", "-o", "a.png"),
    "report": ("two.urdf", "-o", "a.html"),
    "picture": ("two.urdf", "-o", "a.png"),
    "video": ("two.urdf", "-o", "a.gif"),
    "log": ("two.urdf", "-o", "a.mcap"),
    "view": ("two.urdf", "--no-open"),
    "studio": ("pendulum", "--no-open"),
    "linearise": ("two.urdf", "--unsteady"),
    "workspace": (*ARCH, "--grid", "x=0:0.05:2", "--grid", "z=0.1:0.13:2"),
    "sweep": ("pendulum", "--vary", "angle=0.1,0.2", "--vary", "t_end=0.1", "--metric", "peak_torque", "--processes", "1"),
    "optimise": (
        "pendulum",
        "--over",
        "angle=0.1..0.2",
        "--minimise",
        "peak_torque",
        "--method",
        "slsqp",
        "--budget",
        "4",
        "--processes",
        "1",
    ),
    "plan": ("snake_2d", "--set", "pegs=table_7_5", "--t-end", "0.1"),
    "validate": ("pendulum",),
    "new": ("mine.yaml",),
    "compile": ("pendulum",),
    "convert": ("two.urdf", "two.yaml"),
    "export": ("two.urdf", "--to", "python", "-o", "made"),
    "judge": ("a01", "--quick", "--repeats", "2"),
    "episodes": ("Bicycle", "--robots", "1", "--actions", "none"),
}


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder with the robot; pictures, servers and compilers are only asked for."""
    import locodyn.sim.result
    import locodyn.view.server
    import locodyn.view.viewer

    monkeypatch.chdir(tmp_path)
    (tmp_path / "two.urdf").write_text(URDF)
    for name in ("picture", "video"):
        monkeypatch.setattr(locodyn.sim.result.Result, name, lambda self, file, *_, **__: file)
    monkeypatch.setattr("locodyn.view.film.check_possible", lambda file: None)
    monkeypatch.setattr("locodyn.cli.compile._in_parallel", lambda names, *_: ((name, "") for name in names))
    for place in (locodyn.view.viewer, locodyn.view.server):
        monkeypatch.setattr(place, "wait", lambda server, open_: None)


def test_every_command_with_the_option_is_tried():
    commands = typer.main.get_command(app).commands
    assert {name for name, one in commands.items() if any("--quiet" in p.opts for p in one.params)} == set(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_nothing_is_said(command, here, locodyn):
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        assert locodyn(command, *COMMANDS[command], "--quiet") == (0, "", "")


def test_without_it_notes_and_warnings_are_said(here, locodyn):
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        code, out, err = locodyn("run", *COMMANDS["run"])
    assert code == 0 and "wrote a.nc" in out
    assert "locodyn: note: lost: line 1: <gazebo>" in err and "locodyn: warning: joint 'j' passes its limits" in err


def test_errors_are_said(here, locodyn):
    code, out, err = locodyn("run", "three.urdf", "--quiet")
    assert code == 2 and out == "" and "three.urdf" in err
