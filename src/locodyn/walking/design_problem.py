"""The optimisation problem of a step, in CasADi.

Unknown are the Bezier coefficients alpha, theta+ and theta-, and at every Legendre-Gauss-Lobatto place s_k the values b, b_s and
b_ss of the curve, W = thetadot^2 and a = thetaddot. Nothing is nested: the row that no actuator moves, the growth of W and the
impact are constraints, and nothing is divided by I(theta), 1 - delta^2 or a matrix, so that rough starts converge too.

    b_k = alpha B(s_k), and its derivatives                             the curve, linear
    ID(q, q' sqrt(W), q' a + q'' W) = (u, 0),   q' = b_s / D, q'' = b_ss / D^2, D = theta- - theta+
    W_k = W_0 + 2 D sum_j A_kj a_j,             T = D sum w_k / sqrt(W_k),       length = speed T
    x(0) = mirror of x(1),                      momentum about the new foot is kept: n + 1 rows, no solve
    I_0^2 W_0 <= delta_max^2 I_n^2 W_n          so that delta^2 <= delta_max^2

Speed, gravity, friction, clearance, delta^2 and the mix of costs are parameters and the other limits are bounds, so that a family
of gaits is one build.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.polynomial import legendre

from locodyn.controllers.curves import Bezier
from locodyn.walking.quadrature import lobatto
from locodyn.walking.step_gait import Biped
from locodyn.walking.step_model import StepModel, need_casadi

# Units of the rows, so that all are of the size 1.
TORQUE, FORCE, HEIGHT, SPEED, MOMENTUM, ENERGY, COST = 50.0, 400.0, 0.1, 0.2, 10.0, 1000.0, 1000.0
SLOPE, BEND = 3.0, 10.0  # of b_s and b_ss
SMOOTH = 1.0  # W, below which the absolute value of a power is rounded
TRANSPORT = 10.0  # factor of the transport cost, by which it is of the size 1
SPEED_P, ALONG_P, UP_P, FRICTION_P, CLEARANCE_P, DELTA_P, MIX_P = range(7)  # parameters


class Node(NamedTuple):
    """The robot at one place: torques of outputs and of the lean (zero), ground force, swing foot, momentum over thetadot, ..."""

    torque: Any
    rest: Any
    force: Any
    place: Any
    speed: Any
    inertia: Any
    joints: Any
    rates: Any
    carried: Any
    power: Any


class GaitProblem:
    """Variables, parameters, cost and rows. ``kinds``: the name of each row; ``sizes``: numbers of variables by their names."""

    def __init__(self, biped: Biped, degree: int, count: int) -> None:
        self.casadi = need_casadi()
        sx = self.casadi.SX.sym
        self.biped, self.degree, self.count = biped, degree, count
        self.s, self.weights, self.integrals = lobatto(count)
        self.basis = Bezier.basis(degree, self.s)
        self.parameters = sx("p", 7)
        along, up = biped.axes.T
        self.model = StepModel(
            biped, [self.parameters[ALONG_P] * x + self.parameters[UP_P] * y for x, y in zip(along, up, strict=True)]
        )
        n = len(biped.outputs)
        self.alpha, self.ends = sx("alpha", n, degree + 1), sx("ends", 2)
        self.b, self.bs, self.bss = (sx(name, n, count) for name in ("b", "bs", "bss"))
        self.w, self.a = sx("w", count), sx("a", count)
        parts = {"alpha": self.alpha, "ends": self.ends, "b": self.b, "bs": self.bs, "bss": self.bss, "w": self.w, "a": self.a}
        self.sizes = {name: part.numel() for name, part in parts.items()}
        self.variables = self.casadi.vertcat(*(self.casadi.vec(part) for part in parts.values()))
        self.span = self.ends[1] - self.ends[0]
        node = self._node = self._node_function()
        places = [self.ends[0] + self.span * float(s) for s in self.s]
        self.nodes = [
            Node(*node(self.b[:, k], self.bs[:, k], self.bss[:, k], self.w[k], self.a[k], places[k], self.span, self.parameters))
            for k in range(count)
        ]
        rows = [*self._curve_rows(), *self._path_rows(), *self._end_rows()]
        self.kinds = [name for name, row in rows for _ in range(self.casadi.SX(row).numel())]
        self.rows = self.casadi.vertcat(*(row for _, row in rows))
        self.cost = self._cost()

    # ---------------------------------------------------------------------------------------------------------------- nodes
    def _node_function(self) -> Any:
        """The robot at one place as a function of b, b_s, b_ss, W, a, theta, D and the parameters."""
        casadi, biped, model, n = self.casadi, self.biped, self.model, len(self.biped.outputs)
        sx, column = casadi.SX.sym, casadi.vertcat
        b, bs, bss = (sx(name, n) for name in ("b", "bs", "bss"))
        w, a, theta, span = (sx(name) for name in ("w", "a", "theta", "span"))
        factors = casadi.DM([biped.phase.get(name, 0.0) for name in biped.outputs])
        own = biped.phase[biped.leaning]

        def joints(values: Any, whole: Any) -> np.ndarray:
            """Outputs and the lean that gives the phase variable this value."""
            return np.array([*casadi.vertsplit(values), (whole - casadi.dot(factors, values)) / own], dtype=object)

        x, first, second = joints(b, theta), joints(bs / span, 1.0), joints(bss / span**2, 0.0)
        q, pace = model.positions(x), casadi.sqrt(w)
        rates = [one * pace for one in first]  # entry by entry: a product of an array and a symbol would be a CasADi matrix
        v = model.rates(q, rates)
        torque, force = model.forces(
            q, v, model.accelerations(q, v, [one * a + two * w for one, two in zip(first, second, strict=True)])
        )
        place, speed = model.foot(biped.swing, q), model.foot_motion(biped.swing, q, v)[0]
        inertia = model.momentum(q, model.rates(q, first))
        power = sum(casadi.sqrt((torque[i] * rates[i]) ** 2 + SMOOTH**2) for i in range(n))
        carried = [v[biped.rates[name]] for name in biped.carried]
        outputs = Node(
            column(*torque[:n]), torque[n], column(*force), column(*place), column(*speed), inertia, column(*x), column(*rates),
            column(*carried), power,
        )  # fmt: skip
        return casadi.Function("node", [b, bs, bss, w, a, theta, span, self.parameters], list(outputs))

    # ----------------------------------------------------------------------------------------------------------------- rows
    def _curve_rows(self) -> list[tuple[str, Any]]:
        """The curve at the places, and how W grows."""
        casadi = self.casadi
        parts = zip((self.b, self.bs, self.bss), self.basis, (1.0, SLOPE, BEND), strict=True)
        rows = [("curve", casadi.vec(values - self.alpha @ casadi.DM(basis)) / unit) for values, basis, unit in parts]
        growth = self.w[1:] - self.w[0] - 2.0 * self.span * (casadi.DM(self.integrals[1:]) @ self.a)
        return [*rows, ("growth", growth)]

    def _path_rows(self) -> list[tuple[str, Any]]:
        """Dynamics, ground and swing foot at every place."""
        rows: list[tuple[str, Any]] = []
        friction, clearance = self.parameters[FRICTION_P], self.parameters[CLEARANCE_P]
        for k, node in enumerate(self.nodes):
            rows += [("free", node.rest / TORQUE), ("torque", node.torque / TORQUE), ("normal", node.force[1] / FORCE)]
            rows += [("cone", (side * node.force[0] - friction * node.force[1]) / FORCE) for side in (1.0, -1.0)]
            rows += [("inertia", node.inertia / MOMENTUM), ("lean", node.joints[-1])]
            if 0 < k < self.count - 1:
                rows.append(("height", (node.place[1] - clearance * float(4.0 * self.s[k] * (1.0 - self.s[k]))) / HEIGHT))
        return rows

    def _end_rows(self) -> list[tuple[str, Any]]:
        """Mirror and impact, landing and leaving, speed and stability."""
        casadi, start, last = self.casadi, self.nodes[0], self.nodes[-1]
        order = self.mirror()
        rows: list[tuple[str, Any]] = [("mirror", start.joints - last.joints[order])]
        q = self.model.positions(np.array(casadi.vertsplit(start.joints), dtype=object))
        after = self.model.spread(casadi.vertsplit(start.rates), casadi.vertsplit(start.carried))
        before = self.model.spread(casadi.vertsplit(last.rates[order]), casadi.vertsplit(last.carried))
        left, impulse = self.model.impulse(q, after - before)
        rows += [("impact", casadi.vertcat(*left) / MOMENTUM), ("impulse", impulse[1] / MOMENTUM)]
        friction = self.parameters[FRICTION_P]
        rows += [("impact cone", (side * impulse[0] - friction * impulse[1]) / MOMENTUM) for side in (1.0, -1.0)]
        rows += [("landing", last.place[1] / HEIGHT), ("touchdown", last.speed[1] / SPEED), ("lift-off", start.speed[1] / SPEED)]
        rows += [("speed", last.place[0] - self.parameters[SPEED_P] * self.duration), ("length", last.place[0])]
        stable = start.inertia**2 * self.w[0] - self.parameters[DELTA_P] * last.inertia**2 * self.w[-1]
        return [*rows, ("delta", stable / ENERGY)]

    def mirror(self) -> list[int]:
        """For each joint (outputs, lean) the place of its mirror image."""
        mirror = self.biped.hybrid.phases.mirror
        assert mirror is not None
        pairs = {**mirror.pairs, **{two: one for one, two in mirror.pairs.items()}}
        joints = [*self.biped.outputs, self.biped.leaning]
        return [joints.index(pairs.get(name, name)) for name in joints]

    # ---------------------------------------------------------------------------------------------------------------- costs
    @property
    def duration(self) -> Any:
        """T, s."""
        return self.span * self.casadi.dot(self.casadi.DM(self.weights), 1.0 / self.casadi.sqrt(self.w))

    def _integral(self, values: list[Any]) -> Any:
        """Over the time of the step."""
        rates = self.casadi.vertsplit(self.casadi.sqrt(self.w))
        return self.span * sum(
            float(weight) * value / rate for weight, value, rate in zip(self.weights, values, rates, strict=True)
        )

    def fine(self, x: np.ndarray, parameters: np.ndarray, count: int) -> tuple[np.ndarray, Node]:
        """Places s (count,) and the robot there, each entry of the node as (..., count), for the solution x."""
        s = np.linspace(0.0, 1.0, count)
        parts, first = {}, 0
        for name, size in self.sizes.items():
            parts[name], first = x[first : first + size], first + size
        alpha = parts["alpha"].reshape(self.degree + 1, -1).T
        through = legendre.legvander(2.0 * s - 1.0, self.count - 1) @ np.linalg.inv(
            legendre.legvander(2.0 * self.s - 1.0, self.count - 1)
        )
        curve = [alpha @ basis for basis in Bezier.basis(self.degree, s)]
        span = parts["ends"][1] - parts["ends"][0]
        values = (*curve, through @ parts["w"], through @ parts["a"], parts["ends"][0] + s * span, np.full(count, span))
        rows = [np.atleast_2d(one) for one in values]
        found = self._node.map(count)(*rows, np.tile(np.asarray(parameters, dtype=float)[:, None], (1, count)))
        return s, Node(*(np.asarray(one) for one in found))

    def _cost(self) -> Any:
        """Mix of int u^2 dt / length and of the transport cost int |P| dt / (m g length)."""
        casadi, length = self.casadi, self.nodes[-1].place[0]
        effort = self._integral([casadi.sumsqr(node.torque) for node in self.nodes]) / length
        weight = float(self.biped.hybrid.model.compiled.total_mass) * 9.81
        transport = self._integral([node.power for node in self.nodes]) / (weight * length)
        self.costs = casadi.Function("costs", [self.variables, self.parameters], [effort, transport])
        mix = self.parameters[MIX_P]
        return (1.0 - mix) * effort / COST + mix * TRANSPORT * transport
