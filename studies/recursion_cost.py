"""What do joint torques cost by the recursion, and what by Lagrange's equations written out?

Ali (2011, 1.3, 3.2) has it that the recursive Newton-Euler algorithm takes a time in proportion to the number of bodies n, where
Lagrange's equations take n^4, and that its simulators run faster than real time. Here both give the torques of a planar chain
that moves as told: the recursion of the library, and

    tau_i = M_ij qdd_j + (d_k M_ij - d_i M_jk / 2) qd_j qd_k + d_i U,      M = sum_b m J_b^T J_b + I W_b^T W_b,

with dM/dq from the second derivatives of the centres, all sums written out: n^3 entries with n terms each.
Check: the torques are equal; twice the bodies take less than 2.5 times as long by the recursion, more than 6 by the sums (16 in
the limit). The four robots of chapter 4 run faster than real time.
Run: python studies/recursion_cost.py [folder] [--quick]
"""

import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import locodyn as ld

MASS, LENGTH, INERTIA, GRAVITY = 1.0, 0.1, 0.01, 9.81  # of a body; its centre is in its middle
EXAMPLES = ("satellite", "snakeboard", "wheeled_snake", "mobile_manipulator")


def chain(n: int) -> ld.Model:
    """n bodies on a hinge, in a plane."""
    robot = ld.Robot("chain")
    body, at = robot.base("ground", moves="fixed"), (0.0, 0.0, 0.0)
    for k in range(n):
        part = robot.body(f"body_{k}", mass=MASS, centre=(LENGTH / 2.0, 0, 0), inertia=ld.about_centre(zz=INERTIA))
        body, at = part.on(body, at=at).turning("z"), (LENGTH, 0.0, 0.0)
    return robot.model(gravity=(0.0, -GRAVITY, 0.0))


def lagrange(q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
    """Torques (n,) of the chain by Lagrange's equations, N m."""
    n = len(q)
    heading = np.exp(1j * np.cumsum(q))
    hinges = LENGTH * np.concatenate([[0.0], np.cumsum(heading)[:-1]])
    centres = hinges + 0.5 * LENGTH * heading
    moves = np.tri(n)  # [b, j]: joint j moves body b
    slope = 1j * (centres[:, None] - hinges) * moves  # dc_b / dq_j
    # d^2 c_b / dq_j dq_k = -(c_b - p_max(j, k)): only what lies beyond both joints turns
    last = np.maximum.outer(np.arange(n), np.arange(n))
    second = -(centres[:, None, None] - hinges[last]) * (moves[:, :, None] * moves[:, None, :])
    one, two = np.stack([slope.real, slope.imag]), np.stack([second.real, second.imag])
    mass = MASS * np.einsum("xbi,xbj->ij", one, one) + INERTIA * np.einsum("bi,bj->ij", moves, moves)
    half = MASS * np.einsum("xbik,xbj->ijk", two, one, optimize=False)  # n^4
    change = half + half.transpose(1, 0, 2)  # dM_ij / dq_k
    bias = np.einsum("ijk,j,k->i", change, v, v) - 0.5 * np.einsum("jki,j,k->i", change, v, v)
    found: np.ndarray = mass @ a + bias + MASS * GRAVITY * slope.imag.sum(axis=0)
    return found


def least(act: Callable[[], object], seconds: float) -> float:
    """Processor time of one call, s: the least of several."""
    act()
    found, end = [], time.process_time() + seconds
    while len(found) < 3 or time.process_time() < end:
        began = time.process_time()
        act()
        found.append(time.process_time() - began)
    return min(found)


def costs(sizes: list[int], seconds: float) -> np.ndarray:
    """Seconds (len(sizes), 2) of both ways, whose torques are compared."""
    found = []
    for n in sizes:
        model, random = chain(n), np.random.default_rng(n)
        q, v, a = random.uniform(-1.0, 1.0, (3, n))
        ours = model.inverse_dynamics(q, v, a)
        np.testing.assert_allclose(lagrange(q, v, a), ours, atol=1e-12 * n * np.abs(ours).max())

        def many(m: ld.Model = model, q: np.ndarray = q, v: np.ndarray = v, a: np.ndarray = a) -> None:
            for _ in range(200):
                m.inverse_dynamics(q, v, a)

        found.append([least(many, seconds) / 200.0, least(lambda q=q, v=v, a=a: lagrange(q, v, a), seconds)])
    return np.array(found)


def real_time(name: str) -> float:
    """Seconds of motion in a second of processor time, without compilation."""
    scenario = getattr(ld.zoo, name)().changed(checks=())
    scenario.changed(t_end=2.0 * scenario.numerics.step).run(progress=False)  # compiles
    scenario.problem  # noqa: B018  built before the time is taken
    began = time.process_time()
    result = scenario.run(progress=False)
    return float(result.time.values[-1]) / (time.process_time() - began)


def main(folder: Path, quick: bool) -> None:
    """Times, slopes, real time; a picture of the times."""
    folder.mkdir(exist_ok=True)
    sizes = [12, 24, 48] if quick else [12, 24, 48, 96]
    found = costs(sizes, 0.05 if quick else 1.0)
    growth = found[-1] / found[-2]
    for n, (recursion, sums) in zip(sizes, found, strict=True):
        print(f"{n} bodies: {1e6 * recursion:.2f} us by the recursion, {1e6 * sums:.0f} us by Lagrange's equations")
    print(f"twice the bodies: {growth[0]:.2f} and {growth[1]:.2f} times as long")
    assert growth[0] < 2.5 and growth[1] > 6.0
    for name in EXAMPLES[:1] if quick else EXAMPLES:
        rate = real_time(name)
        print(f"{name}: {rate:.0f} s of motion in a second")
        assert rate > 1.0
    draw(folder / "recursion_cost.png", sizes, found)


def draw(file: Path, sizes: list[int], found: np.ndarray) -> None:
    """Time over number of bodies, logarithmic."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.0, 3.5), layout="constrained")
    axes = figure.subplots()
    for k, label in enumerate(("recursion", "Lagrange's equations")):
        axes.loglog(sizes, 1e6 * found[:, k], "o-", label=label)
    axes.set(xlabel="bodies", ylabel="processor time (us)", xticks=sizes, xticklabels=[str(n) for n in sizes])
    axes.minorticks_off()
    axes.legend()
    figure.savefig(file, dpi=150)


if __name__ == "__main__":
    words = [word for word in sys.argv[1:] if word != "--quick"]
    main(Path(words[0] if words else "out"), "--quick" in sys.argv)
