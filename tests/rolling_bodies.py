"""Rigid bodies that roll, with nothing of the library: Newton and Euler in world axes, wheels as rows, one KKT system.

States are those of the library for a free reference body and revolute joints: position and quaternion of the reference body,
angles; its body twist, rates.
"""

import numpy as np


def hat(a):
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def turned(axis, angle):
    """Rotation (3, 3) by Rodrigues."""
    k = hat(axis)
    return np.eye(3) + np.sin(angle) * k + (1.0 - np.cos(angle)) * k @ k


class Bodies:
    """A tree of bodies.

    ``inertia``: {name: (mass, mass centre, moments about it)}, the reference body first, all as it stands with its angles zero,
    in the axes of the reference body and from its origin. ``joints``: {name: (parent, point of the axis, axis)}, likewise, in the
    order of the coordinates. ``wheels``: {name: (axle, radius)} of bodies whose joint is at the hub.
    """

    def __init__(self, inertia, joints, wheels=None, gravity=(0.0, 0.0, -9.81)):
        self.inertia, self.joints, self.wheels, self.gravity = inertia, joints, wheels or {}, np.array(gravity)
        self.root, self.nv = next(iter(inertia)), 6 + len(joints)

    def motions(self, q, v):
        """By body: turn (3, 3), a point of it at zero angles, this point in the world, its Jacobian (6, nv), drift (6,).

        All in world axes, (linear; angular); the drift is the acceleration with vdot = 0.
        """
        w, x, y, z = q[3:7]
        frame = np.eye(3) + 2.0 * w * hat((x, y, z)) + 2.0 * hat((x, y, z)) @ hat((x, y, z))
        jacobian = np.zeros((6, self.nv))
        jacobian[:3, :3] = jacobian[3:, 3:6] = frame
        found = {self.root: (frame, np.zeros(3), q[:3], jacobian, np.concatenate([frame @ np.cross(v[3:6], v[:3]), np.zeros(3)]))}
        for k, (name, (parent, point, axis)) in enumerate(self.joints.items()):
            place, jacobian, drift = self.carried(found[parent], point, v)
            turn, spin = found[parent][0], jacobian[3:] @ v
            about = turn @ axis
            jacobian[3:, 6 + k] += about
            drift[3:] += np.cross(spin, about * v[6 + k])
            found[name] = turn @ turned(axis, q[7 + k]), point, place, jacobian, drift
        return found

    @staticmethod
    def carried(motion, point, v):
        """Place, Jacobian and drift of another point of a body, given where it is at zero angles."""
        turn, origin, place, jacobian, drift = motion
        arm, jacobian, drift = turn @ (point - origin), jacobian.copy(), drift.copy()
        spin = jacobian[3:] @ v
        jacobian[:3] -= hat(arm) @ jacobian[3:]
        drift[:3] += np.cross(drift[3:], arm) + np.cross(spin, np.cross(spin, arm))
        return place + arm, jacobian, drift

    def equations(self, q, v):
        """M (nv, nv) and h (nv,) of M vdot + h = forces."""
        mass, bias = np.zeros((self.nv, self.nv)), np.zeros(self.nv)
        for name, motion in self.motions(q, v).items():
            m, centre, inertia = self.inertia[name]
            _, j, drift = self.carried(motion, centre, v)
            inertia = motion[0] @ inertia @ motion[0].T
            spin = j[3:] @ v
            mass += m * j[:3].T @ j[:3] + j[3:].T @ inertia @ j[3:]
            bias += m * j[:3].T @ (drift[:3] - self.gravity) + j[3:].T @ (inertia @ drift[3:] + np.cross(spin, inertia @ spin))
        return mass, bias

    def rolling(self, q, v):
        """Rows (3 k, nv) and drifts (3 k,) of k thin wheels: the velocity of the material point at the lowest place is zero."""
        rows, drifts, up = [], [], np.array([0.0, 0.0, 1.0])
        motions = self.motions(q, v)
        for name, (axle, radius) in self.wheels.items():
            turn, _, _, j, drift = motions[name]
            a, spin = turn @ axle, j[3:] @ v
            across = up - (up @ a) * a
            a_rate = np.cross(spin, a)
            across_rate = -(up @ a_rate) * a - (up @ a) * a_rate
            size = np.linalg.norm(across)
            rho = -radius * across / size
            rho_rate = -radius * (across_rate / size - across * (across @ across_rate) / size**3)
            rows.append(j[:3] - hat(rho) @ j[3:])
            drifts.append(drift[:3] + np.cross(drift[3:], rho) + np.cross(spin, rho_rate))
        return np.vstack(rows), np.concatenate(drifts)

    def accelerations(self, q, v, imposed):
        """vdot (nv,) on the wheels; ``imposed`` {coordinate: acceleration}. Redundant rows have no effect on it."""
        mass, bias = self.equations(q, v)
        rows, drifts = self.rolling(q, v)
        held = np.eye(self.nv)[list(imposed)]
        rows, wanted = np.vstack([rows, held]), np.concatenate([-drifts, list(imposed.values())])
        k = len(rows)
        whole = np.block([[mass, -rows.T], [rows, np.zeros((k, k))]])
        return np.linalg.lstsq(whole, np.concatenate([-bias, wanted]), rcond=1e-12)[0][: self.nv]

    def rate(self, q, v):
        """qdot (nq,)."""
        w, x, y, z = q[3:7]
        turn = 0.5 * np.array([[-x, -y, -z], [w, -z, y], [z, w, -x], [-y, x, w]]) @ v[3:6]
        return np.concatenate([self.motions(q, v)[self.root][0] @ v[:3], turn, v[6:]])
