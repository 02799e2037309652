"""Forces of the contacts that were closed in the last step, for controllers that feel them."""

from __future__ import annotations

from locodyn.contact.law import impulses
from locodyn.kernel import compiled
from locodyn.kernel.vector import load9, rotate


@compiled
def pair_forces(contacts, step, result):
    """result[n]: force on the robot at pair n, the impulse of the last step over its length ``step``, N, world axes."""
    for n in range(result.shape[0]):
        for j in range(3):
            result[n, j] = 0.0
    for i in range(contacts.closed):
        f, _ = impulses(contacts, i)
        if contacts.known_radius[i] >= 0.0:
            f = (0.0, f[1], f[2])
        force = rotate(load9(contacts.basis, i, 0), f)
        for j in range(3):
            result[contacts.pair[i], j] += force[j] / step
