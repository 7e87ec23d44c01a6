"""What is read from a line like an earlier one is what would be read from it alone, positions included."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hloscope.engine.errors import Diagnostic
from hloscope.engine.frontend import load, parse
from hloscope.engine.ir.module import Module, walk
from hloscope.engine.source import Source, Span
from hloscope.engine.syntax.hlo.raw import RawReader
from hloscope.engine.syntax.modules.read_operations import OperationReader
from tests.large_programs import gpt2, optimised_hlo

EXAMPLES = Path(__file__).parents[2] / "app" / "reference" / "examples"
LARGE = {"gpt2": gpt2(2, 64, 100), "optimised_hlo": optimised_hlo(1_000)}
FILES = {
    file.name: file.read_text("utf-8")
    for file in sorted(EXAMPLES.iterdir())
    if file.suffix in (".mlir", ".hlo")
}
TEXTS = LARGE | FILES


@pytest.fixture
def part_by_part(monkeypatch: pytest.MonkeyPatch) -> None:
    """Readers without shortcuts."""
    monkeypatch.setattr(OperationReader, "_repeated_operation", lambda _: None)
    monkeypatch.setattr(RawReader, "_usual_instruction", lambda _: None)


def _positions(module: Module) -> Iterator[tuple[object, ...]]:
    functions = (function for _, inner in module.all_modules() for function in inner.functions)
    for function in functions:
        yield function.name, function.span, [value.span for value in function.arguments]
        for op in walk(function.body) if function.body else ():
            yield op.name, op.span, op.name_span, op.operand_spans, [value.span for value in op.results]
            yield str(op.location), [region.span for region in op.regions]


@pytest.mark.parametrize("name", TEXTS)
def test_a_program_is_the_same_part_by_part(name: str, request: pytest.FixtureRequest) -> None:
    source = Source(TEXTS[name])
    found = parse(source)
    request.getfixturevalue("part_by_part")
    wanted = parse(source)
    assert found == wanted
    assert list(_positions(found)) == list(_positions(wanted))


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
def test_a_repeated_line_has_the_errors_of_any_other(
    line: str, marked: str, request: pytest.FixtureRequest
) -> None:
    source = Source(LINES.format(line))
    (found,) = load(source).diagnostics
    request.getfixturevalue("part_by_part")
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
