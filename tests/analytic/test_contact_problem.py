"""Frictional contact problems by themselves: closed forms, random ones, those of runs, files of FCLIB and Siconos."""

from __future__ import annotations

import re

import numpy as np
import pytest

import locodyn as ld
from locodyn.locomotion import FrictionProblem
from locodyn.sim import contact_problem_at

pytestmark = pytest.mark.slow

MASS = 2.0


@pytest.mark.parametrize(
    ("q", "mu", "impulse"),
    [
        ((-1.0, 0.0, 0.0), 0.5, (2.0, 0.0, 0.0)),  # lands
        ((0.5, 3.0, 0.0), 0.5, (0.0, 0.0, 0.0)),  # leaves
        ((-1.0, 0.3, 0.4), 0.6, (2.0, -0.6, -0.8)),  # sticks: |r_T| = 1.0 < 1.2
        ((-1.0, 3.0, 4.0), 0.5, (2.0, -0.6, -0.8)),  # slides: r_T = -mu r_N u_T / |u_T|
        ((-1.0, 3.0, 4.0), 0.0, (2.0, 0.0, 0.0)),  # without friction
    ],
)
@pytest.mark.parametrize("solver", ["newton", "gauss_seidel", "prox"])
def test_a_particle_lands_sticks_slides_or_leaves(q, mu, impulse, solver):
    problem = ld.contact_problem(np.eye(3) / MASS, q, mu)
    assert problem.residual(impulse) < 1e-15
    found = problem.solve(solver)
    assert found.converged and found.residual <= 1e-8
    np.testing.assert_allclose(found.impulse, impulse, atol=1e-7)  # tolerance times |q| m, up to 5 * 2
    np.testing.assert_allclose(found.velocity, np.array(found.impulse) / MASS + q, atol=1e-12)


@pytest.mark.parametrize(("contacts", "freedoms", "seed"), [(3, 12, 1), (8, 12, 2), (20, 30, 3), (12, 6, 4)])
def test_random_problems_meet_the_law(contacts, freedoms, seed):
    """More freedoms than rows, and fewer; the law itself is the judge: cones, complementarity, opposite directions."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(3 * contacts, freedoms))
    rows[::3] += 0.5  # normals that do not oppose each other, so that a solution exists
    problem = ld.contact_problem(rows @ rows.T, rows @ (-np.abs(rng.normal(size=freedoms))), rng.uniform(0.0, 1.0, contacts))
    found = problem.solve()
    assert found.converged and found.residual <= 1e-8
    r, u = found.impulse.reshape(-1, 3), found.velocity.reshape(-1, 3)
    size = np.linalg.norm(problem.q)
    slack = 1e-6 * size * problem.mass
    assert r[:, 0].min() >= -slack and u[:, 0].min() >= -1e-6 * size
    assert np.all(np.linalg.norm(r[:, 1:], axis=1) <= problem.mu * r[:, 0] + slack)
    assert np.abs(r[:, 0] * u[:, 0]).max() < slack * size
    power = np.sum(r[:, 1:] * u[:, 1:], axis=1) + problem.mu * r[:, 0] * np.linalg.norm(u[:, 1:], axis=1)
    assert np.abs(power).max() < slack * size * 10


def test_velocities_that_no_impulse_changes():
    """Two contacts on one mass, W singular, with a q that is not in its range: a wall that comes at them from the side."""
    rows = np.vstack([np.eye(3), np.eye(3)])
    q = np.array([-1.0, 0.2, 0.0, -0.5, 0.2, 0.0])
    found = ld.contact_problem(rows @ rows.T, q, 0.3).solve()
    # The first contact takes all: u = r + q there; the other one is left at 0.5 m/s.
    np.testing.assert_allclose(found.impulse, [1.0, -0.2, 0.0, 0.0, 0.0, 0.0], atol=1e-7)
    assert found.converged and found.velocity[3] == pytest.approx(0.5, abs=1e-7)


@pytest.fixture(scope="module")
def box() -> FrictionProblem:
    robot = ld.Robot("box")
    robot.base("box", mass=2.0, shape=ld.Box((0.2, 0.1, 0.05))).collides(friction=0.3)
    start = ld.Start({"box": (0, 0, 0.025, 0, 0, 0)}, {"box": (1.0, 0.0, 0, 0, 0, 0)})
    words = {"gravity": (0, 0, -9.81), "obstacles": [ld.Ground()], "integrator": "moreau", "dt": 1e-3, "t_end": 1.0}
    return contact_problem_at(ld.Scenario("box", robot, start=start, **words), 0.05)


def test_the_problem_of_a_step(box):
    """A box that slides: its corners carry m g dt together, friction is mu times that, and the impulses are those of the run."""
    assert box.count == 4 and np.linalg.matrix_rank(box.W) == 6
    found = box.solve()
    total = found.impulse.reshape(4, 3).sum(axis=0)
    np.testing.assert_allclose(total[0], 2.0 * 9.81 * 1e-3, rtol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(total[1:]), 0.3 * total[0], rtol=1e-6)
    speed = 1.0 - 0.3 * 9.81 * 0.05  # after 50 steps
    np.testing.assert_allclose(np.linalg.norm(found.velocity.reshape(4, 3)[:, 1:], axis=1), speed, rtol=1e-6)


def test_files_of_fclib(box, tmp_path):
    file = ld.files.save_contact_problem(box, tmp_path / "box.hdf5")
    read = ld.files.load_contact_problem(file)
    for name in ("W", "q", "mu"):
        np.testing.assert_array_equal(getattr(read, name), getattr(box, name))
    h5py = pytest.importorskip("h5py")
    with h5py.File(file, "r+") as stored:  # the same as triplets
        matrix = stored["fclib_local/W"]
        rows, columns = np.nonzero(box.W)
        for key in ("p", "i", "x", "nz"):
            del matrix[key]
        matrix["nz"], matrix["p"], matrix["i"], matrix["x"] = [len(rows)], columns, rows, box.W[rows, columns]
    np.testing.assert_array_equal(ld.files.load_contact_problem(file).W, box.W)
    with h5py.File(file, "r+") as stored:
        stored["fclib_local/spacedim"][...] = 2
    with pytest.raises(ld.InputError, match="is of dimension 2; it must be 3"):
        ld.files.load_contact_problem(file)


def test_texts_of_siconos(tmp_path):
    """Two contacts, W dense by columns and as blocks by columns: the block off the diagonal, which is not symmetric, shows it."""
    w = np.array([[2.0, 1.0, 0.0], [1.0, 3.0, 0.5], [0.0, 0.5, 4.0]])
    beside = np.array([[0.1, 0.2, 0.0], [0.0, 0.3, 0.0], [0.05, 0.0, 0.1]])
    whole = np.block([[w, beside], [beside.T, w]])
    q, mu = np.arange(1.0, 7.0), np.array([0.3, 0.7])
    tail = " ".join(map(str, [*q, *mu]))
    dense = f"3\n2\n0\n6\n6\n6\t6\n{' '.join(map(str, whole.T.ravel()))}\n{tail}\n"
    blocks = "3\n2\n1\n6\n6\n4\n2\n2\n3\t6\n3\t6\n3\n4\n0\t2\t4\n0\t1\t0\t1\n"
    for k, block in enumerate((w, beside, beside.T, w)):
        blocks += f"{k}\n" + "\n".join(map(str, block.T.ravel())) + "\n"
    for name, text in (("dense.dat", dense), ("blocks.dat", blocks + tail)):
        (tmp_path / name).write_text(text)
        read = ld.files.load_contact_problem(tmp_path / name)
        np.testing.assert_array_equal(read.W, whole)
        np.testing.assert_array_equal(read.q, q)
        np.testing.assert_array_equal(read.mu, mu)
    for text, sentence in ((dense[:40], "ends, or has no number"), (dense.replace("3\n2", "2\n2", 1), "of dimension 2"),
                           ("x y", "not numbers"), (dense.replace("2\n0\n6", "2\n2\n6", 1), "the storage 2")):  # fmt: skip
        (tmp_path / "bad.dat").write_text(text)
        with pytest.raises(ld.InputError, match=sentence):
            ld.files.load_contact_problem(tmp_path / "bad.dat")


@pytest.mark.parametrize(
    ("w", "q", "mu", "sentence"),
    [
        (np.eye(3), (0, 0), 0.5, "a q of shape (2,)"),
        (np.eye(3), (0, 0, 1, 0, 0, 0), 0.5, "must be (6,) and (6, 6)"),
        (np.diag([1, 1, -1]), (0, 0, 1), 0.5, "the eigenvalue -1"),
        (np.eye(3) + np.eye(3, k=1), (0, 0, 1), 0.5, "is not symmetric"),
        (np.eye(3), (0, 0, np.nan), 0.5, "are not finite"),
        (np.eye(3), (0, 0, 1), -0.5, "must not be negative"),
        (np.eye(3), ("a", 0, 1), [0.5], "is not an array of numbers"),
    ],
)
def test_wrong_problems_get_a_sentence(w, q, mu, sentence):
    with pytest.raises(ld.InputError, match=re.escape(sentence)):
        ld.contact_problem(w, q, mu)
    with pytest.raises(ld.InputError, match="no file"):
        ld.files.load_contact_problem("nowhere.dat")
