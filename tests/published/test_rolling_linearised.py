"""Rolling in space, linearised: the benchmark bicycle (Meijaard et al. 2007) and the rolling disc."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from locodyn.control import Linearisation, eigenvalue_sweep, linearise
from locodyn.zoo.registry import ROBOTS, make

if not {"benchmark_bicycle", "rolling_disc"} <= set(ROBOTS):
    pytest.skip("the zoo has no robots that roll in space", allow_module_level=True)

LEAN_AND_STEER: dict[str, Any] = {"lean": "frame.roll", "steer": {"steer": -1.0}}  # the benchmark steers positive to the right
MASS = np.array([[80.81722, 2.31941332208709], [2.31941332208709, 0.29784188199686]])
C1 = np.array([[0, 33.86641391492494], [-0.85035641456978, 1.68540397397560]])
K0 = np.array([[-80.95, -2.59951685249872], [-2.59951685249872, -0.80329488458618]])
K2 = np.array([[0, 76.59734589573222], [0, 2.65431523794604]])
EIGENVALUES = {  # weave, capsize, castering: Table 2 of the benchmark
    1.0: (3.52696170990070 + 0.80774027519930j, -3.13423125066578, -7.11008014637442),
    3.0: (1.70675605663975 + 2.31582447384325j, -2.63366137253667, -10.35101467245920),
    5.0: (-0.77534188219585 + 4.46486771378823j, -0.32286642900409, -14.07838969279822),
    7.0: (-2.13875644258362 + 7.19525913329805j, 0.10268170574766, -18.15788466125262),
    10.0: (-3.72016840437287 + 10.90681139476287j, 0.16105338653172, -24.62459635017404),
}


def bicycle(speed: float) -> Linearisation:
    return linearise(make("benchmark_bicycle", {"v": speed, "lean_rate": 0.0}), coordinates=LEAN_AND_STEER)


def test_matrices_of_the_benchmark() -> None:
    """M, C1, K0, K2; measured: 1e-14, 1e-14, 1.4e-12, 7e-13."""
    _, still, gravity = bicycle(0.0).second_order(("lean", "steer"))
    mass, damping, stiffness = bicycle(1.0).second_order(("lean", "steer"))
    assert np.abs(still).max() < 1e-11
    for found, wanted in ((mass, MASS), (damping, C1), (gravity / 9.81, K0), (stiffness - gravity, K2)):
        np.testing.assert_allclose(found, wanted, atol=1e-10)


@pytest.mark.parametrize("speed", EIGENVALUES)
def test_eigenvalues_of_the_benchmark(speed: float) -> None:
    system = bicycle(speed)
    assert system.symmetries.shape[1] == 5 and system.defect < 1e-11 and system.error < 1e-10
    values = system.reduced().eigenvalues
    assert len(values) == 5  # and the zero of the speed
    for wanted in (*EIGENVALUES[speed], 0.0):
        assert np.abs(values - wanted).min() < 1e-10 * max(1.0, abs(wanted))


def test_weave_and_capsize_speed() -> None:
    """With the neutral change of speed left in."""
    found = eigenvalue_sweep(lambda v: bicycle(v).reduced(), np.linspace(3.0, 8.0, 11), "speed", "m/s")
    weave, capsize = found.boundaries
    assert weave.value == pytest.approx(4.292382536341, abs=1e-9) and weave.kind == "oscillatory"
    assert capsize.value == pytest.approx(6.024262015388, abs=1e-9) and capsize.kind == "monotone"
    assert found.stable == ((weave.value, capsize.value),)


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
