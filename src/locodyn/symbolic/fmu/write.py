"""Writing an FMU: description, C sources, and the binary for this machine where there is a compiler."""

from __future__ import annotations

import hashlib
import io
import platform
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

from locodyn.errors import InputError
from locodyn.symbolic.export import compiler
from locodyn.symbolic.fmu.layout import Layout, Variable, unit_element
from locodyn.symbolic.model import plain
from locodyn.symbolic.problem import PULL
from locodyn.symbolic.scenarios import generator
from locodyn.symbolic.tangent import tangent
from locodyn.symbolic.text import decimal
from locodyn.symbolic.write_c import c_header, c_source

if TYPE_CHECKING:
    from locodyn.sim import Scenario

_MODEL = Path(__file__).with_name("model.c")
_LIBRARIES = {"linux": ".so", "darwin": ".dylib", "win32": ".dll"}
_SYSTEMS = {"linux": "linux", "darwin": "darwin", "win32": "windows"}
_MACHINES = {"amd64": "x86_64", "x86_64": "x86_64", "arm64": "aarch64", "aarch64": "aarch64"}
# Of a gap of a loop, at the start: the classical Runge-Kutta method takes up to 2.78, and the motion is to be slow beside it.
CLOSED_IN_A_STEP = 0.1
_WHEN = (1980, 1, 1, 0, 0, 0)  # of the files in the archive: the same robot gives the same bytes


def write_fmu(
    scenario: Scenario,
    file: str | Path,
    *,
    name: str = "",
    parameters: Mapping[str, Any] | None = None,
    symbols: str | Sequence[str] = "none",
    drive: str = "torque",
    wrenches: Sequence[str] = (),
) -> str:
    """Write the robot of a scenario as an FMU for FMI 3.0 (co-simulation and model exchange); returns what to say of it.

    States are the positions ``q.NAME`` and the independent speeds ``u.NAME``, which start as in the scenario. Inputs are what
    drives the robot (``tau.NAME``, ...) and the ``wrenches`` on named bodies or markers; they are zero until they are set.
    ``name``, ``parameters``, ``symbols``, ``drive``: as in :func:`locodyn.symbolic.scenarios.generator`, for a robot of the zoo.
    """
    from locodyn.sim.store import check_writable, write_beside

    target = check_writable(file, "FMU", (".fmu",))
    stem = plain(target.stem)
    check_smooth(scenario)
    source = generator(name or scenario, parameters if name else None, symbols, drive)
    if scenario.problem.compliant and not source.problem.compliant:
        name = scenario.problem.compliant[0].name
        raise refusal(scenario, f"the contact law '{name}' has states of its own, or is not one of a ball or point on a plane")
    what = "stabilised" if source.drifts else "forward"
    function = source.function(what, wrenches=wrenches, name=f"{stem}_{what}")
    functions = [function, tangent(function)]
    q, v = scenario.initial_state()
    compiled = scenario.compiled
    start = {
        "q": dict(zip(compiled.position_names, map(float, q), strict=True)),
        "u": dict(zip(compiled.coordinate_names, map(float, v), strict=True)),
    }
    step = float(scenario.numerics.step)
    start[PULL] = {PULL: CLOSED_IN_A_STEP / step}
    layout = Layout(function, start, step)
    texts = {f"{stem}.c": c_source(functions, stem), f"{stem}.h": c_header(functions, stem)}
    digest = hashlib.sha256("".join([*texts.values(), layout.header(stem, ""), _MODEL.read_text()]).encode()).hexdigest()
    token = f"{{{digest[:8]}-{digest[8:12]}-{digest[12:16]}-{digest[16:20]}-{digest[20:32]}}}"
    texts |= {"robot.h": layout.header(stem, token), "model.c": _MODEL.read_text()}
    contents = {f"sources/{key}": text.encode() for key, text in texts.items()}
    contents["sources/buildDescription.xml"] = _build_description(stem)
    contents["modelDescription.xml"] = description(layout, scenario, stem, token, source.notes)
    library, words = binary(texts, stem)
    contents |= library
    write_beside(target, lambda place: place.write_bytes(_archive(contents)))
    return " ".join([words, *source.notes])


def check_smooth(scenario: Scenario) -> None:
    """Refuse what the equations of one smooth motion do not hold, instead of leaving it out."""
    problem, what = scenario.problem, ""
    if scenario.phases is not None:
        what = "it goes through phases"
    elif len(problem.contact.table):
        what = f"it has hard contacts or joint stops, such as '{problem.contact.table.names[0]}'"
    elif problem.wrench_table.varying:
        what = f"the law of time '{problem.wrench_table.varying[0][0]}' drives a wrench"
    elif scenario.compiled.nv == 0:
        what = "it cannot move"
    if what:
        raise refusal(scenario, what)


def refusal(scenario: Scenario, what: str) -> InputError:
    """The error that a scenario is not for an FMU."""
    return InputError(f"'{scenario.name}' cannot be an FMU, which holds one smooth motion: {what}.")


def description(layout: Layout, scenario: Scenario, stem: str, token: str, notes: Sequence[str]) -> bytes:
    """``modelDescription.xml``."""
    from locodyn import __version__

    variables = layout.variables()
    root = ET.Element(
        "fmiModelDescription",
        fmiVersion="3.0",
        modelName=str(scenario.name),
        instantiationToken=token,
        description=" ".join([scenario.summary, *notes]).strip(),
        generationTool=f"locodyn {__version__}",
        variableNamingConvention="structured" if all(_structured(v.name) for v in variables) else "flat",
    )
    abilities = {"modelIdentifier": stem, "canGetAndSetFMUState": "true", "canSerializeFMUState": "true"}
    abilities["providesDirectionalDerivatives"] = "true"
    ET.SubElement(root, "ModelExchange", abilities)
    ET.SubElement(root, "CoSimulation", {**abilities, "canHandleVariableCommunicationStepSize": "true"})
    known = {unit: made for unit in dict.fromkeys(v.unit for v in variables) if (made := unit_element(unit)) is not None}
    if known:
        ET.SubElement(root, "UnitDefinitions").extend(known.values())
    ends = {"startTime": "0", "stopTime": decimal(scenario.recording.t_end), "stepSize": decimal(layout.step)}
    ET.SubElement(root, "DefaultExperiment", ends)
    table = ET.SubElement(root, "ModelVariables")
    table.extend(_variable(one, known) for one in variables)
    structure = ET.SubElement(root, "ModelStructure")
    rates = [one for one in variables if one.derivative is not None]
    for one in variables:
        if one.causality == "output":
            ET.SubElement(structure, "Output", valueReference=str(one.reference))
    for tag in ("ContinuousStateDerivative", "InitialUnknown"):
        for one in rates:
            ET.SubElement(structure, tag, valueReference=str(one.reference))
    return _document(root)


def _document(root: ET.Element) -> bytes:
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'.encode()


def _variable(one: Variable, known: Mapping[str, ET.Element]) -> ET.Element:
    entries = {"name": one.name, "valueReference": str(one.reference), "causality": one.causality}
    entries["variability"] = "fixed" if one.causality == "parameter" else "continuous"
    entries["description"] = one.meaning
    if one.unit in known:
        entries["unit"] = one.unit
    if one.derivative is not None:
        entries |= {"derivative": str(one.derivative), "initial": "calculated"}
    if one.causality == "output":
        entries["initial"] = "exact"
    if one.start is not None:
        entries["start"] = decimal(one.start)
    return ET.Element("Float64", entries)


def _structured(name: str) -> bool:
    """Whether a name is one of FMI's structured names: words with dots, or der() of one."""
    inner = name[4:-1] if name.startswith("der(") else name
    return all(part.isidentifier() and part.isascii() for part in inner.split("."))


def _build_description(stem: str) -> bytes:
    root = ET.Element("fmiBuildDescription", fmiVersion="3.0")
    one = ET.SubElement(root, "BuildConfiguration", modelIdentifier=stem)
    files = ET.SubElement(one, "SourceFileSet", language="C99")
    for name in (f"{stem}.c", "model.c"):
        ET.SubElement(files, "SourceFile", name=name)
    return _document(root)


def binary(texts: Mapping[str, str], stem: str) -> tuple[dict[str, bytes], str]:
    """The library for this machine by its place in the archive, and a sentence; nothing where there is no compiler."""
    machine, system = _MACHINES.get(platform.machine().lower()), _SYSTEMS.get(sys.platform)
    cc = compiler()
    if cc is None or machine is None or system is None:
        return {}, "it holds C sources only, because no C compiler was found; a tool that compiles FMUs can take it."
    with tempfile.TemporaryDirectory(prefix="locodyn-") as folder:
        place = Path(folder)
        for name, text in texts.items():
            (place / name).write_text(text, encoding="utf-8")
        library = f"{stem}{_LIBRARIES[sys.platform]}"
        # -ffp-contract=off: the same numbers on every machine
        words = [cc, "-std=c99", "-O2", "-ffp-contract=off", "-fPIC", "-shared", "-fvisibility=hidden", f"{stem}.c", "model.c"]
        built = subprocess.run([*words, "-lm", "-o", library], cwd=place, capture_output=True, text=True, check=False)
        if built.returncode:
            raise InputError(f"{Path(cc).name} does not compile the FMU: {built.stderr.strip().splitlines()[0]}.")
        content = (place / library).read_bytes()
    return {f"binaries/{machine}-{system}/{library}": content}, f"compiled with {Path(cc).name} for {machine}-{system}."


def _archive(contents: Mapping[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in sorted(contents.items()):
            archive.writestr(zipfile.ZipInfo(name, _WHEN), content, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()
