"""Real pipelines of XLA: dumped by processes of their own, and with a fault planted behind one of their passes."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from hloscope.app.passes.dump_files import open_dump
from hloscope.engine.passes.instructions import read_instructions
from hloscope.engine.passes.stages import Stage

from .planting import KINDS, Planted, plant

TOP = Path(__file__).parents[2]
PROCESSES = 2
SECONDS = 900
"""What dumping may take."""


def dump_programs(folder: Path, names: Sequence[str] = ()) -> list[Path]:
    """Dumps the programs with these names, or all, each into a folder of its own; what is there already is kept."""
    missing = [name for name in names if not (folder / name).is_dir()]
    if missing or not (names or (folder / ".complete").exists()):
        _dump(folder, missing)
    if not names:
        (folder / ".complete").touch()
    return [folder / name for name in names] or sorted(path for path in folder.iterdir() if path.is_dir())


def _dump(folder: Path, names: Sequence[str]) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "XLA_FLAGS"}
    command = [sys.executable, "-m", "tests.passes.programs.dump", str(folder), *names, "--part"]
    parts = 1 if names else PROCESSES  # a few are dumped sooner than a second process has imported JAX
    running = [
        subprocess.Popen([*command, f"{part}/{parts}"], env=environment, cwd=TOP) for part in range(parts)
    ]
    try:
        codes = [child.wait(timeout=SECONDS) for child in running]
    finally:
        for child in running:
            child.kill()
            child.wait()
    if any(codes):
        raise RuntimeError(f"programs could not be dumped: the processes ended with {codes}")


@dataclass(frozen=True)
class Place:
    """A stage of a pipeline, and a fault in its text."""

    stages: tuple[Stage, ...]
    """The one behind the culprit pass, and those that say the same: the fault stays until a pass changes the text."""
    healthy: str
    planted: Planted


def places(folder: Path, seed: int) -> Iterator[Place]:
    """Faults that a pipeline can have behind passes that changed it, in the order of a draw: of all kinds in turn."""
    draw = random.Random(f"{seed} {folder.name}")
    found = {kind: _of_kind(folder, kind) for kind in KINDS}
    kinds = [kind for kind in KINDS if found[kind]]
    draw.shuffle(kinds)
    # These are rare: a pipeline that can have one has one more often.
    kinds.sort(key=lambda kind: kind not in KINDS_OF_GRIDS or draw.random() < 0.25)
    for kind in kinds:
        draw.shuffle(found[kind])
    for turn in range(max((len(each) for each in found.values()), default=0)):
        for kind in kinds:
            if turn < len(found[kind]):
                yield found[kind][turn]


KINDS_OF_GRIDS = ("missing all-reduce", "wrong replica group")


def _of_kind(folder: Path, kind: str) -> list[Place]:
    (module,) = open_dump(folder).modules
    texts = {stage.path: (folder / stage.path).read_text() for stage in module.stages}
    keys = [read_instructions(texts[stage.path]).key for stage in module.stages]
    found = []
    for at, stage in enumerate(module.stages):
        if at == 0 or stage.number is None or keys[at] == keys[at - 1]:
            continue
        end = next((k for k in range(at, len(keys)) if keys[k] != keys[at]), len(keys))
        same = tuple(module.stages[at:end])
        found += [Place(same, texts[stage.path], planted) for planted in plant(texts[stage.path], kind)]
    return found


def write_planted(source: Path, target: Path, place: Place) -> None:
    """The dump with the fault in it."""
    _link(source, target, {stage.path for stage in place.stages})
    for stage in place.stages:
        (target / stage.path).write_text(place.planted.text)


def write_pair(source: Path, target: Path, place: Place) -> None:
    """A dump of the first text, the healthy and the planted one of a stage: does the fault change any result?"""
    (module,) = open_dump(source).modules
    _link(
        source,
        target,
        {
            stage.path
            for stage in module.stages
            if stage.number is not None or stage.file.name.end.endswith("after_optimizations")
        },
    )
    key = module.key
    (target / f"{key}.0000.p.after_healthy.before_planted.txt").write_text(place.healthy)
    (target / f"{key}.0001.p.after_planted.before_end.txt").write_text(place.planted.text)


def _link(source: Path, target: Path, without: set[str]) -> None:
    for file in source.rglob("*"):
        path = file.relative_to(source)
        if file.is_file() and file.suffix in (".txt", ".mlir") and path.as_posix() not in without:
            (target / path).parent.mkdir(parents=True, exist_ok=True)
            os.link(file, target / path)
