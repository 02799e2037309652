"""Where a rolling surface touches a plane, and how that point wanders: explicit, with exact rates.

n is the unit normal of the plane in the axes of the body, ndot = n x omega its rate there (the plane rests). Points are counted
from the centre of the surface; see :class:`locodyn.robot.contact.Contact` for the formula.
"""

from __future__ import annotations

from locodyn.kernel import portable, sqrt
from locodyn.kernel.vector import add, cross, dot, rotate, rotate_back, scale, subtract


@portable(inline=True)
def disc_point(axis, radius, crown, n, ndot):
    """(rho, rhodot, e, edot, sine) of a disc or tyre: e = direction from its lowest point to its centre, in its own plane.

    rho = -radius e - crown n,  e = (n - (n . a) a) / |n x a|  (Mauny 2017, (17), as a vector). ``sine`` = |n x a|, the sine
    of the angle between axis and normal, is zero for a disc that lies flat: then no point is lowest.
    """
    h = subtract(n, scale(dot(n, axis), axis))
    sine = sqrt(dot(h, h))
    e = scale(1.0 / sine, h)
    hdot = subtract(ndot, scale(dot(ndot, axis), axis))
    edot = scale(1.0 / sine, subtract(hdot, scale(dot(e, hdot), e)))
    rho = add(scale(-radius, e), scale(-crown, n))
    rhodot = add(scale(-radius, edot), scale(-crown, ndot))
    return rho, rhodot, e, edot, sine


@portable(inline=True)
def stretched(axes, x):
    """D x for D = diag(axes)."""
    return (axes[0] * x[0], axes[1] * x[1], axes[2] * x[2])


@portable(inline=True)
def ellipsoid_point(r, axes, crown, n, ndot):
    """(rho, rhodot) of an ellipsoid whose axes are the columns of r: rho = -D^2 n / |D n| - crown n."""
    m = rotate_back(r, n)
    mdot = rotate_back(r, ndot)
    x = stretched(axes, m)
    xdot = stretched(axes, mdot)
    size = sqrt(dot(x, x))
    unit = scale(1.0 / size, x)
    rate = scale(1.0 / size, subtract(xdot, scale(dot(unit, xdot), unit)))
    rho = add(scale(-1.0, rotate(r, stretched(axes, unit))), scale(-crown, n))
    rhodot = add(scale(-1.0, rotate(r, stretched(axes, rate))), scale(-crown, ndot))
    return rho, rhodot


@portable(inline=True)
def rolling_directions(axis, e, edot, n, ndot):
    """(heading, its rate, side, its rate) of a disc: heading = axis x e in the plane, side = n x heading to its left."""
    heading = cross(axis, e)
    rate = cross(axis, edot)
    return heading, rate, cross(n, heading), add(cross(ndot, heading), cross(n, rate))
