"""Operands `%tuple#1`, as XLA since jaxlib 0.11 writes an element of a tuple."""

from __future__ import annotations

import pytest

from hloscope.engine.frontend import load, parse
from hloscope.engine.hlo_to_stablehlo import stablehlo_module
from hloscope.engine.ir.module import Module
from hloscope.engine.ops import op_table
from hloscope.engine.passes.instructions import read_instructions
from hloscope.engine.source import Source
from hloscope.engine.syntax import print_hlo, print_module
from hloscope.engine.syntax.hlo import without_indexed_operands
from tests.ops.hlo.running import f32, results_of_hlo

INDEXED = """HloModule m

ENTRY %e (x: f32[4]{0}, y: (f32[4]{0}, (f32[4]{0}, s32[]))) -> f32[4]{0} {
  %x = f32[4]{0} parameter(0)
  %y = (f32[4]{0}, (f32[4]{0}, s32[])) parameter(1)
  %t = (f32[4]{0}, f32[4]{0}) tuple(%x, %y#0)
  %m = f32[4]{0} multiply(%t#1, %t#1)
  ROOT %n = f32[4]{0} subtract(%m, %y#1#0)
}
"""
NAMED = """HloModule m

ENTRY %e (x: f32[4]{0}, y: (f32[4]{0}, (f32[4]{0}, s32[]))) -> f32[4]{0} {
  %x = f32[4]{0} parameter(0)
  %y = (f32[4]{0}, (f32[4]{0}, s32[])) parameter(1)
  %y.element.0 = f32[4]{0} get-tuple-element(%y), index=0
  %t = (f32[4]{0}, f32[4]{0}) tuple(%x, %y.element.0)
  %t.element.1 = f32[4]{0} get-tuple-element(%t), index=1
  %m = f32[4]{0} multiply(%t.element.1, %t.element.1)
  %y.element.1 = (f32[4]{0}, s32[]) get-tuple-element(%y), index=1
  %y.element.1.element.0 = f32[4]{0} get-tuple-element(%y.element.1), index=0
  ROOT %n = f32[4]{0} subtract(%m, %y.element.1.element.0)
}
"""


def _module(text: str) -> Module:
    found = load(Source(text))
    assert found.module is not None
    assert found.program is not None, found.diagnostics
    return found.module


def test_an_indexed_operand_is_an_element_of_the_tuple() -> None:
    """Each element that a computation reads is one get-tuple-element, however often it is read."""
    named = without_indexed_operands(_module(INDEXED))
    assert print_hlo(named) == NAMED
    assert named == _module(NAMED)


def test_it_is_printed_as_it_is_written() -> None:
    module = _module(INDEXED)
    assert print_hlo(module) == INDEXED
    assert _module(print_hlo(module)) == module


def test_a_name_that_is_taken_gets_a_new_one() -> None:
    taken = INDEXED.replace("%m", "%t.element.1")
    assert "%t.element.1_ = f32[4]{0} get-tuple-element(%t), index=1" in print_hlo(
        without_indexed_operands(_module(taken))
    )


def test_it_runs() -> None:
    text = """x = f32[3] parameter(0)
      t = (f32[2], s32[2]) topk(x), k=2, largest=true
      negative = f32[2] negate(f32[2]{0} %t#0)
      ROOT r = (s32[2], f32[2]) tuple(t#1, negative)"""
    assert results_of_hlo(text, f32([1, 5, 3])) == [[1, 2], [-5, -3]]


def test_it_becomes_a_result_of_stablehlo() -> None:
    text = """HloModule m
ENTRY e {
  x = f32[3] parameter(0)
  t = (f32[2], s32[2]) topk(x), k=2, largest=true
  ROOT n = f32[2] negate(t#0)
}"""
    printed = print_module(stablehlo_module(_module(text)), op_table())
    assert "%n = stablehlo.negate %t#0" in printed


def test_operations_keep_their_lines() -> None:
    """The get-tuple-element has the position of the operand."""
    module = parse(Source(INDEXED))
    (main,) = module.functions
    assert main.body
    lines = [INDEXED.count("\n", 0, found.span.start) + 1 for found in main.body.block.operations[:-1]]
    assert lines == [6, 6, 7, 7, 8, 8, 8]
    assert INDEXED[main.body.block.operations[0].span.start :][:4] == "%y#0"


@pytest.mark.parametrize(
    ("operand", "message"),
    [
        ("%t#2", "t is (f32[4]{0}, f32[4]{0}), which has no element 2"),
        ("%x#0", "x is f32[4]{0}, which has no element 0"),
        ("%s#0", "s is not defined in computation e"),
    ],
)
def test_errors_point_at_the_operand(operand: str, message: str) -> None:
    text = INDEXED.replace("%t#1, %t#1", operand + ", %x")
    (found,) = load(Source(text)).diagnostics[:1]
    assert message in found.text
    assert found.span
    assert text[found.span.start : found.span.end] in operand


def test_texts_of_passes_tell_the_elements_apart() -> None:
    before, after = (read_instructions(INDEXED.replace("%t#1, %t#1", f"%t#{k}, %t#1")) for k in (0, 1))
    assert before.key != after.key
    assert before.instructions["y#0"].written.shape == "f32[4]{0}"
    assert before.instructions["y#1"].written.shape == "(f32[4]{0}, s32[])"
    assert before.instructions["y#1#0"].written.operands == ("y#1",)
