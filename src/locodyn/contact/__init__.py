"""Hard contact: pairs found closed, laws of contact, the robot under impulses, solvers, impacts. See docs/architecture.md."""
