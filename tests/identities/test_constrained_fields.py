"""The numbers by which kernels find arrays are those of the tuple that holds them."""

from locodyn.locomotion import fields


def test_numbers_follow_the_order_of_the_arrays():
    for number, name in enumerate(fields.ConstraintArrays._fields):
        assert getattr(fields, f"{name.upper()}_AT") == number
    assert sum(name.endswith("_AT") for name in vars(fields)) == len(fields.ConstraintArrays._fields)
