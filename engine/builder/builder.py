"""XlaBuilder: XLA's functions, most of them rows that follow from the classes of ops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, overload

import numpy as np

from ..ir.attributes import OpaqueAttribute, StringAttribute, SymbolAttribute
from ..ir.element_types import ELEMENT_TYPES, F32, I32, ElementType, of_dtype
from ..ir.types import Dimension, TensorType, TokenType, TupleType
from ..ops.contractions.dot_general import DotDimensionNumbers
from . import preparation
from .builder_error import BuilderError
from .computation import XlaComputation
from .elementwise import Elementwise
from .handles import Operand, XlaOp, check_dimension, check_shape_with_layout
from .instructions import instruction
from .properties import whole, wholes
from .recorder import Computation
from .shape_text import ElementTypeLike, ShapeLike, element_type_of, spell, tensor_of, type_of

Integers = Sequence[int]
Rows = Sequence[Sequence[int]]
S32, U32 = (TensorType((), ELEMENT_TYPES[name]) for name in ("i32", "ui32"))

_PRODUCT = "precision_config=None, preferred_element_type: element_type=None"
_CONVOLUTION = f"feature_group_count=1, batch_group_count=1, {_PRODUCT}"
_CHANNEL = "replica_groups=(), channel_id: channel_handle=None"
_NO_BORDER = '{kind="sharding", entry={replicated}, exit={replicated}}'


@dataclass(frozen=True)
class PaddingDimension:
    """The padding of one dimension: at its low end, at its high end, and between any two elements."""

    edge_padding_low: int = 0
    edge_padding_high: int = 0
    interior_padding: int = 0


class XlaBuilder(Elementwise):
    """Builds one computation, instruction by instruction, with XLA's functions under their names in snake case.

        add = XlaBuilder("add")
        add.add(add.parameter(0, "f32[]"), add.parameter(1, "f32[]"))

        b = XlaBuilder("row_sums")
        x = b.parameter(0, "f32[2,3]", "x")
        b.reduce(x * 2.0, 0.0, add.build(), [1])
        b.build().run([[1, 2, 3], [4, 5, 6]])  # [12, 30]

    Each function adds an instruction and returns a handle, an operand of further functions. A call that breaks a rule
    of the op raises `BuilderError`. Shapes are text, `"f32[2,3]"`, or types. Computations are results of `build()` of
    another builder, or functions of handles, `lambda x, y: x + y`.

    `replica_groups` hold ids of replicas; with a `channel_id` of replicas in all partitions, replica by replica; with
    `use_global_device_ids` of devices. Layouts, and shapes stated for their layouts, change no value.
    """

    # Constants

    def constant_literal(self, literal: Any, element_type: ElementTypeLike | None = None) -> XlaOp:
        """A constant: an array, a number, nested lists, or a Python tuple of literals.

        The default element type is that of the array. Python numbers are s32 (s64 if they exceed it), f32, c64 or
        pred.
        """
        if isinstance(literal, tuple):
            return self._emit("stablehlo.tuple", *[self.constant(item, element_type) for item in literal])
        stated = None if element_type is None else element_type_of(element_type)
        return self._literal(literal, stated or _literal_type(literal))

    constant = constant_literal

    def constant_r0(self, value: complex, element_type: ElementTypeLike | None = None) -> XlaOp:
        """A constant of rank 0: one number."""
        return self._literal_of_rank(0, value, element_type)

    def constant_r1(self, values: Sequence[Any] | Any, element_type: ElementTypeLike | None = None) -> XlaOp:
        """A constant of rank 1: a list of numbers."""
        return self._literal_of_rank(1, values, element_type)

    def _literal_of_rank(self, rank: int, literal: Any, element_type: ElementTypeLike | None) -> XlaOp:
        if np.ndim(literal) != rank:
            message = f"the literal must have rank {rank}, not {np.ndim(literal)}"
            raise BuilderError(message, op="constant")
        return self.constant_literal(literal, element_type)

    def zeros(self, shape: ShapeLike) -> XlaOp:
        """Zeros: one scalar constant, broadcast to `shape`."""
        result = type_of(shape)
        if not isinstance(result, TensorType):
            raise BuilderError("zeros must have an array shape", op="broadcast")
        return self._in_dimensions(self._literal(0, result.element_type), result.shape, ())

    def iota(self, shape: ShapeLike | ElementTypeLike, iota_dimension: int = 0) -> XlaOp:
        """Count from 0 along a dimension: each row of `iota("s32[4,8]", 1)` holds 0 to 7.

        The form of older XLA, `iota(element_type, size)`, makes a vector of that size. Integers wrap.
        """
        if not isinstance(shape, str | TensorType) or (isinstance(shape, str) and "[" not in shape):
            shape, iota_dimension = TensorType((iota_dimension,), element_type_of(shape)), 0  # type: ignore[arg-type]
        return self._emit("stablehlo.iota", result=tensor_of(shape), iota_dimension=iota_dimension)

    # Conversions and copies

    def convert_element_type(self, operand: XlaOp, new_element_type: ElementTypeLike) -> XlaOp:
        """The same numbers as another type: `T[d0, …] -> U[d0, …]`.

        Floats become integers by truncation and saturation; integers wrap; nonzero numbers become true; complex
        numbers lose their imaginary part.
        """
        result = operand.tensor.with_element_type(element_type_of(new_element_type))
        return self._emit("stablehlo.convert", operand, result=result)

    def bitcast_convert_type(self, operand: XlaOp, new_element_type: ElementTypeLike) -> XlaOp:
        """The same bits as another type.

        `T[d0, …] -> U[d0, …]` for types of one width; narrower types add a last dimension, lowest bits first
        (`f32[10] -> f16[10,2]`); wider types remove it.
        """
        target, source = element_type_of(new_element_type), operand.element_type
        shape = operand.shape[:-1] if source.bits < target.bits else operand.shape
        if source.bits > target.bits:
            shape = (*shape, source.bits // target.bits)
        return self._emit("stablehlo.bitcast_convert", operand, result=TensorType(shape, target))

    def stochastic_convert_type(
        self, operand: XlaOp, random: XlaOp, new_element_type: ElementTypeLike
    ) -> XlaOp:
        """Floats as another type, rounded up or down at random: `T[d0, …], U[d0, …] -> S[d0, …]`.

        `random` has unsigned bits for each element, as wide as T; the nearer neighbour is more likely.
        """
        result = operand.tensor.with_element_type(element_type_of(new_element_type))
        return self._emit("hlo.stochastic_convert", operand, random, result=result)

    bitcast = instruction("hlo.bitcast", "operand, shape: result")
    copy = instruction("hlo.copy")
    copy_start = instruction("hlo.copy_start", "operand")
    copy_done = instruction("hlo.copy_done")

    # Shapes

    def broadcast(self, operand: XlaOp, broadcast_sizes: Integers) -> XlaOp:
        """Copies of the operand along new dimensions, which come first: `T[b…], {a…} -> T[a…, b…]`."""
        sizes = _sizes("broadcast_sizes", broadcast_sizes, "broadcast")
        dimensions = tuple(range(len(sizes), len(sizes) + operand.rank))
        return self._in_dimensions(operand, (*sizes, *operand.shape), dimensions)

    def broadcast_in_dim(
        self, operand: XlaOp, out_dim_size: Integers, broadcast_dimensions: Integers
    ) -> XlaOp:
        """Copies of the operand along any dimensions of a result of sizes `out_dim_size`.

        Dimension `i` of the operand becomes dimension `broadcast_dimensions[i]`, whose size it has, or size 1, which
        is repeated. `T[b…] -> T[out_dim_size…]`.
        """
        sizes = _sizes("out_dim_size", out_dim_size, "broadcast")
        mapped = wholes("broadcast_dimensions", broadcast_dimensions)
        _check_mapping(operand.tensor, sizes, mapped)
        return self._repeat(operand, sizes, mapped)

    @overload
    def reshape(self, operand: XlaOp, dimensions: Integers, new_sizes: Integers | None = None) -> XlaOp: ...

    @overload
    def reshape(self, operand: ShapeLike, dimensions: XlaOp, new_sizes: None = None) -> XlaOp: ...

    def reshape(
        self, operand: XlaOp | ShapeLike, dimensions: Integers | XlaOp, new_sizes: Integers | None = None
    ) -> XlaOp:
        """The same elements, in row-major order, in another shape: `T[a…] -> T[b…]`.

        `reshape(operand, sizes)`; `reshape(shape, operand)` with a whole shape; and as in older XLA
        `reshape(operand, dimensions, new_sizes)`, which transposes by `dimensions` first.
        """
        if isinstance(dimensions, XlaOp):
            return self._emit("stablehlo.reshape", dimensions, result=tensor_of(operand))  # type: ignore[arg-type]
        source = self._own(operand, "reshape")
        if new_sizes is not None:
            order = wholes("dimensions", dimensions)
            source = source if order == tuple(range(source.rank)) else self.transpose(source, order)
        sizes = _sizes("dimensions", dimensions if new_sizes is None else new_sizes, "reshape")
        return self._emit("stablehlo.reshape", source, result=source.tensor.with_shape(sizes))

    def dynamic_reshape(
        self,
        operand: XlaOp,
        dim_sizes: Sequence[Operand],
        new_size_bounds: Integers,
        dims_are_dynamic: Sequence[bool],
    ) -> XlaOp:
        """`reshape` to sizes known at run time: one s32 scalar for each dimension of the result.

        Dimension `i` has at most `new_size_bounds[i]` elements, and exactly as many unless `dims_are_dynamic[i]`. The
        product of the bounds must be the number of the operand's elements.
        """
        bounds, count = wholes("new_size_bounds", new_size_bounds), operand.tensor.element_count
        if not len(bounds) == len(dim_sizes) == len(dims_are_dynamic):
            message = "dim_sizes, new_size_bounds and dims_are_dynamic must have an entry for each dimension"
            raise BuilderError(message, op="dynamic-reshape")
        if prod(bounds) != count:
            message = f"new_size_bounds {list(bounds)} must have as many elements as the operand, {count}"
            raise BuilderError(message, op="dynamic-reshape")
        pairs = list(zip(bounds, dims_are_dynamic, strict=True))
        shape = tuple(None if dynamic else bound for bound, dynamic in pairs)
        stated = tuple(bound if dynamic else None for bound, dynamic in pairs)
        result = TensorType(shape, operand.element_type, stated if None in shape else None)
        sizes = [self._like(size, I32, "dynamic-reshape") for size in dim_sizes]
        return self._emit("hlo.dynamic_reshape", operand, *sizes, result=result)

    def collapse(self, operand: XlaOp, dimensions: Integers) -> XlaOp:
        """Merge adjacent dimensions: `T[4,2,3], {0,1} -> T[8,3]`."""
        merged = wholes("dimensions", dimensions)
        first, last = (merged[0], merged[-1] + 1) if merged else (0, 0)
        if merged != tuple(range(first, last)) or not 0 <= first <= last <= operand.rank:
            message = (
                f"dimensions {list(merged)} must be neighbours in increasing order within rank {operand.rank}"
            )
            raise BuilderError(message, op="reshape")
        if len(merged) <= 1:
            return self._own(operand, "reshape")
        sizes = operand.tensor.sizes
        return self.reshape(operand, [*sizes[:first], prod(sizes[first:last]), *sizes[last:]])

    transpose = instruction("stablehlo.transpose")
    rev = instruction("stablehlo.reverse")
    get_dimension_size = instruction("stablehlo.get_dimension_size")

    def set_dimension_size(self, operand: XlaOp, val: Operand, dimension: int) -> XlaOp:
        """The operand with only the first `val` elements along a dimension: `T[10], s32[] -> T[<=10]`.

        The dimension becomes dynamic, with its old size as the bound. Reductions skip the other elements.
        """
        check_dimension("dimension", dimension, operand, "set-dimension-size")
        size = self._like(val, I32, "set-dimension-size")
        shape: list[Dimension] = list(operand.shape)
        bounds = list(operand.tensor.bounds or (None,) * operand.rank)
        bounds[dimension] = bounds[dimension] if shape[dimension] is None else shape[dimension]
        shape[dimension] = None
        result = TensorType(tuple(shape), operand.element_type, tuple(bounds))
        return self._emit("stablehlo.set_dimension_size", operand, size, result=result, dimension=dimension)

    # Parts of arrays

    concatenate = concat_in_dim = instruction("stablehlo.concatenate", "operands: inputs, dimension")
    slice = instruction(
        "stablehlo.slice", "operand, start_indices, limit_indices, strides=None", preparation.strides
    )
    dynamic_slice = instruction("stablehlo.dynamic_slice", "", preparation.start_indices)
    dynamic_update_slice = instruction("stablehlo.dynamic_update_slice", "", preparation.start_indices)
    gather = instruction("stablehlo.gather")
    scatter = instruction(
        "stablehlo.scatter",
        "operands: inputs, scatter_indices, updates, update_computation, "
        "dimension_numbers: scatter_dimension_numbers, indices_are_sorted=False, unique_indices=False",
        drops_whole_windows=True,
    )

    def slice_in_dim(
        self, operand: XlaOp, start_index: int, limit_index: int, stride: int, dimno: int
    ) -> XlaOp:
        """`slice` along the one dimension `dimno`."""
        check_dimension("dimno", dimno, operand, "slice")
        starts, limits, strides = [0] * operand.rank, list(operand.tensor.sizes), [1] * operand.rank
        starts[dimno], limits[dimno], strides[dimno] = start_index, limit_index, stride
        return self.slice(operand, starts, limits, strides)

    def pad(
        self, operand: XlaOp, padding_value: Operand, padding_config: Sequence[PaddingDimension | Integers]
    ) -> XlaOp:
        """The operand with `padding_value` between and around its elements: `T[d0, …], T[] -> T[e0, …]`.

        Each dimension has an entry `(low, high)`, `(low, high, interior)` or `PaddingDimension`. Interior padding
        comes first; then edges grow or, if their padding is negative, shrink.
        """
        entries = [_padding_dimension(entry) for entry in padding_config]
        names = ("edge_padding_low", "edge_padding_high", "interior_padding")
        paddings = {name: [getattr(entry, name) for entry in entries] for name in names}
        return self._emit("stablehlo.pad", operand, padding_value, **paddings)

    def pad_in_dim(
        self, operand: XlaOp, padding_value: Operand, dimno: int, pad_lo: int, pad_hi: int
    ) -> XlaOp:
        """`pad` at both ends of the one dimension `dimno`."""
        check_dimension("dimno", dimno, operand, "pad")
        config = [(pad_lo, pad_hi) if at == dimno else (0, 0) for at in range(operand.rank)]
        return self.pad(operand, padding_value, config)

    # Products, normalizations, transforms

    def dot(
        self,
        lhs: XlaOp,
        rhs: XlaOp,
        precision_config: Sequence[str] | None = None,
        preferred_element_type: ElementTypeLike | None = None,
    ) -> XlaOp:
        """The product of vectors and matrices, over the last dimension of `lhs` and the first of `rhs`.

        `[n] . [n] -> []`, `[m,k] . [k] -> [m]`, `[m,k] . [k,n] -> [m,n]`.
        """
        if lhs.rank not in (1, 2) or rhs.rank not in (1, 2):
            message = (
                f"dot takes vectors and matrices, not ranks {lhs.rank} and {rhs.rank}; dot_general takes any"
            )
            raise BuilderError(message, op="dot")
        numbers = DotDimensionNumbers((), (), (lhs.rank - 1,), (0,))
        return self.dot_general(lhs, rhs, numbers, precision_config, preferred_element_type)

    dot_general = instruction(
        "stablehlo.dot_general", f"lhs, rhs, dimension_numbers: dot_dimension_numbers, {_PRODUCT}"
    )
    scaled_dot = instruction(
        "hlo.scaled_dot",
        f"lhs, lhs_scale, rhs, rhs_scale, dimension_number: dot_dimension_numbers, {_PRODUCT}",
    )
    ragged_dot = instruction(
        "hlo.ragged_dot",
        "lhs, rhs, group_sizes, dimension_numbers: dot_dimension_numbers, lhs_ragged_dimensions: lhs_ragged_dims, "
        f"rhs_group_dimensions: rhs_group_dims=(), {_PRODUCT}",
    )
    conv = conv_with_general_padding = instruction(
        "stablehlo.convolution",
        f"lhs, rhs, window_strides, padding, {_CONVOLUTION}",
        preparation.convolution,
    )
    conv_general = conv_with_general_dimensions = instruction(
        "stablehlo.convolution",
        f"lhs, rhs, window_strides, padding, dimension_numbers, {_CONVOLUTION}",
        preparation.convolution,
    )
    conv_general_dilated = instruction(
        "stablehlo.convolution",
        "lhs, rhs, window_strides, padding, lhs_dilation, rhs_dilation, dimension_numbers, "
        f"{_CONVOLUTION}, window_reversal=None",
    )
    batch_norm_training = instruction("stablehlo.batch_norm_training")
    batch_norm_inference = instruction("stablehlo.batch_norm_inference")
    batch_norm_grad = instruction(
        "stablehlo.batch_norm_grad",
        "operand, scale, batch_mean: mean, batch_var: variance, grad_output, epsilon, feature_index",
    )
    fft = instruction("stablehlo.fft")
    cholesky = instruction("stablehlo.cholesky", "a, lower=True")
    triangular_solve = instruction(
        "stablehlo.triangular_solve",
        "a, b, left_side=True, lower=True, unit_diagonal=False, transpose_a='NO_TRANSPOSE'",
    )

    # Computations on elements

    reduce = instruction(
        "stablehlo.reduce",
        "operands: inputs, init_values, computation: body, dimensions_to_reduce: dimensions",
    )

    def reduce_all(self, operand: XlaOp, init_value: Operand, computation: Computation) -> XlaOp:
        """`reduce` along all dimensions: `T[d0, …] -> T[]`."""
        return self.reduce(operand, init_value, computation, list(range(operand.rank)))

    reduce_window = instruction(
        "stablehlo.reduce_window",
        "operands: inputs, init_values, computation: body, window_dimensions, window_strides, padding, "
        "base_dilations=None, window_dilations=None",
        preparation.reduce_windows,
        skips_padding=True,
    )
    reduce_window_with_general_padding = instruction(
        "stablehlo.reduce_window",
        "operands: inputs, init_values, computation: body, window_dimensions, window_strides, base_dilations, "
        "window_dilations, padding",
        skips_padding=True,
    )
    select_and_scatter = select_and_scatter_with_general_padding = instruction(
        "stablehlo.select_and_scatter",
        "operand, select, window_dimensions, window_strides, padding, source, init_value, scatter",
        preparation.selection_windows,
    )
    map = instruction(
        "stablehlo.map",
        "operands: inputs, computation, dimensions=None, static_operands=()",
        preparation.map_operands,
    )
    sort = instruction(
        "stablehlo.sort",
        "operands: inputs, comparator=None, dimension=None, is_stable=False",
        preparation.sort_operands,
    )
    top_k = instruction("hlo.topk")
    scan = instruction(
        "hlo.scan",
        "inputs, init_values, computation: body, scan_dimension: dimension, is_reverse=False, is_associative=False",
        preparation.scan_operands,
    )

    # Tuples and calls

    tuple = instruction("stablehlo.tuple", "elements: val")
    get_tuple_element = instruction("stablehlo.get_tuple_element", "tuple_data: operand, index")

    def call(self, computation: Computation, *operands: XlaOp | Sequence[XlaOp]) -> XlaOp:
        """Call a computation on operands, or on one sequence of them: `T0, T1, … -> S`."""
        given: Any = operands[0] if len(operands) == 1 and not isinstance(operands[0], XlaOp) else operands
        function = self._callee(computation, given, "call")
        symbol = SymbolAttribute(function.name)
        return self._emit("func.call", *given, callee=symbol, result=function.result_types[0])

    def fusion(
        self, computation: Computation, operands: Sequence[XlaOp], fusion_kind: str = "kLoop"
    ) -> XlaOp:
        """Call a computation that becomes one kernel; `fusion_kind` is kLoop, kInput, kOutput or kCustom."""
        function = self._callee(computation, operands, "fusion")
        symbol, kind = SymbolAttribute(function.name), StringAttribute(fusion_kind)
        return self._emit("hlo.fusion", *operands, calls=symbol, kind=kind, result=function.result_types[0])

    composite_call = instruction(
        "stablehlo.composite",
        "computation: decomposition, operands: inputs, name, attributes: composite_attributes=None, version=None",
        preparation.composite,
    )
    custom_call = instruction(
        "stablehlo.custom_call",
        "target_name: call_target_name, operands: inputs, shape: result, opaque='', has_side_effect=False, "
        "called_computations=(), api_version=1",
        preparation.custom_call,
    )

    @overload
    def conditional(
        self,
        predicate: XlaOp,
        true_operand: XlaOp,
        true_computation: Computation,
        false_operand: XlaOp,
        false_computation: Computation,
    ) -> XlaOp: ...

    @overload
    def conditional(
        self, predicate: XlaOp, true_operand: Sequence[Computation], true_computation: Sequence[XlaOp]
    ) -> XlaOp: ...

    def conditional(
        self,
        predicate: XlaOp,
        true_operand: Any,
        true_computation: Any,
        false_operand: Any = None,
        false_computation: Any = None,
    ) -> XlaOp:
        """Run one of several computations, each on its own operand: `Ti -> S`.

        `conditional(predicate, true_operand, true_computation, false_operand, false_computation)` selects by a
        `pred[]`; `conditional(branch_index, branch_computations, branch_operands)` by an `s32[]`, and runs the last
        branch for an index out of range.
        """
        if false_computation is not None:
            computations, operands = [true_computation, false_computation], [true_operand, false_operand]
        else:
            computations, operands = list(true_operand), list(true_computation)
        if len(computations) != len(operands):
            message = f"there are {len(computations)} computations, but {len(operands)} operands"
            raise BuilderError(message, op="conditional")
        branches = [
            self._region(computation, [self._own(operand, "conditional").type], "branch")
            for computation, operand in zip(computations, operands, strict=True)
        ]
        return self._emit("hlo.conditional", predicate, *operands, branches=branches)

    def while_(self, condition: Computation, body: Computation, init: XlaOp | Sequence[XlaOp]) -> XlaOp:
        """Apply `body`, `T -> T`, first to `init`, then to its own results, while `condition`, `T -> pred`, is true.

        T is any type, mostly a tuple; a sequence of handles becomes a tuple.
        """
        start = init if isinstance(init, XlaOp) else self.tuple(init)
        return self._emit("stablehlo.while", start, cond=condition, body=body)

    def async_start(self, computation: Computation, operands: Sequence[XlaOp]) -> XlaOp:
        """Start a computation: `T0, T1, … -> ((T0, T1, …), S, s32[])`."""
        function = self._callee(computation, operands, "async-start")
        region = self._region(XlaComputation((function,)), ())
        taken = TupleType((*(operand.type for operand in operands),))
        result = TupleType((taken, function.result_types[0], S32))
        return self._emit("hlo.async_start", *operands, computation=region, result=result)

    async_update = instruction("hlo.async_update")
    async_done = instruction("hlo.async_done")

    # Order

    after_all = instruction("stablehlo.after_all", "tokens: inputs=()")
    add_dependency = instruction("hlo.add_dependency")
    optimization_barrier = instruction("stablehlo.optimization_barrier", "operand", takes_tuples=True)

    def create_token(self) -> XlaOp:
        """A token without dependencies."""
        return self.after_all()

    def domain(self, operand: XlaOp, domain: str = _NO_BORDER) -> XlaOp:
        """The operand on the border of two domains, which `domain` describes in HLO's syntax: `T -> T`."""
        return self._emit("hlo.domain", operand, attributes={"domain": OpaqueAttribute(domain)})

    # Transfers

    def infeed(self, shape: ShapeLike, config: str = "") -> XlaOp:
        """The next data, of `shape`, from the queue that feeds the process."""
        return self.infeed_with_token(self.create_token(), shape, config)[0]

    def infeed_with_token(self, token: XlaOp, shape: ShapeLike, config: str = "") -> XlaOp:
        """`infeed` after a token: `token -> (shape, token)`."""
        result = TupleType((type_of(shape), TokenType()))
        return self._emit("hlo.infeed", token, infeed_config=config or None, result=result)

    def outfeed(
        self, operand: XlaOp, shape_with_layout: ShapeLike | None = None, outfeed_config: str = ""
    ) -> XlaOp:
        """Append the operand to the queue that the process feeds: `T -> token`."""
        return self.outfeed_with_token(operand, self.create_token(), shape_with_layout, outfeed_config)

    def outfeed_with_token(
        self,
        operand: XlaOp,
        token: XlaOp,
        shape_with_layout: ShapeLike | None = None,
        outfeed_config: str = "",
    ) -> XlaOp:
        """`outfeed` after a token: `T, token -> token`."""
        check_shape_with_layout(shape_with_layout, self._own(operand, "outfeed"), "outfeed")
        return self._emit("hlo.outfeed", operand, token, outfeed_config=outfeed_config or None)

    def send(self, operand: XlaOp, handle: int) -> XlaOp:
        """Send the operand over channel `handle` and wait: `T -> token`."""
        return self.send_with_tokens(operand, self.create_token(), handle)

    def send_with_tokens(self, operand: XlaOp, token: XlaOp, handle: int) -> XlaOp:
        """`send` after a token: `T, token -> token`."""
        return self.send_done(self.create_send(operand, token, handle))

    def send_to_host(
        self, operand: XlaOp, token: XlaOp, shape_with_layout: ShapeLike | None, handle: int
    ) -> XlaOp:
        """`send_with_tokens` to the host: `T, token -> token`."""
        check_shape_with_layout(shape_with_layout, operand, "send")
        return self.send_done(self.create_send(operand, token, handle, True), True)

    def create_send(
        self, operand: XlaOp, token: XlaOp, channel_id: int, is_host_transfer: bool = False
    ) -> XlaOp:
        """Start to send: `T, token -> (T, u32[], token)`, the operand of `send_done`."""
        result = TupleType((self._own(operand, "send").type, U32, TokenType()))
        fields = {"channel_handle": channel_id, "is_host_transfer": is_host_transfer}
        return self._emit("hlo.send", operand, token, **fields, result=result)

    send_done = instruction(
        "hlo.send_done", "context: operand, is_host_transfer=False", preparation.channel_of_start
    )

    def recv(self, shape: ShapeLike, handle: int) -> XlaOp:
        """Receive data of `shape` over channel `handle`."""
        return self.recv_with_tokens(self.create_token(), shape, handle)[0]

    def recv_with_tokens(self, token: XlaOp, shape: ShapeLike, handle: int) -> XlaOp:
        """`recv` after a token: `token -> (shape, token)`."""
        return self.recv_done(self.create_recv(shape, token, handle))

    def recv_to_host(self, token: XlaOp, shape: ShapeLike, handle: int) -> XlaOp:
        """`recv_with_tokens` from the host: `token -> (shape, token)`; XLA's document has this name for it."""
        return self.recv_done(self.create_recv(shape, token, handle, True), True)

    recv_from_host = recv_to_host

    def create_recv(
        self, shape: ShapeLike, token: XlaOp, channel_id: int, is_host_transfer: bool = False
    ) -> XlaOp:
        """Start to receive: `token -> (shape, u32[], token)`, the operand of `recv_done`."""
        result = TupleType((type_of(shape), U32, TokenType()))
        fields = {"channel_handle": channel_id, "is_host_transfer": is_host_transfer}
        return self._emit("hlo.recv", token, **fields, result=result)

    recv_done = instruction(
        "hlo.recv_done", "context: operand, is_host_transfer=False", preparation.channel_of_start
    )

    # Collectives

    all_gather = instruction(
        "stablehlo.all_gather",
        f"operand: operands, all_gather_dimension: all_gather_dim, shard_count, {_CHANNEL}, layout=None, "
        "use_global_device_ids=False",
        preparation.all_gather,
        replicas_first=True,
    )
    all_gather_start = instruction(
        "hlo.all_gather_start",
        f"operand: operands, all_gather_dimension: all_gather_dim, shard_count, {_CHANNEL}, layout=None, "
        "use_global_device_ids=False",
        preparation.all_gather_start,
    )
    all_gather_done = instruction("hlo.all_gather_done")
    all_reduce = instruction(
        "stablehlo.all_reduce",
        f"operand: operands, computation, {_CHANNEL}, shape_with_layout=None, use_global_device_ids=False",
        preparation.all_reduce,
        replicas_first=True,
    )
    all_reduce_start = instruction(
        "hlo.all_reduce_start",
        f"operand: operands, computation, {_CHANNEL}, shape_with_layout=None, use_global_device_ids=False",
        preparation.all_reduce,
    )
    all_reduce_done = instruction("hlo.all_reduce_done")
    reduce_scatter = instruction(
        "stablehlo.reduce_scatter",
        f"operand, computation, scatter_dimension, shard_count, {_CHANNEL}, layout=None, use_global_device_ids=False",
        preparation.reduce_scatter,
        replicas_first=True,
    )

    def cross_replica_sum(
        self, operand: XlaOp, replica_groups: Rows | Integers = (), channel_id: int | None = None
    ) -> XlaOp:
        """`all_reduce` with addition: `T -> T`.

        `replica_groups` may also be, as in older XLA, the number of the group of each replica.
        """
        given: list[Any] = list(replica_groups)
        rows = _rows_of_ids(given) if given and isinstance(given[0], int) else given
        return self.all_reduce(operand, _sum, rows, channel_id)

    def all_to_all(
        self,
        operand: XlaOp,
        split_dimension: int,
        concat_dimension: int,
        split_count: int,
        replica_groups: Rows = (),
        layout: Integers | None = None,
        channel_id: int | None = None,
    ) -> XlaOp:
        """Send one of `split_count` parts to each process of the group, and join the parts that arrive.

        `T[…, n, …, m, …] -> T[…, n / split_count, …, m * split_count, …]`. HLO's instruction splits and joins along
        one dimension: other forms add a reshape, a transpose and a reshape.
        """
        count, sizes = whole("split_count", split_count), list(operand.tensor.sizes)
        for name, at in (("split_dimension", split_dimension), ("concat_dimension", concat_dimension)):
            check_dimension(name, at, operand, "all-to-all")
        _check_split(sizes[split_dimension], split_dimension, count, replica_groups)
        groups = {"replica_groups": replica_groups, "channel_handle": channel_id}
        result = self._emit("hlo.all_to_all", operand, dimension=split_dimension, **groups)
        if split_dimension == concat_dimension:
            return result
        sizes[split_dimension] //= count
        apart = self.reshape(result, [*sizes[:split_dimension], count, *sizes[split_dimension:]])
        order = [at + (at >= split_dimension) for at in range(len(sizes))]
        moved = self.transpose(apart, [*order[:concat_dimension], split_dimension, *order[concat_dimension:]])
        sizes[concat_dimension] *= count
        return self.reshape(moved, sizes)

    def all_to_all_tuple(
        self, operands: Sequence[XlaOp], replica_groups: Rows = (), channel_id: int | None = None
    ) -> XlaOp:
        """One array per process of the group: array i goes to process i, result i comes from process i."""
        result = TupleType((*(self._own(operand, "all-to-all").type for operand in operands),))
        groups = {"replica_groups": replica_groups, "channel_handle": channel_id}
        return self._emit("hlo.all_to_all_tuple", *operands, **groups, result=result)

    ragged_all_to_all = instruction(
        "hlo.ragged_all_to_all",
        f"input, input_offsets, send_sizes, output, output_offsets, recv_sizes, {_CHANNEL}",
    )
    collective_broadcast = instruction("stablehlo.collective_broadcast", f"operand, {_CHANNEL}")
    collective_permute = instruction(
        "stablehlo.collective_permute",
        "operand, source_target_pairs, channel_id: channel_handle=None, inplace=False",
    )
    collective_permute_start = instruction(
        "hlo.collective_permute_start",
        "operand: operands, source_target_pairs, channel_id: channel_handle=None, inplace=False",
        preparation.collective_permute_start,
    )
    collective_permute_done = instruction("hlo.collective_permute_done")
    replica_id = instruction("stablehlo.replica_id")

    def partition_id(self, shape: ShapeLike = "u32[]") -> XlaOp:
        """The id of the partition of this process: `u32[]`."""
        if type_of(shape) != U32:
            raise BuilderError(f"shape must be u32[], not {spell(type_of(shape))}", op="partition-id")
        return self._emit("stablehlo.partition_id")

    # Random numbers

    def rng_uniform(self, a: Operand, b: Operand, shape: ShapeLike) -> XlaOp:
        """Random numbers from `a` up to, excluding, `b`, scalars of the shape's element type."""
        return self._random("UNIFORM", a, b, shape)

    def rng_normal(self, mu: Operand, sigma: Operand, shape: ShapeLike) -> XlaOp:
        """Random numbers with mean `mu` and standard deviation `sigma`, scalars of the shape's element type."""
        return self._random("NORMAL", mu, sigma, shape)

    def _random(self, distribution: str, a: Operand, b: Operand, shape: ShapeLike) -> XlaOp:
        result = tensor_of(shape)
        operands = [self._like(given, result.element_type, "rng") for given in (a, b)]
        return self._emit("hlo.rng", *operands, rng_distribution=distribution, result=result)

    def rng_bernoulli(self, mean: Operand, shape: ShapeLike) -> XlaOp:
        """1 with probability `mean`, an f32 scalar, and 0 otherwise: `T[] -> u32[d0, …]`.

        A function of older XLA, here `rng_uniform` and a comparison.
        """
        element_type = mean.element_type if isinstance(mean, XlaOp) else F32
        low, high = (self._literal(limit, element_type) for limit in (0, 1))
        drawn = self.rng_uniform(low, high, TensorType(tensor_of(shape).shape, element_type))
        return self.convert_element_type(self.lt(drawn, mean), "u32")

    def rng_bit_generator(self, algorithm: str, initial_state: XlaOp, shape: ShapeLike) -> XlaOp:
        """Random bits, a function of `initial_state`: `u64[n] -> (u64[n], shape)`, the new state first.

        `algorithm` is RNG_DEFAULT, RNG_THREE_FRY or RNG_PHILOX. The state of THREE_FRY is `u64[2]`, a key and a
        counter; PHILOX also takes `u64[3]`.
        """
        name, result = (
            algorithm.upper().removeprefix("RNG_"),
            TupleType((initial_state.type, tensor_of(shape))),
        )
        return self._emit("stablehlo.rng_bit_generator", initial_state, rng_algorithm=name, result=result)

    rng_get_and_update_state = instruction("hlo.rng_get_and_update_state", "delta, shape: result='u64[2]'")


def _literal_type(literal: Any) -> ElementType:
    """The element type of an array, or XLA's type for Python numbers."""
    array = np.asarray(literal)
    dtype: np.dtype[Any] = array.dtype
    if not isinstance(literal, np.ndarray | np.generic):
        if dtype == np.int64:
            fits = not array.size or (array.min() >= -(2**31) and array.max() < 2**31)
            dtype = np.dtype(np.int32 if fits else np.int64)
        dtype = {"f": np.dtype(np.float32), "c": np.dtype(np.complex64)}.get(dtype.kind, dtype)
    found = of_dtype(dtype)
    if found is None:
        raise BuilderError(f"no element type holds a literal of {dtype}", op="constant")
    return found


def _padding_dimension(entry: PaddingDimension | Integers) -> PaddingDimension:
    if isinstance(entry, PaddingDimension):
        return entry
    numbers = wholes("padding_config", entry)
    if len(numbers) not in (2, 3):
        message = f"an entry of padding_config must be (low, high) or (low, high, interior), not {entry}"
        raise BuilderError(message, op="pad")
    return PaddingDimension(*numbers)


def _sizes(name: str, given: Any, op: str) -> tuple[int, ...]:
    sizes = wholes(name, given)
    if any(size < 0 for size in sizes):
        raise BuilderError(f"{name} {list(sizes)} has a negative size", op=op)
    return sizes


def _check_mapping(operand: TensorType, sizes: tuple[int, ...], mapped: tuple[int, ...]) -> None:
    """Raise `BuilderError` unless each dimension of the operand fits the one of `sizes` that it is mapped to."""
    if len(mapped) != operand.rank:
        message = f"broadcast_dimensions {list(mapped)} must name a dimension for each of the operand's {operand.rank}"
        raise BuilderError(message, op="broadcast")
    if any(not 0 <= at < len(sizes) for at in mapped) or len(set(mapped)) < len(mapped):
        message = f"broadcast_dimensions {list(mapped)} must be different dimensions within rank {len(sizes)}"
        raise BuilderError(message, op="broadcast")
    for size, at in zip(operand.shape, mapped, strict=True):
        if size not in (1, sizes[at]):
            message = f"dimension {at} of the result has size {sizes[at]}, the operand's has {size}: it must be that or 1"
            raise BuilderError(message, op="broadcast")


def _check_split(size: int, dimension: int, count: int, groups: Rows) -> None:
    """Raise `BuilderError` unless the dimension has `count` parts, and every group as many processes."""
    if count <= 0 or size % count:
        message = f"split_dimension {dimension} (size {size}) cannot be split into {count} parts"
        raise BuilderError(message, op="all-to-all")
    if groups and any(len(row) != count for row in groups):
        message = f"split_count is {count}, but replica_groups has groups of other sizes"
        raise BuilderError(message, op="all-to-all")


def _sum(lhs: XlaOp, rhs: XlaOp) -> XlaOp:
    return lhs + rhs


def _rows_of_ids(ids: Integers) -> list[list[int]]:
    """Groups of replicas from the number of each replica's group."""
    rows: dict[int, list[int]] = {}
    for replica, group in enumerate(ids):
        rows.setdefault(group, []).append(replica)
    found = [rows[group] for group in sorted(rows)]
    if len({len(row) for row in found}) > 1:
        raise BuilderError(f"replica_group_ids {list(ids)} make groups of different sizes", op="all-reduce")
    return found
