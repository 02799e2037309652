"""The bicycle a second time, with nothing of the library: bodies by Newton and Euler (``rolling_bodies``), contact
points by the angles psi_2, psi_3 of Mauny 2017, (17), and dynamics by one KKT system (:class:`Peer`).

Its numbers are those of Meijaard et al. 2007, Table 1, in their axes (x forward, y right, z down). Mauny's axes: s up, n forward,
a left; the frame of the library has (x, y, z) = (n, a, s), the fork (p, a, d). States are those of the library: position and
quaternion of the frame, angles (steer, rear, front); body twist of the frame, rates.
"""

import numpy as np
from scipy.integrate import solve_ivp

from rolling_bodies import Bodies, hat, turned

TILT, FRONT, REAR = np.pi / 10, 0.35, 0.30
WHEELBASE, TRAIL = 1.02, 0.08


def up(x, z):
    """A point (x, z) of Meijaard's axes, counted from the rear contact point, in those of the frame from the rear hub."""
    return np.array([x, 0.0, -z - REAR])


def moments(xx, yy, zz, xz):
    """Inertia of Meijaard's axes in those of the frame: half a turn about x changes the sign of xz."""
    return np.array([[xx, 0.0, -xz], [0.0, yy, 0.0], [-xz, 0.0, zz]])


def bodies():
    """Frame with rider, fork and wheels; the steer axis points up and backwards and meets the ground ahead of the front wheel."""
    y, steer = np.array([0.0, 1.0, 0.0]), np.array([-np.sin(TILT), 0.0, np.cos(TILT)])
    rear, front = up(0.0, -REAR), up(WHEELBASE, -FRONT)
    inertia = {
        "frame": (85.0, up(0.3, -0.9), moments(9.2, 11.0, 2.8, 2.4)),
        "fork": (4.0, up(0.9, -0.7), moments(0.05892, 0.06, 0.00708, -0.00756)),
        "rear": (2.0, rear, np.diag([0.0603, 0.12, 0.0603])),
        "front": (3.0, front, np.diag([0.1405, 0.28, 0.1405])),
    }
    joints = {"fork": ("frame", up(WHEELBASE + TRAIL, 0.0), steer), "rear": ("frame", rear, y), "front": ("fork", front, y)}
    return Bodies(inertia, joints, {"front": (y, FRONT), "rear": (y, REAR)})


class Peer:
    """``torque``: function (t, q, v) -> forces on (steer, rear, front), N m; ``printed``: with a misprint of Mauny et al."""

    def __init__(self, torque=lambda t, q, v: (0.0, 0.0, 0.0), printed=False):
        self.bodies, self.torque, self.printed = bodies(), torque, printed

    def angles(self, q, v):
        """psi_2, psi_3 and their rates, counted to the lowest points; a2dot is printed with sin th for cos th in one term."""
        r = self.bodies.motions(q, v)["frame"][0]
        r11, r12, r13 = r[2, 2], r[2, 0], r[2, 1]  # heights of s_0, n_0, a_0
        wx, wy, wz = v[5], v[3], v[4]  # about s_0, n_0, a_0
        steer, rate = q[7], v[6]
        d11, d12, d13 = r12 * wz - r13 * wy, r13 * wx - r11 * wz, r11 * wy - r12 * wx
        s, c, sr, cr = np.sin(TILT), np.cos(TILT), np.sin(steer), np.cos(steer)
        a2, b2 = cr * (r11 * s + r12 * c) + r13 * sr, r11 * c - r12 * s
        a2dot = cr * (d11 * s + d12 * c) + d13 * sr - rate * sr * (r11 * s + r12 * (s if self.printed else c)) + rate * r13 * cr
        b2dot = d11 * c - d12 * s
        front = np.pi + np.arctan2(a2, b2), (a2dot * b2 - b2dot * a2) / (a2**2 + b2**2)
        rear = np.pi + np.arctan2(r12, r11), (d12 * r11 - d11 * r12) / (r12**2 + r11**2)
        return front, rear

    def rows(self, q, v):
        """(A, B) (6, 9) and b (6,): velocities of the touching points of front and rear wheel, world axes; rows a + b = 0."""
        jacobian, bias, motions = [], [], self.bodies.motions(q, v)
        fork = turned((0.0, 1.0, 0.0), -TILT)  # axes (p, a, d)
        for wheel, carrier, axes, radius, (psi, rate) in zip(
            ("front", "rear"), ("fork", "frame"), (fork, np.eye(3)), (FRONT, REAR), self.angles(q, v), strict=True
        ):
            turn, j, drift = motions[carrier][0] @ axes, *motions[wheel][3:]
            rho = turn @ (radius * np.array([np.sin(psi), 0.0, np.cos(psi)]))
            wander = turn @ (radius * np.array([np.cos(psi), 0.0, -np.sin(psi)])) * rate
            rhodot = wander + np.cross(motions[carrier][3][3:] @ v, rho)
            jacobian.append(j[:3] - hat(rho) @ j[3:])
            bias.append(drift[:3] + np.cross(drift[3:], rho) + np.cross(j[3:] @ v, rhodot))
        return np.vstack(jacobian), np.concatenate(bias)

    def solve(self, t, q, v):
        """Accelerations (9,) and contact forces on (front, rear), (2, 3) N, world axes."""
        a, b = self.rows(q, v)
        mass, bias = self.bodies.equations(q, v)
        forces = -bias
        forces[6:] += self.torque(t, q, v)
        whole = np.block([[mass, -a.T], [a, np.zeros((6, 6))]])
        solution = np.linalg.solve(whole, np.concatenate([forces, -b]))
        return solution[:9], solution[9:].reshape(2, 3)

    def integrate(self, q, v, times):
        """States (N, 10), (N, 9) at the times by DOP853; quaternion as a plain vector, made a unit one at each evaluation."""

        def rate(t, y):
            q, v = y[:10].copy(), y[10:]
            q[3:7] /= np.linalg.norm(q[3:7])
            return np.concatenate([self.bodies.rate(q, v), self.solve(t, q, v)[0]])

        start = np.concatenate([q, v])
        found = solve_ivp(rate, (times[0], times[-1]), start, "DOP853", t_eval=times, rtol=1e-11, atol=1e-11)
        return found.y[:10].T, found.y[10:].T


def linear_matrices():
    """M, C1, K0, K2 of the benchmark bicycle by the closed formulas of Meijaard et al. 2007, Appendix A."""
    w, c, tilt = 1.02, 0.08, np.pi / 10
    r_r, m_r, r_xx, r_yy = 0.3, 2.0, 0.0603, 0.12
    x_b, z_b, m_b, b_xx, b_xz, b_zz = 0.3, -0.9, 85.0, 9.2, 2.4, 2.8
    x_h, z_h, m_h, h_xx, h_xz, h_zz = 0.9, -0.7, 4.0, 0.05892, -0.00756, 0.00708
    r_f, m_f, f_xx, f_yy = 0.35, 3.0, 0.1405, 0.28
    m_t = m_r + m_b + m_h + m_f
    x_t, z_t = (x_b * m_b + x_h * m_h + w * m_f) / m_t, (-r_r * m_r + z_b * m_b + z_h * m_h - r_f * m_f) / m_t
    t_xx = r_xx + b_xx + h_xx + f_xx + m_r * r_r**2 + m_b * z_b**2 + m_h * z_h**2 + m_f * r_f**2
    t_xz = b_xz + h_xz - m_b * x_b * z_b - m_h * x_h * z_h + m_f * w * r_f
    t_zz = r_xx + b_zz + h_zz + f_xx + m_b * x_b**2 + m_h * x_h**2 + m_f * w**2
    m_a = m_h + m_f
    x_a, z_a = (x_h * m_h + w * m_f) / m_a, (z_h * m_h - r_f * m_f) / m_a
    a_xx = h_xx + f_xx + m_h * (z_h - z_a) ** 2 + m_f * (r_f + z_a) ** 2
    a_xz = h_xz - m_h * (x_h - x_a) * (z_h - z_a) + m_f * (w - x_a) * (r_f + z_a)
    a_zz = h_zz + f_xx + m_h * (x_h - x_a) ** 2 + m_f * (w - x_a) ** 2
    s, k = np.sin(tilt), np.cos(tilt)
    u_a = (x_a - w - c) * k - z_a * s
    a_ll = m_a * u_a**2 + a_xx * s**2 + 2 * a_xz * s * k + a_zz * k**2
    a_lx, a_lz = -m_a * u_a * z_a + a_xx * s + a_xz * k, m_a * u_a * x_a + a_xz * s + a_zz * k
    mu, s_r, s_f = c / w * k, r_yy / r_r, f_yy / r_f
    s_t, s_a = s_r + s_f, m_a * u_a + mu * m_t * x_t
    mass = np.array([[t_xx, a_lx + mu * t_xz], [a_lx + mu * t_xz, a_ll + 2 * mu * a_lz + mu**2 * t_zz]])
    k0 = np.array([[m_t * z_t, -s_a], [-s_a, -s_a * s]])
    k2 = np.array([[0.0, (s_t - m_t * z_t) * k / w], [0.0, (s_a + s_f * s) * k / w]])
    c1 = np.array(
        [
            [0.0, mu * s_t + s_f * k + t_xz * k / w - mu * m_t * z_t],
            [-(mu * s_t + s_f * k), a_lz * k / w + mu * (s_a + t_zz * k / w)],
        ]
    )
    return mass, c1, k0, k2


def eigenvalues(speed, gravity=9.81):
    """The four eigenvalues of lean and steer at this speed."""
    mass, c1, k0, k2 = linear_matrices()
    inverse = np.linalg.inv(mass)
    upper = np.hstack([np.zeros((2, 2)), np.eye(2)])
    lower = np.hstack([-inverse @ (gravity * k0 + speed**2 * k2), -inverse @ (speed * c1)])
    return np.linalg.eigvals(np.vstack([upper, lower]))
