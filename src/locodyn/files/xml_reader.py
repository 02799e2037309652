"""XML with the lines of its elements. Entities, document types and the network stay closed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from locodyn.errors import InputError
from locodyn.files.notes import Notes
from locodyn.files.paths import read_bytes

# A declaration of a version that XML does not have (programs that read URDF with TinyXML never look), or not at the start.
_DECLARATION = re.compile(rb"\A(?:\xef\xbb\xbf)?\s*<\?xml\s[^>]*\?>")
_VERSION = re.compile(rb"""version\s*=\s*["']1\.[01]["']""")


def required_package(package: str, what: str) -> Any:
    """The module of an optional package, or a sentence that says how to install it."""
    import importlib

    try:
        return importlib.import_module(package)
    except ImportError:
        raise InputError(
            f"{what} needs the package '{package.partition('.')[0]}'; install it with: pip install 'locodyn[files]'."
        ) from None


def read_xml(path: Path, notes: Notes | None = None) -> Any:
    """The root element (lxml) of an XML file; ``element.sourceline`` is its line. Comments are left out.

    What other readers of robots pass over is put right and noted: an odd declaration, lines before it, zero bytes at the end.
    """
    etree = required_package("lxml.etree", "reading a robot in XML")
    data = _put_right(read_bytes(path), notes)
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, remove_comments=True, remove_pis=True
    )
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        why = " ".join(str(error.msg).split())  # some of its messages have a line break
        raise InputError(f"'{path.name}', line {error.lineno or 1}: this is not XML: {why}.") from None
    if root.getroottree().docinfo.doctype:
        raise InputError(f"'{path.name}': a document type (<!DOCTYPE ...>) is not read; remove it.")
    return root


def _put_right(data: bytes, notes: Notes | None) -> bytes:
    """The same text, its lines where they were, without what is not XML around the root element."""
    text = data.rstrip(b"\0")
    found = _DECLARATION.match(text)
    if found and (not found.group().startswith((b"<?xml", b"\xef\xbb\xbf<?xml")) or not _VERSION.search(found.group())):
        text = b"\n" * found.group().count(b"\n") + text[found.end() :]
    if notes is not None and text != data:
        notes.assumed("XML", "its declaration or its end is not XML; the file is read as XML 1.0 in UTF-8")
    return text


def error_at(element: Any, file: Path, sentence: str) -> InputError:
    """The error that ``sentence`` is, with the file and the line of an element."""
    return InputError(f"'{file.name}', line {element.sourceline}: {sentence}")
