"""A robot as an FMU (Functional Mock-up Unit, FMI 3.0), from its equations in closed form."""

from locodyn.symbolic.fmu.write import write_fmu

__all__ = ["write_fmu"]
