"""Nonlinear programmes made of blocks: one small function that holds at many places, with exact sparse derivatives.

    minimise  sum_k f(z_k, p, c_k)     where     low <= g(z_k, p, c_k) <= high   for each place k of each block,
                                                 low <= L x <= high

z_k are some of the variables x, p parameters, c_k constants of a place. Jacobian and Hessian of a block are derived once, for one
place, and then evaluated at all of them: their cost does not grow with the number of places, and the sparsity is that of the
problem. Deriving the whole programme at once takes many times as long.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from locodyn.errors import InputError

_IPOPT = {"print_level": 0, "sb": "yes", "mu_strategy": "adaptive", "tol": 1e-8, "max_iter": 600}
# A point with its multipliers is kept by IPOPT only if nothing pushes it off its bounds.
_WARM = {"warm_start_init_point": "yes", "mu_strategy": "monotone", "mu_init": 1e-4} | {
    f"warm_start_{what}": 1e-8 for what in ("bound_push", "bound_frac", "slack_bound_push", "slack_bound_frac", "mult_bound_push")
}


def need_casadi() -> Any:
    """The module, or a sentence that says how to get it."""
    try:
        import casadi
    except ImportError:
        raise InputError("gait design needs CasADi; install it: pip install locodyn[symbolic].") from None
    return casadi


@dataclass(frozen=True)
class Block:
    """A function at several places.

    Parameters
    ----------
    inputs : symbols (SX) of z (n,), of the parameters, and of the constants of a place (may be empty)
    rows : (kind, SX) of the constraints, in order
    columns : (places, n)
        Which variables z is at each place.
    constants : (places, c)
    cost : SX, optional
        Added to the cost at each place.
    """

    inputs: tuple[Any, Any, Any]
    rows: Sequence[tuple[str, Any]]
    columns: np.ndarray
    constants: np.ndarray = field(default_factory=lambda: np.zeros((1, 0)))
    cost: Any = 0.0


@dataclass(frozen=True)
class Linear:
    """Linear rows as triplets: ``kinds`` (m,), and entries ``row``, ``column``, ``value``."""

    kinds: Sequence[str]
    row: np.ndarray
    column: np.ndarray
    value: np.ndarray


@dataclass(frozen=True)
class Outcome:
    """What IPOPT found. ``point``: variables, multipliers of bounds, of rows; ``missed`` (m,): by how much rows miss theirs."""

    success: bool
    status: str
    iterations: int
    point: tuple[np.ndarray, np.ndarray, np.ndarray]
    missed: np.ndarray


class _Mapped:
    """One block with its derivatives at all places, as functions of x and p."""

    def __init__(self, casadi: Any, block: Block, first_row: int) -> None:
        z, p, c = block.inputs
        self.columns, self.places = np.asarray(block.columns), len(block.columns)
        self.kinds = [kind for kind, row in block.rows for _ in range(casadi.SX(row).numel())]
        self.constants = casadi.DM(np.broadcast_to(block.constants, (self.places, c.numel())).T)
        # Parts that occur several times are found before anything is derived from them: poses of frames, above all.
        *_, cost = whole = casadi.vertsplit(casadi.cse(casadi.vertcat(*(row for _, row in block.rows), block.cost)))
        rows = casadi.vertcat(*whole[:-1])
        weight, factors = casadi.SX.sym("weight"), casadi.SX.sym("factors", rows.numel())
        lagrangian = weight * cost + casadi.dot(factors, rows)
        jacobian = casadi.jacobian(rows, z)
        hessian = casadi.triu(casadi.hessian(lagrangian, z)[0])
        self.has_cost = not cost.is_constant()

        def at_all(name: str, inputs: list[Any], outputs: list[Any], shared: list[int]) -> Any:
            one = casadi.Function(name, inputs, outputs, {"cse": True})
            return one.map(f"{name}s", "serial", self.places, shared, [])

        self.value = at_all("value", [z, p, c], [rows, cost], [1])
        self.jacobian = at_all("jacobian", [z, p, c], [rows, jacobian], [1])
        self.hessian = at_all("hessian", [z, p, c, weight, factors], [hessian], [1, 3])
        self.size = len(self.kinds) * self.places
        self.rows = slice(first_row, first_row + self.size)
        self.jacobian_places = self._entries(jacobian.sparsity(), first_row)
        self.hessian_places = self._pairs(hessian.sparsity())

    def _entries(self, sparsity: Any, first_row: int) -> tuple[np.ndarray, np.ndarray]:
        """Rows and columns in the whole programme of the nonzeros of the Jacobians, place after place."""
        local_row, local_column = (np.array(one, dtype=int) for one in sparsity.get_triplet())
        begins = first_row + len(self.kinds) * np.arange(self.places)
        return (begins[:, None] + local_row).ravel(), self.columns[:, local_column].ravel()

    def _pairs(self, sparsity: Any) -> tuple[np.ndarray, np.ndarray]:
        """Rows and columns of the nonzeros of the Hessians, in the upper triangle."""
        local_row, local_column = (np.array(one, dtype=int) for one in sparsity.get_triplet())
        one, two = self.columns[:, local_row].ravel(), self.columns[:, local_column].ravel()
        return np.minimum(one, two), np.maximum(one, two)

    def gather(self, casadi: Any, x: Any) -> Any:
        """z at all places, (n, places)."""
        return casadi.reshape(x[self.columns.ravel().tolist()], self.columns.shape[1], self.places)


class Program:
    """A programme of blocks and linear rows, solved by IPOPT.

    ``kinds`` (m,): names of the rows: block after block, in each place after place, then the linear ones.
    """

    def __init__(self, size: int, parameters: int, blocks: Sequence[Block], linear: Linear) -> None:
        casadi = self.casadi = need_casadi()
        self.size = size
        self.blocks: list[_Mapped] = []
        for block in blocks:
            first = self.blocks[-1].rows.stop if self.blocks else 0
            self.blocks.append(_Mapped(casadi, block, first))
        self.linear, self.first_linear = linear, self.blocks[-1].rows.stop
        self.kinds = [kind for one in self.blocks for _ in range(one.places) for kind in one.kinds] + list(linear.kinds)
        self.x, self.p = casadi.MX.sym("x", size), casadi.MX.sym("p", parameters)
        self.matrix = self._sparse(linear.row, linear.column, linear.value, (len(linear.kinds), size))
        self._functions()
        self._solvers: dict[bool, Any] = {}

    def _sparse(self, row: np.ndarray, column: np.ndarray, value: np.ndarray, shape: tuple[int, int]) -> Any:
        """A constant sparse matrix; entries at one place are added."""
        from scipy.sparse import csc_matrix

        matrix = csc_matrix((value, (row, column)), shape=shape)
        matrix.sum_duplicates()
        matrix.sort_indices()
        pattern = self.casadi.Sparsity(*shape, matrix.indptr.tolist(), matrix.indices.tolist())
        return self.casadi.DM(pattern, matrix.data)

    def _scattered(self, row: np.ndarray, column: np.ndarray, values: Any, shape: tuple[int, int]) -> Any:
        """The sparse matrix with these entries (MX); entries at one place are added."""
        order = np.unique(column * shape[0] + row, return_inverse=True)
        keys, places = order[0], np.ravel(order[1])
        begins = np.searchsorted(keys, shape[0] * np.arange(shape[1] + 1))
        pattern = self.casadi.Sparsity(*shape, begins.tolist(), (keys % shape[0]).tolist())
        added = self._sparse(places, np.arange(len(places)), np.ones(len(places)), (len(keys), len(places)))
        return self.casadi.MX(pattern, self.casadi.mtimes(added, values))

    def _functions(self) -> None:
        """Cost, rows and their derivatives as functions of x and p, in the form in which ``nlpsol`` takes them."""
        casadi, x, p = self.casadi, self.x, self.p
        count = len(self.kinds)
        rows, cost, entries, pairs = [], 0, [], []
        weight, factors = casadi.MX.sym("weight"), casadi.MX.sym("factors", count)
        for one in self.blocks:
            z = one.gather(casadi, x)
            own = casadi.reshape(factors[one.rows], len(one.kinds), one.places)
            values, costs = one.value(z, p, one.constants)
            rows.append(casadi.vec(values))
            entries.append(_nonzeros(casadi, one.jacobian(z, p, one.constants)[1]))
            pairs.append(_nonzeros(casadi, one.hessian(z, p, one.constants, weight, own)))
            if one.has_cost:
                cost = cost + casadi.sum2(costs)
        self.rows = casadi.vertcat(*rows, casadi.mtimes(self.matrix, x))
        self.cost = casadi.MX(cost)
        places = [np.concatenate(parts) for parts in zip(*(one.jacobian_places for one in self.blocks), strict=True)]
        row = np.concatenate([places[0], self.first_linear + self.linear.row])
        column = np.concatenate([places[1], self.linear.column])
        jacobian = self._scattered(row, column, casadi.vertcat(*entries, casadi.DM(self.linear.value)), (count, self.size))
        row, column = (np.concatenate(parts) for parts in zip(*(one.hessian_places for one in self.blocks), strict=True))
        hessian = self._scattered(row, column, casadi.vertcat(*pairs), (self.size, self.size))
        self.functions = {
            "jac_g": casadi.Function("nlp_jac_g", [x, p], [self.rows, jacobian]),
            "hess_lag": casadi.Function("nlp_hess_l", [x, p, weight, factors], [hessian]),
        }

    def _solver(self, warm: bool) -> Any:
        """IPOPT for cold or warm starts."""
        if warm not in self._solvers:
            options = {"ipopt": _IPOPT | (_WARM if warm else {}), "print_time": False, **self.functions}
            nlp = {"x": self.x, "p": self.p, "f": self.cost, "g": self.rows}
            self._solvers[warm] = self.casadi.nlpsol("gait", "ipopt", nlp, options)
        return self._solvers[warm]

    def solve(
        self, start: Any, parameters: np.ndarray, bounds: tuple[np.ndarray, np.ndarray], rows: Mapping[str, tuple[float, float]]
    ) -> Outcome:
        """A minimum near ``start``: variables (n,), or the point of a neighbour with its multipliers.

        ``bounds``: least and largest variables. ``rows``: least and largest value by kind; zero where a kind is not named.
        """
        warm = isinstance(start, tuple)
        if warm and not len(start[0]):
            raise InputError("a gait that was read from a file has no point from which a neighbour could start; solve it anew.")
        low, high = np.array([rows.get(kind, (0.0, 0.0)) for kind in self.kinds]).T
        begin = {"x0": start[0], "lam_x0": start[1], "lam_g0": start[2]} if warm else {"x0": start}
        solver = self._solver(warm)
        found = solver(**begin, p=parameters, lbx=bounds[0], ubx=bounds[1], lbg=low, ubg=high)
        stats, values = solver.stats(), np.asarray(found["g"]).ravel()
        point = tuple(np.asarray(found[name]).ravel() for name in ("x", "lam_x", "lam_g"))
        return Outcome(
            bool(stats["success"]), str(stats["return_status"]), int(stats["iter_count"]), point,  # type: ignore[arg-type]  # three arrays
            np.maximum(low - values, values - high),
        )  # fmt: skip


def _nonzeros(casadi: Any, matrix: Any) -> Any:
    """The nonzeros of a matrix, column by column, as a vector."""
    return casadi.reshape(matrix.nz[:], matrix.nnz(), 1) if matrix.nnz() else casadi.MX(0, 1)
