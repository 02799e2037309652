"""How contacts share the load at an instant: all ways to do it, and what each means for the stress in the body.

The motion asks for a resultant F_c along the coordinates that no actuator drives (Ali 2011, (5.42)); forces lambda of the rows
give it where A lambda = F_c, A = J_E^T (6.38), (6.52). Where there are more rows than needed, lambda = A^+ F_c + Z y: the second
part, static, changes the stress but not the motion (7.3). A run takes the first part with the weights and static loads of its
scenario; here are the others, from the same rows:

* :meth:`Reactions.smallest`: the smallest norm, weighted (equal sharing, where rows are alike), as runs share. Couples count
  there over a length of the robot, so that N m compare with N and the unit of length does not matter;
* :meth:`Reactions.least_moment`: the least internal moment over the rods, in the mean square, whatever the forces;
* :meth:`Reactions.largest_moments`: what each of these means for the strength of the body, and without contacts;
* :meth:`Reactions.one_sided`: the smallest norm of forces that only push; or that there are none such. Over a run, :func:`pulls`
  tells when and where contacts would let go; :func:`shared` has the forces of other weights and loads, which change in time.

With ``torque_method="min_torque"`` a run takes the second at its records (:func:`share_least_moments`). Forces of smallest norm
do not spare the body: however many contacts there are, the largest moment levels off at about half of that without any (7.2).
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from locodyn.errors import InputError, nearest
from locodyn.locomotion.problem import Problem
from locodyn.locomotion.record import row_names
from locodyn.locomotion.rod_contacts import looking
from locodyn.locomotion.row_solver import kernel_of, rank_of
from locodyn.motion.base import Law, finite, positive
from locodyn.sim.contract import places_along
from locodyn.sim.rod_fields import projected_moments, rod_moments
from locodyn.typing import Array

if TYPE_CHECKING:
    import xarray

    from locodyn.sim.result import Result

_FOLLOW = ("multiplier", "contact_force", "joint_torque", "power_actuators")  # what the sharing changes, or could
_ENDS = np.linspace(0.0, 1.0, 13)  # of panels of a rod without contacts, over its length
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(4)  # of each
_FEASIBLE = 1e-9  # of the largest load: what one-sided forces may miss


def least_distance(matrix: np.ndarray, least: np.ndarray) -> np.ndarray | None:
    """y (n,) of smallest norm with ``matrix`` (m, n) y >= ``least`` (m,); None where there is none.

    Algorithm LDP of Lawson and Hanson (1974, 23.4): the residual r of the non-negative least-squares problem (G, h)^T u = (0, 1)
    is zero where no y obeys, and else y = -r_1..n / r_n+1. It ends after finitely many steps at the exact set of active rows.
    """
    from scipy.optimize import nnls

    system, right = np.vstack([matrix.T, least]), np.append(np.zeros(matrix.shape[1]), 1.0)
    rest = system @ nnls(system, right)[0] - right
    if -rest[-1] <= _FEASIBLE:  # r_n+1 = -|r|^2
        return None
    found: np.ndarray = -rest[:-1] / rest[-1]
    return found


class Reactions:
    """Forces of the rows of a problem at the time t (s) and the state q (nq,), v (nv,), which is settled first.

    ``names`` (m,): of the rows that carry a force; ``places`` {name: m}: abscissas of contacts on rods.
    """

    def __init__(self, problem: Problem, t: float, q: Array, v: Array) -> None:
        if not problem.constraints.rows:
            raise InputError(f"robot '{problem.model.compiled.name}' has no contacts or loops whose forces could be shared.")
        self.problem, self.t = problem, float(t)
        self.q, self.v = problem.imposed_state(self.t, np.asarray(q, dtype=float), np.asarray(v, dtype=float))
        self._forces = problem.series(np.array([self.t]), self.q[None], self.v[None])["multiplier"][0]
        arrays, numbers = problem.constraints.arrays, {row.name: m for m, row in enumerate(problem.constraints.rows)}
        self.names = tuple(row_names(problem)["constraint"])
        rows = [numbers[name] for name in self.names]
        self.matrix = (arrays.jacobian[rows] * arrays.units).T  # A (e, m), with units
        self._scale = arrays.sharing.weights[arrays.group[rows]].copy()  # (m,), as in runs: a length for couples
        self._tolerance = float(arrays.rank_tolerance)
        own = arrays.rod_contacts
        contacts = [one.contact.name for one in problem.model.compiled.rod_contacts]
        self.places = {} if own is None else dict(zip(contacts, own.abscissa.tolist(), strict=True))
        self._held = np.zeros(0) if own is None else np.clip(own.abscissa / own.length, 0.0, 1.0)  # over the lengths

    @cached_property
    def singular_values(self) -> np.ndarray:
        """Of A, couples over a length, largest first; the last of :attr:`rank` says how well the forces are determined."""
        return np.linalg.svd(self.matrix * self._scale, compute_uv=False)

    @property
    def rank(self) -> int:
        """Number of independent forces."""
        return rank_of(self.singular_values, self._tolerance)

    @cached_property
    def static(self) -> np.ndarray:
        """Z (m, m - rank): loads that cancel each other, orthonormal columns."""
        return kernel_of(self.matrix, self._tolerance)

    @cached_property
    def resultant(self) -> np.ndarray:
        """F_c (e,): what the motion needs along the free coordinates, times the units of these (J)."""
        found: np.ndarray = self.matrix @ self._forces
        return found

    def smallest(self, weights: Mapping[str, float] | None = None, static: Mapping[str, float] | None = None) -> np.ndarray:
        """(m,) N or N m: smallest norm, couples over a length of the robot; a row with a larger weight takes more.

        ``weights`` come on top of those of the scenario. ``static``: N or N m, a loading of rows beside which the rest is
        smallest; what of it changes the motion is given back.
        """
        scale, loading = self._scale.copy(), np.zeros(len(self.names))
        for name, weight in (weights or {}).items():
            scale[self._row(name)] *= positive(weight, f"at t = {self.t:g} s the weight of '{name}'")
        for name, load in (static or {}).items():
            loading[self._row(name)] = finite(load, f"at t = {self.t:g} s the static load of '{name}'")
        rest = self.resultant - self.matrix @ loading
        found: np.ndarray = loading + scale * (np.linalg.pinv(self.matrix * scale, rcond=self._tolerance) @ rest)
        return found

    def least_moment(self) -> np.ndarray:
        """(m,) N or N m: the mean square of the internal moments of the rods is least."""
        start = self.smallest()
        if not self.static.shape[1]:
            return start
        at, weight = self._between()
        root = np.sqrt(weight)[:, None]
        moments = root * self.moments(start, at)
        columns = np.column_stack([(root * self.moments(start + load, at) - moments).ravel() for load in self.static.T])
        change = np.linalg.lstsq(columns, -moments.ravel(), rcond=None)[0]
        found: np.ndarray = start + self.static @ change
        return found

    def _between(self) -> tuple[np.ndarray, np.ndarray]:
        """Places over the lengths of the rods, and weights, of integrals along them: between contacts, where forces jump, all
        is smooth. Places at equal distances would leave moments between two of them open, where contacts are as close."""
        ends = np.unique(np.concatenate([_ENDS, self._held]))
        half = 0.5 * np.diff(ends)
        at = (ends[:-1] + half)[:, None] + half[:, None] * _NODES
        return at.ravel(), (half[:, None] * _WEIGHTS).ravel()

    def moments(self, forces: Array, at: Array | None = None) -> np.ndarray:
        """Internal moments (rods, s, 3), N m, in the axes of the sections, under these forces (m,).

        ``at`` (s,): places over the lengths of the rods; those of records by default.
        """
        places = places_along(self.problem.model.compiled) if at is None else np.asarray(at, dtype=float)
        return rod_moments(self.problem, self.t, self.q, self.v, np.asarray(forces, dtype=float), places)

    def largest_moments(self) -> dict[str, float]:
        """Largest internal moment (N m) of the rods by how the load is shared: the bounds of Ali 2011, 7.2.

        ``clamped``: no contact but a hand that guides the reference body, the torque of the equivalent manipulator; ``smallest``:
        the forces of smallest norm, as in a run; ``least``: the least moments that these contacts can give; ``projected``: the
        ground holds every section and takes its lateral inertia where it arises (:meth:`projected`); left out where a rod carries
        more than itself.
        """
        ways = {"clamped": np.zeros(len(self.names)), "smallest": self.smallest(), "least": self.least_moment()}
        at = np.unique(np.concatenate([places_along(self.problem.model.compiled), self._between()[0], self._held]))
        found = {name: self.moments(forces, at) for name, forces in ways.items()}
        with suppress(InputError):
            found["projected"] = self.projected(at)
        return {name: float(np.linalg.norm(moments, axis=-1).max()) for name, moments in found.items()}

    def projected(self, at: Array | None = None) -> np.ndarray:
        """Internal moments (rods, s, 3), N m, where the ground holds every section: the projected torques of Ali 2011, 7.2.

        They are those of rotary inertia alone on a body that does not shear. No set of points holds a body like that: a moment
        is left at its root (:mod:`locodyn.sim.rod_projection`).
        """
        places = places_along(self.problem.model.compiled) if at is None else np.asarray(at, dtype=float)
        return projected_moments(self.problem, self.t, self.q, self.v, places)

    # --------------------------------------------------------------------------------------------------------- one-sided
    def one_sided(self, signs: Mapping[str, int]) -> np.ndarray:
        """(m,) N or N m: smallest norm with forces of the named rows of this sign, +1 or -1.

        :class:`InputError` where the motion needs a pull: it tells which, where and how much.
        """
        found = self._pushing(signs)
        if found is None:
            raise InputError(self._lost(self.pulling(signs)))
        return found

    def can_push(self, signs: Mapping[str, int]) -> bool:
        """Whether there are forces with these signs."""
        return self._pushing(signs) is not None

    def _pushing(self, signs: Mapping[str, int]) -> np.ndarray | None:
        start, rows = self.smallest(), [self._row(name) for name in signs]
        size = float(np.abs(start).max(initial=0.0)) or 1.0
        directions = np.array([float(sign) for sign in signs.values()])
        # lambda = start + S Z y has the smallest norm where y has, since S^-1 start is orthogonal to Z, the kernel of A S.
        loads = self._scale[:, None] * kernel_of(self.matrix * self._scale, self._tolerance)
        change = least_distance(directions[:, None] * loads[rows], -directions * start[rows] / size)
        if change is None:
            return None
        found: np.ndarray = start + size * (loads @ change)
        return found

    def pulling(self, signs: Mapping[str, int], forces: Array | None = None) -> dict[str, float]:
        """{row: N or N m} of the named rows whose force has the other sign; by default those of the smallest norm."""
        acting = self.smallest() if forces is None else np.asarray(forces, dtype=float)
        found = {name: float(acting[self._row(name)]) for name in signs}
        return {name: force for name, force in found.items() if force * signs[name] < 0.0}

    def _lost(self, pulls: Mapping[str, float]) -> str:
        if not pulls:
            return f"no forces that only push give the motion at t = {self.t:g} s, in these directions."
        name = max(pulls, key=lambda one: abs(pulls[one]))
        place = self.places.get(name.rsplit(".", 1)[0])
        where = "" if place is None else f" at s = {place:.4g} m"
        return (
            f"the contact '{name}'{where} would have to pull with {abs(pulls[name]):.3g} N (or N m) at t = {self.t:g} s, and no"
            " other contact can make up for it: it would let go."
        )

    def _row(self, name: str) -> int:
        if name not in self.names:
            raise InputError(f"there is no contact row '{name}'{nearest(name, self.names)}")
        return self.names.index(name)


class Pull(NamedTuple):
    """A contact that would let go: at ``time`` (s), the row ``name``, its ``place`` on its rod (m), the ``force`` (N or N m)."""

    time: float
    name: str
    place: float
    force: float


def pulls(result: Result, signs: Mapping[str, int], *, shared: bool = False) -> list[Pull]:
    """When and where contacts of a run would have to pull, if they can only push: at its records, in the order of time.

    A pull that begins and ends between two records is not seen, and one that is seen may have begun up to a record earlier:
    ``record_every=1`` and a smaller step look closer.

    Parameters
    ----------
    result : Result
        Of a run in memory.
    signs : {row: +1 or -1}
        The side to which each contact pushes, such as ``{"sleeve_1.y": 1}``.
    shared : bool
        False: by the forces of the run. True: by the best that the contacts can do, so that an instant counts only where no way
        of sharing the load does without a pull; what is told is then what the smallest norm asks for.
    """
    q, v = result.states()
    assert result.scenario is not None
    problem, times, found = result.scenario.problem, result.time.values, []
    names = [str(name) for name in result.dataset["constraint"].values]
    for n, t in enumerate(times):
        with looking(problem):
            own = Reactions(problem, float(t), q[n], v[n])
            if shared and own.can_push(signs):
                continue
            forces = None if shared else result.multiplier.values[n][[names.index(name) for name in own.names]]
            size = _FEASIBLE * float(np.abs(own.smallest()).max(initial=0.0))
            for name, force in own.pulling(signs, forces).items():
                if abs(force) > size:
                    found.append(Pull(float(t), name, own.places.get(name.rsplit(".", 1)[0], np.nan), force))
    return found


def shared(
    result: Result, weights: Mapping[str, float | Law] | None = None, static: Mapping[str, float | Law] | None = None
) -> xarray.DataArray:
    """Forces of the rows (time, constraint), N or N m, at the records of a run by another hypothesis, which may change in time.

    ``weights``, ``static``: as of :meth:`Reactions.smallest`, numbers or laws of time by the name of the row. The motion stays
    as it is, and :meth:`Reactions.moments` has what the forces mean for the body.
    """
    q, v = result.states()
    assert result.scenario is not None
    problem, found = result.scenario.problem, result.multiplier.copy(deep=True)
    places = [str(name) for name in found.constraint.values]

    def at(t: float, rule: Mapping[str, float | Law] | None) -> dict[str, float]:
        return {name: float(value(t)) if isinstance(value, Law) else value for name, value in (rule or {}).items()}

    with looking(problem):
        for n, t in enumerate(result.time.values):
            own = Reactions(problem, float(t), q[n], v[n])
            forces = own.smallest(at(float(t), weights), at(float(t), static))
            found.values[n, [places.index(name) for name in own.names]] = forces
    return found


def share_least_moments(
    problem: Problem, times: np.ndarray, q: np.ndarray, v: np.ndarray, memory: np.ndarray, series: dict[str, np.ndarray]
) -> None:
    """Put the forces with the least moments, and what follows from them, into the ``series`` of N records.

    They are given to the rows as a loading: what is left for the smallest norm to share is then nothing.
    """
    rows = problem.constraints.arrays
    if rows is None:
        return
    loading = rows.sharing.static
    numbers = {row.name: m for m, row in enumerate(problem.constraints.rows)}
    kept = loading.copy()
    try:
        with looking(problem):
            for n, t in enumerate(times):
                loading[:] = kept
                own = Reactions(problem, float(t), q[n], v[n])
                if not own.static.shape[1]:
                    continue
                loading[[rows.group[numbers[name]] for name in own.names]] = own.least_moment()
                one = problem.series(times[n : n + 1], q[n : n + 1], v[n : n + 1], memory[n : n + 1])
                for name in set(_FOLLOW) & set(series):
                    series[name][n] = one[name][0]
    finally:
        loading[:] = kept
