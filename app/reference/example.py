"""The worked example of an op: its program, the op's written forms, and its index maps."""

import re
import textwrap
from collections.abc import Iterable
from dataclasses import replace
from functools import cache

from hloscope.engine.frontend import load
from hloscope.engine.ir.types import TensorType, Type, leaf_types
from hloscope.engine.limits import DEFAULT_LIMITS
from hloscope.engine.ops import op_table
from hloscope.engine.ops.core.op import Op
from hloscope.engine.program import BoundOperation, BoundProgram
from hloscope.engine.source import Source
from hloscope.engine.syntax.modules.printer import print_operation

from ..present.index_maps import maps_json, maps_of
from ..present.types import type_text
from ..runs.launching import choose_grid
from ..wire.maps import MapDirection, MapTexts
from ..wire.reference import (
    AlikePair,
    ExampleForms,
    ExampleMaps,
    ExampleProgram,
    LabelledRow,
    PageMap,
    PageText,
)
from .example_run import record_example
from .examples import Example, op_example

_READS: MapDirection = "output-to-input"
_GOES: MapDirection = "input-to-output"
UNKNOWN = "unknown indexing"
_ELSEWHERE = "Opaque: its result comes from outside the process and has no elements of an operand."
_AT_RANDOM = "Opaque: its result is random, and no map describes what each draw depends on."
_OF_SIZES = "It reads no element: its result depends only on the sizes of its operand."
_OWN = {
    "stablehlo.rng": _AT_RANDOM,
    "hlo.rng": _AT_RANDOM,
    "stablehlo.infeed": _ELSEWHERE,
    "hlo.infeed": _ELSEWHERE,
    "stablehlo.recv": _ELSEWHERE,
    "hlo.recv": _ELSEWHERE,
    "stablehlo.get_dimension_size": _OF_SIZES,
    "shape.shape_of": _OF_SIZES,
    "tensor.rank": _OF_SIZES,
    "chlo.constant_like": "It reads no element: each is the constant, and `operand` only gives the sizes.",
    "tensor.empty": "It reads no element: its operands are sizes, and the elements of its result are undefined.",
    "shape.assuming": "Its operand has no elements; the ops in its region describe its results.",
    "interpreter.run_parallel": (
        "It runs functions on separate processes; their ops describe which elements are read."
    ),
}
"""Reasons for missing maps that do not follow from the types."""


def maps_of_example(program: BoundProgram, bound: BoundOperation, example: Example) -> ExampleMaps:
    """`maps` has words and formulas in both directions per operand and result.

    `no_maps` states why there are none. Operands and results with the same formulas are `alike`; `unread` are
    operands that no result depends on.
    """
    described = maps_of(_resolve(program, bound, example), program)
    answer = maps_json(described, program.module.language)
    known = [text for text in answer["texts"] if text["xla"] != UNKNOWN]
    if not known:
        return {"maps": [], "no_maps": _why_none(bound), "unread": []}
    operands, results = ([item["name"] for item in side] for side in (answer["operands"], answer["results"]))
    several = len(results) > 1
    pairs = sorted({(text["result"], text["operand"]) for text in known})
    maps: list[PageMap] = []
    for result, operand in pairs:
        pair: AlikePair = {"operand": operands[operand], "result": results[result] if several else None}
        reads, goes = (_text(known, operand, result, direction) for direction in (_READS, _GOES))
        alike = next(
            (each for each in maps if _formulas(each["reads"], each["goes"]) == _formulas(reads, goes)), None
        )
        if alike is None:
            maps.append({**pair, "reads": reads, "goes": goes, "alike": []})
        else:
            alike["alike"].append(pair)
    read = {operand for _, operand in pairs}
    tensors = (n for n, item in enumerate(described.operands) if isinstance(item.type, TensorType))
    return {"maps": maps, "no_maps": None, "unread": [operands[n] for n in tensors if n not in read]}


def _formulas(*ways: PageText | None) -> list[str | None]:
    return [way and way["xla"] for way in ways]


def _text(texts: Iterable[MapTexts], operand: int, result: int, direction: MapDirection) -> PageText | None:
    wanted = (direction, operand, result)
    found = (text for text in texts if (text["direction"], text["operand"], text["result"]) == wanted)
    text = next(found, None)
    if text is None:
        return None
    return {"words": text["words"], "xla": text["xla"], "xla-2024": text["xla-2024"]}


def _resolve(program: BoundProgram, bound: BoundOperation, example: Example) -> BoundOperation:
    """The operation on its grid, with sizes from a run of the example where they are dynamic."""
    if program.entry is None:
        return bound
    if not bound.dynamic:
        return replace(bound, op=bound.op.on_grid(choose_grid(program, program.entry, DEFAULT_LIMITS)))
    return record_example(program, program.entry, example.text).static_form(bound.id)


def _why_none(bound: BoundOperation) -> str:
    name = bound.operation.name
    if name in _OWN:
        return _OWN[name]
    operands = [value.type for value in bound.operation.operands]
    if bound.op.traits.is_terminator:
        return "It ends a block and passes its operands unchanged to the enclosing op."
    if not _have_elements(operands):
        return "It has no operand with elements to read."
    if not _have_elements(value.type for value in bound.operation.results):
        return "It has no result with elements, and so reads nothing for one."
    return "No element of a result depends on an element of an operand."


def _have_elements(types: Iterable[Type]) -> bool:
    return any(isinstance(leaf, TensorType) for found in types for leaf in leaf_types(found))


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
