"""The programs that the tests and the gallery hold, as far as they are right."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from hloscope.engine.frontend import Loaded, load
from hloscope.engine.source import Source

ROOT = Path(__file__).parent.parent.parent
FOLDERS = ("tests", "app/reference/examples")


@cache
def right_programs() -> dict[str, Loaded]:
    """Every program that our verifier accepts, by its name."""
    paths = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.mlir"))]
    found: dict[str, Loaded] = {}
    for path in paths:
        for number, chunk in enumerate(path.read_text("utf-8", "replace").split("// -----")):
            loaded = load(Source(chunk, path.name))
            if loaded.program is not None:
                found[f"{path.relative_to(ROOT)}#{number}"] = without_checks(loaded)
    return found


def without_checks(loaded: Loaded) -> Loaded:
    """The program without the ops of the dialect `check`, which `jaxlib` does not have; they give no values."""
    assert loaded.program
    text = loaded.source.text
    for found in sorted((op.operation for op in loaded.program.ops), key=lambda op: -op.span.start):
        if found.name.startswith("check."):
            text = text[: found.span.start] + text[found.span.end :]
    return loaded if text == loaded.source.text else load(Source(text, loaded.source.name))
