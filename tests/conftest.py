"""Settings of the property tests: the same samples in every run, no time limit for a sample (the first one may compile)."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile(
    "locodyn", derandomize=True, database=None, deadline=None, print_blob=False, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("locodyn")
