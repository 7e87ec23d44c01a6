"""What is read from a line like an earlier one is what would be read from it alone, positions included."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hloscope.engine.errors import Diagnostic
from hloscope.engine.frontend import load, parse
from hloscope.engine.ir.module import Module, walk
from hloscope.engine.source import Source, Span
from hloscope.engine.syntax import parse_module, print_module
from hloscope.engine.syntax.hlo import build, metadata
from hloscope.engine.syntax.hlo.build import Builder
from hloscope.engine.syntax.hlo.raw import RawReader
from hloscope.engine.syntax.modules.read_operations import OperationReader
from hloscope.engine.verifier import _Verifier
from tests.large_programs import gpt2, optimised_hlo, production_hlo

from .op_table import OP_TABLE
from .test_any_text import modules

EXAMPLES = Path(__file__).parents[2] / "app" / "reference" / "examples"
LARGE = {
    "gpt2": gpt2(2, 64, 100),
    "optimised_hlo": optimised_hlo(1_000),
    "production_hlo": production_hlo(300),
}
FILES = {
    file.name: file.read_text("utf-8")
    for file in sorted(EXAMPLES.iterdir())
    if file.suffix in (".mlir", ".hlo")
}
TEXTS = LARGE | FILES


@contextmanager
def part_by_part() -> Iterator[None]:
    """Readers and a verifier without shortcuts."""
    shortcuts: list[tuple[object, str, object]] = [
        (OperationReader, "_repeated_operation", lambda _: None),
        (RawReader, "_usual_instruction", lambda _: None),
        (RawReader, "_usual_parameter", lambda _: None),
        (RawReader, "_has_usual_attributes", lambda *_: False),
        (Builder, "_meaning", lambda *_: (object(),)),
        (build, "_are_in_order", lambda *_: False),
        (metadata, "_USUAL", re.compile("(?!)")),
        (_Verifier, "_key", lambda *_: None),
    ]
    with pytest.MonkeyPatch.context() as patch:
        for owner, name, instead in shortcuts:
            patch.setattr(owner, name, instead)
        yield


def _positions(module: Module) -> Iterator[tuple[object, ...]]:
    functions = (function for _, inner in module.all_modules() for function in inner.functions)
    for function in functions:
        yield function.name, function.span, [value.span for value in function.arguments]
        for op in walk(function.body) if function.body else ():
            yield op.name, op.span, op.name_span, op.operand_spans, [value.span for value in op.results]
            yield str(op.location), [region.span for region in op.regions]


def _everything(text: str) -> tuple[object, ...]:
    """All that a text gives: diagnostics with their places, the module with its positions, the bound operations."""
    loaded = load(Source(text))
    positions = list(_positions(loaded.module)) if loaded.module else []
    bound = [
        (
            op.op,
            op.operands,
            op.results,
            op.block,
            op.regions,
            op.cost,
            op.dynamic,
            op.special,
            op.light,
            op.bytes,
        )
        for op in (loaded.program.ops if loaded.program else ())
    ]
    return loaded.diagnostics, loaded.module, positions, bound


@pytest.mark.parametrize("name", TEXTS)
def test_a_program_is_the_same_part_by_part(name: str) -> None:
    found = _everything(TEXTS[name])
    with part_by_part():
        assert found == _everything(TEXTS[name])


REPETITIVE = [gpt2(1, 64, 100), optimised_hlo(120), production_hlo(60)]
PIECES = ("%", ",", "{", "}", "(", ")", " ", "\n", "//", "/*", "x", "1", "-", "f32[]", "tensor<f32>", '"')


@st.composite
def changed(draw: st.DrawFn) -> str:
    """A program of many similar lines, in which some are moved, repeated, mixed up or damaged."""
    lines = draw(st.sampled_from(REPETITIVE)).split("\n")
    numbers = st.integers(0, len(lines) - 1)
    for _ in range(draw(st.integers(1, 4))):
        here, there = draw(numbers), draw(numbers)
        match draw(st.sampled_from(("swap", "repeat", "mix", "damage"))):
            case "swap":
                lines[here], lines[there] = lines[there], lines[here]
            case "repeat":
                lines[here] += "\n" + lines[here]
            case "mix":
                first, second = lines[here].split(" "), lines[there].split(" ")
                cut = draw(st.integers(0, len(first)))
                lines[here] = " ".join(first[:cut] + second[cut:])
            case "damage":
                cut = draw(st.integers(0, len(lines[here])))
                rest = lines[here][cut + draw(st.integers(0, 3)) :]
                lines[here] = lines[here][:cut] + draw(st.sampled_from(PIECES)) + rest
    return "\n".join(lines)


@settings(max_examples=60)
@given(changed())
def test_a_changed_program_is_the_same_part_by_part(text: str) -> None:
    found = _everything(text)
    with part_by_part():
        assert found == _everything(text)


@given(modules())
def test_a_printed_module_is_the_same_part_by_part(module: Module) -> None:
    text = print_module(module, OP_TABLE)
    found = parse_module(Source(text), OP_TABLE)
    with part_by_part():
        assert found == parse_module(Source(text), OP_TABLE) == module


LINES = """func.func @f(%x: tensor<2xf32>, %y: tensor<3xf32>) -> tensor<2xf32> {{
  %0 = stablehlo.add %x, %x : tensor<2xf32>
  {}
  return %0 : tensor<2xf32>
}}
"""


@pytest.mark.parametrize(
    ("line", "marked"),
    [
        ("%1 = stablehlo.add %x, %z : tensor<2xf32>", "%z"),
        ("%1 = stablehlo.add %x, %y : tensor<2xf32>", "%y"),
        ("%x = stablehlo.add %x, %x : tensor<2xf32>", "%x"),
        ("%1 = stablehlo.add %x, %x#1 : tensor<2xf32>", "%x#1"),
    ],
)
def test_a_repeated_line_has_the_errors_of_any_other(line: str, marked: str) -> None:
    source = Source(LINES.format(line))
    (found,) = load(source).diagnostics
    with part_by_part():
        (wanted,) = load(source).diagnostics
    assert found == wanted
    assert isinstance(found, Diagnostic)
    assert source.text[found.span.start : found.span.end] == marked


def test_an_operation_may_go_on_behind_a_line_like_an_earlier_one() -> None:
    text = LINES.format('%1 = stablehlo.add %x, %x : tensor<2xf32>\n    loc("here")')
    module = parse(Source(text))
    assert module.functions[0].body
    operations = module.functions[0].body.block.operations
    assert [str(op.location) for op in operations][:2] == ["None", "NameLocation(name='here', child=None)"]


def test_a_span_keeps_large_offsets() -> None:
    span = Span(400_000_000, 400_000_123)
    assert (span.start, span.end, bool(Span(0, 0))) == (400_000_000, 400_000_123, True)
    assert span.to(Span(1, 2_000_000_000)) == Span(400_000_000, 2_000_000_000)
