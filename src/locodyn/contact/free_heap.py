"""Free bodies that touch each other and carry nothing: the linear problem of their island by blocks of six.

What :mod:`locodyn.contact.coupling` does direction by direction for any tree is done here for a whole body at once. With the
rows J_a (3 x 6) of a contact on its frame and J_b on the other one, and its response A,

    M_a += J_a^T A J_a,    M_b += J_b^T A J_b,    U_ab = -J_a^T A J_b,    L_ba = -J_b^T A J_a,

and a frame k that is eliminated before its neighbours b, c leaves

    W_kb = M_k^-1 U_kb,    C_bc -= L_bk W_kc,    f_b -= L_bk M_k^-1 f_k,    x_k = M_k^-1 f_k - sum over b of W_kb x_b.

The order is that of :mod:`locodyn.contact.elimination`. Blocks are stored row by row, (linear; angular), L column by column, a
row as the first six of eight *lanes* (:func:`~locodyn.kernel.lanes.as_rows`), the last two of which are zero: nearly all of the
time goes into products of blocks, and in lanes these take a small part of it. M_k is factored without pivoting, angular
directions first, as in the recursion. Where only q has changed since, the factors serve again (:func:`heap_again`).
"""

from __future__ import annotations

from locodyn.contact.block import contact_blocks, law_wrench, responds
from locodyn.contact.islands import contact_at, frame_at, index
from locodyn.contact.lone_bodies import is_bare
from locodyn.dynamics.forward_dynamics import WORK
from locodyn.dynamics.inertia import load_inertia
from locodyn.kernel import compiled, fma
from locodyn.kernel.lanes import as_rows, sum_of_lanes
from locodyn.kernel.vector import cross
from locodyn.robot.layout import FIRST_V

PIVOT = 6  # lane behind a row


@compiled
def is_free_heap(contacts):
    """Whether the island at hand is of free bodies alone, and no contact opposes turning."""
    islands = contacts.islands
    for n in range(islands.begin, islands.end):
        k = frame_at(islands, n)
        if islands.lone[k] == 0 or not is_bare(contacts.robot.constants, k):
            return False
    for c in range(contacts.begin, contacts.end):
        i = contact_at(contacts, c)
        if contacts.scales[i, 3] > 0.0 or contacts.scales[i, 4] > 0.0:
            return False
    return True


@compiled(late=())
def heap_velocity(frames, contacts, frame_work, x, tau):
    """:func:`~locodyn.contact.recursion.recursive_velocity` of such an island, ordered for elimination."""
    islands = contacts.islands
    if contacts.heap.filled == 0:
        fill_rows(contacts)
    for n in range(islands.begin, islands.end):
        begin_body(contacts, frame_at(islands, n))
        begin_force(frames, contacts, tau, frame_at(islands, n))
    for c in range(contacts.begin, contacts.end):
        i = contact_at(contacts, c)
        if responds(contacts, i):
            add_contact(contacts, i)
            add_impulse(contacts, i)
    for n in range(islands.end - 1, islands.begin - 1, -1):
        eliminate_body(contacts, frame_at(islands, n))
    for n in range(islands.begin, islands.end):
        find_velocity(frames, contacts, frame_work, x, frame_at(islands, n))


@compiled
def heap_again(frames, contacts, frame_work, x, tau):
    """:func:`heap_velocity` with the factors of the last time, where only the offsets of the law have changed since."""
    islands = contacts.islands
    for n in range(islands.begin, islands.end):
        begin_force(frames, contacts, tau, frame_at(islands, n))
    for c in range(contacts.begin, contacts.end):
        add_impulse(contacts, contact_at(contacts, c))
    for n in range(islands.end - 1, islands.begin - 1, -1):
        eliminate_force(contacts, frame_at(islands, n))
    for n in range(islands.begin, islands.end):
        find_velocity(frames, contacts, frame_work, x, frame_at(islands, n))


@compiled
def fill_rows(contacts):
    """Rows of all closed contacts on their two frames."""
    heap, islands = contacts.heap, contacts.islands
    for i in range(contacts.closed):
        store_rows(heap.jacobian, i, rows_at(contacts.rotation, contacts.position, i))
        if contacts.other[i] >= 0 and islands.tree[contacts.other[i]] >= 0:
            store_rows(heap.other_jacobian, i, rows_at(contacts.other_rotation, contacts.other_position, i))
    heap.filled, heap.swept = 1, 0


@compiled
def begin_body(contacts, k):
    """Inertia of body k; nothing couples it yet."""
    coupling, matrix = contacts.coupling, contacts.heap.matrix
    m, h, s = load_inertia(contacts.robot.constants, k)
    store8(matrix, k, 0, (m, 0.0, 0.0, 0.0, h[2], -h[1]))
    store8(matrix, k, 1, (0.0, m, 0.0, -h[2], 0.0, h[0]))
    store8(matrix, k, 2, (0.0, 0.0, m, h[1], -h[0], 0.0))
    store8(matrix, k, 3, (0.0, -h[2], h[1], s[0], s[1], s[2]))
    store8(matrix, k, 4, (h[2], 0.0, -h[0], s[1], s[3], s[4]))
    store8(matrix, k, 5, (-h[1], h[0], 0.0, s[2], s[4], s[5]))
    upper, lower = as_rows(contacts.heap.upper), as_rows(contacts.heap.lower)
    for e in range(coupling.first[k], coupling.first[k] + coupling.count[k]):
        for j in range(6):
            upper[index(e), j] = 0.0
            lower[index(e), j] = 0.0


@compiled
def begin_force(frames, contacts, tau, k):
    """Momentum of body k."""
    i = index(frames[k, FIRST_V])
    for j in range(6):
        tau[i + j] = contacts.rhs[i + j]
        contacts.heap.twist[k, j] = contacts.rhs[i + j]


@compiled
def add_contact(contacts, i):
    """Response of contact i on its bodies."""
    coupling, islands, heap = contacts.coupling, contacts.islands, contacts.heap
    matrix, upper, lower = as_rows(heap.matrix), as_rows(heap.upper), as_rows(heap.lower)
    jacobian, others = as_rows(heap.jacobian), as_rows(heap.other_jacobian)
    a, b = contacts.frame[i], contacts.other[i]
    block, _, _ = contact_blocks(contacts, i)
    turned = (block[0], block[3], block[6], block[1], block[4], block[7], block[2], block[5], block[8])
    slot = index(coupling.slot[i]) if coupling.active[i] == 1 else -1
    moves = b >= 0 and islands.tree[b] >= 0
    if islands.tree[a] >= 0:
        answer = answer_rows(jacobian, i, block)
        add_product(matrix, index(a), heap.jacobian, i, answer, 1.0)
        if moves:
            answers = answer_rows(others, i, block)
            add_product(matrix, index(b), heap.other_jacobian, i, answers, 1.0)
            if slot >= 0 and coupling.place[a] < coupling.place[b]:
                add_product(upper, slot, heap.jacobian, i, answers, -1.0)
                add_product(lower, slot, heap.jacobian, i, answer_rows(others, i, turned), -1.0)
            elif slot >= 0:
                add_product(upper, slot, heap.other_jacobian, i, answer, -1.0)
                add_product(lower, slot, heap.other_jacobian, i, answer_rows(jacobian, i, turned), -1.0)
    elif moves:
        add_product(matrix, index(b), heap.other_jacobian, i, answer_rows(others, i, block), 1.0)


@compiled
def add_impulse(contacts, i):
    """Impulse that contact i exerts at velocity zero on its bodies."""
    islands, heap = contacts.islands, contacts.heap
    twist = as_rows(heap.twist)
    a, b = contacts.frame[i], contacts.other[i]
    f, _ = law_wrench(contacts, i)
    if islands.tree[a] >= 0:
        push(twist, index(a), as_rows(heap.jacobian), i, f)
    if b >= 0 and islands.tree[b] >= 0:
        push(twist, index(b), as_rows(heap.other_jacobian), i, (-f[0], -f[1], -f[2]))


@compiled
def eliminate_body(contacts, k):
    """Factor M_k; what it leaves to the bodies that are coupled to it. ``twist`` comes to hold M_k^-1 f_k."""
    coupling, heap = contacts.coupling, contacts.heap
    matrix, upper, lower = as_rows(heap.matrix), as_rows(heap.upper), as_rows(heap.lower)
    first = coupling.first[k]
    last = first + coupling.count[k]
    factor(heap.matrix, k)
    solve_force(heap.matrix, heap.twist, k)
    for e in range(first, last):
        solve_block(heap.matrix, k, upper, index(e))
        b = index(coupling.neighbour[e])
        leave_force(heap.twist, b, lower, index(e), k)
        take_product(matrix, b, heap.lower, index(e), upper, index(e))
    for e in range(first, last):
        b = index(coupling.neighbour[e])
        for s in range(coupling.first[b], coupling.first[b] + coupling.count[b]):
            coupling.ready[index(coupling.neighbour[s])] = s  # scratch: the slot of b and each of its neighbours
        for other in range(e + 1, last):
            slot = index(coupling.ready[index(coupling.neighbour[other])])
            take_product(upper, slot, heap.lower, index(e), upper, index(other))
            take_product(lower, slot, heap.upper, index(e), lower, index(other))


@compiled
def eliminate_force(contacts, k):
    """What f_k leaves to the bodies that are coupled to k; ``twist`` comes to hold M_k^-1 f_k."""
    coupling, heap = contacts.coupling, contacts.heap
    solve_force(heap.matrix, heap.twist, k)
    for e in range(coupling.first[k], coupling.first[k] + coupling.count[k]):
        leave_force(heap.twist, index(coupling.neighbour[e]), as_rows(heap.lower), index(e), k)


@compiled
def find_velocity(frames, contacts, frame_work, x, k):
    """x_k from the velocities of the bodies that are eliminated after k."""
    coupling, heap = contacts.coupling, contacts.heap
    upper, twist, v = as_rows(heap.upper), as_rows(heap.twist), heap.twist
    i = index(frames[k, FIRST_V])
    first = coupling.first[k]
    last = first + coupling.count[k]
    if last > first:
        zero = 0.0 * upper[index(first), 0]
        a, b, c, d, e, f = zero, zero, zero, zero, zero, zero
        for m in range(first, last):
            n, x_b = index(m), twist[index(coupling.neighbour[m])]
            a, b, c = fma(upper[n, 0], x_b, a), fma(upper[n, 1], x_b, b), fma(upper[n, 2], x_b, c)
            d, e, f = fma(upper[n, 3], x_b, d), fma(upper[n, 4], x_b, e), fma(upper[n, 5], x_b, f)
        v[k, 0], v[k, 1], v[k, 2] = v[k, 0] - sum_of_lanes(a), v[k, 1] - sum_of_lanes(b), v[k, 2] - sum_of_lanes(c)
        v[k, 3], v[k, 4], v[k, 5] = v[k, 3] - sum_of_lanes(d), v[k, 4] - sum_of_lanes(e), v[k, 5] - sum_of_lanes(f)
    for j in range(6):
        x[i + j] = v[k, j]
        frame_work[k, WORK.twist + j] = v[k, j]


# ------------------------------------------------------------------------------------------------------------- blocks
@compiled(inline=True)
def store8(blocks, k, r, x):
    """Row r of block k := x, six numbers and two zeros."""
    for j in range(8):
        blocks[k, r, j] = x[j] if j < 6 else 0.0


@compiled(inline=True)
def leave_force(twist, b, lower, e, k):
    """twist[b] -= L_bk twist[k], L in columns."""
    rows = as_rows(twist)
    f = (-twist[k, 0], -twist[k, 1], -twist[k, 2], -twist[k, 3], -twist[k, 4], -twist[k, 5])
    first = fma(lower[e, 2], f[2], fma(lower[e, 1], f[1], fma(lower[e, 0], f[0], rows[b])))
    rows[b] = fma(lower[e, 5], f[5], fma(lower[e, 4], f[4], fma(lower[e, 3], f[3], first)))


@compiled(inline=True)
def rows_at(rotation, position, i):
    """J of contact i, three rows of six: an axis d of the contact at the point p sees the velocity d . v + (p x d) . w."""
    p = (position[i, 0], position[i, 1], position[i, 2])
    first = (rotation[i, 0], rotation[i, 3], rotation[i, 6])
    second = (rotation[i, 1], rotation[i, 4], rotation[i, 7])
    third = (rotation[i, 2], rotation[i, 5], rotation[i, 8])
    a, b, c = cross(p, first), cross(p, second), cross(p, third)
    return (
        (first[0], first[1], first[2], a[0], a[1], a[2]),
        (second[0], second[1], second[2], b[0], b[1], b[2]),
        (third[0], third[1], third[2], c[0], c[1], c[2]),
    )


@compiled(inline=True)
def store_rows(jacobian, i, rows):
    """The three rows of contact i."""
    store8(jacobian, i, 0, rows[0])
    store8(jacobian, i, 1, rows[1])
    store8(jacobian, i, 2, rows[2])


@compiled(inline=True)
def answer_rows(jacobian, i, block):
    """A J of contact i, three rows in lanes."""
    x, y, z = jacobian[i, 0], jacobian[i, 1], jacobian[i, 2]
    return (
        fma(block[2], z, fma(block[1], y, block[0] * x)),
        fma(block[5], z, fma(block[4], y, block[3] * x)),
        fma(block[8], z, fma(block[7], y, block[6] * x)),
    )


@compiled(inline=True)
def add_product(blocks, k, jacobian, i, answer, sign):
    """blocks[k] += sign J^T T with the three rows J of contact i, number by number, and T in lanes."""
    x, y, z = sign * answer[0], sign * answer[1], sign * answer[2]
    for r in range(6):
        a, b, c = jacobian[i, 0, r], jacobian[i, 1, r], jacobian[i, 2, r]
        blocks[k, r] = fma(c, z, fma(b, y, fma(a, x, blocks[k, r])))


@compiled(inline=True)
def push(twist, k, jacobian, i, f):
    """twist[k] += J^T f with the three rows J of contact i, in lanes."""
    twist[k] = fma(jacobian[i, 2], f[2], fma(jacobian[i, 1], f[1], fma(jacobian[i, 0], f[0], twist[k])))


@compiled(inline=True)
def take_product(blocks, k, left, n, right, m):
    """blocks[k] -= left[n]^T right[m]; ``left`` number by number, the others in lanes."""
    b0, b1, b2, b3, b4, b5 = right[m, 0], right[m, 1], right[m, 2], right[m, 3], right[m, 4], right[m, 5]
    for r in range(6):
        x0, x1, x2, x3, x4, x5 = -left[n, 0, r], -left[n, 1, r], -left[n, 2, r], -left[n, 3, r], -left[n, 4, r], -left[n, 5, r]
        first = fma(x2, b2, fma(x1, b1, fma(x0, b0, blocks[k, r])))
        blocks[k, r] = fma(x5, b5, fma(x4, b4, fma(x3, b3, first)))


@compiled(inline=True)
def factor(matrix, k):
    """M_k = L U in its place, from the last direction to the first; inverses of the pivots behind the rows."""
    for p in range(5, -1, -1):
        inverse = 1.0 / matrix[k, p, p]
        matrix[k, p, PIVOT] = inverse
        for r in range(p):
            f = matrix[k, r, p] * inverse
            matrix[k, r, p] = f
            for c in range(p):
                matrix[k, r, c] -= f * matrix[k, p, c]


@compiled(inline=True)
def solve_force(matrix, twist, k):
    """twist[k] := M_k^-1 twist[k]."""
    for p in range(5, 0, -1):
        for r in range(p):
            twist[k, r] -= matrix[k, r, p] * twist[k, p]
    for p in range(6):
        for r in range(p):
            twist[k, p] -= matrix[k, p, r] * twist[k, r]
        twist[k, p] *= matrix[k, p, PIVOT]


@compiled(inline=True)
def solve_block(matrix, k, blocks, e):
    """blocks[e] := M_k^-1 blocks[e], in lanes."""
    m = matrix
    x0, x1, x2, x3, x4, x5 = blocks[e, 0], blocks[e, 1], blocks[e, 2], blocks[e, 3], blocks[e, 4], blocks[e, 5]
    x4 = fma(-m[k, 4, 5], x5, x4)
    x3 = fma(-m[k, 3, 4], x4, fma(-m[k, 3, 5], x5, x3))
    x2 = fma(-m[k, 2, 3], x3, fma(-m[k, 2, 4], x4, fma(-m[k, 2, 5], x5, x2)))
    x1 = fma(-m[k, 1, 4], x4, fma(-m[k, 1, 5], x5, x1))
    x1 = fma(-m[k, 1, 2], x2, fma(-m[k, 1, 3], x3, x1))
    x0 = fma(-m[k, 0, 4], x4, fma(-m[k, 0, 5], x5, x0))
    x0 = fma(-m[k, 0, 1], x1, fma(-m[k, 0, 2], x2, fma(-m[k, 0, 3], x3, x0)))
    x0 = m[k, 0, PIVOT] * x0
    x1 = m[k, 1, PIVOT] * fma(-m[k, 1, 0], x0, x1)
    x2 = m[k, 2, PIVOT] * fma(-m[k, 2, 1], x1, fma(-m[k, 2, 0], x0, x2))
    x3 = fma(-m[k, 3, 1], x1, fma(-m[k, 3, 0], x0, x3))
    x3 = m[k, 3, PIVOT] * fma(-m[k, 3, 2], x2, x3)
    x4 = fma(-m[k, 4, 1], x1, fma(-m[k, 4, 0], x0, x4))
    x4 = m[k, 4, PIVOT] * fma(-m[k, 4, 3], x3, fma(-m[k, 4, 2], x2, x4))
    x5 = fma(-m[k, 5, 2], x2, fma(-m[k, 5, 1], x1, fma(-m[k, 5, 0], x0, x5)))
    x5 = m[k, 5, PIVOT] * fma(-m[k, 5, 4], x4, fma(-m[k, 5, 3], x3, x5))
    blocks[e, 0] = x0
    blocks[e, 1] = x1
    blocks[e, 2] = x2
    blocks[e, 3] = x3
    blocks[e, 4] = x4
    blocks[e, 5] = x5
