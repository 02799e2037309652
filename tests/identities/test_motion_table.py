"""The table and its kernel: every life of the kernel gives the same law; derivatives belong to their value."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from locodyn import motion
from locodyn.kernel import twin
from locodyn.motion.table import MotionTable, evaluate

number = st.floats(-5, 5).filter(lambda x: abs(x) > 1e-3)
knots = np.linspace(-3, 12, 31)
plain = st.one_of(
    st.builds(motion.polynomial, number, number, number),
    st.builds(lambda a, w, p: motion.sine(a, omega=w, phase=p), number, number, number),
    st.builds(lambda a, w, p: motion.cosine(a, omega=w, offset=p), number, number, number),
    st.builds(lambda a, b, d: motion.transition(a, b, duration=abs(d), at=1.0, degree=7), number, number, number),
    st.builds(lambda a, w: motion.spline(knots, a * np.sin(w * knots)), number, st.floats(0.1, 1)),
    st.builds(lambda a, b: motion.ramp(a, at=2.0, blend=abs(b)), number, number),
)
laws = st.builds(lambda x, y, k, soft: (x + k * y).soft_start(3.0) if soft else x + k * y, plain, plain, number, st.booleans())


@settings(max_examples=60, deadline=None)
@given(st.lists(laws, min_size=1, max_size=4), st.floats(0.0, 10.0))
def test_table_holds_each_law(many, t):
    table = MotionTable(many)
    assert not table.has_python and len(table) == len(many)
    for i, law in enumerate(many):
        compiled = evaluate(table.arrays, i, t)
        assert compiled == law.at(t)
        assert np.allclose(twin(evaluate)(table.arrays, i, t), compiled, rtol=1e-12, atol=1e-12)
        assert np.array_equal(table.at(t)[:, i], compiled)


@settings(max_examples=60, deadline=None)
@given(laws, st.floats(0.0, 10.0))
def test_derivatives_belong_to_the_value(law, t):
    h = 1e-5
    size = 1.0 + max(abs(x) for x in law.at(t))
    # Second-order differences: h^2 times third derivatives, and round-off over h; 1e-4 clears both for these ranges.
    assert abs((law(t + h) - law(t - h)) / (2 * h) - law.rate(t)) < 1e-4 * size
    assert abs((law.rate(t + h) - law.rate(t - h)) / (2 * h) - law.acceleration(t)) < 2e-2 * size


def test_kernel_gives_nan_for_a_python_function():
    table = MotionTable([motion.sine(1, omega=1), motion.function(np.sin)])
    assert table.has_python
    assert np.isnan(evaluate(table.arrays, 1, 0.5)).all()
    assert np.allclose(table.at(0.5)[:, 0], table.at(0.5)[:, 1], atol=1e-8)


def test_empty_table():
    table = MotionTable([])
    assert len(table) == 0 and table.at(1.0).shape == (3, 0) and table.arrays.start.tolist() == [0]
