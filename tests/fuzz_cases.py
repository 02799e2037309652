"""Damaged files for each reader: valid ones with pieces cut out, doubled, exchanged, or replaced by words that do harm.

``python tests/fuzz_cases.py 10000`` tries so many files of each kind, with a limit of 20 s for a file, and says what broke.
"""

from __future__ import annotations

import signal
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import locodyn as ld
from locodyn.errors import LocodynError
from locodyn.files.source import scenario_of
from locodyn.files.template import write_template
from locodyn.motion.measured import from_csv
from locodyn.robot.mesh_file import read_mesh
from locodyn.sim.part_file import PartFile, part_of

HERE = Path(__file__).parent
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


def damaged(data: bytes, edits: list[tuple[int, int, int, int]]) -> bytes:
    """A file after edits (kind, place, length, choice): numbers of any size, taken modulo what there is."""
    for kind, place, length, choice in edits:
        if not data:
            return data
        begin = place % len(data)
        end = min(len(data), begin + 1 + length % 40)
        if kind % 6 == 0:
            data = data[:begin] + data[end:]
        elif kind % 6 == 1:
            data = data[:begin] + WORDS[choice % len(WORDS)] + data[begin:]
        elif kind % 6 == 2:  # a number or word is replaced whole
            while end < len(data) and data[end : end + 1] not in b" ,\n\"'<>[]{}:":
                end += 1
            data = data[:begin] + NUMBERS[choice % len(NUMBERS)] + data[end:]
        elif kind % 6 == 3:
            data = data[:begin] + bytes([data[begin] ^ (1 << choice % 8)]) + data[begin + 1 :]
        elif kind % 6 == 4:  # lines are doubled or exchanged
            lines = data.splitlines(keepends=True)
            one, two = place % len(lines), length % len(lines)
            lines[one] = lines[one] + lines[two] if choice % 2 else lines[two]
            data = b"".join(lines)
        else:
            data = data[: begin if choice % 3 == 0 else len(data)]
    return data


def seeds(folder: Path) -> dict[str, tuple[list[bytes], Callable[[bytes, Path], Any]]]:
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

    def written(name: str, read: Callable[[Path], Any]) -> Callable[[bytes, Path], Any]:
        def act(data: bytes, folder: Path) -> Any:
            file = folder / name
            file.write_bytes(data)
            return read(file)

        return act

    def scenario(file: Path) -> None:
        source = scenario_of(file)
        assert source.scenario.compiled is not None

    def dead_run(file: Path) -> Any:
        return ld.Result.load(file.with_suffix(""))

    files, part_bytes = HERE / "files", part.path.read_bytes()
    part.path.unlink()
    return {
        "YAML": ([template.read_bytes()], written("robot.yaml", scenario)),
        "URDF": ([(files / name).read_bytes() for name in ("torso.urdf", "quadruped.urdf")], written("robot.urdf", scenario)),
        "MJCF": ([(files / "arm.xml").read_bytes()], written("robot.xml", scenario)),
        "NetCDF": ([result.read_bytes()], written("result.nc", ld.Result.load)),
        "part of a run": ([part_bytes], written("dead.nc.part", dead_run)),
        "CSV": ([table.encode()], written("motion.csv", from_csv)),
        "mesh": ([(files / "meshes" / "wedge.obj").read_bytes()], written("wedge.obj", read_mesh)),
        "binary mesh": ([stl], written("triangles.stl", read_mesh)),
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
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
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
