"""Equations of motion in closed form, from the same kernels that compute numbers.

Run: python examples/closed_form.py   (needs the extra: pip install locodyn[symbolic])
"""

import sympy

import locodyn as ld
from locodyn.symbolic import SymbolicModel, symbols, to_sympy

M, m, length, g = symbols("M m l g")

robot = ld.Robot("cart and pendulum")
cart = robot.base("cart", mass=M, inertia=ld.about_centre(xx=0, yy=0, zz=0), moves="prismatic", axis="x")
pole = robot.body("pole", mass=m, centre=(0, 0, length), inertia=ld.about_centre(xx=0, yy=0, zz=0))
pole.on(cart).turning("y")

model = SymbolicModel(robot, gravity=(0, 0, -g))
print("mass matrix:")
sympy.pprint(sympy.simplify(sympy.Matrix(to_sympy(model.mass_matrix()))))
print("forces of velocity and gravity:")
sympy.pprint(sympy.simplify(sympy.Matrix(to_sympy(model.bias()))))
print("LaTeX of the first equation:")
print(sympy.latex(sympy.simplify(to_sympy(model.inverse_dynamics()[0]))))
