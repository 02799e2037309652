"""The journeys are scripts, which ``test_journeys.py`` runs; pytest is not to import them in search of doctests."""

from pathlib import Path

collect_ignore = [path.name for path in Path(__file__).parent.glob("*.py") if not path.name.startswith("test_")]
