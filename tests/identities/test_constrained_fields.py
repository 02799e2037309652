"""The arrays of constrained robots."""

import numpy as np

import locodyn as ld


def test_rows_of_a_frame_are_found_by_where_they_start():
    """Projective torques go through the rows once: each frame has its own stretch of them, in the order of the rows."""
    for scenario in (ld.zoo.mobile_manipulator(), ld.zoo.wheeled_snake(), ld.zoo.four_bar()):
        arrays = scenario.problem.constraints.arrays
        frames = arrays.frame
        assert len(arrays.projective.frame_starts) == scenario.model.nf + 1
        for k in range(scenario.model.nf):
            own = arrays.projective.sorted_rows[arrays.projective.frame_starts[k] : arrays.projective.frame_starts[k + 1]]
            assert own.tolist() == np.flatnonzero(frames == k).tolist()
