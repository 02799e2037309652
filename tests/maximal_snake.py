"""The planar snake in maximal coordinates: three for each link, bilateral joints, prox fixed point (Transeth 2007, chapter 3).

Written from Transeth's equations (3.8)-(3.76) in plain NumPy, with nothing of the library: a second, slow way to the same
motion.
"""

import numpy as np


class MaximalSnake:
    """n links; q = (x, y, theta) of each link, one after the other."""

    def __init__(self, n, length, half_axis, radius, mass, inertia, mu, g, pegs, stiffness, damping, reference):
        self.n, self.length, self.half_axis, self.radius, self.pegs = n, length, half_axis, radius, pegs
        self.weights = np.tile([mass, mass, inertia], n)
        self.discs = np.asarray(mu) * mass * g  # semi-axes of the friction set in the axes of a link, N
        self.stiffness, self.damping, self.reference = stiffness, damping, reference
        self.friction = np.zeros((n, 2))
        self.push = {}

    def joint_rows(self, q):
        """W_J^T (2 (n - 1), 3 n), from (3.36)-(3.37)."""
        rows, half = np.zeros((2 * (self.n - 1), 3 * self.n)), 0.5 * self.length
        for i in range(self.n - 1):
            for k, sign in ((i, 1.0), (i + 1, -1.0)):
                theta = q[3 * k + 2]
                rows[2 * i, 3 * k], rows[2 * i + 1, 3 * k + 1] = sign, sign
                rows[2 * i, 3 * k + 2], rows[2 * i + 1, 3 * k + 2] = -half * np.sin(theta), half * np.cos(theta)
        return rows

    def peg_rows(self, q):
        """Rows of the closed contacts with pegs by (link, peg): capsule against circle."""
        rows = {}
        for b, (radius, *centre) in enumerate(self.pegs):
            for i in range(self.n):
                x, y, theta = q[3 * i : 3 * i + 3]
                along, across = np.array([np.cos(theta), np.sin(theta)]), np.array([-np.sin(theta), np.cos(theta)])
                s = np.clip((np.array(centre) - (x, y)) @ along, -self.half_axis, self.half_axis)
                reach = np.array([x, y]) + s * along - centre
                distance = np.linalg.norm(reach)
                if distance - radius - self.radius <= 0.0:
                    row = np.zeros(3 * self.n)
                    row[3 * i : 3 * i + 3] = *(reach / distance), s * (reach / distance) @ across
                    rows[i, b] = row
        return rows

    def torque(self, q, u, t):
        """PD torques: + on link i, - on link i + 1, with the sign of (3.44)."""
        angle, rate = np.diff(q[2::3]), np.diff(u[2::3])
        target, target_rate = self.reference(t)
        couple = -self.stiffness * (target - angle) - self.damping * (target_rate - rate)
        tau = np.zeros(3 * self.n)
        tau[2:-1:3] += couple
        tau[5::3] -= couple
        return tau

    def step(self, q, u, t, dt, tolerance):
        """Algorithm 3.1 with r = 1 / G_aa instead of fixed factors."""
        middle = q + 0.5 * dt * u
        inverse = 1.0 / self.weights
        joints, pegs = self.joint_rows(middle), self.peg_rows(middle)
        # Velocities on the joints: project the dynamics.
        held = np.linalg.inv(joints @ (inverse[:, None] * joints.T))
        project = np.diag(inverse) - inverse[:, None] * joints.T @ held @ joints * inverse
        free = project @ (self.weights * u + dt * self.torque(q, u, t))
        turn = [np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]]) for a in middle[2::3]]
        push = {key: self.push.get(key, 0.0) for key in pegs}
        force = self.friction.copy()
        rows = [np.zeros((2, 3 * self.n)) for _ in range(self.n)]
        for i in range(self.n):
            rows[i][:, 3 * i : 3 * i + 2] = turn[i].T
        v = free + project @ (sum(rows[i].T @ force[i] for i in range(self.n)) + sum(push[k] * pegs[k] for k in pegs))
        for _ in range(20000):
            change = 0.0
            for key, row in pegs.items():
                g = row @ project @ row
                new = max(0.0, push[key] - row @ v / g)
                v, change = v + project @ row * (new - push[key]), max(change, abs(new - push[key]))
                push[key] = new
            for i in range(self.n):
                a = self.discs * dt
                z = force[i] / a - (a * (rows[i] @ v)) / np.trace(a[:, None] * (rows[i] @ project @ rows[i].T) * a)
                z /= max(1.0, np.linalg.norm(z))
                new = a * z
                v, change = v + project @ rows[i].T @ (new - force[i]), max(change, np.abs(new - force[i]).max())
                force[i] = new
            if change < tolerance * dt:
                break
        self.friction, self.push = force, {**self.push, **push}
        q = middle + 0.5 * dt * v
        for i in range(self.n - 1):  # links 2 .. n back on their joints
            ends = [0.5 * self.length * np.array([np.cos(a), np.sin(a)]) for a in q[[3 * i + 2, 3 * i + 5]]]
            q[3 * i + 3 : 3 * i + 5] = q[3 * i : 3 * i + 2] + ends[0] + ends[1]
        return q, v
