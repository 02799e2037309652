"""From a film to a model (Ali 2011, 2.1): marks of a motion-capture file give the joints, the model gives the net motion, and a
plot holds it against the film.

The film is made here: a run of a wheeled chain, two marks on each link, written as a TRC file in mm at 100 Hz.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import locodyn as ld
from locodyn.identify import angles_about, read_trc, rigid_motion
from locodyn.motion import filtered
from locodyn.study.measured import Measured
from locodyn.view.against import errors_against, plot_against

LINKS = ("link_0", "link_1", "link_2")
MARKS = np.array([[0.1, 0.03, 0.0], [-0.08, 0.0, 0.0]])  # on each link, in its axes, m


def film(path: Path, result: ld.Result, noise: float = 0.0, lost: tuple[int, str] | None = None) -> Path:
    """Write the marks of a run as a TRC file."""
    random, names = np.random.default_rng(1), [f"{link}.{k}" for link in LINKS for k in range(len(MARKS))]
    lines = [
        "PathFileType\t4\t(X/Y/Z)\tfilm.trc",
        "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames",
        f"100\t100\t{len(result.time)}\t{len(names)}\tmm\t100\t1\t{len(result.time)}",
        "Frame#\tTime\t" + "\t".join(f"{name}\t\t" for name in names),
        "\t\t" + "\t".join(f"X{k}\tY{k}\tZ{k}" for k in range(1, len(names) + 1)),
    ]
    for n, t in enumerate(result.time.values):
        cells = [str(n + 1), f"{t:.6f}"]
        for name in names:
            link, k = name.split(".")
            rotation, place = result.model.pose(link, result.q[n])
            at = 1e3 * (place + rotation @ MARKS[int(k)])
            at[:2] += noise * random.standard_normal(2)
            cells += ["", "", ""] if lost == (n, name) else [f"{x:.9f}" for x in at]
        lines.append("\t".join(cells))
    path.write_text("\n".join(lines) + "\n")
    return path


def filmed() -> ld.Result:
    return ld.zoo.three_axle().changed(t_end=6.0, checks=()).run(progress=False)


def test_joints_from_a_film_and_the_net_motion_against_it(tmp_path: Path) -> None:
    """Joint laws from the film, imposed on the model: its net motion is that of the film, to the noise of 0.2 mm."""
    truth = filmed()
    shot = read_trc(film(tmp_path / "film.trc", truth, noise=0.2))
    assert shot.points.shape == (len(truth.time), 6, 3) and shot.times == pytest.approx(truth.time.values)
    bodies = {link: rigid_motion(shot.of(f"{link}.0", f"{link}.1"), MARKS) for link in LINKS}
    laws = {}
    for k in (1, 2):
        angles = angles_about(bodies[f"link_{k}"].relative_to(bodies[f"link_{k - 1}"]), (0, 0, 1))
        assert np.abs(angles - truth.joint_position.sel(joint=f"joint_{k}").values).max() < 0.01
        laws[f"joint_{k}"] = filtered(shot.times, angles, 5.0)
    head = bodies["link_0"]
    place = head.positions[0, 0], head.positions[0, 1], float(angles_about(head.rotations, (0, 0, 1))[0])
    model = ld.zoo.three_axle().changed(imposed=laws, start={"link_0": place}, t_end=5.8, checks=()).run(progress=False)
    cut = shot.times <= 5.8 + 1e-9
    measured = Measured(shot.times[cut], head.positions[cut, :2], ("position.x", "position.y"))
    errors = errors_against(model, measured)
    way = np.ptp(head.positions, axis=0).max()
    assert way > 0.1 and max(one.max for one in errors.values()) < 0.03 * way
    drawn = plot_against(model, tmp_path / "against.png", measured)
    assert drawn.stat().st_size > 10_000


def test_poses_of_a_body_in_space() -> None:
    """Exact marks give the exact pose, a mark that was not seen does not count; of marks on a line the turn is not known."""
    random = np.random.default_rng(4)
    own = random.standard_normal((4, 3))
    turns = np.array([np.linalg.qr(random.standard_normal((3, 3)))[0] for _ in range(5)])
    turns *= np.linalg.det(turns)[:, None, None]
    places = random.standard_normal((5, 3))
    seen = np.einsum("tij,kj->tki", turns, own) + places[:, None]
    seen[2, 1] = np.nan
    found = rigid_motion(seen, own)
    assert found.rotations == pytest.approx(turns, abs=1e-12) and found.positions == pytest.approx(places, abs=1e-12)
    assert found.residual.max() < 1e-12
    line = np.outer(np.arange(4.0), (1.0, 2.0, 3.0))
    with pytest.raises(ld.InputError, match="lie on a line"):
        rigid_motion(line[None], line)
    seen[3, :2] = np.nan
    with pytest.raises(ld.InputError, match="frame 3 shows 2 marks of the body; it takes 3"):
        rigid_motion(seen, own)


def test_gaps_and_damage_of_a_file(tmp_path: Path) -> None:
    truth = ld.zoo.three_axle().changed(t_end=0.1, checks=()).run(progress=False)
    shot = read_trc(film(tmp_path / "film.trc", truth, lost=(3, "link_1.0")))
    assert np.isnan(shot.points[3, 2]).all() and np.isfinite(shot.points[3, 3]).all()
    text = (tmp_path / "film.trc").read_text()
    for damage, words in (
        (text.replace("PathFileType", "Path"), "not a TRC file"),
        (text.replace("\tmm\t", "\tinch\t"), "unit 'inch'; known are m, cm, mm"),
        (text.replace("link_1.0", "link_0.0"), "name each mark once"),
        (text.replace("0.010000\t", "soon\t", 1), "not a number"),
    ):
        (tmp_path / "damaged.trc").write_text(damage)
        with pytest.raises(ld.InputError, match=words):
            read_trc(tmp_path / "damaged.trc")
    with pytest.raises(ld.InputError, match="no mark 'nose'"):
        shot.of("nose")
    with pytest.raises(ld.InputError, match="cannot be read"):
        read_trc(tmp_path / "none.trc")
