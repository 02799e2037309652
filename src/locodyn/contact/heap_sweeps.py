"""Where the search of a heap of free bodies begins: a few sweeps over its contacts, each solved by itself (Moreau 1999).

With the velocities V of the bodies carried along, contact i takes

    z_N := max(0, z_N - w_N / W_NN),      z_T := proj_{z_N}(z_T - w_T / W_TT),      w = J V + shift,

W = J M^-1 J^T being its own response, and V changes by M^-1 J^T times the change of z, body by body. The columns of J and the
rows of J M^-1 go through SIMD registers. A sweep costs a small part of an iteration of :mod:`locodyn.contact.smoothing`, goes one
way through the heap and the next one back, and finds which contacts an impact closes; what it leaves falls slowly, so that a few
of them are enough. Every pair satisfies the dynamics.
"""

from __future__ import annotations

from locodyn.contact.free_heap import fill_rows
from locodyn.contact.islands import contact_at, frame_at, index, sort_islands, touches_nothing_fixed
from locodyn.contact.law import copy_rows, is_plain, natural_residual
from locodyn.contact.lone_bodies import is_bare
from locodyn.dynamics.inertia import load_inertia
from locodyn.kernel import compiled, fma, sqrt
from locodyn.kernel.lanes import as_lanes, as_rows, first_three
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
    islands, heap = contacts.islands, contacts.heap
    if heap.filled == 0:
        fill_rows(contacts)
    if heap.swept == 0:
        fill_sides(contacts)
    for n in range(islands.begin, islands.end):
        k = frame_at(islands, n)
        if islands.tree[k] < 0:
            continue
        i = index(frames[k, FIRST_V])
        force = (contacts.rhs[i], contacts.rhs[i + 1], contacts.rhs[i + 2])
        moment = (contacts.rhs[i + 3], contacts.rhs[i + 4], contacts.rhs[i + 5])
        u, w = changed(heap.inverse, k, force, moment)
        for j in range(3):
            heap.twist[k, j] = u[j]
            heap.twist[k, 3 + j] = w[j]
    for c in range(contacts.begin, contacts.end):
        i = contact_at(contacts, c)
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
            x[i + j] = heap.twist[k, j]


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
    heap = contacts.heap
    w = seen(as_lanes(heap.sees), i, heap.twist, index(contacts.frame[i]))
    if contacts.other[i] >= 0:
        w = w + seen(as_lanes(heap.other_sees), i, heap.twist, index(contacts.other[i]))
    u = first_three(w)
    return u[0] + contacts.shift[i], u[1], u[2]


@compiled(inline=True)
def seen(sees, i, v, k):
    """Columns of contact i times the twist of body k, in lanes."""
    linear = fma(sees[i, 2], v[k, 2], fma(sees[i, 1], v[k, 1], sees[i, 0] * v[k, 0]))
    return linear + fma(sees[i, 5], v[k, 5], fma(sees[i, 4], v[k, 4], sees[i, 3] * v[k, 3]))


@compiled(inline=True)
def push_bodies(contacts, i, z):
    """The bodies of contact i under the normalised impulse z."""
    heap = contacts.heap
    push_body(as_rows(heap.twist), index(contacts.frame[i]), as_rows(heap.moves), i, z)
    if contacts.other[i] >= 0:
        push_body(as_rows(heap.twist), index(contacts.other[i]), as_rows(heap.other_moves), i, z)


@compiled(inline=True)
def push_body(twist, k, moves, i, z):
    """V_k += M_k^-1 J^T z of contact i, in lanes."""
    twist[k] = fma(moves[i, 2], z[2], fma(moves[i, 1], z[1], fma(moves[i, 0], z[0], twist[k])))


@compiled
def fill_sides(contacts):
    """What every closed contact sees of its two bodies and how it moves them, and its own response; they stay for the step."""
    islands, heap = contacts.islands, contacts.heap
    for k in range(islands.tree.shape[0]):
        if islands.tree[k] >= 0 and islands.lone[k] != 0:
            store_inverse(contacts, k)
        else:  # its columns are zero, but zero times a NaN that an earlier run left would be NaN
            for j in range(6):
                heap.twist[k, j] = 0.0
    for i in range(contacts.closed):
        fill_side(contacts, i, contacts.frame[i], heap.jacobian, 1.0, heap.sees, heap.moves)
        if contacts.other[i] >= 0:
            fill_side(contacts, i, contacts.other[i], heap.other_jacobian, -1.0, heap.other_sees, heap.other_moves)
        store_response(contacts, i)
    heap.swept = 1


@compiled
def fill_side(contacts, i, k, jacobian, sign, sees, moves):
    """Normalised rows s J of contact i on body k, column by column, and M_k^-1 times each of them; zero where that is no body."""
    free = contacts.islands.tree[k] >= 0 and contacts.islands.lone[k] != 0
    for r in range(3):
        force, moment = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        u, w = force, moment
        if free:
            s = sign * contacts.scales[i, r]
            force, moment = scale(s, load_row(jacobian, i, r, 0)), scale(s, load_row(jacobian, i, r, 3))
            u, w = changed(contacts.heap.inverse, k, force, moment)
        for j in range(3):
            sees[i, j, r] = force[j]
            sees[i, 3 + j, r] = moment[j]
            moves[i, r, j] = u[j]
            moves[i, r, 3 + j] = w[j]


@compiled(inline=True)
def load_row(jacobian, i, r, j):
    """Three numbers of row r of contact i."""
    return jacobian[i, r, j], jacobian[i, r, j + 1], jacobian[i, r, j + 2]


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
def changed(inverse, k, force, moment):
    """M_k^-1 (force; moment)."""
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
def store_response(contacts, i):
    """1/W of contact i for its normal row and, the least of them, for its rows of friction, normalised."""
    heap = contacts.heap
    normal = own_response(heap.sees, heap.moves, i, 0)
    forward = own_response(heap.sees, heap.moves, i, 1)
    side = own_response(heap.sees, heap.moves, i, 2)
    if contacts.other[i] >= 0:
        normal += own_response(heap.other_sees, heap.other_moves, i, 0)
        forward += own_response(heap.other_sees, heap.other_moves, i, 1)
        side += own_response(heap.other_sees, heap.other_moves, i, 2)
    largest = max(forward, side)
    contacts.crowd.response[i, 0] = 1.0 / normal
    contacts.crowd.response[i, 1] = 1.0 / largest if largest > 0.0 else 0.0


@compiled(inline=True)
def own_response(sees, moves, i, r):
    """Row r of contact i times M^-1 times itself."""
    total = 0.0
    for j in range(6):
        total += sees[i, j, r] * moves[i, r, j]
    return total
