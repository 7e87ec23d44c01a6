"""Types and layouts as text, in the program's own language."""

import re
from collections.abc import Iterator

from hloscope.engine.errors import ProgramError
from hloscope.engine.ir.layouts import Layout
from hloscope.engine.ir.module import Language
from hloscope.engine.ir.types import TensorType, TupleType, Type
from hloscope.engine.syntax.hlo.values.print_shapes import print_shape

from ..wire.program import InputType, TupleElement
from ..wire.values import MemoryLayout

_PLACES = re.compile(r"/\*index=\d+\*/")
_PLAIN = re.compile(r"\{[\d,]*\}")


def type_text(found: Type, language: Language = "stablehlo", layouts: bool = True) -> str:
    """`tensor<2x3xf32>`, or `f32[2,3]{1,0}` in HLO text."""
    if language == "stablehlo":
        return str(found)
    try:
        return _PLACES.sub("", print_shape(found, layouts))
    except ProgramError:
        return str(found)  # a type that does not exist in HLO text


def input_type(found: Type | None, language: Language) -> InputType:
    """The type of a run's input; `literal` is its MLIR spelling, for typed numbers."""
    if found is None:
        return {"type": ""}
    text, literal = type_text(found, language), str(found)
    return {"type": text, "literal": literal} if literal != text else {"type": text}


def elements_json(found: Type, language: Language) -> list[TupleElement] | None:
    """The element types of a tuple, recursively; `None` for any other type."""
    if not isinstance(found, TupleType):
        return None
    return [
        {
            "type": type_text(element, language),
            "isTensor": isinstance(element, TensorType),
            "elements": elements_json(element, language),
        }
        for element in found.types
    ]


def layout_json(found: Type, language: Language) -> MemoryLayout | None:
    """The layout of a tensor of HLO text; `None` for other values, and for a scalar with the usual one."""
    if language != "hlo" or not isinstance(found, TensorType):
        return None
    layout = found.layout or Layout(tuple(reversed(range(found.rank))))
    if not found.rank and str(layout) == "{}":
        return None
    return {
        "text": str(layout),
        "words": layout_words(found),
        "majorToMinor": list(reversed(layout.minor_to_major)),
        "tiles": [[0 if size is None else size for size in tile] for tile in layout.tiles],
        "rowMajor": layout.is_row_major,
    }


def layout_words(found: TensorType) -> str:
    """`column-major, in tiles of 8 × 128, in memory space 1`."""
    layout = found.layout
    if layout is None:
        return "row-major, since the text states no layout"
    return ", ".join([_order(layout), *_tail(layout)])


def unusual_layout(found: TensorType) -> str:
    """The layout of a tensor that is not plainly row-major, otherwise an empty text."""
    layout = found.layout
    if layout is None or (layout.is_row_major and _PLAIN.fullmatch(str(layout))):
        return ""
    return str(layout)


def _order(layout: Layout) -> str:
    rank = len(layout.minor_to_major)
    if layout.is_row_major:
        return "row-major" if rank > 1 else "one after the other"
    if layout.minor_to_major == tuple(range(rank)):
        return "column-major"
    return f"from major to minor {', '.join(f'd{axis}' for axis in reversed(layout.minor_to_major))}"


def _tail(layout: Layout) -> Iterator[str]:
    sizes = [" × ".join("all" if size is None else str(size) for size in tile) for tile in layout.tiles]
    if sizes:
        yield f"in tiles of {', each in tiles of '.join(sizes)}"
    if layout.element_size_in_bits:
        yield f"{layout.element_size_in_bits} bits an element"
    if layout.memory_space:
        yield f"in memory space {layout.memory_space}"
    yield from layout.others
