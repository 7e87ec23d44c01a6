"""Fields of instructions that depend on the arguments of a call: defaults, older forms, and types of results.

A function that takes `fields` returns further fields, for `instruction`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..errors import ProgramError
from ..ir.attribute_values import integer
from ..ir.attributes import (
    ArrayAttribute,
    DictionaryAttribute,
    OpaqueAttribute,
    StringAttribute,
    SymbolAttribute,
)
from ..ir.element_types import ELEMENT_TYPES, I32
from ..ir.types import TensorType, TupleType, Type
from ..limits import DEFAULT_LIMITS
from ..ops.contractions.convolution_rules import ConvolutionDimensionNumbers
from ..syntax.reader import run_reader
from .broadcasting import Broadcasting
from .builder_error import BuilderError
from .handles import XlaOp, check_dimension, check_shape_with_layout
from .instructions import Fields
from .padding import make_padding
from .properties import property_of, whole, wholes

U32 = TensorType((), ELEMENT_TYPES["ui32"])

# Slices


def strides(builder: Broadcasting, fields: Fields) -> Fields:
    """Strides of 1 for a slice that states none."""
    return {"strides": (1,) * len(fields["start_indices"])} if fields["strides"] is None else {}


def start_indices(builder: Broadcasting, fields: Fields) -> Fields:
    """Scalar start indices of a dynamic slice, s32 by default; the op of older XLA for a vector of them."""
    indices = fields["start_indices"]
    op = "dynamic_update_slice" if "update" in fields else "dynamic_slice"
    if isinstance(indices, XlaOp):
        return {"op": f"hlo.{op}_by_vector"}
    handles = [found for found in indices if isinstance(found, XlaOp)]
    element_type = handles[0].element_type if handles else I32
    return {"start_indices": [builder._like(found, element_type, op.replace("_", "-")) for found in indices]}


# Windows


def reduce_windows(builder: Broadcasting, fields: Fields) -> Fields:
    """Padding of reduce-window from its name."""
    first, *_ = builder._several(fields["inputs"], "reduce-window")
    sizes = _dilated(first.tensor.sizes, fields["base_dilations"])
    window = wholes("window_dimensions", fields["window_dimensions"])
    return _padding(fields, sizes, _dilated(window, fields["window_dilations"]), "reduce-window")


def selection_windows(builder: Broadcasting, fields: Fields) -> Fields:
    """Padding of select-and-scatter from its name."""
    window = wholes("window_dimensions", fields["window_dimensions"])
    return _padding(fields, fields["operand"].tensor.sizes, window, "select-and-scatter")


def convolution(builder: Broadcasting, fields: Fields) -> Fields:
    """Dimension numbers of a convolution, by default `bf01_oi01->bf01`, and padding from its name."""
    lhs, rhs = fields["lhs"], fields["rhs"]
    spatial = tuple(range(2, lhs.rank))
    default = ConvolutionDimensionNumbers(0, 1, 1, 0, 0, 1, spatial, spatial, spatial)
    stated = fields.get("dimension_numbers", default)
    numbers: Any = property_of("dimension_numbers", stated, ConvolutionDimensionNumbers)
    inputs, kernel = (numbers.parameters[f"{name}_spatial_dimensions"].values for name in ("input", "kernel"))
    for operand, dimensions in ((lhs, inputs), (rhs, kernel)):
        if not all(0 <= dimension < operand.rank for dimension in dimensions):
            message = f"dimension_numbers has a dimension outside rank {operand.rank}"
            raise BuilderError(message, op="convolution")
    sizes, window = [lhs.shape[at] for at in inputs], [rhs.shape[at] for at in kernel]
    return {"dimension_numbers": numbers, **_padding(fields, sizes, window, "convolution")}


def _padding(fields: Fields, sizes: Sequence[Any], window: Sequence[Any], op: str) -> Fields:
    if not isinstance(fields["padding"], str):
        return {}
    strides = wholes("window_strides", fields["window_strides"])
    return {"padding": make_padding(sizes, window, strides, fields["padding"], op)}


def _dilated(sizes: Sequence[int], dilations: Sequence[int] | None) -> list[int]:
    """Sizes with holes between elements."""
    steps = wholes("dilations", dilations or (1,) * len(sizes))
    return [max((size - 1) * step + 1, 0) for size, step in zip(sizes, steps, strict=False)]


# Computations


def map_operands(builder: Broadcasting, fields: Fields) -> Fields:
    """The operands of map, with static operands broadcast; all dimensions by default."""
    arrays = builder._several(fields["inputs"], "map")
    statics = [builder._like(given, arrays[0].element_type, "map") for given in fields["static_operands"]]
    if any(given.rank for given in statics):
        raise BuilderError("static_operands must be scalars", op="map")
    arrays += [builder._grow(given, arrays[0].shape) for given in statics]
    dimensions = fields["dimensions"]
    return {"inputs": arrays, "dimensions": range(arrays[0].rank) if dimensions is None else dimensions}


def sort_operands(builder: Broadcasting, fields: Fields) -> Fields:
    """The last dimension by default; without a comparator the first operand's elements increase.

    Older forms are `sort(operand, dimension)` and `sort(keys, values)`.
    """
    arrays = builder._several(fields["inputs"], "sort")
    comparator, dimension = fields["comparator"], fields["dimension"]
    if isinstance(comparator, int):
        comparator, dimension = None, comparator
    if isinstance(comparator, XlaOp):
        arrays, comparator = [*arrays, comparator], None
    along = arrays[0].rank - 1 if dimension is None else dimension
    return {"inputs": arrays, "comparator": comparator or _is_less, "dimension": along}


def _is_less(lhs: XlaOp, rhs: XlaOp, *others: XlaOp) -> XlaOp:
    """The default comparator: floats in their total order."""
    return lhs.builder.lt_total_order(lhs, rhs)


def scan_operands(builder: Broadcasting, fields: Fields) -> Fields:
    """The operands of scan, inputs and carries; its computation takes slices and carries."""
    inputs, dimension = builder._several(fields["inputs"], "scan"), fields["dimension"]
    carries = [builder._like(given, inputs[0].element_type, "scan") for given in fields["init_values"]]
    types: list[Type] = [
        found.with_shape(tuple(size for at, size in enumerate(found.shape) if at != dimension))
        for found in (array.tensor for array in inputs)
    ]
    types += [carry.type for carry in carries]
    body = builder._region(fields["body"], types)
    return {"operands": [*inputs, *carries], "num_carries": len(carries), "body": body}


def composite(builder: Broadcasting, fields: Fields) -> Fields:
    """The function that defines a composite op, and the op's attributes from MLIR's syntax."""
    function = builder._callee(fields["decomposition"], fields["inputs"], "call")
    return {
        "decomposition": SymbolAttribute(function.name),
        "version": integer(fields["version"] or 0, I32),
        "composite_attributes": _dictionary(fields["composite_attributes"] or "{}"),
        "result": function.result_types[0],
    }


def _dictionary(text: str) -> DictionaryAttribute:
    try:
        return DictionaryAttribute(run_reader(text, DEFAULT_LIMITS, lambda reader: reader.dictionary()))
    except ProgramError as error:
        raise BuilderError(f"attributes '{text}': {error.message}", op="call") from None


def custom_call(builder: Broadcasting, fields: Fields) -> Fields:
    """The computations and the configuration of a custom call, and counts that HLO states."""
    names = [SymbolAttribute(builder._embed(found, ()).name) for found in fields["called_computations"]]
    found: dict[str, Any] = {
        "api_version": integer(fields["api_version"], I32),
        "called_computations": ArrayAttribute(tuple(names)) if names else None,
        "properties": {"feature_group_count": integer(1), "batch_group_count": integer(1)},
    }
    if opaque := fields["opaque"]:
        quoted = opaque.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        found["properties"]["hlo_backend_config"] = StringAttribute(opaque)
        found["attributes"] = {"backend_config": OpaqueAttribute(f'"{quoted}"')}
    return found


# Transfers and collectives


def channel_of_start(builder: Broadcasting, fields: Fields) -> Fields:
    """The channel of send-done or recv-done, which is that of the start."""
    value = builder._own(fields["operand"]).value
    start = next((op for op in builder._operations if op.results[0] is value), None)
    return {"channel_handle": start.properties.get("channel_handle") if start else None}


def all_gather(builder: Broadcasting, fields: Fields) -> Fields:
    """The arrays of an all-gather, and its result, `shard_count` times as large along the dimension."""
    arrays = _arrays(builder, fields["operands"])
    scaling = (fields["all_gather_dim"], fields["shard_count"], 1, "all-gather")
    types = [_scaled(array, "all_gather_dimension", *scaling) for array in arrays]
    return {"operands": arrays, "result": _joined(fields["operands"], types)}


def all_gather_start(builder: Broadcasting, fields: Fields) -> Fields:
    """As `all_gather`; the result is a tuple of the operand and the result."""
    found = all_gather(builder, fields)
    return {**found, "result": TupleType((fields["operands"].type, found["result"]))}


def all_reduce(builder: Broadcasting, fields: Fields) -> Fields:
    """The arrays and the result of an all-reduce."""
    operand = fields["operands"]
    check_shape_with_layout(fields["shape_with_layout"], operand, "all-reduce")
    return {"operands": _arrays(builder, operand), "result": operand.type}


def reduce_scatter(builder: Broadcasting, fields: Fields) -> Fields:
    """The result of a reduce-scatter, one of `shard_count` parts; HLO's own op for a tuple of arrays."""
    operand = fields["operand"]
    arrays = _arrays(builder, operand)
    scaling = (fields["scatter_dimension"], 1, fields["shard_count"], "reduce-scatter")
    types = [_scaled(array, "scatter_dimension", *scaling) for array in arrays]
    op = "hlo.reduce_scatter" if isinstance(operand.type, TupleType) else "stablehlo.reduce_scatter"
    return {"op": op, "operands": arrays, "result": _joined(operand, types)}


def collective_permute_start(builder: Broadcasting, fields: Fields) -> Fields:
    """The result of a collective-permute-start: operand, result and two numbers."""
    found = builder._own(fields["operands"]).type
    return {"result": TupleType((found, found, U32, U32))}


def _arrays(builder: Broadcasting, operand: XlaOp) -> list[XlaOp]:
    """The elements of a tuple, or an array alone."""
    return list(operand) if isinstance(builder._own(operand).type, TupleType) else [operand]


def _joined(operand: XlaOp, types: Sequence[Type]) -> Type:
    return TupleType(tuple(types)) if isinstance(operand.type, TupleType) else types[0]


def _scaled(operand: XlaOp, name: str, dimension: int, times: int, over: int, op: str) -> Type:
    """The type of an array with `times / over` as many elements along a dimension."""
    check_dimension(name, dimension, operand, op)
    sizes = list(operand.tensor.sizes)
    if min(whole("shard_count", times), whole("shard_count", over)) <= 0 or sizes[dimension] % over:
        count = times if over == 1 else over
        message = f"shard_count {count} does not fit dimension {dimension} (size {sizes[dimension]})"
        raise BuilderError(message, op=op)
    sizes[dimension] = sizes[dimension] * times // over
    return operand.tensor.with_shape(tuple(sizes))
