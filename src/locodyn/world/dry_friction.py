"""The kernels of dry friction under a given load at a point, along the x and y axes of it: forces, and how they change.

sliding    -mu_i N v_i / sqrt(u_i^2 + v0^2)     :class:`~locodyn.world.laws.Sliding`
arctan     -(f_i arctan(v_i / v0) + n_i v_i)    :class:`~locodyn.world.laws.ArctanFriction`; Transeth (2007), 6.3.3
LuGre      bristles that stand on the ground    :mod:`locodyn.world.lugre`
"""

from __future__ import annotations

from locodyn.kernel import lit, portable, sqrt
from locodyn.kernel.vector import dot
from locodyn.lie.arctangent import arctangent
from locodyn.world.law_table import CREEP, LAW, SLIDE
from locodyn.world.lugre import bristle_change, bristle_force, bristle_rate, load_bristles, turned_back


@portable(inline=True)
def friction_force(laws, memory, row, x, w):
    """Force (3,), stored energy and lost power of dry friction ``row`` at a point with the twist (x; w) in its axes."""
    o = lit(x[0], 0.0)
    n = laws.numbers
    if laws.kind[row] == LAW.sliding:
        one = n[row, SLIDE.coupled]
        load = n[row, SLIDE.load]
        along = x[0] * x[0]
        across = x[1] * x[1]
        rest = n[row, SLIDE.speed] * n[row, SLIDE.speed]
        pressure = (load / sqrt(along + one * across + rest), load / sqrt(one * along + across + rest))
        forward = n[row, SLIDE.friction] * pressure[0] * x[0]
        side = n[row, SLIDE.friction + 1] * pressure[1] * x[1]
        force = (o - forward, o - side, o)
        return force, o, o - dot(force, x)
    if laws.kind[row] == LAW.arctan:
        speed = o + n[row, CREEP.speed]
        along = n[row, CREEP.dry] * arctangent(x[0], speed) + n[row, CREEP.viscous] * x[0]
        across = n[row, CREEP.dry + 1] * arctangent(x[1], speed) + n[row, CREEP.viscous + 1] * x[1]
        force = (o - along, o - across, o)
        return force, o, o - dot(force, x)
    m = laws.memory[row]
    bristles = load_bristles(n, row, 0)
    a, b, _, _ = bristles
    z = (memory.value[m], memory.value[m + 1])
    bent = bristle_rate(bristles, (x[0], x[1]), z)
    turned = turned_back(z, w[2])
    force = (o - bristle_force(a, z[0], bent[0], x[0]), o - bristle_force(b, z[1], bent[1], x[1]), o)
    stored = lit(o, 0.5) * (a[0] * z[0] * z[0] + b[0] * z[1] * z[1])
    filling = a[0] * z[0] * (bent[0] + turned[0]) + b[0] * z[1] * (bent[1] + turned[1])
    return force, stored, o - dot(force, x) - filling


@portable(inline=True)
def friction_rates(laws, memory, row, x, w):
    """Rates (2,) of the bristles of LuGre friction at a point with the twist (x; w)."""
    m = laws.memory[row]
    z = (memory.value[m], memory.value[m + 1])
    bent = bristle_rate(load_bristles(laws.numbers, row, 0), (x[0], x[1]), z)
    turned = turned_back(z, w[2])
    return bent[0] + turned[0], bent[1] + turned[1]


@portable(inline=True)
def friction_change(laws, memory, row, x, w, e, f, dz):
    """Changes of the force (3,) and of the rates (2,) of bristles with the twist (x; w) by (e; f) and the states by dz."""
    o = lit(x[0], 0.0)
    n = laws.numbers
    if laws.kind[row] == LAW.sliding:
        c = n[row, SLIDE.coupled]
        load = n[row, SLIDE.load]
        rest = n[row, SLIDE.speed] * n[row, SLIDE.speed]
        one = x[0] * x[0] + c * x[1] * x[1] + rest
        two = c * x[0] * x[0] + x[1] * x[1] + rest
        forward = n[row, SLIDE.friction] * load / sqrt(one) * (e[0] - x[0] * (x[0] * e[0] + c * x[1] * e[1]) / one)
        side = n[row, SLIDE.friction + 1] * load / sqrt(two) * (e[1] - x[1] * (c * x[0] * e[0] + x[1] * e[1]) / two)
        return (o - forward, o - side, o), (o, o)
    if laws.kind[row] == LAW.arctan:
        speed = n[row, CREEP.speed]
        wide = speed * speed
        forward = (n[row, CREEP.dry] * speed / (wide + x[0] * x[0]) + n[row, CREEP.viscous]) * e[0]
        side = (n[row, CREEP.dry + 1] * speed / (wide + x[1] * x[1]) + n[row, CREEP.viscous + 1]) * e[1]
        return (o - forward, o - side, o), (o, o)
    m = laws.memory[row]
    bristles = load_bristles(n, row, 0)
    a, b, _, _ = bristles
    z = (memory.value[m], memory.value[m + 1])
    bent = bristle_change(bristles, (x[0], x[1]), z, (e[0], e[1]), (dz[0], dz[1]))
    force = (o - bristle_force(a, dz[0], bent[0], e[0]), o - bristle_force(b, dz[1], bent[1], e[1]), o)
    one = turned_back(z, f[2])
    two = turned_back(dz, w[2])
    return force, (bent[0] + one[0] + two[0], bent[1] + one[1] + two[1])
