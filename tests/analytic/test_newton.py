"""The damped Newton iteration on equations whose behaviour is known."""

from __future__ import annotations

import numpy as np

from locodyn.newton import Linearised, damped_newton


def arctan(x: float, tolerance: float = 1e-8) -> Linearised[float]:
    """atan(x) = 0, what is left being the residual."""
    step = -np.arctan(x) * (1.0 + x * x)
    return Linearised(
        abs(float(np.arctan(x))), lambda share: (x + share * step, abs(float(np.arctan(x + share * step)))),
        last=abs(step) <= tolerance,
    )  # fmt: skip


def test_damping_finds_what_whole_steps_lose() -> None:
    """Newton's method on atan diverges from |x| > 1.3917; with steps that must leave less it converges, in the end cubically."""
    whole = damped_newton(2.0, lambda x: arctan(x) if abs(x) < 1e6 else None, most=20, shortest=1.0)
    assert not whole.converged
    found = damped_newton(2.0, arctan, most=20, slack=0.1, shortest=1e-3, growth=4.0)
    assert found.converged and abs(found.x) < 1e-15 and found.iterations < 8


def test_steps_keep_within_their_reach() -> None:
    seen = []

    def linearised(x: float) -> Linearised[float]:
        seen.append(x)
        return Linearised(abs(x), lambda share: (x - share * x, 0.0), reach=1.0 / max(abs(x), 1e-300), solved=abs(x) < 1e-12)

    found = damped_newton(3.5, linearised, most=10)
    assert found.converged and np.allclose(seen, [3.5, 2.5, 1.5, 0.5, 0.0])


def test_a_last_step_that_leaves_more_is_not_taken() -> None:
    """At round-off a step may lead away: the iterate stays."""
    found = damped_newton(1.0, lambda x: Linearised(1e-16, lambda share: (x + 1.0, 1e-15), last=True), most=5)
    assert found.converged and found.x == 1.0


def test_failure_keeps_the_last_iterate() -> None:
    found = damped_newton(1.0, lambda x: Linearised(1.0, lambda share: (x + share, 2.0)), most=5, shortest=1e-3)
    assert not found.converged and found.x == 1.0 and found.iterations == 1
