"""A text with several errors: each is reported, and nothing that only follows from another one."""

from __future__ import annotations

import random
import re
from functools import cache

import pytest

from hloscope.engine.errors import Diagnostic
from hloscope.engine.frontend import load
from hloscope.engine.source import Source
from hloscope.engine.syntax import MAX_ERRORS
from tests.each import for_each

from ..conformance.catalogue import EXAMPLES, FILES
from .hlo.every_opcode import PROGRAMS

CHAIN = """\
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.tanhh %x : tensor<4xf32>
  %1 = stablehlo.add %0, %0 : tensor<4xf33>
  %2 = stablehlo.multiply %1, %0 : tensor<4xf32>
  %3 = stablehlo.reshape %2 : (tensor<4xf32>) -> tensor<5xf32>
  %4 = stablehlo.negate %y : tensor<4xf32>
  %5 = stablehlo.add %4, %2 : tensor<4xf32
  return %5 : tensor<4xf32>
}
func.func private @other(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x, : tensor<4xf32>
}
"""
HLO_CHAIN = """\
HloModule m

sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, )
}

ENTRY main {
  x = f32[4] parameter(0)
  y = f32[4] tanhh(x)
  z = f32[4] add(y, w)
  v = f3[4] multiply(z, y)
  u = f32[4] negate(v), foo
  t = f32[5] reshape(u)
  ROOT r = f32[] reduce(t, q), dimensions={0}, to_apply=sum
}
"""
REGIONS = """\
func.func @main(%x: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.while(%i = %x) : tensor<i32>
    cond {
      %c = stablehlo.constant dense<3> : tensor<i32>
      %1 = stablehlo.compare LTT, %i, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = stablehlo.add %i %i : tensor<i32>
      stablehlo.return %1 : tensor<i32>
    }
  %2:2 = stablehlo.while(%i = %0, %j = %0 : tensor<i32>, tensor<i32>
    cond {
      %c = stablehlo.constant dense<3> : tensor<i32>
      %1 = stablehlo.compare LT, %i, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      stablehlo.return %i, %j : tensor<i32>, tensor<i32>
    }
  %3 = stablehlo.add %2#0, %2#1 : tensor<i32>
  %4 = stablehlo.constant dense<[1, 2> : tensor<2xi32>
  return %3 : tensor<i32>
}
"""


def faults(text: str) -> tuple[Diagnostic, ...]:
    """The diagnostics of a text that is no program."""
    loaded = load(Source(text))
    assert loaded.program is None
    return loaded.diagnostics


def lines_of(text: str) -> list[int]:
    """The lines with errors, in the order of the report."""
    source = Source(text)
    return [source.line_and_column(found.span.start)[0] for found in faults(text)]


@pytest.mark.parametrize(
    ("text", "lines"),
    [(CHAIN, [2, 3, 5, 6, 7, 11]), (HLO_CHAIN, [6, 11, 12, 13, 14, 15, 16]), (REGIONS, [5, 8, 11, 20])],
    ids=["chain", "hlo", "regions"],
)
def test_each_error_is_reported(text: str, lines: list[int]) -> None:
    assert lines_of(text) == lines


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        # A function without its brace ends where the next one begins.
        (CHAIN.replace("f32>\n}\nfunc", "f32>\nfunc"), [2, 3, 6, 7, 9, 10]),
        # A brace too many ends the function.
        (CHAIN.replace("tanhh", "tanh").replace("  %1 =", "  }\n  %1 ="), [3, 4, 12]),
        # A call of a function whose signature has an error.
        (
            "func.func private @f(%x: tensor<f33>) -> tensor<f32> {\n  return %x : tensor<f32>\n}\n"
            "func.func @main(%x: tensor<f32>) -> tensor<f32> {\n"
            "  %0 = call @f(%x) : (tensor<f32>) -> tensor<f32>\n  return %0 : tensor<f32>\n}\n",
            [1],
        ),
        # Attributes without their brace.
        (CHAIN.replace("%x : tensor<4xf32>\n  %1", "%x {a = 1 : tensor<4xf32>\n  %1"), [2, 3, 5, 6, 7, 11]),
        # An alias with an error, used twice.
        (
            "#a = dense<[1, 2>\nfunc.func @main() {\n"
            "  %0 = stablehlo.constant {x = #a} dense<1> : tensor<i32>\n"
            "  %1 = stablehlo.constant {x = #a} dense<1> : tensor<i32>\n  return\n}\n",
            [1],
        ),
        (
            '"builtin.module"() ({\n"func.func"() <{sym_name = "f", function_type = () -> ()}> ({\n'
            '"func.return"() : ( -> ()\n}) : () -> ()\n'
            '"func.func"() <{sym_name = "g", function_type = () -> ()}> ({\n'
            '"func.return" : () -> ()\n}) : () -> ()\n}) : () -> ()\n',
            [3, 6],
        ),
    ],
    ids=["no brace", "a brace too many", "call", "attributes", "alias", "generic"],
)
def test_nothing_else_is_reported(text: str, lines: list[int]) -> None:
    assert lines_of(text) == lines


def test_reading_stops_after_the_maximum() -> None:
    line = "  %{} = stablehlo.tanhh %x : tensor<f32>\n"
    text = f"func.func @main(%x: tensor<f32>) {{\n{''.join(map(line.format, range(300)))}  return\n}}\n"
    *errors, note = faults(text)
    assert len(errors) == MAX_ERRORS
    assert note.severity == "note"
    assert "stopped after 100 errors" in note.message


@cache
def _texts() -> list[str]:
    files = [path.read_text("utf-8") for path in FILES]
    texts = [*files, *(example.text for example in EXAMPLES), *PROGRAMS.values()]
    return [text for text in texts if load(Source(text)).program]


MISTAKES = {
    "mlir": (
        (re.compile(r"(?<= )stablehlo\.(?=[a-z])"), "stablehlo.qqq"),
        (re.compile(r"(?<=x)f32>"), "f3>"),
        (re.compile(r" = (?=stablehlo)"), " "),
        (re.compile(r" : (?=\(?tensor)"), " "),
        (re.compile(r"(?<=, )%"), ""),
        (re.compile(r"(?<=\))(?= ->)"), ")"),
        (re.compile(r"dense<"), "dense"),
    ),
    "hlo": (
        (re.compile(r"(?<=\] )(?=[a-z-]+\()"), "qqq"),
        (re.compile(r"f32\["), "f3["),
        (re.compile(r" = (?=[a-z])"), " "),
        (re.compile(r"(?<=[a-z0-9])\)"), ""),
        (re.compile(r"(?<=[a-z0-9])\)"), ",)"),
        (re.compile(r"=\{"), "{"),
    ),
}
"""Mistakes in one line of a program; each is an error in that line."""
HLO_LINE = re.compile(r" *(ROOT )?%?[\w.-]+ = \(?[a-z0-9]+\[")
INSTRUCTION = re.compile(r"(?: *%[\w.]+ = .* : .*| {0,2}(?:ROOT )?%?[\w.-]+ = \(?[a-z0-9]+\[.*)(?<!\{)")


@for_each("seed", range(300))
def test_errors_are_where_the_mistakes_are(seed: int) -> None:
    choice = random.Random(seed)
    lines = choice.choice(_texts()).split("\n")
    wrong = list(lines)
    whole = [number for number, line in enumerate(lines) if INSTRUCTION.fullmatch(line)]
    for number in choice.sample(whole, min(len(whole), choice.randint(1, 4))):
        line = _with_mistake(lines[number], choice)
        alone = "\n".join([*lines[:number], line, *lines[number + 1 :]])
        # The mistake is an error, and in its own line.
        if line != lines[number] and load(Source(alone)).program is None and lines_of(alone) == [number + 1]:
            wrong[number] = line
    expected = [number + 1 for number, line in enumerate(lines) if wrong[number] != line]
    assert not expected or lines_of("\n".join(wrong)) == expected, "\n".join(wrong)


def _with_mistake(line: str, choice: random.Random) -> str:
    found, made = choice.choice(MISTAKES["hlo" if HLO_LINE.match(line) else "mlir"])
    return found.sub(made, line, count=1)
