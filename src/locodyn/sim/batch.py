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
from locodyn.sim.batch_data import Tape, batch_dataset, is_of_motion, numbers_alone
from locodyn.sim.batch_input import (
    actions_of_each,
    agreed,
    chosen_robots,
    cores,
    precision,
    robots_on_device,
    states_of_each,
    whole,
)
from locodyn.sim.batch_reductions import Reductions, check_reductions
from locodyn.sim.batch_starts import BatchStarts
from locodyn.sim.stepping import Simulation
from locodyn.typing import Array

if TYPE_CHECKING:
    import xarray

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
    dtype : "float64" or "float32"
        float32, on a device: what a step works with takes half the memory (:mod:`locodyn.device.single`).

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
        if not len(scenarios):
            raise InputError("a batch has no robot; give it one scenario or more.")
        self.count = whole("number of robots of a batch", len(scenarios) if count is None else count)
        if len(scenarios) not in (1, self.count):
            raise InputError(f"a batch of {self.count} robots takes one scenario, or {self.count}; {len(scenarios)} are given.")
        self._actions, self._where, self._acted = actions, device, actions is not None  # the last: whether actions count
        self._laws: ScenarioBatch | None = None
        self.threads = min(self.count, cores() if threads is None else whole("number of threads of a batch", threads))
        workers = [Simulation(scenarios[0], actions) for _ in range(self.threads)]
        first, self.dtype = workers[0], precision(dtype, device, workers[0].scenario)
        if not first.problem.is_compiled:
            raise InputError(
                f"'{first.scenario.name}' asks functions in Python at every step; a batch takes laws of the library: give such"
                " forces as actions, or run the robots one at a time."
            )
        self.action_names, self.dt, self.scenario = first.action_names, first.dt, first.scenario
        model, self._memory = first.problem.model, slice(0, first.problem.memories.count)
        self._starts = BatchStarts(scenarios, self.count, actions, first)
        rooms = [Turn(swap=swap_of(*self._starts.views(one)), q=np.zeros(model.nq), v=np.zeros(model.nv)) for one in workers]
        self._workers = list(zip(workers, rooms, strict=True))
        self._pool = ThreadPoolExecutor(self.threads) if self.threads > 1 else None
        self.robots = Robots(
            q=self._starts.q.copy(), v=self._starts.v.copy(), own=self._starts.own.copy(),
            done=np.zeros(self.count, dtype=np.int64), failed=np.full(self.count, SOUND, dtype=np.int64),
        )  # fmt: skip
        again = partial(Simulation, scenarios[0], actions)
        self._device = None if device is None else robots_on_device(self.robots, device, self.dtype, again)

    # ----------------------------------------------------------------------------------------------------------- states
    @property
    def scenarios(self) -> list[Scenario]:
        """One for each robot, or one of all."""
        return self._starts.scenarios

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

        ``action`` too, columns of ``own``, where steps keep nothing that a jump of an action makes void. Who writes them
        calls :meth:`advance` next; what was read here before is then fetched anew.
        """
        return {} if self._device is None else self._device.lent(0 if self._starts.known else len(self.action_names))

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
        chosen = chosen_robots(robots, self.count)
        own, starts = self._here(*_ALL, written=True), self._starts
        own.q[chosen], own.v[chosen], own.own[chosen] = starts.q[chosen], starts.v[chosen], starts.own[chosen]
        own.done[chosen], own.failed[chosen] = 0, SOUND
        self._acted = self._actions is not None or (self._acted and len(chosen) < self.count)
        if q is None and v is None:
            return
        rows = [states_of_each(asked, len(chosen), width, word) for asked, width, word in ((q, own.q, "q"), (v, own.v, "v"))]
        for k, r in enumerate(chosen):
            one = self._starts.simulation(r)
            one.reset(*(None if row is None else row[k] for row in rows))
            written = words_of(self._starts.views(one)[0])
            own.q[r], own.v[r], own.own[r, : len(written)] = one.q, one.v, written

    def replace(self, robots: Any, scenarios: Sequence[Scenario]) -> None:
        """Give robots, chosen as in :meth:`reset`, a scenario each, and put them to their starts.

        They differ from the first one in numbers in which robots of this batch have differed before.
        """
        chosen = chosen_robots(robots, self.count)
        if len(scenarios) != len(chosen):
            raise InputError(f"{len(chosen)} robots are replaced by {len(scenarios)} scenarios; give one for each.")
        self._starts.replace(chosen, scenarios)
        self._laws = None
        self.reset(chosen)

    def step(self, action: Array | Mapping[str, Any] | None = None, steps: int = 1) -> tuple[np.ndarray, np.ndarray]:
        """Make so many steps of every robot with these actions (None: the last ones) and give copies of (q, v) at their end.

        ``action``: (count, n), or (n,) for all robots alike, in the order of ``action_names``; or arrays by name. Arrays of other
        libraries come by ``__cuda_array_interface__`` or ``__dlpack__``. A robot whose step has no solution stays where it was.
        """
        if action is not None:
            self.set_actions(actions_of_each(action, self.action_names, self.action, self.scenario.name))
        self.advance(steps)
        return self.q.copy(), self.v.copy()

    def set_actions(self, action: np.ndarray, robots: Any = None) -> None:
        """Give actions (count, n) or (n,), of which those of the robots chosen as in :meth:`reset` count; nothing is checked."""
        chosen, now, self._acted = chosen_robots(robots, self.count), self.action, True
        wanted = np.broadcast_to(action, now.shape)[chosen]
        jumps = chosen[(wanted != now[chosen]).any(axis=1)]
        now[chosen] = wanted
        # accelerations from before a jump tell nothing
        self._here("own", written=True).own[np.ix_(jumps, self._starts.known)] = 0

    def advance(self, steps: int, robots: Any = None) -> None:
        """So many steps of every robot, or of those chosen as in :meth:`reset`, that has not failed; nothing is copied."""
        chosen, self._acted = chosen_robots(robots, self.count), True
        done, steps = self._here("done").done[chosen], whole("number of steps", steps)
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
            data = (laws := self._by_laws()).run(t_end, record_every, variables, reduce, energy)
            laws._hand_over(self)
            return data
        if reduce is not None and len(variables):
            raise InputError("variables are recorded, and reductions are in place of records; name a variable in one of the two.")
        done = np.unique(self._here("done").done)
        if len(done) > 1:
            raise InputError("the robots of this batch are at different times; reset them before a run.")
        every = agreed(self.scenarios, "record_every") if record_every is None else whole("record_every", record_every)
        end = agreed(self.scenarios, "t_end") if t_end is None else float(t_end)
        records = round((end - done[0] * self.dt) / (every * self.dt))
        if records < 1:
            raise InputError(f"the batch is at t = {done[0] * self.dt:g} s; the end of its run must be later, not {end:g} s.")
        steps = done[0] + every * np.arange(records + 1)
        if reduce is not None:
            return self._reduced(steps, dict(reduce), energy)
        tape = Tape(self.robots, self._device, self._memory.stop)
        self._record(tape, steps)
        return self._data(tape, steps, tuple(variables), energy)

    # ------------------------------------------------------------------------------------------------------------ inside
    def _by_laws(self) -> ScenarioBatch:
        """These robots as they are, without actions: the laws of their scenarios drive them."""
        if self._laws is None:
            self._laws = ScenarioBatch(self.scenarios, self.count, (), self.threads, self._where, self.dtype)
        self._hand_over(self._laws)
        return self._laws

    def _hand_over(self, other: ScenarioBatch) -> None:
        """Another batch of the same robots goes on from the states of these."""
        here, there, count = self._here(*_ALL), other._here(*_ALL, written=True), self._starts.written
        there.q[:], there.v[:], there.done[:], there.failed[:] = here.q, here.v, here.done, here.failed
        there.own[:, :count] = here.own[:, :count]

    def _record(self, tape: Tape, steps: np.ndarray, under_way: bool = False) -> None:
        """Take the robots to these numbers of ``steps`` (n,), states onto a tape; ``under_way``: the first ones are there."""
        for n in range(1 if under_way else 0, len(steps)):
            if n > 0:
                self.advance(int(steps[n] - steps[n - 1]))
            tape.note()

    def _data(self, tape: Tape, steps: np.ndarray, variables: Sequence[str], energy: bool) -> xarray.Dataset:
        """What is on a tape, after so many steps."""
        made = tape.states(steps, self._here("failed", "own").failed)
        data = batch_dataset(self._acting, self.dt * steps, made, self.status, variables, energy)
        return self._starts.judged(data, self.robots.own).assign_attrs(dtype=self.dtype)

    def _acting(self, r: int) -> Scenario:
        """The scenario of robot r with its present actions."""
        return self._starts.acting(r, self.action[r])

    def _reduced(self, steps: np.ndarray, reduce: dict[str, str], energy: bool) -> xarray.Dataset:
        """Numbers in place of records, in stretches of the run (an energy account takes one); NaN of robots that failed."""
        check_reductions(reduce)
        alone = {name: how for name, how in reduce.items() if not is_of_motion(self.scenario, name)}
        others = {name: how for name, how in reduce.items() if name not in alone}
        variables = tuple(name for name in others if name not in ("q", "v", "memory"))
        found, tape = Reductions(others, self.q.size + self.v.size), Tape(self.robots, self._device, self._memory.stop)
        found.most = len(steps) if energy else found.most
        for first in range(0, len(steps) - 1, found.most):
            stretch = steps[first : first + found.most + 1]
            self._record(tape, stretch, under_way=first > 0)
            if first == 0 or self.sound.any():  # of those that failed nothing is wanted
                data = self._data(tape, stretch, variables, energy)
                found.add(data)
            tape.forget()
        numbers = dict(found.numbers())
        if alone:
            own = numbers_alone(self._acting, self.dt * steps, (self.q, self.v), self.sound, alone)
            numbers |= {str(name): one for name, one in own.items()}
        fine = data.status.copy(data=self.sound)
        data = data.drop_dims("time").assign(status=data.status.copy(data=np.array(self.status)))
        return data.assign({name: one.where(fine) for name, one in numbers.items()})

    def _here(self, *names: str, written: bool = False) -> Robots:
        """The robots, with these arrays as they are on the device; ``written``: they are changed here."""
        if self._device is not None:
            self._device.fetch(*names)
            if written:
                self._device.changed(*names)
        return self.robots

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
