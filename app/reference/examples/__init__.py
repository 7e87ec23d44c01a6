"""The examples of the gallery: one program per file, described by its first lines.

    // title: Softmax
    // description: One line on what to look at.
    // inputs: normal*3; dense<[1, 2]>

`runs/run_inputs.py` reads these lines.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from hloscope.engine.inputs import InputSpec

from ...runs.run_inputs import read_header, stated_inputs
from ...wire.values import ThumbnailInfo

PICTURES = "pictures.json"
"""Small pictures of the results of the examples; `python -m tests.example_pictures` writes them."""
ENDINGS = (".mlir", ".hlo")
"""File suffixes of examples: StableHLO text and HLO text."""
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
"""Order of the gallery."""
PARALLEL = ("all_reduce", "all_to_all", "tensor_parallel_mlp", "ring_attention", "deadlock")
"""Examples of several processes, which the gallery shows separately."""


@dataclass(frozen=True)
class Example:
    """A program to try, and inputs that make it interesting."""

    name: str
    title: str
    description: str
    text: str
    inputs: tuple[InputSpec, ...]
    """The inputs in its first lines; for one per process, the first."""
    ending: str = ".mlir"
    parallel: bool = False
    """Whether it runs on several processes."""

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
    """The picture of each example's result, by name."""
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
    """Parse an example; raise `ValueError` if its first lines do not describe it."""
    header = read_header(text)
    if missing := {"title", "description"} - header.keys():
        raise ValueError(f"example {name} has no line '// {min(missing)}: …'")
    inputs = tuple(given.specs[0] for given in stated_inputs(text))
    return Example(name, header["title"], header["description"], text, inputs, ending, name in PARALLEL)


@cache
def function_example() -> dict[str, str]:
    """The program that prints the stages of a function, in the sections that the page reads, and what it printed of a softmax."""
    files = {"example": "function.txt", "snippet": "function_snippet.py.txt"}
    return {name: (Path(__file__).parent / file).read_text("utf-8") for name, file in files.items()}
