"""Types in messages, as HLO text has them."""

import pytest

from hloscope.engine.ir.hlo_wording import in_hlo_words


@pytest.mark.parametrize(
    ("stablehlo", "hlo"),
    [
        ("operand 0 is tensor<2x3xf32>, not tensor<i1>", "operand 0 is f32[2,3], not pred[]"),
        ("needs tensor<?x4xui8>", "needs u8[?,4]"),
        ("gives tensor<?x2xf32, #stablehlo.bounds<10, ?>>", "gives f32[<=10,2]"),
        ("tuple<tensor<2xcomplex<f64>>, tuple<!stablehlo.token>>", "(c128[2], (token[]))"),
        ("needs tensor<2xs1>, not u1", "needs s1[2], not u1"),
        ("must hold i32, not f8E4M3FN", "must hold s32, not f8e4m3fn"),
        ("%i32 and name.i8 stay, so does bf16x", "%i32 and name.i8 stay, so does bf16x"),
        ("(tensor<f32>, tensor<i64>) -> tensor<f32>", "(f32[], s64[]) -> f32[]"),
    ],
)
def test_types_are_spelled_as_in_hlo(stablehlo: str, hlo: str) -> None:
    assert in_hlo_words(stablehlo) == hlo
