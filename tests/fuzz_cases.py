"""Damaged files for each reader: valid ones with pieces cut out, doubled, exchanged, or replaced by words that do harm.

``python tests/fuzz_cases.py 10000`` tries so many files of each kind, with a limit of 20 s for a file, and says what broke. What
breaks, too: a reader that opens a file elsewhere, starts a program, reaches for the network or takes 2 GB (:mod:`reader_guard`).
"""

from __future__ import annotations

import importlib
import re
import signal
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

import locodyn as ld
from locodyn.cli.plan import read_pegs
from locodyn.envs import Task
from locodyn.errors import LocodynError
from locodyn.files.friction_file import load_contact_problem
from locodyn.files.source import scenario_of
from locodyn.files.template import write_template
from locodyn.identify.motion_capture import read_trc
from locodyn.motion.measured import from_csv
from locodyn.robot.mesh_file import read_mesh
from locodyn.sim.part_file import PartFile, part_of
from locodyn.study import Study
from locodyn.study.measured import Measured
from locodyn.study.study_file import load_study
from reader_guard import PATHS, Guard

Cases = dict[str, tuple[list[bytes], Callable[[bytes, Path], Any]]]

HERE = Path(__file__).parent
NAMING = {  # files that name others
    "YAML": b"""scenario: a
robot:
  from: part.urdf
  moves: fixed
  bodies:
    arm: {parent: b, turning: z, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}, shape: {mesh: meshes/wedge.obj}}
drives: {imposed: {arm: {csv: {file: part.csv, column: a}}}}
time: {end: 1, step: 0.01}
""",
    "MJCF": b"""<mujoco><compiler meshdir="meshes"/>
<asset><mesh name="m" file="wedge.obj"/></asset>
<worldbody><body name="b"><joint/><geom type="mesh" mesh="m"/></body><include file="part.xml"/></worldbody></mujoco>
""",
}
TASK = b"""scenario: pendulum
parameters: {n: 2}
actions: joint_1
observe: [joint_1, v.joint_2]
reward: {alive: 1.0, effort: -0.5}
bounds: {joint_1: [-3, 3]}
draw: {damping: [0.1, 0.2]}
period: 0.05
episode: 0.2
"""
NUMBERS = [
    b"1e300",
    b"-1e300",
    b"1e-300",
    b"nan",
    b"inf",
    b"-inf",
    b"0",
    b"-1",
    b"99999999999999999999",
    b"1e15",
    b"1_0",
    b"0x1f",
]
WORDS = [
    b"", b"\x00", b"\xff\xfe", b"../../../../etc/passwd", b"/etc/passwd", b"!!python/object/apply:os.system ['true']", b"&a [*a]",
    b"*a", b"<<: *a", b"{", b"}", b"[", b"]", b": ", b"- ", b"'", b'"', b"\n", b"\t", b"#", b"~", b"true", b"null",
    b'<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]>', b"&b;", b"<link/>", b"<body/>", b"</robot>", b"<!--", b"]]>",
    b"name", b"mass", b"joint", b"parent", b"x" * 5000, "\N{SNOWMAN}".encode(),
]  # fmt: skip


KINDS_OF_EDITS = 7
DELIMITERS = b" ,\n\"'<>[]{}="
NAMES = re.compile(rb"\.[a-z]{3,4}\b")  # their endings


def damaged(data: bytes, edits: list[tuple[int, int, int, int]]) -> bytes:
    """A file after edits (kind, place, length, choice): numbers of any size, taken modulo what there is."""
    for kind, place, length, choice in edits:
        if not data:
            return data
        begin = place % len(data)
        end = min(len(data), begin + 1 + length % 40)
        if kind % KINDS_OF_EDITS == 0:
            data = data[:begin] + data[end:]
        elif kind % KINDS_OF_EDITS == 1:
            data = data[:begin] + WORDS[choice % len(WORDS)] + data[begin:]
        elif kind % KINDS_OF_EDITS == 2:  # a number or word is replaced whole
            while end < len(data) and data[end : end + 1] not in b" ,\n\"'<>[]{}:":
                end += 1
            data = data[:begin] + NUMBERS[choice % len(NUMBERS)] + data[end:]
        elif kind % KINDS_OF_EDITS == 3:
            data = data[:begin] + bytes([data[begin] ^ (1 << choice % 8)]) + data[begin + 1 :]
        elif kind % KINDS_OF_EDITS == 4:  # lines are doubled or exchanged
            lines = data.splitlines(keepends=True)
            one, two = place % len(lines), length % len(lines)
            lines[one] = lines[one] + lines[two] if choice % 2 else lines[two]
            data = b"".join(lines)
        elif kind % KINDS_OF_EDITS == 5:
            data = data[: begin if choice % 3 == 0 else len(data)]
        else:  # a name of a file, as a rule, is replaced by one that leads elsewhere
            places = [found.start() for found in NAMES.finditer(data)] or [begin]
            begin = end = places[place % len(places)]
            while begin > 0 and data[begin - 1 : begin] not in DELIMITERS:
                begin -= 1
            while end < len(data) and data[end : end + 1] not in DELIMITERS:
                end += 1
            data = data[:begin] + PATHS[choice % len(PATHS)] + data[end:]
    return data


def written(name: str, read: Callable[[Path], Any]) -> Callable[[bytes, Path], Any]:
    """What writes bytes to a file of this name in a folder, and reads it."""

    def act(data: bytes, folder: Path) -> Any:
        file = folder / name
        file.write_bytes(data)
        return read(file)

    return act


def scenario(file: Path) -> None:
    source = scenario_of(file)
    assert source.scenario.compiled is not None


def tables(folder: Path) -> Cases:
    """Files with numbers of other programs, and small files of words."""
    w = np.array([[2.0, 1.0, 0.0], [1.0, 3.0, 0.5], [0.0, 0.5, 4.0]])
    problem = ld.contact_problem(w, [1.0, 2.0, 3.0], [0.3])
    fclib = Path(ld.files.save_contact_problem(problem, folder / "problem.hdf5")).read_bytes()
    entries = " ".join(map(str, [*w.ravel(), 1.0, 2.0, 3.0, 0.3]))
    dense, blocks = f"3\n1\n0\n3\n3\n3\t3\n{entries}\n", f"3\n1\n1\n3\n3\n1\n1\n1\n3\n3\n2\n1\n0\t1\n0\n0\n{entries}\n"
    capture = "PathFileType\t4\ta.trc\nDataRate\tUnits\n100\tmm\nFrame#\tTime\ta\t\t\tb\t\t\n\t\tX1\tY1\tZ1\tX2\tY2\tZ2\n"
    capture += "".join(f"{k}\t{0.01 * k:.2f}\t{k}\t2\t3\t4\t5\t{k}\n" for k in range(1, 8))
    table = "a_phi [deg],a_psi\n" + "".join(f"{10 + k},{0.4 + 0.1 * k:.1f}\n" for k in range(6))
    measured = "time [ms],position.x [mm],joint_position.a\n" + "".join(f"{10 * k},{k},{0.1 * k:.1f}\n" for k in range(8))
    study = b"scenario: snakeboard\nsettings: {gait: drive}\nvary:\n  a_phi: 10..60:5deg\n  a_psi: [0.4]\nmetrics: [speed]\n"

    def task(file: Path) -> None:
        found = Task.read(file)
        made = found.make(np.random.default_rng(0))
        found.settled(made).quantities(made)

    return {
        "contact problem": ([dense.encode(), blocks.encode()], written("problem.dat", load_contact_problem)),
        "FCLIB": ([fclib], written("problem.hdf5", load_contact_problem)),
        "capture": ([capture.encode()], written("marks.trc", read_trc)),
        "table": ([table.encode()], written("runs.csv", lambda file: Study("snakeboard", file, ["speed"]))),
        "measurements": ([measured.encode()], written("measured.csv", Measured.of)),
        "pegs": ([b"x,y,radius\n0.1,0.2,0.05\n0.3,-0.2,0.05\n0.6,0.2,0.05\n"], written("pegs.csv", read_pegs)),
        "study": ([study], written("study.yaml", load_study)),
        "task": ([TASK], written("task.yaml", task)),
    }


def surfaces() -> Cases:
    """Meshes that trimesh reads."""
    trimesh = importlib.import_module("trimesh")
    box = trimesh.creation.box((1.0, 2.0, 3.0))
    whole = {ending: box.export(file_type=ending) for ending in ("ply", "off", "glb", "dae")}
    whole = {ending: data.encode() if isinstance(data, str) else data for ending, data in whole.items()}
    return {ending.upper(): ([data], written(f"box.{ending}", read_mesh)) for ending, data in whole.items()}


def seeds(folder: Path) -> Cases:
    """Of each kind of file: valid ones, and what reads a file of these bytes in a folder."""
    template = folder / "template.yaml"
    write_template(template)
    result = folder / "result.nc"
    ld.zoo.pendulum(n=2).changed(checks=(), t_end=0.1).run(progress=False, out=result)
    part = PartFile(part_of(folder / "part.nc"))
    part.begin()
    for _ in range(2):
        part.add(ld.Result.load(result).dataset)
    part.close()
    times = np.linspace(0.0, 1.0, 12)
    table = "time,a,b\n" + "".join(f"{t:.3f},{np.sin(t):.6f},{t * t:.6f}\n" for t in times)
    triangle = np.zeros(2, dtype=[("numbers", "<f4", 12), ("word", "<u2")])
    triangle["numbers"][:, 3:] = np.arange(18.0).reshape(2, 9)
    stl = b"\0" * 80 + np.uint32(2).tobytes() + triangle.tobytes()

    def dead_run(file: Path) -> Any:
        return ld.Result.load(file.with_suffix(""))

    files, part_bytes, examples = HERE / "files", part.path.read_bytes(), HERE.parent / "examples" / "files"
    part.path.unlink()
    return {
        "YAML": (
            [template.read_bytes(), (examples / "snakeboard.yaml").read_bytes(), NAMING["YAML"]],
            written("robot.yaml", scenario),
        ),
        "URDF": ([(files / name).read_bytes() for name in ("torso.urdf", "quadruped.urdf")], written("robot.urdf", scenario)),
        "MJCF": (
            [(files / "arm.xml").read_bytes(), (HERE / "journeys" / "quadruped.xml").read_bytes(), NAMING["MJCF"]],
            written("robot.xml", scenario),
        ),
        "NetCDF": ([result.read_bytes()], written("result.nc", ld.Result.load)),
        "part of a run": ([part_bytes], written("dead.nc.part", dead_run)),
        "CSV": ([table.encode()], written("motion.csv", from_csv)),
        "mesh": ([(files / "meshes" / "wedge.obj").read_bytes()], written("wedge.obj", read_mesh)),
        "binary mesh": ([stl], written("triangles.stl", read_mesh)),
        **surfaces(),
        **tables(folder),
    }


def survives(act: Callable[[bytes, Path], Any], data: bytes, folder: Path) -> bool:
    """Whether a reader takes or refuses a file: True where it took it. Anything but a sentence of ours is raised."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            act(data, folder)
        except LocodynError as error:
            assert str(error).strip() and "\n" not in str(error).strip(), repr(str(error))
            return False
        return True


def random_edits(generator: np.random.Generator) -> list[tuple[int, int, int, int]]:
    return [tuple(int(x) for x in generator.integers(0, 2**31, 4)) for _ in range(int(generator.integers(1, 6)))]  # type: ignore[misc]


class TooLong(Exception):
    """A reader takes longer than its limit."""


def main(count: int, kinds: list[str]) -> None:
    def stop(number: int, frame: Any) -> None:
        raise TooLong

    signal.signal(signal.SIGALRM, stop)
    with tempfile.TemporaryDirectory() as name, closing(Guard(Path(name))) as guard:
        folder = guard.folder
        for kind, (valid, act) in seeds(folder).items():
            if kinds and kind not in kinds:
                continue
            taken, longest, broken, began = 0, 0.0, {}, time.perf_counter()
            for number in range(count):
                generator = np.random.default_rng([number, len(kind)])
                data = damaged(valid[number % len(valid)], random_edits(generator))
                start = time.perf_counter()
                try:
                    signal.setitimer(signal.ITIMER_REAL, 20.0)
                    with guard.watching():
                        taken += survives(act, data, folder)
                except Exception as error:
                    where = error.__traceback__
                    while where is not None and where.tb_next is not None:
                        where = where.tb_next
                    line = f"{where.tb_frame.f_code.co_filename}:{where.tb_lineno}" if where else ""
                    broken.setdefault(f"{type(error).__name__}: {str(error)[:150]!r} at {line}", []).append(number)
                finally:
                    signal.setitimer(signal.ITIMER_REAL, 0.0)
                longest = max(longest, time.perf_counter() - start)
            seconds = time.perf_counter() - began
            print(f"{kind}: {count} files in {seconds:.0f} s, {taken} read, longest {longest:.2f} s, {len(broken)} ways to break")
            for words, numbers in broken.items():
                print(f"    {len(numbers)} x {words} (file {numbers[0]})", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
