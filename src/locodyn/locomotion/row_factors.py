"""The solver of bilateral rows: rank, independent rows, kernel, smallest steps and smallest forces, decided here for all.

With J the rows along the free coordinates E, in units that make lengths and angles compare, the rank-revealing factorisation

    J_E^T P = Q R

answers all that is asked of rows: its rank; the first columns of P, rows that are independent; the columns of Q, first the
range of J_E^T, then the kernel of J_E; steps of smallest norm with J_E x = d; and, with weights, multipliers of smallest norm
with J_E^T lambda = f. Runs use it (:mod:`locodyn.locomotion.constrained`), steps of hard contact
(:mod:`locodyn.locomotion.contact.bilateral`), implicit steps (:mod:`locodyn.integrate.implicit.matrix`), and, through
:mod:`locodyn.locomotion.row_solver`, statics and connections. Runs of robots with many loops, implicit ones too, solve the
independent rows along their paths (:mod:`locodyn.locomotion.path_solver`) as long as their rank is beyond doubt.
"""

from __future__ import annotations

from locodyn.kernel import compiled, lit, select_lt
from locodyn.kernel.agreement import differs, first_of, first_place, larger, magnitude, picked, picked_from, place
from locodyn.kernel.dense import pivoted_qr, smallest_solution, smallest_step, solve_positive
from locodyn.locomotion.path_rank import factor_paths, find_paths
from locodyn.locomotion.path_solver import path_forces, path_step
from locodyn.locomotion.row_jacobian import rod_columns, row_jacobian, rows_at
from locodyn.world.rows import FORCE

CLOSED = 1e-11  # residual, relative to the size of its row: nearer to closure, the tolerance of the rank alone judges
SPREAD = 10.0  # change of a row, relative to its size, for each unit of the residual of the loops


@compiled(called=True, lanes=True)
def factor_kinematics(problem, rows, poses, active, settled, chosen):
    """J_E of the rows ``active``, and its factors; returns the rank.

    ``settled``: the rank at a settled state, where loops are closed (0: not known); ``chosen`` (active,) or (0,): the order
    of the rows there. Rows that are redundant only where a loop is closed (Bricard, Bennett) are independent off the closure:
    by an amount that grows as the residual, and as its inverse through the nearest singular value. Such an amount is no rank.
    So at a state that is off the closure, as inside the steps of an integrator, the rank is the settled one, and rows beyond
    it count only where they stand out of that error: at the stages after a singular start rank grows as the step, the error
    as its square. Nor may the choice of the independent rows change from stage to stage: any choice has the same motion on
    the closure, but another one off it, which would cost two orders. A run on ``settled`` rows is as accurate as that of a
    loop that has no others. A loop without redundant rows is not concerned: all its rows are settled.
    """
    free = rows.free
    units = rows.units
    jacobian = rows.jacobian
    factor = rows.factors.factor
    basis = rows.factors.basis
    order = rows.factors.order
    row_jacobian(problem, rows, poses)
    n = free.shape[0]
    count = active.shape[0]
    scale, blur = sizes(rows, active, settled)
    ahead = place(scale, 0)
    kept = settled < chosen.shape[0]  # then the settled order comes first, where the rows are off the closure
    if kept:
        ahead = select_lt(lit(scale, 0.0), blur, place(scale, settled), ahead)
    for j in range(count):
        k = place(scale, j)
        if kept:
            k = select_lt(lit(scale, 0.0), blur, chosen[j], k)
        m = picked(active, k)
        for e in range(n):
            factor[e, j] = picked_from(jacobian, m, e) * units[e]
    rank = pivoted_qr(factor, n, count, basis, order, rows.rank_tolerance, 1e-3 * scale, settled, blur, ahead)
    if kept:
        for j in range(count):
            order[j] = select_lt(lit(scale, 0.0), blur, picked(chosen, order[j]), order[j])
    rows.blur = first_of(blur)
    return rank


@compiled(lanes=True)
def sizes(rows, active, settled):
    """What the cotwists of the rows can give, against which entries count as round-off; and the blur off the closure."""
    scale = lit(rows.factors.ordered[0], 0.0)
    off = lit(scale, 0.0)
    for j in range(active.shape[0]):
        m = active[j]
        size = lit(scale, 0.0)
        for i in range(6):
            unit = rows.length if i < 3 else 1.0
            size = larger(size, magnitude(rows.cotwist[m, i]) * unit)
            size = larger(size, magnitude(rows.other_cotwist[m, i]) * unit)
        scale = larger(scale, size)
        left = magnitude(rows.residual[m])
        off = select_lt(off * size, left, left / size, off)
    blur = lit(scale, 0.0)
    if settled > 0:
        blur = select_lt(lit(scale, CLOSED), off, SPREAD * off, blur)
    return scale, blur


@compiled(lanes=True)
def factor_rows(paths, problem, rows, poses, active, settled, chosen):
    """:func:`factor_kinematics`, or the factors of many loops along their paths, where the rank is beyond doubt; the rank."""
    if paths is not None:
        paths.used = 0
        if paths.on != 0 and settled == 0:
            scale, rows.blur = sizes(rows, active, settled)
            rank = find_paths(problem, rows, paths, poses, scale)
            if rank > 0:
                paths.used = 1
                return rank
        if paths.on != 0 and settled > 0 and settled == rows.settled_rank:
            scale, blur = sizes(rows, active, settled)
            if factor_paths(problem, rows, paths, poses, scale, blur):
                paths.used = 1
                rows.blur = blur
                for j in range(rows.settled_order.shape[0]):
                    rows.factors.order[j] = rows.settled_order[j]
                return settled
    return factor_kinematics(problem, rows, poses, active, settled, chosen)


@compiled(lanes=True)
def along_paths(paths):
    """Whether the rows looked at last were factored along their paths."""
    if paths is not None:
        return paths.used != 0
    return False


@compiled(lanes=True)
def pivot_ratio(paths, rows, rank):
    """Last over first pivot of the factors of the rows, of the settled rank."""
    if paths is not None:
        if paths.used != 0:
            return paths.smallest / paths.largest
    factor = rows.factors.factor
    last = max(rank, rows.settled_rank) - 1  # entries of the factor beyond the rank are zero
    return magnitude(factor[last, last] / factor[0, 0]) if rank > 0 else lit(factor[0, 0], 0.0)


@compiled(lanes=True)
def step_of_rows(paths, rows, active, rank, defect, result):
    """:func:`range_step` by the factors of :func:`factor_rows`."""
    if paths is not None:
        if paths.used != 0:
            return path_step(rows, paths, defect, result)
    return range_step(rows, active, rank, defect, result)


@compiled
def forces_of_rows(paths, rows):
    """:func:`share_forces` by the factors of :func:`factor_rows`, where only rows that are zero depend on others."""
    if paths is not None:
        if paths.used != 0 and path_forces(rows, paths):
            return rows.rank
    return share_forces(rows)


@compiled(called=True, lanes=True)
def range_step(rows, active, rank, defect, result):
    """Smallest step in E with J step = defect (over the rows ``active``); returns the largest row that is missed."""
    units = rows.units
    n = units.shape[0]
    missed, worst = smallest_step(rows.factors, n, active.shape[0], rank, defect, result)
    if differs(missed, 0.0):
        rows.missed_row = active[first_place(worst)]
    for e in range(n):
        result[e] *= units[e]
    return missed


@compiled(lanes=True)
def add_along_kernel(rows, rank, result):
    """Add Z z to ``result`` (|E|,), with Z^T M Z z = ``right``: Z is the kernel of the rows, M the ``mass`` of E."""
    units = rows.units
    basis = rows.factors.basis
    right = rows.dynamics.right
    mass = rows.dynamics.mass
    reduced = rows.dynamics.reduced
    product = rows.dynamics.product
    n = units.shape[0]
    for x in range(rank, n):
        for e in range(n):
            part = lit(mass[e, x], 0.0)
            for g in range(n):
                part += mass[e, g] * basis[g, x] * units[g]
            product[e] = units[e] * part
        for y in range(rank, x + 1):
            total = lit(product[0], 0.0)
            for e in range(n):
                total += basis[e, y] * product[e]
            reduced[x - rank, y - rank] = total
    solve_positive(reduced, n - rank, right)
    for e in range(n):
        total = lit(product[0], 0.0)
        for x in range(rank, n):
            total += basis[e, x] * right[x - rank]
        result[e] += total * units[e]


@compiled(called=True)
def choose_rows(problem, rows, inputs, q, work, chosen):
    """Independent rows at the configuration q: 1 in ``chosen`` (active,), 0 for others."""
    active = rows.active
    order = rows.factors.order
    rows_at(problem, rows, inputs, q, rows.zero, work)
    rod_columns(problem, rows, q, work.poses)
    rank = factor_rows(rows.paths, problem, rows, work.poses, active, rows.settled_rank, rows.settled_order)
    for j in range(active.shape[0]):
        chosen[j] = 0
    for j in range(rank):
        chosen[order[j]] = 1


@compiled(called=True)
def share_forces(rows):
    """lambda of smallest weighted norm with J_E^T lambda = balance, rows of one group sharing one value; returns the rank.

    The balance is in ``sharing.balance`` (N or N m) and is left there less the static loading, times the units of the
    coordinates; ``sharing.mismatch`` (J) is left with what no row can give. A static loading (``static``, the user's) may be
    added in the kernel of J_E^T.
    """
    units = rows.units
    weights = rows.sharing.weights
    static = rows.sharing.static
    jacobian = rows.jacobian
    force_factor = rows.sharing.factor
    force_basis = rows.sharing.basis
    force_order = rows.sharing.order
    group_force = rows.sharing.group_force
    multipliers = rows.multipliers
    balance = rows.sharing.balance
    right = rows.sharing.right
    ordered = rows.sharing.ordered
    n = rows.free.shape[0]
    groups = weights.shape[0]
    for e in range(n):
        for g in range(groups):
            force_factor[e, g] = 0.0
        for m in range(rows.kind.shape[0]):
            if rows.flags[m] & FORCE:
                force_factor[e, rows.group[m]] += jacobian[m, e] * units[e] * weights[rows.group[m]]
    rank = pivoted_qr(force_factor, n, groups, force_basis, force_order, rows.rank_tolerance, 0.0, rows.rank, rows.blur, 0)
    # Balance left when the static loading acts, in the basis of the range: R (P^T mu) = Q^T balance.
    for e in range(n):
        total = balance[e]
        for m in range(rows.kind.shape[0]):
            if rows.flags[m] & FORCE:
                total -= jacobian[m, e] * static[rows.group[m]]
        balance[e] = total * units[e]
    missed = 0.0
    for x in range(n):
        total = 0.0
        for e in range(n):
            total += force_basis[e, x] * balance[e]
        right[x] = total
        if x >= rank:
            missed = max(missed, abs(total))
    rows.sharing.mismatch = missed
    smallest_solution(force_factor, rank, groups, right, ordered)
    for g in range(groups):
        group_force[force_order[g]] = ordered[g]
    for g in range(groups):
        group_force[g] = group_force[g] * weights[g] + static[g]
    for m in range(rows.kind.shape[0]):
        multipliers[m] = group_force[rows.group[m]] if rows.flags[m] & FORCE else 0.0
    return rank


@compiled(lanes=True)
def forget_gone(contacts, rows):
    """Where contacts on rods have come or gone, what was the rank of settled states is no rank any more."""
    if contacts is not None:
        if contacts.changed != 0:
            contacts.changed = 0
            rows.settled_rank = 0
            rows.settled_holonomic_rank = 0


@compiled(called=True, lanes=True)
def settle_rank(rows, rank):
    """Keep rank and order of the rows at a settled state, for states off the closure that follow; not those of a lower rank."""
    order = rows.factors.order
    settled_order = rows.settled_order
    if rank >= rows.settled_rank:
        rows.settled_rank = rank
        for j in range(settled_order.shape[0]):
            settled_order[j] = order[j]
