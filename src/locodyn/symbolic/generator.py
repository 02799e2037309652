"""From a robot to its functions in closed form: which there are, their inputs and outputs with names and units."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from locodyn.dynamics import totals
from locodyn.dynamics.joint_laws import joint_energy
from locodyn.errors import InputError, nearest
from locodyn.kernel import twin
from locodyn.locomotion.arrays import IMPOSED
from locodyn.locomotion.problem import Problem
from locodyn.symbolic.function import Function, Group
from locodyn.symbolic.groups import InputGroups, output
from locodyn.symbolic.left_out import WITH_FORCES
from locodyn.symbolic.model import SymbolicModel, configuration_rate, plain
from locodyn.symbolic.parameters import SymbolicRobot
from locodyn.symbolic.problem import SymbolicProblem
from locodyn.symbolic.program import NUMPY, Program
from locodyn.symbolic.tape import POINTS
from locodyn.world.rows import HOLONOMIC

# what -> summary
FUNCTIONS = {
    "inverse": "Inverse dynamics: tau = M(q) a + bias(q, v) - J^T w, without constraints.",
    "mass_matrix": "Mass matrix M(q).",
    "bias": "Forces of velocity and gravity: inverse dynamics at zero acceleration.",
    "forward": "Forward dynamics on the constraints: rates of positions and of independent speeds.",
    "stabilised": "Forward dynamics with positions that are drawn back onto loops and planes, at the rate 'pull'.",
    "reduced": "Reduced dynamics on the constraints: M udot = F in independent speeds u.",
    "speeds": "All speeds v from the independent speeds u.",
    "constraints": "Constraint rows A v = b: A, and what A v - b and its derivative are without acceleration.",
    "contacts": "Forces along the constraint rows (multipliers), on the robot.",
    "jacobian": "Jacobian of a body or marker: body twist = J v, and its time derivative.",
    "energy": "Kinetic energy, energy of gravity, energy of the springs of the joints.",
    "sensors": "Pose in the world, body twist and its derivative, of bodies or markers.",
}
FEW = 12  # speeds
UNRELATED = 0.6180339887498949  # rad or m, by which a position is changed: no period of a wave along a rod
OF_THE_TREE = ("inverse", "mass_matrix", "bias", "jacobian", "energy", "sensors")  # functions without constraints and drives
Outputs = list[tuple[Group, np.ndarray]]
Builder = Callable[[SymbolicProblem, list[str]], Outputs]
Built = tuple[SymbolicProblem, Outputs, Program, list[int]]


class Generator:
    """Functions of a robot.

    Parameters
    ----------
    robot : SymbolicRobot
    problem : Problem
        The same robot with numbers, its world and its drives.
    start : (nq,), optional
        Where independent speeds are chosen.
    keep : numbers of coordinates whose speeds stay independent if possible.
    notes : sentences that go with functions in which forces act: what they leave out.
    """

    def __init__(
        self,
        robot: SymbolicRobot,
        problem: Problem,
        start: np.ndarray | None = None,
        keep: Sequence[int] = (),
        notes: Sequence[str] = (),
    ) -> None:
        self.robot, self.problem, self.start, self.keep, self.notes = robot, problem, start, keep, notes
        self._length = len(robot.tape.operations)

    def function(
        self,
        what: str,
        of: Sequence[str] = (),
        speeds: Sequence[str] | None = None,
        wrenches: Sequence[str] = (),
        name: str | None = None,
    ) -> Function:
        """One function.

        Parameters
        ----------
        what : a key of ``FUNCTIONS``
        of : names of bodies or markers, for ``jacobian`` (one) and ``sensors``
        speeds : names of the independent speeds, or None
        wrenches : names of bodies or markers on which an outer wrench acts, as further inputs
        name : name of the function; by default that of the robot and of what it computes
        """
        if what not in FUNCTIONS:
            raise InputError(f"there is no function '{what}'{nearest(what, FUNCTIONS)}")
        self._check(what, of, wrenches)

        def build(way: Builder, zero: Sequence[int]) -> tuple[SymbolicProblem, Outputs]:
            self.robot.tape.rewind(self._length)
            model = SymbolicModel(self.robot.compiled, self.robot.gravity, tape=self.robot.tape)
            values = {p.name: p.value for p in self.robot.parameters}
            problem = SymbolicProblem(self.problem, model, self.start, speeds, zero, wrenches, self.keep, values)
            return problem, way(problem, list(of))

        found = [_shortest(partial(build, way)) for way in self._ways(what)]
        problem, outputs, program, zero = min(found, key=lambda one: one[2].size)
        names = problem.model.compiled.position_names
        notes = [f"It does not depend on {', '.join(names[i] for i in zero)}."] if zero else []
        if what in ("reduced", "forward", "stabilised", "contacts") and problem.elimination.redundant:
            rows = [problem.rows.names[k] for k in problem.elimination.redundant]
            notes.append(f"Rows that follow from the others, and carry no force here: {', '.join(rows)}.")
        notes += self.notes if what in WITH_FORCES else ()
        inputs = InputGroups(problem, self.robot.parameters, what).groups(set(program.names))
        title = plain(name or f"{self.robot.compiled.name}_{what}")
        return Function(title, FUNCTIONS[what], inputs, tuple(g for g, _ in outputs), program, tuple(notes))

    def _ways(self, what: str) -> list[Builder]:
        """How a function may be built; the shorter one is taken.

        Each way has a tape of its own: on a common one its results would meet those of the other, operations and all. The
        recursion is O(n), the factors of the mass matrix are O(n^3) and worth a try for few speeds only.
        """
        mixed = self.problem.constraints.arrays is not None or (self.problem.drive == IMPOSED).any()
        if what != "forward" or mixed or self.robot.compiled.has_rods:
            return [_BUILDERS[what]]
        return [_forward_recursion, _forward] if self.robot.compiled.nv <= FEW else [_forward_recursion]

    def _check(self, what: str, of: Sequence[str], wrenches: Sequence[str]) -> None:
        for name in (*of, *wrenches):
            self.robot.compiled.point(name)
        if what not in OF_THE_TREE:
            self._check_rods(what)
        if what == "jacobian" and len(of) != 1:
            raise InputError("a jacobian is that of one body or marker; name it.")
        if what == "sensors" and not of:
            raise InputError("sensors are at bodies or markers; name at least one.")
        if what in ("constraints", "contacts") and self.problem.constraints.arrays is None:
            raise InputError(f"robot '{self.robot.compiled.name}' has no wheels or loops, so there are no {what}.")

        if what == "stabilised" and not self.drifts:
            raise InputError(f"robot '{self.robot.compiled.name}' has no loops, gears or rolling surfaces; take 'forward'.")

    @property
    def drifts(self) -> bool:
        """Whether positions can leave what holds them: loops, gears, surfaces on planes."""
        rows = self.problem.constraints.arrays
        return rows is not None and bool((np.asarray(rows.flags) & HOLONOMIC).any())

    def _check_rods(self, what: str) -> None:
        """Refuse what holds rods at an abscissa that changes, which kernels alone know."""
        compiled = self.robot.compiled
        if compiled.rod_contacts:
            name = compiled.rod_contacts[0].contact.name
            raise InputError(f"'{name}' holds a rod along its length, which is not written out; '{what}' takes rods without it.")


def _shortest(build: Callable[[Sequence[int]], tuple[SymbolicProblem, Outputs]]) -> Built:
    """A function without the positions on which it does not depend, if it is shorter for it.

    The rows of an over-constrained loop need not let it move with one of its positions at zero: then all of them stay.
    """
    problem, outputs = build(())
    program, freedom = _program(outputs), _freedom(problem)
    zero = ignorable(problem, program)
    if zero:
        simpler, fewer = build(zero)  # on the tape of the first, which cannot be asked for more from here on
        if _freedom(simpler) == freedom and (found := _program(fewer)).size <= program.size:
            return simpler, fewer, found, zero
    return problem, outputs, program, []


def _freedom(problem: SymbolicProblem) -> int | None:
    """Number of independent speeds of a problem whose rows were solved; None where a function did not need that."""
    return len(problem.independent) if "elimination" in vars(problem) else None


def _program(outputs: Outputs) -> Program:
    return Program([x for _, values in outputs for x in np.asarray(values, dtype=object).flat])


def ignorable(problem: SymbolicProblem, program: Program) -> list[int]:
    """Numbers of the positions in a program that its outputs do not depend on, found by changing them at random points.

    An angle about an axis of symmetry, the place and the heading on a plane without landmarks: they enter the operations and
    cancel. Quaternions are left as they are.
    """
    model, tape = problem.model, problem.model.tape
    fixed = {i for span in model.quaternions() for i in range(span.start, span.stop)}
    values = {name: tape.value(tape.names[name]) for name in program.names}
    before = _on_random_branches(program, values)
    found = []
    for i, name in enumerate(model.compiled.position_names):
        symbol = f"q_{plain(name)}"
        if i not in fixed and symbol in values:
            after = _on_random_branches(program, {**values, symbol: values[symbol] + UNRELATED})
            if all(map(_same, before, after)):
                found.append(i)
    return found


def _on_random_branches(program: Program, values: dict[str, np.ndarray]) -> list[np.ndarray]:
    """The outputs at random points with branches drawn at random, and what the choice of a branch depends on.

    The branches that the points happen to be on say too little: of a contact law all six may be on that without a force.
    """
    rng, choices = np.random.default_rng(1), []

    def select(a: np.ndarray, b: np.ndarray, less: np.ndarray, otherwise: np.ndarray) -> np.ndarray:
        choices.append(np.asarray(a - b))
        return np.asarray(np.where(rng.random(POINTS) < 0.5, less, otherwise))

    def floor(a: np.ndarray) -> np.ndarray:
        choices.append(np.asarray(a))
        return np.asarray(np.floor(a))

    return [*map(np.asarray, program.run(values, {**NUMPY, "select": select, "floor": floor})), *choices]


def _same(before: np.ndarray, after: np.ndarray) -> bool:
    """Whether values at random points agree; those outside of a domain (the root of what is negative) say nothing."""
    known = np.isfinite(before) & np.isfinite(after)
    if not known.any() or (np.isfinite(before) != np.isfinite(after)).any():
        return False
    return bool(np.abs(before - after)[known].max() <= 1e-9 * np.abs(before)[known].max())


# ------------------------------------------------------------------------------------------------------------ the functions
def _inverse(problem: SymbolicProblem, of: list[str]) -> Outputs:
    tau = problem.model.inverse_dynamics(problem.q, wrenches=problem.wrenches)
    return [output(problem, "tau", "force", "generalised forces", tau)]


def _mass_matrix(problem: SymbolicProblem, of: list[str]) -> Outputs:
    return [output(problem, "M", "matrix", "mass matrix", problem.model.mass_matrix(problem.q))]


def _bias(problem: SymbolicProblem, of: list[str]) -> Outputs:
    return [output(problem, "h", "force", "forces of velocity and gravity", problem.model.bias(problem.q))]


def _forward(problem: SymbolicProblem, of: list[str]) -> Outputs:
    return _rates(problem, problem.acceleration[0])


def _forward_recursion(problem: SymbolicProblem, of: list[str]) -> Outputs:
    """The same of a tree, by the articulated-body recursion."""
    tau, loads = problem.applied(problem.u)
    return _rates(problem, problem.model.recursion(problem.q, problem.u, tau, loads))


def _stabilised(problem: SymbolicProblem, of: list[str]) -> Outputs:
    return _rates(problem, problem.acceleration[0], problem.pulled())


def _rates(problem: SymbolicProblem, udot: np.ndarray, v: np.ndarray | None = None) -> Outputs:
    qdot = configuration_rate(problem.model, problem.q, problem.motion[1] if v is None else v)
    return [
        output(problem, "qdot", "position_rate", "rates of the positions", qdot),
        output(problem, "udot", "speed_rate", "rates of the independent speeds", udot),
    ]


def _reduced(problem: SymbolicProblem, of: list[str]) -> Outputs:
    return [
        output(problem, "M", "matrix", "reduced mass matrix H^T M H", problem.reduced.mass),
        output(problem, "F", "reduced_force", "reduced force", problem.reduced.force),
    ]


def _speeds(problem: SymbolicProblem, of: list[str]) -> Outputs:
    return [output(problem, "v", "velocity", "velocities", problem.motion[1])]


def _constraints(problem: SymbolicProblem, of: list[str]) -> Outputs:
    problem.rows.turns = False
    speed, rate = problem.rows.bias(problem.model.v, problem.model.room(problem.model.nv))
    names = f"rows {', '.join(problem.rows.names)}; columns {', '.join(problem.names)}"
    return [
        output(problem, "A", "matrix", names, problem.rows.jacobian),
        output(problem, "residual", "rows", "A v - b", speed),
        output(problem, "drift", "rows", "d/dt (A v - b) without A dv/dt", rate),
    ]


def _contacts(problem: SymbolicProblem, of: list[str]) -> Outputs:
    return [output(problem, "force", "rows", "multipliers: N, N m or N m of a wheel", problem.contact_forces())]


def _jacobian(problem: SymbolicProblem, of: list[str]) -> Outputs:
    j, rate = problem.model.jacobian(of[0], problem.q)
    return [
        output(problem, "J", "matrix", f"body twist (v; w) of {of[0]}; columns {', '.join(problem.names)}", j),
        output(problem, "Jdot", "matrix", "time derivative of J", rate),
    ]


def _energy(problem: SymbolicProblem, of: list[str]) -> Outputs:
    found = problem.model.totals(problem.q)
    stored, _ = twin(joint_energy)(problem.model.frames, problem.model.dof_constants, problem.q, problem.model.v)
    return [
        output(problem, "kinetic", "energy", "kinetic energy, J", found[totals.TOTALS.kinetic]),
        output(problem, "potential", "energy", "energy of gravity, J", found[totals.TOTALS.potential]),
        output(problem, "springs", "energy", "energy of the springs of the joints, J", stored),
    ]


def _sensors(problem: SymbolicProblem, of: list[str]) -> Outputs:
    found: Outputs = []
    for name in of:
        rotation, position = problem.model.pose(name, problem.q)
        twist, rate = problem.model.twist(name, problem.q), problem.model.acceleration(name, problem.q)
        found += [
            output(problem, f"{plain(name)}_rotation", "matrix", f"axes of {name} in the world (columns)", rotation),
            output(problem, f"{plain(name)}_position", "xyz", f"position of {name} in the world", position),
            output(problem, f"{plain(name)}_twist", "twist", f"body twist of {name}", twist),
            output(problem, f"{plain(name)}_acceleration", "twist_rate", f"derivative of the body twist of {name}", rate),
        ]
    return found


_BUILDERS: dict[str, Builder] = {
    "inverse": _inverse,
    "mass_matrix": _mass_matrix,
    "bias": _bias,
    "forward": _forward,
    "stabilised": _stabilised,
    "reduced": _reduced,
    "speeds": _speeds,
    "constraints": _constraints,
    "contacts": _contacts,
    "jacobian": _jacobian,
    "energy": _energy,
    "sensors": _sensors,
}
