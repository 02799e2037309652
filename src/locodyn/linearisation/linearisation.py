"""The linear system about a steady motion: matrices, modes, symmetries taken out, second-order form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from locodyn.dynamics.model import Model
from locodyn.errors import InputError, nearest
from locodyn.linearisation.minimal_coordinates import choose
from locodyn.robot.html import html_table
from locodyn.typing import Array

NEUTRAL = 1e-7  # real part of an eigenvalue, relative to the largest entry of A (or 1/s), that counts as zero
_COUPLING = 1e-8  # what a part may feel of the rest, relative to the largest entry, and still count as a system of its own


@dataclass(frozen=True, eq=False)
class Mode:
    """One eigenvalue (1/s), or a conjugate pair of them, with its shape.

    ``shape``: eigenvector (n,) over the states, its largest position (or state, where no position moves) 1; ``stability``:
    "stable", "neutral" or "unstable".
    """

    eigenvalue: complex
    shape: np.ndarray
    stability: str

    @property
    def oscillatory(self) -> bool:
        """Whether it swings; otherwise it grows or decays monotonously."""
        return self.eigenvalue.imag != 0.0

    @property
    def frequency(self) -> float:
        """Frequency of the oscillation, rad/s."""
        return abs(self.eigenvalue.imag)

    @property
    def damping(self) -> float:
        """Damping ratio: 1 aperiodic decay, 0 none, negative growth; 0 for the eigenvalue zero."""
        size = abs(self.eigenvalue)
        return -self.eigenvalue.real / size if size > 0.0 else 0.0

    def words(self) -> tuple[str, str]:
        """The eigenvalue and its kind, such as ``-0.3 ± 2.1 i`` and ``stable, oscillatory``."""
        real = 0.0 if self.stability == "neutral" else self.eigenvalue.real
        value = f"{real:+.9g}" + (f" ± {self.eigenvalue.imag:.9g} i" if self.oscillatory else "")
        return value, f"{self.stability}, {'oscillatory' if self.oscillatory else 'monotone'}"


@dataclass(frozen=True, eq=False)
class Measure:
    """How states are measured from the motion through (q, v).

    Parameters
    ----------
    model : Model
    q, v, memory : (nq,), (nv,), (nz,)
        The motion.
    rows : (n, 2 nv + nz)
        The states from displacements u (nv,), changes of velocities (nv,) and of the states of laws (nz,).
    spins : bool
        Whether velocities are seen in axes that do not spin with a body of revolution.
    """

    model: Model
    q: np.ndarray
    v: np.ndarray
    memory: np.ndarray
    rows: np.ndarray
    spins: bool = False

    def combined(self, matrix: np.ndarray) -> Measure:
        """That of the states ``matrix`` (m, n) x."""
        return replace(self, rows=matrix @ self.rows)

    def state(self, q: Array, v: Array, memory: Array | None, after: float) -> np.ndarray:
        """The states (n,), see :meth:`~locodyn.linearisation.linearisation.Linearisation.state`."""
        remembered = np.asarray(self.memory if memory is None else memory, dtype=float)
        parts = {"q": (np.asarray(q, dtype=float), self.q), "v": (np.asarray(v, dtype=float), self.v)}
        for name, (value, like) in {**parts, "memory": (remembered, self.memory)}.items():
            if value.shape != like.shape:
                raise InputError(f"{name} has the shape {value.shape}; robot '{self.model.compiled.name}' needs {like.shape}.")
        if after and self.spins:
            raise InputError("a body spins in axes of its own, so that the motion is not known later: leave out after=.")
        passed = self.model.move(self.q, after * self.v)
        displacement = self.model.difference(passed, self.model.normalised(q))
        found: np.ndarray = self.rows @ np.concatenate([displacement, parts["v"][0] - self.v, remembered - self.memory])
        return found


@dataclass(frozen=True, eq=False, repr=False)
class Linearisation:
    """xdot = A x + B w, out = C x + D w; x = (positions y, rates z, states of laws with memory), 0 on the motion.

    Parameters
    ----------
    A, B, C, D : (n, n), (n, inputs), (outputs, n), (outputs, inputs)
    mass : (n_z, n_z) mass matrix along the independent rates, at fixed constraints.
    position_names, rate_names, input_names, output_names : names of the states, inputs, outputs
        A coordinate of a body that moves in space or in the plane is a small displacement in its own axes.
    symmetries : (n, k)
        Changes of the state that change nothing later (place, heading, angle of a round wheel); :meth:`reduced` takes them out.
    defect : largest acceleration on the motion (1/s^2, lengths in units of the robot); 0 for a steady one.
    wander : the same a little later along the motion; 0 where the equations do not change along it.
    error : of A and C, relative to the largest entry, from two steps of the differences.
    q, v : the state.
    memory_names, memory : names of the states of laws with memory, and their values on the motion.
    measure : how :meth:`state` measures; None for a system that :func:`~locodyn.linearisation.linearise.linearise` has not made.
    """

    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray
    mass: np.ndarray
    position_names: tuple[str, ...]
    rate_names: tuple[str, ...]
    input_names: tuple[str, ...]
    output_names: tuple[str, ...]
    symmetries: np.ndarray
    defect: float
    wander: float
    error: float
    q: np.ndarray
    v: np.ndarray
    memory_names: tuple[str, ...] = ()
    memory: np.ndarray = field(default_factory=lambda: np.zeros(0))
    measure: Measure | None = None

    def __repr__(self) -> str:
        lines = [f"  {value:<32} {kind}" for value, kind in self._mode_words()]
        return "\n".join([self._title(), "  eigenvalue (1/s)", *lines])

    def _repr_html_(self) -> str:
        return html_table(("eigenvalue (1/s)", "kind"), self._mode_words(), title=self._title())

    def _title(self) -> str:
        n, inputs = len(self.A), ", ".join(self.input_names)
        driven = f", input{'' if len(self.input_names) == 1 else 's'} {inputs}" if inputs else ""
        found = f"; defect {self.defect:.1e}, error {self.error:.1e}"
        return f"Linearisation: {n} state{'' if n == 1 else 's'} ({', '.join(self.state_names)}){driven}{found}"

    def _mode_words(self) -> list[tuple[str, str]]:
        return [mode.words() for mode in self.modes()]

    @property
    def state_names(self) -> tuple[str, ...]:
        """Names of the n states."""
        return self.position_names + self.rate_names + self.memory_names

    @property
    def eigenvalues(self) -> np.ndarray:
        """All eigenvalues of A (n,), 1/s, the largest real part first."""
        values = np.linalg.eigvals(self.A) if len(self.A) else np.zeros(0)
        return values[np.lexsort((-values.imag, -values.real))]

    @property
    def scale(self) -> float:
        """The largest entry of A, at least 1: what "zero" is measured against."""
        return max(1.0, float(np.abs(self.A).max(initial=0.0)))

    def modes(self) -> list[Mode]:
        """Eigenvalues with their shapes, the least stable first; of a conjugate pair the one with positive imaginary part.

        Pairs that only round-off parts from zero are two modes that neither grow nor swing.
        """
        if not len(self.A):
            return []
        values, shapes = np.linalg.eig(self.A)
        found = []
        for k in np.lexsort((-values.imag, -values.real)):
            value, shape = complex(values[k]), np.asarray(shapes[:, k], dtype=complex)
            value = 0j if abs(value) <= NEUTRAL * self.scale else value
            if value.imag < 0.0:
                continue
            part = shape[: len(self.position_names)] if len(self.position_names) else shape
            part = part if np.abs(part).max(initial=0.0) > 1e-9 else shape
            found.append(Mode(value, shape / part[np.argmax(np.abs(part))], self.stability_of(value)))
        return found

    def stability_of(self, eigenvalue: complex) -> str:
        """ "stable", "neutral" or "unstable"."""
        zero = NEUTRAL * self.scale
        return "neutral" if abs(eigenvalue.real) <= zero else ("unstable" if eigenvalue.real > 0.0 else "stable")

    @property
    def is_stable(self) -> bool:
        """Whether every mode decays; take the symmetries out first (:meth:`reduced`)."""
        return all(self.stability_of(value) == "stable" for value in self.eigenvalues)

    def state(self, q: Array, v: Array, memory: Array | None = None, after: float = 0.0) -> np.ndarray:
        """The states x (n,) of a robot at (q, v), in the order of :attr:`state_names`; zero on the motion.

        A position says how far a joint is displaced from the motion, in its own axes, positive along its coordinate; a rate how
        much faster it moves along it. Own coordinates are their sums with their factors.

        Parameters
        ----------
        q, v : (nq,), (nv,)
            A state near the motion, on the constraints: of coordinates that these determine nothing is read.
        memory : (nz,), optional
            States of laws with memory; by default those of the motion.
        after : s
            Since the motion passed through :attr:`q`: it has gone on to q exp(after v).
        """
        if self.measure is None:
            raise InputError("this system does not know its robot; states are measured by one that linearise() has made.")
        return self.measure.state(q, v, memory, after)

    # ------------------------------------------------------------------------------------------------------------- parts
    def reduced(self) -> Linearisation:
        """The system without its symmetries: as many positions are dropped, and the others are measured relative to them."""
        n, k = self.symmetries.shape
        if k == 0:
            return self
        n_y = len(self.position_names)
        dropped = choose(self.symmetries[:n_y], 0, k)
        kept = [i for i in range(n) if i not in dropped]
        # Along a symmetry the kept states go with the dropped ones: x_kept - follow x_dropped is what matters.
        measure = np.eye(n)[kept]
        measure[:, dropped] = -self.symmetries[kept] @ np.linalg.inv(self.symmetries[dropped])
        return replace(
            self, A=measure @ self.A[:, kept], B=measure @ self.B, C=self.C[:, kept],
            position_names=tuple(self.position_names[i] for i in kept if i < n_y), symmetries=np.zeros((len(kept), 0)),
            measure=None if self.measure is None else self.measure.combined(measure),
        )  # fmt: skip

    def subsystem(self, names: Sequence[str]) -> Linearisation:
        """The part in these coordinates, their rates and states of laws; :class:`InputError` when it feels any other state."""
        states = self._states_of(names)
        rest = [i for i in range(len(self.A)) if i not in states]
        felt = np.abs(self.A[np.ix_(states, rest)])
        if felt.size and felt.max() > _COUPLING * self.scale:
            i, j = np.unravel_index(int(np.argmax(felt)), felt.shape)
            raise InputError(
                f"{', '.join(names)} do not form a closed system: '{self.state_names[states[i]]}' depends on"
                f" '{self.state_names[rest[j]]}' ({felt[i, j]:.3g}); take that one in too."
            )
        n_y = len(self.position_names)
        n_z = n_y + len(self.rate_names)
        positions, rates = [i for i in states if i < n_y], [i - n_y for i in states if n_y <= i < n_z]
        remembered = [i - n_z for i in states if i >= n_z]
        return replace(
            self, A=self.A[np.ix_(states, states)], B=self.B[states], C=self.C[:, states],
            mass=np.linalg.inv(np.linalg.inv(self.mass)[np.ix_(rates, rates)]) if rates else np.zeros((0, 0)),
            position_names=tuple(self.position_names[i] for i in positions),
            rate_names=tuple(self.rate_names[i] for i in rates), symmetries=np.zeros((len(states), 0)),
            memory_names=tuple(self.memory_names[i] for i in remembered), memory=self.memory[remembered],
            measure=None if self.measure is None else self.measure.combined(np.eye(len(self.A))[states]),
        )  # fmt: skip

    def _states_of(self, names: Sequence[str]) -> list[int]:
        for name in names:
            if name not in self.position_names + self.memory_names:
                raise InputError(f"there is no coordinate '{name}'{nearest(name, self.position_names + self.memory_names)}")
        wanted = [*names, *(f"rate of {name}" for name in names if f"rate of {name}" in self.rate_names)]
        return [self.state_names.index(name) for name in wanted]

    def second_order(self, names: Sequence[str] | None = None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(M, C, K) of M qdd + C qd + K q = forces, in the coordinates ``names`` (default: all positions).

        M is the mass matrix on the constraints; C and K hold springs, dampers, gyroscopic and constraint terms alike.
        :class:`InputError` when the coordinates do not form a closed system, or when a position has no rate of its own
        (a nonholonomic constraint determines it): such a system has no second-order form.
        """
        part = self.subsystem(self.position_names if names is None else names)
        n = len(part.position_names)
        missing = [name for name in part.position_names if f"rate of {name}" not in part.rate_names]
        if part.memory_names:
            raise InputError(f"there is no second-order form with '{part.memory_names[0]}', a state of a law; take A itself.")
        upper = np.hstack([np.zeros((n, n)), np.eye(n)])
        if missing or np.abs(part.A[:n] - upper).max(initial=0.0) > _COUPLING * self.scale:
            first = missing[0] if missing else part.position_names[int(np.argmax(np.abs(part.A[:n] - upper).max(axis=1)))]
            raise InputError(
                f"there is no second-order form with '{first}': its rate follows from other states; name the coordinates that"
                " move on their own."
            )
        return part.mass, -part.mass @ part.A[n:, n:], -part.mass @ part.A[n:, :n]
