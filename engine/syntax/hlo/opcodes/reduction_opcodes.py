"""Opcodes that apply a computation to elements: reductions, windows, scatter, sort, map."""

from collections.abc import Callable
from dataclasses import dataclass

from ....ir.attribute_values import integers
from ....ir.attributes import BoolAttribute
from ....ir.module import Operation
from ....ir.types import TensorType
from ..attributes.window_fields import (
    Window,
    print_window,
    read_undilated_window,
    read_window,
    reduce_window_window,
    window_properties_of_reduce_window,
)
from ..fields import Body, Flag, Integer, Numbers, Set, Single, Struct, Written, brace, numbers_of
from ..instruction_draft import Draft
from ..opcode_forms import Form
from ..values.hlo_cursor import HloCursor


@dataclass(frozen=True)
class WindowField:
    """`window={…}`."""

    read_value: Callable[[HloCursor], Window]
    keys = ("window",)

    def read(self, draft: Draft) -> None:
        draft.properties |= window_properties_of_reduce_window(draft.value("window", self.read_value))

    def write(self, operation: Operation) -> Written:
        """Yield the window, unless it has no dimensions."""
        window = reduce_window_window(operation.properties)
        if window.size:
            yield "window", print_window(window)


class MapDimensions:
    """`dimensions={0,1}` of map: all dimensions, in order, even if the text omits them."""

    keys = ("dimensions",)

    def read(self, draft: Draft) -> None:
        """Read the list, or supply the only valid one."""
        found = draft.value("dimensions", HloCursor.braced_integers)
        first = draft.operands[0].type if draft.operands else None
        rank = first.rank if isinstance(first, TensorType) else 0
        draft.properties["dimensions"] = integers(found or tuple(range(rank)))

    def write(self, operation: Operation) -> Written:
        yield "dimensions", brace(numbers_of(operation, "dimensions"))


def _last_dimension(draft: Draft) -> int:
    found = draft.operands[0].type if draft.operands else None
    return found.rank - 1 if isinstance(found, TensorType) else 0


SCATTER = Struct(
    "scatter_dimension_numbers",
    "scatter",
    {
        "update_window_dims": "update_window_dims",
        "inserted_window_dims": "inserted_window_dims",
        "scatter_dims_to_operand_dims": "scatter_dims_to_operand_dims",
        "input_batching_dims": "input_batching_dims",
        "scatter_indices_batching_dims": "scatter_indices_batching_dims",
    },
    {"index_vector_dim": "index_vector_dim"},
)

FORMS: tuple[Form, ...] = (
    Form(
        "reduce",
        "stablehlo.reduce",
        (
            Numbers("dimensions", "dimensions", needed=False),
            Set("drops_init_of_one", BoolAttribute(True)),
            Body("to_apply"),
        ),
    ),
    Form(
        "reduce-window",
        "stablehlo.reduce_window",
        (WindowField(read_window), Set("skips_padding", BoolAttribute(True)), Body("to_apply")),
    ),
    Form(
        "select-and-scatter",
        "stablehlo.select_and_scatter",
        (WindowField(read_undilated_window), Body("select", 0), Body("scatter", 1)),
    ),
    Form(
        "scatter",
        "stablehlo.scatter",
        (
            SCATTER,
            Flag("indices_are_sorted", "indices_are_sorted"),
            Flag("unique_indices", "unique_indices"),
            Set("drops_whole_windows", BoolAttribute(True)),
            Body("to_apply"),
        ),
    ),
    Form(
        "sort",
        "stablehlo.sort",
        (
            Single("dimensions", "dimension", _last_dimension),
            Flag("is_stable", "is_stable"),
            Body("to_apply"),
        ),
    ),
    Form("map", "stablehlo.map", (MapDimensions(), Body("to_apply"))),
    Form("topk", "hlo.topk", (Integer("k", "k"), Flag("largest", "largest", always=True))),
    Form(
        "scan",
        "hlo.scan",
        (
            Single("dimensions", "dimension"),
            Integer("num_carries", "num_carries"),
            Flag("is_reverse", "is_reverse"),
            Flag("is_associative", "is_associative", always=True),
            Body("to_apply"),
        ),
    ),
)
