"""The examples of the gallery: a program a file, its first lines saying what it is.

    // title: Softmax
    // description: One line on what to look at.
    // inputs: normal*3; dense<[1, 2]>

`inputs` has one entry for each argument, separated by semicolons, as `InputSpec.parse` reads them; arguments
beyond them get the default. The three lines are a part of the program's text: comments, like any other.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from engine.inputs import InputSpec

_HEADER = re.compile(r"// (title|description|inputs): (.+)")
ORDER = (
    "mlp",
    "softmax",
    "layer_norm",
    "newton",
    "embedding_lookup",
    "histogram",
    "log_sum_exp",
    "mlp_train_step",
    "transformer_block",
)
"""As the gallery shows them; the first one runs when hloscope is opened."""


@dataclass(frozen=True)
class Example:
    """A program to try, and inputs that make it interesting."""

    name: str
    title: str
    description: str
    text: str
    inputs: tuple[InputSpec, ...]

    @property
    def file(self) -> str:
        """The name that its diagnostics carry."""
        return f"{self.name}.mlir"


@cache
def examples() -> tuple[Example, ...]:
    """All examples, in the order of the gallery."""
    folder = Path(__file__).parent
    return tuple(parse_example(name, (folder / f"{name}.mlir").read_text("utf-8")) for name in ORDER)


def example(name: str) -> Example | None:
    """The example of that name."""
    return next((item for item in examples() if item.name == name), None)


def parse_example(name: str, text: str) -> Example:
    """An example from its text; `ValueError` if its first lines do not say what it is."""
    header: dict[str, str] = {}
    for line in text.splitlines():
        found = _HEADER.fullmatch(line)
        if not found:
            break
        header[found[1]] = found[2].strip()
    if missing := {"title", "description"} - header.keys():
        raise ValueError(f"example {name} has no line '// {min(missing)}: …'")
    specs = [part for part in header.get("inputs", "").split(";") if part.strip()]
    return Example(name, header["title"], header["description"], text, tuple(map(InputSpec.parse, specs)))
