"""The exponential function of numbers that are not positive, in the operations of a kernel only."""

from __future__ import annotations

from locodyn.kernel.compile import portable
from locodyn.kernel.primitives import lit, select_lt

_FARTHEST = 700.0  # exp(-700) is 1e-304
_HALVINGS = 10
_TERMS = 11  # of the Taylor series at x / 2^10: those left out are below 1e-16 where e^-x is above 1e-100


@portable
def decay(x):
    """e^-x for x >= 0, with an error of 1e-15 at most; x beyond 700 counts as 700.

    Halved ten times, 1 - e^-x by its series, then doubled as often by 1 - (1 - y)^2 = y (2 - y), which loses no digits of y.
    """
    one = lit(x, 1.0)
    x = select_lt(lit(x, _FARTHEST), x, lit(x, _FARTHEST), x) * lit(x, 2.0**-_HALVINGS)
    y = one
    for k in range(_TERMS, 1, -1):
        y = one - x * y / lit(x, 1.0 * k)
    y = x * y
    for _ in range(_HALVINGS):
        y = y * (lit(x, 2.0) - y)
    return one - y
