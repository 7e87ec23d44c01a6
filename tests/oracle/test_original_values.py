"""`original_value` as XLA's passes keep it: jaxlib takes it from StableHLO and prints it as `origin`."""

from __future__ import annotations

from pathlib import Path

import pytest

from hloscope.app.passes.dump_files import DumpLimits, open_dump
from hloscope.app.passes.examine import examine
from hloscope.app.passes.read_modules import Request
from hloscope.app.xla.engine import XlaEngine
from hloscope.engine.passes.instructions import read_instructions
from hloscope.engine.passes.original_values import Leaf

from .client import Oracle

pytestmark = pytest.mark.oracle

PROGRAM = """
module @traced {
  func.func public @main(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4xf32> {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] NOTE(dot) : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %1 = stablehlo.tanh %0 NOTE(tanh) : tensor<4x8xf32>
    %2 = stablehlo.add %1, %1 NOTE(double) : tensor<4x8xf32>
    %3 = stablehlo.exponential %2 NOTE(exp) : tensor<4x8xf32>
    %4 = stablehlo.transpose %3, dims = [1, 0] NOTE(transpose) : (tensor<4x8xf32>) -> tensor<8x4xf32>
    %5 = stablehlo.constant dense<0.0> : tensor<f32>
    %6 = stablehlo.reduce(%4 init: %5) applies stablehlo.add across dimensions = [0] : (tensor<8x4xf32>, tensor<f32>) -> tensor<4xf32>
    return %6 : tensor<4xf32>
  }
}
"""


def test_it_recovers_values_of_the_optimised_text(tmp_path: Path) -> None:
    text = PROGRAM
    for name in ("dot", "tanh", "double", "exp", "transpose"):
        note = f'{{mhlo.original_value = #mhlo.original_value<false, [<[], <"{name}.1", []>>]>}}'
        text = text.replace(f"NOTE({name})", note)
    with XlaEngine() as engine:
        engine.dump(text, tmp_path)
    report = examine(open_dump(tmp_path, DumpLimits()), Request(jobs=1))
    assert report.verdict == "same"
    (module,) = report.modules
    recovered = module.original_values
    assert recovered is not None
    assert recovered.title == "before_optimizations"
    assert recovered.values == 5
    assert len(recovered.pairs) >= 3  # `dot`, `tanh` and `exp` stay
    assert recovered.differing == ()


PAIR = """HloModule m

ENTRY %main (x: f32[2], y: f32[2]) -> f32[2] {{
  %x = f32[2] parameter(0)
  %y = f32[2] parameter(1)
  %both = (f32[2], f32[2]) tuple(%y, %x)
  %pair = (f32[2], (f32[2], f32[2])) tuple(%x, %both), origin={}
  ROOT %first = f32[2] get-tuple-element(%pair), index=0
}}
"""
X: Leaf = ((0,), '"x"')


@pytest.mark.parametrize(
    ("stated", "wanted"),
    [
        ('{({"x"}, ({}, {}))}', (X,)),
        ('{({"x"})}', (X,)),
        ('{({"x"}, ({"y" {1, 0}}, {}))}', (X, ((1, 0), '"y" {1,0}'))),
        ('{ ( { } , ( , {"z"} ) ) }', (((1, 1), '"z"'),)),
        ("{}", ()),
    ],
)
def test_parts_of_tuples_are_those_that_xla_reads(
    stated: str, wanted: tuple[Leaf, ...], oracle: Oracle
) -> None:
    """In the text as it is given, and as XLA prints it."""
    text = PAIR.format(stated)
    for each in (text, oracle.parse_hlo(text)):
        assert read_instructions(each).instructions["pair"].written.originals == wanted
