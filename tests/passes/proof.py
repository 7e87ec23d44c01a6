"""The passes of real pipelines: healthy ones are cleared, and what is planted behind a pass is found.

`python -m tests.passes.proof healthy` runs every text of all pipelines, `planted` puts a fault into each of them, `all` does both, `speed` measures
what a program of more than 500 operations takes; names after that choose pipelines. Each line is a pipeline, the last ones are the totals. `--dumps DIR` keeps what XLA has
written, `--seed N` draws other faults.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from time import perf_counter

import hloscope
from hloscope.app.passes.dump_files import open_dump
from hloscope.app.passes.records import StageReport
from hloscope.engine.passes.instructions import read_instructions

from .pipelines import PROCESSES, Place, dump_programs, places, write_pair, write_planted

FINE = ("same_text", "same_bits", "rounding")
TRIES = 12
"""Faults that are tried in a pipeline until one changes a result."""


@dataclass(frozen=True)
class Healthy:
    """A pipeline as XLA has written it."""

    name: str
    verdicts: Counter[str]
    distinct: int
    """Texts that say something else than those before."""
    sentence: str
    seconds: float

    @property
    def is_cleared(self) -> bool:
        """Whether every text was read and ran, and nothing is called wrong."""
        return set(self.verdicts) <= set(FINE)

    def __str__(self) -> str:
        told = ", ".join(f"{count} {verdict}" for verdict, count in self.verdicts.items())
        return f"{self.name:24}{self.seconds:6.1f} s  {self.verdicts.total():4} texts  {told}" + (
            "" if self.is_cleared else f"\n    {self.sentence}"
        )


def examine(folder: Path) -> Healthy:
    """What the microscope says of a pipeline."""
    start = perf_counter()
    report = hloscope.passes(folder, jobs=PROCESSES)
    verdicts = Counter(str(stage.verdict) for stage in report.stages)
    broken = next((stage.reason for stage in report.stages if stage.verdict == "cannot_run"), "")
    distinct = verdicts.total() - verdicts["same_text"]
    return Healthy(folder.name, verdicts, distinct, broken or report.sentence, perf_counter() - start)


@dataclass(frozen=True)
class Found:
    """What became of a fault."""

    name: str
    stages: int
    place: Place
    named_pass: bool
    named_instruction: bool
    sentence: str
    replaced: int
    """Faults that changed no result or could not be run, and were replaced by another one."""
    seconds: float

    def __str__(self) -> str:
        stage = self.place.stages[0]
        told = "found" if self.named_instruction else "pass found" if self.named_pass else "missed"
        line = f"{self.name:24}{self.seconds:6.1f} s  {self.stages:4} texts  {self.place.planted.kind} behind {stage.pass_name} ({stage.number}): {told}"
        if self.replaced:
            line += f"; {self.replaced} replaced before it"
        if not self.named_instruction:
            line += f"\n    planted in {sorted(self.place.planted.names)}\n    {self.sentence}"
        return line


def look_for_planted(folder: Path, seed: int = 0) -> Found | None:
    """Plants a fault that changes a result, and looks for it; `None` if a pipeline has no place for one."""
    start = perf_counter()
    for replaced, place in enumerate(islice(places(folder, seed), TRIES)):
        with tempfile.TemporaryDirectory() as temporary:
            target = Path(temporary) / folder.name
            write_planted(folder, target, place)
            report = hloscope.passes(target, jobs=PROCESSES)
            wrong = report.first_wrong
            named = wrong is not None and wrong.stage.path == place.stages[0].path
            if named or _changes_a_result(folder, Path(temporary) / "pair", place):
                instruction = wrong is not None and named and _is_named(wrong, place)
                count = len(report.stages)
                seconds = perf_counter() - start
                return Found(
                    folder.name, count, place, named, instruction, report.sentence, replaced, seconds
                )
    return None


def _is_named(wrong: StageReport, place: Place) -> bool:
    if wrong.worst is None:
        return False
    return bool({wrong.worst.value[1:], wrong.worst.replaced[1:]} & place.planted.names)


def _changes_a_result(folder: Path, target: Path, place: Place) -> bool:
    """Whether the results of the text are others with the fault, in any bit."""
    write_pair(folder, target, place)
    last = hloscope.passes(target, jobs=PROCESSES).stages[-1]
    return last.verdict not in ("same_text", "same_bits", "cannot_run")


def prove_healthy(folders: list[Path]) -> None:
    """Prints what is said of each pipeline, and how many are cleared."""
    found: list[Healthy] = []
    for folder in folders:
        found.append(examine(folder))
        print(found[-1], flush=True)
    texts = sum(each.verdicts.total() for each in found)
    ran = texts - sum(each.verdicts["cannot_run"] for each in found)
    alarms = sum(bool(set(each.verdicts) - {*FINE, "cannot_run"}) for each in found)
    print(
        f"healthy pipelines cleared: {sum(each.is_cleared for each in found)} of {len(found)}, {alarms} false alarms"
    )
    print(f"texts that were read and ran: {ran} of {texts}, in {sum(each.seconds for each in found):.0f} s")


LARGE = ("five_hundred", "five_hundred_in_two")
"""Programs that are dumped for `speed` alone."""
WANTED_TEXTS, WANTED_SECONDS = 50, 30.0


def prove_speed(folders: list[Path]) -> bool:
    """Print the time for the texts of a large program beside the wanted one; whether all texts are cleared."""
    operations = [_operations(folder) for folder in folders]
    found: list[Healthy] = []
    for folder, count in zip(folders, operations, strict=True):
        found.append(examine(folder))
        print(f"{found[-1]}; {found[-1].distinct} distinct, of a program of {count} operations", flush=True)
    distinct, seconds = sum(each.distinct for each in found), sum(each.seconds for each in found)
    processors = f"{PROCESSES} processes at a time, {os.cpu_count()} processors"
    print(
        f"{distinct} distinct texts of programs of {min(operations)} operations or more: {seconds:.1f} s, {processors}"
    )
    print(f"wanted: {WANTED_TEXTS} in {WANTED_SECONDS:g} s")
    return distinct >= WANTED_TEXTS and all(each.is_cleared for each in found)


def _operations(folder: Path) -> int:
    """Of the text before all passes."""
    (module,) = open_dump(folder).modules
    return len(read_instructions((folder / module.stages[0].path).read_text()).instructions)


def prove_planted(folders: list[Path], seed: int) -> None:
    """Prints what became of a fault in each pipeline, and how many were found."""
    found: list[Found] = []
    without: list[str] = []
    for folder in folders:
        one = look_for_planted(folder, seed)
        if one is None:
            without.append(folder.name)
            print(f"{folder.name:24} has no place for a fault that changes a result", flush=True)
        else:
            found.append(one)
            print(one, flush=True)
    for line in totals(found):
        print(line)


def totals(found: list[Found]) -> Iterator[str]:
    """How many faults were found, by kind."""
    kinds = Counter(each.place.planted.kind for each in found)
    for kind, count in kinds.items():
        named = sum(each.named_instruction for each in found if each.place.planted.kind == kind)
        yield f"  {kind}: {named} of {count} instructions named"
    sizes = [each.stages for each in found]
    yield f"pipelines of {min(sizes)} to {max(sizes)} texts; {sum(each.replaced for each in found)} faults were replaced, since they changed no bit of a result or could not be run"
    yield f"passes named: {sum(each.named_pass for each in found)} of {len(found)}"
    yield f"instructions named: {sum(each.named_instruction for each in found)} of {len(found)}"


def main() -> None:
    """Dumps the programs, and does what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("healthy", "planted", "all", "speed"))
    parser.add_argument("names", nargs="*")
    parser.add_argument("--dumps", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        dumps = given.dumps or Path(temporary)
        dumps.mkdir(parents=True, exist_ok=True)
        start = perf_counter()
        folders = dump_programs(dumps, given.names or (LARGE if given.what == "speed" else ()))
        print(f"{len(folders)} programs dumped in {perf_counter() - start:.0f} s", flush=True)
        if given.what == "speed":
            sys.exit(not prove_speed(folders))
        if given.what != "planted":
            prove_healthy(folders)
        if given.what != "healthy":
            prove_planted(folders, given.seed)


if __name__ == "__main__":
    main()
