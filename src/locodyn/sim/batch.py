"""Many robots of one structure at once: ``b = scenario.batch(1000)``, then ``b.run()``, or ``b.step(action)`` from outside.

Every thread has the arrays of one robot, and robots take turns in them (:mod:`locodyn.kernel.swap`): each brings its state, what
its steps remember, its actions, and the parameters in which it differs from the first. It then runs through the compiled steps
of a single run, whatever it is made of, and gets the same bits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.errors import InputError
from locodyn.integrate.robots import SOUND, Robots, Turn
from locodyn.kernel.swap import swap_of, words_of
from locodyn.sim.batch_data import Tape, batch_dataset, check_reductions, columns_among, reduced
from locodyn.sim.batch_input import actions_of_each, check_precision, cores, states_of_each, whole
from locodyn.sim.differences import Difference, check_same_method, differences, numbers_of
from locodyn.sim.stepping import Simulation
from locodyn.typing import Array

if TYPE_CHECKING:
    import xarray

    from locodyn.device.launch import DeviceRobots
    from locodyn.sim.scenario import Scenario

_ALL = ("q", "v", "own", "done", "failed")  # arrays of the robots


class ScenarioBatch:
    """Robots of one structure, each of which moves as it would alone.

    Parameters
    ----------
    scenarios : sequence of Scenario
        One for each robot. They may differ in numbers (masses, lengths, stiffness, friction, gaits, starts, obstacles), not in
        structure, integrator or step.
    count : int, optional
        So many robots of the one scenario that is given.
    actions : names of coordinates, optional
        As of :class:`~locodyn.sim.stepping.Simulation`. Where none are named, :meth:`run` goes by the laws of the scenario until
        the first action or step.
    threads : int, optional
        By default one for each core.
    device : "cuda", optional
        Make the steps on the first NVIDIA card of this machine, one thread for each robot, with the same bits
        (:mod:`locodyn.device`). ``"host"`` runs the program of the card on this machine, to compare.
    dtype : "float64"
        Trees alone have "float32" too, on a card: :class:`~locodyn.batch.device_batch.DeviceBatch`.

    Attributes
    ----------
    q, v : (count, nq), (count, nv)
        The states, to read; :meth:`reset` sets them.
    action_names : tuple of str
    dt : s
    """

    def __init__(
        self,
        scenarios: Sequence[Scenario],
        count: int | None = None,
        actions: Sequence[str] | None = None,
        threads: int | None = None,
        device: str | None = None,
        dtype: str = "float64",
    ) -> None:
        check_precision(dtype)
        if not len(scenarios):
            raise InputError("a batch has no robot; give it one scenario or more.")
        self.count = whole("number of robots of a batch", len(scenarios) if count is None else count)
        if len(scenarios) not in (1, self.count):
            raise InputError(f"a batch of {self.count} robots takes one scenario, or {self.count}; {len(scenarios)} are given.")
        self.scenarios, self._actions, self._where = list(scenarios), actions, device
        self._acted = actions is not None  # whether actions count
        self._laws: ScenarioBatch | None = None
        self.threads = min(self.count, cores() if threads is None else whole("number of threads of a batch", threads))
        first = Simulation(scenarios[0], actions)
        if not first.problem.is_compiled:
            raise InputError(
                f"'{first.scenario.name}' asks functions in Python at every step; a batch takes laws of the library: give such"
                " forces as actions, or run the robots one at a time."
            )
        self.action_names, self.dt, self.scenario = first.action_names, first.dt, first.scenario
        model, states = first.problem.model, first.problem.memories.count
        self._memory = slice(0, states)
        self._pattern: Simulation | None = None
        changed = differences(self.scenarios, actions, first) if len(scenarios) > 1 else [{}]
        self._paths = list(dict.fromkeys(path for one in changed for path in one))
        workers = [first, *(Simulation(scenarios[0], actions) for _ in range(1, self.threads))]
        self._workers = [(one, _turn(*self._views(one), model.nq, model.nv)) for one in workers]
        self._pool = ThreadPoolExecutor(self.threads) if self.threads > 1 else None
        self._begin(changed)
        self._device = None if device is None else self._on_device(device)

    # ----------------------------------------------------------------------------------------------------------- states
    @property
    def q(self) -> np.ndarray:
        """Positions (count, nq), to read."""
        return self._here("q").q

    @property
    def v(self) -> np.ndarray:
        """Velocities (count, nv), to read."""
        return self._here("v").v

    @property
    def on_device(self) -> Mapping[str, Any]:
        """Arrays ``q``, ``v``, ``own``, ``done`` and ``failed`` on the graphics card, as ``__cuda_array_interface__``; else none.

        Who writes them calls :meth:`advance` next; what was read here before is then fetched anew.
        """
        return {} if self._device is None else self._device.arrays

    @property
    def memory(self) -> np.ndarray:
        """States of laws with memory (count, nz), to read."""
        return self._here("own").own.view(float)[:, self._memory]

    @property
    def action(self) -> np.ndarray:
        """The present actions (count, n)."""
        count = len(self.action_names)
        return self._here("own").own.view(float)[:, self.robots.own.shape[1] - count :]

    @property
    def time(self) -> np.ndarray:
        """Time of each robot (count,), s."""
        times: np.ndarray = self._here("done").done * self.dt
        return times

    @property
    def status(self) -> list[str]:
        """Of each robot: ``"sound"``, or when it failed; a failed robot stays where it was until it is reset."""
        words = "failed: the step from t = {:g} s on has no solution, or one that is not finite"
        return ["sound" if n == SOUND else words.format(n * self.dt) for n in self._here("failed").failed]

    @property
    def sound(self) -> np.ndarray:
        """Whether each robot (count,) has not failed."""
        fine: np.ndarray = self._here("failed").failed == SOUND
        return fine

    def reset(self, robots: Any = None, q: Array | None = None, v: Array | None = None) -> None:
        """Put robots back to t = 0 and their start, or to the states that are given.

        ``robots``: their numbers, or a row (count,) of booleans; None: all. ``q`` (n, nq), ``v`` (n, nv): one row for each of
        them, or one for all. Constraints and imposed motions are met by the smallest change, as at the start of a run.
        """
        chosen = self._chosen(robots)
        own = self._here(*_ALL, written=True)
        own.q[chosen], own.v[chosen], own.own[chosen] = self._start_q[chosen], self._start_v[chosen], self._start[chosen]
        own.done[chosen], own.failed[chosen] = 0, SOUND
        self._acted = self._actions is not None or (self._acted and len(chosen) < self.count)
        if q is None and v is None:
            return
        rows = [states_of_each(asked, len(chosen), width, word) for asked, width, word in ((q, own.q, "q"), (v, own.v, "v"))]
        for k, r in enumerate(chosen):
            one = self._simulation(r)
            one.reset(*(None if row is None else row[k] for row in rows))
            written = words_of(self._views(one)[0])
            own.q[r], own.v[r], own.own[r, : len(written)] = one.q, one.v, written

    def step(self, action: Array | Mapping[str, Any] | None = None, steps: int = 1) -> tuple[np.ndarray, np.ndarray]:
        """Make so many steps of every robot with these actions (None: the last ones) and give copies of (q, v) at their end.

        ``action``: (count, n), or (n,) for all robots alike, in the order of ``action_names``; or arrays by name. A robot whose
        step has no solution stays where it was: :attr:`status` says so.
        """
        if action is not None:
            self._act(action)
        self.advance(whole("number of steps", steps))
        return self.q.copy(), self.v.copy()

    def set_actions(self, action: np.ndarray, robots: Any = None) -> None:
        """Give actions (count, n) or (n,), of which those of the robots chosen as in :meth:`reset` count; nothing is checked."""
        chosen, now, self._acted = self._chosen(robots), self.action, True
        wanted = np.broadcast_to(action, now.shape)[chosen]
        jumps = chosen[(wanted != now[chosen]).any(axis=1)]
        now[chosen] = wanted
        self._here("own", written=True).own[np.ix_(jumps, self._known)] = 0  # accelerations from before a jump tell nothing

    def advance(self, steps: int, robots: Any = None) -> None:
        """So many steps of every robot, or of those chosen as in :meth:`reset`, that has not failed; nothing is copied."""
        chosen, self._acted = self._chosen(robots), True
        done = self._here("done").done[chosen]
        for number in np.unique(done):
            self._spread(chosen[done == number], steps)

    def run(
        self,
        t_end: float | None = None,
        record_every: int | None = None,
        variables: Sequence[str] = (),
        reduce: Mapping[str, str] | None = None,
        energy: bool = False,
    ) -> xarray.Dataset:
        """Run all robots from where they are to ``t_end`` (s, default: that of the scenario), and record their states.

        Steps keep their length: the last record is the one nearest to ``t_end``. The result has the dimensions ``robot`` and
        ``time``, and a status of each robot; records after its failure are NaN.
        ``variables``: names of further variables of a result, as ``joint_torque`` or ``contact_force``, by the states; what only
        the steps of hard contact know, by a second run of each robot, alone.
        ``reduce``: numbers of each robot in place of records, as ``{"v": "mean", "power_actuators": "integral"}``, which are
        called ``v_mean`` and ``power_actuators_integral``: "mean", "integral", "least" and "most" in time, or the "last" one.
        ``energy``: look at the energy account of each robot at these records (it takes as long as such variables do):
        ``energy_account`` says "closes", by how much it does not, or why there is none. Else ``energy_unwatched`` says so.
        """
        if self.action_names and not self._acted:
            laws = self._by_laws()
            data = laws.run(t_end, record_every, variables, reduce, energy)
            laws._hand_over(self)
            return data
        wanted = dict.fromkeys((*variables, *(name for name in check_reductions(reduce) if name not in ("q", "v", "memory"))))
        done = np.unique(self._here("done").done)
        if len(done) > 1:
            raise InputError("the robots of this batch are at different times; reset them before a run.")
        every = self.scenario.recording.record_every if record_every is None else whole("record_every", record_every)
        end = self.scenario.recording.t_end if t_end is None else float(t_end)
        records = round((end - done[0] * self.dt) / (every * self.dt))
        if records < 1:
            raise InputError(f"the batch is at t = {done[0] * self.dt:g} s; the end of its run must be later, not {end:g} s.")
        tape = Tape(self.robots, self._device, self._memory.stop)
        for n in range(records + 1):
            if n > 0:
                self.advance(every)
            tape.note()
        steps = done[0] + every * np.arange(records + 1)
        states = tape.states(steps, self._here("failed").failed)
        data = batch_dataset(self._acting, self.dt * steps, states, self.status, tuple(wanted), energy)
        return data if reduce is None else reduced(data, reduce)

    # ------------------------------------------------------------------------------------------------------------ inside
    def _by_laws(self) -> ScenarioBatch:
        """These robots as they are, without actions: the laws of their scenarios drive them."""
        if self._laws is None:
            self._laws = ScenarioBatch(self.scenarios, self.count, (), self.threads, self._where)
        self._hand_over(self._laws)
        return self._laws

    def _hand_over(self, other: ScenarioBatch) -> None:
        """Another batch of the same robots goes on from the states of these."""
        here, there, count = self._here(*_ALL), other._here(*_ALL, written=True), self._written
        there.q[:], there.v[:], there.done[:], there.failed[:] = here.q, here.v, here.done, here.failed
        there.own[:, :count] = here.own[:, :count]

    def _views(self, one: Simulation) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """Where a simulation has what belongs to a robot: what its steps write, and what they only read."""
        problem, memory = one.problem, one.problem.workspace.memory
        rows = problem.constraints.kept().views if problem.constraints.rows else ()
        written = [memory.state, memory.value, *rows, *one.stepper.kept().views]
        known, data = numbers_of(problem), problem.arrays.laws.data
        return written, [*(known[path] for path in self._paths), *(data[n : n + 1] for n in one.action_places)]

    def _begin(self, changed: list[Difference]) -> None:
        """Start of each robot: its state, and the words that it brings along."""
        starts = []
        for r, difference in enumerate(changed):
            one = self._simulation(r)
            check_same_method(one, self._workers[0][0], r)
            written, read = self._views(one)
            other = [np.ascontiguousarray(difference.get(path, view)) for path, view in zip(self._paths, read, strict=False)]
            starts.append((one.q.copy(), one.v.copy(), words_of([*written, *other, *read[len(other) :]])))
        self._written = len(words_of(written))
        rows = [np.array(column) for column in zip(*starts, strict=True)]
        self._known = columns_among(one.stepper.known().views, written)
        self._start_q, self._start_v, self._start = (np.repeat(x, self.count // len(changed), axis=0) for x in rows)
        self.robots = Robots(
            q=self._start_q.copy(), v=self._start_v.copy(), own=self._start.copy(),
            done=np.zeros(self.count, dtype=np.int64), failed=np.full(self.count, SOUND, dtype=np.int64),
        )  # fmt: skip

    def _on_device(self, device: str) -> DeviceRobots:
        """The robots on a device. One step here tells which parts of the kernels such a robot reaches."""
        from locodyn.device.launch import DeviceRobots

        found = DeviceRobots(self.robots, device)
        Simulation(self.scenarios[0], self._actions).step()
        return found

    def _here(self, *names: str, written: bool = False) -> Robots:
        """The robots, with these arrays as they are on the device; ``written``: they are changed here."""
        if self._device is not None:
            self._device.fetch(*names)
            if written:
                self._device.changed(*names)
        return self.robots

    def _simulation(self, r: int) -> Simulation:
        """A simulation of robot r that no thread uses."""
        if len(self.scenarios) > 1:
            return Simulation(self.scenarios[r], self._actions)
        if self._pattern is None:
            self._pattern = Simulation(self.scenarios[0], self._actions)
        return self._pattern

    def _acting(self, r: int) -> Scenario:
        """The scenario of robot r with its present actions."""
        one = self._simulation(r)
        one.problem.arrays.laws.data[one.action_places] = self.action[r]
        return one.scenario

    def _chosen(self, robots: Any) -> np.ndarray:
        """Numbers of robots."""
        if robots is None:
            return np.arange(self.count)
        wanted = np.atleast_1d(np.asarray(robots))
        numbers: np.ndarray = np.flatnonzero(wanted) if wanted.dtype == bool and wanted.shape == (self.count,) else wanted
        if numbers.ndim != 1 or numbers.dtype.kind not in "iu" or ((numbers < 0) | (numbers >= self.count)).any():
            raise InputError(
                f"the robots are {robots!r}; give whole numbers from 0 to {self.count - 1}, or a boolean for each robot."
            )
        return numbers

    def _act(self, action: Array | Mapping[str, Any]) -> None:
        self.set_actions(actions_of_each(action, self.action_names, self.action, self.scenario.name))

    def _spread(self, chosen: np.ndarray, steps: int) -> None:
        """The robots ``chosen`` on all threads, or on the device."""
        if self._device is not None:
            one, turn = self._workers[0]
            one.stepper.robots(self.robots, turn, chosen, steps, self._device.launch)
            return
        parts = np.array_split(chosen, self.threads)
        calls = [
            partial(one.stepper.robots, self.robots, turn, part, steps)
            for (one, turn), part in zip(self._workers, parts, strict=True)
            if len(part)
        ]
        if self._pool is None:
            for call in calls:
                call()
            return
        for future in [self._pool.submit(call) for call in calls]:
            future.result()

    def __repr__(self) -> str:
        failed = int((~self.sound).sum())
        words = f", {failed} failed" if failed else ""
        where = f"{self.threads} threads" if self._device is None else f"device {self._device.name}"
        return f"ScenarioBatch({self.count} x '{self.scenario.name}', {where}{words})"


def _turn(written: list[np.ndarray], read: list[np.ndarray], nq: int, nv: int) -> Turn:
    return Turn(swap=swap_of(written, read), q=np.zeros(nq), v=np.zeros(nv))
