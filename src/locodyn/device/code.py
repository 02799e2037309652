"""From the device lives of kernels to one program: linked, around an entry that gives every robot its own arrays, optimised.

The entry is the same everywhere but for one line. On a card, robot k of a launch is the number of the thread; on this machine
(for tests), robots come one after the other. It copies the image of a robot (:mod:`locodyn.device.image`) into memory of its
own, turns the offsets in it into addresses, and calls the kernel. On a card that memory is *local*: the hardware lays the same
word of neighbouring threads side by side, so that arrays of a robot that are contiguous for the kernel are contiguous across
robots for the card.

Nothing is rounded differently: no fast-math, and products are not fused with sums unless a kernel says ``fma``.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from typing import Any

from llvmlite import binding
from numba.core import types

from locodyn.device.life import modules_of
from locodyn.errors import InputError
from locodyn.kernel.bundle import BundleType

ENTRY = "locodyn_robots"
TRIPLE = "nvptx64-nvidia-cuda"
ALIGNMENT = 64  # bytes, of the image and of regions in it
_KNOWN = re.compile(
    r"llvm\.(memset|memcpy|memmove|lifetime|assume|smax|smin|umax|umin|abs|fma|fabs|sqrt|floor|ceil|trunc|copysign|umul|smul|"
    r"uadd|sadd|usub|ssub|minnum|maxnum|ctpop|ctlz|cttz|expect|experimental\.noalias|is\.fpclass|nvvm)"
)  # what LLVM can write for a card: it ends the process over anything else


@dataclass(frozen=True)
class Entry:
    """How the kernel is called: each argument from a word of the image, from the launch, or a constant."""

    arguments: tuple[Any, ...]  # Numba types
    places: tuple[Any, ...]  # of each argument: ("chosen",), ("count",), or ("image", word, extents)
    words: int  # of the image


def program(kernel: Any, entry: Entry, device: bool) -> Any:
    """The LLVM module of a kernel and of all that it calls, with its entry, for a card or for this machine; not optimised."""
    result, modules = modules_of(kernel, entry.arguments)
    name = result.fndesc.mangled_name
    linked, *others = map(_visible, modules)
    for one in others:
        linked.link_in(one)
    declared = next(function for function in linked.functions if function.name == name)
    kinds = [str(one.type) for one in declared.arguments]
    machine = _card() if device else _host()
    linked.triple, linked.data_layout = machine.triple, str(machine.target_data)
    head = f'target triple = "{machine.triple}"\ntarget datalayout = "{machine.target_data}"\n'
    around = binding.parse_assembly(head + _entry_text(name, kinds, entry, device))
    linked.link_in(around)
    _hide(linked)
    linked.verify()
    return linked


def optimised(module: Any, device: bool) -> Any:
    """The module after LLVM's passes."""
    machine = _card() if device else _host()
    options = binding.create_pipeline_tuning_options(speed_level=3)
    options.loop_vectorization = options.slp_vectorization = False
    builder = binding.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    unknown = sorted(f.name for f in module.functions if f.is_declaration and not _KNOWN.match(f.name))
    if unknown and device:
        raise InputError(f"this robot asks for functions that no graphics card has here: {', '.join(unknown)}.")
    return module


def ptx(module: Any) -> str:
    """Assembly of an optimised module."""
    return str(_card().emit_assembly(module))


@functools.cache
def _card() -> Any:
    binding.initialize_all_targets()
    binding.initialize_all_asmprinters()
    binding.set_option("locodyn", "-nvptx-fma-level=0")
    return binding.Target.from_triple(TRIPLE).create_target_machine(cpu="sm_80", features="+ptx80", opt=3)


@functools.cache
def _host() -> Any:
    target = binding.Target.from_default_triple()
    return target.create_target_machine(binding.get_host_cpu_name(), binding.get_host_cpu_features().flatten(), 3)


def _visible(module: Any) -> Any:
    """A copy whose functions stay when they are linked to a module that does not ask for them yet."""
    copy = binding.parse_bitcode(module.as_bitcode())
    for one in copy.functions:
        if not one.is_declaration:
            one.linkage = "weak_odr"
    return copy


def _hide(module: Any) -> None:
    """Leave the entry alone visible, so that LLVM may merge and drop the rest."""
    for one in (*module.functions, *module.global_variables):
        if not one.is_declaration and one.name != ENTRY and not one.name.startswith("llvm."):
            one.linkage = "internal"


# -------------------------------------------------------------------------------------------------------------- the entry
def _entry_text(name: str, kinds: list[str], entry: Entry, device: bool) -> str:
    """LLVM text: ``locodyn_robots(image, moves, count of moves, chosen, count of robots, steps)``."""
    values = _call_values(entry)
    given = [kind for kind, _ in values]
    if given != kinds[2:]:
        raise RuntimeError(f"the kernel takes {kinds[2:]}, and the entry gives {given}")
    loads = "\n".join(line for _, (lines, _) in values for line in lines)
    call = ", ".join(["ptr %result", "ptr %error", *(f"{kind} {value}" for kind, (_, value) in values)])
    return f"""
declare i32 @"{name}"({", ".join(kinds)}) noinline
{_THREAD_DECLARED if device else ""}
define {"ptx_kernel" if device else ""} void @{ENTRY}(ptr %image, ptr %moves, i64 %moved, ptr %chosen, i64 %robots, i64 %steps) {{
start:
  %own = alloca [{entry.words} x i64], align {ALIGNMENT}
  %robot = alloca i64
  %result = alloca ptr
  %error = alloca ptr
{_THREAD if device else "  %first = add i64 0, 0"}
  %some = icmp slt i64 %first, %robots
  br i1 %some, label %begin, label %done
begin:
  %k = phi i64 [ %first, %start ], [ %k.next, %called ]
  br label %copy
copy:
  %i = phi i64 [ 0, %begin ], [ %i.next, %copy ]
  %from = getelementptr i64, ptr %image, i64 %i
  %to = getelementptr i64, ptr %own, i64 %i
  %word = load i64, ptr %from
  store i64 %word, ptr %to
  %i.next = add i64 %i, 1
  %i.more = icmp slt i64 %i.next, {entry.words}
  br i1 %i.more, label %copy, label %move.ask
move.ask:
  %base = ptrtoint ptr %own to i64
  %any = icmp slt i64 0, %moved
  br i1 %any, label %move, label %call
move:
  %j = phi i64 [ 0, %move.ask ], [ %j.next, %move ]
  %which = getelementptr i64, ptr %moves, i64 %j
  %offset = load i64, ptr %which
  %at = getelementptr i64, ptr %own, i64 %offset
  %relative = load i64, ptr %at
  %absolute = add i64 %relative, %base
  store i64 %absolute, ptr %at
  %j.next = add i64 %j, 1
  %j.more = icmp slt i64 %j.next, %moved
  br i1 %j.more, label %move, label %call
call:
  %number.at = getelementptr i64, ptr %chosen, i64 %k
  %number = load i64, ptr %number.at
  store i64 %number, ptr %robot
  ; Tables are read as if nothing had ever written them: LLVM must not see that they are what was filled above.
  %seen = call ptr asm sideeffect "{"mov.u64 $0, $1;" if device else ""}", "{"=l,l" if device else "=r,0"},~{{memory}}"(ptr %own)
{loads}
  %status = call i32 @"{name}"({call})
  br label %called
called:
  %k.next = add i64 %k, {"%robots" if device else "1"}
  %more = icmp slt i64 %k.next, %robots
  br i1 %more, label %begin, label %done
done:
  ret void
}}
"""


_THREAD_DECLARED = """declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()"""
_THREAD = """  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %width = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %before = mul i32 %block, %width
  %index = add i32 %before, %thread
  %first = zext i32 %index to i64"""

Value = tuple[str, tuple[list[str], str]]  # LLVM type, and the lines that load it with the name that they give it


def _call_values(entry: Entry) -> list[Value]:
    """Arguments as LLVM has them, arrays and tuples word by word."""
    found: list[Value] = []
    for number, (kind, place) in enumerate(zip(entry.arguments, entry.places, strict=True)):
        found += _values(kind, place, f"%a{number}")
    return found


def _values(kind: Any, place: Any, name: str) -> list[Value]:
    if isinstance(kind, types.BaseNamedTuple):
        return [value for k, (one, at) in enumerate(zip(kind.types, place, strict=True)) for value in _values(one, at, f"{name}.{k}")]
    if place[0] == "chosen":
        return _array([1], 8, ([], "%robot"))
    if place[0] == "count":
        return [("i64", ([], "%steps"))]
    if kind is types.none:
        return [("ptr", ([], "null"))]
    _, word, extents = place
    if isinstance(kind, types.Array):
        return _array(list(extents), kind.dtype.bitwidth // 8, _load("ptr", word, name))
    if isinstance(kind, BundleType):
        return [("ptr", _load("ptr", word, name))]
    llvm = "double" if isinstance(kind, types.Float) else "i64"
    return [(llvm, _load(llvm, word, name))]


def _load(llvm: str, word: int, name: str) -> tuple[list[str], str]:
    return [f"  {name}.at = getelementptr i64, ptr %seen, i64 {word}", f"  {name} = load {llvm}, ptr {name}.at"], name


def _array(extents: list[int], item: int, data: tuple[list[str], str]) -> list[Value]:
    strides, count = [item], 1
    for extent in reversed(extents[1:]):
        strides.insert(0, strides[0] * extent)
    for extent in extents:
        count *= extent
    words = [count, item]
    return [
        ("ptr", ([], "null")), ("ptr", ([], "null")), *(("i64", ([], str(n))) for n in words), ("ptr", data),
        *(("i64", ([], str(n))) for n in (*extents, *strides)),
    ]  # fmt: skip
