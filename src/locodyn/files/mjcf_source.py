"""MJCF files: includes put in their places, files looked for inside the root only, and the model as MuJoCo compiles it."""

from __future__ import annotations

import os
import re
import warnings
from pathlib import Path
from typing import Any

from locodyn.errors import InputError, nearest
from locodyn.files.notes import Notes
from locodyn.files.paths import MOST_MESH, check_size, inside
from locodyn.files.xml_reader import error_at, read_xml, required_package

_DEEPEST = 16  # includes within includes
_LINE = re.compile(r"line (\d+)")


def _slashes(name: str) -> str:
    """MuJoCo takes both kinds of slashes."""
    return name.replace("\\", "/")


class Source:
    """An MJCF file with all that it includes.

    ``meshes``: file of every mesh by its name; ``missing``: bodies (their first geom's line) whose mesh is not there. MuJoCo
    opens the files that were looked at here, and no others.
    """

    def __init__(self, root: Any, file: Path, folder: Path, notes: Notes) -> None:
        self.root, self.file, self.folder, self.notes = root, file, folder, notes
        self.files: dict[tuple[str, str], Path] = {}  # by tag and name
        self.missing: dict[str, int] = {}
        self.whole = True  # the text of the file is what MuJoCo reads, so that its lines are those of the file
        self.include(root, file, 0)
        self.drop_textures()
        self.look_at_files()

    def include(self, root: Any, file: Path, depth: int) -> None:
        """Put the content of included files in the place of <include>."""
        for element in list(root.iter("include")):
            self.whole = False
            if depth >= _DEEPEST:
                raise error_at(element, file, "files include each other without end.")
            name = element.get("file")
            if name is None:
                raise error_at(element, file, "<include> has no 'file'.")
            name = _slashes(name)
            path = self._path(element, name, file.parent, file, "the included file")
            if not os.path.isfile(path):
                path = self._path(element, name, self.file.parent, file, "the included file")
            try:
                inner = read_xml(path)
            except InputError as error:
                raise error_at(element, file, str(error)) from None
            self.include(inner, path, depth + 1)
            parent, at = element.getparent(), element.getparent().index(element)
            parent.remove(element)
            for number, child in enumerate(list(inner)):
                parent.insert(at + number, child)

    def _path(self, element: Any, name: str, folder: Path, file: Path, what: str) -> Path:
        try:
            return inside(name, folder, self.folder, what)
        except InputError as error:
            raise error_at(element, file, str(error)) from None

    def drop_textures(self) -> None:
        """Take textures out: they are pictures, and their files may be missing."""
        for texture in list(self.root.iter("texture")):
            if texture.get("file") or texture.get("fileup"):
                self.notes.lost(f"texture '{texture.get('name') or texture.get('file')}'", "shapes have colours only")
            self.whole = False
            texture.getparent().remove(texture)
        for material in self.root.iter("material"):
            for layer in material.findall("layer"):
                material.remove(layer)
            material.attrib.pop("texture", None)

    def look_at_files(self) -> None:
        """Check where meshes and other files lie; geoms of a mesh that is not there are taken out."""
        folder, strip = self.file.parent, False
        for compiler in self.root.iter("compiler"):  # of several the last word counts
            if (named := compiler.get("meshdir", compiler.get("assetdir"))) is not None:
                folder = self.file.parent / _slashes(named)
            strip = compiler.get("strippath", str(strip).lower()) == "true"
        for element in list(self.root.iter("mesh", "hfield", "skin", "model", "flexcomp")):
            if (given := element.get("file")) is None or element.getparent().tag == "default":
                continue
            if element.tag == "model":
                raise error_at(
                    element, self.file, "a <model> puts the model of another file into this one; write it out with MuJoCo."
                )
            name = _slashes(given)
            path = self._path(element, Path(name).name if strip else name, folder, self.file, f"the file of a {element.tag}")
            if os.path.isfile(path):
                check_size(path, MOST_MESH)
                self.files[element.tag, element.get("name") or Path(name).stem] = path
                if element.tag == "flexcomp":  # read at once, and not by its name
                    element.set("file", str(path))
                    self.whole = False
            elif element.tag == "mesh":
                self._drop_mesh(element, element.get("name") or Path(name).stem, name)
            else:
                raise error_at(element, self.file, f"there is no file '{name}'.")

    @property
    def meshes(self) -> dict[str, Path]:
        """The file of every mesh by its name."""
        return {name: path for (tag, name), path in self.files.items() if tag == "mesh"}

    def _drop_mesh(self, element: Any, name: str, file: str) -> None:
        self.whole = False
        self.notes.changed(f"mesh '{file}'", "there is no such file; a box of the same inertia is drawn", element.sourceline)
        element.getparent().remove(element)
        for geom in list(self.root.iter("geom")):
            if geom.get("mesh") != name:
                continue
            body = geom.getparent()
            while body.tag == "frame":
                body = body.getparent()
            if body.tag == "body" and body.find("inertial") is None:
                what = f"body '{body.get('name', '')}' has its inertia from the mesh '{file}'"
                raise error_at(geom, self.file, f"{what}, which is not there; give it an <inertial>.")
            geom.getparent().remove(geom)
            if body.tag == "body" and body.get("name"):
                self.missing[body.get("name")] = geom.sourceline

    def compiled(self) -> tuple[Any, str]:
        """The model of MuJoCo, and its name."""
        mujoco = required_package("mujoco", "reading MJCF")
        etree = required_package("lxml.etree", "reading MJCF")
        text = self.file.read_text(encoding="utf-8-sig") if self.whole else etree.tostring(self.root, encoding="unicode")
        listener = mujoco.get_mju_user_warning()
        mujoco.set_mju_user_warning(lambda message: None)  # else MuJoCo writes a log file into the working folder
        try:
            with warnings.catch_warnings(record=True) as said:
                warnings.simplefilter("always")
                spec = mujoco.MjSpec.from_string(text)
                for tag, assets in (("mesh", spec.meshes), ("hfield", spec.hfields), ("skin", spec.skins)):
                    for asset in assets:
                        if asset.file:
                            asset.file = str(self._looked_at(tag, asset.name))
                model = spec.compile()
        except ValueError as error:
            raise InputError(self.sentence(str(error), mujoco)) from None
        finally:
            mujoco.set_mju_user_warning(listener)
        for warning in said:
            self.notes.assumed("MuJoCo's reading", " ".join(str(warning.message).split()))
        return model, str(spec.modelname)

    def _looked_at(self, tag: str, name: str) -> Path:
        """The file of an asset, as an absolute name: words of <compiler> do not count then."""
        try:
            return self.files[tag, name]
        except KeyError:
            raise InputError(
                f"'{self.file.name}': the file of the {tag} '{name}' cannot be found by its name; name it."
            ) from None

    def sentence(self, message: str, mujoco: Any) -> str:
        """What MuJoCo says, as one sentence with the line and the nearest known name."""
        line = _LINE.search(message)
        text = re.sub(r"\s+", " ", message.replace("XML Error:", "").replace("Error:", "")).strip(" .")
        place = f"'{self.file.name}'" + (f", line {line.group(1)}" if line and self.whole else "")
        odd = re.search(r"unrecognized attribute: '(\w+)'", message) or re.search(r"Element '(\w+)'", message)
        hint = ""
        if "unrecognized" in message and odd:
            known = sorted(set(re.findall(r"[a-z]\w+", mujoco.mj_printSchema(False, False))))
            hint = nearest(odd.group(1), known)
            hint = hint if "did you mean" in hint and odd.group(1) not in known else ""
        return f"{place}: MuJoCo cannot read this: {text}{hint or '.'}"
