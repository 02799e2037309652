"""Where a step of hard contact starts: velocities before it, rebounds, centres of impulses; and what it leaves to the next."""

from __future__ import annotations

from locodyn.contact.block import scaled
from locodyn.contact.detection import SKIN
from locodyn.contact.islands import contact_at, enter, frame_at, index, sort_islands, whole
from locodyn.contact.law import impulses
from locodyn.contact.operator import relative_twist
from locodyn.dynamics.forward_dynamics import WORK
from locodyn.kernel import compiled, sqrt
from locodyn.kernel.vector import add, dot, increase3, load3, load9, rotate, store3, subtract
from locodyn.robot.layout import MASS

_EVEN = 0.1  # part of the way to even shares in a step: less saves iterations, but lets the shares walk
_AT_REST = 1e-6  # m/s
# What is open and comes faster than gravity makes it in so many steps is an impact, whole, in the step that finds it closed.
# In two steps, the first of which only slows it down, friction would act otherwise, however short they are.
_SLOW = 300.0
_OPEN = 1e6  # m/s, added to a normal velocity that must not count
_NEAR = 1e-5  # m
_FALLS = 2.0  # what gravity makes in a step, times: a contact that comes no nearer than this is left aside at first
_STEEP = 0.1  # part of the weight's direction along a normal, below which the pull fades: walls have none
_INSIDE = 0.9999  # of the friction radius: less stuck
_GOES_ON = 0.85  # part of the last step's change that is expected again; below 1, so that undetermined parts die out


@compiled
def stride_of(contacts, gravity, frame_work, step):
    """Bound of the way of every frame's surfaces in a step at the velocity of its start: dt (|v| + reach |omega| + |g| dt)."""
    fall = step * sqrt(gravity[0] * gravity[0] + gravity[1] * gravity[1] + gravity[2] * gravity[2])
    for k in range(contacts.detection.stride.shape[0] - 1):
        v = load3(frame_work, k, WORK.twist)
        turn = load3(frame_work, k, WORK.twist + 3)
        contacts.detection.stride[k] = step * (sqrt(dot(v, v)) + contacts.detection.reach[k] * sqrt(dot(turn, turn)) + fall)


@compiled(called=True)
def start_contacts(problem, contacts, frame_work, step):
    """Velocities before the step, rebounds, centres: impulses as they were, normal ones drawn towards even shares of the weight.

    Contacts that are more than the freedoms need leave their shares undetermined. Where the last step ended they would walk
    with round-off and tolerance, and the path with them, since friction follows the shares; a pull towards even ones keeps
    them there. A robot at rest is left alone: its impulses are those of the step before, and it rests exactly. In motion the way
    from this start to the solution is nearly that of the step before (the pull undone where shares are determined, and what goes
    on changing), and the centre goes ahead by it: two or three iterations instead of twenty where friction and loads are coupled.
    """
    size = sqrt(
        dot(
            (problem.gravity[0], problem.gravity[1], problem.gravity[2]),
            (problem.gravity[0], problem.gravity[1], problem.gravity[2]),
        )
    )
    contacts.warm.steps += 1
    contacts.crowd.begun = contacts.crowd.solved = 0
    if not contacts.islands.single:
        find_likely(contacts, frame_work, step, size)
    sort_islands(contacts)
    for island in range(contacts.islands.count):
        enter(contacts, island)
        start_island(problem, contacts, frame_work, step, size)
    for c in range(contacts.islands.first_contact[contacts.islands.count], contacts.closed):
        start_idle(contacts, frame_work, contact_at(contacts, c), step)
    whole(contacts)


@compiled
def find_likely(contacts, frame_work, step, size):
    """``likely``: contacts that are closed, or would be by the end of the step at the velocities of its start and a fall."""
    for i in range(contacts.closed):
        u, _ = relative_twist(contacts, frame_work, i)
        ahead = contacts.ahead and contacts.pairs.restitution[contacts.pair[i]] == 0.0 and contacts.known_radius[i] < 0.0
        rate = u[0] + contacts.curve[i] + approach(contacts.gap[i]) / step if ahead else 0.0
        contacts.islands.likely[i] = 1 if rate <= _FALLS * size * step else 0


@compiled
def island_mass(contacts):
    """Mass of the bodies of the island at hand, kg."""
    islands = contacts.islands
    if islands.natural:
        return contacts.total_mass
    total = 0.0
    for n in range(islands.begin, islands.end):
        total += contacts.robot.constants[frame_at(islands, n), MASS]
    return total


@compiled
def start_island(problem, contacts, frame_work, step, size):
    """:func:`start_contacts` of the island at hand; ``size`` is that of gravity."""
    carried = 0.0
    fastest = 0.0
    for c in range(contacts.begin, contacts.end):
        i = contact_at(contacts, c)
        u = start_velocity(contacts, frame_work, i, step)
        if contacts.known_radius[i] < 0.0 and size > 0.0:
            near = nearness(contacts, i)
            carried += near * max(0.0, upward(problem, contacts, i) / size)
            fastest = max(fastest, near * (u[1] * u[1] + u[2] * u[2]))
    pull = _EVEN if fastest > _AT_REST * _AT_REST else 0.0
    mass, warm = island_mass(contacts), contacts.warm
    ahead = _GOES_ON * step
    for c in range(contacts.begin, contacts.end):
        i = contact_at(contacts, c)
        n = index(contacts.pair[i])
        z, y = scaled((step, step, step), load3(warm.force, n, 0)), scaled((step, step, step), load3(warm.force, n, 3))
        change, turn = load3(warm.force_change, n, 0), load3(warm.force_change, n, 3)
        if contacts.known_radius[i] < 0.0 and size > 0.0:
            share = nearness(contacts, i) * max(0.0, upward(problem, contacts, i) / size)
            if share > 0.0:
                even = mass * size * step * share / carried
                z = (z[0] + pull * min(1.0, share / _STEEP) * (even - z[0]), z[1], z[2])
        touched = warm.step[n] == warm.steps - 1
        if touched:
            expect(contacts, i, n, step)
        store3(warm.start, i, 0, z)
        store3(warm.start, i, 3, y)
        if pull > 0.0 and touched:
            z = add(z, scaled((ahead, ahead, ahead), change))
            y = add(y, scaled((ahead, ahead, ahead), turn))
        store3(contacts.centre, i, 0, z)
        store3(contacts.centre, i, 3, y)


@compiled(inline=True)
def start_velocity(contacts, frame_work, i, step):
    """Velocity of contact i before the step, and what the law adds to it: rebound, or what is left to go; returns it in m/s."""
    n = index(contacts.pair[i])
    slow = _SLOW * contacts.mean_weight / contacts.mean_mass * step
    before, s = relative_twist(contacts, frame_work, i)
    u = scaled(load3(contacts.scales, i, 0), before)
    s = scaled(load3(contacts.scales, i, 3), s)
    # What comes in and what goes out, each at its end of the step: see locodyn.contact.curve.
    curve, restitution = contacts.curve[i], contacts.pairs.restitution[n]
    shift = curve + (0.0 if contacts.poisson else restitution * min(0.0, u[0] - curve))
    if contacts.ahead and restitution == 0.0:
        gap = contacts.gap[i]
        shift = curve + approach(gap) / step
        if gap > SKIN and u[0] < -slow:
            shift = _OPEN
    contacts.shift[i] = shift
    store3(contacts.velocity_before, i, 0, u)
    store3(contacts.velocity_before, i, 3, s)
    u = (u[0] + shift, u[1], u[2])
    store3(contacts.velocity, i, 0, u)
    store3(contacts.velocity, i, 3, s)
    return before


@compiled
def start_idle(contacts, frame_work, i, step):
    """:func:`start_island` for an idle contact, which has no impulse."""
    start_velocity(contacts, frame_work, i, step)
    for j in range(6):
        contacts.impulse[i, j] = 0.0
        contacts.centre[i, j] = 0.0
        contacts.warm.start[i, j] = 0.0


@compiled(inline=True)
def expect(contacts, i, n, step):
    """Velocities about which the law is first linearised: none along what carried load, or stuck, at the end of the last step.

    What slid goes on as it did.
    """
    radius = contacts.known_radius[i] / step if contacts.known_radius[i] >= 0.0 else contacts.warm.force[n, 0]
    if not radius > 0.0:
        return
    inside = _INSIDE * radius
    force, turn = load3(contacts.warm.force, n, 0), load3(contacts.warm.force, n, 3)
    rates = contacts.warm.acceleration
    u, s = load3(contacts.velocity, i, 0), load3(contacts.velocity, i, 3)
    u = (0.0, u[1] + step * rates[n, 0], u[2] + step * rates[n, 1])
    s = add(s, scaled((step, step, step), load3(rates, n, 2)))
    if force[1] * force[1] + force[2] * force[2] < inside * inside:
        u = (0.0, 0.0, 0.0)
    if abs(turn[0]) < inside:
        s = (0.0, s[1], s[2])
    if turn[1] * turn[1] + turn[2] * turn[2] < inside * inside:
        s = (s[0], 0.0, 0.0)
    store3(contacts.velocity, i, 0, u)
    store3(contacts.velocity, i, 3, s)


@compiled
def approach(gap):
    """How far a contact may go down in a step: the gap, s^2 / (s + skin) with s the gap beyond the skin.

    Round-off of many contacts at rest would ask for velocities that no motion has together: in the skin it counts in squares.
    """
    beyond = max(0.0, gap - SKIN)
    return beyond * beyond / (beyond + SKIN)


@compiled
def nearness(contacts, i):
    """1 for a closed contact, less the wider its gap is, 0 from a hundredth of a millimetre on."""
    return min(1.0, max(0.0, 1.0 - (contacts.gap[i] - SKIN) / _NEAR))


@compiled
def upward(problem, contacts, i):
    """- gravity . normal of contact i."""
    return -(
        contacts.basis[i, 0] * problem.gravity[0]
        + contacts.basis[i, 3] * problem.gravity[1]
        + contacts.basis[i, 6] * problem.gravity[2]
    )


@compiled
def book_contacts(contacts, step):
    """What the closed contacts leave: impulses of their pairs, the start of the next step, losses."""
    rate = 1.0 / step
    warm, fast = contacts.warm, contacts.impact.fast
    rubbed, struck = contacts.report.friction_loss, contacts.report.impact_loss
    for i in range(contacts.closed):
        n = index(contacts.pair[i])
        z, y = load3(contacts.impulse, i, 0), load3(contacts.impulse, i, 3)
        start, turn = load3(warm.start, i, 0), load3(warm.start, i, 3)
        u, s = load3(contacts.velocity, i, 0), load3(contacts.velocity, i, 3)
        before, spin = load3(contacts.velocity_before, i, 0), load3(contacts.velocity_before, i, 3)
        f, _ = impulses(contacts, i)
        if contacts.known_radius[i] >= 0.0:
            f = (0.0, f[1], f[2])
        twice, round_twice = add(before, u), add(spin, s)
        twice = (twice[0] - contacts.shift[i], twice[1], twice[2])
        if fast:
            jump = contacts.impact
            twice = add(twice, add(load3(jump.before, i, 0), load3(jump.after, i, 0)))
            round_twice = add(round_twice, add(load3(jump.before, i, 3), load3(jump.after, i, 3)))
        # All has been read.
        increase3(contacts.pair_impulse, n, 0, rotate(load9(contacts.basis, i, 0), f))
        steady = abs(z[0] - start[0]) < 0.5 * start[0]  # no impact, not just closed
        store3(warm.force, n, 0, scaled((rate, rate, rate), z))
        store3(warm.force, n, 3, scaled((rate, rate, rate), y))
        change, change_turn = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        if steady:
            change, change_turn = scaled((rate, rate, rate), subtract(z, start)), scaled((rate, rate, rate), subtract(y, turn))
        store3(warm.force_change, n, 0, change)
        store3(warm.force_change, n, 3, change_turn)
        warm.step[n] = warm.steps
        gained, gained_spin = scaled((rate, rate, rate), subtract(u, before)), scaled((rate, rate, rate), subtract(s, spin))
        warm.acceleration[n, 0] = gained[1]
        warm.acceleration[n, 1] = gained[2]
        store3(warm.acceleration, n, 2, gained_spin)
        # Work of an impulse at the mean of the velocities before and after: normalised rows keep products.
        struck -= 0.5 * z[0] * twice[0]
        for part in (z[1], twice[1]), (z[2], twice[2]), (y[0], round_twice[0]), (y[1], round_twice[1]), (y[2], round_twice[2]):
            rubbed -= 0.5 * part[0] * part[1]
    contacts.report.friction_loss = rubbed
    contacts.report.impact_loss = struck
