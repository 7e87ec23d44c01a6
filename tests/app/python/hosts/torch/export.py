"""Writes programs of PyTorch, as hloscope has them of it, and what PyTorch computes: `make torch-programs`.

PyTorch has an environment of its own (`requirements.txt`), so that no test needs it: it is large. Each file has the texts of three
stages, the inputs, their names and the results.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

import hloscope
from hloscope.app.python.given_programs import GivenProgram, Options, given_program

from .models import Classifier, ResNet, image, loss_of, made, tokens

STAGES = ("stablehlo", "hlo", "optimized")
PROGRAMS = Path(__file__).parent / "programs"
_PLACES = (
    (str(Path(__file__).resolve().parent) + "/", ""),
    (str(Path(torch.__file__).parent.parent) + "/", ""),
)

Case = tuple[str, Callable[[str], GivenProgram], Sequence[Any]]
"""A name, the program of a stage, PyTorch's results."""


def trained(name: str, model: Any, x: Any) -> Iterator[Case]:
    """The forward and the backward graph of a step."""
    compiled = torch.compile(model, backend=hloscope.torch_backend)
    with hloscope.torch_graphs() as graphs:
        loss_of(compiled(x)).backward()
    for graph in graphs:
        yield f"{name}_{graph.direction}", graph._given, graph.results  # type: ignore[misc]


def exported(name: str, model: Any, x: Any) -> Iterator[Case]:
    """What `torch.export` makes of a model."""
    program = torch.export.export(model.eval(), (x,))
    results = [program.module()(x).detach().numpy()]
    yield f"{name}_exported", lambda stage: given_program(program, (x,), {}, Options(stage)), results


def cases() -> Iterator[Case]:
    """All of them."""
    yield from exported("resnet", made(ResNet), image())
    yield from trained("resnet", made(ResNet), image())
    yield from exported("transformer", made(Classifier), tokens())
    yield from trained("transformer", made(Classifier), tokens())


def write(name: str, program: Callable[[str], GivenProgram], results: Sequence[Any]) -> None:
    """A text for each stage, as bytes, and the arrays."""
    arrays: dict[str, Any] = {f"out_{number}": value for number, value in enumerate(results)}
    for stage in STAGES:
        given = program(stage)
        assert given.host is not None
        arrays[stage] = np.frombuffer(_without_places(given.text).encode(), np.uint8)
    assert given.host is not None
    arrays |= {f"in_{number}": value for number, value in enumerate(given.inputs or ())}
    arrays["names"] = np.array([argument.name for argument in given.host.arguments if argument.used])
    np.savez_compressed(PROGRAMS / f"{name}.npz", **arrays)


def _without_places(text: str) -> str:
    for place, shorter in _PLACES:
        text = text.replace(place, shorter)
    return text


def main() -> None:
    """All of them, or those that are named."""
    PROGRAMS.mkdir(exist_ok=True)
    for name, program, results in cases():
        if name in sys.argv[1:] or not sys.argv[1:]:
            write(name, program, results)


if __name__ == "__main__":
    main()
