"""A run that is stepped from outside: ``sim = scenario.open()``, then ``sim.step(action)`` as often as one likes.

Actions are torques, targets of servos and what pulls strands, held over the steps of one call. They are written into the table
of laws that the compiled steps read, so that a call costs little more than its steps. States, methods and contacts are those of a
run: the same actions, given as laws, give the same bits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.errors import InputError, RunError, nearest
from locodyn.integrate.base import FixedStep
from locodyn.integrate.fixed import chunk_of
from locodyn.integrate.history import history_of, recall
from locodyn.integrate.steppers.base import NEVER, FixedRun, StepFailed, Stepper, new_rows
from locodyn.locomotion.sampled_controller import SampledController
from locodyn.motion import constant
from locodyn.robot.layout import LIMIT
from locodyn.sim.batch_input import here, whole
from locodyn.typing import Array

if TYPE_CHECKING:
    from locodyn.sim.scenario import Scenario


@dataclass(frozen=True)
class Snapshot:
    """All that the next step depends on, at one instant: ``Simulation.restore`` goes on from it bit by bit."""

    steps: int
    q: np.ndarray
    v: np.ndarray
    memory: np.ndarray
    action: np.ndarray
    history: np.ndarray | None


class Simulation:
    """A scenario that moves when it is told to.

    Parameters
    ----------
    scenario : Scenario
        With an integrator of fixed steps, and no phases.
    actions : names of coordinates, optional
        Whose torque (N m or N), or target (rad or m) where the scenario gives them a servo, each step takes; by default all that
        the scenario drives by torques and servos, and joints with a motor (:func:`motors`), in the order of the coordinates. A
        servo without stiffness takes the velocity of its target (rad/s or m/s). Also
        names of tendons, chambers and muscles: their tension (N), free length (m), pressure (Pa) or activation. Torques are zero,
        and the others what the scenario has at t = 0, until the first action is given.

    Attributes
    ----------
    action_names : tuple of str
    q, v : (nq,), (nv,)
        The state, to read; :meth:`reset` sets it.
    memory : (nz,)
        States of laws with memory.
    time, dt : s
    energy_unwatched : str
        Steps from outside keep no energy account, whose powers between two calls nobody records; this says how to look at one.
    problem, stepper
        What makes the steps; ``action_places`` (n,) says where in ``problem.arrays.laws.data`` the actions are.
    """

    energy_unwatched = (
        "a scenario that is stepped from outside keeps no energy account; run it, with its actions as laws, or as a batch of one"
        " with run(energy=True)"
    )

    def __init__(self, scenario: Scenario, actions: Sequence[str] | None = None) -> None:
        from locodyn.sim.run import with_numerics

        if scenario.phases is not None:
            raise InputError(
                "a scenario with phases cannot be opened or put into a batch; run it, and look at its phases in the result."
            )
        scenario, self.action_names = with_actions(scenario, actions)
        self._start = scenario.initial_state()
        self.scenario, _ = with_numerics(scenario, *self._start)
        method = self.scenario.numerics.method
        if not isinstance(method, FixedStep):
            raise InputError(
                f"the integrator '{method.name}' chooses its own steps; a scenario that is opened needs fixed ones: name 'rkmk4',"
                " 'radau3' or 'moreau'."
            )
        self._method, self.problem, self.dt = method, method.subject(self.scenario.problem), self.scenario.numerics.step
        self.action_places = _places(self.scenario, self.action_names)
        self._zero = self.problem.arrays.laws.data[self.action_places].copy()
        model = self.problem.model
        self.q, self.v = np.zeros(model.nq), np.zeros(model.nv)
        self._rows = new_rows(self.problem, 1)
        self.reset()

    @property
    def time(self) -> float:
        """Time of the state, s."""
        return self._done * self.dt

    @property
    def state(self) -> tuple[np.ndarray, np.ndarray]:
        """Copies of (q, v)."""
        return self.q.copy(), self.v.copy()

    @property
    def memory(self) -> np.ndarray:
        """States of laws with memory (nz,)."""
        return self.problem.workspace.memory.state

    @property
    def action(self) -> np.ndarray:
        """The present action (n,)."""
        values: np.ndarray = self.problem.arrays.laws.data[self.action_places]
        return values

    def reset(self, q: Array | None = None, v: Array | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Back to t = 0 and the start of the scenario, or to the state that is given; copies of (q, v) there.

        Constraints and imposed motions are met by the smallest change, as at the start of a run.
        """
        problem = self.problem
        model = problem.model
        wanted = [
            np.asarray(known if value is None else value, dtype=float) for known, value in zip(self._start, (q, v), strict=True)
        ]
        for values, count, word in ((wanted[0], model.nq, "q"), (wanted[1], model.nv, "v")):
            if values.shape != (count,) or not np.isfinite(values).all():
                raise InputError(f"{word} of reset must be {count} finite numbers; it has the shape {values.shape}.")
        problem.arrays.laws.data[self.action_places] = self._zero
        q, v = problem.start_state(0.0, model.normalised(wanted[0]), wanted[1].copy())
        self._begin(Snapshot(0, q, v, self.scenario.initial_memory(), self._zero, None))
        return self.q.copy(), self.v.copy()

    def step(self, action: Array | Mapping[str, float] | None = None, steps: int = 1) -> tuple[np.ndarray, np.ndarray]:
        """Make so many steps with this action (None: the last one) and give copies of (q, v) at their end.

        ``action``: a number for each of ``action_names``, or those that change by name. A step without an end raises
        :class:`~locodyn.errors.RunError` and leaves the state where it was.
        """
        if type(steps) is not int or steps < 1:  # whole() takes a while
            steps = whole("number of steps", steps)
        if action is not None:
            self._act(action)
        before = self.q.copy(), self.v.copy(), self.memory.copy()
        try:
            self._chunk(self._done, steps, self.q, self.v, self._rows)
            words = "" if _finite(self.q) and _finite(self.v) else "the state is not a number"
        except StepFailed as error:
            words = str(error)
        if words:
            self.q[:], self.v[:], self.memory[:] = before
            raise RunError(f"the step from t = {self.time:g} s on failed: {words}.")
        self._done += steps
        return self.q.copy(), self.v.copy()

    def snapshot(self) -> Snapshot:
        """All that the next step depends on; what the scenario was opened with belongs to it."""
        history = history_of(self.problem, self.stepper)
        parts = (self.q.copy(), self.v.copy(), self.memory.copy(), self.action.copy())
        return Snapshot(self._done, *parts, None if history is None else history.copy())

    def restore(self, snapshot: Snapshot) -> None:
        """Go on from a snapshot of this simulation, or of another one of the same scenario."""
        if snapshot.q.shape != self.q.shape or snapshot.action.shape != self._zero.shape:
            raise InputError("this snapshot is of another robot or of other actions; take one of the same scenario.")
        self.problem.arrays.laws.data[self.action_places] = snapshot.action
        self._begin(snapshot)

    def _begin(self, at: Snapshot) -> None:
        problem, start = self.problem, at.steps * self.dt
        self._done = at.steps
        self.q[:], self.v[:] = at.q, at.v
        problem.workspace.memory.state[:] = problem.workspace.memory.value[:] = at.memory
        if isinstance(problem.controller, SampledController):
            problem.controller.begin(problem, start, self.dt)
        known = recall(problem, at.history)
        run = FixedRun(problem, self._method, at.q.copy(), 0.0, self.dt, at.steps, NEVER, NEVER, NEVER, known)
        self.stepper: Stepper = self._method.stepper(run)
        self._chunk = chunk_of(self.stepper)

    def _act(self, action: Array | Mapping[str, float]) -> None:
        now = self.action
        values = now.copy()
        if isinstance(action, Mapping):
            for name, value in action.items():
                if name not in self.action_names:
                    raise InputError(f"'{self.scenario.name}' has no action '{name}'{nearest(name, self.action_names)}")
                values[self.action_names.index(name)] = value
        else:
            wanted = here(action)
            if wanted.shape != values.shape:
                names = ", ".join(self.action_names)
                raise InputError(
                    f"an action of '{self.scenario.name}' has {len(values)} numbers ({names}); this one has the shape"
                    f" {wanted.shape}."
                )
            values = wanted
        if not _finite(values):
            raise InputError(f"the action {values.tolist()} holds a number that is not finite.")
        if values.tobytes() != now.tobytes() and (values != now).any():
            self.problem.arrays.laws.data[self.action_places] = values
            self.stepper.restart()

    def __repr__(self) -> str:
        return f"Simulation('{self.scenario.name}', t = {self.time:g} s, actions {', '.join(self.action_names) or 'none'})"


def _finite(values: np.ndarray) -> bool:
    """Whether all numbers are; the method ``all`` of an array takes longer."""
    return bool(np.logical_and.reduce(np.isfinite(values)))


def with_actions(scenario: Scenario, actions: Sequence[str] | None) -> tuple[Scenario, tuple[str, ...]]:
    """The scenario with constant laws where actions go, and their names.

    Torques and strands are zero, and servos where their targets are at t = 0.
    """
    drive, known, strands = scenario.drive, scenario.compiled.coordinate_names, scenario.compiled.strand_names
    driven = {*drive.torque, *drive.servo, *motors(scenario)}
    chosen = [name for name in known if name in driven] if actions is None else list(actions)
    for name in chosen:
        if name not in known and name not in strands:
            every = (*known, *strands)
            raise InputError(f"robot '{scenario.compiled.name}' has no coordinate '{name}'{nearest(name, every)}")
        if name in drive.imposed or name in drive.dependent:
            raise InputError(f"the motion of '{name}' is given; an action needs a coordinate that is moved by forces.")
    torque = {name: law for name, law in drive.torque.items() if name not in chosen}
    torque |= {name: constant(0.0) for name in chosen if name not in drive.servo and name not in strands}
    held = {name: one.toward(one.aim(0.0)) for name, one in drive.servo.items() if name in chosen}
    pulled: dict[str, Any] = {
        word: {name: constant(float(law.at(0.0)[0])) if name in chosen else law for name, law in getattr(drive, word).items()}
        for word in ("tension", "tendon_length", "pressure", "activation")
    }
    order = tuple(name for name in (*known, *strands) if name in chosen)
    return scenario.changed(torque=torque, servo={**drive.servo, **held}, **pulled), order


def motors(scenario: Scenario) -> dict[str, float]:
    """Coordinates that have a motor and nothing else that drives them, with its largest torque (N m or N).

    A joint has a motor where it has a limit of its torque, as motors of MJCF files with a range bring it. Where a controller or
    phases drive the robot, theirs are not told apart.
    """
    drive, limits = scenario.drive, scenario.compiled.dof_constants[:, LIMIT]
    if drive.controller is not None or scenario.phases is not None:
        return {}
    others = {*drive.torque, *drive.servo, *drive.imposed, *drive.dependent}
    names = zip(scenario.compiled.coordinate_names, limits, strict=True)
    return {name: float(limit) for name, limit in names if np.isfinite(limit) and name not in others}


def _places(scenario: Scenario, names: Sequence[str]) -> np.ndarray:
    """Where each action stands in the data of the table of laws: the constant of a polynomial of degree 0, or its slope."""
    problem, known, strands = scenario.problem, scenario.compiled.coordinate_names, scenario.compiled.strand_names
    laws = problem.arrays.laws
    rows = {known[i]: n for n, i in enumerate((*problem.laws, *problem.servos))}  # laws of coordinates first, then of servos
    rows |= {name: int(n) for name, n in zip(strands, problem.arrays.strand_law, strict=True)}
    slopes = {name for name, one in scenario.drive.servo.items() if one.follows_velocity}
    return np.array([laws.first[laws.start[rows[name]]] + (name in slopes) for name in names], dtype=np.int64)
