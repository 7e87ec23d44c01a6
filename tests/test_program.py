"""What a verified program says of its operations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pytest

from hloscope.engine import frontend
from hloscope.engine.frontend import load
from hloscope.engine.ops.core.op import Op
from hloscope.engine.ops.core.registry import op_table
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


class NotedTable(Mapping[str, type[Op]]):
    """The table of ops, and the names by which they were looked up."""

    def __init__(self) -> None:
        self.names = set[str]()

    def __getitem__(self, name: str) -> type[Op]:
        self.names.add(name)
        return op_table()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(op_table())

    def __len__(self) -> int:
        return len(op_table())


def test_a_program_is_verified_by_its_own_ops_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers share the memory of all others until they look at them."""
    table = NotedTable()
    monkeypatch.setattr(frontend, "op_table", lambda: table)
    assert load(Source(TEXT)).program is not None
    assert table.names == {"stablehlo.add", "stablehlo.reduce", "stablehlo.return", "func.return"}
