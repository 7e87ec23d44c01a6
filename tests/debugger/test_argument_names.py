"""What arguments are called where the program says it."""

from __future__ import annotations

from hloscope.engine.argument_names import argument_names, name_from_label, reader_name
from hloscope.engine.debugger.run_location import values_by_name
from tests.programs import load_program


def test_paths_of_a_tree_are_names() -> None:
    labels = ("params['h'][11][\"w\"]", r"params[\'b1\']", "state.step", "[0]")
    assert [name_from_label(label) for label in labels] == [
        "%params.h.11.w",
        "%params.b1",
        "%state.step",
        "%0",
    ]


def test_numbered_arguments_get_their_names_chosen_names_stay_none_is_given_twice() -> None:
    program = load_program(
        """func.func @main(%arg0: tensor<f32> loc("x"), %queries: tensor<f32> loc("q"),
        %arg2: tensor<f32> loc("y"), %arg3: tensor<f32> loc("y"), %arg4: tensor<f32> loc("sum")) -> tensor<f32> {
  %sum = stablehlo.add %arg0, %arg2 : tensor<f32>
  %0 = func.call @other(%sum) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func private @other(%arg0: tensor<f32> loc("y")) -> tensor<f32> {
  return %arg0 : tensor<f32>
}
"""
    )
    arguments = [number for block in program.blocks for number in block.arguments]
    shown = [reader_name(program, number) for number in arguments]
    assert shown == ["%x", "%queries", "%arg2", "%arg3", "%arg4", "%y"]
    assert list(argument_names(program).values()) == ["%x", "%y"]
    known = values_by_name(program)
    assert [known[name] for name in ("x", "y", "sum")] == [[arguments[0]], [arguments[5]], [5]]
    assert arguments[0] in known["arg0"]
