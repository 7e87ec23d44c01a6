"""`python -m tests.comparison.batch`: faults of a compiler in a few of many dumps, and the clusters of `hloscope passes --batch`.

It dumps 1,000 generated modules, plants each of six faults into five of them, examines all as a user does, and prints
verdicts, clusters, false alarms and the time. `--dumps DIR` keeps the healthy dumps.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from .faulty_dumps import FAULTS, Fault, copy_dumps, dump_modules, plant_faults


@dataclass(frozen=True)
class Batch:
    """The report of a batch, and the faults in it."""

    report: Mapping[str, Any]
    faults: Mapping[str, Fault]
    """By the folder of the module."""

    @property
    def verdicts(self) -> dict[str, str]:
        """By the folder of the module."""
        return {_folder(one["program"]): one["verdict"] for one in self.report["programs"]}

    @property
    def false_alarms(self) -> list[str]:
        """Healthy modules that are called different."""
        return [
            name for name, found in self.verdicts.items() if found == "different" and name not in self.faults
        ]

    @property
    def missed(self) -> list[str]:
        """Faulty modules that are not called different."""
        return [name for name in self.faults if self.verdicts[name] != "different"]

    @property
    def exact(self) -> list[Fault]:
        """The faults whose modules are one cluster, with its pass."""
        clusters = {
            (cluster["cause"]["pass_name"], frozenset(map(_folder, cluster["programs"])))
            for cluster in self.report["clusters"]
        }
        modules = {fault: frozenset(n for n, of in self.faults.items() if of == fault) for fault in FAULTS}
        return [fault for fault, names in modules.items() if (fault.pass_name, names) in clusters]

    @property
    def is_proved(self) -> bool:
        """Whether there is one cluster for each fault, and no false alarm."""
        clusters = len(self.report["clusters"])
        return self.exact == list(FAULTS) and clusters == len(FAULTS) and not self.false_alarms + self.missed

    def lines(self) -> Iterator[str]:
        """The outcome for people."""
        for cluster in self.report["clusters"]:
            yield f"  {cluster['title']}: {len(cluster['programs'])} modules"
            kinds = {str(self.faults.get(_folder(name), "healthy")) for name in cluster["programs"]}
            yield f"    planted: {'; '.join(sorted(kinds))}"
        yield f"clusters: {len(self.report['clusters'])}, {len(self.exact)} of {len(FAULTS)} faults with exactly their modules and their pass"
        yield f"false alarms: {len(self.false_alarms)} {' '.join(self.false_alarms)}"
        yield f"missed: {len(self.missed)} {' '.join(self.missed)}"
        for one in self.report["programs"]:
            if one["verdict"] in ("unknown", "failed"):
                yield f"{one['verdict']}: {one['program']}: {one['sentence']}"


def _folder(program: str) -> str:
    return program.partition("/")[0]


def prove(healthy: Path, dumps: Path, modules: int, each: int, seed: int = 0) -> Batch:
    """Dump modules, plant faults into a copy, and examine it by the command."""
    start = perf_counter()
    folders = copy_dumps(dump_modules(healthy, modules), dumps)
    dumped = perf_counter()
    print(f"{modules:,} modules dumped in {(dumped - start) / 60:.1f} minutes", flush=True)
    faults = plant_faults(folders, each, seed)
    planted = perf_counter()
    print(f"{len(faults)} faults planted in {(planted - dumped) / 60:.1f} minutes", flush=True)
    command = [sys.executable, "-m", "hloscope", "passes", "--batch", str(dumps), "--json"]
    found = subprocess.run(command, stdout=subprocess.PIPE, check=False)
    if found.returncode != 1:
        raise RuntimeError(f"the command ended with {found.returncode}")
    print(
        f"examined in {(perf_counter() - planted) / 60:.1f} minutes, load {os.getloadavg()[1]:.1f}",
        flush=True,
    )
    return Batch(json.loads(found.stdout), faults)


def main() -> None:
    """Print the outcome; 1 unless each fault is one cluster and there is no false alarm."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--modules", type=int, default=1000)
    parser.add_argument("--each", type=int, default=5, help="modules with each fault")
    parser.add_argument("--seed", type=int, default=0, help="seed of the modules that get a fault")
    parser.add_argument("--dumps", type=Path, help="folder that keeps the healthy dumps")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        top = Path(temporary)
        batch = prove(given.dumps or top / "healthy", top / "dumps", given.modules, given.each, given.seed)
    counts = ", ".join(f"{count:,} {verdict}" for verdict, count in batch.report["counts"].items())
    print(counts)
    for line in batch.lines():
        print(line)
    sys.exit(not batch.is_proved)


if __name__ == "__main__":
    main()
