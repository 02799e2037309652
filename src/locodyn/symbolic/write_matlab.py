"""Functions as MATLAB function files (they run in Octave too)."""

from __future__ import annotations

from locodyn.symbolic.function import Function
from locodyn.symbolic.text import MATLAB, Writer, heading, short


def matlab_source(function: Function) -> str:
    """The file ``name.m``."""
    writer = Writer(function.program, MATLAB, function.symbol_places("{name}({index})", first=1))
    names = ", ".join(g.name for g in function.outputs)
    result = names if len(function.outputs) == 1 else f"[{names}]"
    lines = [f"function {result} = {function.name}({', '.join(g.name for g in function.inputs)})"]
    lines += [f"% {line}".rstrip() for line in (function.name.upper() + "  " + heading(function)[0], *heading(function)[1:])]
    lines.append("% Entries are numbered from 0 above, from 1 in MATLAB.")
    for number, group in enumerate(function.inputs, start=1):
        if group.defaults:
            lines += [f"if nargin < {number}", f"    {group.name} = [{' '.join(map(short, group.defaults))}];", "end"]
    lines += [f"{name} = {text};" for name, text in writer.statements]
    for group, places in function.slices():
        texts = [writer.outputs[i] for i in places]
        columns = group.shape[1] if len(group.shape) == 2 else 1
        rows = [", ".join(texts[i : i + columns]) for i in range(0, len(texts), columns)]
        if not group.shape:
            lines.append(f"{group.name} = {texts[0]};")
            continue
        lines.append(f"{group.name} = [ ...")
        lines += [f"    {row}; ..." for row in rows]
        lines.append("    ];")
    return "\n".join([*lines, "end"]) + "\n"
