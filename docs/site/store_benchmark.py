"""Run a benchmark and keep its records for the documentation: python docs/site/store_benchmark.py NAME [--quick].

Or keep records that were measured on another machine: python docs/site/store_benchmark.py device --records FILE --machine WORDS.
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from entries import DOCS

TITLES = {
    "rigid": "Rigid robots against Pinocchio and MuJoCo",
    "wheeled_snake": "Wheeled snake by its number of modules",
    "bicycle": "Bicycle",
    "rods": "Soft rod",
    "rod_methods": "Rods of Gotelli (2024, Table 3.1) by all its methods, a second of motion",
    "bodies": "Bodies without joints",
    "device": "Many robots on a graphics card, a step or an evaluation of one of them",
}


def processor() -> str:
    """Name of the processor, where the system tells it."""
    file = Path("/proc/cpuinfo")
    lines = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.processor())


def measured(name: str, flags: list[str]) -> Any:
    """The records of a benchmark that is run now."""
    program = DOCS.parent / "benchmarks" / f"{name}.py"
    with tempfile.TemporaryDirectory(prefix="locodyn-") as folder:
        file = Path(folder) / "records.json"
        subprocess.run([sys.executable, str(program), *flags, "--json", str(file)], check=True)
        return json.loads(file.read_text(encoding="utf-8"))


def main() -> None:
    """Run, or read, what the benchmark writes, and store it with the machine and the day."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", choices=sorted(TITLES))
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--records", type=Path, help="what the option --json of the benchmark wrote elsewhere")
    parser.add_argument("--machine", default=f"{processor()}, Python {platform.python_version()}", help="where that was")
    options = parser.parse_args()
    flags = ["--quick"] if options.quick else []
    records = measured(options.name, flags) if options.records is None else json.loads(options.records.read_text("utf-8"))
    kept = {
        "title": TITLES[options.name],
        "command": " ".join(["python", f"benchmarks/{options.name}.py", *flags]),
        "machine": options.machine,
        "date": datetime.now(UTC).date().isoformat(),
        "records": records,
    }
    target = DOCS / "data" / "benchmarks" / f"{options.name}.json"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    print(f"wrote {target.relative_to(DOCS.parent)}")


if __name__ == "__main__":
    main()
