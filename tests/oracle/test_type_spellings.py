"""The types behind an op's short form: spelled in every way, MLIR and we read the same."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from heapq import nsmallest

import pytest

from hloscope.engine.frontend import load
from hloscope.engine.ops import OPS
from hloscope.engine.source import Source
from tests.syntax.corpus import corpus

from .client import Oracle, OracleRefused
from .programs import program_files, right_programs

pytestmark = pytest.mark.oracle
LINE = re.compile(r"^(?P<head>\s*(?:%[\w:, %]+ = )?(?P<op>[a-z]+\.[\w-]+)\b.*) : (?P<types>\S.*[^{])$")
ELEMENTS = ("f32", "f64", "complex<f32>", "i32", "i1", "!quant.uniform<i8:f32, 0.5>")
STRICTER = ("stablehlo.einsum", "stablehlo.unary_einsum", "shape.concat")
"""Ops whose results MLIR does not infer: it takes any."""
VERIFIED = re.compile(r"' op |inferred|failed to infer")
"""What MLIR says of an op that it has read."""


@dataclass(frozen=True)
class Place:
    """An op in a program that MLIR has printed: lines, which of them, what is before its types, and these."""

    lines: tuple[str, ...]
    number: int
    op: str
    head: str
    types: str

    def length(self) -> int:
        """Characters of the program, all of which MLIR and we read once for each spelling."""
        return sum(map(len, self.lines))

    def spelled(self, types: str) -> str:
        """The program with other types behind the op."""
        lines = list(self.lines)
        lines[self.number] = f"{self.head} : {types}"
        return "\n".join(lines)

    def spellings(self) -> set[str]:
        """One type, those of the operands, one for both sides, and a functional type."""
        given, _, made = self.types.rpartition(" -> ") if " -> " in self.types else (self.types, "", "")
        operands, results = _split(given), _split(made)
        whole = ", ".join(operands)
        found = {*operands[:1], *results[:1], whole, f"({whole})"}
        for side in filter(None, (made, *operands[:1])):
            found |= {
                f"({whole}) -> {side}",
                f"{whole} -> {side}",
                *(f"{one} -> {side}" for one in operands[:1]),
            }
        return found


def _split(types: str) -> list[str]:
    """Types between commas, without the parentheses around all of them."""
    depth, parts = 0, [""]
    for character in types[1:-1] if types[:1] == "(" else types:
        depth += (character in "<([{") - (character in ">)]}")
        parts = [*parts, ""] if character == "," and not depth else [*parts[:-1], parts[-1] + character]
    return [part.strip() for part in parts if part.strip()]


@cache
def _places(oracle: Oracle) -> tuple[Place, ...]:
    """Two of each op with as many types, in the shortest of our programs that have them; ops without operands have one type in any case."""
    texts = [text for _, text in right_programs(*program_files())]
    texts += [chunk.text for chunk in corpus() if not chunk.verdict]
    found: dict[tuple[str, int, int], list[Place]] = {}
    for text in texts:
        try:
            lines = tuple(oracle.parse(text).short.splitlines())
        except OracleRefused:
            continue
        for number, line in enumerate(lines):
            match = LINE.match(line)
            if match and "%" in match["head"][match.end("op") :]:
                types = match["types"]
                key = match["op"], types.count("tensor<"), len(set(_split(types.replace(" -> ", ", "))))
                found.setdefault(key, []).append(Place(lines, number, match["op"], match["head"], types))
    return tuple(place for places in found.values() for place in nsmallest(2, places, key=Place.length))


def _texts(oracle: Oracle) -> Iterator[tuple[str, str]]:
    for place in _places(oracle):
        if place.op not in STRICTER:
            yield from ((place.op, place.spelled(types)) for types in sorted(place.spellings()))


def test_what_mlir_reads_is_read(oracle: Oracle) -> None:
    count = sum(_agrees(oracle, op, text) for op, text in _texts(oracle))
    print(f"{count} spellings")
    assert count > 1_500


@pytest.mark.parametrize("element", ELEMENTS)
def test_one_type_for_all(oracle: Oracle, element: str) -> None:
    """Ops of values alone, of which no program of ours may have one with equal types."""
    alone = [op for op in OPS if re.fullmatch(r"operands attr-dict : \S+", op.short_form or "")]
    assert len(alone) > 60
    for op in alone:
        for count in (1, 2, 3):
            operands = ", ".join(["%a"] * count)
            kind = f"tensor<2x{element}>"
            _agrees(
                oracle, op.name, f"func.func @f(%a: {kind}) {{ %0 = {op.name} {operands} : {kind}\n return }}"
            )


def _agrees(oracle: Oracle, op: str, text: str) -> bool:
    """Fails if MLIR takes what we refuse, or reads what we do not read."""
    theirs, ours = oracle.refuses(text), load(Source(text))
    if theirs is None:
        assert ours.diagnostics == (), f"{op}: {ours.diagnostics[0].format(ours.source)}"
    elif VERIFIED.search(theirs):
        assert ours.module is not None, f"{op}: {ours.diagnostics[0].format(ours.source)}"
    return True
