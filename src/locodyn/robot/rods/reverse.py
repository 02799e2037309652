"""A rod seen from its tip: the same strains, counted from the other end.

With s' = L - s and sections turned by K, half a turn about z, so that their x axes point along s' again,

    xi'(s') = -Ad(K^-1) xi(L - s') = (stretch, shear y, -shear z, torsion, bending y, -bending z)(L - s').

Bases span the same functions from either end: phi(1 - x) = phi(x) T, so that coordinates go over by q' = +-T q. A basis of the
user's own is turned round itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from locodyn.robot.pose import Pose
from locodyn.robot.rods.fluid import RodFluid
from locodyn.robot.rods.rod import Rod
from locodyn.robot.rods.routing import Tapered
from locodyn.robot.rods.section import GivenSection, Section
from locodyn.robot.rods.strain_basis import Basis, evaluated

SIGNS = np.array([1.0, 1.0, -1.0, 1.0, 1.0, -1.0])  # of the strains
HALF_TURN = Pose(np.diag([-1.0, -1.0, 1.0]))  # K, which is its own inverse
_SAMPLES = 7  # for each function of a basis
_GENERIC = 0.37  # of the distance of samples: no piece of a basis ends there


def reversed_rod(rod: Rod) -> Rod:
    """The rod from its tip to its root."""
    section, material, curvature, length = rod.section, rod.material, rod.rest_curvature, rod.length
    if isinstance(section, Tapered):
        section = replace(section, first=_turned(section.last), last=_turned(section.first))
    elif callable(section):
        section = _from_tip(section, length, _turned)
    else:
        section = _turned(section)
    if callable(material):
        material = _from_tip(material, length)
    if callable(curvature):
        curvature = _from_tip(curvature, length, _opposite)
    else:
        curvature = tuple(_opposite(curvature))
    basis = rod.basis if isinstance(rod.basis, str) else tuple(_reversed_basis(one) for one in rod.bases)
    return replace(
        rod, section=section, material=material, rest_curvature=curvature, basis=basis, fluid=_reversed_fluid(rod.fluid, length)
    )


def reversed_coordinates(rod: Rod) -> np.ndarray:
    """(count, count): the coordinates of the reversed rod are this matrix times those of the rod."""
    result, first = np.zeros((rod.count, rod.count)), 0
    for strain, (basis, n) in enumerate(zip(rod.bases, rod.modes, strict=True)):
        own = np.eye(n)
        if n and not callable(basis):
            x = (np.arange(_SAMPLES * n) + _GENERIC) / (_SAMPLES * n)
            own = np.linalg.lstsq(evaluated(basis, x, n), evaluated(basis, 1.0 - x, n))[0]
            own[np.abs(own) < 1e-14 * np.abs(own).max()] = 0.0
        result[first : first + n, first : first + n] = SIGNS[strain] * own
        first += n
    return result


def _from_tip(
    function: Callable[[float], Any], length: float, then: Callable[[Any], Any] | None = None
) -> Callable[[float], Any]:
    def reversed_function(s: float) -> Any:
        value = function(length - s)
        return value if then is None else then(value)

    return reversed_function


def _turned(section: Section) -> Section:
    """A section in axes turned by K; those of one material are symmetric."""
    if isinstance(section, GivenSection):
        stiffness = np.array(section.stiffness, dtype=float)
        return replace(section, stiffness=stiffness * np.outer(SIGNS, SIGNS)) if stiffness.ndim == 2 else section
    return section


def _opposite(curvature: Any) -> np.ndarray:
    turned: np.ndarray = np.asarray(curvature, dtype=float) * SIGNS[3:]
    return turned


def _reversed_basis(basis: Any) -> Any:
    if not callable(basis):
        return basis
    own: Basis = basis
    return lambda x, n: own(1.0 - x, n)


def _reversed_fluid(fluid: RodFluid | None, length: float) -> RodFluid | None:
    """What a metre moves along is diagonal in the axes of the section: only functions of s change."""
    if fluid is None:
        return None
    mass, inertia = fluid.added_mass, fluid.added_inertia
    return replace(
        fluid,
        added_mass=_from_tip(mass, length) if callable(mass) else mass,
        added_inertia=_from_tip(inertia, length) if callable(inertia) else inertia,
    )
