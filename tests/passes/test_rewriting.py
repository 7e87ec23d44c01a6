"""A rewrite has the same words in all programs."""

from __future__ import annotations

import pytest

from hloscope.engine.passes.instructions import read_instructions
from hloscope.engine.passes.rewriting import Rewrite, describe_rewrite
from hloscope.engine.passes.text_changes import compare_texts

TEXT = """HloModule m

%low (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %c = f32[] minimum(%a, %b)
}

%high (d: f32[], e: f32[]) -> f32[] {
  %d = f32[] parameter(0)
  %e = f32[] parameter(1)
  ROOT %f = f32[] maximum(%d, %e)
}

ENTRY %main (x: f32[8,8], y: f32[8,8]) -> f32[8] {
  %x = f32[8,8]{1,0} parameter(0)
  %y = f32[8,8]{1,0} parameter(1)
  %one = f32[] constant(1)
  %two = f32[] constant(2)
  %s = f32[8,8]{1,0} subtract(%x, %y)
  %l = f32[8,4]{1,0} slice(%s), slice={[0:8], [2:6]}
  ROOT %r = f32[8]{0} reduce(%l, %one), dimensions={1}, to_apply=%low
}
"""


@pytest.mark.parametrize(
    ("name", "old", "new", "change"),
    [
        ("s", "subtract(%x, %y)", "subtract(%y, %x)", "swapped operands"),
        ("s", "subtract(%x, %y)", "subtract(%x, %x)", "another operand 1"),
        ("l", "[2:6]", "[1:5]", "another `slice`"),
        ("r", "reduce(%l, %one)", "reduce(%l, %two)", "another operand 1"),
        ("r", "to_apply=%low", "to_apply=%high", "another computation"),
    ],
)
def test_what_changed_in_an_instruction(name: str, old: str, new: str, change: str) -> None:
    changes = compare_texts(read_instructions(TEXT), read_instructions(TEXT.replace(old, new)))
    opcode = changes.before.instructions[name].written.opcode
    assert describe_rewrite(changes, name, name) == Rewrite(opcode, opcode, change)


def test_another_opcode_says_all() -> None:
    changed = TEXT.replace("subtract(", "add(")
    changes = compare_texts(read_instructions(TEXT), read_instructions(changed))
    assert describe_rewrite(changes, "s", "s") == Rewrite("subtract", "add")


def test_an_instruction_that_is_gone_is_the_same_whatever_is_read_in_its_place() -> None:
    changed = TEXT.replace("slice(%s)", "slice(%x)")
    changes = compare_texts(read_instructions(TEXT), read_instructions(changed))
    assert describe_rewrite(changes, "s", "x") == Rewrite("subtract", "an earlier value")


def test_a_constant_is_that_of_its_reader() -> None:
    changed = TEXT.replace("%one = f32[] constant(1)", "%one = f32[] constant(3)")
    changes = compare_texts(read_instructions(TEXT), read_instructions(changed))
    assert describe_rewrite(changes, "one", "one") == Rewrite("reduce", "reduce", "another operand 1")


@pytest.mark.parametrize(
    ("made", "read"),
    [
        ("  %c = f32[8,8]{1,0} maximum(%y, %y)\n", "%c"),  # a new one of the same kind
        ("", "%b"),  # another one that is computed alike
    ],
)
def test_swapped_operands_are_so_whatever_one_of_them_is_matched_with(made: str, read: str) -> None:
    first = "  %a = f32[8,8]{1,0} maximum(%x, %y)\n"
    before = TEXT.replace(
        "  %s = f32[8,8]{1,0} subtract(%x, %y)",
        f"""{first}  %b = f32[8,8]{{1,0}} maximum(%x, %y)
  %n = f32[8,8]{{1,0}} negate(%b)
  %o = f32[8,8]{{1,0}} add(%n, %y)
  %s = f32[8,8]{{1,0}} subtract(%a, %o)""",
    )
    after = before.replace(first, made).replace("subtract(%a, %o)", f"subtract(%o, {read})")
    changes = compare_texts(*map(read_instructions, (before, after)))
    assert describe_rewrite(changes, "s", "s") == Rewrite("subtract", "subtract", "swapped operands")
