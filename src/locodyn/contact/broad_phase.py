"""Which bodies may touch each other soon: a tree of boxes, looked at again only when bodies have moved.

Every frame with surfaces is a ball about its origin with the *reach* of its surfaces, widened by a *margin*. Pairs of bodies
whose widened balls overlap are candidates. All others stay apart until one of the two has used up its margin, by the way that its
origin has gone, less the mean way of all, and by what a step looks ahead (twice its ``stride``). Then candidates are found anew,
by a tree of boxes
that halves the frames at the median of the longest side (Kay and Kajiya 1986), in O(n log n) for bodies of bounded density. Pairs
with the world, supports and stops are always candidates. Candidates stand in the order of the table: contacts come in the same
order as if every pair were looked at.
"""

from __future__ import annotations

from locodyn.kernel import compiled, sqrt
from locodyn.kernel.vector import dot, load3, store3, subtract
from locodyn.shape.kinematics import POSITION

_SKIN = 1e-6  # m: at most what detection adds to the gap of a contact
# Margin: part of the reach, the two strides that a step looks ahead, and the way to go until candidates are found anew: so many
# strides, but not more than this part of the reach, nor less than so many.
_WIDE, _STEPS, _FAR, _FEW_STEPS = 0.05, 10.0, 0.25, 0.5
_BITS = 8  # of a digit
_DIGIT = (1 << _BITS) - 1


@compiled(inline=True)
def refresh_candidates(contacts, poses):
    """Have all pairs among the candidates that could be closed in this step."""
    if contacts.broad.used:
        look_again(contacts, poses)


@compiled(late=())
def look_again(contacts, poses):
    """Find the candidates anew where a frame has used up its margin."""
    broad, detection = contacts.broad, contacts.detection
    stale = broad.candidates == 0
    drift = common_way(broad, poses)
    for n in range(broad.frame.shape[0]):
        k = broad.frame[n]
        gone = subtract(subtract(load3(poses, k, POSITION), load3(broad.place, k, 0)), drift)
        if not sqrt(dot(gone, gone)) + 2.0 * detection.stride[k] + _SKIN <= broad.margin[k]:
            stale = True
            break
    if not stale:
        return
    for n in range(broad.frame.shape[0]):
        k = broad.frame[n]
        stride, reach = detection.stride[k], detection.reach[k]
        store3(broad.place, k, 0, load3(poses, k, POSITION))
        broad.margin[k] = (
            _WIDE * reach + 2.0 * stride + min(_STEPS * stride, max(_FEW_STEPS * stride, _FAR * reach)) + 2.0 * _SKIN
        )
        broad.order[n] = k
    build(broad, detection.reach, poses)
    broad.candidates = 0
    for n in range(broad.fixed.shape[0]):
        broad.candidate[n] = broad.fixed[n]
    broad.candidates = broad.fixed.shape[0]
    for n in range(broad.order.shape[0]):
        find_neighbours(broad, detection.reach, poses, n)
    sort_candidates(broad)


@compiled
def common_way(broad, poses):
    """Mean of the ways of all origins since the candidates were found, m: it brings no two bodies nearer to each other."""
    x, y, z = 0.0, 0.0, 0.0
    for n in range(broad.frame.shape[0]):
        k = broad.frame[n]
        x += poses[k, POSITION] - broad.place[k, 0]
        y += poses[k, POSITION + 1] - broad.place[k, 1]
        z += poses[k, POSITION + 2] - broad.place[k, 2]
    each = 1.0 / broad.frame.shape[0]
    return each * x, each * y, each * z


@compiled
def build(broad, reach, poses):
    """The tree: node m holds ``order[first[m]:last[m]]``, its children come in pairs; ``box`` is what their balls fill."""
    broad.nodes = 1
    broad.first[0] = 0
    broad.last[0] = broad.order.shape[0]
    m = 0
    while m < broad.nodes:
        first = broad.first[m]
        last = broad.last[m]
        for j in range(3):
            broad.box[m, j] = 1e300
            broad.box[m, 3 + j] = -1e300
        for n in range(first, last):
            k = broad.order[n]
            radius = reach[k] + broad.margin[k]
            for j in range(3):
                broad.box[m, j] = min(broad.box[m, j], poses[k, POSITION + j] - radius)
                broad.box[m, 3 + j] = max(broad.box[m, 3 + j], poses[k, POSITION + j] + radius)
        broad.child[m] = -1
        if last - first > 2:
            axis = 0
            for j in range(1, 3):
                if broad.box[m, 3 + j] - broad.box[m, j] > broad.box[m, 3 + axis] - broad.box[m, axis]:
                    axis = j
            middle = (first + last) // 2
            part(broad.order, poses, POSITION + axis, first, last, middle)
            broad.child[m] = broad.nodes
            broad.first[broad.nodes] = first
            broad.last[broad.nodes] = middle
            broad.first[broad.nodes + 1] = middle
            broad.last[broad.nodes + 1] = last
            broad.nodes += 2
        m += 1


@compiled
def part(order, poses, column, first, last, middle):
    """Hoare's selection: no frame of ``order[first:middle]`` lies beyond one of ``order[middle:last]`` along the column."""
    low = first
    high = last - 1
    while low < high:
        pivot = poses[order[(low + high) // 2], column]
        i = low
        j = high
        while i <= j:
            while poses[order[i], column] < pivot:
                i += 1
            while pivot < poses[order[j], column]:
                j -= 1
            if i <= j:
                order[i], order[j] = order[j], order[i]
                i += 1
                j -= 1
        if middle <= j:
            high = j
        elif middle >= i:
            low = i
        else:
            return


@compiled
def find_neighbours(broad, reach, poses, n):
    """Pairs of the n-th frame of the order with those that follow it become candidates where their widened balls overlap."""
    k = broad.order[n]
    radius = reach[k] + broad.margin[k]
    centre = load3(poses, k, POSITION)
    broad.stack[0] = 0
    depth = 1
    while depth > 0:
        depth -= 1
        m = broad.stack[depth]
        if broad.last[m] <= n + 1:
            continue
        apart = False
        for j in range(3):
            if centre[j] + radius < broad.box[m, j] or centre[j] - radius > broad.box[m, 3 + j]:
                apart = True
        if apart:
            continue
        if broad.child[m] >= 0:
            broad.stack[depth] = broad.child[m]
            broad.stack[depth + 1] = broad.child[m] + 1
            depth += 2
            continue
        for i in range(max(broad.first[m], n + 1), broad.last[m]):
            other = broad.order[i]
            d = subtract(load3(poses, other, POSITION), centre)
            near = radius + reach[other] + broad.margin[other]
            if dot(d, d) <= near * near:
                add_rows(broad, min(k, other), max(k, other))


@compiled
def add_rows(broad, one, two):
    """The rows of the table between frames ``one`` and ``two``."""
    key = one * broad.margin.shape[0] + two
    low = first_row(broad, broad.begin[one], broad.begin[one + 1], key)
    while low < broad.key.shape[0] and broad.key[low] == key:
        broad.candidate[broad.candidates] = broad.row[low]
        broad.candidates += 1
        low += 1


@compiled(inline=True)
def first_row(broad, low, high, key):
    """The first row of a key among ``key[low:high]``: where it is if each pair has one row, or by bisection."""
    if low < high:
        guess = low + key - broad.key[low]
        if low <= guess < high and broad.key[guess] == key and (guess == low or broad.key[guess - 1] != key):
            return guess
    while low < high:
        middle = (low + high) // 2
        if broad.key[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low


@compiled
def sort_candidates(broad):
    """Ascending, digit after digit from the last one on, each with its order kept."""
    row, spare, digits = broad.candidate, broad.spare, broad.digits
    largest = 0
    for n in range(broad.candidates):
        largest = max(largest, row[n])
    shift = 0
    while largest >> shift > 0:
        for d in range(digits.shape[0]):
            digits[d] = 0
        for n in range(broad.candidates):
            digits[((row[n] >> shift) & _DIGIT) + 1] += 1
            spare[n] = row[n]
        for d in range(_DIGIT):
            digits[d + 1] += digits[d]
        for n in range(broad.candidates):
            d = (spare[n] >> shift) & _DIGIT
            row[digits[d]] = spare[n]
            digits[d] += 1
        shift += _BITS
