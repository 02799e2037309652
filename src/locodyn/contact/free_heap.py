"""Free bodies that touch each other and carry nothing: the linear problem of their island by blocks of six.

What :mod:`locodyn.contact.coupling` does direction by direction for any tree is done here for a whole body at once. With the
rows J_a (3 x 6) of a contact on its frame and J_b on the other one, and its response A,

    M_a += J_a^T A J_a,    M_b += J_b^T A J_b,    U_ab = -J_a^T A J_b,    L_ba = -J_b^T A J_a,

and a frame k that is eliminated before its neighbours b, c leaves

    W_kb = M_k^-1 U_kb,    C_bc -= L_bk W_kc,    f_b -= L_bk M_k^-1 f_k,    x_k = M_k^-1 f_k - sum over b of W_kb x_b.

The order is that of :mod:`locodyn.contact.elimination`. Blocks are stored row by row, (linear; angular), a row as two *lanes* of
four numbers (:mod:`locodyn.kernel.lanes`), the last two of which are zero: nearly all of the time goes into products of blocks,
and in lanes these take a third of it. M_k is factored without pivoting, angular directions first, as in the recursion.
"""

from __future__ import annotations

from locodyn.contact.block import contact_blocks, law_wrench, responds
from locodyn.contact.islands import contact_at, frame_at, index
from locodyn.contact.lone_bodies import is_bare
from locodyn.dynamics.forward_dynamics import WORK
from locodyn.dynamics.inertia import load_inertia
from locodyn.kernel import compiled, fma
from locodyn.kernel.lanes import as_lanes
from locodyn.kernel.vector import cross
from locodyn.robot.layout import FIRST_V


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
    for n in range(islands.begin, islands.end):
        begin_body(frames, contacts, tau, frame_at(islands, n))
    for c in range(contacts.begin, contacts.end):
        i = contact_at(contacts, c)
        if responds(contacts, i):
            add_contact(contacts, i)
    for n in range(islands.end - 1, islands.begin - 1, -1):
        eliminate_body(contacts, frame_at(islands, n))
    for n in range(islands.begin, islands.end):
        find_velocity(frames, contacts, frame_work, x, frame_at(islands, n))


@compiled
def begin_body(frames, contacts, tau, k):
    """Inertia and momentum of body k; nothing couples it yet."""
    robot, coupling, matrix = contacts.robot, contacts.coupling, contacts.heap.matrix
    m, h, s = load_inertia(robot.constants, k)
    store8(matrix, k, 0, (m, 0.0, 0.0, 0.0, h[2], -h[1]))
    store8(matrix, k, 1, (0.0, m, 0.0, -h[2], 0.0, h[0]))
    store8(matrix, k, 2, (0.0, 0.0, m, h[1], -h[0], 0.0))
    store8(matrix, k, 3, (0.0, -h[2], h[1], s[0], s[1], s[2]))
    store8(matrix, k, 4, (h[2], 0.0, -h[0], s[1], s[3], s[4]))
    store8(matrix, k, 5, (-h[1], h[0], 0.0, s[2], s[4], s[5]))
    i = index(frames[k, FIRST_V])
    for j in range(6):
        tau[i + j] = contacts.rhs[i + j]
        robot.bias[k, j] = contacts.rhs[i + j]
    upper, lower = as_lanes(contacts.heap.upper), as_lanes(contacts.heap.lower)
    for e in range(coupling.first[k], coupling.first[k] + coupling.count[k]):
        for j in range(12):
            upper[index(e), j] = 0.0
            lower[index(e), j] = 0.0


@compiled
def add_contact(contacts, i):
    """Response and impulse of contact i on its bodies."""
    robot, coupling, islands, heap = contacts.robot, contacts.coupling, contacts.islands, contacts.heap
    matrix, upper, lower = as_lanes(heap.matrix), as_lanes(heap.upper), as_lanes(heap.lower)
    answer, answers = as_lanes(heap.answer), as_lanes(heap.other_answer)
    a, b = contacts.frame[i], contacts.other[i]
    block, _, _ = contact_blocks(contacts, i)
    f, _ = law_wrench(contacts, i)
    slot = index(coupling.slot[i]) if coupling.active[i] == 1 else -1
    moves = b >= 0 and islands.tree[b] >= 0
    if islands.tree[a] >= 0:
        rows = rows_at(contacts.rotation, contacts.position, i)
        store_rows(heap.jacobian, heap.answer, rows, block)
        add_product(matrix, index(a), heap.jacobian, answer, 1.0)
        add_impulse(robot.bias, index(a), rows, f, 1.0)
        if moves:
            others = rows_at(contacts.other_rotation, contacts.other_position, i)
            store_rows(heap.other_jacobian, heap.other_answer, others, block)
            add_product(matrix, index(b), heap.other_jacobian, answers, 1.0)
            add_impulse(robot.bias, index(b), others, f, -1.0)
            if slot >= 0 and coupling.place[a] < coupling.place[b]:
                add_product(upper, slot, heap.jacobian, answers, -1.0)
                add_product(lower, slot, heap.other_jacobian, answer, -1.0)
            elif slot >= 0:
                add_product(upper, slot, heap.other_jacobian, answer, -1.0)
                add_product(lower, slot, heap.jacobian, answers, -1.0)
    elif moves:
        others = rows_at(contacts.other_rotation, contacts.other_position, i)
        store_rows(heap.other_jacobian, heap.other_answer, others, block)
        add_product(matrix, index(b), heap.other_jacobian, answers, 1.0)
        add_impulse(robot.bias, index(b), others, f, -1.0)


@compiled
def eliminate_body(contacts, k):
    """Factor M_k; what it leaves to the bodies that are coupled to it. ``bias`` comes to hold M_k^-1 f_k."""
    robot, coupling, heap = contacts.robot, contacts.coupling, contacts.heap
    matrix, upper, lower, rows = as_lanes(heap.matrix), as_lanes(heap.upper), as_lanes(heap.lower), as_lanes(heap.rows)
    first = coupling.first[k]
    last = first + coupling.count[k]
    place = contacts.islands.first_velocity[k]
    factor(heap.matrix, robot.direction_inverse, k, place)
    solve_force(heap.matrix, robot.direction_inverse, robot.bias, k, place)
    for e in range(first, last):
        solve_block(heap.matrix, robot.direction_inverse, k, place, upper, rows, index(e))
        b = index(coupling.neighbour[e])
        for r in range(6):
            robot.bias[b, r] -= row_times(heap.lower, index(e), r, robot.bias, k)
        take_product(matrix, b, heap.lower, index(e), rows, index(e))
    for e in range(first, last):
        b = index(coupling.neighbour[e])
        place = coupling.place[b]
        for s in range(coupling.first[b], coupling.first[b] + coupling.count[b]):
            coupling.ready[index(coupling.neighbour[s])] = s  # scratch: the slot of b and each of its neighbours
        for other in range(first, last):
            c = index(coupling.neighbour[other])
            if coupling.place[c] > place:
                slot = index(coupling.ready[c])
                take_product(upper, slot, heap.lower, index(e), rows, index(other))
                take_product(lower, slot, heap.lower, index(other), rows, index(e))


@compiled
def find_velocity(frames, contacts, frame_work, x, k):
    """x_k from the velocities of the bodies that are eliminated after k."""
    robot, coupling = contacts.robot, contacts.coupling
    i = index(frames[k, FIRST_V])
    for e in range(coupling.first[k], coupling.first[k] + coupling.count[k]):
        b = index(coupling.neighbour[e])
        for r in range(6):
            robot.bias[k, r] -= row_times(contacts.heap.rows, index(e), r, robot.bias, b)
    for j in range(6):
        x[i + j] = robot.bias[k, j]
        frame_work[k, WORK.twist + j] = robot.bias[k, j]


# ------------------------------------------------------------------------------------------------------------- blocks
@compiled(inline=True)
def entry(blocks, k, r, c):
    """Entry (r, c) of block k."""
    return blocks[k, 2 * r + (c >> 2), c & 3]


@compiled(inline=True)
def store8(blocks, k, r, x):
    """Row r of block k := x, six numbers and two zeros."""
    for j in range(4):
        blocks[k, 2 * r, j] = x[j]
        blocks[k, 2 * r + 1, j] = x[4 + j] if j < 2 else 0.0


@compiled(inline=True)
def dot6(a, b):
    """a . b."""
    half = fma(a[0], b[0], fma(a[1], b[1], a[2] * b[2]))
    return half + fma(a[3], b[3], fma(a[4], b[4], a[5] * b[5]))


@compiled(inline=True)
def row_times(blocks, e, r, x, k):
    """Row r of block e times x[k] (6,)."""
    a = (blocks[e, 2 * r, 0], blocks[e, 2 * r, 1], blocks[e, 2 * r, 2], blocks[e, 2 * r, 3], blocks[e, 2 * r + 1, 0],
         blocks[e, 2 * r + 1, 1])  # fmt: skip
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
def combined(x, y, z, a, b, c):
    """a x + b y + c z, six numbers each."""
    return (
        fma(c, z[0], fma(b, y[0], a * x[0])), fma(c, z[1], fma(b, y[1], a * x[1])), fma(c, z[2], fma(b, y[2], a * x[2])),
        fma(c, z[3], fma(b, y[3], a * x[3])), fma(c, z[4], fma(b, y[4], a * x[4])), fma(c, z[5], fma(b, y[5], a * x[5])),
    )  # fmt: skip


@compiled(inline=True)
def store_rows(jacobian, answer, rows, block):
    """``jacobian`` := J and ``answer`` := A J, three rows each; the two numbers behind a row stay zero."""
    for j in range(3):
        t = combined(rows[0], rows[1], rows[2], block[3 * j], block[3 * j + 1], block[3 * j + 2])
        for c in range(6):
            jacobian[2 * j + (c >> 2), c & 3] = rows[j][c]
            answer[2 * j + (c >> 2), c & 3] = t[c]


@compiled(inline=True)
def add_product(blocks, k, jacobian, answer, sign):
    """blocks[k] += sign J^T T for three rows each; T and the blocks in lanes."""
    x0, x1, y0, y1, z0, z1 = answer[0], answer[1], answer[2], answer[3], answer[4], answer[5]
    for r in range(6):
        a = sign * jacobian[r >> 2, r & 3]
        b = sign * jacobian[2 + (r >> 2), r & 3]
        c = sign * jacobian[4 + (r >> 2), r & 3]
        blocks[k, 2 * r] = fma(c, z0, fma(b, y0, fma(a, x0, blocks[k, 2 * r])))
        blocks[k, 2 * r + 1] = fma(c, z1, fma(b, y1, fma(a, x1, blocks[k, 2 * r + 1])))


@compiled(inline=True)
def add_impulse(bias, k, rows, f, sign):
    """bias[k] += sign J^T f."""
    for j in range(6):
        bias[k, j] += sign * (rows[0][j] * f[0] + rows[1][j] * f[1] + rows[2][j] * f[2])


@compiled
def take_product(blocks, k, left, n, right, m):
    """blocks[k] -= left[n] right[m]; ``left`` number by number, the others in lanes."""
    b0, b1, b2, b3, b4, b5 = right[m, 0], right[m, 2], right[m, 4], right[m, 6], right[m, 8], right[m, 10]
    c0, c1, c2, c3, c4, c5 = right[m, 1], right[m, 3], right[m, 5], right[m, 7], right[m, 9], right[m, 11]
    for r in range(6):
        x0, x1, x2, x3 = -left[n, 2 * r, 0], -left[n, 2 * r, 1], -left[n, 2 * r, 2], -left[n, 2 * r, 3]
        x4, x5 = -left[n, 2 * r + 1, 0], -left[n, 2 * r + 1, 1]
        first = fma(x2, b2, fma(x1, b1, fma(x0, b0, blocks[k, 2 * r])))
        blocks[k, 2 * r] = fma(x5, b5, fma(x4, b4, fma(x3, b3, first)))
        second = fma(x2, c2, fma(x1, c1, fma(x0, c0, blocks[k, 2 * r + 1])))
        blocks[k, 2 * r + 1] = fma(x5, c5, fma(x4, c4, fma(x3, c3, second)))


@compiled
def factor(matrix, inverse, k, i):
    """M_k = L U in its place, from the last direction to the first; inverses of the pivots at i to i + 5."""
    for p in range(5, -1, -1):
        inverse[i + p] = 1.0 / entry(matrix, k, p, p)
        for r in range(p):
            f = entry(matrix, k, r, p) * inverse[i + p]
            matrix[k, 2 * r + (p >> 2), p & 3] = f
            for c in range(p):
                matrix[k, 2 * r + (c >> 2), c & 3] -= f * entry(matrix, k, p, c)


@compiled
def solve_force(matrix, inverse, bias, k, i):
    """bias[k] := M_k^-1 bias[k]."""
    for p in range(5, 0, -1):
        for r in range(p):
            bias[k, r] -= entry(matrix, k, r, p) * bias[k, p]
    for p in range(6):
        for r in range(p):
            bias[k, p] -= entry(matrix, k, p, r) * bias[k, r]
        bias[k, p] *= inverse[i + p]


@compiled
def solve_block(matrix, inverse, k, i, upper, rows, e):
    """rows[e] := M_k^-1 upper[e]; both in lanes."""
    for half in range(2):
        x0, x1, x2 = upper[e, half], upper[e, 2 + half], upper[e, 4 + half]
        x3, x4, x5 = upper[e, 6 + half], upper[e, 8 + half], upper[e, 10 + half]
        x4 = fma(-entry(matrix, k, 4, 5), x5, x4)
        x3 = fma(-entry(matrix, k, 3, 4), x4, fma(-entry(matrix, k, 3, 5), x5, x3))
        x2 = fma(-entry(matrix, k, 2, 3), x3, fma(-entry(matrix, k, 2, 4), x4, fma(-entry(matrix, k, 2, 5), x5, x2)))
        x1 = fma(-entry(matrix, k, 1, 4), x4, fma(-entry(matrix, k, 1, 5), x5, x1))
        x1 = fma(-entry(matrix, k, 1, 2), x2, fma(-entry(matrix, k, 1, 3), x3, x1))
        x0 = fma(-entry(matrix, k, 0, 4), x4, fma(-entry(matrix, k, 0, 5), x5, x0))
        x0 = fma(-entry(matrix, k, 0, 1), x1, fma(-entry(matrix, k, 0, 2), x2, fma(-entry(matrix, k, 0, 3), x3, x0)))
        x0 = inverse[i] * x0
        x1 = inverse[i + 1] * fma(-entry(matrix, k, 1, 0), x0, x1)
        x2 = inverse[i + 2] * fma(-entry(matrix, k, 2, 1), x1, fma(-entry(matrix, k, 2, 0), x0, x2))
        x3 = fma(-entry(matrix, k, 3, 1), x1, fma(-entry(matrix, k, 3, 0), x0, x3))
        x3 = inverse[i + 3] * fma(-entry(matrix, k, 3, 2), x2, x3)
        x4 = fma(-entry(matrix, k, 4, 1), x1, fma(-entry(matrix, k, 4, 0), x0, x4))
        x4 = inverse[i + 4] * fma(-entry(matrix, k, 4, 3), x3, fma(-entry(matrix, k, 4, 2), x2, x4))
        x5 = fma(-entry(matrix, k, 5, 2), x2, fma(-entry(matrix, k, 5, 1), x1, fma(-entry(matrix, k, 5, 0), x0, x5)))
        x5 = inverse[i + 5] * fma(-entry(matrix, k, 5, 4), x4, fma(-entry(matrix, k, 5, 3), x3, x5))
        rows[e, half] = x0
        rows[e, 2 + half] = x1
        rows[e, 4 + half] = x2
        rows[e, 6 + half] = x3
        rows[e, 8 + half] = x4
        rows[e, 10 + half] = x5
