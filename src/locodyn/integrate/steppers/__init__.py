"""The methods of fixed steps, as :func:`~locodyn.integrate.fixed.run_fixed` drives them: one file for each."""
