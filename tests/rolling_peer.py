"""One rigid body that rolls on the plane z = 0: Newton and Euler in body axes, the touching point by a complex step."""

import numpy as np
from scipy.integrate import solve_ivp


def disc(radius, crown=0.0, axis=(0.0, 1.0, 0.0)):
    """Lowest point of a disc or tyre, from its centre, for the normal n in body axes."""
    axis = np.array(axis)

    def point(n):
        in_plane = n - (n @ axis) * axis
        return -(radius - crown) * in_plane / np.sqrt(in_plane @ in_plane) - crown * n

    return point


def ellipsoid(a, b, c):
    """Lowest point of an ellipsoid: Lagrange's condition, x_i = -a_i^2 n_i / sqrt(sum a_j^2 n_j^2)."""
    squares = np.array([a, b, c]) ** 2
    return lambda n: -squares * n / np.sqrt(squares @ (n * n))


def rolling(point, mass, inertia, centre, quaternion, omega, times, gravity=9.81):
    """Orientations (N, 4) and body angular velocities (N, 3) at the times.

    ``point(n)``: where the surface touches, from its own centre; ``centre``: mass centre from there; ``inertia`` (3, 3) about it.
    """
    inertia, centre = np.asarray(inertia, float), np.asarray(centre, float)

    def rate(_, y):
        h, w = y[:4] / np.linalg.norm(y[:4]), y[4:]
        a, b, c, d = h
        n = np.array([2 * (b * d - a * c), 2 * (c * d + a * b), 1 - 2 * (b * b + c * c)])
        s = point(n) - centre
        sdot = np.imag(point(n + 1e-30j * np.cross(n, w))) / 1e-30 + np.cross(w, s)
        matrix = inertia + mass * (s @ s * np.eye(3) - np.outer(s, s))
        moment = -np.cross(w, inertia @ w) - mass * np.cross(s, np.cross(w, sdot)) + mass * gravity * np.cross(s, n)
        turn = 0.5 * np.array([[-b, -c, -d], [a, -d, c], [d, a, -b], [-c, b, a]]) @ w
        return np.concatenate([turn, np.linalg.solve(matrix, moment)])

    start = np.concatenate([quaternion, omega])
    found = solve_ivp(rate, (times[0], times[-1]), start, "DOP853", t_eval=times, rtol=1e-12, atol=1e-12)
    return found.y[:4].T / np.linalg.norm(found.y[:4].T, axis=1, keepdims=True), found.y[4:].T
