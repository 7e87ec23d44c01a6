"""Types and layouts in the words of the program's language."""

from typing import Any

import numpy as np

from hloscope.app.present.summary import value_summary, value_text
from hloscope.app.present.types import elements_json, input_type, layout_json, type_text, unusual_layout
from hloscope.engine.ir.element_types import ELEMENT_TYPES
from hloscope.engine.ir.layouts import Layout
from hloscope.engine.ir.types import FunctionType, TensorType, TokenType, TupleType

F32, S32 = ELEMENT_TYPES["f32"], ELEMENT_TYPES["i32"]
ROWS = TensorType((2, 3), F32, layout=Layout((1, 0)))
COLUMNS = TensorType((2, 3), F32, layout=Layout((0, 1)))
TILED = TensorType((2, 3), F32, layout=Layout((0, 1), ((8, 128), (2, 1)), 4, 1, ("L(2)",)))


def test_types_are_spelled_as_in_the_program() -> None:
    assert type_text(ROWS) == "tensor<2x3xf32>"
    assert type_text(COLUMNS, "hlo") == "f32[2,3]{0,1}"
    assert type_text(COLUMNS, "hlo", layouts=False) == "f32[2,3]"
    assert type_text(TupleType((TensorType((), S32),) * 7), "hlo") == f"({', '.join(['s32[]'] * 7)})"
    assert type_text(FunctionType((), ()), "hlo") == "() -> ()", "HLO text has no such type"


def test_a_tuple_says_what_is_in_it() -> None:
    inner = TupleType((COLUMNS, TokenType()))
    found: Any = elements_json(TupleType((TensorType((), S32), inner)), "hlo")
    assert found is not None
    assert [item["type"] for item in found] == ["s32[]", "(f32[2,3]{0,1}, token[])"]
    assert [item["isTensor"] for item in found[1]["elements"]] == [True, False]
    assert elements_json(ROWS, "hlo") is None


def test_layouts_in_words() -> None:
    def words(type: TensorType) -> object:
        found = layout_json(type, "hlo")
        return found and found["words"]

    assert words(ROWS) == "row-major"
    assert words(COLUMNS) == "column-major"
    assert words(TensorType((2, 3), F32)) == "row-major, since the text states no layout"
    assert words(TensorType((2, 3, 4), F32, layout=Layout((1, 2, 0)))) == "from major to minor d0, d2, d1"
    assert words(TensorType((2,), F32, layout=Layout((0,)))) == "one after the other"
    assert words(TensorType((), F32, layout=Layout(()))) is None
    assert words(TILED) == (
        "column-major, in tiles of 8 × 128, each in tiles of 2 × 1, 4 bits an element, in memory space 1, L(2)"
    )
    assert layout_json(COLUMNS, "stablehlo") is None


def test_what_the_browser_needs_to_find_an_element_in_memory() -> None:
    found = layout_json(TILED, "hlo")
    assert found is not None
    assert (found["majorToMinor"], found["rowMajor"]) == ([1, 0], False)
    assert found["tiles"] == [[8, 128], [2, 1]]
    combined = TensorType((2, 3), F32, layout=Layout((1, 0), ((None, 128),)))
    other: Any = layout_json(combined, "hlo")
    assert other["tiles"] == [[0, 128]]


def test_values_are_told_with_types_of_the_program() -> None:
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    assert value_text(array, COLUMNS).startswith("f32[2,3]  ")
    assert value_text(array, COLUMNS, None, "hlo").startswith("f32[2,3]{0,1}  0 … 5")
    assert value_text(array, ROWS, None, "hlo").startswith("f32[2,3]  ")
    assert value_text(np.array(True), TensorType((), ELEMENT_TYPES["i1"]), None, "hlo") == "pred[]  true"
    summary: Any = value_summary("0.s0.0", array, TILED, None, "hlo")
    assert summary["type"] == "f32[2,3]{0,1:T(8,128)(2,1)L(2)E(4)S(1)}"
    assert summary["layout"]["text"] == "{0,1:T(8,128)(2,1)L(2)E(4)S(1)}"
    assert unusual_layout(TensorType((2, 3), F32, layout=Layout((1, 0), memory_space=1))) == "{1,0:S(1)}"


def test_numbers_are_typed_as_in_mlir() -> None:
    assert input_type(COLUMNS, "hlo") == {"type": "f32[2,3]{0,1}", "literal": "tensor<2x3xf32>"}
    assert input_type(ROWS, "stablehlo") == {"type": "tensor<2x3xf32>"}
    assert input_type(None, "hlo") == {"type": ""}
