"""Implicit steps: schemes, stages, Newton's method and its matrix, the end of a step, its error."""
