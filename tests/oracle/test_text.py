"""MLIR's parser and printer on every kind of syntax: both read the same programs and mean the same by them."""

from __future__ import annotations

from typing import Literal

import pytest

from hloscope.engine.ops import op_table, reading_table
from hloscope.engine.source import Source
from hloscope.engine.syntax import parse_module, print_module
from tests.each import for_each
from tests.syntax.corpus import Chunk, corpus

from .client import Oracle, OracleRefused, Parsed

pytestmark = pytest.mark.oracle
CORPUS = corpus()
AGREED = [chunk for chunk in CORPUS if not chunk.verdict]
# What MLIR leaves out of its short form, though its generic form has it.
DEFAULTS = ("has_side_effect = false", "composite_attributes = {}", "result_accuracy_mode<DEFAULT>")


def named(chunk: Chunk) -> str:
    return chunk.name


def printed(text: str, form: Literal["short", "generic"] = "short") -> str:
    return print_module(parse_module(Source(text), reading_table()), op_table(), form)


STRICT = "strict properties in assembly format"
"""Part of the message of MLIR of jaxlib 0.12 on properties in `{…}`, which older ones write and require."""


def parse(oracle: Oracle, text: str) -> Parsed:
    try:
        return oracle.parse(text)
    except OracleRefused as refused:
        if STRICT in str(refused):
            pytest.skip("this MLIR reads properties in <…> alone, and we print them for all versions")
        raise


@for_each("chunk", CORPUS, ids=named)
def test_mlir_reads_and_refuses_what_the_corpus_says(oracle: Oracle, chunk: Chunk) -> None:
    refused = oracle.refuses(chunk.text)
    if refused and STRICT in refused:
        refused = None
    assert (refused is None) == (chunk.verdict in ("", "only MLIR", "otherwise")), refused


@pytest.mark.parametrize("form", ["short", "generic"])
@for_each("chunk", AGREED, ids=named)
def test_mlir_reads_the_same_from_our_text(
    oracle: Oracle, chunk: Chunk, form: Literal["short", "generic"]
) -> None:
    assert parse(oracle, printed(chunk.text, form)).generic == parse(oracle, chunk.text).generic


@for_each("chunk", AGREED, ids=named)
def test_we_read_what_mlir_prints(oracle: Oracle, chunk: Chunk) -> None:
    parsed = parse(oracle, chunk.text)
    assert parse(oracle, printed(parsed.generic)).generic == parsed.generic
    if not any(default in parsed.generic for default in DEFAULTS):
        assert parse(oracle, printed(parsed.short)).generic == parsed.generic


@for_each("chunk", [chunk for chunk in CORPUS if chunk.verdict == "only here"], ids=named)
def test_what_only_we_read_is_printed_for_mlir(oracle: Oracle, chunk: Chunk) -> None:
    refused = oracle.refuses(printed(chunk.text))
    # Types and dialects that MLIR does not know have no other spelling.
    unknown = ("dialect", "VectorElementType", "storage type")
    assert refused is None or any(word in refused for word in unknown), refused
