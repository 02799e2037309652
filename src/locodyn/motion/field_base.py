"""Fields along a line as data: the rows of their terms, which kernels read (:mod:`locodyn.motion.field_table`).

A field is a sum of terms. A term is a number times an amplitude times a product of profiles, functions f of one number, each of
them of a straight combination of the place s and the phase sigma,

    y_a * scale * product of f(along s + across sigma + shift),

where the phase and the amplitude y_a are coordinates. A travelling wave is f(k (s + sigma)), a shape in which a body swells and
shrinks is y_a g(s), and a front that runs along a pattern is f(s - sigma) g(s). Kinds of profiles:

===========  ==================================================================================================
kind         f(u)
===========  ==================================================================================================
SINE         sin u
COSINE       cos u
POLYNOMIAL   c0 + c1 u + c2 u^2 + ...
BUMP         exp(-u^2 / (1 - u^2)) for abs(u) < 1, else 0: compact support, all derivatives (Ali 2011, (6.41), repaired)
STEP         35 x^4 - 84 x^5 + 70 x^6 - 20 x^7 with x = u kept in [0, 1]: C^3, for what stays in place
FRONT        x^6 (462 - 1980 x + 3465 x^2 - 3080 x^3 + 1386 x^4 - 252 x^5): C^5, for what travels
===========  ==================================================================================================

Obligations of a kind of profile: three derivatives, exact and continuous (accelerations need two, their slopes the third); no
choice that depends on data but by ``select_lt``, because a phase may be lanes of several instants. A profile of the
phase has five: accelerations of its strain are then C^3, so that steps of order 4, along the rod or in time, keep their order
where it begins or ends, which may be anywhere within them.

A term is one row of a table, from column ``first`` on.
"""

from __future__ import annotations

from locodyn.record import codes, record

WAVE = codes("sine", "cosine", "polynomial", "bump", "step", "front")

MOST_COEFFICIENTS = 8

# Columns of a term. Strain: 0 ... 5; phase, amplitude: numbers of coordinates, -1 for none; then ``count`` profiles follow.
TERM = record(strain=1, phase=1, amplitude=1, scale=1, count=1)
# Columns of a profile; polynomials have degree + 1 coefficients, lowest first.
PROFILE = record(kind=1, along=1, across=1, shift=1, degree=1, coefficients=MOST_COEFFICIENTS)
