"""The rolling disc made linear about straight rolling."""

from __future__ import annotations

import math

import numpy as np
import pytest

from locodyn.linearisation import Linearisation, eigenvalue_sweep, linearise
from locodyn.zoo.registry import make

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("kind, share", [("uniform", 3.0), ("ring", 4.0)])
def test_rolling_disc(kind: str, share: float) -> None:
    """One body that spins: stable straight on for v^2 > g r / 3 (ring: 4).

    lambda^2 = (m g r - Ia (Ia + m r^2) w^2 / It) / (It + m r^2), with Ia about the axis, It across it, w = v / r.
    """
    radius, gravity = 0.25, 9.81
    scenario = make("rolling_disc", {"case": "straight", "kind": kind, "r": radius, "g": gravity})
    upright = scenario.model.neutral()
    upright[2] = radius

    def straight(speed: float) -> Linearisation:
        return linearise(scenario, upright, [speed, 0, 0, 0, speed / radius, 0], spin={"disc": (0, 1, 0)}).reduced()

    axial = (0.5 if kind == "uniform" else 1.0) * radius**2
    across = axial / 2
    square = (gravity * radius - axial * (axial + radius**2) * (1.0 / radius) ** 2 / across) / (across + radius**2)
    system = straight(1.0)
    assert np.abs(system.eigenvalues - np.sqrt(complex(square))).min() < 1e-9
    assert max(system.defect, system.wander) < 1e-12
    critical = math.sqrt(gravity * radius / share)
    (boundary,) = eigenvalue_sweep(straight, np.linspace(0.7, 1.3, 4) * critical).boundaries
    assert boundary.value == pytest.approx(critical, rel=1e-10) and boundary.unstable == "below"
