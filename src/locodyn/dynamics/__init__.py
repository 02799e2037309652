"""Newton-Euler on the shape: inverse, forward and hybrid dynamics, mass matrix, derivatives, energies."""
