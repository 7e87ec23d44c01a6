"""Live bytes from the text beside XLA's own figures: `python -m tests.live_memory.closeness [--dumps FOLDER]`.

XLA's figure is that of `compiled.memory_analysis()`: arguments, results and temporaries, without memory that results share
with donated arguments. What is really live in it, *needed*, follows from XLA's buffer assignment and live ranges: at each
step, the bytes of its allocations that hold a live value. Ours is at least as large, because XLA lets more results overwrite
operands than the text states; XLA's total may be larger than both, because its allocations have gaps.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from hloscope.engine.live_memory.profile import memory_of
from hloscope.engine.passes.buffers import Allocation, read_allocations
from tests.programs import load_program

TOP = Path(__file__).parents[2]
SECONDS = 600
"""Timeout for compiling the programs."""
_RANGE = re.compile(r"    (\S+?)(\{[\d, ]*\}):(\d+)-(\d+)")
_FINAL = "*after_optimizations"


@dataclass(frozen=True)
class Closeness:
    """The figures of a program, in bytes."""

    name: str
    ours: int
    needed: int
    total: int
    temporaries: int
    """XLA's temporaries in `memory_analysis()`."""
    assigned: int
    """The temporaries that we read from the buffer assignment."""

    def __str__(self) -> str:
        share = self.ours / self.total
        return f"{self.name:18}{self.ours:12,}{self.needed:12,}{self.total:12,}{share:8.3f}"


def dump_programs(folder: Path) -> list[Path]:
    """Compile the programs in a process of its own; the folder of each."""
    environment = {name: value for name, value in os.environ.items() if name != "XLA_FLAGS"}
    command = [sys.executable, "-m", "tests.live_memory.jax_programs", str(folder)]
    subprocess.run(command, env=environment, cwd=TOP, timeout=SECONDS, check=True)
    return sorted(path for path in folder.iterdir() if path.is_dir())


def compare(folder: Path) -> Closeness:
    """The figures of a program from its folder."""
    text = next(folder.glob(f"{_FINAL}.txt")).read_text()
    program = load_program(text)
    assert program.entry is not None
    stats = json.loads((folder / "stats.json").read_text())
    allocations = read_allocations(next(folder.glob(f"{_FINAL}-buffer-assignment.txt")).read_text())
    ranges = next(folder.glob(f"{_FINAL}-live-range.txt")).read_text()
    return Closeness(
        folder.name,
        memory_of(program, program.entry).peak_bytes,
        needed_bytes(allocations, dict(_live_ranges(ranges))),
        stats["argument"] + stats["output"] - stats["alias"] + stats["temp"],
        stats["temp"],
        sum(each.size for each in allocations if "preallocated-temp" in each.kinds),
    )


def _live_ranges(text: str) -> Iterator[tuple[str, tuple[int, int]]]:
    """The first and last step of each value: `add.7`, or `tuple.3{1}` for an element of a tuple."""
    for name, index, first, last in _RANGE.findall(text):
        yield name + ("" if index == "{}" else index), (int(first), int(last))


def needed_bytes(allocations: tuple[Allocation, ...], ranges: Mapping[str, tuple[int, int]]) -> int:
    """The most bytes of all allocations that hold live values at one step; without constants and tables of tuples."""
    pieces = [
        (allocation.number, value.offset, value.offset + value.size, *ranges[name])
        for allocation in allocations
        for value in allocation.values
        if (name := value.name.removesuffix("{}")) in ranges
        and not value.shape.startswith("(")
        and "constant" not in allocation.kinds
    ]
    steps = sorted({step for piece in pieces for step in piece[3:]})
    return max(
        (_union([piece[:3] for piece in pieces if piece[3] <= step <= piece[4]]) for step in steps), default=0
    )


def _union(pieces: list[tuple[int, int, int]]) -> int:
    """The bytes that intervals cover in their allocations."""
    covered, reached = 0, (-1, 0)
    for allocation, start, end in sorted(pieces):
        begin = max(start, reached[1]) if allocation == reached[0] else start
        covered += max(0, end - begin)
        reached = (allocation, max(end, reached[1]) if allocation == reached[0] else end)
    return covered


def main() -> None:
    """Print a line for each program, and the totals."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--dumps", type=Path, help="keep the dumps in this folder, or read those that are there"
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.dumps or Path(scratch)
        there = sorted(path for path in folder.glob("*") if (path / "stats.json").exists())
        found = [compare(path) for path in there or dump_programs(folder)]
    print(f"{'program':18}{'ours':>12}{'needed':>12}{'XLA total':>12}{'ours / XLA':>12}")
    print(*found, sep="\n")
    shares = sorted(each.ours / each.total for each in found)
    below = sum(each.ours < each.needed for each in found)
    same = sum(each.assigned == each.temporaries for each in found)
    print(
        f"{len(found)} programs: ours / XLA from {shares[0]:.3f} to {shares[-1]:.3f}, median {shares[len(shares) // 2]:.3f}"
    )
    print(f"ours below what is needed: {below}; temporaries read as memory_analysis() states: {same}")


if __name__ == "__main__":
    main()
