"""The numbers by which kernels find arrays are those of the tuple that holds them."""

import numpy as np

import locodyn as ld
from locodyn.locomotion import fields
from locodyn.world.rows import FRAME


def test_numbers_follow_the_order_of_the_arrays():
    for number, name in enumerate(fields.ConstraintArrays._fields):
        assert getattr(fields, f"{name.upper()}_AT") == number
    assert sum(name.endswith("_AT") for name in vars(fields)) == len(fields.ConstraintArrays._fields)


def test_rows_of_a_frame_are_found_by_where_they_start():
    """Projective torques go through the rows once: each frame has its own stretch of them, in the order of the rows."""
    for scenario in (ld.zoo.mobile_manipulator(), ld.zoo.wheeled_snake(), ld.zoo.four_bar()):
        arrays = scenario.problem.constraints.arrays
        frames = arrays.rows[:, FRAME]
        assert len(arrays.frame_starts) == scenario.model.nf + 1
        for k in range(scenario.model.nf):
            own = arrays.sorted_rows[arrays.frame_starts[k] : arrays.frame_starts[k + 1]]
            assert own.tolist() == np.flatnonzero(frames == k).tolist()
