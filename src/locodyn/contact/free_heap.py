"""Free bodies that touch each other and carry nothing: the linear problem of their island by blocks of six.

What :mod:`locodyn.contact.coupling` does direction by direction for any tree is done here for a whole body at once. With the
rows J_a (3 x 6) of a contact on its frame and J_b on the other one, and its response A,

    M_a += J_a^T A J_a,    M_b += J_b^T A J_b,    U_ab = -J_a^T A J_b,    L_ba = -J_b^T A J_a,

and a frame k that is eliminated before its neighbours b, c leaves

    W_kb = M_k^-1 U_kb,    C_bc -= L_bk W_kc,    f_b -= L_bk M_k^-1 f_k,    x_k = M_k^-1 f_k - sum over b of W_kb x_b.

The order is that of :mod:`locodyn.contact.elimination`. Blocks are stored row by row, (linear; angular), a row as the first six
of eight *lanes* (:func:`~locodyn.kernel.lanes.as_rows`), the last two of which are zero: nearly all of the time goes into
products of blocks, and in lanes these take a small part of it. M_k is factored without pivoting, angular directions first, as in
the recursion. Where only q has changed since, the factors serve again (:func:`heap_again`).
"""

from __future__ import annotations

from locodyn.contact.block import contact_blocks, law_wrench, responds
from locodyn.contact.islands import contact_at, frame_at, index
from locodyn.contact.lone_bodies import is_bare
from locodyn.dynamics.forward_dynamics import WORK
from locodyn.dynamics.inertia import load_inertia
from locodyn.kernel import compiled, fma
from locodyn.kernel.lanes import as_rows
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
        contacts.robot.bias[k, j] = contacts.rhs[i + j]


@compiled
def add_contact(contacts, i):
    """Response of contact i on its bodies."""
    coupling, islands, heap = contacts.coupling, contacts.islands, contacts.heap
    matrix, upper, lower = as_rows(heap.matrix), as_rows(heap.upper), as_rows(heap.lower)
    a, b = contacts.frame[i], contacts.other[i]
    block, _, _ = contact_blocks(contacts, i)
    slot = index(coupling.slot[i]) if coupling.active[i] == 1 else -1
    moves = b >= 0 and islands.tree[b] >= 0
    if islands.tree[a] >= 0:
        answer = answer_rows(as_rows(heap.jacobian), i, block)
        add_product(matrix, index(a), heap.jacobian, i, answer, 1.0)
        if moves:
            answers = answer_rows(as_rows(heap.other_jacobian), i, block)
            add_product(matrix, index(b), heap.other_jacobian, i, answers, 1.0)
            if slot >= 0 and coupling.place[a] < coupling.place[b]:
                add_product(upper, slot, heap.jacobian, i, answers, -1.0)
                add_product(lower, slot, heap.other_jacobian, i, answer, -1.0)
            elif slot >= 0:
                add_product(upper, slot, heap.other_jacobian, i, answer, -1.0)
                add_product(lower, slot, heap.jacobian, i, answers, -1.0)
    elif moves:
        add_product(matrix, index(b), heap.other_jacobian, i, answer_rows(as_rows(heap.other_jacobian), i, block), 1.0)


@compiled
def add_impulse(contacts, i):
    """Impulse that contact i exerts at velocity zero on its bodies."""
    islands, heap, bias = contacts.islands, contacts.heap, contacts.robot.bias
    a, b = contacts.frame[i], contacts.other[i]
    f, _ = law_wrench(contacts, i)
    if islands.tree[a] >= 0:
        push(bias, index(a), heap.jacobian, i, f, 1.0)
    if b >= 0 and islands.tree[b] >= 0:
        push(bias, index(b), heap.other_jacobian, i, f, -1.0)


@compiled
def eliminate_body(contacts, k):
    """Factor M_k; what it leaves to the bodies that are coupled to it. ``bias`` comes to hold M_k^-1 f_k."""
    robot, coupling, heap = contacts.robot, contacts.coupling, contacts.heap
    matrix, upper, lower = as_rows(heap.matrix), as_rows(heap.upper), as_rows(heap.lower)
    first = coupling.first[k]
    last = first + coupling.count[k]
    factor(heap.matrix, k)
    solve_force(heap.matrix, robot.bias, k)
    for e in range(first, last):
        solve_block(heap.matrix, k, upper, index(e))
        b = index(coupling.neighbour[e])
        for r in range(6):
            robot.bias[b, r] -= row_times(heap.lower, index(e), r, robot.bias, k)
        take_product(matrix, b, heap.lower, index(e), upper, index(e))
    for e in range(first, last):
        b = index(coupling.neighbour[e])
        for s in range(coupling.first[b], coupling.first[b] + coupling.count[b]):
            coupling.ready[index(coupling.neighbour[s])] = s  # scratch: the slot of b and each of its neighbours
        for other in range(e + 1, last):
            slot = index(coupling.ready[index(coupling.neighbour[other])])
            take_product(upper, slot, heap.lower, index(e), upper, index(other))
            take_product(lower, slot, heap.lower, index(other), upper, index(e))


@compiled
def eliminate_force(contacts, k):
    """What f_k leaves to the bodies that are coupled to k; ``bias`` comes to hold M_k^-1 f_k."""
    robot, coupling, heap = contacts.robot, contacts.coupling, contacts.heap
    solve_force(heap.matrix, robot.bias, k)
    for e in range(coupling.first[k], coupling.first[k] + coupling.count[k]):
        b = index(coupling.neighbour[e])
        for r in range(6):
            robot.bias[b, r] -= row_times(heap.lower, index(e), r, robot.bias, k)


@compiled
def find_velocity(frames, contacts, frame_work, x, k):
    """x_k from the velocities of the bodies that are eliminated after k."""
    robot, coupling = contacts.robot, contacts.coupling
    i = index(frames[k, FIRST_V])
    for e in range(coupling.first[k], coupling.first[k] + coupling.count[k]):
        b = index(coupling.neighbour[e])
        for r in range(6):
            robot.bias[k, r] -= row_times(contacts.heap.upper, index(e), r, robot.bias, b)
    for j in range(6):
        x[i + j] = robot.bias[k, j]
        frame_work[k, WORK.twist + j] = robot.bias[k, j]


# ------------------------------------------------------------------------------------------------------------- blocks
@compiled(inline=True)
def store8(blocks, k, r, x):
    """Row r of block k := x, six numbers and two zeros."""
    for j in range(8):
        blocks[k, r, j] = x[j] if j < 6 else 0.0


@compiled(inline=True)
def dot6(a, b):
    """a . b."""
    half = fma(a[0], b[0], fma(a[1], b[1], a[2] * b[2]))
    return half + fma(a[3], b[3], fma(a[4], b[4], a[5] * b[5]))


@compiled(inline=True)
def row_times(blocks, e, r, x, k):
    """Row r of block e times x[k] (6,)."""
    a = (blocks[e, r, 0], blocks[e, r, 1], blocks[e, r, 2], blocks[e, r, 3], blocks[e, r, 4], blocks[e, r, 5])
    return dot6(a, (x[k, 0], x[k, 1], x[k, 2], x[k, 3], x[k, 4], x[k, 5]))


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
def push(bias, k, jacobian, i, f, sign):
    """bias[k] += sign J^T f with the three rows J of contact i."""
    for j in range(6):
        bias[k, j] += sign * (jacobian[i, 0, j] * f[0] + jacobian[i, 1, j] * f[1] + jacobian[i, 2, j] * f[2])


@compiled(inline=True)
def take_product(blocks, k, left, n, right, m):
    """blocks[k] -= left[n] right[m]; ``left`` number by number, the others in lanes."""
    b0, b1, b2, b3, b4, b5 = right[m, 0], right[m, 1], right[m, 2], right[m, 3], right[m, 4], right[m, 5]
    for r in range(6):
        x0, x1, x2, x3, x4, x5 = -left[n, r, 0], -left[n, r, 1], -left[n, r, 2], -left[n, r, 3], -left[n, r, 4], -left[n, r, 5]
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
def solve_force(matrix, bias, k):
    """bias[k] := M_k^-1 bias[k]."""
    for p in range(5, 0, -1):
        for r in range(p):
            bias[k, r] -= matrix[k, r, p] * bias[k, p]
    for p in range(6):
        for r in range(p):
            bias[k, p] -= matrix[k, p, r] * bias[k, r]
        bias[k, p] *= matrix[k, p, PIVOT]


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
