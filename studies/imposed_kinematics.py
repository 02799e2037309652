"""How well does a model explain measurements of which one part is imposed and another is compared?

The parallel robot driven by tendons of Gotelli 2024, 4.9.1 (`cpr_tendon`), in the three ways of Tables 4.2 to 4.4: the shapes of
both rods imposed; both proximal joints; the first joint and the second rod. The measurements of the thesis are not printed, so
a run stands for them, read by its sensors: angles of the joints at 40 Hz (0.2 degrees of noise, own choice), marks along the
rods in the frame of their roots at 25 Hz (25 cm of rod 1, all of rod 2; 0.5 mm), the platform at 40 Hz (0.5 mm). They are
written to files and read from there, so files of a real robot take their place: --measured FOLDER. What is imposed goes through
a filter of 4 Hz (Butterworth of order 4), as there; the angles are compared behind it. A rod that is not imposed is driven by
its tensions, a joint by nothing.
Checks: without noise, what is not imposed comes out as in the run, to 1e-4 of the largest coordinate (the steps are 5 ms); with
both rods imposed the robot is where a planar closure, computed apart, puts it; in the first way the errors are as small as the
sensors are (source: a fraction of a degree).
Run: python studies/imposed_kinematics.py [folder] [--quick] [--measured FOLDER]
"""

import math
import sys
import warnings
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import fsolve

import locodyn as ld
from locodyn.identify import body_from_csv, error_statistics, error_table
from locodyn.motion import filtered
from locodyn.sim import StartWarning
from locodyn.study import Measured

WAYS = {
    "Table 4.2, rods imposed": ("rod_1", "rod_2"),
    "Table 4.3, joints imposed": ("joint_1", "joint_2"),
    "Table 4.4, joint 1 and rod 2 imposed": ("joint_1", "rod_2"),
}
JOINTS, PLATFORM = ("joint_position.joint_1", "joint_position.joint_2"), ("body_position.platform.x", "body_position.platform.y")
SENSED = {"rod_1": 0.25, "rod_2": 0.48}  # m from the root
MARKS, CUTOFF, STEP = 12, 4.0, 5e-3
ANGLE_NOISE, PLACE_NOISE = math.radians(0.2), 5e-4


def modes(rod: str) -> tuple[str, ...]:
    """Columns of the coordinates of a rod."""
    return tuple(f"joint_position.{rod}.bending_z.{k}" for k in (0, 1))


def places(rod: str) -> np.ndarray:
    """Of the marks on a rod, m from its root."""
    return np.linspace(SENSED[rod] / MARKS, SENSED[rod], MARKS)


def parameters(scenario: ld.Scenario) -> dict:
    """Values by name."""
    return {one.name: one.value for one in scenario.parameters}


def shape(q: np.ndarray, length: float, s: float) -> np.ndarray:
    """Centre lines of states (T, 2) at s, (T, 2) m in the frame of the root: curvature q_0 + q_1 (2 s / l - 1), angles summed."""
    nodes, weights = np.polynomial.legendre.leggauss(20)
    x = 0.5 * s * (nodes + 1.0)
    angles = q[:, :1] * x + q[:, 1:] * (x * x / length - x)
    return 0.5 * s * np.stack([np.cos(angles) @ weights, np.sin(angles) @ weights], axis=1)


def write(truth: ld.Result, folder: Path, noise: float) -> None:
    """Files of the sensors; ``noise`` 0 or 1."""
    random = np.random.default_rng(7)
    times = truth.time.values

    def table(name: str, every: int, headings: list[str], values: np.ndarray, size: float) -> None:
        rows = values[::every] + noise * size * random.standard_normal(values[::every].shape)
        head = ",".join(["time", *headings])
        np.savetxt(folder / name, np.column_stack([times[::every], rows]), delimiter=",", header=head, comments="", fmt="%.17g")

    angles = np.degrees(truth.joint_position.sel(joint=["joint_1", "joint_2"]).values)
    table("joints.csv", 5, [f"{name} [deg]" for name in JOINTS], angles, math.degrees(ANGLE_NOISE))
    at = 1e3 * truth.body_position.sel(body="platform").values[:, :2]
    table("platform.csv", 5, [f"{name} [mm]" for name in PLATFORM], at, 1e3 * PLACE_NOISE)
    for rod, length in zip(SENSED, parameters(truth.scenario)["l"], strict=True):
        q = truth.joint_position.sel(joint=[name.removeprefix("joint_position.") for name in modes(rod)]).values
        line = np.stack([shape(q, length, s) for s in places(rod)], axis=1)
        table(f"{rod}.csv", 8, [f"{axis}{k}" for k in range(MARKS) for axis in "xy"], line.reshape(len(q), -1), PLACE_NOISE)


def read(scenario: ld.Scenario, folder: Path) -> tuple[dict[str, ld.motion.Law], dict[str, Measured]]:
    """Laws of all coordinates that were measured, and what they are compared with, by the names of the tables."""
    joints, platform = Measured.of(folder / "joints.csv", JOINTS), Measured.of(folder / "platform.csv", PLATFORM)
    laws = {name.partition(".")[2]: filtered(joints.times, joints.values[:, k], CUTOFF) for k, name in enumerate(JOINTS)}
    clean = np.column_stack([np.degrees(laws[name.partition(".")[2]](joints.times)) for name in JOINTS])
    seen = {"q1, q4 (deg)": Measured(joints.times, clean, JOINTS), "rp (m)": platform}
    bodies = {body.name: body for body in scenario.compiled.description.bodies}
    for rod in SENSED:
        motion = body_from_csv(bodies[rod].joint.rod, folder / f"{rod}.csv", places(rod), cutoff=CUTOFF)
        laws |= motion.imposed(rod)
        last = [f"x{MARKS - 1}", f"y{MARKS - 1}"]
        ends = ld.motion.from_csv(folder / f"{rod}.csv", last, degree=1)
        seen[rod] = Measured(motion.times, np.column_stack([ends[name](motion.times) for name in last]), modes(rod))
    return laws, seen


def compared(run: ld.Result, seen: dict[str, Measured]) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Measured and simulated values by the names of the tables, at the times of the sensors that the run reaches."""
    lengths, found = dict(zip(SENSED, parameters(run.scenario)["l"], strict=True)), {}
    names = {"q1, q4 (deg)": ("q1 (deg)", "q4 (deg)"), "rod_1": ("r1x (m)", "r1y (m)"), "rod_2": ("r2x (m)", "r2y (m)")}
    for what, data in seen.items():
        inside = data.times <= run.time.values[-1]
        part = Measured(data.times[inside], data.values[inside], data.columns)
        values = part.at_times(run)
        if what in SENSED:
            values = shape(values, lengths[what], SENSED[what])
        elif data.columns == JOINTS:
            values = np.degrees(values)
        for k, name in enumerate(names.get(what, ("rpx (m)", "rpy (m)"))):
            found[name] = (part.values[:, k], values[:, k])
    return {name: found[name] for name in sorted(found, key=lambda name: ("q1", "q4", "r1", "r2", "rp").index(name[:2]))}


def follow(truth: ld.Scenario, laws: dict[str, ld.motion.Law], imposed: tuple[str, ...], t_end: float) -> ld.Result:
    """The robot with these parts imposed; the others begin as the scenario does, on the closed loop."""
    given = {name: law for name, law in laws.items() if name.split(".")[0] in imposed}
    q = truth.problem.imposed_state(0.0, *truth.initial_state())[0]
    start = {name: float(x) for name, x in zip(truth.compiled.position_names, q, strict=True) if name not in given}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", StartWarning)  # noise opens the loop at the start, where it is closed again
        run = truth.changed(imposed=given, start=start, t_end=t_end, dt=STEP, record_every=1, checks=()).run(progress=False)
    assert run.status == "completed", run.status
    return run


def closure_error(run: ld.Result) -> float:
    """Largest distance (rad) of the joints of a run from angles at which its two rods meet, by a planar closure of its own."""
    p, worst = parameters(run.scenario), 0.0
    for k in range(0, len(run.time), 40):
        state = run.dataset.isel(time=k).joint_position
        q = [state.sel(joint=[name.removeprefix("joint_position.") for name in modes(rod)]).values[None] for rod in SENSED]
        tips = [shape(one, length, length)[0] + (p["a"], 0.0) for one, length in zip(q, p["l"], strict=True)]

        def miss(angles: np.ndarray, tips: list[np.ndarray] = tips) -> np.ndarray:
            ends = [np.exp(1j * angle) * complex(*tip) for angle, tip in zip(angles, tips, strict=True)]
            apart = ends[0] - ends[1] - p["d"]
            return np.array([apart.real, apart.imag])

        angles = state.sel(joint=["joint_1", "joint_2"]).values
        worst = max(worst, float(np.abs(fsolve(miss, angles, xtol=1e-9) - angles).max()))
    return worst


def main(folder: Path, quick: bool, measured: Path | None) -> None:
    """The three tables, and a picture of the platform."""
    folder.mkdir(exist_ok=True)
    t_end = 2.0 if quick else 6.0
    scenario = ld.zoo.make("cpr_tendon")
    truth = scenario.changed(t_end=t_end + 0.1, dt=STEP, record_every=1, checks=()).run(progress=False)
    files = folder if measured is None else measured
    if measured is None:
        write(truth, files, 1.0)
        q = dict(zip(truth.scenario.compiled.position_names, truth.q.T, strict=True))
        exact = {name: ld.spline(truth.time.values, values, degree=5) for name, values in q.items()}
    laws, seen = read(scenario, files)
    figure, panels = plt.subplots(1, 3, figsize=(9.0, 3.2), sharey=True, layout="constrained")
    for panel, (way, imposed) in zip(panels, WAYS.items(), strict=True):
        run = follow(scenario, laws, imposed, t_end)
        pairs = compared(run, seen)
        print(f"{way}\n{error_table(pairs)}\n")
        if measured is None:
            undisturbed = follow(scenario, exact, imposed, t_end).q
            assert np.abs(undisturbed - truth.q[: len(undisturbed)]).max() < 1e-4 * np.abs(truth.q).max()
        if imposed == ("rod_1", "rod_2"):
            assert closure_error(run) < 1e-7
            assert measured is not None or error_statistics(*pairs["q1 (deg)"]).mean < 0.5
        panel.plot(1e3 * pairs["rpx (m)"][0], 1e3 * pairs["rpy (m)"][0], ".", color="#777777", ms=3, label="measured")
        panel.plot(1e3 * pairs["rpx (m)"][1], 1e3 * pairs["rpy (m)"][1], color="#0072B2", label="simulated")
        panel.set(title=way.partition(", ")[2], xlabel="x of the platform (mm)")
    panels[0].set_ylabel("y of the platform (mm)")
    panels[0].legend()
    figure.savefig(folder / "imposed_kinematics.png", dpi=150)


if __name__ == "__main__":
    words = [word for word in sys.argv[1:] if word != "--quick"]
    given = Path(words.pop(words.index("--measured") + 1)) if "--measured" in words else None
    words = [word for word in words if word != "--measured"]
    main(Path(words[0] if words else "out"), "--quick" in sys.argv, given)
