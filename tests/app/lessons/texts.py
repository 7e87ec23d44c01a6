"""What tests of lessons share: a small lesson with its program, changed as a test needs it, and one with every kind of thing."""

from __future__ import annotations

from pathlib import Path

from hloscope.app.base.settings import Settings
from hloscope.app.lessons.check import Report, check_files
from hloscope.app.lessons.format import LessonErrors
from hloscope.app.lessons.resolve import Resolved, resolve
from hloscope.app.lessons.runs import Bounds
from hloscope.app.lessons.sources import parse_source, read_source

EVERY_KIND = Path(__file__).parents[2] / "data" / "lessons" / "every-kind.md"
SETTINGS = Settings(trial_time_limit_ms=120_000)

PROGRAM = """\
func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.add %x, %x : tensor<2x3xf32>
  %1 = stablehlo.sqrt %0 : tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}
"""
HEAD = """\
---
title: Roots
summary: Roots of a table.
minutes: 1
lang: en
programs:
  roots: {file: roots.mlir, inputs: [iota]}
---
"""
ASK = """\
:::ask number of="%0[1,2]"
What is it?
- wrong 5: That is `%x`.
- hint: Twice.
- right: Ten.
:::
"""
STEP = "## One {#one}\n"
BODY_LINE = HEAD.count("\n") + 1
"""The line on which what follows the head begins."""


def write(folder: Path, body: str = STEP + ASK, head: str = HEAD, name: str = "roots") -> Path:
    """A lesson in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "roots.mlir").write_text(PROGRAM)
    (folder / "solved.mlir").write_text(PROGRAM.replace("stablehlo.sqrt", "stablehlo.negate"))
    path = folder / f"{name}.md"
    path.write_text(head + body, "utf-8")
    return path


def resolved(path: Path) -> Resolved:
    """The lesson with its recordings."""
    source = read_source(path)
    return resolve(parse_source(source), Bounds.of_lesson(SETTINGS), source["languages"])


def problems(path: Path) -> list[str]:
    """What is wrong with a lesson that does not resolve: `line: message`, and the hint behind a bar."""
    try:
        resolved(path)
    except LessonErrors as errors:
        return [f"{each.line}: {each.message} | {each.hint}" for each in errors.found]
    return []


def report(path: Path) -> Report:
    """What the check says of one file."""
    return check_files(path, SETTINGS)[0]
