"""What a verified program says of its operations."""

from __future__ import annotations

from hloscope.engine.frontend import load
from hloscope.engine.source import Source

TEXT = """func.func @main(%a: tensor<3xf32>, %b: tensor<f32>) -> tensor<f32> {

  %0 = stablehlo.add %a, %a : tensor<3xf32>
  %1 = stablehlo.reduce(%0 init: %b) across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
    reducer(%x: tensor<f32>, %y: tensor<f32>) {
      %2 = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }
  return %1 : tensor<f32>
}
"""


def test_lines_of_operations() -> None:
    """Those in regions too; of a text that is a part of a file they are counted as the file's."""
    for first, lines in ((1, [3, 4, 6, 7, 9]), (41, [43, 44, 46, 47, 49])):
        program = load(Source(TEXT, "part.mlir", first)).program
        assert program is not None
        assert [program.line_of(number) for number in range(len(program.ops))] == lines
