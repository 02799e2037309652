"""Table 3.1 of Gotelli 2024 with all its methods, in one run. python benchmarks/rod_methods.py [--quick] [--json FILE].

Four rods: cantilevers released from a force at their tip (soft, stiff), flying rods (soft, stiff). Methods, each with Gotelli's
sizes (3 strain functions, 20 nodes, 50 elements, steps of 10 ms, tolerance 1e-6):

* shooting along the rod in every step, at once as Gotelli does, and in 8 pieces (``equilibria.ShootingInTime``);
* PyElastica, at the longest step that stays stable;
* strain functions with an explicit method of variable step (``adaptive``; Gotelli has ODE45);
* strain functions with implicit multistep formulas of variable step, as SoRoSim (Matlab, ode15s): SciPy's BDF, the same formulas,
  on the accelerations of this library;
* strain functions with Newmark's method and exact tangents: Gotelli's method, ``newmark``; and ``gauss2``.

Time: CPU of one thread over the time of the motion, without compilation, by process; shooting is timed over a part of the motion.
Error: place of the tip at the end over the length of the rod, against 10 functions of each strain (stiff cantilever: 24) in
small steps; PyElastica tends to other motions where rods stretch or shear.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from timing import write_json

import locodyn as ld
from locodyn.equilibria import ShootingInTime
from locodyn.errors import RunError
from locodyn.integrate import solve
from locodyn.locomotion.problem import Problem, Schedule
from locodyn.zoo.robots import cantilever

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from rod_cases import flying_rod, push

# stiff: E = 2e9 Pa as printed; steel: 2e11 Pa, which the benchmark that Gotelli cites has
RODS = ("stiff cantilever", "steel cantilever", "soft cantilever", "stiff flying rod", "soft flying rod")
GRAVITY = (0.0, 0.0, -9.81)
ELEMENTS = 50


@dataclass(frozen=True, eq=False)
class RodCase:
    """A rod with 3 strain functions and its exact motion: problem, start, end (s), length (m), exact tip (3,), exact start."""

    name: str
    problem: Problem
    q: np.ndarray
    t_end: float
    tip: str
    length: float
    exact: np.ndarray
    fine: Problem
    fine_q: np.ndarray


def cantilever_case(case: str, t_end: float) -> RodCase:
    """Released from the equilibrium under the force, with gravity."""
    force, length = cantilever.CASES[case][4], cantilever.CASES[case][0]

    def made(modes: int, nodes: int) -> tuple[Problem, np.ndarray]:
        p = {"case": case, "modes": modes, "nodes": nodes, "g": 9.81}
        q = ld.statics(cantilever.robot(p, force), gravity=GRAVITY, steps=8).q
        return Problem(cantilever.robot(p).model(gravity=GRAVITY)), q

    (problem, q), (fine, fine_q) = made(3, 20), made(24 if case == "stiff" else 10, 40 if case == "stiff" else 30)
    run = solve(fine, fine_q, np.zeros(fine.model.nv), t_end=t_end, step=5e-4, method="radau3", tolerance=1e-7)
    return RodCase(f"{case} cantilever", problem, q, t_end, "rod", length, fine.model.pose("rod", run.q[-1])[1], fine, fine_q)


def flying_case(case: str, t_end: float) -> RodCase:
    """Pushed and turned at one end."""

    def made(**options: Any) -> Problem:
        robot = flying_rod(case, **options)
        return Problem(robot.model(gravity=(0, 0, 0)), schedule=Schedule(loads=push(case)))

    problem, fine = made(), made(bending=10, torsion=8, nodes=30)
    start = fine.model.neutral()
    run = solve(fine, start, np.zeros(fine.model.nv), t_end=t_end, step=2e-3, method="gauss2", tolerance=1e-8)
    exact = fine.model.pose("B", run.q[-1])[1]
    length = 10.0 if case == "soft" else 1.0
    return RodCase(f"{case} flying rod", problem, problem.model.neutral(), t_end, "B", length, exact, fine, start)


# ------------------------------------------------------------------------------------------------------------- methods
def by_library(rod: RodCase, method: str, **options: Any) -> tuple[float, np.ndarray]:
    """CPU seconds and place of the tip of a run with strain functions."""
    still = np.zeros(rod.problem.model.nv)
    solve(rod.problem, rod.q, still, t_end=min(0.02, rod.t_end), step=0.01, method=method, **options)  # compiled from here on
    began = time.process_time()
    found = solve(rod.problem, rod.q, still, t_end=rod.t_end, step=0.01, method=method, **options)
    spent = time.process_time() - began
    return spent / rod.t_end, rod.problem.model.pose(rod.tip, found.q[-1])[1]


def by_multistep(rod: RodCase) -> tuple[float, np.ndarray]:
    """The same by backward differentiation formulas of variable order and step, with the accelerations of this library."""
    from scipy.integrate import solve_ivp

    problem, model = rod.problem, rod.problem.model
    n, free = model.nv, model.nq - model.nv
    began = time.process_time()

    def rates(t: float, y: np.ndarray) -> np.ndarray:
        q, v = y[: model.nq].copy(), y[model.nq :].copy()
        a = problem.accelerations(t, q, v)
        if not free:
            return np.concatenate([v, a])
        return np.concatenate([_floating(q, v), v[6:], a])

    y = np.concatenate([rod.q, np.zeros(n)])
    run = solve_ivp(rates, (0.0, rod.t_end), y, method="BDF", rtol=1e-6, atol=1e-6, t_eval=[rod.t_end])
    spent = time.process_time() - began
    if run.status != 0:
        raise RunError("the multistep method fails.")
    return spent / rod.t_end, model.pose(rod.tip, model.normalised(run.y[: model.nq, -1]))[1]


def _floating(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Rate (7,) of place and quaternion of a free base that moves with the twist ``v`` in its own axes."""
    w, x, y, z = q[3:7]
    turn = np.array([[-x, -y, -z], [w, -z, y], [z, w, -x], [-y, x, w]])
    axes = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
    return np.concatenate([axes @ v[:3], 0.5 * turn @ v[3:6]])


def by_shooting(rod: RodCase, parts: int, steps: int) -> tuple[float, np.ndarray]:
    """Some steps of 10 ms, in the strong form."""
    began = time.process_time()
    found = ShootingInTime(rod.problem, parts).run(0.01 * steps, 0.01, q0=rod.q)
    return (time.process_time() - began) / (0.01 * steps), found.position[rod.tip][-1, -1]


def by_elastica(rod: RodCase, step: float) -> tuple[float, np.ndarray]:
    """Discrete elastic rod with the sections, start and loads of ``rod``."""
    import elastica as ea

    class Simulator(ea.BaseSystemCollection, ea.Constraints, ea.Forcing):  # type: ignore[misc]  # PyElastica has no types
        pass

    model = rod.fine.model
    own = next(b.joint.rod for b in model.compiled.description.bodies if b.name == rod.tip)
    here = own.properties(0.0)
    places = np.linspace(0.0, own.length, ELEMENTS + 1)
    nodes, middles = _centre_line(rod, places), _centre_line(rod, 0.5 * (places[1:] + places[:-1]))
    length = own.length / ELEMENTS
    radius = np.sqrt(4.0 * here.inertia[1] / here.mass)
    density = here.mass / (np.pi * radius**2)
    made = ea.CosseratRod.straight_rod(
        ELEMENTS, np.zeros(3), np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0]), own.length, radius, density,
        youngs_modulus=here.stiffness[4, 4] / (0.25 * np.pi * radius**4),
        shear_modulus=here.stiffness[3, 3] / (0.5 * np.pi * radius**4),
    )  # fmt: skip
    made.position_collection[:] = nodes[1].T
    # its third director runs along the rod, ours is the first; along chords a bent rod is neither stretched nor sheared
    chords = np.diff(nodes[1], axis=0)
    made.rest_lengths[:] = np.linalg.norm(chords, axis=1)
    made.rest_voronoi_lengths[:] = 0.5 * (made.rest_lengths[1:] + made.rest_lengths[:-1])
    third = chords / made.rest_lengths[:, None]
    first = middles[0][:, :, 1] - np.sum(middles[0][:, :, 1] * third, axis=1)[:, None] * third
    first /= np.linalg.norm(first, axis=1)[:, None]
    made.director_collection[:] = np.stack([first.T, np.cross(third, first).T, third.T])
    made.mass_second_moment_of_inertia[:] = length * np.diag(here.inertia[[1, 2, 0]])[:, :, None]
    made.inv_mass_second_moment_of_inertia[:] = np.diag(1.0 / (length * here.inertia[[1, 2, 0]]))[:, :, None]
    made.shear_matrix[:] = np.diag(np.diag(here.stiffness)[[1, 2, 0]])[:, :, None]
    made.bend_matrix[:] = np.diag(np.diag(here.stiffness)[[4, 5, 3]])[:, :, None]
    simulator = Simulator()
    simulator.append(made)
    if rod.tip == "rod":
        simulator.constrain(made).using(ea.OneEndFixedBC, constrained_position_idx=(0,), constrained_director_idx=(0,))
        simulator.add_forcing_to(made).using(ea.GravityForces, acc_gravity=np.array(GRAVITY))
    else:
        simulator.add_forcing_to(made).using(_pushed(ea, rod))
    simulator.finalize()
    began = time.process_time()
    ea.integrate(ea.PositionVerlet(), simulator, rod.t_end, round(rod.t_end / step), progress_bar=False)
    spent = time.process_time() - began
    stretch = np.linalg.norm(np.diff(made.position_collection, axis=1), axis=0) / made.rest_lengths
    place = made.position_collection[:, -1].copy()
    return spent / rod.t_end, place if np.all(np.abs(stretch - 1.0) < 0.5) else np.full(3, np.nan)


def _centre_line(rod: RodCase, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rotations (n, 3, 3) and places (n, 3) along the exact rod at its start."""
    from locodyn.robot.rods.slices import pose_between

    model, q = rod.fine.model, rod.fine_q
    body = next(b for b in model.compiled.description.bodies if b.name == rod.tip)
    modes = q[model.compiled.joint_positions[model.compiled.joint_index(body.joint.name)]][None]
    tip_turn, tip = model.pose(rod.tip, q)
    turn, way = pose_between(body.joint.rod, 0.0, body.joint.rod.length, modes)
    root_turn = tip_turn @ turn[0].T
    root = tip - root_turn @ way[0]
    found = []
    for s in places:
        turn, way = (np.eye(3)[None], np.zeros((1, 3))) if s == 0.0 else pose_between(body.joint.rod, 0.0, float(s), modes)
        found.append((root_turn @ turn[0], root + root_turn @ way[0]))
    return np.array([x for x, _ in found]), np.array([x for _, x in found])


def _pushed(ea: Any, rod: RodCase) -> Any:
    """The load of a flying rod: force at its first node, moment on its first element."""
    soft = rod.length > 5.0
    force, moment, peak = (20.0, 200.0, 2.5) if soft else (2.0, 2.0, 0.7)

    class Push(ea.NoForces):  # type: ignore[misc]  # as above
        def apply_forces(self, system: Any, time: float = 0.0) -> None:
            size = min(time / peak, max(0.0, 2.0 - time / peak))
            system.external_forces[0, 0] += size * force

        def apply_torques(self, system: Any, time: float = 0.0) -> None:
            size = min(time / peak, max(0.0, 2.0 - time / peak))
            system.external_torques[:, 0] += system.director_collection[:, :, 0] @ (size * np.array([0.0, 0.5 * moment, moment]))

    return Push


def stable_elastica(rod: RodCase) -> tuple[float, np.ndarray]:
    """At the longest stable step: that of stretching and shearing waves between elements, times 0.7 until it stays bounded."""
    own = next(b.joint.rod for b in rod.problem.model.compiled.description.bodies if b.name == rod.tip)
    here, length = own.properties(0.0), own.length / ELEMENTS
    along, shear = here.stiffness[0, 0], here.stiffness[1, 1]
    step = 0.7 * min(length * np.sqrt(here.mass / along), 2.0 * np.sqrt(here.inertia[1] / shear))
    for _ in range(6):
        with contextlib.redirect_stdout(io.StringIO()), np.errstate(all="ignore"):
            spent, place = by_elastica(rod, step)
        if np.isfinite(place).all():
            return spent, place
        step *= 0.7
    raise RunError("PyElastica is stable at none of the steps tried.")


# --------------------------------------------------------------------------------------------------------------- table
def methods(quick: bool) -> list[tuple[str, Callable[[RodCase], tuple[float, np.ndarray]], bool]]:
    """Name, work, and whether it goes to the end of the motion."""
    steps = 2 if quick else 10
    return [
        ("shooting, at once", lambda rod: by_shooting(rod, 1, 3), False),
        ("shooting, 8 pieces", lambda rod: by_shooting(rod, 8, steps), False),
        ("PyElastica", stable_elastica, True),
        ("explicit, variable step", lambda rod: by_library(rod, "adaptive", tolerance=1e-6), True),
        ("multistep, variable step", by_multistep, True),
        ("newmark, as Gotelli", lambda rod: by_library(rod, "newmark", tolerance=1e-5), True),
        ("gauss2", lambda rod: by_library(rod, "gauss2", tolerance=1e-5), True),
    ]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the motion")
    parser.add_argument("--rods", default=",".join(RODS), help="which, separated by commas")
    parser.add_argument("--json", help="write the numbers to this file")
    options = parser.parse_args()
    t_end, result = 0.1 if options.quick else 1.0, []
    table = Table("rod", "method", "s per s", "error of the tip %", title=f"{t_end:g} s of motion")
    for case in options.rods.split(","):
        kind, what = case.split(" ", 1)
        rod = cantilever_case(kind, t_end) if what == "cantilever" else flying_case(kind, t_end)
        for name, work, whole in methods(options.quick):
            try:
                spent, place = work(rod)
            except RunError:
                table.add_row(case, name, "fails", "")
                result.append({"work": case, "size": 3, "called": name, "locodyn_us": None})
                continue
            error = f"{100.0 * np.linalg.norm(place - rod.exact) / rod.length:.3g}" if whole else ""
            table.add_row(case, name, f"{spent:.3g}", error)
            result.append({"work": case, "size": 3, "called": name, "locodyn_us": 1e6 * spent})
            print(case, name, f"{spent:.3g}", error, file=sys.stderr)
    Console().print(table)
    if options.json:
        write_json(options.json, result)


if __name__ == "__main__":
    main()
