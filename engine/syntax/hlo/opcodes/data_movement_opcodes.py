"""Opcodes that create tensors, or move elements without computing."""

import re

from ....ir.attribute_values import integers
from ....ir.attributes import ArrayAttribute
from ....ir.module import Operation
from ....ir.types import TensorType
from ..attributes.window_fields import print_padding, read_padding
from ..fields import Flag, Integer, Numbers, Single, Struct, Written, numbers_of
from ..instruction_draft import Draft
from ..opcode_forms import Form
from ..values.hlo_cursor import HloCursor

_STRIDE = re.compile(r":\s*+([0-9]{1,19})")


class Literal:
    """The value of a constant, in its parentheses."""

    def read(self, draft: Draft) -> None:
        assert draft.raw.literal is not None
        draft.properties["value"] = draft.raw.literal

    def write(self, operation: Operation) -> Written:
        """The printer writes the literal in place of operands."""
        return iter(())


class Slice:
    """`slice={[0:4], [1:8:2]}`: start, limit and stride of each dimension."""

    keys = ("slice",)

    def read(self, draft: Draft) -> None:
        found = draft.value("slice", _read_ranges)
        if found is None:
            draft.fail("needs the attribute 'slice', such as slice={[0:4], [1:8:2]}")
        for position, name in enumerate(_RANGE):
            draft.properties[name] = integers(tuple(part[position] for part in found))

    def write(self, operation: Operation) -> Written:
        """Yield the ranges; as in XLA, without strides of 1."""
        starts, limits, strides = (numbers_of(operation, name) for name in _RANGE)
        parts = (
            f"[{start}:{limit}{f':{stride}' if stride != 1 else ''}]"
            for start, limit, stride in zip(starts, limits, strides or (1,) * len(starts), strict=True)
        )
        yield "slice", f"{{{', '.join(parts)}}}"


_RANGE = ("start_indices", "limit_indices", "strides")


def _read_ranges(cursor: HloCursor) -> list[tuple[int, int, int]]:
    return cursor.list_of("{", lambda: _read_range(cursor))


def _read_range(cursor: HloCursor) -> tuple[int, int, int]:
    cursor.expect("[", ", start and limit, such as [0:4]")
    start = cursor.integer("the first index")
    cursor.expect(":", " and the limit")
    limit = cursor.integer("the limit")
    match = cursor.match(_STRIDE)
    cursor.expect("]")
    return start, limit, int(match[1]) if match else 1


class Padding:
    """`padding=1_2x0_0_1`: low, high and interior padding of each dimension."""

    keys = ("padding",)

    def read(self, draft: Draft) -> None:
        found = draft.value("padding", read_padding)
        if found is None:
            draft.fail("needs the attribute 'padding', such as padding=1_1x0_0")
        for name, values in zip(_PADDING, found, strict=True):
            draft.properties[name] = integers(values)

    def write(self, operation: Operation) -> Written:
        """Yield `low_high_interior` of each dimension, without interior padding if it is 0."""
        low, high, interior = (numbers_of(operation, name) for name in _PADDING)
        if low:
            yield "padding", print_padding(low, high, interior)


_PADDING = ("edge_padding_low", "edge_padding_high", "interior_padding")


def _is_tuple(draft: Draft) -> bool:
    return isinstance(draft.raw.literal, ArrayAttribute)


def _by_vector(operands: int, draft: Draft) -> bool:
    """Whether the start indices are one vector, as before 2019."""
    if len(draft.operands) != operands + 1:
        return False
    found = draft.operands[operands].type
    return isinstance(found, TensorType) and found.rank == 1


GATHER = Struct(
    "dimension_numbers",
    "gather",
    {
        "offset_dims": "offset_dims",
        "collapsed_slice_dims": "collapsed_slice_dims",
        "start_index_map": "start_index_map",
        "operand_batching_dims": "operand_batching_dims",
        "start_indices_batching_dims": "start_indices_batching_dims",
    },
    {"index_vector_dim": "index_vector_dim"},
)

FORMS: tuple[Form, ...] = (
    Form("constant", "hlo.constant", (Literal(),), _is_tuple),
    Form("constant", "stablehlo.constant", (Literal(),)),
    Form("iota", "stablehlo.iota", (Integer("iota_dimension", "iota_dimension"),)),
    Form(
        "broadcast",
        "stablehlo.broadcast_in_dim",
        (Numbers("dimensions", "broadcast_dimensions", needed=False),),
    ),
    Form("transpose", "stablehlo.transpose", (Numbers("dimensions", "permutation"),)),
    Form("reverse", "stablehlo.reverse", (Numbers("dimensions", "dimensions"),)),
    Form("concatenate", "stablehlo.concatenate", (Single("dimensions", "dimension"),)),
    Form("reshape", "stablehlo.reshape"),
    Form("bitcast-convert", "stablehlo.bitcast_convert"),
    Form("bitcast", "hlo.bitcast"),
    Form("copy", "hlo.copy"),
    Form("slice", "stablehlo.slice", (Slice(),)),
    Form("pad", "stablehlo.pad", (Padding(),)),
    Form(
        "dynamic-slice",
        "hlo.dynamic_slice_by_vector",
        (Numbers("dynamic_slice_sizes", "slice_sizes"),),
        lambda draft: _by_vector(1, draft),
    ),
    Form("dynamic-slice", "stablehlo.dynamic_slice", (Numbers("dynamic_slice_sizes", "slice_sizes"),)),
    Form(
        "dynamic-update-slice", "hlo.dynamic_update_slice_by_vector", (), lambda draft: _by_vector(2, draft)
    ),
    Form("dynamic-update-slice", "stablehlo.dynamic_update_slice"),
    Form("dynamic-reshape", "hlo.dynamic_reshape"),
    Form("get-dimension-size", "stablehlo.get_dimension_size", (Single("dimensions", "dimension"),)),
    Form("set-dimension-size", "stablehlo.set_dimension_size", (Single("dimensions", "dimension"),)),
    Form(
        "gather",
        "stablehlo.gather",
        (GATHER, Numbers("slice_sizes", "slice_sizes"), Flag("indices_are_sorted", "indices_are_sorted")),
    ),
)
