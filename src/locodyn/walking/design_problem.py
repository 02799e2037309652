"""The optimisation problem of a step, in CasADi.

Unknown are the Bezier coefficients alpha, theta+ and theta-, the step length, and at every Legendre-Gauss-Lobatto place s_k the
values b, b_s and b_ss of the curve, W = thetadot^2 and c = D thetaddot. Nothing is nested: the row that no actuator moves, the
growth of W and the impact are constraints, and nothing is divided by I(theta), 1 - delta^2 or a matrix, so that rough starts
converge too.

    b_k = alpha B(s_k), and its derivatives                             the curve, linear
    ID(q, q' sqrt(W), q' thetaddot + q'' W) = (u, 0),   q' = b_s / D, q'' = b_ss / D^2, D = theta- - theta+
    W_k = W_0 + 2 sum_j A_kj c_j,               linear;         length = speed T,     T = D sum w_k / sqrt(W_k)
    x(0) = mirror of x(1),                      linear;         momentum about the new foot is kept: n + 1 rows, no solve
    I_0^2 W_0 <= delta_max^2 I_n^2 W_n          so that delta^2 <= delta_max^2

Speed, gravity, friction, clearance, delta^2 and the mix of costs are parameters and the other limits are bounds, so that a family
of gaits is one build.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np
from numpy.polynomial import legendre

from locodyn.controllers.curves import Bezier
from locodyn.record import record
from locodyn.walking.block_program import Block, Linear, Program, need_casadi
from locodyn.walking.limits import pull
from locodyn.walking.quadrature import lobatto
from locodyn.walking.step_gait import Biped
from locodyn.walking.step_model import StepModel

# Units of the rows, so that all are of the size 1.
TORQUE, FORCE, HEIGHT, SPEED, MOMENTUM, ENERGY, COST, POWER = 50.0, 400.0, 0.1, 0.2, 10.0, 1000.0, 1000.0, 100.0
SLOPE, BEND = 3.0, 10.0  # of b_s and b_ss
SMOOTH = 1.0  # W, below which the absolute value of a power is rounded
TRANSPORT = 10.0  # factor of the transport cost, by which it is of the size 1
# What a design asks for: speed m/s, gravity along the floor and across it m/s^2, limits, share of the transport cost.
ASKED = record(speed=1, along=1, up=1, friction=1, clearance=1, delta=1, mix=1)


class Node(NamedTuple):
    """The robot at one place: torques of outputs and of the lean (zero), ground force, swing foot, momentum over thetadot,
    angles, sum of the sizes of the powers (rounded where they are small), and the powers of the outputs.
    """

    torque: Any
    rest: Any
    force: Any
    place: Any
    inertia: Any
    joints: Any
    power: Any
    powers: Any


class GaitProblem:
    """The programme of a step. ``columns``: where variables stand, by name; those at places as (count, n).

    ``powered``: with rows that limit the powers of the outputs.
    """

    def __init__(self, biped: Biped, degree: int, count: int, powered: bool = False) -> None:
        self.casadi, self.powered = need_casadi(), powered
        self.biped, self.degree, self.count = biped, degree, count
        self.s, self.weights, self.integrals = lobatto(count)
        self.basis = Bezier.basis(degree, self.s)
        self.p = self.casadi.SX.sym("p", ASKED.size)
        along, up = biped.axes.T
        self.model = StepModel(biped, [self.p[ASKED.along] * x + self.p[ASKED.up] * y for x, y in zip(along, up, strict=True)])
        self.n = n = len(biped.outputs)
        shapes = {"alpha": (degree + 1, n), "ends": (2,), "length": (1,), "b": (count, n), "bs": (count, n), "bss": (count, n),
                  "w": (count, 1), "c": (count, 1)}  # fmt: skip
        first, self.columns = 0, {}
        for name, shape in shapes.items():
            size = int(np.prod(shape))
            self.columns[name] = first + np.arange(size).reshape(shape)
            first += size
        self.size = first
        self.order = self.mirror()
        self._mapped: dict[int, Any] = {}  # the robot at several places, by their number
        blocks = [self._path_block(), self._swing_block(), self._impact_block(), self._time_block()]
        self.program = Program(first, ASKED.size, blocks, self._linear())

    # --------------------------------------------------------------------------------------------------------------- motion
    def _joints(self, values: Any, whole: Any) -> np.ndarray:
        """Outputs and the lean that gives the phase variable the value ``whole``, of angles or their derivatives."""
        casadi, biped = self.casadi, self.biped
        factors = casadi.DM([biped.phase.get(name, 0.0) for name in biped.outputs])
        lean = (whole - casadi.dot(factors, values)) / biped.phase[biped.leaning]
        return np.array([*casadi.vertsplit(values), lean], dtype=object)

    def _moving(self, b: Any, bs: Any, w: Any, theta: Any, span: Any) -> tuple[np.ndarray, ...]:
        """Angles x and x' (n + 1,), positions q (nq,), rates of angles (n + 1,) and v (nv,)."""
        x, first = self._joints(b, theta), self._joints(bs / span, 1.0)
        q, pace = self.model.positions(x), self.casadi.sqrt(w)
        rates = np.array([one * pace for one in first], dtype=object)  # one by one: with a symbol it would be a CasADi matrix
        return x, first, q, rates, self.model.rates(q, rates)

    def _symbols(self) -> tuple[Any, ...]:
        """Symbols of b, b_s, b_ss, W, c, (theta+, theta-), length, and of s, its weight and the shape of the clearance."""
        sx, n = self.casadi.SX.sym, self.n
        sizes = {"b": n, "bs": n, "bss": n, "w": 1, "c": 1, "ends": 2, "length": 1, "place": 2}
        return tuple(sx(name, size) for name, size in sizes.items())

    def _node(self, b: Any, bs: Any, bss: Any, w: Any, c: Any, theta: Any, span: Any) -> Node:
        """The robot at one place."""
        column, model, biped = self.casadi.vertcat, self.model, self.biped
        x, first, q, rates, v = self._moving(b, bs, w, theta, span)
        second, a = self._joints(bss / span**2, 0.0), c / span
        turned = np.array([one * a + two * w for one, two in zip(first, second, strict=True)], dtype=object)
        torque, force = model.forces(q, v, model.accelerations(q, v, turned))
        power = sum(self.casadi.sqrt((torque[i] * rates[i]) ** 2 + SMOOTH**2) for i in range(self.n))
        inertia = model.momentum(q, model.rates(q, first))
        place = column(*model.foot(biped.swing, q))
        each = column(*(torque[i] * rates[i] for i in range(self.n)))
        return Node(column(*torque[: self.n]), torque[self.n], column(*force), place, inertia, column(*x), power, each)

    # --------------------------------------------------------------------------------------------------------------- blocks
    def _path_block(self) -> Block:
        """Dynamics, ground and cost at every place."""
        casadi = self.casadi
        b, bs, bss, w, c, ends, length, place = self._symbols()
        span = ends[1] - ends[0]
        theta = ends[0] + place[0] * span
        node = self._node(b, bs, bss, w, c, theta, span)
        self._at_places = casadi.Function(
            "node", [b, bs, bss, w, c, ends, place[0], self.p], [casadi.densify(one) for one in node], {"cse": True}
        )
        rows: list[tuple[str, Any]] = [("free", node.rest / TORQUE)]
        rows += [(f"torque {name}", node.torque[i] / TORQUE) for i, name in enumerate(self.biped.outputs)]
        if self.powered:
            rows += [(f"power {name}", node.powers[i] / POWER) for i, name in enumerate(self.biped.outputs)]
        rows.append(("normal", node.force[1] / FORCE))
        rows += [("cone", (side * node.force[0] - self.p[ASKED.friction] * node.force[1]) / FORCE) for side in (1.0, -1.0)]
        rows += [("inertia", node.inertia / MOMENTUM), ("lean", node.joints[-1])]
        time = place[1] * span / casadi.sqrt(w)
        effort, transport = (time / length * one for one in (casadi.sumsqr(node.torque), node.power / self.weight))
        mix = self.p[ASKED.mix]
        cost = (1.0 - mix) * effort / COST + mix * TRANSPORT * transport
        at = self.columns
        ends_of = np.tile(np.concatenate([at["ends"], at["length"]]), (self.count, 1))
        columns = np.hstack([at["b"], at["bs"], at["bss"], at["w"], at["c"], ends_of])
        z = casadi.vertcat(b, bs, bss, w, c, ends, length)
        return Block((z, self.p, place), rows, columns, np.column_stack([self.s, self.weights]), cost)

    def _swing_block(self) -> Block:
        """Height of the swing foot between the ends."""
        casadi = self.casadi
        b, _, _, _, _, ends, _, place = self._symbols()
        theta = ends[0] + place[0] * (ends[1] - ends[0])
        height = self.model.foot(self.biped.swing, self.model.positions(self._joints(b, theta)))[1]
        rows = [("height", (height - self.p[ASKED.clearance] * place[1]) / HEIGHT)]
        s, at = self.s[1:-1], self.columns
        columns = np.hstack([at["b"][1:-1], np.tile(at["ends"], (len(s), 1))])
        return Block((casadi.vertcat(b, ends), self.p, place), rows, columns, np.column_stack([s, 4.0 * s * (1.0 - s)]))

    def _impact_block(self) -> Block:
        """Impact, landing and leaving, stability, from the two ends of the step."""
        casadi, model, biped, order = self.casadi, self.model, self.biped, self.order
        ends, length = casadi.SX.sym("ends", 2), casadi.SX.sym("length")
        span, parts, moving = ends[1] - ends[0], [], []
        for k in range(2):
            b, bs, _, w, *_ = self._symbols()
            parts += [b, bs, w]
            moving.append((*self._moving(b, bs, w, ends[k], span), w))
        (_, first, q, after, v, w0), (_, last_first, last_q, before, last_v, w1) = moving
        carried = [biped.rates[name] for name in biped.carried]
        change = model.spread(after, v[carried]) - model.spread(before[order], last_v[carried])
        left, impulse = model.impulse(q, change)
        rows: list[tuple[str, Any]] = [("impact", casadi.vertcat(*left) / MOMENTUM), ("impulse", impulse[1] / MOMENTUM)]
        friction = self.p[ASKED.friction]
        rows += [("impact cone", (side * impulse[0] - friction * impulse[1]) / MOMENTUM) for side in (1.0, -1.0)]
        place = model.foot(biped.swing, last_q)
        rows += [("landing", place[1] / HEIGHT), ("length", place[0] - length)]
        rows += [("touchdown", model.foot_motion(biped.swing, last_q, last_v)[0][1] / SPEED)]
        rows += [("lift-off", model.foot_motion(biped.swing, q, v)[0][1] / SPEED)]
        inertia = [model.momentum(at, model.rates(at, one)) for at, one in ((q, first), (last_q, last_first))]
        rows.append(("delta", (inertia[0] ** 2 * w0 - self.p[ASKED.delta] * inertia[1] ** 2 * w1) / ENERGY))
        at = self.columns
        columns = [at[name][k] for k in (0, -1) for name in ("b", "bs", "w")]
        z = casadi.vertcat(*parts, ends, length)
        return Block(
            (z, self.p, casadi.SX(0, 1)), rows, np.concatenate([*columns, at["ends"], at["length"]])[None], np.zeros((1, 0))
        )

    def _time_block(self) -> Block:
        """The speed of walking."""
        casadi = self.casadi
        ends, length, w = casadi.SX.sym("ends", 2), casadi.SX.sym("length"), casadi.SX.sym("w", self.count)
        duration = (ends[1] - ends[0]) * casadi.dot(casadi.DM(self.weights), 1.0 / casadi.sqrt(w))
        columns = np.concatenate([self.columns["ends"], self.columns["length"], self.columns["w"].ravel()])[None]
        rows = [("speed", length - self.p[ASKED.speed] * duration)]
        return Block((casadi.vertcat(ends, length, w), self.p, casadi.SX(0, 1)), rows, columns, np.zeros((1, 0)))

    # --------------------------------------------------------------------------------------------------------------- linear
    def _linear(self) -> Linear:
        """The curve at the places, how W grows, and the mirror image at the beginning."""
        at = self.columns
        kinds: list[str] = []
        entries: list[tuple[int, int, float]] = []

        def add(kind: str, columns: Any, values: Any) -> None:
            entries.extend((len(kinds), int(column), float(value)) for column, value in zip(columns, values, strict=True))
            kinds.append(kind)

        for name, basis, unit in zip(("b", "bs", "bss"), self.basis, (1.0, SLOPE, BEND), strict=True):
            for k in range(self.count):
                for i in range(self.n):
                    add("curve", [at[name][k, i], *at["alpha"][:, i]], np.array([1.0, *-basis[:, k]]) / unit)
        for k in range(1, self.count):
            add("growth", [at["w"][k, 0], at["w"][0, 0], *at["c"][:, 0]], [1.0, -1.0, *(-2.0 * self.integrals[k])])
        for j, image in enumerate(self.order):
            (columns, values), (others, minus) = self._angle(j, 0), self._angle(image, -1)
            add("mirror", [*columns, *others], [*values, *(-one for one in minus)])
        row, column, value = (np.array(part) for part in zip(*entries, strict=True))
        return Linear(kinds, row, column, value)

    def _angle(self, j: int, k: int) -> tuple[list[int], list[float]]:
        """Joint j (outputs, lean) at the first (k = 0) or last place (-1) as a sum of variables: columns and factors."""
        if j < self.n:
            return [int(self.columns["b"][k, j])], [1.0]
        weights, own = self.biped.phase, self.biped.phase[self.biped.leaning]
        factors = [-weights.get(name, 0.0) / own for name in self.biped.outputs]
        return [int(self.columns["ends"][k]), *map(int, self.columns["b"][k])], [1.0 / own, *factors]

    def mirror(self) -> list[int]:
        """For each joint (outputs, lean) the place of its mirror image."""
        mirror = self.biped.hybrid.phases.mirror
        assert mirror is not None
        pairs = {**mirror.pairs, **{two: one for one, two in mirror.pairs.items()}}
        joints = [*self.biped.outputs, self.biped.leaning]
        return [joints.index(pairs.get(name, name)) for name in joints]

    # ------------------------------------------------------------------------------------------------------------- solution
    @property
    def weight(self) -> float:
        """m g, N."""
        return float(self.biped.hybrid.model.compiled.total_mass) * pull(self.biped.hybrid)

    def costs(self, x: np.ndarray, parameters: np.ndarray, fine: Node) -> tuple[float, float]:
        """int u^2 dt / length, (N m)^2 s/m, and int |P| dt / (m g length).

        The first by the rule of the programme. The second from the nodes ``fine`` by the trapezoidal rule, because the programme
        rounds |P| where P is small: by up to 1 W for each actuator, which is too much where they rest.
        """
        node = self._nodes(x, parameters, self.s, *(x[self.columns[name]].T for name in ("b", "bs", "bss", "w", "c")))
        begin, end = x[self.columns["ends"]]
        times = (end - begin) * self.weights / np.sqrt(x[self.columns["w"].ravel()]) / x[self.columns["length"]]
        s, through, _ = self._grid(fine.powers.shape[1])
        power = np.abs(fine.powers).sum(axis=0) / np.sqrt(through @ x[self.columns["w"].ravel()])
        work = (end - begin) * float(np.trapezoid(power, s)) / (self.weight * float(x[self.columns["length"][0]]))
        return float(times @ np.sum(node.torque**2, axis=0)), work

    def fine(self, x: np.ndarray, parameters: np.ndarray, count: int) -> tuple[np.ndarray, Node]:
        """Places s (count,) and the robot there, each entry of the node as (..., count), for the solution x."""
        at = self.columns
        s, through, bases = self._grid(count)
        curve = [x[at["alpha"]].T @ basis for basis in bases]
        return s, self._nodes(x, parameters, s, *curve, *((through @ x[at[name]]).T for name in ("w", "c")))

    @functools.lru_cache(maxsize=2)  # noqa: B019  a problem lives as long as its design
    def _grid(self, count: int) -> tuple[np.ndarray, np.ndarray, tuple[np.ndarray, ...]]:
        """Places s, the matrix that interpolates from the Lobatto places to them, and the Bezier polynomials there."""
        s = np.linspace(0.0, 1.0, count)
        values = [legendre.legvander(2.0 * one - 1.0, self.count - 1) for one in (s, self.s)]
        return s, values[0] @ np.linalg.inv(values[1]), Bezier.basis(self.degree, s)

    def _nodes(self, x: np.ndarray, parameters: np.ndarray, s: np.ndarray, *values: np.ndarray) -> Node:
        """The robot at the places s (k,) with these values of b, b_s, b_ss, W and c, each (..., k)."""
        if len(s) not in self._mapped:
            self._mapped[len(s)] = self._at_places.map("nodes", "serial", len(s), [5, 7], [])
        found = self._mapped[len(s)](*values, x[self.columns["ends"]], s[None], parameters)
        return Node(*(np.asarray(one) for one in found))
