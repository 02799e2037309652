"""What a generated file says about itself."""

from __future__ import annotations

from locodyn.symbolic.function import Function, Group


def heading(function: Function) -> list[str]:
    """Lines: what it computes, who wrote it, inputs and outputs with units and order, operations."""
    from locodyn import __version__

    count = function.program.count()
    kinds = ", ".join(f"{n} {kind}" for kind, n in count.items())
    lines = [
        function.summary,
        f"Written by locodyn {__version__}; SI units, angles in rad. {sum(count.values())} operations ({kinds}).",
    ]
    lines += function.notes
    for title, groups in (("Inputs", function.inputs), ("Outputs", function.outputs)):
        lines += ["", f"{title}:"]
        for group in groups:
            lines += group_lines(group)
    return lines


def group_lines(group: Group) -> list[str]:
    """One input or output: name, shape, meaning; then its entries with units."""
    shape = " x ".join(map(str, group.shape)) or "one number"
    order = ", row by row" if len(group.shape) == 2 else ""
    lines = [f"  {group.name} ({shape}{order}): {group.meaning}"]
    if len(group.shape) == 1:
        values = [f" = {x:g}" for x in group.defaults] or [""] * group.size
        lines += [f"    {i}: {e} [{u}]{x}" for i, (e, u, x) in enumerate(zip(group.entries, group.units, values, strict=True))]
    return lines
