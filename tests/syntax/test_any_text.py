"""Any text gives a module or a `ProgramError`, and any module reads back."""

from __future__ import annotations

from contextlib import suppress

from hypothesis import given
from hypothesis import strategies as st

from hloscope.engine.errors import ProgramError
from hloscope.engine.ir.attributes import Attribute
from hloscope.engine.ir.element_types import ELEMENT_TYPES
from hloscope.engine.ir.module import Block, Function, Module, Operation, Region, Value
from hloscope.engine.ir.types import TensorType, Type
from hloscope.engine.source import Source
from hloscope.engine.syntax import parse_attribute, parse_module, print_module

from .op_table import OP_TABLE
from .reading import PROGRAMS, read

TEXTS = [path.read_text(encoding="utf-8") for path in PROGRAMS]
PIECES = [
    "%0",
    "%",
    "{",
    "}",
    "(",
    ")",
    "<",
    ">",
    "[",
    "]",
    '"',
    ":",
    "->",
    ",",
    "#",
    "!",
    "@",
    "^",
    "=",
    "\n",
    "//",
]
PIECES += [
    "dense<",
    "loc(",
    "x",
    "1",
    "-",
    "0x",
    "tensor<",
    "stablehlo.",
    "return",
    "\x00",
    "é",
    "#0",
    "é",
    "\\",
]


@st.composite
def damaged(draw: st.DrawFn) -> str:
    """A program with a few spans cut out, doubled or overwritten."""
    text = draw(st.sampled_from(TEXTS))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(0, 12)))
        new = draw(st.one_of(st.sampled_from(PIECES), st.just(text[start:end] * 2), st.text(max_size=3)))
        text = text[:start] + new + text[end:]
    return text


def outcome(text: str) -> Module | ProgramError:
    try:
        return parse_module(Source(text), OP_TABLE)
    except ProgramError as error:
        return error


@given(damaged())
def test_a_damaged_program_is_a_program_error_at_a_place_in_it(text: str) -> None:
    read_or_wrong = outcome(text)
    if isinstance(read_or_wrong, Module):
        assert read(print_module(read_or_wrong, OP_TABLE)) == read_or_wrong
    else:
        assert read_or_wrong.message
        assert 0 <= read_or_wrong.span.start <= read_or_wrong.span.end <= len(text)
        assert read_or_wrong.diagnostic().format(Source(text))


@given(st.text(alphabet="".join({c for piece in PIECES for c in piece}) + " 2f3", max_size=40))
def test_any_text_is_a_program_or_a_program_error(text: str) -> None:
    with suppress(ProgramError):
        read(text)


types = st.builds(
    TensorType,
    st.lists(st.one_of(st.none(), st.integers(0, 9)), max_size=3).map(tuple),
    st.sampled_from(list(ELEMENT_TYPES.values())),
)
attributes = st.dictionaries(
    st.sampled_from(["a", "b.c", "odd name"]),
    st.sampled_from(["1 : i8", "unit", '"s"', "[1, 2]", "array<i64: 1>", "dense<[1, 2]> : tensor<2xi8>"]).map(
        parse_attribute
    ),
    max_size=2,
)
NAMES = [
    "x.y",
    "stablehlo.add",
    "stablehlo.negate",
    "stablehlo.return",
    "stablehlo.select",
    "stablehlo.custom_call",
]


@st.composite
def operations(draw: st.DrawFn, visible: list[Value], counter: list[int], depth: int) -> Operation:
    operands = draw(st.lists(st.sampled_from(visible), max_size=3)) if visible else []
    count = draw(st.integers(0, 2)) if depth < 2 else 0
    regions = [Region((draw(blocks(list(visible), counter, depth + 1)),)) for _ in range(count)]
    properties: dict[str, Attribute] = draw(attributes)
    count = draw(st.integers(0, 3))
    counter[0] += 1
    name = f"%{counter[0]}"
    kinds: list[Type] = [draw(types) for _ in range(count)]
    results = tuple(
        Value(name if count == 1 else f"{name}#{number}", kind) for number, kind in enumerate(kinds)
    )
    extra = {key: value for key, value in draw(attributes).items() if key not in properties}
    return Operation(
        draw(st.sampled_from(NAMES)), tuple(operands), results, properties, extra, tuple(regions)
    )


@st.composite
def blocks(draw: st.DrawFn, visible: list[Value], counter: list[int], depth: int) -> Block:
    arguments = []
    for _ in range(draw(st.integers(0, 2))):
        counter[0] += 1
        arguments.append(Value(f"%arg{counter[0]}", draw(types)))
    visible += arguments
    body = []
    for _ in range(draw(st.integers(0, 3))):
        operation = draw(operations(visible, counter, depth))
        visible += operation.results
        body.append(operation)
    return Block(tuple(arguments), tuple(body))


@st.composite
def modules(draw: st.DrawFn) -> Module:
    functions = []
    for number in range(draw(st.integers(0, 2))):
        block = draw(blocks([], [0], 0))
        region = Region((block,))
        functions.append(Function(f"f{number}", block.arguments, (), region, attributes=draw(attributes)))
    return Module(tuple(functions), draw(st.sampled_from(["", "m", "odd name"])), draw(attributes))


@given(modules(), st.booleans())
def test_any_module_reads_back(module: Module, generic: bool) -> None:
    printed = print_module(module, OP_TABLE, "generic" if generic else "short")
    assert read(printed) == module
