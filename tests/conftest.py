"""Settings of the property tests, and the command line as a fixture.

The same samples in every run, no time limit for a sample (the first one may compile).
"""

from __future__ import annotations

import sys

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "locodyn", derandomize=True, database=None, deadline=None, print_blob=False, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("locodyn")

# What `make check` leaves out besides single tests that are marked: whole folders and files that run long, or compile much.
SLOW_FOLDERS = {"published", "cross_code", "browser", "examples"}
SLOW_FILES = {
    "test_snake_gaits", "test_view_scene", "test_workspace_command", "test_obstacle_aided", "test_contact_failures",
    "test_sampled_controller", "test_batch", "test_symbolic_functions", "test_symbolic_reduced", "test_files_round_trip",
    "test_files_complete",
    "test_kernel_routine", "test_linearisation_of_runs", "test_rods", "test_constrained_loop_runs", "test_rerooting_dynamics",
    "test_contact_stepping", "test_elastic_trailer", "test_event_driven", "test_identification", "test_implicit_constraints",
    "test_implicit_integrators", "test_linearisation", "test_load_input", "test_load_tangents", "test_result_csv",
    "test_rod_fluid", "test_rod_loads", "test_rod_references", "test_rod_space", "test_row_tangent", "test_shooting",
    "test_tendons", "test_three_models", "test_bad_robots_command",
    "test_eigenvalue_sweep", "test_gait_displacement", "test_integrators_adams", "test_integrators_order",
    "test_integrators_functions", "test_integrators_invariants", "test_contact_integrators", "test_steered_friction",
    "test_rolling_closed_form", "test_export", "test_files_input", "test_linearise_input", "test_page_build", "test_result_plots",
    "test_view", "test_rod_input", "test_contact_input", "test_cli", "test_rod_results", "test_contact_geometry",
    "test_contact_laws", "test_contact_solids", "test_contact_bilateral", "test_contact_rods", "test_contact_resume",
    "test_rolling_surfaces", "test_plan_command", "test_maximal_coordinates", "test_servo_limit", "test_plane_in_space",
    "test_event_driven_friction", "test_contact_momentum",
    "test_fluid", "test_connection", "test_gait", "test_implicit_newton", "test_contact_resolve", "test_rod_cascade",
    "test_law_slopes", "test_removed_parts", "test_row_scaling", "test_contact_invariance",
    "test_equilibrium_paths", "test_quasi_static", "test_workspace", "test_rod_plots",
    "test_constrained_dependent", "test_lie_series", "test_mass_centre_frame", "test_sim_wheels", "test_result_rolling",
}  # fmt: skip


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of slow folders and files."""
    for item in items:
        if item.path.parent.name in SLOW_FOLDERS or item.path.stem in SLOW_FILES:
            item.add_marker(pytest.mark.slow)


@pytest.fixture
def locodyn(monkeypatch, capsys):
    """The command in this process: words -> (exit code, standard output, standard error)."""
    from locodyn.cli import main

    def call(*words):
        monkeypatch.setattr(sys, "argv", ["locodyn", *map(str, words)])
        with pytest.raises(SystemExit) as ended:
            main()
        printed = capsys.readouterr()
        return ended.value.code, printed.out, printed.err

    return call
