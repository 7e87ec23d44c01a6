"""A program as HTML: functions with their types, op counts, and the text."""

from collections import Counter
from collections.abc import Iterator

from hloscope.engine.program import BoundFunction, BoundProgram

from ..types import type_text
from .markup import Html, block, code, heading, line, row, shown, table

MOST_LINES = 40
MOST_WIDTH = 160
MOST_FUNCTIONS = 20
MOST_OPS = 12


def program_html(program: BoundProgram) -> str:
    """The HTML of a program."""
    source = program.module.source
    language = "HLO" if program.module.language == "hlo" else "StableHLO"
    ops = "1 op" if len(program.ops) == 1 else f"{len(program.ops):,} ops"
    return shown(
        heading(f"{language} program {source.name}, {ops}"),
        *_functions(program),
        line(_ops(program)),
        *(line(f"Warning: {warning.text}") for warning in program.warnings[:MOST_OPS]),
        *_text(source.text),
    )


def _functions(program: BoundProgram) -> Iterator[Html]:
    found = list(program.functions.values())
    rows = (_function(program, function) for function in found[:MOST_FUNCTIONS])
    yield table(("function", "takes", "gives"), rows)
    if len(found) > MOST_FUNCTIONS:
        yield line(f"… and {len(found) - MOST_FUNCTIONS:,} functions more.")


def _function(program: BoundProgram, bound: BoundFunction) -> Html:
    function, language = bound.function, program.module.language
    takes = ", ".join(type_text(argument.type, language) for argument in function.arguments)
    gives = ", ".join(type_text(type, language) for type in function.result_types)
    return row(code(f"@{function.name}"), code(takes[:400]), code(gives[:400]))


def _ops(program: BoundProgram) -> str:
    counted = Counter(bound.operation.name for bound in program.ops).most_common()
    said = ", ".join(f"{count:,} {name}" for name, count in counted[:MOST_OPS])
    return f"{said}, …" if len(counted) > MOST_OPS else said


def _text(text: str) -> Iterator[Html]:
    lines = text.splitlines()
    yield block(
        "\n".join(f"{each[:MOST_WIDTH]} …" if len(each) > MOST_WIDTH else each for each in lines[:MOST_LINES])
    )
    if len(lines) > MOST_LINES:
        yield line(f"… and {len(lines) - MOST_LINES:,} lines more.")
