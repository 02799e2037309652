"""XML with the lines of its elements. Entities, document types and the network stay closed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from locodyn.errors import InputError
from locodyn.files.paths import read_bytes


def required_package(package: str, what: str) -> Any:
    """The module of an optional package, or a sentence that says how to install it."""
    import importlib

    try:
        return importlib.import_module(package)
    except ImportError:
        raise InputError(
            f"{what} needs the package '{package.partition('.')[0]}'; install it with: pip install 'locodyn[files]'."
        ) from None


def read_xml(path: Path) -> Any:
    """The root element (lxml) of an XML file; ``element.sourceline`` is its line. Comments are left out."""
    etree = required_package("lxml.etree", "reading a robot in XML")
    data = read_bytes(path)
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, remove_comments=True, remove_pis=True
    )
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        raise InputError(f"'{path.name}', line {error.lineno or 1}: this is not XML: {error.msg}.") from None
    if root.getroottree().docinfo.doctype:
        raise InputError(f"'{path.name}': a document type (<!DOCTYPE ...>) is not read; remove it.")
    return root


def error_at(element: Any, file: Path, sentence: str) -> InputError:
    """The error that ``sentence`` is, with the file and the line of an element."""
    return InputError(f"'{file.name}', line {element.sourceline}: {sentence}")
