"""Free bodies that touch each other and carry nothing: the linear problem of their island by blocks of six.

What :mod:`locodyn.contact.coupling` does direction by direction for any tree is done here for a whole body at once. With the
rows J_a (3 x 6) of a contact on its frame and J_b on the other one, and its response A,

    M_a += J_a^T A J_a,    M_b += J_b^T A J_b,    U_ab = -J_a^T A J_b,    L_ba = -J_b^T A J_a,

and a frame k that is eliminated before its neighbours b, c leaves

    W_kb = M_k^-1 U_kb,    C_bc -= L_bk W_kc,    f_b -= L_bk M_k^-1 f_k,    x_k = M_k^-1 f_k - sum over b of W_kb x_b.

The order is that of :mod:`locodyn.contact.elimination`. Blocks are stored row by row, (linear; angular). M_k is factored
without pivoting, angular directions first, as in the recursion.
"""

from __future__ import annotations

from locodyn.contact.block import contact_blocks, law_wrench, responds
from locodyn.contact.islands import contact_at, frame_at, index
from locodyn.contact.lone_bodies import is_bare
from locodyn.dynamics.forward_dynamics import WORK
from locodyn.dynamics.inertia import load_inertia
from locodyn.kernel import compiled, fma
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
    robot, coupling = contacts.robot, contacts.coupling
    m, h, s = load_inertia(robot.constants, k)
    store6(robot.inertia, k, 0, (m, 0.0, 0.0, 0.0, h[2], -h[1]))
    store6(robot.inertia, k, 6, (0.0, m, 0.0, -h[2], 0.0, h[0]))
    store6(robot.inertia, k, 12, (0.0, 0.0, m, h[1], -h[0], 0.0))
    store6(robot.inertia, k, 18, (0.0, -h[2], h[1], s[0], s[1], s[2]))
    store6(robot.inertia, k, 24, (h[2], 0.0, -h[0], s[1], s[3], s[4]))
    store6(robot.inertia, k, 30, (-h[1], h[0], 0.0, s[2], s[4], s[5]))
    i = index(frames[k, FIRST_V])
    for j in range(6):
        tau[i + j] = contacts.rhs[i + j]
        robot.bias[k, j] = contacts.rhs[i + j]
    for e in range(coupling.first[k], coupling.first[k] + coupling.count[k]):
        for j in range(36):
            coupling.upper[e, j] = 0.0
            coupling.lower[e, j] = 0.0


@compiled
def add_contact(contacts, i):
    """Response and impulse of contact i on its bodies."""
    robot, coupling, islands = contacts.robot, contacts.coupling, contacts.islands
    a, b = contacts.frame[i], contacts.other[i]
    block, _, _ = contact_blocks(contacts, i)
    f, _ = law_wrench(contacts, i)
    slot = index(coupling.slot[i]) if coupling.active[i] == 1 else -1
    moves = b >= 0 and islands.tree[b] >= 0
    if islands.tree[a] >= 0:
        rows = rows_at(contacts.rotation, contacts.position, i)
        answer = times_rows(block, rows)
        add_product(robot.inertia, index(a), rows, answer, 1.0)
        add_impulse(robot.bias, index(a), rows, f, 1.0)
        if moves:
            others = rows_at(contacts.other_rotation, contacts.other_position, i)
            answers = times_rows(block, others)
            add_product(robot.inertia, index(b), others, answers, 1.0)
            add_impulse(robot.bias, index(b), others, f, -1.0)
            if slot >= 0 and coupling.place[a] < coupling.place[b]:
                add_product(coupling.upper, slot, rows, answers, -1.0)
                add_product(coupling.lower, slot, others, answer, -1.0)
            elif slot >= 0:
                add_product(coupling.upper, slot, others, answer, -1.0)
                add_product(coupling.lower, slot, rows, answers, -1.0)
    elif moves:
        others = rows_at(contacts.other_rotation, contacts.other_position, i)
        add_product(robot.inertia, index(b), others, times_rows(block, others), 1.0)
        add_impulse(robot.bias, index(b), others, f, -1.0)


@compiled
def eliminate_body(contacts, k):
    """Factor M_k; what it leaves to the bodies that are coupled to it. ``bias`` comes to hold M_k^-1 f_k."""
    robot, coupling = contacts.robot, contacts.coupling
    matrix = robot.inertia
    factor(matrix, robot.direction_inverse, k, contacts.islands.first_velocity[k])
    first = coupling.first[k]
    last = first + coupling.count[k]
    solve_force(matrix, robot.direction_inverse, robot.bias, k, contacts.islands.first_velocity[k])
    y = load6(robot.bias, k, 0)
    for e in range(first, last):
        solve_block(matrix, robot.direction_inverse, k, contacts.islands.first_velocity[k], coupling.upper, coupling.rows, e)
        b = index(coupling.neighbour[e])
        for r in range(6):
            robot.bias[b, r] -= dot6(load6(coupling.lower, e, 6 * r), y)
        take_product(matrix, b, coupling.lower, e, coupling.rows, e)
    for e in range(first, last):
        b = index(coupling.neighbour[e])
        place = coupling.place[b]
        for s in range(coupling.first[b], coupling.first[b] + coupling.count[b]):
            coupling.ready[index(coupling.neighbour[s])] = s  # scratch: the slot of b and each of its neighbours
        for other in range(first, last):
            c = index(coupling.neighbour[other])
            if coupling.place[c] > place:
                slot = index(coupling.ready[c])
                take_product(coupling.upper, slot, coupling.lower, e, coupling.rows, other)
                take_product(coupling.lower, slot, coupling.lower, other, coupling.rows, e)


@compiled
def find_velocity(frames, contacts, frame_work, x, k):
    """x_k from the velocities of the bodies that are eliminated after k."""
    robot, coupling = contacts.robot, contacts.coupling
    i = index(frames[k, FIRST_V])
    for e in range(coupling.first[k], coupling.first[k] + coupling.count[k]):
        u = load6(frame_work, index(coupling.neighbour[e]), WORK.twist)
        for r in range(6):
            robot.bias[k, r] -= dot6(load6(coupling.rows, e, 6 * r), u)
    for j in range(6):
        x[i + j] = robot.bias[k, j]
        frame_work[k, WORK.twist + j] = robot.bias[k, j]


# ------------------------------------------------------------------------------------------------------------- blocks
@compiled(inline=True)
def load6(a, k, j):
    """a[k, j:j + 6]."""
    return (a[k, j], a[k, j + 1], a[k, j + 2], a[k, j + 3], a[k, j + 4], a[k, j + 5])


@compiled(inline=True)
def store6(a, k, j, x):
    """a[k, j:j + 6] := x."""
    a[k, j], a[k, j + 1], a[k, j + 2] = x[0], x[1], x[2]
    a[k, j + 3], a[k, j + 4], a[k, j + 5] = x[3], x[4], x[5]


@compiled(inline=True)
def dot6(a, b):
    """a . b."""
    half = fma(a[0], b[0], fma(a[1], b[1], a[2] * b[2]))
    return half + fma(a[3], b[3], fma(a[4], b[4], a[5] * b[5]))


@compiled(inline=True)
def add_times6(x, s, y):
    """x + s y."""
    return (
        fma(s, y[0], x[0]), fma(s, y[1], x[1]), fma(s, y[2], x[2]), fma(s, y[3], x[3]), fma(s, y[4], x[4]), fma(s, y[5], x[5]),
    )  # fmt: skip


@compiled(inline=True)
def scale6(s, y):
    """s y."""
    return (s * y[0], s * y[1], s * y[2], s * y[3], s * y[4], s * y[5])


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
def times_rows(block, rows):
    """A J."""
    return (
        add_times6(add_times6(scale6(block[0], rows[0]), block[1], rows[1]), block[2], rows[2]),
        add_times6(add_times6(scale6(block[3], rows[0]), block[4], rows[1]), block[5], rows[2]),
        add_times6(add_times6(scale6(block[6], rows[0]), block[7], rows[1]), block[8], rows[2]),
    )


@compiled(inline=True)
def add_row(blocks, k, j, s0, s1, s2, answer):
    """blocks[k, j:j + 6] += s^T T."""
    x = add_times6(add_times6(load6(blocks, k, j), s0, answer[0]), s1, answer[1])
    store6(blocks, k, j, add_times6(x, s2, answer[2]))


@compiled
def add_product(blocks, k, rows, answer, sign):
    """blocks[k] += sign J^T T for three rows each."""
    a, b, c = scale6(sign, rows[0]), scale6(sign, rows[1]), scale6(sign, rows[2])
    add_row(blocks, k, 0, a[0], b[0], c[0], answer)
    add_row(blocks, k, 6, a[1], b[1], c[1], answer)
    add_row(blocks, k, 12, a[2], b[2], c[2], answer)
    add_row(blocks, k, 18, a[3], b[3], c[3], answer)
    add_row(blocks, k, 24, a[4], b[4], c[4], answer)
    add_row(blocks, k, 30, a[5], b[5], c[5], answer)


@compiled(inline=True)
def add_impulse(bias, k, rows, f, sign):
    """bias[k] += sign J^T f."""
    x = add_times6(load6(bias, k, 0), sign * f[0], rows[0])
    store6(bias, k, 0, add_times6(add_times6(x, sign * f[1], rows[1]), sign * f[2], rows[2]))


@compiled
def take_product(blocks, k, left, n, right, m):
    """blocks[k] -= left[n] right[m]."""
    b0, b1, b2 = load6(right, m, 0), load6(right, m, 6), load6(right, m, 12)
    b3, b4, b5 = load6(right, m, 18), load6(right, m, 24), load6(right, m, 30)
    for r in range(6):
        a = load6(left, n, 6 * r)
        x = add_times6(load6(blocks, k, 6 * r), -a[0], b0)
        x = add_times6(add_times6(x, -a[1], b1), -a[2], b2)
        x = add_times6(add_times6(x, -a[3], b3), -a[4], b4)
        store6(blocks, k, 6 * r, add_times6(x, -a[5], b5))


@compiled
def factor(matrix, inverse, k, i):
    """M_k = L U in its place, from the last direction to the first; inverses of the pivots at i to i + 5."""
    for p in range(5, -1, -1):
        inverse[i + p] = 1.0 / matrix[k, 7 * p]
        for r in range(p):
            f = matrix[k, 6 * r + p] * inverse[i + p]
            matrix[k, 6 * r + p] = f
            for c in range(p):
                matrix[k, 6 * r + c] -= f * matrix[k, 6 * p + c]


@compiled
def solve_force(matrix, inverse, bias, k, i):
    """bias[k] := M_k^-1 bias[k]."""
    for p in range(5, 0, -1):
        for r in range(p):
            bias[k, r] -= matrix[k, 6 * r + p] * bias[k, p]
    for p in range(6):
        for r in range(p):
            bias[k, p] -= matrix[k, 6 * p + r] * bias[k, r]
        bias[k, p] *= inverse[i + p]


@compiled
def solve_block(matrix, inverse, k, i, upper, rows, e):
    """rows[e] := M_k^-1 upper[e]."""
    x0, x1, x2 = load6(upper, e, 0), load6(upper, e, 6), load6(upper, e, 12)
    x3, x4, x5 = load6(upper, e, 18), load6(upper, e, 24), load6(upper, e, 30)
    x4 = add_times6(x4, -matrix[k, 29], x5)
    x3 = add_times6(add_times6(x3, -matrix[k, 23], x5), -matrix[k, 22], x4)
    x2 = add_times6(add_times6(add_times6(x2, -matrix[k, 17], x5), -matrix[k, 16], x4), -matrix[k, 15], x3)
    x1 = add_times6(add_times6(x1, -matrix[k, 11], x5), -matrix[k, 10], x4)
    x1 = add_times6(add_times6(x1, -matrix[k, 9], x3), -matrix[k, 8], x2)
    x0 = add_times6(add_times6(x0, -matrix[k, 5], x5), -matrix[k, 4], x4)
    x0 = add_times6(add_times6(add_times6(x0, -matrix[k, 3], x3), -matrix[k, 2], x2), -matrix[k, 1], x1)
    x0 = scale6(inverse[i], x0)
    x1 = scale6(inverse[i + 1], add_times6(x1, -matrix[k, 6], x0))
    x2 = scale6(inverse[i + 2], add_times6(add_times6(x2, -matrix[k, 12], x0), -matrix[k, 13], x1))
    x3 = add_times6(add_times6(add_times6(x3, -matrix[k, 18], x0), -matrix[k, 19], x1), -matrix[k, 20], x2)
    x3 = scale6(inverse[i + 3], x3)
    x4 = add_times6(add_times6(x4, -matrix[k, 24], x0), -matrix[k, 25], x1)
    x4 = scale6(inverse[i + 4], add_times6(add_times6(x4, -matrix[k, 26], x2), -matrix[k, 27], x3))
    x5 = add_times6(add_times6(add_times6(x5, -matrix[k, 30], x0), -matrix[k, 31], x1), -matrix[k, 32], x2)
    x5 = scale6(inverse[i + 5], add_times6(add_times6(x5, -matrix[k, 33], x3), -matrix[k, 34], x4))
    store6(rows, e, 0, x0)
    store6(rows, e, 6, x1)
    store6(rows, e, 12, x2)
    store6(rows, e, 18, x3)
    store6(rows, e, 24, x4)
    store6(rows, e, 30, x5)
