"""Which gait of the snakeboard is fastest, and what does speed cost? A grid, the optimum, the front of speed and cost.

Check: the optimum (SLSQP, which finds the ends of ranges) is no slower than the best of the grid, and within a step of it.
Run: python studies/snakeboard_gait.py [folder]
"""

import sys
from pathlib import Path

import locodyn as ld
from locodyn.view.study_pictures import plot_study


def main(folder: Path) -> None:
    """Grid, optimum, front."""
    folder.mkdir(exist_ok=True)
    settings, step = {"t_end": 6.0}, 0.1
    vary = {"a_phi": "0.2..1:9", "a_psi": "0.4..1.2:5"}
    grid = ld.study.Study("snakeboard", vary, ["speed", "cost_of_transport"], settings=settings).run(progress=False)
    plot_study(grid, folder / "snakeboard_map.png")
    over = {"a_phi": "0.2..1", "a_psi": "0.4..1.2"}
    search = ld.study.Optimisation("snakeboard", over, maximise="speed", method="slsqp", settings=settings)
    best = search.run(progress=False)
    of_grid = grid.best("speed")
    assert best.metrics["speed"] >= of_grid.value
    assert abs(best.parameters["a_phi"] - of_grid.parameters["a_phi"]) <= step
    print(
        f"fastest of {len(grid.column('speed'))} runs: {of_grid.value:.4f} m/s at a_phi = {of_grid.parameters['a_phi']:.2f} rad"
    )
    print(f"optimum: {best.metrics['speed']:.4f} m/s at a_phi = {best.parameters['a_phi']:.3f} rad")
    search = ld.study.Optimisation(
        "snakeboard", over, maximise="speed", minimise="cost_of_transport", budget=80, population=16, settings=settings
    )
    front = search.run(progress=False)
    front.plot(folder / "snakeboard_front.png")
    ends = front.numbers[front.front()[[0, -1]]]
    print(f"front: {ends[0, 0]:.3f} m/s at a cost of {ends[0, 1]:.4f}, down to {ends[1, 0]:.3f} m/s at {ends[1, 1]:.4f}")


if __name__ == "__main__":  # other processes of a study load this file again
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out"))
