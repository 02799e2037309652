"""Functions as Python source that needs NumPy only, or as Python source that makes a CasADi function."""

from __future__ import annotations

from locodyn.symbolic.function import Function, Group
from locodyn.symbolic.text import CASADI, PYTHON, Writer, heading


def python_source(function: Function) -> str:
    """A module with one function of arrays."""
    writer = Writer(function.program, PYTHON, function.symbol_places())
    used = [
        name
        for name in ("sin", "cos", "exp", "sqrt", "floor", "arctan2", "where")
        if any(f"{name}(" in t for t in _texts(writer))
    ]
    lines = ['"""' + heading(function)[0], "", *heading(function)[1:], '"""', ""]
    lines += [f"from numpy import {', '.join(['array', *sorted(used)])}", "", ""]
    defaults = [g for g in function.inputs if g.defaults]
    lines += [f"{g.name.upper()} = ({', '.join(map(repr, g.defaults))},)  # {', '.join(g.entries)}" for g in defaults]
    lines += ["", ""] if defaults else []
    arguments = [f"{g.name}={g.name.upper()}" if g.defaults else g.name for g in function.inputs]
    lines += [f"def {function.name}({', '.join(arguments)}):", f'    """{function.summary}"""']
    lines += [f"    {name} = {text}" for name, text in writer.statements]
    results = [_array(group, [writer.outputs[i] for i in places]) for group, places in function.slices()]
    lines.append(f"    return {', '.join(results)}")
    return "\n".join(lines) + "\n"


def casadi_source(function: Function) -> str:
    """A module with a function that makes the ``casadi.Function``."""
    writer = Writer(function.program, CASADI, function.symbol_places())
    lines = ['"""' + heading(function)[0], "", *heading(function)[1:], '"""', "", "import casadi as ca", "", ""]
    lines += [f"def {function.name}():", f'    """{function.summary} As casadi.Function."""']
    lines += [f'    {g.name} = ca.SX.sym("{g.name}", {g.size})' for g in function.inputs]
    lines += [f"    {name} = {text}" for name, text in writer.statements]
    for group, places in function.slices():
        texts = [writer.outputs[i] for i in places]
        columns = group.shape[1] if len(group.shape) == 2 else 1
        rows = [texts[i : i + columns] for i in range(0, len(texts), columns)]
        lines.append(f"    {group.name}_ = ca.vertcat(")
        lines += [f"        ca.horzcat({', '.join(row)})," for row in rows]
        lines.append("    )")
    inputs, outputs = [g.name for g in function.inputs], [g.name for g in function.outputs]
    lines.append(
        f'    return ca.Function("{function.name}", [{", ".join(inputs)}], [{", ".join(f"{x}_" for x in outputs)}],'
        f" {_list(inputs)}, {_list(outputs)})"
    )
    return "\n".join(lines) + "\n"


def _texts(writer: Writer) -> list[str]:
    return [text for _, text in writer.statements] + writer.outputs


def _list(names: list[str]) -> str:
    return "[" + ", ".join(f'"{name}"' for name in names) + "]"


def _array(group: Group, texts: list[str]) -> str:
    if not group.shape:
        return texts[0]
    flat = f"array([{', '.join(texts)}])"
    return f"{flat}.reshape({group.shape})" if len(group.shape) == 2 else flat
