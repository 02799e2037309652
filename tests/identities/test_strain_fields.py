"""Coordinates of strain fields are coordinates: every identity of the dynamics holds for them as for strain modes."""

from __future__ import annotations

import numpy as np
import pytest

import locodyn as ld
from field_cases import tree
from locodyn.robot import Rod
from locodyn.robot.layout import SLICE
from locodyn.robot.rods.section import STRAINS
from locodyn.robot.rods.slices import pose_between
from locodyn.robot.rods.space import SPACES
from locodyn.shape.field import field_at, field_direction_at
from peers import relative
from rod_cases import check_derivatives, check_jacobians, check_power, state

pytestmark = pytest.mark.slow

BASES = ("fixed", "free", "planar")


@pytest.mark.parametrize("space", SPACES)
def test_power_is_the_rate_of_energy(space: str) -> None:
    check_power(tree("free", space, tolerance=1e-3).model())


def test_mass_matrix_and_forward_dynamics() -> None:
    """The matrix is what inverse dynamics says column by column; forward and hybrid dynamics invert it."""
    model = tree("free").model()
    q, v, a = state(model, 2)
    matrix, zero = model.mass_matrix(q), np.zeros(model.nv)
    np.testing.assert_array_equal(matrix, matrix.T)
    assert np.linalg.eigvalsh(matrix)[0] > 0.0
    still = model.inverse_dynamics(q, zero, zero)
    columns = np.array([model.inverse_dynamics(q, zero, unit) - still for unit in np.eye(model.nv)])
    assert relative(matrix, columns) < 1e-13
    assert model.kinetic_energy(q, v) == pytest.approx(0.5 * v @ matrix @ v, rel=1e-13)
    tau = model.inverse_dynamics(q, v, a)
    found = model.forward_dynamics(q, v, tau)
    assert relative(model.inverse_dynamics(q, v, found), tau) < 1e-12  # as for strain modes
    imposed = np.array(["wave" in name or "turn" in name for name in model.compiled.coordinate_names])
    rates, forces = model.hybrid_dynamics(q, v, np.where(imposed, a, 0.0), np.where(imposed, 0.0, tau), imposed)
    assert relative(model.inverse_dynamics(q, v, rates), forces) < 1e-12


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("name", ["one", "two", "ball"])
def test_jacobians(base: str, name: str) -> None:
    check_jacobians(tree(base).model(), name, 3)


@pytest.mark.parametrize("space", ["magnus4", "magnus6"])
def test_derivatives_of_inverse_dynamics(space: str) -> None:
    """Third derivatives of fields too."""
    check_derivatives(tree("free", space).model())


def test_fields_at_any_abscissa() -> None:
    """What the kernel says at a place: against the strains in Python, their differences along the rod (1e-5) and in time."""
    model = tree("fixed").model()
    rod = next(body.joint.rod for body in model.compiled.description.bodies if body.name == "one")
    assert rod is not None
    k = model.compiled.joint_frames[model.compiled.joint_index("one")][0]
    q, v, _ = state(model, 9)
    s, h, speed = 0.31, 1e-5, 0.7

    def strains(place: float, y: np.ndarray) -> np.ndarray:
        return np.asarray(rod.strain_motion(np.array([place]), y[None, : rod.count], v[None, : rod.count], modes=False)[:2, 0, 0])

    found = [np.concatenate(part) for part in field_at(model.constants, k, s, q, 0, v, 0)]
    (here, rate), (ahead, rate_ahead), (behind, rate_behind) = strains(s, q), strains(s + h, q), strains(s - h, q)
    assert relative(found[0] + rod.rest(np.array([s]))[0], here) < 1e-14
    assert relative(found[3], rate) < 1e-14
    # differences of h^2 times a third derivative of some 1e3, and round-off over h or h^2
    assert relative(found[1], (ahead - behind) / (2.0 * h)) < 1e-6
    assert relative(found[2], (ahead - 2.0 * here + behind) / h**2) < 1e-3
    assert relative(found[4], (rate_ahead - rate_behind) / (2.0 * h)) < 1e-6
    for n in range(rod.mode_count, rod.count):
        unit = np.eye(model.nv)[n]
        value, change = (np.concatenate(x) for x in field_direction_at(model.constants, k, s, speed, q, 0, v, 0, n))
        assert relative(value, rod.strain_motion(np.array([s]), q[None, : rod.count], unit[None, : rod.count])[1, 0, 0]) < 1e-14
        then, before = (
            np.concatenate(field_direction_at(model.constants, k, s + sign * h * speed, speed, q + sign * h * v, 0, v, 0, n)[0])
            for sign in (1, -1)
        )
        assert relative(change, (then - before) / (2.0 * h)) < 1e-6


def test_strains_in_python_are_those_of_the_kernel() -> None:
    """A rod reports strains, rates and accelerations; its poses over a slice are those of the kernel."""
    model = tree("fixed").model()
    rod = next(body.joint.rod for body in model.compiled.description.bodies if body.name == "one")
    assert rod is not None
    q, v, a = (x[: rod.count] for x in state(model, 4))
    s, h = np.linspace(0.0, rod.length, 7), 1e-5
    strain, rate, second = rod.strain_motion(s, q[None], v[None], a[None])[:, 0]
    ahead, behind = (rod.strain(s, q + sign * h * v + 0.5 * h * h * a) for sign in (1, -1))
    # central differences: h^2 of a third derivative of some 1e3, and round-off over h^2
    assert relative((ahead - behind) / (2.0 * h), rate) < 1e-6
    assert relative((ahead - 2.0 * strain + behind) / h**2, second) < 1e-4
    whole = np.zeros(model.nq)
    whole[: rod.count] = q
    first = model.compiled.joint_frames[model.compiled.joint_index("one")][0]
    end = float(model.constants[first, SLICE.length])
    turn, move = pose_between(rod, 0.0, end, q[None])
    pose = model.kinematics(whole)[0][first]
    carrier = np.array([[np.cos(0.3), -np.sin(0.3), 0.0], [np.sin(0.3), np.cos(0.3), 0.0], [0.0, 0.0, 1.0]])
    assert np.allclose(pose[:9].reshape(3, 3), carrier @ turn[0], atol=1e-14)
    assert np.allclose(pose[9:], (0.1, 0.2, 0.0) + carrier @ move[0], atol=1e-14)


@pytest.mark.parametrize(
    "strains, name",
    [
        (("stretch",), "pure bar"),
        (("bending_z",), "planar inextensible Kirchhoff"),
        (("bending_y", "bending_z"), "untwisted Kirchhoff"),
        (("torsion", "bending_y", "bending_z"), "inextensible Kirchhoff"),
        (("stretch", "torsion", "bending_y", "bending_z"), "extensible Kirchhoff"),
        (("stretch", "bending_z"), "extensible Kirchhoff"),
        (("shear_y", "bending_z"), "planar Timoshenko-Reissner"),
        (("stretch", "shear_y", "shear_z", "torsion", "bending_y", "bending_z"), "Timoshenko-Reissner"),
        (("shear_y", "shear_z", "bending_y", "bending_z"), "Timoshenko-Reissner"),
    ],
)
def test_names_of_beams(strains: tuple[str, ...], name: str) -> None:
    """Ali 2011, table 5.1 and its French version: by the strains that change, imposed or elastic."""
    fields = [ld.StrainField(f"{strain}_wave", ld.travelling(strain, 0.1, wavelength=1.0)) for strain in strains]
    assert Rod(1.0, ld.Circle(0.01), ld.silicone, fields=fields).beam == name
    counts = tuple(int(strain in strains) for strain in STRAINS)
    assert Rod(1.0, ld.Circle(0.01), ld.silicone, modes=counts).beam == name
