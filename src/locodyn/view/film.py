"""A run as a video: the page of the report, drawn picture by picture in a browser without a window.

Time goes by the number of the picture, never by the clock, so that a video is the same each time.
"""

from __future__ import annotations

import base64
import importlib.util
import io
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np

from locodyn.errors import InputError
from locodyn.sim.arguments import finite, positive
from locodyn.sim.interrupts import Interrupts
from locodyn.view.browser import browser, check_browser
from locodyn.view.report_page import STAGE, document, packet
from locodyn.view.scene import Scene, scene_of

if TYPE_CHECKING:
    from locodyn.sim import Result

ENDINGS = (".mp4", ".gif")
PICTURE = (".png",)
SIDES = range(16, 8193)  # pixels: more than WebGL draws into one picture everywhere
VIEWS = ("free", "top", "side", "front")
GIF_COLOURS = 128
_MOST_PICTURES = 100_000
GUTTER = 8  # pixels between frames
PATIENCE = 60_000  # ms for the page to be ready


def check_possible(file: Path) -> None:
    """Refuse a file whose ending is not a format, and a machine that cannot draw it; before a run, not after it."""
    if file.suffix.lower() not in ENDINGS:
        raise InputError(f"the video '{file}' must end in {' or '.join(ENDINGS)}; the ending says the format.")
    check_browser()
    if file.suffix.lower() == ".mp4" and importlib.util.find_spec("imageio_ffmpeg") is None:
        raise InputError("an mp4 needs the package imageio-ffmpeg; 'pip install locodyn[video]' brings it.")


def check_look(view: str, size: tuple[int, int], even: bool = False) -> None:
    """Refuse a view that is not known, and a size (pixels) that cannot be drawn; ``even``: as an mp4 needs it."""
    if view not in VIEWS:
        raise InputError(f"there is no view '{view}'; choose {', '.join(VIEWS)}.")
    width, height = _whole(size)
    if not (width in SIDES and height in SIDES):
        raise InputError(
            f"the size {width} x {height} cannot be drawn; width and height are from {SIDES[0]} to {SIDES[-1]} pixels."
        )
    if even and (width % 2 or height % 2):
        raise InputError(f"the size {width} x {height} of the video is odd; width and height of an mp4 are even.")


def _whole(size: Any) -> tuple[int, int]:
    try:
        width, height = size
        if int(width) == width and int(height) == height:
            return int(width), int(height)
    except (TypeError, ValueError, OverflowError):
        pass
    raise InputError(f"the size is {size!r}; it must be width and height in pixels, such as (1280, 720).")


def check_pace(fps: int | None, speed: float) -> None:
    """Refuse numbers of pictures and speeds that are not possible."""
    if fps is not None and not 1 <= finite(fps, "the number of pictures a second") <= 120:
        raise InputError(f"a video of {fps} pictures a second is not possible; choose from 1 to 120.")
    positive(speed, "the speed of the video", "")


def shots(
    scene: Scene,
    times: np.ndarray,
    size: tuple[int, int],
    view: str = "free",
    follow: bool | None = None,
    on_progress: Callable[[float], None] = lambda t: None,
    stop: threading.Event | None = None,
    *,
    label: bool = True,
    kind: str = "image/png",
) -> Iterator[bytes]:
    """Pictures of a scene at times (s), one after the other, until ``stop`` is set; ``label``: with its name and the time."""
    page = document(scene.title, STAGE, packet(scene, scene.times, []))
    with tempfile.TemporaryDirectory(prefix="locodyn-") as folder, browser() as chromium:
        file = Path(folder) / "film.html"
        file.write_text(page, encoding="utf-8")
        tab = chromium.new_page(viewport={"width": 640, "height": 400})
        tab.goto(file.as_uri())
        tab.wait_for_function("document.documentElement.dataset.ready === 'yes'", timeout=PATIENCE)
        opened = [*size, view, follow, float(times[0])]
        tab.evaluate("([w, h, view, follow, t]) => locodyn.film.open(w, h, view, follow, t)", opened)
        for t in times:
            if stop is not None and stop.is_set():
                raise InputError("the video was stopped.")
            address = tab.evaluate("([t, label, kind]) => locodyn.film.shot(t, label, kind)", [float(t), label, kind])
            drawn = base64.b64decode(address.partition(",")[2])
            if not drawn:
                raise InputError(f"the browser cannot draw a picture of {size[0]} x {size[1]} pixels; choose a smaller size.")
            yield drawn
            on_progress(float(t))


class PictureOptions(TypedDict, total=False):
    """Options of :func:`picture`."""

    size: tuple[int, int]
    view: str
    follow: bool | None


class VideoOptions(PictureOptions, total=False):
    """Options of :func:`video`."""

    fps: int | None
    speed: float
    progress: bool


def video(
    result: Result,
    file: str | Path,
    *,
    fps: int | None = None,
    size: tuple[int, int] = (1280, 720),
    view: str = "free",
    speed: float = 1.0,
    follow: bool | None = None,
    progress: bool = True,
) -> Path:
    """Write a video of a run; the ending of the file says the format (mp4, gif).

    Parameters
    ----------
    fps : pictures in a second; 30 in an mp4, 15 in a gif.
    size : width and height in pixels; even numbers for an mp4.
    view : ``free``, ``top``, ``side`` or ``front``.
    speed : 2 shows the run twice as fast as it is.
    follow : whether the camera goes with the robot; by default when it goes far.
    """
    from locodyn.sim.progress import ProgressBar
    from locodyn.sim.store import write_beside

    path = Path(file)
    check_possible(path)
    moving = path.suffix.lower() == ".gif"
    rate = (15 if moving else 30) if fps is None else fps
    check_look(view, size, even=not moving)
    check_pace(fps, speed)
    scene = scene_of(result)
    count = max(2, round((scene.times[-1] - scene.times[0]) / speed * rate) + 1)
    if count > _MOST_PICTURES:
        raise InputError(f"the video would have {count} pictures; make it faster, or take fewer pictures a second.")
    times = np.linspace(scene.times[0], scene.times[-1], count)
    write = _write_gif if moving else _write_mp4
    stop = threading.Event()
    with ProgressBar(f"{scene.title}: {count} pictures", times[0], times[-1], progress) as bar, ThreadPoolExecutor(1) as worker:
        # in a thread of its own: playwright refuses one with a running event loop, such as that of a notebook
        kind = "image/png" if moving else "image/jpeg"  # the noise of a JPEG would make a gif large
        pictures = shots(scene, times, size, view, follow, bar.to, stop, kind=kind)
        try:
            return worker.submit(write_beside, path, lambda target: write(pictures, target, rate)).result()
        except BaseException:
            stop.set()
            with Interrupts():  # a second Ctrl-C waits for the thread to clear away what it has begun
                worker.shutdown()
            raise


def picture(
    result: Result,
    file: str | Path,
    at: float | Sequence[float] | None = None,
    *,
    size: tuple[int, int] = (1280, 720),
    view: str = "free",
    follow: bool | None = None,
) -> Path:
    """Write a picture (png) of the robot as it stands at the time ``at`` (s, by default the end); options as of :func:`video`.

    At several times: frames with their times in two columns, each of this size.
    """
    from locodyn.sim.store import write_beside

    path = Path(file)
    if path.suffix.lower() not in PICTURE:
        raise InputError(f"the picture '{path}' must end in .png.")
    check_look(view, size)
    scene = scene_of(result)
    start, end = float(scene.times[0]), float(scene.times[-1])
    wanted = [end] if at is None else at if isinstance(at, (list, tuple, np.ndarray)) else [at]
    times = np.array([finite(t, "the time of a picture") for t in wanted])
    for t in times:
        if not start <= t <= end:
            raise InputError(f"the picture is wanted at t = {t:g} s, but the run goes from {start:g} to {end:g} s.")
    several = len(times) > 1
    with ThreadPoolExecutor(1) as worker:
        drawn = worker.submit(lambda: list(shots(scene, times, size, view, follow, label=several))).result()
    return write_beside(path, lambda target: target.write_bytes(_sheet(drawn) if several else drawn[0]))


def _sheet(pictures: list[bytes]) -> bytes:
    """Pictures of one size in two columns, row by row, with a thin line between them."""
    from PIL import Image

    frames: list[Any] = [Image.open(io.BytesIO(picture)).convert("RGB") for picture in pictures]
    width, height = frames[0].width + GUTTER, frames[0].height + GUTTER
    sheet = Image.new("RGB", (2 * width - GUTTER, -(-len(frames) // 2) * height - GUTTER), "white")
    for k, frame in enumerate(frames):
        sheet.paste(frame, (k % 2 * width, k // 2 * height))
    buffer = io.BytesIO()
    sheet.save(buffer, format="png")
    return buffer.getvalue()


def _write_mp4(pictures: Iterator[bytes], file: Path, rate: int) -> None:
    """H.264 by the ffmpeg that imageio-ffmpeg brings."""
    from imageio_ffmpeg import get_ffmpeg_exe

    words = [
        get_ffmpeg_exe(),
        "-loglevel",
        "error",
        "-y",
        "-f",
        "image2pipe",
        "-framerate",
        str(rate),
        "-c:v",
        "mjpeg",
        "-i",
        "-",
    ]
    words += ["-c:v", "libx264", "-pix_fmt", "yuv420p", "-crf", "20", "-movflags", "+faststart", str(file)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as encoder:
        assert encoder.stdin is not None and encoder.stderr is not None
        for picture in pictures:
            encoder.stdin.write(picture)
        encoder.stdin.close()
        complaint = encoder.stderr.read().decode(errors="replace")
        if encoder.wait() != 0:
            raise InputError(f"the video '{file.name}' could not be encoded ({' '.join(complaint.split())[-200:]}).")


def _write_gif(pictures: Iterator[bytes], file: Path, rate: int) -> None:
    """One palette for all pictures, from eight of them, so that nothing flickers."""
    from PIL import Image

    frames: list[Any] = [Image.open(io.BytesIO(picture)).convert("RGB") for picture in pictures]
    few = frames[:: max(1, len(frames) // 8)]
    sheet = Image.new("RGB", (frames[0].width, len(few) * frames[0].height))
    for k, frame in enumerate(few):
        sheet.paste(frame, (0, k * frame.height))
    palette = sheet.quantize(GIF_COLOURS, kmeans=2)
    drawn = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    drawn[0].save(file, save_all=True, append_images=drawn[1:], duration=round(1000 / rate), loop=0, optimize=True)
