"""composite: runs its decomposition, which must exist and fit."""

from __future__ import annotations

import pytest

from hloscope.engine.frontend import load
from hloscope.engine.source import Source

PROGRAM = """func.func @main(%a: tensor<2xf32>, %b: tensor<i32>) -> (tensor<i32>, tensor<2xf32>) {
  %r:2 = stablehlo.composite "my.op" %a, %b {
    composite_attributes = {k = "v"}, decomposition = @impl, version = 3 : i32
  } : (tensor<2xf32>, tensor<i32>) -> (tensor<i32>, tensor<2xf32>)
  return %r#0, %r#1 : tensor<i32>, tensor<2xf32>
}
func.func private @impl(%x: tensor<2xf32>, %y: tensor<i32>) -> (tensor<i32>, tensor<2xf32>) {
  %0 = stablehlo.add %x, %x : tensor<2xf32>
  return %y, %0 : tensor<i32>, tensor<2xf32>
}
"""


def _problems(text: str) -> list[str]:
    return [found.text for found in load(Source(text)).diagnostics]


@pytest.mark.parametrize(
    ("label", "old", "new", "message"),
    [
        ("C1", '"my.op"', '"op"', "'op' is not a name of an op in a namespace, like my_namespace.my_op"),
        ("C2", "= @impl", "= @imp", "calls @imp, which is not defined"),
        ("C3", "func private @impl(", "func private @impl(%z: tensor<f32>, ", "calls @impl as"),
        ("C4", "return %y, %0 : tensor<i32>, tensor<2xf32>\n}", "return\n}", "calls @impl as"),
    ],
)
def test_rules_of_the_module(label: str, old: str, new: str, message: str) -> None:
    text = PROGRAM.replace(old, new)
    if label == "C4":
        text = "()".join(text.rsplit("(tensor<i32>, tensor<2xf32>)", 1))
    problems = _problems(text)
    assert any(found.startswith(f"op 'stablehlo.composite': {label}: {message}") for found in problems), (
        problems
    )


def test_a_declaration_decomposes_nothing() -> None:
    head = PROGRAM.partition("func.func private")[0]
    declared = "func.func private @impl(tensor<2xf32>, tensor<i32>) -> (tensor<i32>, tensor<2xf32>)"
    problems = _problems(head + declared)
    assert problems == ["op 'stablehlo.composite': C2: calls @impl, which has no body"]
