"""Run a benchmark and keep its records for the documentation: python docs/site/store_benchmark.py NAME [--quick]."""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from entries import DOCS

TITLES = {
    "rigid": "Rigid robots against Pinocchio and MuJoCo",
    "wheeled_snake": "Wheeled snake by its number of modules",
    "bicycle": "Bicycle",
    "rods": "Soft rod",
}


def processor() -> str:
    """Name of the processor, where the system tells it."""
    file = Path("/proc/cpuinfo")
    lines = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.processor())


def main() -> None:
    """Run, and store what the benchmark writes with the machine and the day."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", choices=sorted(TITLES))
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    program = DOCS.parent / "benchmarks" / f"{options.name}.py"
    flags = ["--quick"] if options.quick else []
    with tempfile.TemporaryDirectory(prefix="locodyn-") as folder:
        file = Path(folder) / "records.json"
        subprocess.run([sys.executable, str(program), *flags, "--json", str(file)], check=True)
        records = json.loads(file.read_text(encoding="utf-8"))
    kept = {
        "title": TITLES[options.name],
        "command": " ".join(["python", f"benchmarks/{options.name}.py", *flags]),
        "machine": f"{processor()}, Python {platform.python_version()}",
        "date": datetime.now(UTC).date().isoformat(),
        "records": records,
    }
    target = DOCS / "data" / "benchmarks" / f"{options.name}.json"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    print(f"wrote {target.relative_to(DOCS.parent)}")


if __name__ == "__main__":
    main()
