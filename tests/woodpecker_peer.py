"""The woodpecker toy in plain NumPy: Lagrange's equations by hand and projected Gauss-Seidel, with nothing of the library.

q = (height, tilt of the sleeve, swing of the woodpecker, both absolute). ``small``: the small-angle model of Glocker (1995), with
constant mass matrix and force directions; otherwise full rotations.
"""

import numpy as np


def simulate(p, t_end, dt, small, every=10):
    """Times (N,) and coordinates (N, 3) from the start of the zoo robot."""
    tilt = -(p["r_M"] - p["r_0"]) / p["h_M"] if small else p["tilt"]
    q, u = np.array([0.0, tilt, p["swing"]]), np.array([p["fall"], 0.0, p["swing_rate"]])
    impulse = np.zeros((3, 2))
    times, states = [0.0], [q.copy()]
    for n in range(round(t_end / dt)):
        middle = q + 0.5 * dt * u
        mass, force = dynamics(p, middle, u, small)
        gaps, normals, tangents = contacts(p, middle, small)
        inverse = np.linalg.inv(mass)
        v = u + dt * inverse @ force
        closed = [i for i in range(3) if gaps[i] <= 0.0]
        rebound = [(p["restitution"] if i == 2 else 0.0) * min(0.0, normals[i] @ u) for i in range(3)]
        for i in range(3):
            impulse[i] = impulse[i] if i in closed else 0.0
            v = v + inverse @ (normals[i] * impulse[i, 0] + tangents[i] * impulse[i, 1])
        for _ in range(500):
            change = 0.0
            for i in closed:
                for k, w in ((0, normals[i]), (1, tangents[i])):
                    side = inverse @ w
                    new = impulse[i, k] - (w @ v + (rebound[i] if k == 0 else 0.0)) / (w @ side)
                    bound = p["mu"] * impulse[i, 0]
                    new = max(0.0, new) if k == 0 else min(max(new, -bound), bound)
                    v, change = v + side * (new - impulse[i, k]), max(change, abs(new - impulse[i, k]))
                    impulse[i, k] = new
            if change < 1e-12:
                break
        q, u = middle + 0.5 * dt * v, v
        if (n + 1) % every == 0:
            times.append((n + 1) * dt)
            states.append(q.copy())
    return np.array(times), np.array(states)


def dynamics(p, q, u, small):
    """Mass matrix (3, 3) and forces (3,) without contact."""
    c1, s1, c2, s2 = (1.0, 0.0, 1.0, 0.0) if small else (np.cos(q[1]), np.sin(q[1]), np.cos(q[2]), np.sin(q[2]))
    a, b, m = p["l_M"], p["l_G"], p["m_S"]
    jacobian = np.array([[0.0, -a * s1, -b * s2], [1.0, a * c1, b * c2]])  # of the mass centre of the woodpecker
    bias = np.zeros(2) if small else -np.array([a * c1 * u[1] ** 2 + b * c2 * u[2] ** 2, a * s1 * u[1] ** 2 + b * s2 * u[2] ** 2])
    mass = np.diag([p["m_M"], p["J_M"], p["J_S"]]) + m * jacobian.T @ jacobian
    spring = p["stiffness"] * (q[2] - q[1])
    force = np.array([-p["m_M"] * p["g"], spring, -spring]) + m * jacobian.T @ (np.array([0.0, -p["g"]]) - bias)
    return mass, force


def contacts(p, q, small):
    """Gaps to the plane x = r_0 and rows of the velocities across (outwards) and along it: lower edge, upper edge, beak."""
    c1, s1, c2, s2 = (1.0, q[1], 1.0, q[2]) if small else (np.cos(q[1]), np.sin(q[1]), np.cos(q[2]), np.sin(q[2]))
    gaps, normals, tangents = [], [], []
    for x, z in ((p["r_M"], -p["h_M"]), (p["r_M"], p["h_M"])):
        gaps.append(x * c1 - z * s1 - p["r_0"])
        normals.append(np.array([0.0, -z if small else -x * s1 - z * c1, 0.0]))
        tangents.append(np.array([1.0, x if small else x * c1 - z * s1, 0.0]))
    x, z, arm = p["l_G"] - p["l_S"], p["h_S"], p["l_M"]
    gaps.append(arm * c1 + x * c2 - z * s2 - p["r_0"])
    normals.append(np.array([0.0, 0.0 if small else -arm * s1, -z if small else -x * s2 - z * c2]))
    tangents.append(np.array([1.0, arm * c1, x if small else x * c2 - z * s2]))
    return gaps, normals, tangents
