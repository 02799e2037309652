"""The table of wrench laws: what kernels read of each. :mod:`locodyn.world.wrench_table` fills it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.kernel.bundle import Bundle, columns
from locodyn.record import codes, record

if TYPE_CHECKING:
    from locodyn.world.contact_pairs import PairArrays

# Kinds of laws.
LAW = codes(
    "world_force", "thrust", "drag", "anchor", "user", "sliding", "wake", "feedback", "arctan", "lugre", "buoyancy", "wet_drag",
    "compliant", "pair", "tie",
)  # fmt: skip
MOST_STATES = 6  # of a law, at most

# The numbers of a law: columns of ``WrenchLaws.numbers``, for each kind.
LOAD = record(force=3, moment=3)  # of world forces and thrusts: N, N m
RESISTANCE = record(linear=3, quadratic=3, angular=3, current=3)  # of drag: N s/m, N s^2/m^2, N m s; of the fluid, world: m/s
# Dry friction along x and y. Sliding: coupled is 1 where one direction uses up the friction of the other, 0 where they are
# independent; load N, speed m/s. Arctan: dry N, speed m/s, viscous N s/m. LuGre: stiffness, damping and viscosity along x and
# along y, Coulomb and static friction by direction, the speed of Stribeck's curve, :mod:`locodyn.world.lugre`.
SLIDE = record(friction=2, coupled=1, load=1, speed=1)
CREEP = record(dry=2, speed=1, viscous=2)
BRISTLES = record(along=3, across=3, coulomb=2, static=2, speed=1)
SPRING = record(place=3, stiffness=1, damping=1)  # of an anchor: m, N/m, N s/m
TAIL = record(added_mass=2)  # of a wake: kg/m
GAINS = record(force=3, moment=3, force_integral=3, moment_integral=3)  # of feedback: N s/m, N m s, N/m, N m
# Of compliant contact: the law, :mod:`locodyn.world.contact_law`; of a ball on a plane (:mod:`locodyn.world.compliant`) also the
# plane, axes and height along the normal in m, and the radius of the ball, m.
CONTACT = record(
    halves=1, stiffness=1, damping=1, damper=1, least=1, by_size=1, friction=2, speed=1, relaxation=1, bristles=BRISTLES.size,
    grip=2, normal=3, forward=3, height=1, radius=1,
)  # fmt: skip
RUBS = codes("smoothly", "by_bristles", "by_stick_slip")  # friction of a compliant contact
# Of water: half axes m of what displaces it; density times gravity N/m^3; height of the surface at rest m; amplitude (m) and
# wave vector (rad/m) of a wave; volume m^3 (m^2 of a section); where it drags, the numbers of that.
WET = record(half_axes=3, weight=1, level=1, amplitude=1, wave=2, volume=1, resistance=RESISTANCE.size)
# Of a tie, per m or per rad: stiffness, damping, rest length (m or rad), tension where it is not stretched (N or N m), and the
# energy (J) at which one that only pulls goes slack.
TIE = record(stiffness=1, damping=1, rest=1, tension=1, slack=1)
# A piece of a curve: where it begins, c0 + c1 u + c2 u^2 + c3 u^3 from there on, the integral of the curve up to there.
PIECE = record(start=1, coefficients=4, integral=1)
PARAMETERS = max(numbers.size for numbers in (LOAD, RESISTANCE, SLIDE, CREEP, BRISTLES, SPRING, TAIL, GAINS, CONTACT, WET))

# What displaces water: solids, and a metre of a rod with an elliptic section.
SOLID = codes("ellipsoid", "section", "cylinder", "capsule", "box")


class TieArrays(Bundle):
    """Cables, springs and torsion springs between bodies, n in all, see :mod:`locodyn.world.ties`.

    A tie holds on to ``count`` points, from number ``first`` on. Laws of time and pieces of curves: -1 or 0 of them: none.
    """

    first: np.ndarray  # (n,) int64
    count: np.ndarray  # (n,) int64
    turns: np.ndarray  # (n,) int64: 1 for a torsion spring between two points, about their z axes
    pulls: np.ndarray  # (n,) int64: 1 where it never pushes
    rest_law: np.ndarray  # (n,) int64: law of time of its rest length
    tension_law: np.ndarray  # (n,) int64: law of time of its tension
    curve: np.ndarray  # (n,) int64: first piece of the tension over the elongation
    curve_count: np.ndarray  # (n,) int64
    damper: np.ndarray  # (n,) int64: first piece of the tension over the rate of elongation
    damper_count: np.ndarray  # (n,) int64
    numbers: np.ndarray = columns(TIE.size)  # (n, 5)
    frame: np.ndarray  # (m,) int64: of each point, -1: the world
    rotation: np.ndarray = columns(9)  # (m, 9) axes of the points in their frames
    position: np.ndarray = columns(3)  # (m, 3) m
    pieces: np.ndarray = columns(PIECE.size)  # (p, 6)
    joints: np.ndarray  # (n,) int64: of a torsion spring, the first of the joints that turn it ...
    joint_count: np.ndarray  # (n,) int64: ... and how many there are; 0: its angle is that between its frames
    joint_position: np.ndarray  # (j,) int64: place of the angle of a joint in q
    joint_factor: np.ndarray  # (j,) by which it counts, +-1
    unturned: np.ndarray  # (n,) rad, angle of the spring where all joints are at zero
    least: float = 1e-300  # m^2: keeps the direction between two points that coincide from being 0 / 0


class WrenchLaws(Bundle):
    """One entry for each law on a robot, n in all.

    Laws of time are numbered as the rows of the inputs; -1: none.
    """

    frame: np.ndarray  # (n,) int64: that the law acts on
    kind: np.ndarray  # (n,) int64, of LAW
    steering: np.ndarray  # (n,) int64: law of time of the angle by which its point turns
    factor: np.ndarray  # (n,) int64: law of time that it is multiplied with
    target: np.ndarray  # (n,) int64: the first of six laws of time of the desired motion; that of the phase of a wave
    shared: np.ndarray  # (n,) int64: 1 where ``share`` counts
    memory: np.ndarray  # (n,) int64: the first of its states, -1: it has none
    states: np.ndarray  # (n,) int64: how many it has
    shape: np.ndarray  # (n,) int64: what displaces water
    axis: np.ndarray  # (n,) int64: 0, 1, 2: axis of a cylinder or capsule
    flows: np.ndarray  # (n,) int64: 1 where the fluid of a drag moves
    rubs: np.ndarray  # (n,) int64, of RUBS: a compliant contact
    pair: np.ndarray  # (n,) int64: number of two surfaces in ``pairs``, of LAW.pair
    rotation: np.ndarray = columns(9)  # (n, 9) axes of its point in the frame
    position: np.ndarray = columns(3)  # (n, 3) m, of its point in the frame
    numbers: np.ndarray = columns(PARAMETERS)  # (n, 31) of the law itself, as its kind has them
    share: np.ndarray  # (n,) weight along a rod, m
    ties: TieArrays  # what LAW.tie is about
    pairs: PairArrays | None = None  # surfaces that may touch; None in lanes and on symbols


def new_ties(count: int, points: int, pieces: int, joints: int = 0) -> TieArrays:
    """Room for ``count`` ties without laws of time, and for the joints that turn torsion springs."""
    zeros, whole = np.zeros, np.int64
    kinds = ("first", "count", "turns", "pulls", "curve", "curve_count", "damper", "damper_count", "joints", "joint_count")
    whole_numbers: dict[str, Any] = {name: zeros(count, dtype=whole) for name in kinds}
    whole_numbers |= {name: np.full(count, -1, dtype=whole) for name in ("rest_law", "tension_law")}
    return TieArrays(
        **whole_numbers, numbers=zeros((count, TIE.size)),
        frame=np.full(points, -1, dtype=whole), rotation=zeros((points, 9)), position=zeros((points, 3)),
        pieces=zeros((pieces, PIECE.size)), joint_position=zeros(joints, dtype=whole), joint_factor=zeros(joints),
        unturned=zeros(count),
    )  # fmt: skip


def new_laws(count: int, pairs: PairArrays | None = None, ties: TieArrays | None = None) -> WrenchLaws:
    """Room for ``count`` laws without states and laws of time."""
    zeros, whole = np.zeros, np.int64
    none = {name: np.full(count, -1, dtype=whole) for name in ("frame", "kind", "steering", "factor", "target", "memory", "pair")}
    kinds = {name: zeros(count, dtype=whole) for name in ("shared", "states", "shape", "axis", "flows", "rubs")}
    return WrenchLaws(
        **none, **kinds, rotation=zeros((count, 9)), position=zeros((count, 3)), numbers=zeros((count, PARAMETERS)),
        share=np.ones(count), ties=new_ties(0, 0, 0) if ties is None else ties, pairs=pairs,
    )  # fmt: skip
