"""In which order the frames of an island are eliminated, and which of them that couples: sparse elimination by least degree.

The linear problem of an island, :mod:`locodyn.contact.operator`, couples frames that touch. To eliminate the coordinates of a
frame couples all frames that are coupled to it with each other and with its parent, which inherits what is left of it (the
recursion of articulated bodies is the case without contacts between bodies). A frame is eliminated after all frames that it
carries; among those that may be next, the one with the fewest couplings (Markowitz 1957; Tinney and Walker 1967), of equal ones
the last.

Sets of frames are rows of bits, 32 in a word.
"""

from __future__ import annotations

from locodyn.contact.islands import contact_at, frame_at
from locodyn.kernel import compiled

BITS = 32


@compiled(inline=True)
def couples(contacts, i):
    """Whether contact i couples two frames that move, by a response that is not zero."""
    if contacts.other[i] < 0 or contacts.islands.tree[contacts.frame[i]] < 0 or contacts.islands.tree[contacts.other[i]] < 0:
        return False
    law = contacts.linear
    size = abs(law.normal[i]) + abs(law.spinning[i])
    for j in range(3):
        size += abs(law.sliding[i, j]) + abs(law.rolling[i, j])
    return size > 0.0


@compiled(inline=True)
def find_couplings(contacts):
    """Order the island at hand for elimination, unless it is so for all contacts that couple frames; returns how many.

    What has coupled two frames stays in the order until other contacts are closed: it costs less than to find a new one.
    """
    coupling = contacts.coupling
    count = 0
    known = True
    for c in range(contacts.begin, contacts.end):
        i = contact_at(contacts, c)
        if couples(contacts, i):
            count += 1
            known = known and coupling.active[i] == 1
            coupling.active[i] = 1
    if not known:
        couple_frames(contacts)
    return count


@compiled(late=())
def couple_frames(contacts):
    """Order of elimination of the island at hand, and slots for what is coupled then."""
    islands, coupling = contacts.islands, contacts.coupling
    size = islands.end - islands.begin
    if coupling.slots + size * (size - 1) // 2 > coupling.neighbour.shape[0]:  # room of other islands, which are ordered anew
        coupling.slots = 0
        for c in range(contacts.closed):
            if c < contacts.begin or c >= contacts.end:
                coupling.active[contact_at(contacts, c)] = -1
    for c in range(contacts.begin, contacts.end):
        i = contact_at(contacts, c)
        if coupling.active[i] == 1:
            include(coupling.sets, contacts.frame[i], contacts.other[i])
            include(coupling.sets, contacts.other[i], contacts.frame[i])
    order_island(contacts, islands.begin, islands.end)
    for c in range(contacts.begin, contacts.end):
        i = contact_at(contacts, c)
        coupling.slot[i] = -1
        if coupling.active[i] == 1:
            a = contacts.frame[i]
            b = contacts.other[i]
            coupling.slot[i] = slot_of(coupling, a, b) if coupling.place[a] < coupling.place[b] else slot_of(coupling, b, a)


@compiled
def slot_of(coupling, a, b):
    """Where frame a, eliminated first, is coupled to frame b; its neighbours are in the order in which they are eliminated."""
    place = coupling.place[b]
    low = coupling.first[a]
    high = low + coupling.count[a]
    while high - low > 1:
        middle = (low + high) // 2
        if coupling.place[coupling.neighbour[middle]] <= place:
            low = middle
        else:
            high = middle
    return low


@compiled(inline=True)
def include(sets, k, b):
    """Add b to the set of k."""
    sets[k, b // BITS] |= 1 << (b % BITS)


@compiled(inline=True)
def exclude(sets, k, b):
    """Take b out of the set of k."""
    sets[k, b // BITS] &= ~(1 << (b % BITS))


@compiled
def size_of(sets, k):
    """Number of members of the set of k."""
    total = 0
    for w in range(sets.shape[1]):
        word = sets[k, w]
        while word != 0:
            word &= word - 1
            total += 1
    return total


@compiled
def order_island(contacts, begin, end):
    """Order the frames ``order[begin:end]`` so that the last one is eliminated first; list what each is coupled to then.

    ``sets`` hold the couplings of the contacts, and are empty afterwards.
    """
    islands, coupling = contacts.islands, contacts.coupling
    for n in range(begin, end):
        k = frame_at(islands, n)
        coupling.waits[k] = 0
        coupling.degree[k] = size_of(coupling.sets, k)
        coupling.ready[n - begin] = k
    for n in range(begin, end):
        parent = islands.carrier[islands.order[n]]
        if parent >= 0:
            coupling.waits[parent] += 1
    left = end - begin
    least = 0
    for n in range(end - 1, begin - 1, -1):
        at = next_frame(coupling, left, least)
        k = coupling.ready[at]
        least = max(0, coupling.degree[k] - 1)
        for m in range(at, left - 1):  # the others keep their order, so that of equal ones the last is taken
            coupling.ready[m] = coupling.ready[m + 1]
        left -= 1
        islands.order[n] = k
        coupling.place[k] = end - 1 - n
        eliminate_node(coupling, k, islands.carrier[k])
    for n in range(begin, end):
        sort_neighbours(coupling, frame_at(islands, n))


@compiled
def sort_neighbours(coupling, k):
    """Neighbours of frame k in the order in which they are eliminated."""
    neighbour = coupling.neighbour
    first = coupling.first[k]
    for e in range(first + 1, first + coupling.count[k]):
        b = neighbour[e]
        place = coupling.place[b]
        at = e
        while at > first and coupling.place[neighbour[at - 1]] > place:
            neighbour[at] = neighbour[at - 1]
            at -= 1
        neighbour[at] = b


@compiled
def next_frame(coupling, left, least):
    """Where in ``ready`` the frame stands that comes next; none has a degree below ``least``."""
    best = -1
    for m in range(left - 1, -1, -1):
        k = coupling.ready[m]
        if coupling.waits[k] == 0 and (best < 0 or coupling.degree[k] < coupling.degree[coupling.ready[best]]):
            best = m
            if coupling.degree[k] <= least:
                break
    return best


@compiled
def eliminate_node(coupling, k, parent):
    """List the couplings of frame k, which then are couplings of all its neighbours and of its parent."""
    sets = coupling.sets
    first = coupling.slots
    coupling.first[k] = first
    for w in range(sets.shape[1]):
        word = sets[k, w]
        b = w * BITS
        while word != 0:
            if word & 1:
                coupling.neighbour[coupling.slots] = b
                coupling.slots += 1
            word >>= 1
            b += 1
    coupling.count[k] = coupling.slots - first
    for e in range(first, coupling.slots):
        b = coupling.neighbour[e]
        for w in range(sets.shape[1]):
            sets[b, w] |= sets[k, w]
        if parent >= 0 and b != parent:
            include(sets, b, parent)
            include(sets, parent, b)
        exclude(sets, b, b)
        exclude(sets, b, k)
        coupling.degree[b] = size_of(sets, b)
    for w in range(sets.shape[1]):
        sets[k, w] = 0
    if parent >= 0:
        coupling.waits[parent] -= 1
        coupling.degree[parent] = size_of(sets, parent)
