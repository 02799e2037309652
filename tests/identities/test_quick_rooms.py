"""Every room of the library has a quick test: ``make check`` looks into all of them."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import locodyn

TESTS = Path(__file__).parents[1]
# A test of what the room is for. ``typing`` holds types only, which mypy checks.
QUICK = {
    "errors": "input/test_model_input.py::test_not_numbers",
    "lazy": "identities/test_public_face.py::test_every_name_loads_and_has_a_docstring",
    "record": "identities/test_record.py::test_columns_stand_side_by_side",
    "newton": "analytic/test_newton.py::test_damping_finds_what_whole_steps_lose",
    "kernel": "identities/test_bundle.py::test_numbers_are_shared_by_python_and_kernels",
    "device": "identities/test_device.py::test_a_program_has_the_bits_of_the_kernel",
    "lie": "identities/test_lie_groups.py::test_tangent_maps",
    "motion": "identities/test_motion_table.py::test_derivatives_belong_to_the_value",
    "robot": "identities/test_robot_compile.py::test_poses",
    "shape": "identities/test_shape_kinematics.py::test_jacobians",
    "dynamics": "identities/test_dynamics_balance.py::test_power_balance",
    "world": "analytic/test_world_laws.py::test_energy_is_booked",
    "contact": "identities/test_contact_recursion.py::test_recursion_against_the_dense_matrix",
    "locomotion": "identities/test_constrained_wheels.py::test_planar_trees_move_as_the_dense_system_says",
    "equilibria": "analytic/test_wet_bending.py::test_free_beam_in_water",
    "integrate": "analytic/test_energy_account.py::test_smooth_work_between_records_has_the_order_of_the_method",
    "gaits": "analytic/test_body_mobility.py::test_speed_of_travelling_waves",
    "controllers": "analytic/test_virtual_constraints.py::test_derivatives_of_outputs",
    "linearisation": "analytic/test_linearisation.py::test_double_pendulum",
    "phases": "identities/test_impacts_of_feet.py::test_angular_momentum_about_the_landing_point_is_kept",
    "walking": "published/test_rabbit.py::test_whole_robot_repeats_the_step",
    "identify": "analytic/test_identification.py::test_curvature_of_lines_and_circles",
    "sim": "identities/test_result_contract.py::test_resumed_run_is_the_uninterrupted_run",
    "zoo": "identities/test_result_wheels.py::test_resumed_run_is_the_uninterrupted_run",
    "files": "identities/test_yaml_versions.py::test_whatever_is_written_is_read_alike",
    "envs": "identities/test_envs.py::test_robots_of_a_vector_are_single_environments",
    "symbolic": "identities/test_symbolic_chains.py::test_forward_dynamics_of_large_random_trees",
    "batch": "identities/test_batch_features.py::test_as_one_robot_alone_or_refused",
    "study": "identities/test_studies.py::test_numbers_are_those_of_each_scenario_run_alone",
    "view": "identities/test_log.py::test_frames_are_the_bodies_and_numbers_those_of_the_result",
    "judge": "cross_code/test_judges.py::test_who_is_ahead",
    "cli": "input/test_study_input.py::test_the_command",
}


def is_slow(node: ast.AST) -> bool:
    return any(isinstance(one, ast.Attribute) and one.attr == "slow" for one in ast.walk(node))


def homes() -> dict[str, str]:
    """Public names at the top of the library -> the room of each."""
    tree = ast.parse(Path(locodyn.__file__).read_text(encoding="utf-8"))
    found = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and str(node.module).startswith("locodyn.")]
    return {alias.name: str(node.module).split(".")[1] for node in found for alias in node.names}


def rooms_of(tree: ast.Module) -> set[str]:
    """The rooms that a test file imports from or names."""
    top, found = homes(), set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "locodyn":
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and str(node.module).startswith("locodyn."):
            found.add(str(node.module).split(".")[1])
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "ld":
            found |= {node.attr, top.get(node.attr, "")}
    return found


def test_the_table_has_all_rooms() -> None:
    parts = [path for path in Path(locodyn.__file__).parent.iterdir() if not path.name.startswith("__")]
    rooms = {path.stem for path in parts if path.suffix == ".py" or (path / "__init__.py").is_file()}
    assert set(QUICK) == rooms - {"typing"}


@pytest.mark.parametrize("room", QUICK)
def test_the_test_of_a_room_is_there_and_quick(room: str) -> None:
    file, _, name = QUICK[room].partition("::")
    tree = ast.parse((TESTS / file).read_text(encoding="utf-8"))
    (function,) = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == name]
    marks = [node for node in tree.body if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "pytestmark"]
    whole = [one for one in function.decorator_list if "parametrize" not in ast.unparse(one)]
    assert not any(is_slow(one) for one in [*marks, *whole])
    assert room in rooms_of(tree), f"{file} has nothing to do with '{room}'"
