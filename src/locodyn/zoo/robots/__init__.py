"""One file for each robot: parameters with units and source, assembly, motion, scenario, acceptance checks."""
