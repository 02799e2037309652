"""The problem to solve: which coordinates are imposed, torque-driven or passive, and what acts from outside."""
