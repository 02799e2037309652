"""Where the search of a heap of free bodies begins: a few sweeps over its contacts, each solved by itself (Moreau 1999).

With the velocities V of the bodies carried along, contact i takes

    z_N := max(0, z_N - w_N / W_NN),      z_T := proj_{z_N}(z_T - w_T / W_TT),      w = J V + shift,

W = J M^-1 J^T being its own response, and V changes by M^-1 J^T times the change of z, body by body. A sweep costs a tenth of an
iteration of :mod:`locodyn.contact.smoothing`, goes one way through the heap and the next one back, and finds which contacts an
impact closes; what it leaves falls slowly, so that a few of them are enough. Every pair satisfies the dynamics.
"""

from __future__ import annotations

from locodyn.contact.free_heap import fill_rows
from locodyn.contact.islands import contact_at, frame_at, index, sort_islands, touches_nothing_fixed
from locodyn.contact.law import copy_rows, is_plain, natural_residual
from locodyn.contact.lone_bodies import is_bare
from locodyn.dynamics.inertia import load_inertia
from locodyn.kernel import compiled, sqrt
from locodyn.kernel.vector import add, cross, dot, load3, scale, store3, subtract
from locodyn.robot.layout import FIRST_V

_MUCH = 1e-2  # of the weight of a link times the step: what expected pairs miss of the law where much changes
_SWEEPS = 8
_FALLS = 1.0  # what gravity makes in a step, times: open contacts that come no nearer than this are left aside


@compiled
def all_lone(contacts):
    """Whether all that moves are free bodies."""
    islands = contacts.islands
    if islands.trees < 2 or contacts.robot.dense or contacts.heap.matrix.shape[0] == 0:
        return False
    for k in range(islands.tree.shape[0]):
        if islands.tree[k] >= 0 and (islands.lone[k] == 0 or not is_bare(contacts.robot.constants, k)):
            return False
    return True


@compiled
def touch_in_points(contacts):
    """Whether no two closed contacts are between the same bodies; those that are follow each other."""
    for i in range(1, contacts.closed):
        if contacts.frame[i] == contacts.frame[i - 1] and contacts.other[i] == contacts.other[i - 1]:
            return False
    return True


@compiled(late=())
def begin_heap(problem, contacts, step):
    """Sweep all closed contacts where much changes: pairs begin there, and contacts that are still open then are left aside.

    Not where a step is solved once only, nor where that goes on to round-off; and only among bodies that touch in one point each,
    like balls. Where they touch in several the shares of these are open, and sweeps would leave them uneven.
    """
    crowd, islands = contacts.crowd, contacts.islands
    if not contacts.midpoint or contacts.poisson or touches_nothing_fixed(contacts):
        return
    if not touch_in_points(contacts) or not all_lone(contacts) or not is_plain(contacts):
        return
    copy_rows(contacts, contacts.centre, contacts.impulse)
    weight = contacts.mean_weight * step
    if not natural_residual(contacts, contacts.mean_mass) > _MUCH * weight:
        return
    crowd.begun = 1
    sweep_heap(problem.frames, contacts, contacts.end_velocity, _SWEEPS)
    slow = _FALLS * weight / contacts.mean_mass
    for i in range(contacts.closed):
        islands.likely[i] = 1 if contacts.impulse[i, 0] > 0.0 or contacts.velocity[i, 0] <= slow else 0
        if islands.likely[i] == 0:
            store3(contacts.impulse, i, 0, (0.0, 0.0, 0.0))
            store3(contacts.centre, i, 0, (0.0, 0.0, 0.0))
    sort_islands(contacts)


@compiled(late=())
def sweep_heap(frames, contacts, x, sweeps):
    """So many sweeps over the island at hand, from the impulses at hand; impulses, velocities and x become those of a pair."""
    islands, bodies = contacts.islands, contacts.robot.bias
    if contacts.heap.filled == 0:
        fill_rows(contacts)
    for n in range(islands.begin, islands.end):
        k = frame_at(islands, n)
        if islands.tree[k] < 0:
            continue
        i = index(frames[k, FIRST_V])
        store_inverse(contacts, k)
        for j in range(6):
            bodies[k, j] = 0.0
        push_body(contacts, k, (contacts.rhs[i], contacts.rhs[i + 1], contacts.rhs[i + 2]),
                  (contacts.rhs[i + 3], contacts.rhs[i + 4], contacts.rhs[i + 5]))  # fmt: skip
    for c in range(contacts.begin, contacts.end):
        i = contact_at(contacts, c)
        store_response(contacts, i)
        push_bodies(contacts, i, load3(contacts.impulse, i, 0))
    for sweep in range(sweeps):
        for m in range(contacts.end - contacts.begin):
            relax(contacts, contact_at(contacts, contacts.begin + m if sweep % 2 == 0 else contacts.end - 1 - m))
    for c in range(contacts.begin, contacts.end):
        i = contact_at(contacts, c)
        store3(contacts.velocity, i, 0, velocity_at(contacts, i))
        store3(contacts.velocity, i, 3, (0.0, 0.0, 0.0))
    for n in range(islands.begin, islands.end):
        k = frame_at(islands, n)
        if islands.tree[k] < 0:
            continue
        i = index(frames[k, FIRST_V])
        for j in range(6):
            x[i + j] = bodies[k, j]


@compiled(inline=True)
def relax(contacts, i):
    """Solve contact i by itself."""
    z, w = load3(contacts.impulse, i, 0), velocity_at(contacts, i)
    normal = max(0.0, z[0] - contacts.crowd.response[i, 0] * w[0])
    forward = z[1] - contacts.crowd.response[i, 1] * w[1]
    side = z[2] - contacts.crowd.response[i, 1] * w[2]
    length = sqrt(forward * forward + side * side)
    if length > normal:
        forward *= normal / length
        side *= normal / length
    if normal > 0.0 or z[0] != 0.0 or z[1] != 0.0 or z[2] != 0.0:
        store3(contacts.impulse, i, 0, (normal, forward, side))
        push_bodies(contacts, i, (normal - z[0], forward - z[1], side - z[2]))


@compiled(inline=True)
def velocity_at(contacts, i):
    """w of contact i for the velocities of the bodies, normalised."""
    heap, bodies = contacts.heap, contacts.robot.bias
    u = (0.0, 0.0, 0.0)
    a, b = contacts.frame[i], contacts.other[i]
    if contacts.islands.tree[a] >= 0:
        u = seen(heap.jacobian, i, bodies, index(a))
    if b >= 0 and contacts.islands.tree[b] >= 0:
        u = subtract(u, seen(heap.other_jacobian, i, bodies, index(b)))
    s = load3(contacts.scales, i, 0)
    return (s[0] * u[0] + contacts.shift[i], s[1] * u[1], s[2] * u[2])


@compiled(inline=True)
def seen(jacobian, i, bodies, k):
    """J V of contact i on body k."""
    v, w = load3(bodies, k, 0), load3(bodies, k, 3)
    return (
        dot((jacobian[i, 0, 0], jacobian[i, 0, 1], jacobian[i, 0, 2]), v)
        + dot((jacobian[i, 0, 3], jacobian[i, 0, 4], jacobian[i, 0, 5]), w),
        dot((jacobian[i, 1, 0], jacobian[i, 1, 1], jacobian[i, 1, 2]), v)
        + dot((jacobian[i, 1, 3], jacobian[i, 1, 4], jacobian[i, 1, 5]), w),
        dot((jacobian[i, 2, 0], jacobian[i, 2, 1], jacobian[i, 2, 2]), v)
        + dot((jacobian[i, 2, 3], jacobian[i, 2, 4], jacobian[i, 2, 5]), w),
    )


@compiled(inline=True)
def wrench(jacobian, i, f):
    """J^T f of contact i, force and moment."""
    return (
        (
            jacobian[i, 0, 0] * f[0] + jacobian[i, 1, 0] * f[1] + jacobian[i, 2, 0] * f[2],
            jacobian[i, 0, 1] * f[0] + jacobian[i, 1, 1] * f[1] + jacobian[i, 2, 1] * f[2],
            jacobian[i, 0, 2] * f[0] + jacobian[i, 1, 2] * f[1] + jacobian[i, 2, 2] * f[2],
        ),
        (
            jacobian[i, 0, 3] * f[0] + jacobian[i, 1, 3] * f[1] + jacobian[i, 2, 3] * f[2],
            jacobian[i, 0, 4] * f[0] + jacobian[i, 1, 4] * f[1] + jacobian[i, 2, 4] * f[2],
            jacobian[i, 0, 5] * f[0] + jacobian[i, 1, 5] * f[1] + jacobian[i, 2, 5] * f[2],
        ),
    )


@compiled(inline=True)
def push_bodies(contacts, i, z):
    """The bodies of contact i under the normalised impulse z."""
    s = load3(contacts.scales, i, 0)
    f = (s[0] * z[0], s[1] * z[1], s[2] * z[2])
    a, b = contacts.frame[i], contacts.other[i]
    if contacts.islands.tree[a] >= 0:
        force, moment = wrench(contacts.heap.jacobian, i, f)
        push_body(contacts, index(a), force, moment)
    if b >= 0 and contacts.islands.tree[b] >= 0:
        force, moment = wrench(contacts.heap.other_jacobian, i, f)
        push_body(contacts, index(b), scale(-1.0, force), scale(-1.0, moment))


@compiled(inline=True)
def store_inverse(contacts, k):
    """1/m, h/m and the inverse of the inertia about the centre of mass of body k, see locodyn.contact.lone_bodies."""
    m, h, inertia = load_inertia(contacts.robot.constants, k)
    per_mass = 1.0 / m
    square = per_mass * dot(h, h)
    hx = scale(per_mass, h)
    xx, xy, xz = inertia[0] - square + hx[0] * h[0], inertia[1] + hx[0] * h[1], inertia[2] + hx[0] * h[2]
    yy, yz, zz = inertia[3] - square + hx[1] * h[1], inertia[4] + hx[1] * h[2], inertia[5] - square + hx[2] * h[2]
    a, b, c = yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy
    per = 1.0 / (xx * a + xy * b + xz * c)
    inverse = contacts.heap.inverse
    inverse[k, 0] = per_mass
    store3(inverse, k, 1, hx)
    store3(inverse, k, 4, (per * a, per * b, per * c))
    store3(inverse, k, 7, (per * (xx * zz - xz * xz), per * (xy * xz - xx * yz), per * (xx * yy - xy * xy)))


@compiled(inline=True)
def changed(contacts, k, force, moment):
    """M_k^-1 (force; moment)."""
    inverse = contacts.heap.inverse
    hx = load3(inverse, k, 1)
    n = subtract(moment, cross(hx, force))
    first, second = load3(inverse, k, 4), load3(inverse, k, 7)
    w = (
        first[0] * n[0] + first[1] * n[1] + first[2] * n[2],
        first[1] * n[0] + second[0] * n[1] + second[1] * n[2],
        first[2] * n[0] + second[1] * n[1] + second[2] * n[2],
    )
    return add(scale(inverse[k, 0], force), cross(hx, w)), w


@compiled(inline=True)
def push_body(contacts, k, force, moment):
    """V_k += M_k^-1 (force; moment)."""
    u, w = changed(contacts, k, force, moment)
    bodies = contacts.robot.bias
    store3(bodies, k, 0, add(load3(bodies, k, 0), u))
    store3(bodies, k, 3, add(load3(bodies, k, 3), w))


@compiled
def store_response(contacts, i):
    """1/W of contact i for its normal row and, the least of them, for its rows of friction, normalised."""
    heap = contacts.heap
    a, b = contacts.frame[i], contacts.other[i]
    found = (0.0, 0.0, 0.0)
    if contacts.islands.tree[a] >= 0:
        found = own_response(contacts, heap.jacobian, i, index(a))
    if b >= 0 and contacts.islands.tree[b] >= 0:
        found = add(found, own_response(contacts, heap.other_jacobian, i, index(b)))
    forward, side = contacts.scales[i, 1], contacts.scales[i, 2]
    largest = max(forward * forward * found[1], side * side * found[2])
    contacts.crowd.response[i, 0] = 1.0 / found[0]
    contacts.crowd.response[i, 1] = 1.0 / largest if largest > 0.0 else 0.0


@compiled(inline=True)
def own_response(contacts, jacobian, i, k):
    """J M^-1 J^T of contact i on body k: its three diagonal entries."""
    force, moment = wrench(jacobian, i, (1.0, 0.0, 0.0))
    u, w = changed(contacts, k, force, moment)
    first = dot(force, u) + dot(moment, w)
    force, moment = wrench(jacobian, i, (0.0, 1.0, 0.0))
    u, w = changed(contacts, k, force, moment)
    second = dot(force, u) + dot(moment, w)
    force, moment = wrench(jacobian, i, (0.0, 0.0, 1.0))
    u, w = changed(contacts, k, force, moment)
    return first, second, dot(force, u) + dot(moment, w)
