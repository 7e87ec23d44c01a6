"""Operations that break a rule of while, if or case."""

from __future__ import annotations

from collections.abc import Iterator

from hloscope.engine.ir.module import Operation, Region

from ..building import operation, region
from .stating import Broken

UNBREAKABLE = {
    ("while", "I1"): "any value may be an operand",
    ("while", "I2"): "a missing region is a rule of structure",
    ("while", "I3"): "a missing region is a rule of structure",
    ("if", "I2"): "a missing region is a rule of structure",
    ("if", "I3"): "a missing region is a rule of structure",
    ("case", "I2"): "a missing region is C1",
}
"""Labels of ops that no operation of a text can break, and why."""


def _loop(cond: Region, body: Region, results: list[str]) -> Operation:
    return operation("while", ["i32", "2xf32"], results, [cond, body])


def broken() -> Iterator[tuple[str, Broken]]:
    values = ["i32", "2xf32"]
    cond, body = region(values, ["i1"]), region(values, values)
    for wrong in (
        region(values, ["i32"]),
        region(values, []),
        region(["i32"], ["i1"]),
        region(values, ["1xi1"]),
    ):
        yield "while", ("C1", _loop(wrong, body, values))
    for wrong in (region(values, ["i32"]), region(values[::-1], values), region(values, ["i32", "3xf32"])):
        yield "while", ("C2", _loop(cond, wrong, values))
    yield "while", ("C3", _loop(cond, body, ["i32", "3xf32"]))
    yield "while", ("C3", _loop(cond, body, ["i64", "2xf32"]))
    one, other, taking = region([], ["i32"]), region([], ["i64"]), region(["i32"], ["i32"])
    yield "if", ("I1", operation("if", ["1xi1"], ["i32"], [one, one]))
    yield "if", ("I1", operation("if", ["i32"], ["i32"], [one, one]))
    yield "if", ("C1", operation("if", ["i1"], ["i32"], [one, taking]))
    yield "if", ("C2", operation("if", ["i1"], ["i32"], [one, other]))
    yield "if", ("C3", operation("if", ["i1"], ["i64"], [one, one]))
    yield "case", ("I1", operation("case", ["i64"], ["i32"], [one]))
    yield "case", ("C1", operation("case", ["i32"], ["i32"]))
    yield "case", ("C2", operation("case", ["i32"], ["i32"], [one, taking]))
    yield "case", ("C3", operation("case", ["i32"], ["i32"], [one, one, other]))
    yield "case", ("C4", operation("case", ["i32"], ["i64"], [one]))
