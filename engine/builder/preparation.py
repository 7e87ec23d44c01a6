"""Fields of instructions that depend on the arguments of a call: defaults, older forms, and types of results.

A function that takes `fields` returns further fields, for `instruction`.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
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
from ..ir.types import TensorType, TokenType, TupleType, Type
from ..limits import DEFAULT_LIMITS
from ..ops.contractions.dot_general import DotDimensionNumbers
from ..syntax.attributes.text_reader import run_reader
from .broadcasting import Broadcasting
from .builder_error import BuilderError
from .computation import XlaComputation
from .handles import XlaOp, check_dimension, check_shape_with_layout
from .instructions import Fields
from .properties import whole, wholes
from .shape_text import element_type_of, spell, tensor_of, type_of

S32, U32 = (TensorType((), ELEMENT_TYPES[name]) for name in ("i32", "ui32"))

# Types and shapes


def converted(builder: Broadcasting, fields: Fields) -> Fields:
    """The operand's shape with another element type."""
    target = element_type_of(fields["new_element_type"])
    return {"result": fields["operand"].tensor.with_element_type(target)}


def bitcast_converted(builder: Broadcasting, fields: Fields) -> Fields:
    """The operand's shape in bits of another type: narrower types add a last dimension, wider ones remove it."""
    operand, target = fields["operand"], element_type_of(fields["new_element_type"])
    source = operand.element_type
    shape = operand.shape[:-1] if source.bits < target.bits else operand.shape
    if source.bits > target.bits:
        shape = (*shape, source.bits // target.bits)
    return {"result": TensorType(shape, target)}


def dynamic_dimension(builder: Broadcasting, fields: Fields) -> Fields:
    """The operand's shape with one dynamic dimension, whose old size is the bound."""
    operand, dimension = fields["operand"], fields["dimension"]
    check_dimension("dimension", dimension, operand, "set-dimension-size")
    shape, bounds = list(operand.shape), list(operand.tensor.bounds or (None,) * operand.rank)
    bounds[dimension] = bounds[dimension] if shape[dimension] is None else shape[dimension]
    shape[dimension] = None
    result = TensorType(tuple(shape), operand.element_type, tuple(bounds))
    return {"size": builder._like(fields["size"], I32, "set-dimension-size"), "result": result}


def dynamic_shape(builder: Broadcasting, fields: Fields) -> Fields:
    """A shape whose dimension `i` has `new_size_bounds[i]` elements, or at most as many if it is dynamic."""
    operand, bounds = fields["operand"], wholes("new_size_bounds", fields["new_size_bounds"])
    sizes, are_dynamic, count = fields["dim_sizes"], fields["dims_are_dynamic"], operand.tensor.element_count
    if not len(bounds) == len(sizes) == len(are_dynamic):
        message = "dim_sizes, new_size_bounds and dims_are_dynamic must have an entry for each dimension"
        raise BuilderError(message, op="dynamic-reshape")
    if prod(bounds) != count:
        message = f"new_size_bounds {list(bounds)} must have as many elements as the operand, {count}"
        raise BuilderError(message, op="dynamic-reshape")
    pairs = list(zip(bounds, are_dynamic, strict=True))
    shape = tuple(None if dynamic else bound for bound, dynamic in pairs)
    stated = tuple(bound if dynamic else None for bound, dynamic in pairs)
    result = TensorType(shape, operand.element_type, stated if None in shape else None)
    return {"dim_sizes": [builder._like(size, I32, "dynamic-reshape") for size in sizes], "result": result}


def dot(builder: Broadcasting, fields: Fields) -> Fields:
    """The dimension numbers of a product of vectors and matrices."""
    lhs, rhs = fields["lhs"], fields["rhs"]
    if lhs.rank not in (1, 2) or rhs.rank not in (1, 2):
        message = (
            f"dot takes vectors and matrices, not ranks {lhs.rank} and {rhs.rank}; dot_general takes any"
        )
        raise BuilderError(message, op="dot")
    return {"dot_dimension_numbers": DotDimensionNumbers((), (), (lhs.rank - 1,), (0,))}


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


def conditional(builder: Broadcasting, fields: Fields) -> Fields:
    """Branches and operands, in pairs or in two lists.

    `conditional(predicate, true_operand, true_computation, false_operand, false_computation)` selects by a `pred[]`;
    `conditional(branch_index, branch_computations, branch_operands)` by an `s32[]`.
    """
    operands = [fields["true_operand"], fields["false_operand"]]
    computations = [fields["true_computation"], fields["false_computation"]]
    if computations[1] is None:
        computations, operands = list(operands[0]), list(computations[0])
    if len(computations) != len(operands):
        message = f"there are {len(computations)} computations, but {len(operands)} operands"
        raise BuilderError(message, op="conditional")
    branches = [
        builder._region(computation, [builder._own(operand, "conditional").type], "branch")
        for computation, operand in zip(computations, operands, strict=True)
    ]
    return {"branches": branches, "branch_operands": operands}


def fusion(builder: Broadcasting, fields: Fields) -> Fields:
    """The function that a fusion names, and its result."""
    function = builder._callee(fields["calls"], fields["inputs"], "fusion")
    symbol, kind = SymbolAttribute(function.name), StringAttribute(fields["kind"])
    return {"calls": symbol, "kind": kind, "result": function.result_types[0]}


def async_start(builder: Broadcasting, fields: Fields) -> Fields:
    """The computation of an async-start, and its result: operands, the result of the computation, a number."""
    function = builder._callee(fields["computation"], fields["operands"], "async-start")
    taken = TupleType(tuple(operand.type for operand in fields["operands"]))
    region = builder._region(XlaComputation((function,)), ())
    return {"computation": region, "result": TupleType((taken, function.result_types[0], S32))}


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


def infeed(builder: Broadcasting, fields: Fields) -> Fields:
    """The result of an infeed: data and a token."""
    result = TupleType((type_of(fields["shape"]), TokenType()))
    return {"infeed_config": fields["infeed_config"] or None, "result": result}


def outfeed(builder: Broadcasting, fields: Fields) -> Fields:
    """The configuration of an outfeed, whose operand must have the stated shape."""
    operand = builder._own(fields["operand"], "outfeed")
    check_shape_with_layout(fields["shape_with_layout"], operand, "outfeed")
    return {"outfeed_config": fields["outfeed_config"] or None}


def transfer(builder: Broadcasting, fields: Fields) -> Fields:
    """The result of a send or recv: data, a number and a token."""
    data = type_of(fields["shape"]) if "shape" in fields else builder._own(fields["operand"], "send").type
    return {"result": TupleType((data, U32, TokenType()))}


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


def all_to_all_tuple(builder: Broadcasting, fields: Fields) -> Fields:
    """The result of an all-to-all of several arrays: as many arrays."""
    return {
        "result": TupleType(tuple(builder._own(operand, "all-to-all").type for operand in fields["operands"]))
    }


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


def partition_id(builder: Broadcasting, fields: Fields) -> Fields:
    """Raise `BuilderError` unless the stated shape is `u32[]`."""
    stated = type_of(fields["shape"])
    if stated != U32:
        raise BuilderError(f"shape must be u32[], not {spell(stated)}", op="partition-id")
    return {}


# Random numbers


def random_operands(builder: Broadcasting, fields: Fields) -> Fields:
    """The parameters of a distribution, as scalars of the result's element type."""
    element_type = tensor_of(fields["result"]).element_type
    return {name: builder._like(fields[name], element_type, "rng") for name in ("a", "b")}


def random_bits(builder: Broadcasting, fields: Fields) -> Fields:
    """The result of an rng-bit-generator: the new state and the bits."""
    algorithm = fields["rng_algorithm"].upper().removeprefix("RNG_")
    result = TupleType((fields["initial_state"].type, tensor_of(fields["shape"])))
    return {"rng_algorithm": algorithm, "result": result}
