"""Every portable kernel in all its lives: one robot, robots in lanes, plain Python, symbols."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from types import CodeType, ModuleType
from typing import Any

import numpy as np
import pytest

import locodyn
from kernel_cases import FAMILIES, cases, vector
from kernel_lives import WIDTH, Case
from locodyn.integrate import adams
from locodyn.integrate.rkmk4 import rkmk4_stage
from locodyn.kernel import portable, select_lt, twin
from locodyn.kernel.compile import is_for_lanes, is_portable

pytestmark = pytest.mark.slow

# A portable kernel that calls a compiled one, and why it may (rule 7 of locodyn.kernel.compile).
MAY_CALL = {
    ("integrate.rkmk4.rkmk4_step", "locomotion.rhs.read_laws"): "time and its laws are shared by all robots",
    ("locomotion.rhs.solve", "locomotion.constrained.constrained_motion"): "for lanes; rows are None on symbols",
    ("locomotion.rhs.settle", "locomotion.constrained.settle_rows"): "for lanes; rows are None on symbols",
    ("locomotion.constrained.within_step", "world.rod_places.hold_contacts"): "contacts on rods are None in lanes and on symbols",
    ("locomotion.constrained.within_step", "world.rod_places.wrap_contacts"): "contacts on rods are None in lanes and on symbols",
    ("locomotion.constrained.is_struck", "world.rod_places.has_struck"): "contacts on rods are None in lanes and on symbols",
    ("world.wrenches.add_pairs", "world.compliant_pairs.add_pair_wrenches"): "pairs are None in lanes and on symbols",
    ("world.wrenches.add_pair_forces", "world.compliant_pairs.pair_forces"): "pairs are None in lanes and on symbols",
    ("world.rows.fill_rows", "world.rod_rows.fill_rod_contacts"): "contacts on rods are None in lanes and on symbols",
}
# A kernel for lanes that calls one for a single robot, and why it may.
SINGLE = {
    ("locomotion.constrained.accelerate", "locomotion.path_solver.path_accelerations"): "paths are None in lanes",
    ("locomotion.row_factors.factor_rows", "locomotion.path_rank.factor_paths"): "paths are None in lanes",
    ("locomotion.row_factors.factor_rows", "locomotion.path_rank.find_paths"): "paths are None in lanes",
    ("locomotion.row_factors.step_of_rows", "locomotion.path_solver.path_step"): "paths are None in lanes",
    ("locomotion.constrained.constrained_motion", "locomotion.singular.continue_velocity"): "robots have parted",
    ("locomotion.constrained.settle_rows", "locomotion.singular.continue_velocity"): "robots have parted",
    ("locomotion.closure.project_position", "world.rod_places.are_there"): "contacts on rods are None in lanes",
    ("locomotion.constrained.settle_rows", "world.rod_places.settle_contacts"): "contacts on rods are None in lanes",
    ("locomotion.constrained.settle_rows", "locomotion.taking_hold.before_settling"): "contacts on rods are None in lanes",
    ("locomotion.constrained.settle_rows", "locomotion.taking_hold.hold_what_moves"): "contacts on rods are None in lanes",
    ("locomotion.row_jacobian.free_mass", "locomotion.row_jacobian.all_columns"): "robots with rods are not in lanes",
    ("locomotion.row_jacobian.free_mass", "locomotion.row_jacobian.free_mass_with_rods"): "robots with rods are not in lanes",
    ("locomotion.row_jacobian.rod_columns", "locomotion.row_jacobian.all_columns"): "robots with rods are not in lanes",
}


def kernels() -> dict[str, Any]:
    """All kernels of the library by name."""
    found = {}
    for module in pkgutil.walk_packages(locodyn.__path__, "locodyn."):
        if module.name.startswith(("locodyn.cli", "locodyn.view", "locodyn.zoo", "locodyn.__main__")):
            continue
        for name, value in vars(importlib.import_module(module.name)).items():
            if hasattr(value, "py_func") and value.py_func.__module__ == module.name:
                found[f"{module.name.removeprefix('locodyn.')}.{name}"] = value
    return found


def words(code: CodeType) -> set[str]:
    """The names that a piece of code uses."""
    return set(code.co_names).union(*(words(c) for c in code.co_consts if isinstance(c, CodeType)), ())


def callees(kernel: Any) -> list[Any]:
    """The kernels that a kernel names, also as ``module.kernel``."""
    function = kernel.py_func
    used = words(function.__code__)
    values = [function.__globals__[name] for name in used if name in function.__globals__]
    modules = [x for x in values if isinstance(x, ModuleType) and x.__name__.startswith("locodyn")]
    values += [getattr(module, name) for module in modules for name in used if hasattr(module, name)]
    return [x for x in values if hasattr(x, "py_func")]


def check(case: Case) -> None:
    """The lives agree."""
    alone = case.one_by_one()
    assert np.isfinite(alone).all()
    # Lanes and the interpreter carry out the same IEEE operations.
    np.testing.assert_array_equal(case.in_lanes(), alone[:, :WIDTH])
    np.testing.assert_array_equal(case.in_plain_python(), alone[:, :1])
    # On symbols a fused multiplication and addition rounds twice, sine and cosine are those of NumPy, and what is alike is
    # computed once: round-off, which the elimination of dense dynamics amplifies most (measured: 1e-12).
    scale = np.abs(alone).max(initial=1e-300)
    np.testing.assert_allclose(case.on_symbols[0], alone, rtol=0.0, atol=1e-10 * scale)


@pytest.mark.parametrize("family", FAMILIES)
def test_all_lives_agree(family: str) -> None:
    for case in cases(family):
        try:
            check(case)
        except Exception as error:
            raise AssertionError(f"{case.kernel.py_func.__name__} does not have all its lives: {error}") from error


def test_no_portable_kernel_is_left_out() -> None:
    """Each has run in one of the cases above."""
    ran = {code for family in FAMILIES for case in cases(family) for code in case.on_symbols[1]}
    left = [name for name, x in kernels().items() if is_portable(x) and twin(x).__code__ not in ran]
    assert not left, f"no case in tests/kernel_cases.py runs {left}"


def calls(of: Callable[[Any], bool], allowed: Callable[[Any], bool]) -> set[tuple[str, str]]:
    """Kernels of one kind that call others than those allowed."""
    return {
        (name, other)
        for name, kernel in kernels().items() if of(kernel)
        for other, callee in kernels().items() if not allowed(callee) and callee in callees(kernel)
    }  # fmt: skip


def test_portable_kernels_call_portable_ones() -> None:
    """But for what is listed above with its reason; and nothing is listed that is not so."""
    assert calls(is_portable, is_portable) == set(MAY_CALL)


def test_kernels_for_lanes_call_kernels_for_lanes() -> None:
    """The same for kernels that choose (:mod:`locodyn.kernel.agreement`); all of them are on the way of a step in lanes."""
    assert calls(lambda kernel: is_for_lanes(kernel) and not is_portable(kernel), is_for_lanes) == set(SINGLE)
    known = kernels()
    reached, waiting = set(), [rkmk4_stage, adams.first_stage, adams.adams_stage]
    while waiting:
        kernel = waiting.pop()
        if kernel not in reached:
            reached.add(kernel)
            waiting += [one for one in callees(kernel) if is_for_lanes(one)]
    assert [name for name, one in known.items() if is_for_lanes(one) and not is_portable(one) and one not in reached] == []


@portable
def compares(x):
    return x[0] if x[0] < x[1] else x[1]


@portable
def chooses(x):
    return select_lt(x[0], x[1], x[0], x[1])


@portable
def takes_size(x):
    return abs(x[0]) + x[1]


def test_a_kernel_that_breaks_a_rule_fails() -> None:
    check(Case(chooses, (vector(2),)))
    for broken in (compares, takes_size):
        with pytest.raises(Exception, match=r"Lanes|cannot stay symbolic|bad operand"):
            check(Case(broken, (vector(2),)))
