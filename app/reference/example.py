"""The worked example of an op: its program, the op's written forms, and its index maps."""

from __future__ import annotations

import re
import textwrap
from functools import cache

from hloscope.engine.frontend import load
from hloscope.engine.ops import op_table
from hloscope.engine.ops.core.op import Op
from hloscope.engine.program import BoundOperation, BoundProgram
from hloscope.engine.source import Source
from hloscope.engine.syntax.modules.printer import print_operation

from ..present.types import type_text
from ..wire.reference import ExampleForms, ExampleMaps, ExampleProgram, LabelledRow
from .example_maps import maps_of_example
from .examples import Example, op_example

_HEADER = re.compile(r"// (?:title|description|stops|result): .+\n")


def as_it_stands(op: type[Op]) -> tuple[ExampleForms, ExampleMaps, list[LabelledRow]]:
    """The op's programs and, for its first use, its written forms, maps and results."""
    stablehlo, hlo = op_example(op.name), op_example(op.name, ".hlo")
    forms: ExampleForms = {
        "example": _shown_example(stablehlo),
        "hlo_example": _shown_example(hlo),
        "short": None,
        "generic": None,
        "written": None,
    }
    found = stablehlo or hlo
    place = first_use(found.text, op.name) if found else None
    if found is None or place is None:
        return forms, {"maps": [], "no_maps": "", "unread": []}, []
    program, bound = place
    if hlo is not None and (hlo_place := first_use(hlo.text, op.name)):
        forms["written"] = _write_instruction(*hlo_place)
    if stablehlo is not None:
        forms["generic"] = textwrap.dedent(print_operation(bound.operation, op_table(), "generic"))
        forms["short"] = (
            textwrap.dedent(print_operation(bound.operation, op_table())) if op.short_form else None
        )
    return forms, maps_of_example(program, bound, found), _results(program, bound)


def shown_text(name: str) -> str:
    """The text of an op's worked example as shown on its page, in StableHLO if possible."""
    found = _shown_example(op_example(name)) or _shown_example(op_example(name, ".hlo"))
    assert found is not None, f"{name} has no worked example"
    return found["text"]


def _shown_example(found: Example | None) -> ExampleProgram | None:
    if found is None:
        return None
    text = _HEADER.sub("", found.text).rstrip("\n")
    return {"title": found.title, "description": found.description, "text": text, "file": found.file}


@cache
def first_use(text: str, name: str) -> tuple[BoundProgram, BoundOperation] | None:
    """The program of `text`, and its first operation with this name."""
    program = load(Source(text)).program
    if program is None:
        return None
    return next(((program, bound) for bound in program.ops if bound.operation.name == name), None)


def _write_instruction(program: BoundProgram, bound: BoundOperation) -> str:
    """An instruction as written in the example."""
    span = bound.operation.span
    return textwrap.dedent(program.module.source.text[span.start : span.end])


def _results(program: BoundProgram, bound: BoundOperation) -> list[LabelledRow]:
    """The results in the example, for a class without a section of the specification."""
    language = program.module.language
    return [
        {"name": value.name.removeprefix("%"), "type": type_text(value.type, language)}
        for value in bound.operation.results
    ]
