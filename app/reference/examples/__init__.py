"""The examples of the gallery: a program a file, its first lines saying what it is.

    // title: Softmax
    // description: One line on what to look at.
    // inputs: normal*3; dense<[1, 2]>

`runs/stated_inputs.py` reads these lines.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from hloscope.engine.inputs import InputSpec

from ...runs.stated_inputs import read_header, stated_inputs
from ...wire.values import ThumbnailInfo

PICTURES = "pictures.json"
"""What each example computes, as a small picture: `python -m tests.example_pictures` writes it."""
ENDINGS = (".mlir", ".hlo")
"""Of the files of examples: StableHLO text, HLO text."""
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
    "mlp_hlo",
    "recurrent_hlo",
    "layouts_hlo",
)
"""As the gallery shows them."""
PARALLEL = ("all_reduce", "all_to_all", "tensor_parallel_mlp", "ring_attention", "deadlock")
"""Those of several processes, which the gallery shows apart."""


@dataclass(frozen=True)
class Example:
    """A program to try, and inputs that make it interesting."""

    name: str
    title: str
    description: str
    text: str
    inputs: tuple[InputSpec, ...]
    """Those that its first lines state; of one for each process the first."""
    ending: str = ".mlir"
    parallel: bool = False
    """Whether it is for several processes."""

    @property
    def file(self) -> str:
        """The name that its diagnostics carry."""
        return f"{self.name}{self.ending}"


@cache
def examples() -> tuple[Example, ...]:
    """All examples, in the order of the gallery."""
    folder = Path(__file__).parent
    names = (*ORDER, *PARALLEL)
    return tuple(found for name in names for ending in ENDINGS if (found := _read(folder, name, ending)))


def example(name: str) -> Example | None:
    """The example of that name."""
    return next((item for item in examples() if item.name == name), None)


@cache
def example_pictures() -> Mapping[str, ThumbnailInfo]:
    """What each example computes, by its name."""
    found: dict[str, ThumbnailInfo] = json.loads((Path(__file__).parent / PICTURES).read_text("utf-8"))
    return found


@cache
def op_example(op: str, ending: str = ".mlir") -> Example | None:
    """The worked example of an op, by its name with its dialect."""
    return _read(Path(__file__).parent / "ops", op, ending)


def _read(folder: Path, name: str, ending: str) -> Example | None:
    path = folder / f"{name}{ending}"
    return parse_example(name, path.read_text("utf-8"), ending) if path.is_file() else None


def parse_example(name: str, text: str, ending: str = ".mlir") -> Example:
    """An example from its text; `ValueError` if its first lines do not say what it is."""
    header = read_header(text)
    if missing := {"title", "description"} - header.keys():
        raise ValueError(f"example {name} has no line '// {min(missing)}: …'")
    inputs = tuple(given.specs[0] for given in stated_inputs(text))
    return Example(name, header["title"], header["description"], text, inputs, ending, name in PARALLEL)
