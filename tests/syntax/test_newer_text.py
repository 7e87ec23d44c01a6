"""Text of newer versions of StableHLO and Shardy survives reading and printing."""

from __future__ import annotations

import pytest

from hloscope.engine.frontend import load
from hloscope.engine.ops import op_table
from hloscope.engine.source import Source
from hloscope.engine.syntax import print_hlo, print_module
from tests.each import for_each

LINES = [
    '%0 = sdy.all_reduce max {"y"} %a out_sharding=<@mesh, [{"x"}, {}]> : tensor<8x16xf32>',
    '%0 = sdy.all_reduce sum {"y"} %a out_sharding=<@mesh, [{"x"}, {}]> : tensor<8x16xf32>',
    '%0 = sdy.reduce_scatter min [{"y"}, {}] %a out_sharding=<@mesh, [{"y"}, {}]> : tensor<8x16xf32>',
    '%0 = sdy.reshard %a <@mesh, [{}, {}], unreduced=max{"x"}> : tensor<8x16xf32>',
    "%0 = stablehlo.abs %a {sdy.result_propagation_edges = [#sdy.propagation_edges<[{step-1 = "
    '[{"x" = operand-0 -> [result-0]}]}]>]} : tensor<8x16xf32>',
    "%0 = stablehlo.custom_call @Sharding(%a) {result_tilings = [[dense<[8, 128]> : tensor<2xindex>]]} : "
    "(tensor<8x16xf32>) -> tensor<8x16xf32>",
]


@for_each("line", LINES)
@for_each("form", ["short", "generic"])
def test_it_reads_back_as_it_is_printed(line: str, form: str) -> None:
    text = (
        'sdy.mesh @mesh = <["x"=2, "y"=4]>\n'
        "func.func @main(%a: tensor<8x16xf32>) -> tensor<8x16xf32> {\n"
        f"  {line}\n  return %0 : tensor<8x16xf32>\n}}"
    )
    found = load(Source(text))
    assert not found.diagnostics
    assert found.module is not None
    printed = print_module(found.module, op_table(), form)  # type: ignore[arg-type]
    assert line in printed or form == "generic"
    again = load(Source(printed))
    assert not again.diagnostics
    assert again.module == found.module


def test_properties_of_short_forms_in_angle_brackets() -> None:
    """As MLIR of jaxlib 0.12 writes them, in front of the other attributes."""
    text = """module @m <sym_visibility = "public"> attributes {b = 1 : i32} {
  func.func private @f(%arg0: tensor<f32>) -> tensor<f32> {
    return %arg0 : tensor<f32>
  }
  func.func @main(%arg0: tensor<f32>) -> tensor<f32> {
    %0 = call @f(%arg0) <no_inline, arg_attrs = [{x.y = 1 : i32}]> {foo = 1 : i32} : (tensor<f32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
}
"""
    older = text.replace(
        ' <sym_visibility = "public"> attributes {b', ' attributes {sym_visibility = "public", b'
    )
    older = older.replace(
        "<no_inline, arg_attrs = [{x.y = 1 : i32}]> {", "{no_inline, arg_attrs = [{x.y = 1 : i32}], "
    )
    assert older.count("<no_inline") == 0
    found, wanted = load(Source(text)), load(Source(older))
    assert not found.diagnostics
    assert found.module == wanted.module


def test_properties_that_newer_mlir_moved_are_printed_where_older_reads_them_too() -> None:
    text = """module @m {
  func.func private @f(%arg0: tensor<?xindex>) -> tensor<?xindex> {
    return %arg0 : tensor<?xindex>
  }
  func.func @main(%arg0: tensor<?xindex>) -> tensor<?xindex> {
    %0 = call @f(%arg0) <no_inline> : (tensor<?xindex>) -> tensor<?xindex>
    %1 = shape.broadcast %0, %arg0 error = "no" : tensor<?xindex>, tensor<?xindex> -> tensor<?xindex>
    return %1 : tensor<?xindex>
  }
}
"""
    found = load(Source(text))
    assert not found.diagnostics
    assert found.module is not None
    printed = print_module(found.module, op_table(), "short")
    assert '"func.call"(%arg0) <{callee = @f, no_inline}>' in printed
    assert '"shape.broadcast"(%0, %arg0) <{error = "no"}>' in printed
    assert load(Source(printed)).module == found.module
    older = printed.replace("<{callee = @f, no_inline}>", "{callee = @f, no_inline}")
    assert load(Source(older)).module == found.module


def test_gather_has_no_slice_sizes_of_index() -> None:
    text = """
func.func @main(%a: tensor<4x8xf32>, %i: tensor<2xi32>, %s: tensor<2xindex>) -> tensor<2x8xf32> {
  %0 = "stablehlo.dynamic_gather"(%a, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false}> : (tensor<4x8xf32>, tensor<2xi32>, tensor<2xindex>) -> tensor<2x8xf32>
  return %0 : tensor<2x8xf32>
}
"""
    assert load(Source(text)).program is None
    assert load(Source(text.replace("index>)", "i64>)").replace("xindex>", "xi64>"))).program is not None


HLO = """HloModule m, replica_count=2

ENTRY %e (x: f32[4], i: s32[1]) -> f32[4] {{
  %x = f32[4] parameter(0)
  %i = s32[1] parameter(1)
  {line}
}}
"""


@pytest.mark.parametrize(
    ("line", "printed"),
    [
        (
            "ROOT %y = f32[4] collective-broadcast(%x, %i), replica_groups={{0,1}}, has_dynamic_root=true",
            "has_dynamic_root=true",
        ),
        (
            "ROOT %y = f32[4] collective-broadcast(%x), replica_groups={{0,1}}, has_dynamic_root=false",
            "replica_groups={{0,1}}\n",
        ),
        (
            "%t = (f32[4], f32[4]) collective-broadcast(%x, %x), replica_groups={{0,1}}, "
            "has_dynamic_root=false\n  ROOT %y = f32[4] get-tuple-element(%t), index=0",
            "replica_groups={{0,1}}\n",
        ),
    ],
)
def test_hlo_text_of_broadcasts_states_whether_roots_are_dynamic(line: str, printed: str) -> None:
    found = load(Source(HLO.format(line=line)))
    assert found.program, found.diagnostics
    assert found.module is not None
    text = print_hlo(found.module)
    assert printed in text
    assert load(Source(text)).module == found.module
