"""The table of wrench laws: what kernels read of each. :mod:`locodyn.world.wrench_table` fills it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from locodyn.kernel.bundle import Bundle, columns

if TYPE_CHECKING:
    from locodyn.world.contact_pairs import PairArrays

# Kinds of laws.
WORLD_FORCE, THRUST, DRAG, ANCHOR, USER, SLIDING, WAKE, FEEDBACK, ARCTAN, LUGRE, BUOYANCY, WET_DRAG, COMPLIANT, PAIR = range(14)
PARAMETERS = 31  # numbers of a law, at most
MOST_STATES = 6  # of a law, at most
# Friction of a compliant contact: a function of the slip, bristles, or a spring that slips.
REGULARISED_FRICTION, BRISTLE_FRICTION, STICK_SLIP = range(3)

# What displaces water: solids, and a metre of a rod with an elliptic section.
ELLIPSOID, SECTION, CYLINDER, CAPSULE, BOX = range(5)
# Numbers of a law of water: half axes (3,) m; density times gravity, N/m^3; height of the surface at rest, m; amplitude (m) and
# wave vector (2,) rad/m of a wave; volume, m^3 (m^2 of a section); then those of its drag, as of a law without water.
SIZE, WEIGHT, LEVEL, AMPLITUDE, WAVE, VOLUME, RESISTANCE = 0, 3, 4, 5, 6, 8, 9


class WrenchLaws(Bundle):
    """One entry for each law on a robot, n in all.

    Laws of time are numbered as the rows of the inputs; -1: none.
    """

    frame: np.ndarray  # (n,) int64: that the law acts on
    kind: np.ndarray  # (n,) int64
    steering: np.ndarray  # (n,) int64: law of time of the angle by which its point turns
    factor: np.ndarray  # (n,) int64: law of time that it is multiplied with
    target: np.ndarray  # (n,) int64: the first of six laws of time of the desired motion; that of the phase of a wave
    shared: np.ndarray  # (n,) int64: 1 where ``share`` counts
    memory: np.ndarray  # (n,) int64: the first of its states, -1: it has none
    states: np.ndarray  # (n,) int64: how many it has
    shape: np.ndarray  # (n,) int64: what displaces water
    axis: np.ndarray  # (n,) int64: 0, 1, 2: axis of a cylinder or capsule
    friction: np.ndarray  # (n,) int64, of a compliant contact
    pair: np.ndarray  # (n,) int64: of ``pairs``, for a compliant contact of two surfaces; else -1
    rotation: np.ndarray = columns(9)  # (n, 9) axes of its point in the frame
    position: np.ndarray = columns(3)  # (n, 3) m, of its point in the frame
    numbers: np.ndarray = columns(PARAMETERS)  # (n, 31) of the law itself
    share: np.ndarray  # (n,) weight along a rod, m
    pairs: PairArrays | None = None  # surfaces that may touch; None in lanes and on symbols


def new_laws(count: int, pairs: PairArrays | None = None) -> WrenchLaws:
    """Room for ``count`` laws without states and laws of time."""
    zeros, whole = np.zeros, np.int64
    none = {name: np.full(count, -1, dtype=whole) for name in ("frame", "kind", "steering", "factor", "target", "memory", "pair")}
    kinds = {name: zeros(count, dtype=whole) for name in ("shared", "states", "shape", "axis", "friction")}
    return WrenchLaws(
        **none, **kinds, rotation=zeros((count, 9)), position=zeros((count, 3)), numbers=zeros((count, PARAMETERS)),
        share=np.ones(count), pairs=pairs,
    )  # fmt: skip
