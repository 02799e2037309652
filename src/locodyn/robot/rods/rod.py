"""A rod: a joint whose coordinates are strain modes (Gotelli 2024, 2.3).

    xi(s) = xi_rest(s) + sum_j Phi_j(s) q_j + F(s, y),      g' = g hat(xi)

F is the sum of its strain fields (:mod:`locodyn.robot.rods.field`), y their coordinates, which follow the modes q.

Its inertia is at N nodes (:mod:`locodyn.robot.rods.nodes`); the compiled robot has it in slices
(:mod:`locodyn.robot.rods.slices`).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from locodyn.errors import DescriptionError, nearest
from locodyn.robot.rods.field import StrainField, field_rows
from locodyn.robot.rods.fluid import RodFluid
from locodyn.robot.rods.nodes import QUADRATURES, Lump
from locodyn.robot.rods.routing import Tapered
from locodyn.robot.rods.section import STRAINS, Material, MaterialLike, SectionLike, SectionProperties, positive
from locodyn.robot.rods.space import SPACES
from locodyn.robot.rods.strain_basis import BasisLike, basis_of, evaluated, joints_of
from locodyn.robot.values import floats, is_number, read_only
from locodyn.typing import Vector

# Kinds of beams and the strains that change in them (numbers of STRAINS), those with fewer first: Ali 2011, table 5.1.
BEAMS = {
    "pure bar": {0},
    "planar inextensible Kirchhoff": {5},
    "untwisted Kirchhoff": {4, 5},
    "inextensible Kirchhoff": {3, 4, 5},
    "extensible Kirchhoff": {0, 3, 4, 5},
    "planar Timoshenko-Reissner": {0, 1, 5},
}
_QUADRATURE = 24  # points of the quadrature of stiffness on each smooth piece, beside those that the basis needs
_FEWEST, _PER_WAVE = 12, 16  # nodes of a rod with fields, on it and on the shortest wave


@dataclass(frozen=True, eq=False)
class Rod:
    """What a rod is.

    Parameters
    ----------
    length : m
    section : section, Tapered, or function of s (m) that gives one
        See :mod:`locodyn.robot.rods.section`.
    material : Material, function of s, or None
        None when the section is given by its numbers.
    modes : (6,) int
        Number of functions of each strain, in the order of :data:`~locodyn.robot.rods.section.STRAINS`; 0: the strain keeps its
        rest value.
    basis : str or function, or six of them
        See :mod:`locodyn.robot.rods.strain_basis`.
    nodes : int
        Number of points that carry the mass; by default three more than the largest number of functions, with
        ``quadrature="chebyshev"`` twice as many.
    quadrature : str
        Where these points are: ``gauss`` or ``chebyshev``, see :mod:`locodyn.robot.rods.nodes`; ``space="spectral"`` has those of
        Chebyshev.
    rest_curvature : (3,) 1/m, or function of s that gives it
        Torsion, curvature about y and about z of the rod without load.
    damping : s, or six of them
        Kelvin-Voigt: the stress is H (eps + damping * epsdot).
    space : str
        How poses are integrated along the rod, see :mod:`locodyn.robot.rods.space`.
    tolerance : float
        Of the place of the tip over the length, and of its turn (rad), for ``space="adaptive"``: slices are halved until an
        estimate of the error at bends of 2 rad is below it.
    fluid : RodFluid or None
        What it moves along of the fluid around it.
    fields : sequence of StrainField
        Strains that are given functions of s and of a phase or an amplitude, added to those of the modes.
    keeps_volume : bool
        A hydrostat, as a worm: where it stretches, its sections shrink to A / stretch (Ali 2011, (6.3)). For records and
        pictures; mass and inertia belong to a metre of unstretched rod and stay, and so do the stiffness, the surface that
        touches other things and the water that a metre displaces.
    """

    length: float
    section: SectionLike
    material: MaterialLike | None = None
    modes: tuple[int, ...] = (0, 0, 0, 0, 0, 0)
    basis: BasisLike | Sequence[BasisLike] = "legendre"
    nodes: int | None = None
    quadrature: str = "gauss"
    rest_curvature: Vector | Callable[[float], Vector] = (0.0, 0.0, 0.0)
    damping: float | Sequence[float] = 0.0
    space: str = "magnus4"
    tolerance: float = 1e-9
    fluid: RodFluid | None = None
    fields: Sequence[StrainField] = ()
    keeps_volume: bool = False

    def __post_init__(self) -> None:
        put = functools.partial(object.__setattr__, self)
        put("length", positive(self.length, "The length of a rod", "m"))
        if isinstance(self.section, Tapered):
            put("section", self.section.over(self.length))
        modes = tuple(int(n) for n in self.modes)
        put("modes", modes)
        if len(modes) != 6 or min(modes) < 0:
            raise DescriptionError(f"The numbers of strain functions of a rod are {self.modes}; they must be six, none negative.")
        self._check_fields()
        if self.count == 0:
            raise DescriptionError(
                "A rod has no strain function at all; give at least one of bending, torsion, stretch or shear, such as bending=3,"
                " or a strain field."
            )
        if self.space not in SPACES:
            raise DescriptionError(f"There is no space integrator {self.space!r} for rods{nearest(str(self.space), SPACES)}")
        if not is_number(self.tolerance) or not 1e-13 <= self.tolerance < 1.0:
            raise DescriptionError(f"The tolerance along a rod is {self.tolerance!r}; it must be between 1e-13 and 1.")
        if self.nodes is not None and (not is_number(self.nodes) or int(self.nodes) < 1):
            raise DescriptionError(f"A rod has {self.nodes!r} nodes; it must have a whole number of them, 1 or more.")
        put("nodes", None if self.nodes is None else int(self.nodes))
        if self.space == "spectral":
            put("quadrature", "chebyshev")
        if self.quadrature not in QUADRATURES:
            known = nearest(str(self.quadrature), QUADRATURES)
            raise DescriptionError(f"There is no quadrature {self.quadrature!r} for rods{known}")
        if self.quadrature == "chebyshev" and self.node_count < 3:
            raise DescriptionError(f"A rod has {self.nodes} nodes with the quadrature 'chebyshev'; it must have 3 or more.")
        put("damping", floats(self.damping, "The damping of a rod"))
        dampings = np.broadcast_to(np.asarray(self.damping, dtype=float), (6,))
        if not np.isfinite(dampings).all() or (dampings < 0).any():
            raise DescriptionError(f"The damping of a rod is {self.damping!r} s; it must not be negative.")
        put("basis", tuple(self.basis) if isinstance(self.basis, list) else self.basis)
        for basis in self.bases:
            basis_of(basis)
        if not callable(self.rest_curvature):
            put("rest_curvature", floats(self.rest_curvature, "The rest curvature of a rod"))
        if self.keeps_volume and not self.modes[0] and not any(0 in field.strains for field in self.fields):
            raise DescriptionError(
                "A rod keeps its volume but cannot stretch, so that its sections would never change; give it stretch=, or a field"
                " of the stretch."
            )
        if self.fluid is not None and not isinstance(self.fluid, RodFluid):
            raise DescriptionError(
                f"The fluid of a rod is {self.fluid!r}; it must be a RodFluid(density=) or RodFluid(added_mass=)."
            )
        self.properties(0.5 * self.length), self.rest(np.array([0.5 * self.length]))
        self.added(0.5 * self.length)

    @property
    def bases(self) -> tuple[BasisLike, ...]:
        """The basis of each strain."""
        basis = self.basis
        bases = (basis,) * 6 if isinstance(basis, str) or not isinstance(basis, Sequence) else tuple(basis)
        if len(bases) != 6:
            raise DescriptionError(f"A rod has {len(bases)} strain bases; it must have one, or one for each of its six strains.")
        return bases

    def _check_fields(self) -> None:
        fields = (self.fields,) if isinstance(self.fields, StrainField) else tuple(self.fields)
        object.__setattr__(self, "fields", fields)
        for field in fields:
            if not isinstance(field, StrainField):
                raise DescriptionError(f"A strain field of a rod is {field!r}; it must be a StrainField(name, shape).")
        names = [field.name for field in fields]
        for name in names:
            if names.count(name) > 1 or name in STRAINS:
                raise DescriptionError(f"A rod has two strain fields or modes named '{name}'; names must differ.")

    @property
    def mode_count(self) -> int:
        """Number of strain modes, which are the first coordinates."""
        return sum(self.modes)

    @property
    def count(self) -> int:
        """Number of coordinates: strain modes, then those of the strain fields."""
        return self.mode_count + sum(len(field.coordinates) for field in self.fields)

    @property
    def strain_of_mode(self) -> list[int]:
        """For each mode the number of its strain."""
        return [c for c, n in enumerate(self.modes) for _ in range(n)]

    @property
    def strain_of_coordinate(self) -> list[int]:
        """For each coordinate the number of its strain, for a field that of its first term."""
        fields = [STRAINS.index(field.terms[0].strain) for field in self.fields for _ in field.coordinates]
        return self.strain_of_mode + fields

    @property
    def coordinate_names(self) -> tuple[str, ...]:
        """``bending_y.0``, ``bending_y.1``, ..., ``wave``, ``wave.amplitude``."""
        modes = tuple(f"{STRAINS[c]}.{j}" for c, n in enumerate(self.modes) for j in range(n))
        return modes + tuple(name for field in self.fields for name in field.coordinates)

    @property
    def beam(self) -> str:
        """The kind of beam, by the strains that change (Ali 2011, table 5.1): ``inextensible Kirchhoff``, ``pure bar``, ..."""
        changing = {c for c, n in enumerate(self.modes) if n}.union(*(field.strains for field in self.fields))
        return next((name for name, strains in BEAMS.items() if changing <= strains), "Timoshenko-Reissner")

    @cached_property
    def field_rows(self) -> np.ndarray:
        """The terms of its fields as rows for kernels, see :mod:`locodyn.motion.field_base`."""
        return field_rows(self.fields, self.mode_count)

    def properties(self, s: float) -> SectionProperties:
        """Stiffness and inertia of the section at s (m)."""
        section = self.section(s) if callable(self.section) else self.section
        material = self.material(s) if callable(self.material) else self.material
        if not hasattr(section, "properties"):
            raise DescriptionError(f"The section of a rod is {section!r}; it must be a section, such as Circle(0.005).")
        if material is not None and not isinstance(material, Material):
            raise DescriptionError(f"The material of a rod is {material!r}; it must be a Material(young=, density=).")
        return section.properties(material)

    def added(self, s: float) -> np.ndarray | None:
        """Inertia (6, 6) of the fluid that a metre of rod moves along at s (m), in the axes of the section."""
        return None if self.fluid is None else self.fluid.matrix(s, self.section(s) if callable(self.section) else self.section)

    def rest(self, s: np.ndarray) -> np.ndarray:
        """Strain without load at the places s (m): (len(s), 6)."""
        result = np.zeros((len(s), 6))
        result[:, 0] = 1.0
        for row, place in enumerate(s):
            curvature = self.rest_curvature(float(place)) if callable(self.rest_curvature) else self.rest_curvature
            values = np.asarray(curvature, dtype=float)
            if values.shape != (3,) or not np.isfinite(values).all():
                raise DescriptionError(f"The rest curvature of a rod is {curvature!r}; it must be three finite numbers, 1/m.")
            result[row, 3:] = values
        return result

    def functions(self, s: np.ndarray) -> np.ndarray:
        """Values of the strain functions at the places s (m): (len(s), mode_count), each acting on the strain of its mode."""
        x = np.asarray(s, dtype=float) / self.length
        parts = [evaluated(self.bases[c], x, n) for c, n in enumerate(self.modes) if n]
        return np.hstack([np.zeros((len(x), 0)), *parts])

    def strain(self, s: np.ndarray, q: np.ndarray) -> np.ndarray:
        """xi(s), (len(s), 6), for the coordinates q (count,)."""
        return np.asarray(self.strain_motion(s, np.asarray(q, dtype=float)[None])[0, 0])

    def strain_motion(
        self, s: np.ndarray, q: np.ndarray, v: np.ndarray | None = None, a: np.ndarray | None = None, *, modes: bool = True
    ) -> np.ndarray:
        """Strains at the places s (m), their rates and accelerations, (3, N, len(s), 6), for N states q, v, a (N, count).

        Without ``modes`` those without load: of the rest strain and the fields.
        """
        q = np.ascontiguousarray(q, dtype=float)
        v, a = (np.zeros_like(q) if x is None else np.ascontiguousarray(x, dtype=float) for x in (v, a))
        places = np.ascontiguousarray(s, dtype=float)
        result = np.zeros((3, len(q), len(places), 6))
        result[0] += self.rest(places)
        if modes:
            functions = self.functions(places)
            for j, c in enumerate(self.strain_of_mode):
                for part, x in zip(result, (q, v, a), strict=True):
                    part[:, :, c] += x[:, j, None] * functions[None, :, j]
        if self.fields:
            from locodyn.motion.field_table import fields_along  # compiled code loads when a field is first evaluated

            fields_along(self.field_rows, places, q, v, a, result)
        return result

    @cached_property
    def joints(self) -> np.ndarray:
        """Places (m) where a strain function or its derivative jumps."""
        places = [joints_of(self.bases[c], n) for c, n in enumerate(self.modes) if n]
        return self.length * np.unique(np.concatenate([np.zeros(0), *places]))

    @property
    def node_count(self) -> int:
        """Number of points that carry the mass."""
        if self.nodes is not None:
            return int(self.nodes)
        least = max(self.modes) + 3
        if self.fields:  # a wave, and what its square makes, over the slices between nodes
            least = max(least, _FEWEST, math.ceil(_PER_WAVE * self.length / min(field.span for field in self.fields)) + 4)
        return (2 if self.quadrature == "chebyshev" else 1) * least

    def quadrature_nodes(self) -> tuple[np.ndarray, np.ndarray]:
        """Places (N,) m of the points that carry the mass, and their weights (N,) m."""
        x, w = QUADRATURES[self.quadrature](self.node_count)
        return self.length * x, self.length * w

    @cached_property
    def lumps(self) -> list[tuple[float, Lump]]:
        """The nodes: place (m) and mass of each."""
        result = []
        for s, weight in zip(*self.quadrature_nodes(), strict=True):
            here, added = self.properties(float(s)), self.added(float(s))
            fluid = None if added is None else weight * added
            result.append((float(s), Lump(weight * here.mass, weight * here.inertia, fluid)))
        return result

    @property
    def root_lump(self) -> Lump | None:
        """The mass of a node at the very root, which moves with what carries the rod."""
        s, lump = self.lumps[0]
        return lump if s == 0.0 else None

    @cached_property
    def mass(self) -> float:
        """Total mass, kg."""
        return float(sum(lump.mass for _, lump in self.lumps))

    @cached_property
    def stiffness(self) -> np.ndarray:
        """K = integral of Phi^T H Phi over the modes, (mode_count, mode_count)."""
        return self._integral(np.ones(6))

    @cached_property
    def viscosity(self) -> np.ndarray:
        """D = integral of Phi^T (damping H) Phi over the modes, (mode_count, mode_count)."""
        return self._integral(np.broadcast_to(np.asarray(self.damping, dtype=float), (6,)))

    def _integral(self, factors: np.ndarray) -> np.ndarray:
        x, w = np.polynomial.legendre.leggauss(_QUADRATURE + max(self.modes))
        edges = np.concatenate([[0.0], self.joints, [self.length]])
        strains = self.strain_of_mode
        share = np.sqrt(np.outer(factors, factors))
        result = np.zeros((self.mode_count, self.mode_count))
        for left, right in pairwise(edges):
            places = left + 0.5 * (right - left) * (1.0 + x)
            for value, place, weight in zip(self.functions(places), places, 0.5 * (right - left) * w, strict=True):
                matrix = (self.properties(float(place)).stiffness * share)[np.ix_(strains, strains)]
                result += weight * np.outer(value, value) * matrix
        return read_only(result)
