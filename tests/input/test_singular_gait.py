"""Gaits through singular shapes: told where speeds would grow without bound, crossed where they stay bounded."""

import warnings

import numpy as np
import pytest

import locodyn as ld


def three_axle(first, second):
    scenario = ld.zoo.three_axle().changed(imposed={"joint_1": first, "joint_2": second}, checks=())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ld.sim.RankWarning)
        return scenario.run(progress=False)


def test_a_gait_through_a_true_singularity_ends_with_a_sentence():
    result = three_axle(0.4 + ld.sine(0.2, omega=1.0, phase=0.5), ld.constant(0.4))
    assert result.status.startswith("failed: the motion goes through a singular shape near t = 2.6")
    assert "choose another gait" in result.status
    # What went before is kept: r_1 = r_2 at sin(t + 0.5) = 0, t = pi - 0.5 = 2.64 s.
    assert 2.5 < float(result.time[-1]) < np.pi - 0.5


def test_a_singular_shape_that_can_be_crossed_is_no_fault():
    swing = ld.sine(0.2, omega=1.0, phase=0.5)
    result = three_axle(0.4 + swing, 0.4 - swing)
    assert result.status == "completed"
    assert result.constraint_condition.values.min() < 1e-3
    assert np.abs(result.twist.values).max() < 1.0


@pytest.mark.parametrize(
    "name, settings, words",
    [
        ("snakeboard", {}, "under-constrained: 2 independent rolling constraints on SE(2)"),
        ("wheeled_snake", {}, "fully constrained: 3 independent rolling constraints on SE(2)"),
        ("trailer_truck", {}, "5 independent rolling constraints on SE(2) and 2 free joints"),
        ("car", {}, "1 redundant, 1 free direction"),
        ("unicycle", {}, "1 of them driven"),
        ("four_bar", {}, "manipulator: reference body fixed; 1 closed loop"),
        ("satellite", {}, "unconstrained with symmetry: 3 free directions on SO(3)"),
        ("fish", {}, "momentum (with that of the fluid) conserved"),
        ("two_axle", {"contact": "friction"}, "unconstrained with external forces (wrench laws)"),
        ("snake_2d", {}, "unconstrained with external forces (hard contact)"),
        ("snake_3d", {}, "unconstrained with external forces (gravity, hard contact)"),
        ("compass_gait", {}, "under-constrained: 2 independent contact constraints on R and 3 free joints"),
        ("rabbit_stand", {}, "unconstrained with external forces (gravity, wrench laws): 1 free direction on R"),
    ],
)
def test_classification_in_words(name, settings, words):
    assert words in getattr(ld.zoo, name)(**settings).problem.classification
