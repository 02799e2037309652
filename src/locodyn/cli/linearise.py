"""``locodyn linearise NAME``: the linear system about a steady motion, its modes, and stability along a parameter."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.cli import wide_console
from locodyn.cli.source import check_plot, names, parse, scenario_from
from locodyn.errors import InputError

if TYPE_CHECKING:
    from locodyn.files.reading import Reading
    from locodyn.linearisation import EigenvalueSweep, Linearisation, Mode
    from locodyn.sim import Scenario

_MOST_VALUES = 100_000


@dataclass(frozen=True)
class Request:
    """The options of one ``locodyn linearise``."""

    name: str
    settings: dict[str, str]
    at: float
    steady: bool
    keep: str | None
    coordinates: str | None
    only: str | None
    inputs: str | None
    spin: str | None
    sweep: str | None
    plot: Path | None
    quiet: bool
    reading: Reading | None = None
    unsteady: bool = False

    def execute(self) -> None:
        """Compute and print; draw the sweep."""
        if self.plot is not None and self.sweep is None:
            raise InputError("--plot draws a sweep; give --sweep KEY=FROM:TO:STEP too.")
        check_plot(self.plot)
        if not (math.isfinite(self.at) and self.at >= 0.0):
            raise InputError(f"--at is {self.at:g} s; it must be a time from 0 on.")
        if self.steady and self.unsteady:
            raise InputError("--steady and --unsteady contradict each other; give one of them.")
        if self.keep is not None and not self.steady:
            raise InputError("--keep says what --steady leaves alone; give --steady too.")
        if self.sweep is None:
            system = self.system({})
            if not self.quiet:
                print_linearisation(self.name, system)
            return
        key, values = sweep_values(self.sweep)
        found = self.swept(key, values)
        if not self.quiet:
            print_sweep(found)
        if self.plot is not None:
            from locodyn.view.eigenvalues import plot_eigenvalues

            written = plot_eigenvalues(found, self.plot)
            if not self.quiet:
                print(f"wrote {written}")

    def system(self, more: dict[str, Any]) -> Linearisation:
        """The linear system with further parameters, without symmetries."""
        from locodyn.linearisation import linearise, steady_motion
        from locodyn.sim.run import run_through

        scenario = self.scenario(more, quiet=bool(more))
        options: dict[str, Any] = {"t": self.at, "coordinates": _named(self.coordinates), "spin": _axes(self.spin)}
        q, v = scenario.initial_state()
        if self.at > 0.0:
            result = run_through(scenario.changed(t_end=self.at), progress=not self.quiet)
            if result.status != "completed":
                raise InputError(f"the run to t = {self.at:g} s {result.status}; there is no state to linearise about.")
            q, v = (np.atleast_1d(result.attributes[f"resume_{what}"]) for what in ("position", "velocity"))
        if self.steady:
            motion = steady_motion(scenario, q, v, keep=tuple(names(self.keep)), **options)
            q, v = motion.q, motion.v
        whole = linearise(scenario, q, v, inputs=tuple(names(self.inputs)), unsteady=self.unsteady, **options).reduced()
        return whole.subsystem(tuple(names(self.only))) if self.only else whole

    def scenario(self, more: dict[str, Any], quiet: bool = False) -> Scenario:
        """The scenario of the zoo or of a file, with further parameters."""
        return scenario_from(self.name, {**self.settings, **more}, self.reading, self.quiet or quiet)

    def swept(self, key: str, values: np.ndarray) -> EigenvalueSweep:
        """The sweep, with a bar."""
        from locodyn.linearisation import eigenvalue_sweep
        from locodyn.sim.progress import ProgressBar

        if key in self.settings:
            raise InputError(f"'{key}' is both set and swept; leave one out.")
        table = self.scenario({key: repr(float(values[0]))}).parameters
        unit = next((p.unit for p in table if key in (p.name, *p.aliases)), "")
        with ProgressBar(self.name, float(values[0]), float(values[-1]), not self.quiet) as bar:
            return eigenvalue_sweep(lambda x: self.system({key: repr(x)}), values, key, unit, bar.to)


def sweep_values(text: str) -> tuple[str, np.ndarray]:
    """The key and the values of ``KEY=FROM:TO:STEP``.

    >>> sweep_values("speed=0:1:0.25")
    ('speed', array([0.  , 0.25, 0.5 , 0.75, 1.  ]))
    """
    key, sign, numbers = text.partition("=")
    try:
        start, end, step = (float(part) for part in numbers.split(":"))
    except ValueError:
        start, end, step = np.nan, np.nan, np.nan
    if not sign or not key.strip() or not np.isfinite([start, end, step]).all() or step <= 0.0 or end <= start:
        raise InputError(f"--sweep {text} is not of the form KEY=FROM:TO:STEP with FROM < TO and STEP > 0.")
    if (end - start) / step > _MOST_VALUES:
        raise InputError(f"--sweep {text} asks for more than {_MOST_VALUES} values; take a larger step.")
    return key.strip(), start + step * np.arange(int((end - start) / step * (1.0 + 1e-12) + 1e-9) + 1)


def _named(text: str | None) -> Any:
    """``a,b`` as names; ``own=a,other=-b`` as coordinates with names and signs of their own."""
    if text is None or "=" not in text:
        return tuple(names(text)) or None
    found = parse([word for word in text.split(",")], "--coordinates")
    return {own: {name.lstrip("-"): -1.0 if name.startswith("-") else 1.0} for own, name in found.items()}


def _axes(text: str | None) -> dict[str, Any] | None:
    """``top=z`` as {"top": (0, 0, 1)}."""
    if text is None:
        return None
    axes = dict(zip("xyz", np.eye(3), strict=True))
    found = parse(text.split(","), "--spin")
    for body, axis in found.items():
        if axis not in axes:
            raise InputError(f"--spin {body}={axis} has no axis '{axis}'; it must be x, y or z.")
    return {body: axes[axis] for body, axis in found.items()}


def print_linearisation(name: str, system: Linearisation) -> None:
    """States, matrices and modes."""
    from rich.table import Table

    screen = wide_console()
    screen.print(f"[bold]{name}[/bold]: {len(system.A)} states without symmetries; derivatives to {system.error:.1g} (relative)")
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for heading in ("d/dt of", *system.state_names, *system.input_names):
        table.add_column(heading, justify="left" if heading == "d/dt of" else "right")
    for state, row, forces in zip(system.state_names, system.A, system.B, strict=True):
        table.add_row(state, *(f"{x:.7g}" for x in (*_cleaned(row, system.A), *_cleaned(forces, system.B))))
    screen.print(table)
    modes = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
    for heading in ("eigenvalue (1/s)", "kind", "frequency (rad/s)", "damping ratio", "largest part"):
        modes.add_column(heading)
    for mode in system.modes():
        words, kind = mode.words()
        frequency = f"{mode.frequency:.6g}" if mode.oscillatory else "-"
        modes.add_row(words, kind, frequency, f"{mode.damping:.4f}", _largest(system, mode))
    screen.print(modes)


def _cleaned(row: np.ndarray, matrix: np.ndarray) -> np.ndarray:
    """A row without what rounding leaves: entries below 1e-12 of the largest of the matrix are zero."""
    return np.where(np.abs(row) > 1e-12 * np.abs(matrix).max(initial=0.0), row, 0.0)


def _largest(system: Linearisation, mode: Mode) -> str:
    """The position that moves most in a mode, or the rate where none moves."""
    sizes = np.abs(mode.shape)
    count = len(system.position_names)
    moves = count and sizes[:count].max() > 1e-9 * sizes.max()
    return system.state_names[int(np.argmax(sizes[:count] if moves else sizes))]


def print_sweep(found: EigenvalueSweep) -> None:
    """Stability boundaries and stable ranges."""
    unit = f" {found.unit}" if found.unit else ""
    print(f"{len(found.values)} values of {found.name} from {found.values[0]:g} to {found.values[-1]:g}{unit}")
    for boundary in found.boundaries:
        print(
            f"{found.name} = {boundary.value:.12g}{unit}: a mode that is {boundary.kind}"
            f" ({boundary.eigenvalue.imag:.9g} rad/s) is unstable {boundary.unstable}"
        )
    for low, high in found.stable:
        print(f"no unstable mode from {low:.12g} to {high:.12g}{unit}")
    if not found.stable:
        print("unstable at every value")
