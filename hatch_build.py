"""Build of the package: the page of the reports is built first, so that it is in every wheel and beside an editable install."""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path
from types import ModuleType
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


def page_builder(root: str) -> ModuleType:
    """``locodyn/view/page/build.py``, which needs nothing else of the package."""
    file = Path(root) / "src" / "locodyn" / "view" / "page" / "build.py"
    spec = importlib.util.spec_from_file_location("page_builder", file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class PageBuild(BuildHookInterface):
    """Builds the page; asks for Node.js from PyPI where the machine has none."""

    def dependencies(self) -> list[str]:
        """What the build needs besides hatchling."""
        found = shutil.which("node") and shutil.which("npm")
        return [] if found else [page_builder(self.root).NODE]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """An editable install goes on without the page, and says so; a wheel does not.

        A wheel with machine code is of its platform.
        """
        if version != "editable" and (Path(self.root) / "src" / "locodyn" / "kernel" / "machine_code").is_dir():
            build_data["pure_python"], build_data["infer_tag"] = False, True
        builder = page_builder(self.root)
        if builder.is_current():
            return
        try:
            builder.build()
        except builder.BuildError as error:
            if version != "editable":
                raise
            self.app.display_warning(f"{error} Reports will build it when they need it.")
