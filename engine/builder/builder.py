"""XlaBuilder: the rows of `op_functions`, and functions of several instructions or several forms."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, overload

import numpy as np

from ..ir.attributes import OpaqueAttribute, SymbolAttribute
from ..ir.element_types import F32, ElementType, of_dtype
from ..ir.types import TensorType
from .builder_error import BuilderError
from .handles import Operand, XlaOp, check_dimension, check_shape_with_layout
from .op_functions import OpFunctions
from .properties import whole, wholes
from .recorder import Computation
from .shape_text import ElementTypeLike, ShapeLike, element_type_of, tensor_of, type_of

Integers = Sequence[int]
Rows = Sequence[Sequence[int]]

_NO_BORDER = '{kind="sharding", entry={replicated}, exit={replicated}}'


class XlaBuilder(OpFunctions):
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

    # Parts of arrays

    def slice_in_dim(
        self, operand: XlaOp, start_index: int, limit_index: int, stride: int, dimno: int
    ) -> XlaOp:
        """`slice` along the one dimension `dimno`."""
        check_dimension("dimno", dimno, operand, "slice")
        starts, limits, strides = [0] * operand.rank, list(operand.tensor.sizes), [1] * operand.rank
        starts[dimno], limits[dimno], strides[dimno] = start_index, limit_index, stride
        return self.slice(operand, starts, limits, strides)

    def pad_in_dim(
        self, operand: XlaOp, padding_value: Operand, dimno: int, pad_lo: int, pad_hi: int
    ) -> XlaOp:
        """`pad` at both ends of the one dimension `dimno`."""
        check_dimension("dimno", dimno, operand, "pad")
        config = [(pad_lo, pad_hi) if at == dimno else (0, 0) for at in range(operand.rank)]
        return self.pad(operand, padding_value, config)

    # Computations on elements

    def reduce_all(self, operand: XlaOp, init_value: Operand, computation: Computation) -> XlaOp:
        """`reduce` along all dimensions: `T[d0, …] -> T[]`."""
        return self.reduce(operand, init_value, computation, list(range(operand.rank)))

    # Tuples and calls

    def call(self, computation: Computation, *operands: XlaOp | Sequence[XlaOp]) -> XlaOp:
        """Call a computation on operands, or on one sequence of them: `T0, T1, … -> S`."""
        is_sequence = len(operands) == 1 and not isinstance(operands[0], XlaOp)
        given: list[Any] = list(operands[0] if is_sequence else operands)
        function = self._callee(computation, given, "call")
        symbol = SymbolAttribute(function.name)
        return self._emit("func.call", *given, callee=symbol, result=function.result_types[0])

    def while_(self, condition: Computation, body: Computation, init: XlaOp | Sequence[XlaOp]) -> XlaOp:
        """Apply `body`, `T -> T`, first to `init`, then to its own results, while `condition`, `T -> pred`, is true.

        T is any type, mostly a tuple; a sequence of handles becomes a tuple.
        """
        start = init if isinstance(init, XlaOp) else self.tuple(init)
        return self._emit("stablehlo.while", start, cond=condition, body=body)

    # Order

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

    def outfeed(
        self, operand: XlaOp, shape_with_layout: ShapeLike | None = None, outfeed_config: str = ""
    ) -> XlaOp:
        """Append the operand to the queue that the process feeds: `T -> token`."""
        return self.outfeed_with_token(operand, self.create_token(), shape_with_layout, outfeed_config)

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

    # Collectives

    def cross_replica_sum(
        self, operand: XlaOp, replica_groups: Rows | Integers = (), channel_id: int | None = None
    ) -> XlaOp:
        """`all_reduce` with addition: `T -> T`.

        `replica_groups` may also be, as in older XLA, the number of the group of each replica.
        """
        given: list[Any] = list(replica_groups)
        rows = _rows_of_ids(given) if given and isinstance(given[0], int) else given
        return self.all_reduce(operand, lambda lhs, rhs: lhs + rhs, rows, channel_id)

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

    # Random numbers

    def rng_bernoulli(self, mean: Operand, shape: ShapeLike) -> XlaOp:
        """1 with probability `mean`, an f32 scalar, and 0 otherwise: `T[] -> u32[d0, …]`.

        A function of older XLA, here `rng_uniform` and a comparison.
        """
        element_type = mean.element_type if isinstance(mean, XlaOp) else F32
        low, high = (self._literal(limit, element_type) for limit in (0, 1))
        drawn = self.rng_uniform(low, high, TensorType(tensor_of(shape).shape, element_type))
        return self.convert_element_type(self.lt(drawn, mean), "u32")


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


def _rows_of_ids(ids: Integers) -> list[list[int]]:
    """Groups of replicas from the number of each replica's group."""
    rows: dict[int, list[int]] = {}
    for replica, group in enumerate(ids):
        rows.setdefault(group, []).append(replica)
    found = [rows[group] for group in sorted(rows)]
    if len({len(row) for row in found}) > 1:
        raise BuilderError(f"replica_group_ids {list(ids)} make groups of different sizes", op="all-reduce")
    return found
