"""Programs as data: equal when they say the same, however deep they are."""

from hloscope.engine.frontend import load
from hloscope.engine.ir.module import Module
from hloscope.engine.ops import op_table
from hloscope.engine.source import Source
from hloscope.engine.syntax import parse_module, print_module

DEEPEST = 97
"""Regions in each other, two levels of nesting each; the limit is 200."""


def _nested(depth: int, innermost: str = "%x") -> str:
    opened = "".join(f'%{n} = "stablehlo.if"(%p) ({{\n' for n in range(depth))
    other = "}, {\nstablehlo.return %x : tensor<f32>\n}) : (tensor<i1>) -> tensor<f32>\n"
    closed = "".join(f"{other}stablehlo.return %{n} : tensor<f32>\n" for n in range(depth - 1, 0, -1))
    head = "func.func @main(%p: tensor<i1>, %x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {\n"
    return f"{head}{opened}stablehlo.return {innermost} : tensor<f32>\n{closed}{other}return %0 : tensor<f32>\n}}"


def _module(text: str) -> Module:
    return parse_module(Source(text), op_table())


def test_the_deepest_programs_are_verified_printed_and_compared() -> None:
    text = _nested(DEEPEST)
    assert load(Source(text)).diagnostics == ()
    module = _module(text)
    assert _module(print_module(module, op_table(), "generic")) == module


def test_a_difference_in_the_innermost_region_is_seen() -> None:
    assert _module(_nested(DEEPEST, "%x")) != _module(_nested(DEEPEST, "%y"))
    assert _module(_nested(3)) != _module(_nested(4))
