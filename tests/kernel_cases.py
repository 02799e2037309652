"""Arguments for every portable kernel: through the algorithms that call it, or by itself (:mod:`kernel_lives`)."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

import locodyn as ld
from kernel_lives import Case, Own, own
from locodyn.dynamics import forward_dynamics as forward
from locodyn.dynamics import inverse_dynamics as inverse
from locodyn.dynamics import inverse_dynamics_derivatives as derivatives
from locodyn.dynamics import joint_laws, mass_matrix, totals
from locodyn.dynamics.dense_dynamics import dense_dynamics
from locodyn.dynamics.model import Model
from locodyn.dynamics.strands import strand_forces
from locodyn.integrate.rkmk4 import new_scratch, rkmk4_step
from locodyn.lie import SE2, SE3, SO3, rows, se2, se3, so3
from locodyn.locomotion.arrays import STRAND_LAG, DriveMemories, WorkArrays, new_work
from locodyn.locomotion.drive_memory import strand_values
from locodyn.locomotion.problem import Problem
from locodyn.locomotion.rhs import actuator_forces
from locodyn.motion import table as laws_of_time
from locodyn.robot.layout import COUNT_V
from locodyn.shape import columns, configuration, jacobian, kinematics
from locodyn.world import Anchor, ArctanFriction, Drag, Feedback, LuGre, Sliding, Thrust, Wake, WorldForce
from locodyn.world import surface as surfaces
from locodyn.world.law_slopes import state_slope, wrench_slopes
from locodyn.world.wrenches import contact_forces
from random_robots import ALL, random_configuration, random_motion, random_robot, random_rotation, random_unit

rng = np.random.default_rng(14)


# ---------------------------------------------------------------------------------------------------------- arguments
def vector(count: int) -> Own:
    """A tuple of random numbers."""
    return own(lambda: tuple(map(float, rng.normal(size=count))))


def number(least: float = -1.0, most: float = 1.0) -> Own:
    """A random number."""
    return own(lambda: float(rng.uniform(least, most)))


def rotation() -> Own:
    """A random rotation matrix, row by row."""
    return own(lambda: tuple(map(float, random_rotation(rng).ravel())))


def quaternion() -> Own:
    """A random unit quaternion."""
    return own(lambda: tuple(map(float, random_unit(rng, 4))))


def table(*shape: int) -> Own:
    """An array of random numbers."""
    return own(lambda: rng.normal(size=shape))


def room(*shape: int) -> Own:
    """Zeros to write into."""
    return own(lambda: np.zeros(shape))


def mapped(function: Callable[..., Any], *given: Own) -> Own:
    """What a function gives for each robot."""
    return Own(tuple(function(*values) for values in zip(*(g.values for g in given), strict=True)))


# ------------------------------------------------------------------------------------------------------------- robots
class State:
    """A model with the random states of some robots."""

    def __init__(self, model: Model, size: float = 1.0) -> None:
        self.model = m = model
        self.robot = (m.frames, m.constants)
        self.coordinates = (m.dofs, m.dof_constants)
        self.q = own(lambda: random_configuration(rng, m.compiled, size))
        self.v, self.a, self.tau = (own(lambda: size * rng.normal(size=m.nv)) for _ in range(3))
        self.wrenches = table(m.nf, 6)
        self.poses = mapped(lambda q: self.call(kinematics.frame_poses, q, 0, (m.nf, 12)), self.q)
        self.world_poses = mapped(lambda q: self.call(kinematics.frame_poses, q, 1, (m.nf, 12)), self.q)
        self.motions = mapped(lambda *s: self.call(kinematics.frame_motions, *s, (m.nf, 12)), self.q, self.v, self.a)
        self.columns = int(m.frames[:, COUNT_V].sum())

    def call(self, kernel: Any, *arguments: Any) -> np.ndarray:
        """What a kernel writes into an array, whose shape comes last."""
        result = np.zeros(arguments[-1])
        kernel(*self.robot, *arguments[:-1], result)
        return result


def bodies() -> ld.Robot:
    """One joint of each kind on a free base, with rotors, springs and friction."""
    robot = random_robot(rng, 2, ("revolute",), "free", armature=True)
    for number, kind in enumerate(ALL[1:], start=2):
        body = robot.body(f"body_{number}", mass=0.7, centre=(0.1, 0.2, 0.3), inertia=ld.about_centre(xx=0.02, yy=0.03, zz=0.04))
        random_motion(body.on(f"body_{number // 2}", at=0.3 * rng.standard_normal(3), turned=random_rotation(rng)), kind, rng)
        if kind not in ("fixed", "free", "planar"):
            body.actuator(armature=0.01, viscous=0.2, coulomb=0.3, stiffness=2.0)
    return robot


def swimmer() -> ld.Robot:
    """Three bodies that move fluid along."""
    robot = random_robot(rng, 3, ("revolute", "spherical"), "free")
    for body in robot.bodies:
        robot[body].fluid(rng.random(3), 0.1 * rng.random(3), at=0.2 * rng.standard_normal(3), turned=random_rotation(rng))
    return robot


def rods() -> ld.Robot:
    """A rod with all strains on a free base, a joint on it, a rod with a body at its tip; tendons, a chamber, a muscle."""
    robot = ld.Robot("rods")
    base = robot.base("ground", moves="free", mass=0.3, inertia=ld.about_centre(xx=0.01, yy=0.02, zz=0.015))
    one = base.rod(
        "one", length=0.5, at=(0.1, 0.2, 0), turned=("z", 0.3), section=ld.Circle(0.02), material=ld.silicone, nodes=1,
        bending=(2, 1), stretch=1, shear=(1, 1), torsion=1, rest_curvature=(0.5, 0.2, -1.0), damping=0.01,
    )  # fmt: skip
    robot.body("ball", mass=0.1, shape=ld.Sphere(0.01)).on(one, at_s=0.2, at=(0, 0.1, 0)).turning("y")
    one.tendon("pulled", (0.01, 0.0))
    one.tendon("sprung", (0.0, 0.01), stiffness=300.0)
    one.chamber("blown", (0.0, -0.01), area=1e-4)
    one.muscle("tensed", (1.0, 0.2, 0.3, 0.01, 0.02, 0.03), active_stiffness=(1.0,) * 6)
    two = one.rod("two", length=0.3, section=ld.Circle(0.01), material=ld.silicone, nodes=1, bending=1)
    robot.body("end", mass=0.2, inertia=ld.about_centre(xx=0.001, yy=0.002, zz=0.0015), centre=(0.05, 0, 0.01)).on(two).ball()
    return robot


def driven() -> Problem:
    """Two bodies on which all laws act that are data, with an imposed joint and a servo, which lags in a rough joint."""
    robot = random_robot(rng, 3, ("revolute",), "free")
    laws = (
        Drag(0.5, 0.3, 0.1), Anchor((1, 0, 0), 5.0, 0.4), Thrust((1, 2, 3)), WorldForce((0, 1, 0), (0.1, 0.2, 0)),
        Wake((0.1, 0.2)), Feedback(0.3, 0.2), Sliding((0.1, 0.3), 2.0), ArctanFriction((0.1, 0.3), 2.0),
        LuGre(0.4, 20.0, 0.6, 0.5, 0.3, 0.1),
    )  # fmt: skip
    for i, law in enumerate(laws):
        robot.wrench(f"law {i}", on=f"body_{i % 3}", at=(0.1, 0.2, 0.3), law=law)
    robot["body_2"].actuator(time_constant=0.1, bristles=LuGre(0.4, 20.0, 0.6, 0.5, 0.3, 0.1))
    model = robot.model()
    return Problem(
        model, imposed={6: ld.sine(0.3, omega=3.0)}, servo={7: ld.Servo(ld.constant(0.4), 2.0, 0.1)},
        loads={"law 3": ld.sine(1.0, omega=4.0)}, desired={"law 5.y": ld.sine(0.2, omega=3.0)},
    )  # fmt: skip


# ----------------------------------------------------------------------------------------------------------- algorithms
def trees() -> list[Case]:
    """Algorithms over trees of bodies, with and without fluid."""
    cases = []
    for robot in (bodies(), swimmer()):
        s = State(robot.model(gravity=(0.3, -0.2, -9.81)))
        m = s.model
        imposed = np.zeros(m.nv, dtype=np.int8)
        imposed[6] = 1
        cases += [
            Case(kinematics.frame_poses, (*s.robot, s.q, 1, room(m.nf, 12))),
            Case(kinematics.frame_motions, (*s.robot, s.q, s.v, s.a, room(m.nf, 12))),
            Case(jacobian.frame_jacobian, (m.frames, *s.coordinates, s.poses, s.motions, m.nf - 1, room(m.nv, 6), room(m.nv, 6))),
            Case(configuration.moved_configuration, (m.frames, s.q, s.v, room(m.nq))),
            Case(configuration.configuration_difference, (m.frames, s.q, mapped(m.move, s.q, s.v), room(m.nv))),
            Case(configuration.step_rate, (m.frames, s.v, s.a, room(m.nv))),
            Case(
                inverse.inverse_dynamics, (*s.robot, m.gravity, s.q, s.v, s.a, s.wrenches, room(m.nf, inverse.WORK), room(m.nv))
            ),
            Case(
                forward.hybrid_dynamics,
                (
                    *s.robot,
                    m.gravity,
                    imposed,
                    s.q,
                    s.v,
                    s.wrenches,
                    room(m.nf, forward.WORK),
                    room(m.nv, forward.DOF_WORK),
                    s.a,
                    s.tau,
                ),
            ),
            Case(
                mass_matrix.mass_matrix, (*s.robot, *s.coordinates, s.poses, room(m.nf, mass_matrix.COMPOSITE), room(m.nv, m.nv))
            ),
            Case(
                derivatives.inverse_dynamics_derivatives,
                (
                    *s.robot,
                    *s.coordinates,
                    m.gravity,
                    s.q,
                    s.v,
                    s.a,
                    s.wrenches,
                    room(m.nf, derivatives.WORK),
                    room(m.nv, derivatives.DOF_WORK),
                    *(room(m.nv, m.nv) for _ in range(3)),
                ),
            ),
            Case(totals.totals, (*s.robot, m.gravity, s.q, s.v, room(m.nf, totals.WORK), room(totals.TOTALS))),
            Case(joint_laws.joint_forces, (m.frames, m.dof_constants, s.q, s.v, s.tau)),
            Case(joint_laws.joint_energy, (m.frames, m.dof_constants, s.q, s.v)),
        ]
    work = room(m.nf, inverse.WORK)
    cases.append(
        Case(
            mass_matrix.mass_matrix_by_columns,
            (*s.robot, s.q, room(m.nv), np.zeros(3), room(0, 6), room(m.nv), work, room(m.nv, m.nv)),
        )
    )
    return cases


def rod_trees() -> list[Case]:
    """Algorithms over rods, their tendons, chambers and muscles."""
    s = State(rods().model(), 0.3)
    m = s.model
    work, dof_work = room(m.nf, inverse.ROD_WORK), room(s.columns, derivatives.ROD_DOF_WORK)
    spaces = (work, room(m.nf, 12), room(m.nf, mass_matrix.COMPOSITE), room(s.columns, columns.COLUMNS), room(m.nv, m.nv))
    imposed = np.zeros(m.nv, dtype=np.int8)
    imposed[-4] = 1
    return [
        Case(kinematics.frame_motions, (*s.robot, s.q, s.v, s.a, room(m.nf, 12))),
        Case(configuration.moved_configuration, (m.frames, s.q, s.v, room(m.nq))),
        Case(
            columns.jacobian_from_columns,
            (
                *s.robot,
                *s.coordinates,
                s.q,
                s.v,
                s.poses,
                s.motions,
                m.nf - 1,
                room(s.columns, columns.COLUMNS),
                room(m.nv, 6),
                room(m.nv, 6),
            ),
        ),
        Case(
            dense_dynamics,
            (*s.robot, *s.coordinates, m.gravity, imposed, s.q, s.v, s.wrenches, *spaces, room(m.nv), s.a, s.tau),
        ),
        Case(
            derivatives.inverse_dynamics_derivatives,
            (
                *s.robot,
                *s.coordinates,
                m.gravity,
                s.q,
                s.v,
                s.a,
                s.wrenches,
                room(m.nf, derivatives.WORK),
                dof_work,
                *(room(m.nv, m.nv) for _ in range(3)),
            ),
        ),
        Case(totals.totals, (*s.robot, m.gravity, s.q, s.v, room(m.nf, totals.WORK), room(totals.TOTALS))),
        Case(joint_laws.joint_forces, (m.frames, m.dof_constants, s.q, s.v, s.tau)),
        Case(joint_laws.joint_energy, (m.frames, m.dof_constants, s.q, s.v)),
        Case(
            strand_forces,
            (
                m.dofs,
                m.compiled.strands,
                m.compiled.strand_constants,
                m.compiled.strand_points,
                np.array([1.0, 0.4, 2e3, 0.5]),
                s.q,
                s.tau,
            ),
        ),
    ]


def driven_trees() -> list[Case]:
    """A whole step with all laws of the world, and what is asked about these laws."""
    problem = driven()
    s = State(problem.model)
    m, arrays, inputs = s.model, problem.arrays, problem.inputs
    problem.read_inputs(0.3, s.q.values[0], s.v.values[0])
    laws = (arrays.wrenches, inputs.rows, s.world_poses, s.motions)
    count, states = len(problem.wrench_table.wrenches), problem.memories.count

    def remembering() -> WorkArrays:
        work = new_work(m.nf, m.nq, m.nv, states=states, strands=2)
        work.memory.state[:] = work.memory.value[:] = 0.1 * rng.normal(size=states)
        return work

    memory = own(lambda: remembering().memory)
    step = (arrays, inputs, 0.3, 0.01, s.q, s.v, own(remembering), own(lambda: new_scratch(m.nq, m.nv, states)))
    whole = {"kind": STRAND_LAG, "place": 1, "memory": 2}
    slow = DriveMemories(
        **{name: np.array([number]) for name, number in whole.items()}, numbers=np.full((1, 6), 0.2), lags=np.zeros(0, np.int8)
    )
    return [
        Case(rkmk4_step, step),
        Case(contact_forces, (*laws, memory, room(count, 3))),
        Case(wrench_slopes, (*s.robot, m.gravity, *laws, memory, 1.0, room(m.nf, 72), room(states, 12))),
        *(Case(state_slope, (*laws, memory, row, 1)) for row in np.flatnonzero(arrays.wrenches.memory >= 0).tolist()),
        Case(actuator_forces, (arrays, inputs, s.q, s.v, room(m.nv))),
        Case(strand_values, (slow, np.array([0.3, 0.4]), memory)),
    ]


# ---------------------------------------------------------------------------------------------------- by the signature
def signature(kernel: Any) -> list[str]:
    """Names of the parameters of a kernel."""
    return list(inspect.signature(kernel.py_func).parameters)


def by_signature(module: Any, made: dict[str, Callable[[], Own]], *names: str) -> list[Case]:
    """Kernels on tuples, with what is made for the names of their parameters."""
    kernels = [getattr(module, name) for name in names]
    return [Case(kernel, tuple(made[x]() for x in signature(kernel))) for kernel in kernels]


def on_tuples() -> list[Case]:
    """Kernels on tuples that no algorithm here calls: the rest of the group maps, surfaces that roll, parts of laws of time."""
    turns = {name: lambda: vector(3) for name in ("theta", "u", "v", "w")}
    twists = {name: lambda: vector(6) for name in ("u", "w", "eta", "zeta", "F")} | {"R": rotation, "p": lambda: vector(3)}
    planar = {name: lambda: vector(3) for name in ("u", "w", "eta", "zeta", "F")}
    planar["g"] = lambda: mapped(lambda u: se2.exp_pose(u), vector(3))
    maps = ("adjoint_apply", "adjoint_inverse_apply", "adjoint_transposed_apply", "adjoint_inverse_transposed_apply")
    maps += ("bracket", "bracket_transposed", "tangent_apply", "tangent_transposed_apply", "inverse_tangent_transposed_apply")
    surface = {name: lambda: vector(3) for name in ("axis", "n", "ndot", "e", "edot", "axes")}
    surface |= {"radius": number, "crown": number, "r": rotation}
    time = {"u": number, "t": number, "start": lambda: number(-2.0, -1.0), "inverse_duration": lambda: number(0.1, 0.5)}
    return [
        *by_signature(so3, turns, "right_jacobian_apply", "right_jacobian_transposed_apply", "right_jacobian_second_derivative"),
        *by_signature(so3, turns, "right_jacobian_inverse_second_derivative"),
        *by_signature(se3, twists, *maps),
        *by_signature(se2, planar, *maps),
        *by_signature(surfaces, surface, "disc_point", "ellipsoid_point", "rolling_directions"),
        *by_signature(laws_of_time, time, "cycloid_step", "soft_step"),
        Case(mass_matrix.moves_fluid, (bodies().model().frames,)),
    ]


def group_loops() -> list[Case]:
    """The loops over rows: vectors u, du, elements g, h, quaternions q, and what comes out."""
    cases = []
    for group in (SO3, SE3, SE2):
        element = int(np.prod(group.element_shape))
        given = {name: lambda g=group: own(lambda: rng.normal(size=(2, g.dim))) for name in ("u", "du")}
        given |= {name: lambda g=group: own(lambda: g.exp(rng.normal(size=(2, g.dim))).reshape(2, -1)) for name in ("g", "h")}
        given["q"] = lambda: own(lambda: np.array([random_unit(rng, 4) for _ in range(2)]))
        sizes = {
            "exp": element,
            "compose": element,
            "inverse": element,
            "from_quaternion": element,
            "log": group.dim,
            "to_quaternion": 4,
        }
        for name, loop in vars(rows).items():
            first, _, action = name.partition("_")
            if first == group.name.lower() and action:
                out = room(2, sizes.get(action, group.dim**2))
                cases.append(Case(loop, (*(given[x]() for x in signature(loop)[:-1]), out)))
    return cases


FAMILIES = {family.__name__: family for family in (on_tuples, group_loops, trees, rod_trees, driven_trees)}


@cache
def cases(family: str) -> list[Case]:
    """The cases of a family."""
    return FAMILIES[family]()
