"""Functions of the C library that a card does not have, in the operations of a kernel."""

from __future__ import annotations

from locodyn.kernel import exp, lit, portable, select_lt
from locodyn.kernel.exponential import decay


@portable
def exponential(x):
    """e^x to 1e-15. On the processor it is the C library's, so that the last bits may differ."""
    zero = lit(x, 0.0)
    falling = decay(select_lt(x, zero, -x, x))
    return select_lt(x, zero, falling, lit(x, 1.0) / falling)


STAND_INS = {exp: exponential}
