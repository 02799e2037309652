"""Arguments of phases, strides, gaits and controllers that cannot be are refused in one sentence; nothing is passed over."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import locodyn as ld
from locodyn.controllers import Bezier, OutputLinearisation, Place, VirtualConstraints
from locodyn.phases import Phase, PoincareMap, Touchdown
from locodyn.walking import Biped, GaitLimits, controllers, invariant_gait, level_posture
from locodyn.walking.design import GaitDesign
from locodyn.walking.trajectory_design import TrajectoryDesign
from locodyn.zoo import rabbit

pytestmark = pytest.mark.slow

WALK = {"left": "foot_1", "right": "foot_2"}
GUESS = {"hip_1": -0.2, "hip_2": 0.5, "knee_1": -0.1, "knee_2": -0.4, "trunk": -0.1}
CARRIED, FEET = ("y", "z"), ("foot_1", "foot_2")


@pytest.fixture(scope="module")
def hybrid():
    return ld.Scenario("rabbit", rabbit.robot(), phases=rabbit.phases()).hybrid


def lands(**words: Any) -> Touchdown:
    return Touchdown("left", "right", "foot_2", **words)


def curve(rows: int = 1) -> Bezier:
    return Bezier(np.zeros((rows, 4)))


def constraints(model: Any, output: Any = "hip_1", between: Any = (0.0, 1.0)) -> VirtualConstraints:
    return VirtualConstraints(model, [output], "trunk", between, curve())


def biped(hybrid: Any, stance: str = "foot_1", swing: str = "foot_2", along: Any = rabbit.ALONG) -> Biped:
    return Biped(hybrid, rabbit.OUTPUTS, rabbit.PHASE, "trunk", CARRIED, stance, swing, along)


def level(hybrid: Any) -> np.ndarray:
    return level_posture(biped(hybrid), rabbit.C5_POSTURE, "hip_1")


def in_the_air(hybrid: Any) -> np.ndarray:
    """On the standing foot, with the knee of the other leg bent by 0.1 rad more."""
    q = level(hybrid)
    q[hybrid.position("knee_2")] -= 0.1
    return biped(hybrid).planted(q)


def strides(hybrid: Any, motors: Any = rabbit.JOINTS, durations: Any = (0.5,), along: Any = rabbit.ALONG) -> TrajectoryDesign:
    return TrajectoryDesign(hybrid, ["left"], motors, [{}, {}], durations, along=along)


PHASES: list[tuple[Callable[[], Any], str]] = [
    (lambda: lands(along=(1.0, 0.0)), "direction of walking of the touchdown of 'foot_2' is .* it must be 3 finite numbers"),
    (lambda: lands(along=(np.nan, 0, 0)), "direction of walking of the touchdown of 'foot_2' is .* it must be 3 finite numbers"),
    (lambda: lands(along=(0, 0, 0)), r"the touchdown of 'foot_2' is \(0, 0, 0\); it must not be zero"),
    (lambda: lands(ahead=np.nan), "'ahead' of the touchdown of 'foot_2' is nan; it must be finite"),
    (lambda: lands(ahead="far"), "'ahead' of the touchdown of 'foot_2' is 'far'; it must be a number"),
    (lambda: lands(depth=-1e-3), "the depth of the touchdown of 'foot_2' is -0.001 m; it must be zero or more"),
    (lambda: lands(stiff={"knee_1": np.inf}), "the value of 'knee_1' in the impact of the touchdown of 'foot_2' is inf"),
    (lambda: Phase(3), "a phase has the feet 3"),  # type: ignore[arg-type]
    (lambda: Phase("foot_1", None, ["knee_1"]), "locks .'knee_1'.; give names of feet"),  # type: ignore[arg-type]
    (lambda: Phase("foot_1", None, {"knee_1": np.nan}), "the value at which 'knee_1' is locked is nan; it must be finite"),
    (lambda: ld.Phases(["left"], []), "the phases are .'left'.; give"),  # type: ignore[arg-type]
    (lambda: ld.Phases(WALK, [], friction="ice", final=tuple(WALK)), "the friction of the phases is 'ice'"),  # type: ignore[arg-type]
    (lambda: ld.Phases(WALK, [], mirror={"hip_1": "hip_2"}, final=tuple(WALK)), "it must be a Mirror"),  # type: ignore[arg-type]
    (lambda: GaitLimits(torque="much"), "the limit 'torque' of the gait is 'much'"),  # type: ignore[arg-type]
    (lambda: GaitLimits(length=(1, 2, 3)), "the limits of 'a step' are .* two numbers"),  # type: ignore[arg-type]
    (lambda: GaitLimits(joints={"knee_1": (1,)}), "the limits of 'knee_1' are .* two numbers"),  # type: ignore[dict-item]
]


@pytest.mark.parametrize(("act", "words"), PHASES, ids=[words[:40] for _, words in PHASES])
def test_words_that_make_no_sense(act, words):
    with pytest.raises(ld.InputError, match=words):
        act()


ROBOT: list[tuple[Callable[[Any], Any], str]] = [
    (lambda h: h.freedoms("lefd", h.model.neutral()), "there is no phase 'lefd'; did you mean 'left'"),
    (lambda h: h.actuation_degree("left", ["arm"], h.model.neutral()), "no coordinate 'arm'"),
    (lambda h: biped(h, "foot_9"), "the biped names the foot 'foot_9'"),
    (lambda h: biped(h, "foot_1", "foot_1"), "the foot 'foot_1' of the biped needs .* another foot"),
    (lambda h: biped(h, along=(0, 1)), "direction of walking of the biped is .* 3 finite numbers"),
    (lambda h: biped(h, along=(1, 0, 0)), "'y' and 'z' do not carry the biped along"),
    (lambda h: level_posture(biped(h), {"arm": 1.0}, "hip_1"), "no coordinate 'arm'"),
    (lambda h: level_posture(biped(h), rabbit.C5_POSTURE, "hip_9"), "no coordinate 'hip_9'"),
    (lambda h: invariant_gait(biped(h), level(h), rabbit.C5_LAST[:2], rabbit.C5_INNER), r"have shapes \(2,\) and \(4, 3\)"),
    (lambda h: invariant_gait(biped(h), level(h), rabbit.C5_LAST, rabbit.C5_INNER[:3]), r"have shapes \(4,\) and \(3, 3\)"),
    (lambda h: invariant_gait(biped(h), in_the_air(h), rabbit.C5_LAST, rabbit.C5_INNER), "of the step the foot 'foot_2' is 0.0"),
    (lambda h: GaitDesign(biped(h), GUESS, {"nee_1": 1.0}), "the guess of the gait names the joint 'nee_1'"),
    (lambda h: GaitDesign(biped(h), {**GUESS, "arm": 1.0}), "the guess of the gait names the joint 'arm'"),
    (lambda h: controllers(rabbit.gait_c5(h), "pd"), "the law 'pd' of the outputs needs the option 'stiffness'; it takes"),
    (
        lambda h: controllers(rabbit.gait_c5(h), limit=3.0),
        "the law 'linearisation' of the outputs has no option 'limit'",
    ),
    (lambda h: constraints(h.model, between=(0.0,)), "the phase variable goes between .* a step"),
    (lambda h: constraints(h.model, Place("tibia_1", (0, 1))), "direction of the place of 'tibia_1' is .* 3 finite numbers"),
    (lambda h: OutputLinearisation(constraints(h.model), ["hip_1"], ["foot_9"]), "stands on the foot 'foot_9'"),
    (lambda h: strides(h, ["arm"]), "no coordinate 'arm'"),
    (lambda h: strides(h, durations=(-0.5,)), "a guessed duration of a phase is -0.5; it must be positive"),
    (lambda h: strides(h, along=(0, 1)), "direction of walking of the design is .* 3 finite numbers"),
    (lambda h: PoincareMap(h, tolerance=-1.0), "the tolerance of strides is -1; it must be positive"),
    (lambda h: PoincareMap(h, longest=0.0), "the longest time of a stride is 0; it must be positive"),
]


@pytest.mark.parametrize(("act", "words"), ROBOT, ids=[words[:40] for _, words in ROBOT])
def test_names_and_numbers_that_do_not_fit_the_robot(hybrid, act, words):
    with pytest.raises(ld.InputError, match=words):
        act(hybrid)


def test_directions_have_no_length_and_feet_are_named_once():
    """How far ahead a foot must be is in metres, whatever the length of the direction."""
    assert lands(along=(0.0, 3.0, 4.0)).along == (0.0, 0.6, 0.8)
    assert Phase(("foot_1", "foot_1")).feet == ("foot_1",)
