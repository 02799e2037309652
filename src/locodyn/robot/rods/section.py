"""Cross-sections and materials of rods: stiffness and inertia of a metre of rod.

Strains and their stiffnesses are in the order (stretch, shear y, shear z, torsion, bending y, bending z): (linear; angular)
in the axes of the section, x along the rod. Bending y turns about the y axis. For a homogeneous section

    H = diag(E A, k G A, k G A, G J, E Iy, E Iz),     Iy = integral of z^2, Iz = integral of y^2

(Gotelli 2024, (2.12), with the torsion constant J of Saint-Venant in place of Iy + Iz where the section is not round).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np

from locodyn.errors import DescriptionError
from locodyn.robot.values import floats, is_number, read_only
from locodyn.typing import Matrix, Vector

STRAINS = ("stretch", "shear_y", "shear_z", "torsion", "bending_y", "bending_z")


def positive(value: Any, what: str, unit: str) -> float:
    """A positive finite number, or :class:`DescriptionError` that names ``what``."""
    if not is_number(value) or not math.isfinite(value):
        raise DescriptionError(f"{what} is {value!r}, but it must be a finite number.")
    if value <= 0:
        raise DescriptionError(f"{what} is {value:g} {unit}, but it must be positive.")
    return float(value)


@dataclass(frozen=True)
class Material:
    """An isotropic linear elastic material.

    Parameters
    ----------
    young : Pa
    density : kg/m^3
    shear : Pa
        Shear modulus; by default E / (2 (1 + poisson)).
    poisson : -
        Used when ``shear`` is not given.

    >>> Material(young=2.1e11, density=7800, poisson=0.3).shear
    80769230769.23077
    """

    young: float
    density: float
    shear: float | None = None
    poisson: float = 0.3

    def __post_init__(self) -> None:
        positive(self.young, "Young's modulus", "Pa")
        positive(self.density, "The density of a material", "kg/m^3")
        if not is_number(self.poisson) or not -1.0 < self.poisson <= 0.5:
            raise DescriptionError(f"Poisson's ratio is {self.poisson!r}, but it must lie between -1 and 0.5.")
        if self.shear is None:
            object.__setattr__(self, "shear", self.young / (2.0 * (1.0 + self.poisson)))
        positive(self.shear, "The shear modulus", "Pa")


steel = Material(young=2.1e11, density=7800.0, poisson=0.3)
aluminium = Material(young=7.0e10, density=2700.0, poisson=0.33)
silicone = Material(young=1.0e6, density=1100.0, poisson=0.49)


@dataclass(frozen=True, eq=False)
class SectionProperties:
    """A metre of rod: stiffness (6, 6), mass (kg/m), moments of inertia about x, y, z (3,) kg m."""

    stiffness: np.ndarray
    mass: float
    inertia: np.ndarray


class Section(Protocol):
    """What a cross-section can say."""

    def properties(self, material: Material | None) -> SectionProperties:
        """Stiffness and inertia with this material."""
        ...  # pragma: no cover


SectionLike: TypeAlias = Section | Callable[[float], Section]
"""A section, or a function of s (m) that gives it."""

MaterialLike: TypeAlias = Material | Callable[[float], Material]
"""A material, or a function of s (m) that gives it."""


def _homogeneous(
    material: Material | None, area: float, about_y: float, about_z: float, torsion: float, shear_factor: float
) -> SectionProperties:
    if material is None:
        raise DescriptionError("A rod with this section needs a material: give material=Material(young=, density=).")
    young, modulus = material.young, positive(material.shear, "The shear modulus", "Pa")
    shear = positive(shear_factor, "The shear factor", "") * modulus * area
    moduli = (young * area, shear, shear, modulus * torsion, young * about_y, young * about_z)
    inertia = material.density * np.array([about_y + about_z, about_y, about_z])
    return SectionProperties(read_only(np.diag(moduli)), material.density * area, read_only(inertia))


@dataclass(frozen=True)
class Circle:
    """A full disc. ``radius`` in m; ``shear_factor`` multiplies G A."""

    radius: float
    shear_factor: float = 1.0

    def properties(self, material: Material | None) -> SectionProperties:
        """Iy = Iz = pi r^4 / 4, J = 2 Iy."""
        r = positive(self.radius, "The radius of a circular section", "m")
        moment = math.pi * r**4 / 4.0
        return _homogeneous(material, math.pi * r**2, moment, moment, 2.0 * moment, self.shear_factor)


@dataclass(frozen=True)
class Annulus:
    """A tube. ``radius`` and ``inner_radius`` in m."""

    radius: float
    inner_radius: float
    shear_factor: float = 1.0

    def properties(self, material: Material | None) -> SectionProperties:
        """Iy = Iz = pi (r^4 - i^4) / 4, J = 2 Iy."""
        r = positive(self.radius, "The radius of an annular section", "m")
        i = positive(self.inner_radius, "The inner radius of an annular section", "m")
        if i >= r:
            raise DescriptionError(f"The inner radius {i:g} m of an annular section must be smaller than its radius {r:g} m.")
        moment = math.pi * (r**4 - i**4) / 4.0
        return _homogeneous(material, math.pi * (r**2 - i**2), moment, moment, 2.0 * moment, self.shear_factor)


@dataclass(frozen=True)
class Rectangle:
    """Sides ``width`` along y and ``height`` along z, m; ``torsion`` constant J, m^4, by default that of Saint-Venant."""

    width: float
    height: float
    shear_factor: float = 1.0
    torsion: float | None = None

    def properties(self, material: Material | None) -> SectionProperties:
        """Iy = w h^3 / 12, Iz = h w^3 / 12; J of Saint-Venant by its series (Timoshenko, Theory of Elasticity, 109)."""
        w = positive(self.width, "The width of a rectangular section", "m")
        h = positive(self.height, "The height of a rectangular section", "m")
        a, b = max(w, h), min(w, h)
        odd = np.arange(1, 60, 2)
        series = float(np.sum(np.tanh(odd * math.pi * a / (2.0 * b)) / odd**5))
        torsion = a * b**3 / 3.0 * (1.0 - 192.0 * b / (math.pi**5 * a) * series)
        if self.torsion is not None:
            torsion = positive(self.torsion, "The torsion constant of a rectangular section", "m^4")
        return _homogeneous(material, w * h, w * h**3 / 12.0, h * w**3 / 12.0, torsion, self.shear_factor)


@dataclass(frozen=True)
class Ellipse:
    """Semi-axes ``semi_y`` along y and ``semi_z`` along z, m."""

    semi_y: float
    semi_z: float
    shear_factor: float = 1.0

    def properties(self, material: Material | None) -> SectionProperties:
        """Iy = pi y z^3 / 4, Iz = pi z y^3 / 4, J = pi y^3 z^3 / (y^2 + z^2)."""
        y = positive(self.semi_y, "A semi-axis of an elliptical section", "m")
        z = positive(self.semi_z, "A semi-axis of an elliptical section", "m")
        torsion = math.pi * y**3 * z**3 / (y**2 + z**2)
        return _homogeneous(
            material, math.pi * y * z, math.pi * y * z**3 / 4.0, math.pi * z * y**3 / 4.0, torsion, self.shear_factor
        )


@dataclass(frozen=True, eq=False)
class GivenSection:
    """A section by its numbers, whatever it is made of.

    Parameters
    ----------
    stiffness : (6,) or (6, 6)
        Along the strains :data:`STRAINS`: E A, G A, G A in N, G J, E Iy, E Iz in N m^2.
    mass : kg/m
    inertia : (3,) kg m
        About x, y, z, of a metre of rod.
    """

    stiffness: Vector | Matrix
    mass: float
    inertia: Vector = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        for name in ("stiffness", "inertia"):
            object.__setattr__(self, name, floats(getattr(self, name), f"The {name} of a section"))

    def properties(self, material: Material | None) -> SectionProperties:
        """The numbers themselves; there must be no material beside them."""
        if material is not None:
            raise DescriptionError("A section given by its numbers has no material: leave the material out.")
        matrix = np.array(self.stiffness, dtype=float)
        matrix = np.diag(matrix) if matrix.shape == (6,) else matrix
        if matrix.shape != (6, 6) or not np.isfinite(matrix).all() or not np.allclose(matrix, matrix.T):
            raise DescriptionError("The stiffness of a section must be six numbers, or a symmetric 6 x 6 matrix.")
        if np.linalg.eigvalsh(matrix)[0] < 0.0:
            raise DescriptionError("The stiffness of a section must not be negative in any direction.")
        inertia = np.array(self.inertia, dtype=float)
        if inertia.shape != (3,) or not np.isfinite(inertia).all() or (inertia < 0.0).any():
            raise DescriptionError("The inertia of a section must be three numbers that are not negative, kg m.")
        return SectionProperties(read_only(matrix), positive(self.mass, "The mass of a section", "kg/m"), read_only(inertia))
