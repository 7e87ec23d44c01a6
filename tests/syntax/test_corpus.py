"""Every program of the corpus is read, printed and read again, or refused with a position."""

from __future__ import annotations

from hloscope.engine.frontend import load
from hloscope.engine.ops import op_table, reading_table
from hloscope.engine.source import Source
from hloscope.engine.syntax import parse_module, print_module
from tests.each import for_each

from .corpus import Chunk, corpus

CORPUS = corpus()


def named(chunk: Chunk) -> str:
    return chunk.name


def test_there_are_enough_and_each_has_a_name() -> None:
    assert len(CORPUS) > 250
    assert len({chunk.name for chunk in CORPUS}) == len(CORPUS)
    assert {chunk.verdict for chunk in CORPUS} == {"", "refused", "only here", "only MLIR", "otherwise"}


@for_each("chunk", [chunk for chunk in CORPUS if chunk.is_read], ids=named)
def test_what_is_printed_reads_back_equal(chunk: Chunk) -> None:
    module = parse_module(Source(chunk.text), reading_table())
    short = print_module(module, op_table())
    generic = print_module(module, op_table(), "generic")
    for text in (short, generic):
        again = parse_module(Source(text), op_table())
        assert again == module
        assert print_module(again, op_table()) == short


@for_each("chunk", [chunk for chunk in CORPUS if not chunk.is_read], ids=named)
def test_what_is_refused_is_refused_at_a_place(chunk: Chunk) -> None:
    loaded = load(Source(chunk.text))
    assert loaded.program is None
    for found in loaded.diagnostics:
        assert found.kind in ("parse", "constraint", "structure")
        assert 0 <= found.span.start <= found.span.end <= len(chunk.text)
        assert found.span.end > 0
        assert len(found.message) < 300
