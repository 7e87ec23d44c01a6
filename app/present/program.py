"""A program as the table that the browser steps with: ops, values, blocks and functions by number."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import islice
from math import ceil

from hloscope.engine.argument_names import argument_names
from hloscope.engine.ir.locations import CallSiteLocation, FileLocation, FusedLocation, Location, NameLocation
from hloscope.engine.ir.module import Language, Module, Value
from hloscope.engine.ir.types import TensorType, Type
from hloscope.engine.ops import category_of, op_table
from hloscope.engine.program import BoundBlock, BoundFunction, BoundOperation, BoundProgram
from hloscope.engine.source import Source

from ..wire import program as wire
from ..wire.encoding import encoded
from .source_offsets import Offsets
from .types import elements_json, input_type, layout_words, type_text, unusual_layout

SUMMARY_WIDTH = 120
WINDOW_ROWS = 8_192
"""Ops and values in a window of the table."""


def program_table(program: BoundProgram) -> wire.ProgramInfo:
    """The browser's table of a program, independent of any run.

    `lines` maps each line on which ops start to their numbers: breakpoints snap to these lines.
    """
    source, language = program.module.source, program.module.language
    offsets = program.derive(_offsets)
    # Most locations and types are shared by many ops.
    places: dict[int, str | None] = {}
    types: dict[int, wire.TypeInfo] = {}
    ops = [_op(op, source, offsets, places) for op in program.ops]
    lines: defaultdict[int, list[int]] = defaultdict(list)
    for op in ops:
        lines[op["line"]].append(op["id"])
    return {
        "language": language,
        "ops": ops,
        "values": [_value(number, value, language, types) for number, value in enumerate(program.values)],
        "blocks": [_block(block) for block in program.blocks],
        "functions": [_function(name, item, source, offsets) for name, item in program.functions.items()],
        "parameters": _parameters(program),
        "begin": _begin(program),
        "argumentNames": {str(value): name for value, name in program.derive(argument_names).items()},
        "lines": {str(line): lines[line] for line in sorted(lines)},
    }


def program_window(program: BoundProgram, number: int) -> wire.ProgramWindow:
    """A window of the table: as many ops as values, blocks and functions, from the same number on.

    Raises `IndexError` for a window behind the last.
    """
    module = program.module
    windows = max(1, ceil(max(map(len, (program.ops, program.values, program.blocks))) / WINDOW_ROWS))
    if number >= windows:
        raise IndexError(f"the program has {windows} windows")
    offsets = program.derive(_offsets)
    rows = slice(number * WINDOW_ROWS, (number + 1) * WINDOW_ROWS)
    return {
        "head": None if number else _head(program, windows),
        "ops": _op_columns(program.ops[rows], module.source, offsets),
        "values": _value_columns(program.values[rows], module.language),
        "blocks": _block_columns(program, rows),
        "functions": _function_columns(
            [*islice(program.functions.items(), rows.start, rows.stop)], module.source, offsets
        ),
    }


def entries(module: Module) -> list[wire.Entry]:
    """The functions that a run can start with, the default first."""
    entry = module.entry
    functions = [
        (prefix + item.name, item)
        for prefix, inner in module.all_modules()
        for item in inner.functions
        if item.body is not None
    ]
    functions.sort(key=lambda named: (named[1] is not entry, named[1].visibility == "private"))
    return [
        {
            "name": name,
            "arguments": [
                {
                    "name": value.name.removeprefix("%"),
                    **input_type(value.type, module.language),
                    "location": location_text(value.location),
                }
                for value in item.arguments
            ],
            "results": [type_text(found, module.language) for found in item.result_types],
        }
        for name, item in functions
    ]


def location_text(location: Location | None) -> str | None:
    """`file.py:30:23`, the innermost location in a file; otherwise `None`."""
    found = location.innermost if location else None
    return f"{found.file}:{found.line}:{found.column}" if found else None


def location_frames(location: Location | None) -> list[wire.Frame]:
    """Every location in a file, innermost call first, with its function if known."""
    frames: list[wire.Frame] = []
    # The outermost name is the op's own.
    waiting = [(location.child if isinstance(location, NameLocation) else location, "")]
    while waiting:
        current, function = waiting.pop()
        match current:
            case CallSiteLocation():
                waiting += [(current.caller, ""), (current.callee, "")]
            case NameLocation():
                waiting.append((current.child, current.name))
            case FusedLocation():
                waiting += [(item, "") for item in reversed(current.locations)]
            case FileLocation():
                place = f"{current.file}:{current.line}:{current.column}"
                frames.append({"function": function or None, "place": place})
    return frames


def op_name(location: Location | None) -> str | None:
    """The op's name in the framework: `jit(f)/add`."""
    return location.name if isinstance(location, NameLocation) else None


def _op(op: BoundOperation, source: Source, offsets: Offsets, places: dict[int, str | None]) -> wire.OpInfo:
    operation = op.operation
    location = id(operation.location)
    if location not in places:
        places[location] = location_text(operation.location)
    line, column = source.line_and_column(operation.span.start)
    return {
        "id": op.id,
        "name": operation.name,
        "opcode": operation.opcode,
        "family": category_of(op_table()[operation.name]),
        "line": line,
        "column": column,
        **offsets.span(operation.span),
        "endLine": source.line_and_column(max(operation.span.start, operation.span.end - 1))[0],
        "operands": list(op.operands),
        "results": list(op.results),
        "block": op.block,
        "regions": list(op.regions),
        "location": places[location],
        "summary": _summary(op, source),
    }


def _summary(op: BoundOperation, source: Source) -> str:
    """The op's first line as written, cut to a readable width."""
    span = op.operation.span
    text = source.text[span.start : min(span.end, span.start + SUMMARY_WIDTH + 1)].partition("\n")[0]
    return text if len(text) <= SUMMARY_WIDTH else f"{text[: SUMMARY_WIDTH - 1]}…"


def _offsets(program: BoundProgram) -> Offsets:
    return Offsets(program.module.source.text)


def _head(program: BoundProgram, windows: int) -> wire.ProgramHead:
    language, begin = program.module.language, _begin(program)
    return {
        "language": language,
        "windows": windows,
        "parameters": {} if language == "hlo" else _parameters(program),
        "argumentNames": {str(value): name for value, name in program.derive(argument_names).items()},
        "begin": begin,
    }


def _block_columns(program: BoundProgram, rows: slice) -> wire.BlockColumns:
    blocks, numbers = program.blocks[rows], program.derive(_function_numbers)
    arguments = [number for block in blocks for number in block.arguments]
    has_lines = program.module.language == "hlo"
    return {
        "functions": [numbers[block.function] for block in blocks],
        "openers": [-1 if block.opener is None else block.opener for block in blocks],
        "regions": [block.region for block in blocks],
        "arguments": _lists((block.arguments, block.id) for block in blocks),
        "lines": _steps(_line_of(program, number) for number in arguments) if has_lines else [],
    }


def _function_numbers(program: BoundProgram) -> dict[str, int]:
    return {name: number for number, name in enumerate(program.functions)}


def _function_columns(
    named: Sequence[tuple[str, BoundFunction]], source: Source, offsets: Offsets
) -> wire.FunctionColumns:
    found = [_function(name, item, source, offsets) for name, item in named]
    return {
        "names": [item["name"] for item in found],
        "blocks": [item["block"] for item in found],
        "starts": _steps(item["from"] for item in found),
        "lengths": [item["to"] - item["from"] for item in found],
        "lines": _steps(item["line"] for item in found),
    }


def _op_columns(ops: Sequence[BoundOperation], source: Source, offsets: Offsets) -> wire.OpColumns:
    kinds, locations = dict[tuple[str, str], int](), dict[str | None, int]()
    # Most locations are shared by many ops.
    places: dict[int, int] = {}
    kind, location = list[int](), list[int]()
    for op in ops:
        operation = op.operation
        kind.append(kinds.setdefault((operation.name, operation.opcode), len(kinds)))
        shared = id(operation.location)
        if shared not in places:
            text = location_text(operation.location)
            places[shared] = locations.setdefault(text, len(locations))
        location.append(places[shared])
    spans = [op.operation.span for op in ops]
    starts, ends = [offsets(span.start) for span in spans], [offsets(span.end) for span in spans]
    lines = [source.line_and_column(span.start) for span in spans]
    return {
        "kinds": [(*named, category_of(op_table()[named[0]])) for named in kinds],
        "kind": kind,
        "locations": [*locations],
        "location": location,
        "starts": _steps(starts),
        "lengths": [end - start for start, end in zip(starts, ends, strict=True)],
        "lines": _steps(line for line, _ in lines),
        "columns": [column for _, column in lines],
        "heights": [source.text.count("\n", span.start, max(span.start, span.end - 1)) for span in spans],
        "operands": _lists((op.operands, op.id) for op in ops),
        "results": _lists((op.results, op.id) for op in ops),
        "blocks": [op.block for op in ops],
        "regions": _lists((op.regions, 0) for op in ops),
    }


def _lists(rows: Iterable[tuple[Sequence[int], int]]) -> wire.Lists:
    """Lists of numbers; each is stored as a base and the differences from it."""
    lengths, items = list[int](), list[int]()
    for row, base in rows:
        lengths.append(len(row))
        for number in row:
            items.append(number - base)
    return {"lengths": lengths, "items": items}


def _steps(numbers: Iterable[int]) -> list[int]:
    """Differences from the number before; the first is the number itself."""
    found, before = [], 0
    for number in numbers:
        found.append(number - before)
        before = number
    return found


def _value_columns(values: Sequence[Value], language: Language) -> wire.ValueColumns:
    types, known, numbers = dict[tuple[str, str], wire.TypeInfo](), dict[int, int](), list[int]()
    rows = dict[tuple[str, str], int]()
    for value in values:
        kind = id(value.type)
        if kind not in known:
            info = _type(value.type, language)
            key = (info["type"], info["layout"])
            types[key] = info
            known[kind] = rows.setdefault(key, len(rows))
        numbers.append(known[kind])
    return {"names": [value.name for value in values], "types": [*types.values()], "type": numbers}


def _value(number: int, value: Value, language: Language, types: dict[int, wire.TypeInfo]) -> wire.ValueInfo:
    known = types.get(id(value.type))
    if known is None:
        known = types[id(value.type)] = _type(value.type, language)
    return {"id": number, "name": value.name, **known}


def _type(found: Type, language: Language) -> wire.TypeInfo:
    tensor = found if isinstance(found, TensorType) else None
    return {
        "type": type_text(found, language),
        "layout": layout_words(tensor) if tensor and unusual_layout(tensor) else "",
        "elements": elements_json(found, language),
        "shape": list(tensor.shape) if tensor else None,
        "elementType": str(tensor.element_type) if tensor else None,
    }


def _block(block: BoundBlock) -> wire.BlockInfo:
    return encoded(wire.BlockInfo, block, ops=[op.id for op in block.operations])


def _function(name: str, bound: BoundFunction, source: Source, offsets: Offsets) -> wire.FunctionInfo:
    line, _ = source.line_and_column(bound.function.name_span.start)
    return {"name": name, "block": bound.block, "line": line, **offsets.span(bound.function.span)}


def _parameters(program: BoundProgram) -> dict[str, int]:
    """The line of each value with a parameter instruction, by value number.

    In HLO text a parameter is an instruction but no step. A program that begins later also has parameters for the values
    computed before it.
    """
    begin = _begin(program)
    if program.module.language == "hlo":
        arguments = [number for block in program.blocks for number in block.arguments]
    else:
        arguments = [*begin["values"], *begin["constants"]] if begin else []
    return {str(number): _line_of(program, number) for number in arguments}


def _line_of(program: BoundProgram, value: int) -> int:
    return program.module.source.line_and_column(program.values[value].span.start)[0]


def _begin(program: BoundProgram) -> wire.BeginInfo | None:
    """The start of a run of the program, if earlier operations are left out."""
    for bound in program.functions.values():
        begin = bound.function.begin
        if begin is not None:
            arguments = program.blocks[bound.block].arguments
            last = arguments[len(arguments) - len(begin.values) :]
            kinds = dict(zip(last, begin.values, strict=True))
            computed = [value for value, kind in kinds.items() if kind == "computed"]
            constants = [value for value, kind in kinds.items() if kind == "constant"]
            return {"line": begin.line, "by": begin.by, "values": computed, "constants": constants}
    return None
