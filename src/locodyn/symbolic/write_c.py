"""Functions as C99 source without dependencies: one source file, one header, one test driver."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from locodyn.symbolic.function import Function
from locodyn.symbolic.text import C, Writer, decimal, heading


def c_source(functions: Sequence[Function], stem: str) -> str:
    """The source file ``stem.c``."""
    parts = [f'#include "{stem}.h"\n#include <math.h>\n']
    for function in functions:
        writer = Writer(function.program, C, function.symbol_places())
        lines = [comment(heading(function)), f"{prototype(function)}", "{"]
        lines += [f"    const double {name} = {text};" for name, text in writer.statements]
        for group, places in function.slices():
            lines += [f"    {group.name}[{i}] = {writer.outputs[place]};" for i, place in enumerate(places)]
        used = set(function.program.names)
        lines += [f"    (void){group.name};" for group in function.inputs if not used & set(group.symbols)]
        parts.append("\n".join([*lines, "}"]) + "\n")
        if integrates(function):
            parts.append(step_source(function))
    return "\n".join(parts)


def integrates(function: Function) -> bool:
    """Whether a function gives the rates qdot, udot of its inputs q, u."""
    return [g.name for g in function.outputs] == ["qdot", "udot"] and {"q", "u"} <= {g.name for g in function.inputs}


def step_prototype(function: Function) -> str:
    """``void name_step(double h, double *q, double *u, const double *tau, ...)``."""
    state = [f"double {g.name}[{g.size}]" for g in function.inputs if g.name in ("q", "u")]
    others = [f"const double {g.name}[{g.size}]" for g in function.inputs if g.name not in ("q", "u")]
    return f"void {function.name}_step({', '.join(['double h', *state, *others])})"


def step_source(function: Function) -> str:
    """The fixed-step block: one step of the classical Runge-Kutta method, in place; quaternions get their norm back."""
    sizes = {g.name: g.size for g in function.inputs}
    n, r = sizes["q"], sizes["u"]
    arguments = ", ".join({"q": "x", "u": "w"}.get(g.name, g.name) for g in function.inputs)
    positions = next(g for g in function.inputs if g.name == "q").entries
    lines = [
        comment(
            [f"One step of h seconds: {function.name} integrated by the classical Runge-Kutta method; q and u are overwritten."]
        ),
        step_prototype(function),
        "{",
        "    static const double part[4] = {0.0, 0.5, 0.5, 1.0}, weight[4] = {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0};",
        f"    double x[{n}], w[{r}], dx[{n}] = {{0.0}}, dw[{r}] = {{0.0}}, sx[{n}] = {{0.0}}, sw[{r}] = {{0.0}};",
        "    for (int k = 0; k < 4; k++) {",
        f"        for (int i = 0; i < {n}; i++) x[i] = q[i] + part[k] * h * dx[i];",
        f"        for (int i = 0; i < {r}; i++) w[i] = u[i] + part[k] * h * dw[i];",
        f"        {function.name}({arguments}, dx, dw);",
        f"        for (int i = 0; i < {n}; i++) sx[i] += weight[k] * dx[i];",
        f"        for (int i = 0; i < {r}; i++) sw[i] += weight[k] * dw[i];",
        "    }",
        f"    for (int i = 0; i < {n}; i++) q[i] += h * sx[i];",
        f"    for (int i = 0; i < {r}; i++) u[i] += h * sw[i];",
    ]
    for i in (i for i, name in enumerate(positions) if name.endswith("qw")):
        squares = " + ".join(f"q[{k}] * q[{k}]" for k in range(i, i + 4))
        lines += [
            f"    const double size_{i} = sqrt({squares});",
            f"    for (int i = {i}; i < {i + 4}; i++) q[i] /= size_{i};",
        ]
    return "\n".join([*lines, "}"]) + "\n"


def c_header(functions: Sequence[Function], stem: str) -> str:
    """The header ``stem.h``: sizes, default parameters, prototypes."""
    from locodyn import __version__

    guard = f"{stem.upper()}_H"
    lines = [
        f"/* Written by locodyn {__version__}. SI units, angles in rad; matrices row by row. */",
        f"#ifndef {guard}",
        f"#define {guard}",
        "",
    ]
    sizes, defaults = {}, {}
    for function in functions:
        for group in (*function.inputs, *function.outputs):
            sizes[f"{function.name.upper()}_N_{group.name.upper()}"] = group.size
            if group.defaults:
                defaults[f"{stem}_{group.name}"] = group
    lines += [f"#define {name} {size}" for name, size in sizes.items()]
    for name, group in defaults.items():
        lines += ["", f"/* {', '.join(f'{e} [{u}]' for e, u in zip(group.entries, group.units, strict=True))} */"]
        lines.append(f"static const double {name}[{group.size}] = {{{', '.join(map(decimal, group.defaults))}}};")
    lines += ["", "#ifdef __cplusplus", 'extern "C" {', "#endif"]
    lines += [f"{prototype(function)};" for function in functions]
    lines += [f"{step_prototype(function)};" for function in functions if integrates(function)]
    return "\n".join([*lines, "#ifdef __cplusplus", "}", "#endif", f"#endif /* {guard} */"]) + "\n"


def c_driver(functions: Sequence[Function], stem: str, seed: int = 1) -> str:
    """The program ``stem_test.c``: each function at a random point against what Python gives; exit code 0 when they agree."""
    from locodyn import __version__

    lines = [
        f"/* Written by locodyn {__version__}. Compares the functions of {stem}.c with values from Python at a random point.",
        f"   Build and run: cc -std=c99 -O2 {stem}.c {stem}_test.c -lm -o {stem}_test && ./{stem}_test */",
        f'#include "{stem}.h"',
        "#include <math.h>",
        "#include <stdio.h>",
        "",
        "static double worst(const double *got, const double *wanted, int n)",
        "{",
        "    double error = 0.0, size = 0.0;",
        "    for (int i = 0; i < n; i++) {",
        "        error = fmax(error, fabs(got[i] - wanted[i]));",
        "        size = fmax(size, fabs(wanted[i]));",
        "    }",
        "    return size > 0.0 ? error / size : error;",
        "}",
        "",
        "int main(void)",
        "{",
        "    int failed = 0;",
    ]
    for function in functions:
        lines += _trial(function, seed)
    return "\n".join([*lines, "    return failed;", "}"]) + "\n"


def _trial(function: Function, seed: int) -> list[str]:
    values = random_inputs(function, seed)
    outputs = function(*values)
    lines = ["    {"]
    for group, value in zip(function.inputs, values, strict=True):
        lines.append(f"        static const double {group.name}[] = {{{', '.join(decimal(x) for x in value)}}};")
    for group, value in zip(function.outputs, outputs, strict=True):
        numbers = ", ".join(decimal(x) for x in np.ravel(value))
        lines.append(f"        static const double {group.name}_wanted[] = {{{numbers}}};")
        lines.append(f"        double {group.name}_got[{max(1, group.size)}];")
    arguments = [g.name for g in function.inputs] + [f"{g.name}_got" for g in function.outputs]
    lines.append(f"        {function.name}({', '.join(arguments)});")
    for group in function.outputs:
        lines += [
            f"        const double {group.name}_error = worst({group.name}_got, {group.name}_wanted, {group.size});",
            f'        printf("{function.name} {group.name} %.3e\\n", {group.name}_error);',
            f"        failed |= !({group.name}_error < 1e-12);",
        ]
    return [*lines, "    }"]


def random_inputs(function: Function, seed: int) -> list[np.ndarray]:
    """Random inputs, the defaults where there are some; what can be a quaternion has norm 1."""
    rng = np.random.default_rng(seed)
    values = []
    for group in function.inputs:
        value = np.array(group.defaults) if group.defaults else rng.uniform(0.2, 0.9, group.size)
        for i, name in enumerate(group.entries):
            if name.endswith("qw") and not group.defaults:
                value[i : i + 4] /= np.linalg.norm(value[i : i + 4])
        values.append(value)
    return values


def prototype(function: Function) -> str:
    """``void name(const double *q, ..., double *out)``."""
    inputs = [f"const double {g.name}[{g.size}]" for g in function.inputs]
    outputs = [f"double {g.name}[{max(1, g.size)}]" for g in function.outputs]
    return f"void {function.name}({', '.join([*inputs, *outputs])})"


def comment(lines: Sequence[str]) -> str:
    """A block comment."""
    return "/* " + "\n   ".join(line.replace("*/", "* /") for line in lines) + " */"
