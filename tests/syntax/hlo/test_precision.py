"""Precisions, algorithms of dot and accuracies of results: text and StableHLO attributes."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hloscope.engine.ir.attributes import ArrayAttribute, Attribute, StringAttribute, StructAttribute
from hloscope.engine.syntax import parse_attribute
from hloscope.engine.syntax.hlo.attributes.precision import (
    is_default_accuracy,
    is_default_precision,
    print_algorithm,
    print_precision,
    print_result_accuracy,
    read_algorithm,
    read_precision,
    read_result_accuracy,
)
from tests.each import for_each

from .reading import cursor, read, refused

PRECISIONS = {
    "{default,highest}": "[#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]",
    "{high}": "[#stablehlo<precision HIGH>]",
    "{}": "[]",
}
KNOWN = "default, high, highest"


@pytest.mark.parametrize("text", PRECISIONS)
def test_precisions(text: str) -> None:
    found = read(read_precision, text)
    assert found == parse_attribute(PRECISIONS[text])
    assert print_precision(found) == text


def test_precisions_in_other_spellings() -> None:
    assert print_precision(read(read_precision, "{ Highest, DEFAULT }")) == "{highest,default}"


def test_precisions_that_need_not_be_said() -> None:
    assert is_default_precision(read(read_precision, "{default,default}"))
    assert not is_default_precision(read(read_precision, "{default,high}"))


@pytest.mark.parametrize(
    ("text", "message", "about"),
    [
        ("{hihg}", "hihg is not a valid precision", "hihg"),
        ("{,}", f"expected precision: {KNOWN}, found ','", ","),
        ("{high highest}", "expected ',' or '}', found 'highest'", "highest"),
    ],
)
def test_wrong_precisions(text: str, message: str, about: str) -> None:
    assert refused(read_precision, text) == (message, about)


# Algorithms

ALGORITHM = (
    "#stablehlo.dot_algorithm<lhs_precision_type = {0}, rhs_precision_type = {0}, accumulation_type = {1}, "
    "lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = {2}, "
    "allow_imprecise_accumulation = {3}>"
)
ALGORITHMS = {
    "dot_any_f8_any_f8_f32": ("f8E5M2", "f32", 1, "false"),
    "dot_any_f8_any_f8_f32_fast_accum": ("f8E5M2", "f32", 1, "true"),
    "dot_f16_f16_f16": ("f16", "f16", 1, "false"),
    "dot_f16_f16_f32": ("f16", "f32", 1, "false"),
    "dot_bf16_bf16_bf16": ("bf16", "bf16", 1, "false"),
    "dot_bf16_bf16_f32": ("bf16", "f32", 1, "false"),
    "dot_bf16_bf16_f32_x3": ("bf16", "f32", 3, "false"),
    "dot_bf16_bf16_f32_x6": ("bf16", "f32", 6, "false"),
    "dot_bf16_bf16_f32_x9": ("bf16", "f32", 9, "false"),
    "dot_tf32_tf32_f32": ("tf32", "f32", 1, "false"),
    "dot_tf32_tf32_f32_x3": ("tf32", "f32", 3, "false"),
    "dot_f32_f32_f32": ("f32", "f32", 1, "false"),
    "dot_f64_f64_f64": ("f64", "f64", 1, "false"),
}


@for_each("word", ALGORITHMS)
def test_algorithms(word: str) -> None:
    stated = parse_attribute(ALGORITHM.format(*ALGORITHMS[word]))
    found = read(read_algorithm, word)
    assert found == stated
    assert print_algorithm(stated) == word
    assert read(read_algorithm, word.upper()) == stated


def test_no_algorithm() -> None:
    assert read(read_algorithm, "unset") is None
    assert refused(read_algorithm, "dot_bf16_bf16_f32_x4") == (
        "dot_bf16_bf16_f32_x4 is not a valid algorithm",
        "dot_bf16_bf16_f32_x4",
    )


def test_any_types_of_8_bits() -> None:
    text = ALGORITHM.format("f8E4M3FN", "f32", 1, "true").replace(
        "rhs_precision_type = f8E4M3FN", "rhs_precision_type = f8E5M2"
    )
    assert print_algorithm(parse_attribute(text)) == "dot_any_f8_any_f8_f32_fast_accum"


@pytest.mark.parametrize(
    "attribute",
    [StringAttribute("dot_f32_f32_f32"), parse_attribute(ALGORITHM.format("f32", "f32", 4, "true"))],
)
def test_algorithms_without_a_name(attribute: Attribute) -> None:
    with pytest.raises(ValueError, match=r"no word for this algorithm|expected #stablehlo"):
        print_algorithm(attribute)


# Accuracies

ACCURACY = "#stablehlo.result_accuracy<{} = #stablehlo.result_accuracy_mode<{}>>"
ACCURACIES = {
    "{mode=highest}": ACCURACY.format("mode", "HIGHEST"),
    "{mode=default}": ACCURACY.format("mode", "DEFAULT"),
    "{tolerance={atol=0,rtol=0.1,ulps=2}}": ACCURACY.format(
        "atol = 0.0, rtol = 1.0e-1, ulps = 2, mode", "TOLERANCE"
    ),
}
OTHER_SPELLINGS = {
    "{mode=HIGHEST}": "{mode=highest}",
    "{tolerance={}}": "{tolerance={atol=0,rtol=0,ulps=0}}",
    "{ tolerance = { rtol=1e-5, atol=.5 } }": "{tolerance={atol=0.5,rtol=1e-05,ulps=0}}",
    "{tolerance={rtol=inf}}": "{tolerance={atol=0,rtol=inf,ulps=0}}",
    "{tolerance={atol=100000,rtol=0.30000000000000004}}": "{tolerance={atol=100000,rtol=0.30000000000000004,ulps=0}}",
}
WRONG = {
    "{}": ("expected 'tolerance' or 'mode', found '}'", "}"),
    "{mode=low}": ("low is not a valid mode", "low"),
    "{mode=highest tolerance={}}": ("expected '}', found 'tolerance'", "tolerance"),
    "{tolerance={atol=-1}}": ("expected a number that is not negative, found '-1'", "-1"),
    "{tolerance={rtol=nan}}": ("expected a number that is not negative, found 'nan'", "nan"),
    "{tolerance={ulps=1.5}}": ("expected ',' or '}', found '.'", "."),
    "{tolerance={ulps=-1}}": ("ulps is a nonnegative number within 64 bits", "-1"),
    "{tolerance={atol=1,atol=2}}": ("'atol' is given twice", "atol"),
    "{tolerance={foo=1}}": ("foo is none of atol, rtol and ulps", "foo"),
    "{tolerance={mode=1}}": ("mode is none of atol, rtol and ulps", "mode"),
}


@pytest.mark.parametrize("text", ACCURACIES)
def test_accuracies(text: str) -> None:
    found = read(read_result_accuracy, text)
    assert found == parse_attribute(ACCURACIES[text])
    assert print_result_accuracy(found) == text
    assert is_default_accuracy(found) == ("default" in text)


@pytest.mark.parametrize("text", OTHER_SPELLINGS)
def test_accuracies_in_other_spellings(text: str) -> None:
    assert print_result_accuracy(read(read_result_accuracy, text)) == OTHER_SPELLINGS[text]


@pytest.mark.parametrize("text", WRONG)
def test_wrong_accuracies(text: str) -> None:
    assert refused(read_result_accuracy, text) == WRONG[text]


def test_parts_that_stablehlo_leaves_out() -> None:
    found = parse_attribute(ACCURACY.format("ulps = 2, mode", "TOLERANCE"))
    assert print_result_accuracy(found) == "{tolerance={atol=0,rtol=0,ulps=2}}"
    assert is_default_accuracy(StructAttribute("stablehlo", "result_accuracy", {}))


@given(st.floats(0), st.floats(0), st.integers(0, (1 << 63) - 1))
def test_any_tolerance(atol: float, rtol: float, ulps: int) -> None:
    text = f"{{tolerance={{atol={atol!r},rtol={rtol!r},ulps={ulps}}}}}"
    found = read_result_accuracy(cursor(text))
    again = read(read_result_accuracy, print_result_accuracy(found))
    assert again == found
    values = [getattr(again.parameters[key], "value", math.nan) for key in ("atol", "rtol", "ulps")]
    assert values == [atol, rtol, ulps]


def test_what_is_neither() -> None:
    with pytest.raises(ValueError, match="expected"):
        print_precision(StringAttribute("high"))
    with pytest.raises(ValueError, match="no word for this precision"):
        print_precision(ArrayAttribute((StringAttribute("high"),)))
    with pytest.raises(ValueError, match="expected"):
        print_result_accuracy(StringAttribute("highest"))
