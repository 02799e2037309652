"""Closed forms: operations, time to generate, time to evaluate the C code: python benchmarks/symbolic.py [--quick] [--json FILE].

For robots of the zoo, with every parameter that can be a symbol kept as one: the reduced dynamics (M_r, F_r in independent
speeds). Generation is wall time of one function after the robot is built. Evaluation is CPU time of the exported C (cc -O2, one
thread), best of several loops inside C.

Peers, where they are installed: CasADi runs the same kernel (inverse dynamics) on its SX symbols and eliminates common
subexpressions (``casadi.cse``); SymBRiM (SymPy, Kane's method) forms the equations of the Whipple bicycle, which are compared
with those of the zoo's ``bicycle``.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from locodyn.dynamics import inverse_dynamics
from locodyn.kernel import twin
from locodyn.symbolic.export import compiler, write
from locodyn.symbolic.function import Function
from locodyn.symbolic.scenarios import generator
from locodyn.symbolic.write_c import random_inputs
from locodyn.zoo.registry import ROBOTS

NAMES = (
    "chaplygin_sleigh", "car", "snakeboard", "roller_racer", "trailer_truck", "unicycle", "four_bar", "satellite", "falling_cat",
    "fish", "mobile_manipulator", "bicycle",
)  # fmt: skip
QUICK = ("car", "snakeboard", "four_bar", "bicycle")


def reduced(name: str) -> tuple[Function, float]:
    """The reduced dynamics of a robot, and the seconds that it took to generate them."""
    source = generator(name, symbols="all")
    began = time.perf_counter()
    return source.function("reduced", name=f"{name}_reduced"), time.perf_counter() - began


def evaluation_ns(function: Function, rounds: int = 20, count: int = 20000) -> float | None:
    """CPU time of one evaluation of the exported C, ns; None without a compiler."""
    cc = compiler()
    if cc is None:
        return None
    values = random_inputs(function, 1)
    lines = [f'#include "{function.name}.h"', "#include <stdio.h>", "#include <time.h>", "int main(void) {"]
    lines += [
        f"double {g.name}[] = {{{', '.join(map(repr, map(float, x)))}}};" for g, x in zip(function.inputs, values, strict=True)
    ]
    lines += [f"double {g.name}[{g.size}];" for g in function.outputs]
    arguments = ", ".join(g.name for g in (*function.inputs, *function.outputs))
    first_in, first_out = function.inputs[1].name, function.outputs[-1].name
    lines += [
        "double best = 1e9, total = 0.0;",
        f"for (int r = 0; r < {rounds}; r++) {{ clock_t began = clock();",
        f"for (int i = 0; i < {count}; i++) {{ {first_in}[0] += 1e-9; {function.name}({arguments}); total += {first_out}[0]; }}",
        f"double spent = (double)(clock() - began) / CLOCKS_PER_SEC / {count} * 1e9; if (spent < best) best = spent; }}",
        'fprintf(stderr, "%g\\n", total); printf("%.3f\\n", best); return 0; }',
    ]
    with tempfile.TemporaryDirectory() as folder:
        write([function], "c", folder, function.name)
        main, binary = Path(folder) / "main.c", Path(folder) / "main"
        main.write_text("\n".join(lines), encoding="utf-8")
        source = str(Path(folder) / f"{function.name}.c")
        subprocess.run([cc, "-std=c99", "-O2", str(main), source, "-lm", "-o", str(binary)], check=True, cwd=folder)
        return float(subprocess.run([str(binary)], capture_output=True, text=True, check=True).stdout)


def casadi_inverse(name: str) -> tuple[int, int] | None:
    """Operations of inverse dynamics: (ours, CasADi's SX with cse on the same kernel); parameters are numbers."""
    if find_spec("casadi") is None:
        return None
    import casadi

    source = generator(name)
    ours = source.function("inverse")
    model = source.problem.model
    inputs = [casadi.SX.sym(letter, n) for letter, n in (("q", model.nq), ("v", model.nv), ("a", model.nv))]
    work, tau = np.full((model.nf, inverse_dynamics.WORK.size), 0, dtype=object), np.full(model.nv, 0, dtype=object)
    states = []
    for x in inputs:
        array = np.empty(x.numel(), dtype=object)
        array[:] = [x[i] for i in range(x.numel())]
        states.append(array)
    no_wrench = np.zeros((0, 6), dtype=object)
    twin(inverse_dynamics.inverse_dynamics)(model.frames, model.constants, model.gravity, *states, no_wrench, work, tau)
    found = casadi.cse(casadi.vertcat(*tau))
    function = casadi.Function("f", inputs, [found])
    moves = (casadi.OP_INPUT, casadi.OP_OUTPUT, casadi.OP_CONST)
    return ours.program.size, sum(function.instruction_id(i) not in moves for i in range(function.n_instructions()))


def symbrim_bicycle() -> dict[str, Any] | None:
    """Equations of motion of the Whipple bicycle by SymBRiM: seconds to form them, operations after SymPy's cse."""
    if find_spec("symbrim") is None:
        return None
    import sympy
    from symbrim import bicycle

    began = time.perf_counter()
    bike = bicycle.WhippleBicycle("bike")
    bike.ground = bicycle.FlatGround("ground")
    bike.rear_frame, bike.front_frame = bicycle.RigidRearFrame("rear_frame"), bicycle.RigidFrontFrame("front_frame")
    bike.rear_wheel, bike.front_wheel = bicycle.KnifeEdgeWheel("rear_wheel"), bicycle.KnifeEdgeWheel("front_wheel")
    bike.rear_tire, bike.front_tire = bicycle.NonHolonomicTire("rear_tire"), bicycle.NonHolonomicTire("front_tire")
    bike.define_all()
    system = bike.to_system()
    system.apply_uniform_gravity(-sympy.Symbol("g") * bike.ground.get_normal(bike.ground.origin))
    # Independent: roll rate, steering rate, rear wheel's rate; pitch follows from the contact of the front wheel.
    system.q_ind, system.q_dep = [*bike.q[:4], *bike.q[5:]], [bike.q[4]]
    system.u_ind = [bike.u[3], bike.u[6], bike.u[7]]
    system.u_dep = [*bike.u[:3], bike.u[4], bike.u[5]]
    system.form_eoms(constraint_solver="CRAMER")
    found = sympy.cse([system.mass_matrix, system.forcing])
    seconds = time.perf_counter() - began
    count = sum(x.count_ops() for _, x in found[0]) + sum(x.count_ops() for matrix in found[1] for x in matrix)
    return {"operations": int(count), "generation_s": seconds}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a few robots only")
    parser.add_argument("--json", metavar="FILE", help="write the records to a file")
    options = parser.parse_args()
    records: list[dict[str, Any]] = []
    print(f"{'reduced dynamics':20s} {'speeds':>6s} {'symbols':>7s} {'operations':>10s} {'generated':>10s} {'C':>10s}")
    for name in QUICK if options.quick else NAMES:
        if name not in ROBOTS:
            print(f"{name:20s} not in the zoo of this version")
            continue
        function, seconds = reduced(name)
        spent = evaluation_ns(function)
        groups = {g.name: g.size for g in function.inputs}
        records.append({
            "robot": name, "what": "reduced", "operations": function.program.size, "kinds": function.program.count(),
            "generation_s": seconds, "evaluation_ns": spent, "peer": "", "peer_operations": None, "peer_generation_s": None,
        })  # fmt: skip
        took = "no compiler" if spent is None else f"{spent:7.1f} ns"
        print(
            f"{name:20s} {groups['u']:6d} {groups.get('p', 0):7d} {function.program.size:10d} {seconds * 1e3:7.0f} ms {took:>10s}"
        )
    print(f"\n{'inverse dynamics':20s} {'operations':>10s} {'CasADi cse':>10s}")
    for name in ("pendulum", "snakeboard", "mobile_manipulator", "falling_cat"):
        both = casadi_inverse(name)
        if both is not None:
            print(f"{name:20s} {both[0]:10d} {both[1]:10d}")
            records.append(
                {"robot": name, "what": "inverse", "operations": both[0], "peer": "casadi", "peer_operations": both[1]}
            )
    peer = symbrim_bicycle()
    if peer is not None:
        print(f"\nSymBRiM's Whipple bicycle: {peer['operations']} operations after cse, {peer['generation_s']:.1f} s")
        for record in records:
            if record["robot"] == "bicycle":
                record |= {"peer": "symbrim", "peer_operations": peer["operations"], "peer_generation_s": peer["generation_s"]}
    if options.json:
        Path(options.json).write_text(json.dumps(records, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
