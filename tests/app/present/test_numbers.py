"""Statistics and texts of values, held against NumPy over the whole array at once."""

import json
import math
from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from hloscope.app.present.memory import bytes_text
from hloscope.app.present.numbers import exact_number, json_number, percent_text, short_number
from hloscope.app.present.statistics import statistics_of
from hloscope.app.present.summary import spread_json, thumbnail, value_summary, value_text
from hloscope.engine.ir.element_types import ELEMENT_TYPES, ONLY_IN_HLO, of_dtype
from hloscope.engine.ir.types import TensorType
from hloscope.engine.value_facts import CHUNK, facts_of, range_of
from tests.each import for_each

DTYPES = ["?", "i1", "u1", "i4", "i8", "u8", "f2", "f4", "f8", "c8", ml_dtypes.bfloat16, ml_dtypes.int4]


def _type(array: Any) -> TensorType:
    element_type = of_dtype(array.dtype)
    assert element_type is not None
    return TensorType(array.shape, element_type)


def _text(array: Any) -> str:
    return value_text(array, _type(array))


floats = arrays.arrays(
    st.sampled_from([np.float32, np.float64]),
    arrays.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=7),
    elements={"allow_nan": True, "allow_infinity": True},
)


def _exact_moments(numbers: Any) -> tuple[float, float]:
    exact_numbers = [Fraction(number) for number in numbers.tolist()]
    mean = sum(exact_numbers) / len(exact_numbers)
    return float(mean), float(sum((x - mean) ** 2 for x in exact_numbers) / len(exact_numbers)) ** 0.5


@given(floats)
def test_statistics_are_those_of_the_numbers_among_the_elements(array: Any) -> None:
    found = statistics_of(array)
    finite = array[np.isfinite(array)].astype(np.float64)
    assert found.range.count == array.size
    assert found.range.nan == np.isnan(array).sum()
    assert found.range.positive_infinities == (array == np.inf).sum()
    assert found.range.negative_infinities == (array == -np.inf).sum()
    assert found.zeros == (array == 0).sum()
    assert sum(found.counts) == finite.size
    if finite.size:
        assert (found.range.minimum, found.range.maximum) == (finite.min(), finite.max())
        size = float(np.abs(finite).max()) or 1.0
        mean, deviation = _exact_moments(finite / size)
        assert math.isclose(found.range.mean / size, mean, rel_tol=1e-9, abs_tol=1e-9)
        assert math.isclose(found.deviation / size, deviation, rel_tol=1e-6, abs_tol=1e-9)
    json.dumps([found.statistics_json(), found.histogram_json()], allow_nan=False)


@pytest.mark.parametrize("dtype", DTYPES)
def test_chunks_make_no_difference(dtype: Any) -> None:
    numbers = np.random.default_rng(0).normal(0, 3, CHUNK * 2 + 17)
    array = np.clip(numbers, 0 if np.dtype(dtype).kind == "u" else -8, 7).astype(dtype)
    found = statistics_of(array)
    plain = array.astype(np.float64) if np.dtype(dtype).kind != "c" else np.abs(array).astype(np.float64)
    assert float(found.range.minimum) == plain.min()
    assert float(found.range.maximum) == plain.max()
    assert math.isclose(found.range.mean, plain.mean(), rel_tol=1e-6)
    assert math.isclose(found.deviation, plain.std(), rel_tol=1e-6)
    assert sum(found.counts) == array.size


def test_a_share_is_written_as_on_the_page() -> None:
    written = [percent_text(part) for part in (0, 0.00001, 0.001, 0.1254, 0.57, 0.99999, 1, 3, 20.5)]
    assert written == (
        ["0 %", "under 0.1 %", "0.1 %", "12.5 %", "57 %", "99.9 %", "100 %", "300 %", "2,050 %"]
    )


def test_the_histogram_is_numpys() -> None:
    array = np.random.default_rng(0).normal(size=10_000)
    found = statistics_of(array)
    np.testing.assert_allclose(found.counts, np.histogram(array, 64)[0], atol=1)
    np.testing.assert_allclose(found.edges, np.histogram(array, 64)[1])


def test_a_few_integers_have_a_bin_each() -> None:
    found = statistics_of(np.array([-1, 2, 2, 2]))
    assert found.edges == (-1.5, -0.5, 0.5, 1.5, 2.5)
    assert found.counts == (1, 0, 0, 3)


def test_extremes_of_f64_neither_overflow_nor_vanish() -> None:
    largest = np.finfo(np.float64).max
    found = statistics_of(np.array([-largest, largest, largest, -largest]))
    assert found.range.mean == 0
    assert math.isclose(found.deviation, largest)
    assert sum(found.counts) == 4
    same = statistics_of(np.full(4, largest))
    assert same.range.mean == largest
    assert same.counts == (4,)
    tiny = statistics_of(np.array([0.0, 5e-324]))
    assert sum(tiny.counts) == 2


def test_integers_keep_their_exact_range() -> None:
    found = statistics_of(np.array([2**63 - 1, -(2**63)])).statistics_json()
    assert (found["min"], found["max"]) == ("-9223372036854775808", "9223372036854775807")
    assert statistics_of(np.array([2**64 - 1], np.uint64)).range.maximum == 2**64 - 1


def test_repeats_are_counted_and_never_spread_out() -> None:
    array = np.broadcast_to(np.array([[1.0], [np.nan]], np.float32), (10**6, 2, 10**6))
    found = statistics_of(array)
    assert found.range.count == 2 * 10**12
    assert found.range.nan == 10**12
    assert found.counts == (10**12,)
    assert thumbnail(array, _type(array))["nonfinite"]


@pytest.mark.parametrize(
    ("value", "text"),
    [(1, 1), (2**53 + 1, str(2**53 + 1)), (0.5, 0.5), (math.inf, "Infinity"), (-math.inf, "-Infinity")],
)
def test_json_numbers(value: Any, text: Any) -> None:
    assert json_number(value) == text
    assert json_number(math.nan) == "NaN"


def test_numbers_as_text() -> None:
    assert [short_number(x) for x in (1.23456, -0.000123456, 1.2e-07, 12288, 10**12)] == [
        "1.235",
        "-0.0001235",
        "1.2e-7",
        "12288",
        "1e12",
    ]
    # Halves, frequent in short types, are rounded as by the page's `toPrecision`.
    assert [short_number(x) for x in (9.5625, -9.5625, 0.46875, -0.0)] == ["9.563", "-9.563", "0.4688", "-0"]
    assert exact_number(np.float32(0.1)) == "0.1"
    assert exact_number(np.complex64(1 - 2.5j)) == "1-2.5i"
    assert exact_number(np.float64(3)) == "3"
    assert [exact_number(np.float32(x)) for x in (1e-5, -1e10, 1e-45)] == ["1e-5", "-1e10", "1e-45"]


@for_each(
    ("array", "text"),
    [
        (np.array(0.25, np.float32), "f32  0.25"),
        (np.array(True), "i1  true"),
        (np.array([4, 0, -1], np.int32), "i32[3]  [4, 0, -1]"),
        (np.array([1.5, np.nan], ml_dtypes.bfloat16), "bf16[2]  [1.5, NaN]"),
        (np.zeros((0, 3), np.float32), "f32[0,3]  empty"),
        (np.zeros((2, 3), np.float32), "f32[2,3]  all 0"),
        (np.arange(6, dtype=np.float32).reshape(2, 3), "f32[2,3]  0 … 5  mean 2.5"),
        (np.array([[1, np.nan], [3, np.inf]]), "f64[2,2]  1 … 3  mean 2, 1 NaN, 1 +Inf"),
        (np.array([[-0.0, np.nan], [-0.0, -np.inf]]), "f64[2,2]  2 are -0, 1 NaN, 1 -Inf"),
        (np.array([[np.nan, np.nan], [7, np.inf]]), "f64[2,2]  1 is 7, 2 NaN, 1 +Inf"),
        (np.array([np.nan, np.inf, -np.inf], np.float32), "f32[3]  [NaN, +Inf, -Inf]"),
        (np.array(np.inf, ml_dtypes.float8_e5m2), "f8E5M2  +Inf"),
        (np.array([[complex(np.inf, -np.inf), 0]]), "complex<f64>[1,2]  1 is |0|, 1 +Inf"),
        (np.full((2, 2), np.nan, np.float32), "f32[2,2]  all NaN"),
        (np.array([[3 + 4j, 0]]), "complex<f64>[1,2]  |0| … |5|  mean 2.5"),
        (np.array([[-3, 7]], ml_dtypes.int4), "i4[1,2]  -3 … 7  mean 2"),
        (np.array([[True, True]]), "i1[1,2]  all true"),
        (np.array([[False], [False]]), "i1[2,1]  all false"),
        (np.array([[True, False, True]]), "i1[1,3]  2 of 3 true"),
        (np.array([[-1, 0]], ml_dtypes.int1), "s1[1,2]  -1 … 0  mean -0.5"),
        (np.array([1, 0], ml_dtypes.uint1), "u1[2]  [1, 0]"),
    ],
)
def test_a_value_in_one_line(array: Any, text: str) -> None:
    assert _text(np.asarray(array)) == text


def test_the_spread_leaves_out_outliers_zeros_and_what_is_no_number() -> None:
    array = np.concatenate([np.arange(1, 1001), np.zeros(1000), [1e30, np.nan, np.inf]])
    spread = spread_json(array.astype(np.float32))
    assert (spread["low"], spread["high"]) == (0, 991)
    assert (spread["small"], spread["median"], spread["large"]) == (101, 501, 991)
    assert spread_json(np.full(3, np.nan))["low"] == "NaN"
    assert spread_json(np.zeros(3))["median"] == "NaN"


def test_the_spread_of_a_large_value_is_that_of_a_sample() -> None:
    array = np.random.default_rng(0).normal(size=300_000).astype(np.float32)
    spread = spread_json(array)
    assert spread["low"] == pytest.approx(np.percentile(array, 0.5), abs=0.1)
    assert spread["high"] == pytest.approx(np.percentile(array, 99.5), abs=0.1)
    assert spread_json(np.broadcast_to(np.float32(2), (1 << 20, 1 << 20)))["median"] == 2


def test_lanes_are_a_part_of_the_shape_and_of_the_text() -> None:
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    summary = value_summary("0.s1.0", array, TensorType((), ELEMENT_TYPES["f32"]), (2, 3))
    assert (summary["shape"], summary["lanes"], summary["type"]) == ([2, 3], [2, 3], "tensor<f32>")
    assert summary["text"] == "f32 in 2×3 lanes  0 … 5  mean 2.5"


@pytest.mark.parametrize(
    ("name", "wire"),
    [
        ("i1", {"dtype": "u8", "components": 1}),
        ("i4", {"dtype": "i8", "components": 1}),
        ("s1", {"dtype": "i8", "components": 1}),
        ("u1", {"dtype": "u8", "components": 1}),
        ("ui64", {"dtype": "u64", "components": 1}),
        ("f8E4M3FN", {"dtype": "f32", "components": 1}),
        ("complex<f64>", {"dtype": "f64", "components": 2}),
        ("index", {"dtype": "i64", "components": 1}),
    ],
)
def test_the_summary_names_the_wire_form(name: str, wire: dict[str, Any]) -> None:
    element_type = (ELEMENT_TYPES | ONLY_IN_HLO)[name]
    summary = value_summary("0.f0.0", np.zeros(2, element_type.dtype), TensorType((2,), element_type))
    assert summary["wire"] == wire
    assert summary["elementType"] == name
    json.dumps(summary, allow_nan=False)


@given(floats)
def test_every_value_has_a_text_and_json(array: Any) -> None:
    json.dumps(value_summary("0.s0.0", array, _type(array)), allow_nan=False)
    assert range_of(array).finite + range_of(array).nonfinite == array.size


@pytest.mark.parametrize("name", ["f32", "bf16", "f8E5M2"])
@pytest.mark.parametrize("many", [20, 300_000])
def test_the_zeros_of_both_signs_are_the_ends_of_their_range(name: str, many: int) -> None:
    dtype = ELEMENT_TYPES[name].dtype
    positive, negative = np.zeros(many, dtype), np.full(many, -0.0).astype(dtype)
    for array, text in (
        (positive, "all 0"),
        (negative, "all -0"),
        (np.concatenate((positive, negative)), "-0 … 0  mean 0"),
        (np.concatenate((negative, np.ones(many, dtype), positive)), "-0 … 1  mean 0.3333"),
        (np.concatenate((-np.ones(many, dtype), positive, negative)), "-1 … 0  mean -0.3333"),
        (np.concatenate((positive, negative, [np.array(-np.nan).astype(dtype)])), "-0 … 0  mean 0, 1 NaN"),
    ):
        assert value_text(array, _type(array)).endswith(f"  {text}"), array
        ends = [
            (str(found.minimum), str(found.maximum)) for found in (facts_of(array).range, range_of(array))
        ]
        assert ends[0] == ends[1]


def test_sizes_are_rounded_as_on_the_page() -> None:
    assert bytes_text(3200) == "3.13 KiB"  # 3.125
    assert bytes_text(19_200) == "18.8 KiB"  # 18.75
    assert bytes_text(1) == "1 byte"
