"""Quasi-static runs."""
