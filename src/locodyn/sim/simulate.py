"""A run or an equilibrium of a robot, in one call: the scenario is made of the arguments."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Unpack, overload

from locodyn.errors import InputError, nearest
from locodyn.sim.arguments import check_pull, finite, positive
from locodyn.sim.drive import Drive
from locodyn.sim.fields import RobotLike, ScenarioFields, StaticsFields
from locodyn.sim.parts import Numerics, Recording, World
from locodyn.sim.scenario import Scenario, check_words

if TYPE_CHECKING:
    from locodyn.equilibria.shooting import StrongEquilibrium
    from locodyn.equilibria.statics import Equilibrium
    from locodyn.sim.result import Result

PARTS = (World, Drive, Numerics, Recording)
_OTHER_FIELDS = """\
start : Start, Equilibrium, mapping or pair (q, v)
    Positions and velocities at the beginning: ``help(ld.Start)``.
phases : Phases
    Which feet hold in turn: ``help(ld.Phases)``.
world, drive, numerics, recording : World, Drive, Numerics, Recording
    Whole parts in place of their fields."""


def simulate(
    robot: RobotLike,
    *,
    name: str | None = None,
    progress: bool = True,
    out: str | Path | None = None,
    **fields: Unpack[ScenarioFields],
) -> Result:
    """Run a robot, and give its result.

    >>> import locodyn as ld
    >>> arm = ld.Robot("arm")
    >>> base = arm.base("ground", moves="fixed")
    >>> _ = arm.body("bar", mass=1.0, shape=ld.Box((0.5, 0.05, 0.05), at=(0.25, 0, 0))).on(base).turning("y", name="joint")
    >>> ld.simulate(arm, torque={"joint": ld.sine(0.5, omega=3.0)}, start={"joint": 0.3}, t_end=2.0, dt=0.01, progress=False)
    Result(arm: 201 records to t = 2 s, completed)

    Parameters
    ----------
    robot : Robot
        Or its description, or the compiled robot.
    name : str
        Of the run; by default that of the robot.
    progress : bool
        Whether a bar shows how far it is.
    out : file.nc
        Where the result is written.
    """
    check_words(fields, "simulate has no option")
    scenario = Scenario(_name(robot) if name is None else name, robot, **fields)
    scenario.numerics.check_given(fields)
    return scenario.run(progress=progress, out=out)


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
    :class:`~locodyn.equilibria.shooting.StrongEquilibrium`, for rods and joints, also in closed loops.

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
    check_words(fields, "statics has no option")
    finite(t, "the time of statics")
    if isinstance(steps, bool) or not isinstance(steps, int) or steps < 1:
        raise InputError(f"steps of statics is {steps!r}; it must be a whole number, at least 1.")
    positive(tolerance, "the tolerance of statics", "")
    scenario = Scenario(_name(robot) if name is None else name, robot, **fields)
    for tendon, law in scenario.drive.tension.items():
        check_pull(tendon, law, t, t)
    q, _ = scenario.start.state(scenario.model, scenario.by_index(scenario.drive.imposed))
    if method == "shooting":
        return shooting(scenario.problem, t, q0=q, steps=steps, tolerance=tolerance)
    return equilibrium(scenario.problem, q, t, steps=steps, tolerance=tolerance, stable=stable)


def _with_fields(act: Callable[..., object]) -> None:
    """Put the fields of a scenario into the documentation of a function that takes them, from the parts that they belong to."""
    sections = [inspect.cleandoc(part.__doc__ or "").partition("Parameters\n----------\n")[2] for part in PARTS]
    words = inspect.cleandoc(act.__doc__ or "")
    act.__doc__ = "\n".join([words, *(section.rstrip() for section in (*sections, _OTHER_FIELDS))]) + "\n"


_with_fields(simulate)


def _name(robot: RobotLike) -> str:
    """Of a robot; what is no robot is refused by its scenario."""
    return str(getattr(robot, "name", "robot"))
