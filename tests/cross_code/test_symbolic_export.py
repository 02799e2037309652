"""Exported files against the compiled kernels: C by the C compiler, Python alone, Octave, CasADi, SymPy."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import sys

import numpy as np
import pytest

from locodyn.symbolic import to_sympy
from locodyn.symbolic.export import check_c, compiler, write
from locodyn.symbolic.scenarios import generator
from locodyn.symbolic.write_c import random_inputs
from locodyn.zoo.registry import make

pytestmark = pytest.mark.slow

ROBOTS = ("pendulum", "satellite", "snakeboard", "car", "trailer_truck", "four_bar", "falling_cat")
TOLERANCE = 1e-12  # relative to the largest entry


def functions(name, symbols="all", whats=("inverse", "mass_matrix", "reduced", "forward", "energy")):
    source = generator(name, symbols=symbols)
    found = [source.function(what, name=f"{name}_{what}") for what in whats]
    body = source.robot.compiled.body_names[-1]
    return [*found, source.function("sensors", of=[body], name=f"{name}_sensors")]


def close(found, wanted):
    wanted = np.asarray(wanted, dtype=float)
    assert np.abs(np.asarray(found, dtype=float).reshape(wanted.shape) - wanted).max() <= TOLERANCE * max(
        1e-3, np.abs(wanted).max()
    )


def compiled(folder, name):
    """The shared library of an exported C file."""
    library = folder / f"{name}.so"
    subprocess.run(
        [
            compiler(),
            "-std=c99",
            "-O2",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-pedantic",
            "-shared",
            "-fPIC",
            str(folder / f"{name}.c"),
            "-lm",
            "-o",
            str(library),
        ],
        check=True,
    )
    return ctypes.CDLL(str(library))


def run_c(library, function, values):
    arrays = [np.ascontiguousarray(x, dtype=float) for x in values]
    outputs = [np.full(max(1, group.size), np.nan) for group in function.outputs]
    pointers = [x.ctypes.data_as(ctypes.POINTER(ctypes.c_double)) for x in (*arrays, *outputs)]
    getattr(library, function.name)(*pointers)
    return [x.reshape(group.shape) for x, group in zip(outputs, function.outputs, strict=True)]


@pytest.mark.skipif(compiler() is None, reason="no C compiler")
@pytest.mark.parametrize("name", ROBOTS)
def test_c_gives_what_the_kernels_give(name, tmp_path):
    found = functions(name)
    files = write(found, "c", tmp_path, name)
    assert "agrees with Python" in check_c(files)
    library, model = compiled(tmp_path, name), make(name).model
    by_name = {function.name.removeprefix(f"{name}_"): function for function in found}
    for seed in range(3):
        values = {g.name: x for g, x in zip(by_name["inverse"].inputs, random_inputs(by_name["inverse"], seed), strict=True)}
        q, v, a = values["q"], values["v"], values["a"]
        close(run_c(library, by_name["inverse"], values.values())[0], model.inverse_dynamics(q, v, a))
        given = [values[g.name] for g in by_name["mass_matrix"].inputs]
        close(run_c(library, by_name["mass_matrix"], given)[0], model.mass_matrix(q))
        given = [values[g.name] for g in by_name["energy"].inputs]
        close(run_c(library, by_name["energy"], given)[0], model.kinetic_energy(q, v))


@pytest.mark.parametrize("name", ["snakeboard", "falling_cat"])
def test_python_file_needs_numpy_only(name, tmp_path):
    found = functions(name)
    write(found, "python", tmp_path, name)
    for function in found:
        values = random_inputs(function, 5)
        code = (
            f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
            f"from {function.name} import {function.name} as f\n"
            f"out = f(*{[x.tolist() for x in values]!r})\n"
            "out = out if isinstance(out, tuple) else (out,)\n"
            "assert not any(m.split('.')[0] in ('locodyn', 'numba', 'sympy', 'casadi') for m in sys.modules)\n"
            "print([x.tolist() if hasattr(x, 'tolist') else x for x in out])"
        )
        done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        for got, wanted in zip(eval(done.stdout), function(*values), strict=True):
            close(got, wanted)


@pytest.mark.parametrize("name", ["snakeboard", "car"])
def test_casadi_function_and_its_file(name, tmp_path):
    pytest.importorskip("casadi")
    found = functions(name)
    write(found, "casadi", tmp_path, name)
    sys.path.insert(0, str(tmp_path))
    try:
        for function in found:
            own = function.casadi()
            read = getattr(__import__(f"{function.name}_casadi"), function.name)()
            values = random_inputs(function, 2)
            for engine in (own, read):
                assert engine.name_in() == [g.name for g in function.inputs]
                assert engine.name_out() == [g.name for g in function.outputs]
                got = engine(*values)
                got = got if isinstance(got, tuple) else (got,)
                for x, wanted in zip(got, function(*values), strict=True):
                    close(np.asarray(x), wanted)
    finally:
        sys.path.remove(str(tmp_path))


def test_casadi_derivatives_are_those_of_the_kernels():
    pytest.importorskip("casadi")
    function = generator("pendulum", {"n": 3}).function("inverse")
    model = make("pendulum", {"n": 3}).model
    q, v, a = np.random.default_rng(0).standard_normal((3, 3))
    slope = function.casadi().jacobian()(q, v, a, np.zeros(3))
    for got, wanted in zip(slope, model.inverse_dynamics_derivatives(q, v, a), strict=True):
        close(np.asarray(got), wanted)


def test_sympy_gives_the_textbook_form():
    """Chaplygin's sleigh: (m, 0; 0, I + m a^2) (u, w)' = (m a w^2, -m a u w)."""
    sympy = pytest.importorskip("sympy")
    found = generator("chaplygin_sleigh", symbols="all").function("reduced").sympy()
    m, a, moment, u, w = (sympy.Symbol(x, real=True) for x in ("m", "a", "I", "u_sleigh_vx", "u_sleigh_wz"))
    assert sympy.simplify(found["M"] - sympy.diag(m, moment + m * a**2)) == sympy.zeros(2)
    assert sympy.simplify(found["F"] - sympy.Matrix([m * a * w**2, -m * a * u * w])) == sympy.zeros(2, 1)
    assert to_sympy(0.25) == sympy.Rational(1, 4)


@pytest.mark.skipif(shutil.which("octave-cli") is None, reason="no Octave")
@pytest.mark.parametrize("name", ["snakeboard", "falling_cat"])
def test_matlab_files_in_octave(name, tmp_path):
    found = functions(name)
    write(found, "matlab", tmp_path, name)
    script, wanted = [f"addpath('{tmp_path}');"], []
    for function in found:
        values = random_inputs(function, 4)
        wanted += [np.ravel(x) for x in function(*values)]
        names = ", ".join(f"o{i}" for i in range(len(function.outputs)))
        inputs = ", ".join(f"[{' '.join(map(repr, map(float, x)))}]" for x in values)
        script.append(f"[{names}] = {function.name}({inputs});")
        script += [f"printf('%.17g ', o{i}'); printf('\\n');" for i in range(len(function.outputs))]
    done = subprocess.run(
        ["octave-cli", "--no-init-file", "--eval", "\n".join(script)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    for line, numbers in zip(done.stdout.strip().splitlines(), wanted, strict=True):
        close([float(x) for x in line.split()], numbers)


def test_matlab_file_is_well_formed(tmp_path):
    """Where there is no Octave: brackets close, every name is set before it is used."""
    import re

    (function,) = [f for f in functions("snakeboard") if f.name.endswith("reduced")]
    (file,) = write([function], "matlab", tmp_path, "snakeboard")
    lines = [line for line in file.read_text().splitlines() if not line.startswith("%")]
    assert lines[0] == "function [M, F] = snakeboard_reduced(q, u, tau, p)" and lines[-1] == "end"
    known = {"q", "u", "tau", "p", "sin", "cos"}
    for line in lines[1:]:
        assert line.count("(") == line.count(")")
        left, sign, right = line.partition(" = ")
        if sign and line.startswith("t"):
            assert set(re.findall(r"[a-z]\w*", right)) <= known
            known.add(left)


def test_latex_is_well_formed(tmp_path):
    found = functions("snakeboard")
    for file in write(found, "latex", tmp_path, "snakeboard"):
        text = file.read_text()
        assert text.count("{") == text.count("}") and text.count(r"\left(") == text.count(r"\right)")
        assert text.startswith(r"\documentclass") and text.rstrip().endswith(r"\end{document}")
        assert text.count(r"\begin{align*}") == text.count(r"\end{align*}")
        assert "m_{\\mathrm{o}}" in text or "mass" not in file.name


def test_generated_files_say_what_they_are(tmp_path):
    import locodyn

    found = functions("car", symbols=["l", "m"])
    for target in ("c", "python", "latex", "casadi", "matlab"):
        text = "".join(file.read_text() for file in write(found, target, tmp_path, "car"))
        for words in (f"locodyn {locodyn.__version__}", "SI units", "operations", "rad/s", "steering"):
            assert words in text, (target, words)


def test_fixed_step_block_of_rabbit_is_the_run_of_the_library(tmp_path):
    """Deliverables of Aguirre 2010, chapter 3: dynamics with forces on the feet, sensors, and the block of fixed steps, in C.

    The robot flies with constant torques; its joints turn about one axis, so Munthe-Kaas's steps are the classical ones: both
    agree to round-off over 100 steps.
    """
    import locodyn as ld
    from locodyn.zoo import rabbit

    if compiler() is None:
        pytest.skip("there is no C compiler")
    source = generator("rabbit_drop", symbols="none")
    feet = ("tibia_1", "tibia_2")
    whats = {"dynamics": ("inverse", (), feet), "forces": ("jacobian", feet[:1], ()), "sensors": ("sensors", feet, ())}
    found = [source.function(what, of=of, wrenches=on, name=f"rabbit_{name}") for name, (what, of, on) in whats.items()]
    forward = source.function("forward", name="rabbit_forward")
    files = write([*found, forward], "c", tmp_path, "rabbit")
    assert "agrees with" in check_c(files)
    step = compiled(tmp_path, "rabbit").rabbit_forward_step
    names, dt, torque = list(source.robot.compiled.coordinate_names), 1e-3, {"hip_1": 3.0, "knee_2": -2.0}
    start = ld.Start({"z": 1.4, "hip_1": 0.3, "knee_1": -0.5, "trunk": -0.1}, {"y": 0.5, "hip_2": 1.0})
    drive = {name: ld.motion.constant(value) for name, value in torque.items()}
    fly = ld.Scenario("fly", rabbit.robot(holds=False), torque=drive, start=start, t_end=0.1, dt=dt, integrator="rkmk4")
    run = fly.run(progress=False)
    q, v = (np.array(x) for x in run.scenario.initial_state())
    groups = {g.name: g.size for g in forward.inputs}
    assert groups["q"] == len(q) and groups["u"] == len(v)
    driven = next(g for g in forward.inputs if g.name == "tau")
    tau = np.array([torque.get(name.removeprefix("tau_"), 0.0) for name in driven.entries])
    pointer = lambda x: x.ctypes.data_as(ctypes.POINTER(ctypes.c_double))  # noqa: E731
    for _ in range(100):
        step(ctypes.c_double(dt), pointer(q), pointer(v), pointer(tau))
    shown = [str(name) for name in run.joint.values]
    columns = [names.index(name) for name in shown]
    assert np.abs(v[columns] - run.joint_velocity.values[-1]).max() < 1e-9
    assert np.abs(q[columns] - run.joint_position.values[-1]).max() < 1e-9


def test_fixed_step_block_with_feet_on_the_ground(tmp_path):
    """The architecture of Aguirre 2010, appendix: a block of fixed steps with the forces on both feet as inputs, a block of
    sensors, and blocks of contact, enabled while their foot is in the ground, here in Python. The straight robot meets the ground
    at 3.431 m/s: the largest push is 34.1 kN, 2.9 ms later (D6, 1 %); forces that are held for 10 us are late by half of that.
    """
    if compiler() is None:
        pytest.skip("there is no C compiler")
    source, feet = generator("rabbit_drop", symbols="none"), ("tibia_1", "tibia_2")
    sensors = source.function("sensors", of=feet, name="rabbit_sensors")
    forward = source.function("forward", wrenches=feet, name="rabbit_forward")
    write([sensors, forward], "c", tmp_path, "rabbit")
    library, h = compiled(tmp_path, "rabbit"), 1e-5
    assert [g.name for g in forward.inputs if g.name.startswith("wrench")] == ["wrench_tibia_1", "wrench_tibia_2"]
    speed, shank = np.sqrt(2.0 * 9.81 * 0.6), np.array([0.0, 0.0, -0.4])
    q, v, tau = np.zeros(7), np.zeros(7), np.zeros(next(g.size for g in forward.inputs if g.name == "tau"))
    q[0], v[0] = 0.8, -speed
    pointer = lambda x: x.ctypes.data_as(ctypes.POINTER(ctypes.c_double))  # noqa: E731
    pushes = []
    for _ in range(600):
        values = {"q": q, "v": v, "a": np.zeros(7)}
        seen = dict(zip((g.name for g in sensors.outputs), run_c(library, sensors, [values[g.name] for g in sensors.inputs]),
                        strict=True))  # fmt: skip
        wrenches, push = [], 0.0
        for foot in feet:
            turn, twist = seen[f"{foot}_rotation"].reshape(3, 3), seen[f"{foot}_twist"].ravel()
            height = float((seen[f"{foot}_position"].ravel() + turn @ shank)[2])
            rate = float((turn @ (twist[:3] + np.cross(twist[3:], shank)))[2])
            normal = max(0.0, 2.5e6 * max(0.0, -height) ** 1.5 * (1.0 - 9e6 / 2.5e6 * rate))
            force = turn.T @ np.array([0.0, 0.0, normal])
            wrenches.append(np.concatenate([force, np.cross(shank, force)]))
            push += normal
        pushes.append(push)
        library.rabbit_forward_step(ctypes.c_double(h), *map(pointer, (q, v, tau, *wrenches)))
    assert abs(max(pushes) / 34.1e3 - 1.0) < 0.01
    assert abs(h * np.argmax(pushes) - (0.3526 - 0.34975)) < 1e-4  # the digits given
    assert np.abs(q[2:]).max() < 1e-12 and abs(q[1]) < 1e-12  # it stays upright
