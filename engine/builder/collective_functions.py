"""Functions in which processes take part together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..ir.attributes import Attribute, IntegerAttribute
from ..ir.element_types import ELEMENT_TYPES
from ..ir.module import Region
from ..ir.types import TensorType, TupleType, Type
from .builder_error import BuilderError
from .control import Computation
from .handles import XlaOp, check_dimension, check_shape_with_layout
from .property_attributes import boolean, group_table, integer, struct, table, whole
from .recorder import Recorder
from .shape_text import ShapeLike, spell, type_of
from .shaping import Shaping

Groups = Sequence[Sequence[int]]
"""Rows of ids; none are all processes. Each process works together with those of its row."""
Ids = int | None
U32 = TensorType((), ELEMENT_TYPES["ui32"])
DEVICE_TO_DEVICE = 1
"""Which ends a channel has, as far as HLO knows."""


class Collectives(Shaping, Recorder):
    """Functions in which processes take part together.

    `replica_groups` are rows of ids: of replicas, or with a `channel_id` of replicas in all partitions (all those
    of one replica before those of the next), or of all processes with `use_global_device_ids`. Layouts, and shapes
    that are stated for theirs, change no value.
    """

    def all_gather(
        self,
        operand: XlaOp,
        all_gather_dimension: int,
        shard_count: int,
        replica_groups: Groups = (),
        channel_id: Ids = None,
        layout: Sequence[int] | None = None,
        use_global_device_ids: bool = False,
    ) -> XlaOp:
        """The operands of all processes of a group, joined along a dimension in the group's order.

        `T[…, n, …] -> T[…, n * shard_count, …]`; of a tuple each element.
        """
        return self._emit_all_gather(
            "stablehlo.all_gather",
            operand,
            all_gather_dimension,
            shard_count,
            _groups(replica_groups, channel_id, use_global_device_ids),
        )

    def all_gather_start(
        self,
        operand: XlaOp,
        all_gather_dimension: int,
        shard_count: int,
        replica_groups: Groups = (),
        channel_id: Ids = None,
        layout: Sequence[int] | None = None,
        use_global_device_ids: bool = False,
    ) -> XlaOp:
        """Begins `all_gather`: gives a tuple of its operand and its result."""
        properties = _groups(replica_groups, channel_id, use_global_device_ids)
        return self._emit_all_gather(
            "hlo.all_gather_start", operand, all_gather_dimension, shard_count, properties, start=True
        )

    def all_gather_done(self, operand: XlaOp) -> XlaOp:
        """Waits for the result of `all_gather_start`."""
        return self.emit("hlo.all_gather_done", (operand,))

    def _emit_all_gather(
        self,
        name: str,
        operand: XlaOp,
        dimension: int,
        count: int,
        properties: Mapping[str, Attribute],
        start: bool = False,
    ) -> XlaOp:
        operands = self._parts(operand)
        for found in operands:
            check_dimension("all_gather_dimension", dimension, found, "all-gather")
        types = [_scale(found.tensor, dimension, count, 1, "all-gather") for found in operands]
        result = _join_types(types, operand)
        if start:
            result = TupleType((operand.type, result))
        along = integer("all_gather_dimension", dimension)
        stated = {"all_gather_dim": along, **properties, **_order(name)}
        return self.emit(name, operands, stated, result=result)

    def all_reduce(
        self,
        operand: XlaOp,
        computation: Computation,
        replica_groups: Groups = (),
        channel_id: Ids = None,
        shape_with_layout: ShapeLike | None = None,
        use_global_device_ids: bool = False,
    ) -> XlaOp:
        """The operands of all processes of a group, combined element by element: `T[d0, …] -> T[d0, …]`.

        `computation` takes two scalars and gives one. Of a tuple each element is reduced.
        """
        check_shape_with_layout(shape_with_layout, operand, "all-reduce")
        properties = _groups(replica_groups, channel_id, use_global_device_ids)
        return self._emit_all_reduce("stablehlo.all_reduce", operand, computation, properties)

    def all_reduce_start(
        self,
        operand: XlaOp,
        computation: Computation,
        replica_groups: Groups = (),
        channel_id: Ids = None,
        shape_with_layout: ShapeLike | None = None,
        use_global_device_ids: bool = False,
    ) -> XlaOp:
        """Begins `all_reduce`; its type is that of the result."""
        check_shape_with_layout(shape_with_layout, operand, "all-reduce-start")
        properties = _groups(replica_groups, channel_id, use_global_device_ids)
        return self._emit_all_reduce("hlo.all_reduce_start", operand, computation, properties)

    def all_reduce_done(self, operand: XlaOp) -> XlaOp:
        """Waits for the result of `all_reduce_start`."""
        return self.emit("hlo.all_reduce_done", (operand,))

    def _emit_all_reduce(
        self, name: str, operand: XlaOp, computation: Computation, properties: Mapping[str, Attribute]
    ) -> XlaOp:
        operands = self._parts(operand)
        region = self._combiner(computation, operands)
        stated = {**properties, **_order(name)}
        return self.emit(name, operands, stated, regions=[region], result=operand.type)

    def cross_replica_sum(
        self, operand: XlaOp, replica_groups: Groups | Sequence[int] = (), channel_id: Ids = None
    ) -> XlaOp:
        """`all_reduce` with addition: `T[d0, …] -> T[d0, …]`.

        Groups are rows of replicas or, as in older XLA, the number of the group of each replica.
        """
        given = list(replica_groups)
        rows = _rows_of_ids(given) if given and isinstance(given[0], int) else given
        return self.all_reduce(operand, _sum, rows, channel_id)  # type: ignore[arg-type]

    def reduce_scatter(
        self,
        operand: XlaOp,
        computation: Computation,
        scatter_dimension: int,
        shard_count: int,
        replica_groups: Groups = (),
        channel_id: Ids = None,
        layout: Sequence[int] | None = None,
        use_global_device_ids: bool = False,
    ) -> XlaOp:
        """`all_reduce`, of which each process of a group keeps the part of its place.

        `T[…, n, …] -> T[…, n / shard_count, …]`; of a tuple each element.
        """
        operands = self._parts(operand)
        for found in operands:
            check_dimension("scatter_dimension", scatter_dimension, found, "reduce-scatter")
        types = [
            _scale(found.tensor, scatter_dimension, 1, shard_count, "reduce-scatter") for found in operands
        ]
        name = "stablehlo.reduce_scatter" if operand.type == operands[0].type else "hlo.reduce_scatter"
        properties = {
            "scatter_dimension": integer("scatter_dimension", scatter_dimension),
            **_groups(replica_groups, channel_id, use_global_device_ids),
            **_order(name),
        }
        region = self._combiner(computation, operands)
        return self.emit(name, operands, properties, regions=[region], result=_join_types(types, operand))

    def all_to_all(
        self,
        operand: XlaOp,
        split_dimension: int,
        concat_dimension: int,
        split_count: int,
        replica_groups: Groups = (),
        layout: Sequence[int] | None = None,
        channel_id: Ids = None,
    ) -> XlaOp:
        """Splits the operand into `split_count` parts, one for each process of the group, and joins what comes.

        `T[…, n, …, m, …] -> T[…, n / split_count, …, m * split_count, …]`. HLO's instruction splits and joins along
        one dimension: other forms are made with a reshape, a transpose and a reshape.
        """
        count = whole("split_count", split_count)
        for name, at in (("split_dimension", split_dimension), ("concat_dimension", concat_dimension)):
            check_dimension(name, at, operand, "all-to-all")
        _check_split(operand, split_dimension, count, replica_groups)
        properties = {
            "dimension": integer("split_dimension", split_dimension),
            **_rows(replica_groups, channel_id),
        }
        result = self.emit("hlo.all_to_all", (operand,), properties)
        if split_dimension == concat_dimension:
            return result
        return self._join_along(result, split_dimension, concat_dimension, count)

    def _join_along(self, parts: XlaOp, split: int, concat: int, count: int) -> XlaOp:
        """Parts that lie one behind the other along `split`, put one behind the other along `concat`."""
        sizes = list(parts.tensor.sizes)
        apart = self.reshape(parts, [*sizes[:split], count, sizes[split] // count, *sizes[split + 1 :]])
        places = [at + (at >= split) for at in range(len(sizes))]
        moved = self.transpose(apart, [*places[:concat], split, *places[concat:]])
        sizes[split] //= count
        sizes[concat] *= count
        return self.reshape(moved, sizes)

    def all_to_all_tuple(
        self, operands: Sequence[XlaOp], replica_groups: Groups = (), channel_id: Ids = None
    ) -> XlaOp:
        """As many arrays as a group has processes: array i goes to process i, result i has come from there."""
        properties = _rows(replica_groups, channel_id)
        result = TupleType(tuple(self.own(operand, "all-to-all").type for operand in operands))
        return self.emit("hlo.all_to_all_tuple", list(operands), properties, result=result)

    def ragged_all_to_all(
        self,
        input: XlaOp,
        input_offsets: XlaOp,
        send_sizes: XlaOp,
        output: XlaOp,
        output_offsets: XlaOp,
        recv_sizes: XlaOp,
        replica_groups: Groups = (),
        channel_id: Ids = None,
    ) -> XlaOp:
        """Rows of `input`, for each process of the group some, put into the other processes' `output`.

        `send_sizes[i]` rows from `input_offsets[i]` on go to process i, where they begin at `output_offsets[i]`;
        `recv_sizes[i]` rows come from there. Gives `output` with what has come: `T[n, …] -> T[m, …]`.
        """
        operands = (input, output, input_offsets, send_sizes, output_offsets, recv_sizes)
        return self.emit("hlo.ragged_all_to_all", operands, _rows(replica_groups, channel_id))

    def collective_broadcast(
        self, operand: XlaOp, replica_groups: Groups = (), channel_id: Ids = None
    ) -> XlaOp:
        """The operand of the first process of each group, for all of it; zeros elsewhere: `T -> T`."""
        properties = _rows(replica_groups, channel_id)
        return self.emit("stablehlo.collective_broadcast", (operand,), properties)

    def collective_permute(
        self,
        operand: XlaOp,
        source_target_pairs: Sequence[Sequence[int]],
        channel_id: Ids = None,
        inplace: bool = False,
    ) -> XlaOp:
        """Sends the operand from the source to the target of each pair; zeros to what is no target: `T -> T`.

        `inplace` is a wish of how it is done and changes nothing.
        """
        properties = _pairs(source_target_pairs, channel_id)
        return self.emit("stablehlo.collective_permute", (operand,), properties)

    def collective_permute_start(
        self,
        operand: XlaOp,
        source_target_pairs: Sequence[Sequence[int]],
        channel_id: Ids = None,
        inplace: bool = False,
    ) -> XlaOp:
        """Begins `collective_permute`: `T -> (T, T, u32[], u32[])`, operand and result first."""
        properties = _pairs(source_target_pairs, channel_id)
        result = TupleType((operand.type, operand.type, U32, U32))
        return self.emit("hlo.collective_permute_start", (operand,), properties, result=result)

    def collective_permute_done(self, operand: XlaOp) -> XlaOp:
        """Waits for the result of `collective_permute_start`: `(T, T, …) -> T`."""
        return self.emit("hlo.collective_permute_done", (operand,))

    def replica_id(self) -> XlaOp:
        """Which replica this is: `u32[]`."""
        return self.emit("stablehlo.replica_id", ())

    def partition_id(self, shape: ShapeLike = "u32[]") -> XlaOp:
        """Which partition this is: `u32[]`."""
        if type_of(shape) != U32:
            raise BuilderError(f"shape must be u32[], not {spell(type_of(shape))}", op="partition-id")
        return self.emit("stablehlo.partition_id", ())

    def _parts(self, operand: XlaOp) -> list[XlaOp]:
        """The elements of a tuple, or an array alone."""
        if isinstance(self.own(operand).type, TupleType):
            return list(operand)
        return [operand]

    def _combiner(self, computation: Computation, operands: Sequence[XlaOp]) -> Region:
        scalar: Type = TensorType((), operands[0].element_type)
        return self.region(computation, [scalar, scalar])


def _check_split(operand: XlaOp, dimension: int, count: int, groups: Groups) -> None:
    """That the dimension can be cut into `count` parts, one for each process of every group."""
    size = operand.tensor.sizes[dimension]
    if count <= 0 or size % count:
        message = f"split_dimension {dimension} (size {size}) cannot be split into {count} parts"
        raise BuilderError(message, op="all-to-all")
    if groups and any(len(row) != count for row in groups):
        message = f"split_count is {count}, but replica_groups has groups of other sizes"
        raise BuilderError(message, op="all-to-all")


def _sum(lhs: XlaOp, rhs: XlaOp) -> XlaOp:
    return lhs + rhs


def _rows(rows: Groups, channel_id: Ids) -> dict[str, Attribute]:
    return {"replica_groups": group_table(rows), **channel(channel_id)}


def _groups(rows: Groups, channel_id: Ids, use_global_device_ids: bool) -> dict[str, Attribute]:
    ids = {"use_global_device_ids": boolean(use_global_device_ids)}
    return {**_rows(rows, channel_id), **ids}


def _order(name: str) -> dict[str, Attribute]:
    """The property that groups have one replica after the other, of ops that StableHLO has too; HLO's own always have."""
    return {} if name.startswith("hlo.") else {"replicas_first": boolean(True)}


def channel(number: Ids) -> dict[str, Attribute]:
    """The property of a channel, if there is one."""
    if number is None:
        return {}
    parts: dict[str, IntegerAttribute] = {
        "handle": integer("channel_id", number),
        "type": integer("type", DEVICE_TO_DEVICE),
    }
    return {"channel_handle": struct("channel_handle", parts)}


def _pairs(pairs: Sequence[Sequence[int]], channel_id: Ids) -> dict[str, Attribute]:
    return {"source_target_pairs": table("source_target_pairs", pairs, 2), **channel(channel_id)}


def _rows_of_ids(ids: Sequence[object]) -> list[list[int]]:
    """Rows of replicas from the number of each replica's group; rows are of one size."""
    rows: dict[object, list[int]] = {}
    for replica, group in enumerate(ids):
        rows.setdefault(group, []).append(replica)
    found = [rows[group] for group in sorted(rows, key=str)] if rows else []
    if len({len(row) for row in found}) > 1:
        message = f"replica_group_ids {list(ids)} make groups of different sizes"
        raise BuilderError(message, op="all-reduce")
    return found


def _scale(found: TensorType, dimension: int, times: int, over: int, op: str) -> TensorType:
    """`found` with `times / over` as many elements along a dimension."""
    sizes = list(found.sizes)
    factors = (whole("shard_count", times), whole("shard_count", over))
    if min(factors) <= 0 or sizes[dimension] % over:
        count = times if over == 1 else over
        message = f"dimension {dimension} (size {sizes[dimension]}) does not go with shard_count {count}"
        raise BuilderError(message, op=op)
    sizes[dimension] = sizes[dimension] * times // over
    return found.with_shape(tuple(sizes))


def _join_types(types: Sequence[Type], operand: XlaOp) -> Type:
    return TupleType(tuple(types)) if isinstance(operand.type, TupleType) else types[0]
