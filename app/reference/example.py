"""The worked example of an op: its program, how the op is written there, and which elements it reads."""

from __future__ import annotations

import re
import textwrap
from functools import cache
from typing import Any

from engine.frontend import load
from engine.ops import op_table
from engine.ops.op import Op
from engine.program import BoundOperation, BoundProgram
from engine.source import Source
from engine.syntax.printer import print_operation

from ..examples import op_example
from ..present.ops import op_details

JSON = dict[str, Any]
UNKNOWN = "unknown indexing"
"""What stands for a map that cannot be told before a run."""
_HEADER = re.compile(r"// (?:title|description|stops): .+\n")


def as_it_stands(op: type[Op]) -> JSON:
    """The example's program and, for the op's first place in it, both written forms and its maps."""
    found = op_example(op.name)
    nothing: JSON = {"example": None, "short": None, "generic": None, "maps": [], "results": []}
    if found is None:
        return nothing
    example = {
        "title": found.title,
        "description": found.description,
        "text": _HEADER.sub("", found.text).rstrip("\n"),
    }
    place = _first(found.text, op.name)
    if place is None:
        return {**nothing, "example": example}
    program, bound = place
    maps, results = _maps(program, bound), _results(bound)
    return {"example": example, **_forms(op, bound), "maps": maps, "results": results}


@cache
def _first(text: str, name: str) -> tuple[BoundProgram, BoundOperation] | None:
    program = load(Source(text)).program
    if program is None:
        return None
    return next(((program, bound) for bound in program.ops if bound.op.name == name), None)


def _forms(op: type[Op], bound: BoundOperation) -> JSON:
    generic = textwrap.dedent(print_operation(bound.operation, op_table(), "generic"))
    short = textwrap.dedent(print_operation(bound.operation, op_table())) if op.short_form else None
    return {"short": short, "generic": generic}


def _results(bound: BoundOperation) -> list[JSON]:
    """The results as the example has them: the class of an op without a section says nothing about them."""
    return [
        {"name": value.name.removeprefix("%"), "type": str(value.type)} for value in bound.operation.results
    ]


def _maps(program: BoundProgram, bound: BoundOperation) -> list[JSON]:
    """The maps that say something: each with the operand's name and, of several results, the result's."""
    operands, results = bound.operation.operands, bound.operation.results
    found = [each for each in op_details(program, bound.id)["maps"] if each["text"] != UNKNOWN]
    several = len({each["result"] for each in found}) > 1
    return [
        {
            **each,
            "name": operands[each["operand"]].name,
            "of": results[each["result"]].name if several else "",
        }
        for each in found
    ]
