"""Islands: trees of bodies that closed contacts join, each solved by itself, so that the cost of a step is a sum over them.

A *tree* is what hangs on one body that moves by itself in the world: a robot, or a free body. Contacts with what is fixed join
nothing. Contacts are sorted by their islands, within one in the order in which they were found; frames likewise, those of trees
that touch nothing at the end. All of this follows from which frames touch: while these stay the same it is kept.
"""

from __future__ import annotations

from locodyn.kernel import compiled


@compiled
def sort_islands(contacts, count):
    """Islands of the ``count`` contacts that detection has found: ``islands.sorted`` says which of them is the next one."""
    islands = contacts.islands
    if contacts.robot.dense or (islands.trees == 1 and not joins(contacts, count)):
        if islands.natural == 0:
            natural_order(contacts)
        islands.count = 1
        islands.first_contact[1] = count
        for i in range(count):
            islands.sorted[i] = i
    elif not same_contacts(contacts, count):
        islands.natural = 0
        find_islands(contacts, count)
    whole(contacts, count)


@compiled
def whole(contacts, count):
    """The range of the solvers: all frames and the first ``count`` contacts."""
    contacts.begin = 0
    contacts.end = count
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
def couples(contacts, i):
    """Whether contact i, as found, is between two frames that move."""
    found = contacts.found
    return found.other[i] >= 0 and contacts.islands.tree[found.frame[i]] >= 0 and contacts.islands.tree[found.other[i]] >= 0


@compiled
def joins(contacts, count):
    """Whether a contact is between two frames that move."""
    for i in range(count):
        if couples(contacts, i):
            return True
    return False


@compiled
def same_contacts(contacts, count):
    """Whether the same frames touch as before, in the same order; remembers them where not."""
    islands, found = contacts.islands, contacts.found
    same = islands.touching == count
    for i in range(count):
        if islands.frame[i] != found.frame[i] or islands.other[i] != found.other[i]:
            same = False
            islands.frame[i] = found.frame[i]
            islands.other[i] = found.other[i]
    islands.touching = count
    return same


@compiled(late=())
def find_islands(contacts, count):
    """Sort contacts and frames by islands."""
    join_trees(contacts, count)
    number_islands(contacts, count)
    sort_contacts(contacts, count)
    sort_frames(contacts)
    for i in range(count):
        contacts.coupling.active[i] = -1


@compiled
def join_trees(contacts, count):
    """``leader`` of every tree: two trees that touch have the same one (union and find, by the smaller number)."""
    islands, found = contacts.islands, contacts.found
    for k in range(islands.leader.shape[0]):
        islands.leader[k] = k
        islands.number[k] = -1
    islands.number[islands.leader.shape[0]] = -1
    for i in range(count):
        if couples(contacts, i):
            a = leader_of(islands.leader, islands.tree[found.frame[i]])
            b = leader_of(islands.leader, islands.tree[found.other[i]])
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
def number_islands(contacts, count):
    """Islands numbered by their first contacts; how many contacts each of them has, at ``first_contact[number + 1]``."""
    islands, found = contacts.islands, contacts.found
    islands.count = 0
    for i in range(count):
        leader = island_of(contacts, found.frame[i], found.other[i])
        if islands.number[leader] < 0:
            islands.number[leader] = islands.count
            islands.count += 1
            islands.first_contact[islands.count] = 0
        islands.first_contact[islands.number[leader] + 1] += 1
    islands.first_contact[0] = 0
    for n in range(islands.count):
        islands.first_contact[n + 1] += islands.first_contact[n]
    islands.first_contact[islands.count + 1] = count


@compiled
def sort_contacts(contacts, count):
    """``sorted``: the contacts found, island by island; ``place`` is scratch."""
    islands, found = contacts.islands, contacts.found
    for n in range(islands.count):
        islands.place[n] = islands.first_contact[n]
    for i in range(count):
        n = islands.number[island_of(contacts, found.frame[i], found.other[i])]
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
