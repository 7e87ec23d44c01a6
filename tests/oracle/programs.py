"""The programs that the tests and the gallery hold, as far as they are right."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from hloscope.engine.frontend import Loaded, load
from hloscope.engine.source import Source

ROOT = Path(__file__).parent.parent.parent
FOLDERS = ("tests", "app/reference/examples")


def program_files() -> list[Path]:
    """All files of StableHLO."""
    return [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.mlir"))]


def right_programs(*paths: Path) -> Iterator[tuple[str, str]]:
    """Name and text of each program of these files that our verifier accepts."""
    for path in paths:
        for number, chunk in enumerate(path.read_text("utf-8", "replace").split("// -----")):
            loaded = load(Source(chunk, path.name))
            if loaded.program is not None:
                yield f"{path.relative_to(ROOT).as_posix()}#{number}", without_checks(loaded)


def without_checks(loaded: Loaded) -> str:
    """Text of the program without the ops of the dialect `check`, which jaxlib does not have; they have no results."""
    assert loaded.program
    text = loaded.source.text
    for found in sorted((op.operation for op in loaded.program.ops), key=lambda op: -op.span.start):
        if found.name.startswith("check."):
            text = text[: found.span.start] + text[found.span.end :]
    return text
