"""Functions of the C library that a card does not have, in the operations of a kernel."""

from __future__ import annotations

from locodyn.kernel import compiled, exp
from locodyn.kernel.exponential import decay


@compiled
def exponential(x):
    """e^x to 1e-15: on the processor it is the C library's, so that the last bit may differ."""
    if x < 0.0:
        return decay(-x)
    return 1.0 / decay(x)


STAND_INS = {exp: exponential}
