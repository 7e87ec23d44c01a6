"""Grades of faults other than NaN and infinities, by what they reach in the run."""

from __future__ import annotations

import numpy as np
import pytest

from hloscope.engine.findings import fault_words
from tests.each import for_each

from .finding import found

F32, I32 = np.float32, np.int32


def grades(text: str, *inputs: object) -> list[tuple[str, str]]:
    """The kinds and grades of all findings."""
    return [(finding.kind, finding.grade) for finding in found(text, *inputs)]


SUM = """func.func @main(%x: tensor<4xf32>) -> tensor<f32> {{
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %powers = stablehlo.exponential %x : tensor<4xf32>
  %sum = stablehlo.reduce(%powers init: %zero) applies stablehlo.{} across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  {}
}}"""
LOG = "%log = stablehlo.log %sum : tensor<f32>\nreturn %log : tensor<f32>"


@pytest.mark.parametrize(
    ("combine", "end", "x", "grade"),
    [
        ("add", LOG, [0, -95, -100, -120], "masked"),
        ("add", LOG, [-95, -95, -100, -120], "harmful"),
        ("maximum", LOG, [1, -95, -100, -102], "masked"),
        ("maximum", LOG, [-94, -95, -100, -102], "harmful"),
        ("add", "return %zero : tensor<f32>", [-95, -95, -100, -120], "masked"),
    ],
)
def test_what_underflows_does_no_harm_if_it_is_lost_in_a_sum(
    combine: str, end: str, x: list[float], grade: str
) -> None:
    result = grades(SUM.format(combine, end), np.array(x, F32))
    assert [each for each in result if each[0] == "denormal"] == [("denormal", grade)]


BODY = """({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %both = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %both : tensor<f32>
  })"""
SUMS = {
    "windows": f"""%sum = "stablehlo.reduce_window"(%powers, %zero) {BODY} {{window_dimensions = array<i64: 4>}}
        : (tensor<4xf32>, tensor<f32>) -> tensor<1xf32>""",
    "updates": f"""%places = stablehlo.constant dense<0> : tensor<4x1xi32>
      %nothing = stablehlo.constant dense<0.0> : tensor<1xf32>
      %sum = "stablehlo.scatter"(%nothing, %places, %powers) <{{
        scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>
      }}> {BODY} : (tensor<1xf32>, tensor<4x1xi32>, tensor<4xf32>) -> tensor<1xf32>""",
    "frequencies": """%waves = stablehlo.fft %powers, type = RFFT, length = [4] : (tensor<4xf32>) -> tensor<3xcomplex<f32>>
      %parts = stablehlo.real %waves : (tensor<3xcomplex<f32>>) -> tensor<3xf32>
      %sum = stablehlo.slice %parts [0:1] : (tensor<3xf32>) -> tensor<1xf32>""",
}


@pytest.mark.parametrize(
    ("x", "grade"), [([0, -95, -100, -120], "masked"), ([-95, -95, -100, -120], "harmful")]
)
@pytest.mark.parametrize("lines", SUMS.values(), ids=SUMS)
def test_what_underflows_is_lost_in_every_op_that_adds_up(lines: str, x: list[float], grade: str) -> None:
    text = f"""func.func @main(%x: tensor<4xf32>) -> tensor<1xf32> {{
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %powers = stablehlo.exponential %x : tensor<4xf32>
      {lines}
      %log = stablehlo.log %sum : tensor<1xf32>
      return %log : tensor<1xf32>
    }}"""
    assert ("denormal", grade) in grades(text, np.array(x, F32))


DECAY = """func.func @main(%t: tensor<f32>) -> tensor<f32> {{
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %base = stablehlo.constant dense<0.6> : tensor<f32>
  %power = stablehlo.power %base, %t : tensor<f32>
  %rest = stablehlo.subtract %one, %power : tensor<f32>
  return {} : tensor<f32>
}}"""


@pytest.mark.parametrize(("result", "grade"), [("%rest", "masked"), ("%power", "harmful")])
def test_a_decay_that_is_taken_from_one_may_underflow(result: str, grade: str) -> None:
    assert grades(DECAY.format(result), F32(175)) == [("denormal", grade)]


def test_tails_of_a_result_may_underflow_but_not_all_of_it() -> None:
    text = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %powers = stablehlo.exponential %x : tensor<4xf32>
      return %powers : tensor<4xf32>
    }"""
    assert grades(text, np.array([0, -95, -100, -120], F32)) == [("denormal", "masked")]
    assert grades(text, np.array([-94, -95, -100, -120], F32)) == [("denormal", "harmful")]


TAKE = """func.func @main(%table: tensor<4xf32>, %rows: tensor<3xi32>, %known: tensor<3xi1>) -> tensor<3xf32> {{
  %zeros = stablehlo.constant dense<0.0> : tensor<3xf32>
  %taken = "stablehlo.gather"(%table, %rows) <{{
    dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>
  }}> : (tensor<4xf32>, tensor<3xi32>) -> tensor<3xf32>
  %chosen = stablehlo.select %known, %taken, %zeros : tensor<3xi1>, tensor<3xf32>
  %sum = stablehlo.add %chosen, %chosen : tensor<3xf32>
  return {} : tensor<3xf32>
}}"""


@pytest.mark.parametrize(
    ("rows", "known", "result", "grade"),
    [
        ([1, 7, 2], [True, False, True], "%sum", "masked"),
        ([1, 7, 2], [True, True, True], "%sum", "harmful"),
        ([1, 7, 2], [True, False, True], "%taken", "harmful"),
        ([1, -1, 2], [True, True, True], "%taken", "harmful"),
        ([1, -1, 2], [True, False, True], "%sum", "masked"),
        ([1, 4, -1], [True, True, True], "%taken", "harmful"),
    ],
)
def test_a_row_that_is_not_there_does_no_harm_where_a_select_leaves_it_out(
    rows: list[int], known: list[bool], result: str, grade: str
) -> None:
    table = np.arange(4, dtype=F32)
    found_grades = grades(TAKE.format(result), table, np.array(rows, I32), np.array(known))
    assert found_grades == [("out_of_bounds", grade)]


ENDS = """func.func @main(%x: tensor<4xf32>, %i: tensor<4xi32>, %mask: tensor<4xf32>) -> tensor<4xf32> {{
  %zeros = stablehlo.constant dense<0.0> : tensor<4xf32>
  %one = stablehlo.constant dense<1> : tensor<4xi32>
  %size = stablehlo.constant dense<4> : tensor<4xi32>
  %after = stablehlo.add %i, %one : tensor<4xi32>
  %minus = stablehlo.constant dense<-1> : tensor<4xi32>
  %before = stablehlo.add %i, %minus : tensor<4xi32>
  %listed = stablehlo.constant dense<[0, 1, 2, 4]> : tensor<4xi32>
  %is_last = stablehlo.compare GT, %after, %i : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  %sent = stablehlo.select %is_last, %size, %i : tensor<4xi1>, tensor<4xi32>
  %places = stablehlo.reshape {places} : (tensor<4xi32>) -> tensor<4x1xi32>
  {lines}
  return %result : tensor<4xf32>
}}"""
READ = """%taken = "stablehlo.gather"(%x, %places) <{
    dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>
  }> : (tensor<4xf32>, tensor<4x1xi32>) -> tensor<4xf32>
  %result = stablehlo.multiply %taken, %mask : tensor<4xf32>"""
WRITE = """%result = "stablehlo.scatter"(%zeros, %places, %x) ({
    ^bb0(%c: tensor<f32>, %d: tensor<f32>):
      %more = stablehlo.add %c, %d : tensor<f32>
      stablehlo.return %more : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}
    : (tensor<4xf32>, tensor<4x1xi32>, tensor<4xf32>) -> tensor<4xf32>"""


@for_each(
    ("lines", "places", "given", "mask", "grade"),
    [
        (READ, "%after", 3, 1, "harmful"),
        (READ, "%i", 4, 1, "harmful"),
        (READ, "%i", 4, 0, "masked"),
        (READ, "%i", -1, 1, "harmful"),
        (READ, "%before", 0, 1, "harmful"),
        (READ, "%listed", 0, 1, "harmful"),
        (READ, "%sent", 0, 1, "neutral"),
        (WRITE, "%after", 3, 1, "harmful"),
        (WRITE, "%i", 4, 1, "harmful"),
        (WRITE, "%before", 0, 1, "harmful"),
        (WRITE, "%listed", 0, 1, "harmful"),
        (WRITE, "%i", -1, 1, "neutral"),
        (WRITE, "%sent", 0, 1, "neutral"),
    ],
)
def test_an_index_just_behind_the_end_is_meant_where_the_program_puts_it_there(
    lines: str, places: str, given: int, mask: int, grade: str
) -> None:
    """One that was computed or listed is a mistake, and so is a given one, unless nothing becomes of what is read there.

    A given -1 is none where something is written: lists of places are filled up with it.
    """
    text = ENDS.format(lines=lines, places=places)
    x, weights = np.arange(1, 5, dtype=F32), np.array([1, 1, 1, mask], F32)
    result = grades(text, x, np.array([0, 1, 2, given], I32), weights)
    assert [each for each in result if each[0] != "collision"] == [
        ("out_of_bounds" if lines is READ else "dropped_update", grade)
    ]


def test_zeros_that_would_have_been_added_are_not_missed() -> None:
    """JAX pads the indices of a sparse matrix with its size."""
    text = ENDS.format(lines=WRITE, places="%i")
    places, weights = np.array([0, 4, 1, 4], I32), np.ones(4, F32)
    assert grades(text, np.array([1, 0, 2, 0], F32), places, weights) == []
    assert grades(text, np.array([1, 0, 2, 3], F32), places, weights) == [("dropped_update", "harmful")]


HASH = """func.func @main(%n: tensor<i32>, %x: tensor<9xf32>) -> (tensor<i32>, tensor<1xf32>) {{
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %prime = stablehlo.constant dense<16777619> : tensor<i32>
  %end, %hash = stablehlo.while(%k = %zero, %mixed = %prime) : tensor<i32>, tensor<i32>
    cond {{
      %more = stablehlo.compare LT, %k, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    }} do {{
      %next = stablehlo.add %k, %one : tensor<i32>
      %product = stablehlo.multiply %mixed, %prime : tensor<i32>
      stablehlo.return %next, %product : tensor<i32>, tensor<i32>
    }}
  %seven = stablehlo.constant dense<7> : tensor<i32>
  %bits = stablehlo.and %hash, %seven : tensor<i32>
  %element = stablehlo.dynamic_slice %x, {}, sizes = [1] : (tensor<9xf32>, tensor<i32>) -> tensor<1xf32>
  return %hash, %element : tensor<i32>, tensor<1xf32>
}}"""


@pytest.mark.parametrize(("index", "grade"), [("%bits", "masked"), ("%hash", "harmful")])
def test_a_hash_may_wrap_around_unless_it_is_an_index_as_it_is(index: str, grade: str) -> None:
    """Many iterations of the loop over scalars run at once."""
    kinds = dict(grades(HASH.format(index), I32(9), np.zeros(9, F32)))
    assert kinds["wrap"] == grade


QUOTIENT = """func.func @main(%x: tensor<3x{type}>, %y: tensor<3x{type}>) -> (tensor<3x{type}>, tensor<3xi1>) {{
  %zero = stablehlo.constant dense<0> : tensor<3x{type}>
  %empty = stablehlo.compare EQ, %y, %zero : (tensor<3x{type}>, tensor<3x{type}>) -> tensor<3xi1>
  %made = stablehlo.{op} %x, %y : tensor<3x{type}>
  %filled = stablehlo.select %empty, %zero, %made : tensor<3xi1>, tensor<3x{type}>
  return {result}, %empty : tensor<3x{type}>, tensor<3xi1>
}}"""


@pytest.mark.parametrize(
    ("op", "type", "result", "expected"),
    [
        ("divide", "i32", "%made", [("zero_division", "harmful")]),
        ("divide", "i32", "%filled", [("zero_division", "masked")]),
        ("divide", "ui8", "%made", [("zero_division", "harmful")]),
        ("remainder", "i8", "%made", [("zero_division", "harmful")]),
        ("remainder", "ui32", "%made", []),  # of random bits: the range of all numbers
    ],
)
def test_integers_that_are_divided_by_0(op: str, type: str, result: str, expected: list[object]) -> None:
    text = QUOTIENT.format(op=op, type=type, result=result)
    dtype = {"i32": np.int32, "ui8": np.uint8, "i8": np.int8, "ui32": np.uint32}[type]
    assert grades(text, np.array([7, 8, 9], dtype), np.array([2, 0, 3], dtype)) == expected
    assert grades(text, np.array([7, 8, 9], dtype), np.array([2, 1, 3], dtype)) == []


NAN_LOST = """func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xi1>) {{
  %zeros = stablehlo.constant dense<0.0> : tensor<3xf32>
  %before = stablehlo.compare GT, %x, %zeros : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  %ratio = stablehlo.divide %x, %x : tensor<3xf32>
  %above = stablehlo.compare GT, %ratio, %zeros : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  %missing = stablehlo.compare NE, %ratio, %ratio : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  {}
  %relu = stablehlo.select {}, %ratio, %zeros : tensor<3xi1>, tensor<3xf32>
  return %relu, {} : tensor<3xf32>, tensor<3xi1>
}}"""


def test_a_comparison_that_loses_a_nan_does_harm_unless_the_program_asks_for_it() -> None:
    x = np.array([1, 0, 2], F32)
    either = "%either = stablehlo.or %above, %missing : tensor<3xi1>"
    assert dict(grades(NAN_LOST.format("", "%above", "%before"), x))["swallowed_nan"] == "harmful"
    assert dict(grades(NAN_LOST.format("", "%above", "%missing"), x))["swallowed_nan"] == "harmful"
    assert dict(grades(NAN_LOST.format(either, "%either", "%before"), x))["swallowed_nan"] == "neutral"


def test_comparisons_are_asked_once_there_has_been_a_nan() -> None:
    text = NAN_LOST.format("", "%above", "%before")
    lost = [finding for finding in found(text, np.array([1, 0, 2], F32)) if finding.kind == "swallowed_nan"]
    assert [finding.first.step for finding in lost] == [3]
    given = found(text, np.array([1, np.nan, 2], F32))
    assert [finding.first.step for finding in given if finding.kind == "swallowed_nan"] == [1, 3]
    assert not found(text, np.array([1, 3, 2], F32))


CUT = """func.func @main(%%kept: tensor<8xi1>, %%given: tensor<8xi32>) -> tensor<4xi32> {
  %%zero = stablehlo.constant dense<0> : tensor<i32>
  %%none = stablehlo.constant dense<0> : tensor<4xi32>
  %%ones = stablehlo.constant dense<1> : tensor<8xi32>
  %%counted = stablehlo.convert %%kept : (tensor<8xi1>) -> tensor<8xi32>
  %%total = "stablehlo.reduce_window"(%%counted, %%zero) ({
    ^bb0(%%a: tensor<i32>, %%b: tensor<i32>):
      %%sum = stablehlo.add %%a, %%b : tensor<i32>
      stablehlo.return %%sum : tensor<i32>
  }) {window_dimensions = array<i64: 8>, padding = dense<[[7, 0]]> : tensor<1x2xi64>} : (tensor<8xi32>, tensor<i32>) -> tensor<8xi32>
  %%places = stablehlo.reshape %(places)s : (tensor<8xi32>) -> tensor<8x1xi32>
  %%counts = "stablehlo.scatter"(%%none, %%places, %(marks)s) ({
    ^bb0(%%c: tensor<i32>, %%d: tensor<i32>):
      %%more = stablehlo.add %%c, %%d : tensor<i32>
      stablehlo.return %%more : tensor<i32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}
    : (tensor<4xi32>, tensor<8x1xi32>, tensor<8xi32>) -> tensor<4xi32>
  return %%counts : tensor<4xi32>
}"""


@pytest.mark.parametrize(
    ("places", "marks", "grade"),
    [("%total", "%ones", "neutral"), ("%total", "%given", "harmful"), ("%given", "%ones", "harmful")],
)
def test_marks_at_a_running_total_are_a_list_that_is_cut_to_its_length(
    places: str, marks: str, grade: str
) -> None:
    """`nonzero(size=4)` does this to eight elements; data, or samples that are counted, would be lost."""
    text = CUT % {"places": places, "marks": marks}
    assert grades(text, np.ones(8, np.bool_), np.arange(8, dtype=I32)) == [("dropped_update", grade)]


PRODUCT = """func.func @main(%x: tensor<4xf32>) -> tensor<f32> {
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %far = stablehlo.constant dense<1.0e+30> : tensor<f32>
  %product = stablehlo.reduce(%x init: %one) applies stablehlo.multiply across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  %result = stablehlo.multiply %product, %far : tensor<f32>
  return %result : tensor<f32>
}"""


@pytest.mark.parametrize(
    ("x", "expected"),
    [
        ([1e-12, 1e-12, 1e-12, 1e-12], [("denormal", "harmful")]),
        ([1e-12, 1e-12, 0, 1e-12], []),
        ([1e-5, 1e-5, 1e-5, 1e-5], []),
    ],
)
def test_a_product_of_many_numbers_underflows(x: list[float], expected: list[tuple[str, str]]) -> None:
    """Where an operand is 0, 0 is exact."""
    assert grades(PRODUCT, np.array(x, F32)) == expected


SOFTMAX_F16 = """func.func @main(%x: tensor<4xf16>) -> tensor<4xf16> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %powers = stablehlo.exponential %x : tensor<4xf16>
  %wide = stablehlo.convert %powers : (tensor<4xf16>) -> tensor<4xf32>
  %sum = stablehlo.reduce(%wide init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  %short = stablehlo.convert %sum : (tensor<f32>) -> tensor<f16>
  %sums = stablehlo.broadcast_in_dim %short, dims = [] : (tensor<f16>) -> tensor<4xf16>
  %shares = stablehlo.divide %powers, %sums : tensor<4xf16>
  return %shares : tensor<4xf16>
}"""


@pytest.mark.parametrize(("x", "grade"), [([0, -1, -10, -12], "masked"), ([-10, -11, -10, -12], "harmful")])
def test_the_tails_of_a_softmax_do_no_harm_whatever_they_are_added_up_in(x: list[float], grade: str) -> None:
    """JAX sums in f32 and converts back to f16."""
    assert grades(SOFTMAX_F16, np.array(x, np.float16)) == [("denormal", grade)]


LOOKUP = """func.func @main(%table: tensor<4x3xf32>, %starts: tensor<2x1xi32>) -> tensor<2x3xf32> {
  %rows = "stablehlo.gather"(%table, %starts) <{
    dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
    slice_sizes = array<i64: 1, 3>
  }> : (tensor<4x3xf32>, tensor<2x1xi32>) -> tensor<2x3xf32>
  return %rows : tensor<2x3xf32>
}"""


def test_indices_are_counted_not_the_elements_that_they_read() -> None:
    (finding,) = found(LOOKUP, np.ones((4, 3), F32), np.array([[9], [7]], I32))
    assert ", 2 of 2 indices, " in finding.sentence
    assert fault_words(finding.occurrences[0].fault) == "2 of 2 indices are out of bounds"


def test_elements_that_are_0_are_not_called_denormal() -> None:
    text = "func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> { %e = stablehlo.exponential %x : tensor<3xf32> return %e : tensor<3xf32> }"
    (finding,) = found(text, np.array([-1000, -100, 0], F32))
    assert fault_words(finding.occurrences[0].fault) == "2 of 3 elements are denormal or 0"
