"""Text of newer versions of StableHLO and Shardy survives reading and printing."""

from __future__ import annotations

import pytest

from hloscope.engine.frontend import load
from hloscope.engine.ops import op_table
from hloscope.engine.source import Source
from hloscope.engine.syntax import print_hlo, print_module

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


@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize("form", ["short", "generic"])
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
