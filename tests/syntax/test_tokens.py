"""The editor's tokens."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hloscope.engine.syntax import tokens

from .reading import program


def kinds(text: str) -> list[tuple[str, str]]:
    return [(text[start:end], kind) for start, end, kind in tokens(text)]


def test_a_line() -> None:
    assert kinds('%0#1 = stablehlo.add @f "s" ^bb0 #x.y !t 0xFF -1.5e3 tensor<2x?xf32> // end') == [
        ("%0#1", "value"),
        ("=", "punctuation"),
        ("stablehlo.add", "operation"),
        ("@f", "symbol"),
        ('"s"', "string"),
        ("^bb0", "block"),
        ("#x.y", "attribute"),
        ("!t", "type"),
        ("0xFF", "number"),
        ("-1.5e3", "number"),
        ("tensor", "type"),
        ("<", "punctuation"),
        ("2x?xf32", "type"),
        (">", "punctuation"),
        ("// end", "comment"),
    ]


def test_keywords() -> None:
    assert ("func.func", "keyword") in kinds(program("control"))
    assert ("module", "keyword") in kinds(program("control"))


@given(st.text(alphabet='%#@!^"\\/<>{}[]()->=:,.0123456789xfi_ab\n ', max_size=60))
def test_any_text_has_tokens_in_order(text: str) -> None:
    end = 0
    for start, following, kind in tokens(text):
        assert end <= start < following
        assert kind
        end = following
