"""The worked example of an op: its program, how the op is written there, and which elements it reads."""

from __future__ import annotations

import re
import textwrap
from functools import cache
from typing import Any

from hloscope.engine.frontend import load
from hloscope.engine.ops import op_table
from hloscope.engine.ops.op import Op
from hloscope.engine.program import BoundOperation, BoundProgram
from hloscope.engine.source import Source
from hloscope.engine.syntax.printer import print_operation

from ..examples import Example, op_example
from ..present.types import type_text
from .maps import maps_of_example

JSON = dict[str, Any]
_HEADER = re.compile(r"// (?:title|description|stops|result): .+\n")


def as_it_stands(op: type[Op]) -> JSON:
    """The op's programs and, for its first place in one, its written forms and its maps."""
    stablehlo, hlo = op_example(op.name), op_example(op.name, ".hlo")
    nothing: JSON = {
        "short": None,
        "generic": None,
        "written": None,
        "maps": [],
        "no_maps": "",
        "unread": [],
        "results": [],
    }
    answer = {"example": _shown(stablehlo), "hlo_example": _shown(hlo), **nothing}
    found = stablehlo or hlo
    place = _first(found.text, op.name) if found else None
    if found is None or place is None:
        return answer
    program, bound = place
    if hlo is not None and (hlo_place := _first(hlo.text, op.name)):
        answer["written"] = _written(*hlo_place)
    if stablehlo is not None:
        answer |= _forms(op, bound)
    return answer | maps_of_example(program, bound, found) | {"results": _results(program, bound)}


def _shown(found: Example | None) -> JSON | None:
    if found is None:
        return None
    text = _HEADER.sub("", found.text).rstrip("\n")
    return {"title": found.title, "description": found.description, "text": text, "file": found.file}


@cache
def _first(text: str, name: str) -> tuple[BoundProgram, BoundOperation] | None:
    program = load(Source(text)).program
    if program is None:
        return None
    return next(((program, bound) for bound in program.ops if bound.operation.name == name), None)


def _forms(op: type[Op], bound: BoundOperation) -> JSON:
    generic = textwrap.dedent(print_operation(bound.operation, op_table(), "generic"))
    short = textwrap.dedent(print_operation(bound.operation, op_table())) if op.short_form else None
    return {"short": short, "generic": generic}


def _written(program: BoundProgram, bound: BoundOperation) -> str:
    """An instruction as the example writes it."""
    span = bound.operation.span
    return textwrap.dedent(program.module.source.text[span.start : span.end])


def _results(program: BoundProgram, bound: BoundOperation) -> list[JSON]:
    """The results as the example has them: the class of an op without a section says nothing about them."""
    language = program.module.language
    return [
        {"name": value.name.removeprefix("%"), "type": type_text(value.type, language)}
        for value in bound.operation.results
    ]
