"""One attribute of every kind that MLIR text can state, for fields that expect another one."""

from __future__ import annotations

from functools import cache

from hloscope.engine.frontend import parse
from hloscope.engine.ir.attributes import Attribute
from hloscope.engine.source import Source

SCALARS = (
    *("unit", "true", "false", "0 : i64", "-1 : i64", "2 : i32", "3 : index"),
    *("9223372036854775807 : i64", "18446744073709551615 : ui64", "1.5 : f32", "0x7FC00000 : f32"),
    *("-1.0e+30 : f64", '""', '"text"', '"\\FF\\00"', "@main", "@nowhere", "@outer::@inner"),
)
TYPES = (
    "i32",
    "index",
    "tensor<2xf32>",
    "tensor<?xf32>",
    "tensor<4x!quant.uniform<i8:f32, 0.1>>",
    "!stablehlo.token",
    "tuple<tensor<2xf32>>",
    "(i32) -> i32",
)
LISTS = (
    "[]",
    "[[]]",
    "[0]",
    "[1, 2]",
    "[-1 : i64, 7 : i64]",
    "[1.5]",
    '["text"]',
    "[true, false]",
    "[unit]",
    "[@main, @nowhere]",
    "[i32]",
    "[[1, 2], [3, 4]]",
    "[[[1]]]",
    "[{name = 1}]",
    "[dense<[1, 0]> : tensor<2xi64>]",
    "[dense<(1.0, 2.0)> : tensor<2xcomplex<f32>>]",
    "[#stablehlo<precision HIGHEST>, #stablehlo<precision DEFAULT>]",
    "array<i64>",
    "array<i64: 0>",
    "array<i64: 1, -2>",
    "array<i32: 1>",
    "array<i8: 1, 2, 3>",
    "array<i1: true, false>",
    "array<f32: 1.5>",
    "array<f64>",
)
DICTIONARIES = ("{}", "{name = 1}", '{a = {b = "c"}, d = [unit]}')
DENSE = (
    "dense<1> : tensor<i64>",
    "dense<> : tensor<0xi64>",
    "dense<0> : tensor<1xi64>",
    "dense<0> : tensor<3xi64>",
    "dense<[0, 1]> : tensor<2xi64>",
    "dense<[-1, 5]> : tensor<2xi32>",
    "dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>",
    "dense<[[2, 2]]> : tensor<1x2xi64>",
    "dense<0> : tensor<2x2xi64>",
    "dense<> : tensor<0x2xi64>",
    "dense<> : tensor<2x0xi64>",
    "dense<[[[2, 2], [0, 0]]]> : tensor<1x2x2xi64>",
    "dense<7> : tensor<2x2x2x2xi64>",
    "dense<true> : tensor<i1>",
    "dense<[true, false]> : tensor<2xi1>",
    "dense<1.5> : tensor<f32>",
    "dense<[1.5, 0x7FC00000]> : tensor<2xf32>",
    "dense<[[1.5], [2.5]]> : tensor<2x1xf64>",
    "dense<1.0> : tensor<2xbf16>",
    "dense<[1, 2]> : tensor<2xui64>",
    "dense<18446744073709551615> : tensor<2xui64>",
    "dense<[1, -2]> : tensor<2xi4>",
    "dense<(1.0, 2.0)> : tensor<complex<f32>>",
    "dense<(1.0, 2.0)> : tensor<2xcomplex<f64>>",
    "dense<[[(1.0, 2.0), (3.0, 4.0)]]> : tensor<1x2xcomplex<f32>>",
    "dense<[1, 2]> : tensor<2xindex>",
    'dense<["a", "b"]> : vector<2x!tf_type.string>',
    "dense_resource<left_out> : tensor<2xi64>",
)
OTHERS = (
    "#stablehlo<precision HIGHEST>",
    "#stablehlo<comparison_direction LT>",
    "#stablehlo<fft_type RFFT>",
    "#stablehlo.gather<offset_dims = [1], index_vector_dim = 1>",
    "#stablehlo.channel_handle<handle = 1, type = 1>",
    "#stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>",
    "#stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>",
    '#sdy.sharding<@mesh, [{"x"}]>',
    "#unknown.attribute<1>",
    "affine_map<(d0) -> (d0)>",
)
HUGE = (
    "dense<0> : tensor<10000x10000xi64>",
    "dense<0> : tensor<100000000xi64>",
    "dense<0> : tensor<50000000x2xi64>",
    "dense<true> : tensor<100000000xi1>",
    "[dense<0> : tensor<100000000xi64>]",
    "{a = dense<0> : tensor<100000000xi64>}",
)
"""Short texts that claim many elements."""
KINDS = (*SCALARS, *TYPES, *LISTS, *DICTIONARIES, *DENSE, *OTHERS)


@cache
def attribute_of(text: str) -> Attribute:
    """The attribute that `text` states."""
    module = parse(Source(f"module attributes {{found = {text}}} {{}}", text))
    return module.attributes["found"]
