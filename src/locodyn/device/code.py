"""From the device lives of kernels to one program: linked, around an entry that gives every robot its own memory, optimised.

The entry is the same everywhere but for a few lines. On a card, robot k of a launch is the number of the thread; on this machine
(to compare), robots come one after the other. It copies what the memory of a robot holds at the start of a launch
(:mod:`locodyn.device.image`) and calls the kernel. On a card that memory is *local*: it begins at the same address in every
thread, and the hardware lays the same word of neighbouring threads side by side. So a robot finds its arrays contiguous, and the
card finds the robots so.

Nothing is rounded differently: no fast-math, and products are not fused with sums unless a kernel says ``fma``.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from llvmlite import binding
from numba.core import types

from locodyn.device.bundle import COMMON, OWN, SHARED, TABLES, device_type
from locodyn.device.card_program import COMMON_START, ENTRY, START, Answer
from locodyn.device.facts import FACTS, symbol
from locodyn.device.image import ALIGNMENT, Image
from locodyn.device.life import modules_of
from locodyn.errors import InputError
from locodyn.kernel.bundle import BundleType

TRIPLE = "nvptx64-nvidia-cuda"
_KNOWN = re.compile(
    r"llvm\.(memset|memcpy|memmove|lifetime|assume|smax|smin|umax|umin|abs|fma|fabs|sqrt|floor|ceil|trunc|copysign|umul|smul|"
    r"uadd|sadd|usub|ssub|minnum|maxnum|ctpop|ctlz|cttz|expect|experimental\.noalias|is\.fpclass|nvvm)"
)  # what LLVM can write for a card: it ends the process over anything else


@dataclass(frozen=True)
class Entry:
    """How the kernel is called."""

    arguments: tuple[Any, ...]  # Numba types
    places: tuple[Any, ...]  # of each: ("robots",), ("chosen",), ("count",), ("number",), ("table", ...) or ("array", ...)
    words: int  # of the memory of a robot
    copied: int  # of these, how many tell something at the start of a launch
    tables: np.ndarray  # words
    facts: dict[str, int]  # of the robots, by name
    single: bool  # whether tables are kept single


def entry_of(arguments: tuple[Any, ...], image: Image) -> Entry:
    """The entry of a kernel with these types of arguments, whose values are in an image."""
    return Entry(arguments, image.places, len(image.own), image.copied, image.tables, image.facts, image.single)


def program(kernel: Any, entry: Entry, device: bool, needed: Callable[[Any], bool] = lambda late: True) -> Any:
    """The LLVM module of a kernel and of all that it calls, with its entry, for a card or for this machine; not optimised.

    A late kernel that is not ``needed`` is left out; a call of it ends the step, and the entry says so.
    """
    shared = [place != ("robots",) for place in entry.places]
    arguments = tuple(device_type(of, entry.single) if own else of for of, own in zip(entry.arguments, shared, strict=True))
    result, modules = modules_of(kernel, arguments, needed, entry.single)
    name = result.fndesc.mangled_name
    linked, *others = map(_visible, modules)
    for one in others:
        linked.link_in(one)
    declared = next(function for function in linked.functions if function.name == name)
    kinds = [str(one.type) for one in declared.arguments]
    machine = _card() if device else _host()
    linked.triple, linked.data_layout = machine.triple, str(machine.target_data)
    head = f'target triple = "{machine.triple}"\ntarget datalayout = "{machine.target_data}"\n'
    missing = [one for one in linked.functions if one.is_declaration and one.name.startswith("_ZN7locodyn")]
    stubs = (f'define i32 @"{one.name}"({", ".join(str(a.type) for a in one.arguments)}) {{ ret i32 1 }}' for one in missing)
    around = binding.parse_assembly(head + "\n".join(stubs) + _entry_text(name, kinds, entry, device))
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
        if not one.is_declaration and one.name not in (ENTRY, START, COMMON_START) and not one.name.startswith("llvm."):
            one.linkage = "internal"


# -------------------------------------------------------------------------------------------------------------- the entry
def _entry_text(name: str, kinds: list[str], entry: Entry, device: bool) -> str:
    """LLVM text: ``locodyn_robots(image, robots, numbers, chosen, count of robots, steps, answer)``.

    ``answer`` (2 words): when no step is asked for, where the memory of a robot begins, as local address and as any address;
    else ``MISPLACED`` where it does not begin there, ``LACKING`` where a kernel was called that was left out.
    """
    values = _call_values(entry)
    shapes = [kind for kind, _, _ in values]
    if shapes != kinds[2:]:
        raise RuntimeError(f"the kernel takes {kinds[2:]}, and the entry gives {shapes}")
    loads = "\n".join(line for _, lines, _ in values for line in lines)
    call = ", ".join(["ptr %result", "ptr %error", *(f"{kind} {value}" for kind, _, value in values)])
    words = ", ".join(f"i64 {word}" for word in entry.tables)
    facts = "\n".join(f"@{symbol(fact)} = constant i64 {entry.facts.get(fact, 0)}" for fact in FACTS)
    return _TEXT.format(
        tables=TABLES, table_count=len(entry.tables), words=words, name=name, kinds=", ".join(kinds), loads=loads, call=call,
        facts=facts,
        starts=_ON_CARD if device else _HERE, convention="ptx_kernel" if device else "", entry=ENTRY, own_words=entry.words,
        alignment=ALIGNMENT, first=_THREAD if device else _ALONE, misplaced=int(Answer.MISPLACED), lacking=int(Answer.LACKING),
        own=OWN, common=COMMON,
        register="l" if device else "r", stride="%count" if device else "1", copied=entry.copied,
        any_copied="true" if entry.copied else "false",
    )  # fmt: skip


_TEXT = """
@{tables} = constant [{table_count} x i64] [{words}], align 8
{facts}
declare i32 @"{name}"({kinds})
{starts}
define {convention} void @{entry}(
    ptr %image, ptr %robots, ptr %numbers, ptr %chosen, i64 %count, i64 %steps, ptr %answer) {{
start:
  %own = alloca [{own_words} x i64], align {alignment}
  %robot = alloca i64
  %result = alloca ptr
  %error = alloca ptr
{first}
  %ask = icmp eq i64 %steps, 0
  br i1 %ask, label %tell, label %check
tell:
  store i64 %here, ptr %answer
  %second = getelementptr i64, ptr %answer, i64 1
  %generic = ptrtoint ptr %own to i64
  store i64 %generic, ptr %second
  ret void
check:
  %right = icmp eq i64 %here, %there
  br i1 %right, label %begin.ask, label %wrong
wrong:
  store i64 {misplaced}, ptr %answer
  ret void
begin.ask:
  %some = icmp slt i64 %first, %count
  br i1 %some, label %begin, label %done
begin:
  %k = phi i64 [ %first, %begin.ask ], [ %k.next, %called ]
  br i1 {any_copied}, label %copy, label %call
copy:
  %i = phi i64 [ 0, %begin ], [ %i.next, %copy ]
  %from = getelementptr i64, ptr %image, i64 %i
  %to = getelementptr i64, ptr %own, i64 %i
  %word = load i64, ptr %from
  store i64 %word, ptr %to
  %i.next = add i64 %i, 1
  %i.more = icmp slt i64 %i.next, {copied}
  br i1 %i.more, label %copy, label %call
call:
  %number.at = getelementptr i64, ptr %chosen, i64 %k
  %number = load i64, ptr %number.at
  store i64 %number, ptr %robot
  ; Kernels find this memory by its address alone: LLVM must take it that they may.
  call void asm sideeffect "", "{register},~{{memory}}"(ptr %own)
  %memory = call ptr @{own}()
  %common = call ptr @{common}()
{loads}
  %status = call i32 @"{name}"({call})
  call void asm sideeffect "", "{register},~{{memory}}"(ptr %own)
  %bad = icmp sgt i32 %status, 0
  br i1 %bad, label %lacking, label %called
lacking:
  store i64 {lacking}, ptr %answer
  br label %called
called:
  %k.next = add i64 %k, {stride}
  %more = icmp slt i64 %k.next, %count
  br i1 %more, label %begin, label %done
done:
  ret void
}}
"""
_ON_CARD = f"""declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
@{START} = addrspace(4) externally_initialized global ptr addrspace(5) null
@{COMMON_START} = addrspace(4) externally_initialized global ptr addrspace(1) null
define ptr @{OWN}() alwaysinline {{
  %local = load ptr addrspace(5), ptr addrspace(4) @{START}
  %any = addrspacecast ptr addrspace(5) %local to ptr
  ret ptr %any
}}
define ptr @{COMMON}() alwaysinline {{
  %global = load ptr addrspace(1), ptr addrspace(4) @{COMMON_START}
  %any = addrspacecast ptr addrspace(1) %global to ptr
  ret ptr %any
}}"""
_HERE = f"""@{START} = global ptr null
@{COMMON_START} = global ptr null
define ptr @{OWN}() alwaysinline {{
  %any = load ptr, ptr @{START}
  ret ptr %any
}}
define ptr @{COMMON}() alwaysinline {{
  %any = load ptr, ptr @{COMMON_START}
  ret ptr %any
}}"""
_THREAD = f"""  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %width = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %before = mul i32 %block, %width
  %index = add i32 %before, %thread
  %first = zext i32 %index to i64
  %local = addrspacecast ptr %own to ptr addrspace(5)
  %here = ptrtoint ptr addrspace(5) %local to i64
  %expected = load ptr addrspace(5), ptr addrspace(4) @{START}
  %there = ptrtoint ptr addrspace(5) %expected to i64"""
_ALONE = f"""  %first = add i64 0, 0
  %here = ptrtoint ptr %own to i64
  store ptr %own, ptr @{START}
  %there = ptrtoint ptr %own to i64"""

Value = tuple[str, list[str], str]  # LLVM type, the lines that load it, its name


def _call_values(entry: Entry) -> list[Value]:
    """Arguments as LLVM has them, arrays and tuples word by word."""
    found: list[Value] = []
    numbers = 0
    for number, (kind, place) in enumerate(zip(entry.arguments, entry.places, strict=True)):
        if place == ("number",):
            llvm, name = "double" if isinstance(kind, types.Float) else "i64", f"%a{number}"
            lines = [f"  {name}.at = getelementptr i64, ptr %numbers, i64 {numbers}", f"  {name} = load {llvm}, ptr {name}.at"]
            found.append((llvm, lines, name))
            numbers += 1
        else:
            found += _values(kind, place, f"%a{number}")
    return found


def _values(kind: Any, place: Any, name: str) -> list[Value]:
    if isinstance(kind, types.BaseNamedTuple):
        kinds: Any = kind
        pairs = zip(kinds, place, strict=True)
        return [value for k, (one, at) in enumerate(pairs) for value in _values(one, at, f"{name}.{k}")]
    if place[0] == "robots":
        return [("ptr", [], "%robots")]
    if place[0] == "chosen":
        return _array((1,), 8, [], "%robot")
    if place[0] == "count":
        return [("i64", [], "%steps")]
    if kind is types.none:
        return [("ptr", [], "null")]
    if isinstance(kind, BundleType):
        return [("ptr", [], f"getelementptr (i8, ptr @{TABLES}, i64 {place[1]})")]
    _, distance, extents = place
    start, away = ("%common", distance - SHARED) if distance < 0 else ("%memory", distance)
    line = f"  {name} = getelementptr i8, ptr {start}, i64 {away}"
    return _array(extents, kind.dtype.bitwidth // 8, [line], name)


def _array(extents: tuple[int, ...], item: int, lines: list[str], data: str) -> list[Value]:
    strides, count = [item], 1
    for extent in reversed(extents[1:]):
        strides.insert(0, strides[0] * extent)
    for extent in extents:
        count *= extent
    return [
        ("ptr", [], "null"), ("ptr", [], "null"), ("i64", [], str(count)), ("i64", [], str(item)), ("ptr", lines, data),
        *(("i64", [], str(n)) for n in (*extents, *strides)),
    ]  # fmt: skip
