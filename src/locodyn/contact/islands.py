"""Islands: trees of bodies that closed contacts join, each solved by itself, so that the cost of a step is a sum over them.

A *tree* is what hangs on one body that moves by itself in the world: a robot, or a free body. Contacts with what is fixed join
nothing. Contacts that are open and do not close at the velocities of the start of the step are *idle*: they join nothing either,
and are looked at when the others are solved (:func:`~locodyn.contact.solve.solve_islands`). Contacts are listed by their islands,
within one in the order in which they were found, idle ones at the end; frames likewise, those of trees that touch nothing at the
end. All of this follows from which frames touch: while these stay the same it is kept.
"""

from __future__ import annotations

from locodyn.kernel import compiled


@compiled(inline=True)
def index(n):
    """n, a number from a table that is not negative, as the mask tells the compiler.

    Otherwise every array that is indexed by it would be asked for its size first, since x[-1] is the last entry: a tenth of the
    time of a robot with twenty contacts.
    """
    return n & 0x7FFFFFFF


@compiled(inline=True)
def contact_at(contacts, c):
    """The c-th contact of the list by islands."""
    return index(contacts.islands.sorted[c])


@compiled(inline=True)
def frame_at(islands, n):
    """The n-th frame of the list by islands."""
    return index(islands.order[n])


@compiled(inline=True)
def coordinate_at(contacts, c):
    """The c-th coordinate of the list by islands."""
    return index(contacts.islands.coordinates[c])


@compiled
def sort_islands(contacts):
    """Islands of the closed contacts that are ``likely`` to take part; where there is one tree only, all of them do."""
    if contacts.islands.single or (contacts.islands.trees == 1 and not any_joins(contacts)):
        one_island(contacts)
    elif not same_contacts(contacts):
        contacts.islands.natural = 0
        find_islands(contacts)
    whole(contacts)


@compiled
def one_island(contacts):
    """All contacts and frames in their own order."""
    islands = contacts.islands
    if islands.natural == 0:
        natural_order(contacts)
    islands.count = 1
    islands.first_contact[1] = contacts.closed
    for i in range(contacts.closed):
        islands.sorted[i] = i
    whole(contacts)


@compiled
def whole(contacts):
    """The range of the solvers: all frames and closed contacts."""
    contacts.begin = 0
    contacts.end = contacts.closed
    contacts.islands.begin = 0
    contacts.islands.end = contacts.islands.order.shape[0]
    contacts.islands.first = 0
    contacts.islands.last = contacts.islands.coordinates.shape[0]


@compiled
def enter(contacts, island):
    """The range of the solvers: one island."""
    islands = contacts.islands
    contacts.begin = islands.first_contact[island]
    contacts.end = islands.first_contact[island + 1]
    islands.begin = islands.first_frame[island]
    islands.end = islands.first_frame[island + 1]
    islands.first = islands.first_coordinate[island]
    islands.last = islands.first_coordinate[island + 1]


@compiled
def natural_order(contacts):
    """One island of all frames in their own order."""
    islands = contacts.islands
    islands.natural = 1
    islands.touching = -1
    for k in range(islands.order.shape[0]):
        islands.order[k] = k
    for i in range(islands.coordinates.shape[0]):
        islands.coordinates[i] = i
    islands.first_contact[0] = 0
    islands.first_frame[0] = 0
    islands.first_frame[1] = islands.order.shape[0]
    islands.first_coordinate[0] = 0
    islands.first_coordinate[1] = islands.coordinates.shape[0]


@compiled
def joins(contacts, i):
    """Whether contact i takes part and is between two frames that move."""
    islands = contacts.islands
    if islands.likely[i] == 0 or contacts.other[i] < 0:
        return False
    return islands.tree[contacts.frame[i]] >= 0 and islands.tree[contacts.other[i]] >= 0


@compiled
def touches_nothing_fixed(contacts):
    """Whether all closed contacts are between bodies; a support without friction does nothing."""
    for i in range(contacts.closed):
        for j in range(3):
            if contacts.other[i] < 0 and contacts.scales[i, j] > 0.0:
                return False
    return True


@compiled
def any_joins(contacts):
    """Whether a contact is between two frames that move."""
    for i in range(contacts.closed):
        if joins(contacts, i):
            return True
    return False


@compiled
def same_contacts(contacts):
    """Whether the same frames touch as before, in the same order; remembers them where not."""
    islands = contacts.islands
    same = islands.touching == contacts.closed
    for i in range(contacts.closed):
        key = (contacts.frame[i], contacts.other[i], islands.likely[i])
        if key != (islands.key[i, 0], islands.key[i, 1], islands.key[i, 2]):
            same = False
            islands.key[i, 0], islands.key[i, 1], islands.key[i, 2] = key
    islands.touching = contacts.closed
    return same


@compiled(late=())
def find_islands(contacts):
    """Sort contacts and frames by islands."""
    join_trees(contacts)
    number_islands(contacts)
    sort_contacts(contacts)
    sort_frames(contacts)
    for i in range(contacts.closed):
        contacts.coupling.active[i] = -1


@compiled
def join_trees(contacts):
    """``leader`` of every tree: two trees that touch have the same one (union and find, by the smaller number)."""
    islands = contacts.islands
    for k in range(islands.leader.shape[0]):
        islands.leader[k] = k
        islands.number[k] = -1
    islands.number[islands.leader.shape[0]] = -1
    for i in range(contacts.closed):
        if joins(contacts, i):
            a = leader_of(islands.leader, islands.tree[contacts.frame[i]])
            b = leader_of(islands.leader, islands.tree[contacts.other[i]])
            islands.leader[max(a, b)] = min(a, b)


@compiled
def leader_of(leader, k):
    """Follow the leaders from k, halving the way for those who come later."""
    while leader[k] != k:
        leader[k] = leader[leader[k]]
        k = leader[k]
    return k


@compiled
def island_of(contacts, frame, other):
    """Leader of the island of a contact; that of nothing where neither frame moves."""
    islands = contacts.islands
    tree = islands.tree[frame]
    if tree < 0 and other >= 0:
        tree = islands.tree[other]
    return leader_of(islands.leader, tree) if tree >= 0 else islands.order.shape[0]


@compiled
def number_islands(contacts):
    """Islands numbered by their first contacts; how many contacts each of them has, at ``first_contact[number + 1]``."""
    islands = contacts.islands
    islands.count = 0
    for i in range(contacts.closed):
        if islands.likely[i] == 0:
            continue
        leader = island_of(contacts, contacts.frame[i], contacts.other[i])
        if islands.number[leader] < 0:
            islands.number[leader] = islands.count
            islands.count += 1
            islands.first_contact[islands.count] = 0
        islands.first_contact[islands.number[leader] + 1] += 1
    islands.first_contact[0] = 0
    for n in range(islands.count):
        islands.first_contact[n + 1] += islands.first_contact[n]
    islands.first_contact[islands.count + 1] = contacts.closed


@compiled
def sort_contacts(contacts):
    """``sorted``: the contacts, island by island, then idle ones; ``place`` is scratch."""
    islands = contacts.islands
    for n in range(islands.count + 1):
        islands.place[n] = islands.first_contact[n]
    for i in range(contacts.closed):
        n = islands.count
        if islands.likely[i]:
            n = islands.number[island_of(contacts, contacts.frame[i], contacts.other[i])]
        islands.sorted[islands.place[n]] = i
        islands.place[n] += 1


@compiled
def sort_frames(contacts):
    """``order``: the frames, island by island, then those that touch nothing; ``place`` is scratch."""
    islands = contacts.islands
    for n in range(islands.count + 1):
        islands.first_frame[n + 1] = 0
    for k in range(islands.order.shape[0]):
        islands.first_frame[number_of(contacts, k) + 1] += 1
    islands.first_frame[0] = 0
    for n in range(islands.count + 1):
        islands.first_frame[n + 1] += islands.first_frame[n]
        islands.place[n] = islands.first_frame[n]
    for k in range(islands.order.shape[0]):
        n = number_of(contacts, k)
        islands.order[islands.place[n]] = k
        islands.place[n] += 1
    at = 0
    for n in range(islands.count + 1):
        islands.first_coordinate[n] = at
        for m in range(islands.first_frame[n], islands.first_frame[n + 1]):
            k = islands.order[m]
            for i in range(islands.first_velocity[k], islands.first_velocity[k] + islands.velocities[k]):
                islands.coordinates[at] = i
                at += 1
    islands.first_coordinate[islands.count + 1] = at


@compiled
def number_of(contacts, k):
    """Number of the island of frame k, that of what touches nothing being ``count``."""
    islands = contacts.islands
    tree = islands.tree[k]
    number = islands.number[leader_of(islands.leader, tree)] if tree >= 0 else -1
    return number if number >= 0 else islands.count
