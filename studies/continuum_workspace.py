"""Where can a planar robot of two elastic legs put its tip, and where is it stable?

Two steel rods on driven hinges, their tips pinned to each other (RFRFR, Gotelli 2024, 5.13: `cpr_rfrfr` without gravity, hinges
turned by motors). Check: the map is its own mirror image, since the robot is; no place is beyond what two
straight legs reach; and stable places are those with a positive least stiffness.
Run: python studies/continuum_workspace.py [folder] [--quick]
"""

import math
import sys
from pathlib import Path

import numpy as np

import locodyn as ld
from locodyn.zoo.robots import cpr_rfrfr


def scenario() -> ld.Scenario:
    """The robot at rest with its legs bowed outwards, its hinges held by motors."""
    p = {one.name: one.value for one in cpr_rfrfr.PARAMETERS}
    hubs = {"left_hub": 2.2, "right_hub": math.pi - 2.2}
    start = {"left.bending_z.0": -1.0, "right.bending_z.0": 1.0}
    return ld.Scenario("legs", cpr_rfrfr.robot(p), gravity=(0.0, 0.0, 0.0), imposed=hubs, start=start)


def main(folder: Path, quick: bool) -> None:
    """The map over the half plane of the tip, its mirror image, its reach."""
    folder.mkdir(exist_ok=True)
    p = {one.name: one.value for one in cpr_rfrfr.PARAMETERS}
    across, up = (9, 10) if quick else (37, 37)
    found = ld.workspace(scenario(), "left", {"x": (-0.45, 0.45, across), "y": (-0.02, 0.88, up)}, progress=False)
    found.plot(folder / "continuum_workspace.png")
    x, y = (found.dataset[name].values for name in found.axes)
    farthest = np.hypot(np.abs(x)[:, None] + 0.5 * p["d"], y[None, :])  # from the hinge that is farther away
    assert not (found.reached & (farthest > p["l"])).any(), "a place beyond straight legs"
    stable = found.stable
    assert (stable == stable[::-1]).all(), "the map is not its own mirror image"
    assert ((found.dataset["least_stiffness"].values > 0.0) == stable)[found.reached].all()
    print(f"{int(stable.sum())} of {stable.size} places are stable, {int(found.reached.sum())} reached, {found.area():.3f} m^2")


if __name__ == "__main__":
    words = [word for word in sys.argv[1:] if word != "--quick"]
    main(Path(words[0] if words else "out"), "--quick" in sys.argv)
