"""Bad drives of wheels: each mistake has its own sentence, before anything is computed."""

import pytest

import locodyn as ld
from locodyn.errors import InputError
from locodyn.sim import Scenario

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def robot():
    cart = ld.Robot("cart")
    base = cart.base("cart", moves="planar", mass=1.0, inertia=ld.about_centre(zz=0.1))
    base.wheel("left", at=(0, 0.2, 0), axis="y", radius=0.1, actuated=True)
    base.wheel("right", at=(0, -0.2, 0), axis="y", radius=0.1)
    base.wheel("front", at=(0.4, 0, 0), axis="y", kind="steered")
    cart.body("arm", mass=1.0, inertia=ld.about_centre(zz=0.1)).on(base).turning("z")
    return cart


@pytest.mark.parametrize(
    "fields, words",
    [
        ({"dependent": ["arn"]}, "no coordinate 'arn'; did you mean 'arm'"),
        ({"dependent": "arn"}, "no coordinate 'arn'"),
        ({"steering": {"fromt": 0.1}}, "no wheel 'fromt'; did you mean 'front'"),
        ({"rolling": {"lef": 0.1}}, "no wheel 'lef'"),
        ({"wheel_torque": {"middle": 0.1}}, "no wheel 'middle'"),
        ({"equal": [("left", "rigth")]}, "no wheel 'rigth'"),
        ({"steering": {"front": "left"}}, "must be a law"),
        ({"speeds": [("cart", 1.0)]}, "must be three things"),
        ({"weights": {"left.side": "much"}}, "weights of 'left.side' is 'much'"),
        ({"static": {"left.side": float("nan")}}, "static of 'left.side' is nan"),
    ],
)
def test_when_it_is_built(robot, fields, words):
    with pytest.raises(InputError) as caught:
        Scenario("cart", robot, **fields)
    assert words in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "fields, words",
    [
        ({"steering": {}}, "wheel 'front' is steered but no steering angle is given"),
        ({"steering": {"front": 0.0, "left": 0.0}}, "wheel 'left' is fixed, it has no steering angle"),
        ({"rolling": {"right": 0.0}}, "wheel 'right' is passive"),
        ({"rolling": {"left": 0.0}, "wheel_torque": {"left": 0.0}}, "both a rolling motion and a torque"),
        ({"dependent": ["arm"]}, "no wheel that it carries asks anything of it"),
        ({"dependent": ["arm"], "imposed": {"arm": 0.0}}, "is dependent and driven"),
        ({"weights": {"left.top": 1.0}}, "no contact row 'left.top'"),
        ({"speeds": [("cart", (0, 0, 0), 1.0)]}, "not all zero"),
        ({"speeds": [("carts", (1, 0, 0), 1.0)]}, "no body or marker 'carts'"),
        ({"torque_method": "exakt"}, "no torque method 'exakt'; did you mean 'exact'"),
        ({"steering": {"front": ld.samples([0, 1, 2], [0, 1, 0])}, "t_end": 2.0}, "front"),
        ({"steering": {"front": ld.spline([0, 1, 2, 3, 4, 5], [0, 1, 0, 1, 0, 1])}, "t_end": 9.0}, "front"),
    ],
)
def test_before_it_runs(robot, fields, words):
    scenario = Scenario("cart", robot, **{"steering": {"front": 0.0}, "t_end": 0.1, **fields})
    with pytest.raises(InputError) as caught:
        scenario.run(progress=False)
    assert words in str(caught.value) and "\n" not in str(caught.value)


def test_python_functions_steer_and_drive(robot):
    """A function of time is a law too; the time loop then runs in Python and says so."""
    common = {"rolling": {"left": ld.polynomial(0, 1)}, "imposed": {"arm": 0.0}, "t_end": 0.3}
    python = Scenario("cart", robot, steering={"front": lambda t: 0.1 * t * t}, **common).run(progress=False)
    compiled = Scenario("cart", robot, steering={"front": ld.polynomial(0, 0, 0.1)}, **common).run(progress=False)
    assert (python.attributes["time_loop"], compiled.attributes["time_loop"]) == ("Python", "compiled")
    assert abs(python.position.values - compiled.position.values).max() < 1e-6
