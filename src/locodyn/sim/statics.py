"""The equilibrium of a robot without a scenario of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Unpack, overload

from locodyn.errors import InputError, nearest
from locodyn.sim.fields import RobotLike, StaticsFields
from locodyn.sim.given import check_pull
from locodyn.sim.scenario import Scenario

if TYPE_CHECKING:
    from locodyn.equilibria.shooting import StrongEquilibrium
    from locodyn.equilibria.statics import Equilibrium


@overload
def statics(
    robot: RobotLike,
    *,
    name: str | None = None,
    t: float = ...,
    steps: int = ...,
    tolerance: float = ...,
    stable: bool = ...,
    method: Literal["modes"] = ...,
    **fields: Unpack[StaticsFields],
) -> Equilibrium: ...
@overload
def statics(
    robot: RobotLike,
    *,
    name: str | None = None,
    t: float = ...,
    steps: int = ...,
    tolerance: float = ...,
    stable: bool = ...,
    method: Literal["shooting"],
    **fields: Unpack[StaticsFields],
) -> StrongEquilibrium: ...


def statics(
    robot: RobotLike,
    *,
    name: str | None = None,
    t: float = 0.0,
    steps: int = 1,
    tolerance: float = 1e-10,
    stable: bool = False,
    method: str = "modes",
    **fields: Unpack[StaticsFields],
) -> Equilibrium | StrongEquilibrium:
    """The equilibrium of a robot, an :class:`~locodyn.equilibria.statics.Equilibrium`, for ``simulate(start=...)``.

    ``fields`` are those of :class:`Scenario`: gravity, imposed, torque, servo, start (where to look). ``t``: the time at which
    laws are read; ``steps``: in how many parts the loads are brought up; ``stable``: fall on to a stable one.
    ``method="shooting"`` solves the differential equations of rods without modes: a
    :class:`~locodyn.equilibria.shooting.StrongEquilibrium`, for trees of rods and joints.

    >>> import locodyn as ld
    >>> arm = ld.Robot("arm")
    >>> rod = arm.base("ground", moves="fixed").rod("rod", length=1.0, section=ld.Circle(0.01), material=ld.steel, bending=(3, 0))
    >>> float(arm.model().pose("rod", ld.statics(arm).q)[1][2].round(5))
    -0.00182
    """
    from locodyn.equilibria.shooting import shooting
    from locodyn.equilibria.statics import equilibrium

    if method not in ("modes", "shooting"):
        raise InputError(f"the method of statics is {method!r}{nearest(str(method), ('modes', 'shooting'))}")
    scenario = Scenario(robot.name if name is None else name, robot, **fields)
    for name, law in scenario.tension.items():
        check_pull(name, law, t, t)
    q, _ = scenario.start.state(scenario.model, scenario.by_index(scenario.imposed))
    if method == "shooting":
        return shooting(scenario.problem, t, q0=q, steps=steps, tolerance=tolerance)
    return equilibrium(scenario.problem, q, t, steps=steps, tolerance=tolerance, stable=stable)
