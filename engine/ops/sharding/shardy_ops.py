"""Shardy's ops, which state on which devices of a mesh the parts of a tensor are.

They apply to whole tensors: the devices of the parts change no element, so these ops return their operand.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from ...indexing import IndexMap, OperandMap
from ...ir.attributes import Attribute, EnumAttribute
from ...ir.module import Module
from ...ir.types import TensorType, Type
from ...sharding.notation.shardy import REDUCTIONS, Meshes, ShardySharding
from ...sharding.notation.stated_shardings import meshes_of
from ..core.facets import Traits
from ..core.op import Array, Constraint, Op, no_cost
from ..data_movement.creation import Constant


@dataclass(frozen=True)
class Placed(Op):
    """Base of the ops that return their operand."""

    operand: TensorType

    def infer(self) -> TensorType:
        return self.operand

    def evaluate(self, *operands: Array) -> Array:
        return operands[0]

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        yield OperandMap(0, IndexMap.identity(self.operand.sizes))

    cost = no_cost


_MESHES: Any = {"settled": True}


@dataclass(frozen=True)
class Sharded(Placed):
    """Base of the ops that state a sharding of their result."""

    meshes: Meshes | None = field(default=None, metadata=_MESHES, compare=False, repr=False, kw_only=True)
    """The meshes of the module, once they are known."""

    @property
    def stated(self) -> ShardySharding | None:
        """The sharding that the text states for the result, if any."""
        raise NotImplementedError

    def link(self, module: Module) -> Sharded:
        return replace(self, meshes=meshes_of(module))

    def constraints(self) -> Iterator[Constraint]:
        if self.stated is None or self.meshes is None:
            return
        problem = ""
        try:
            self.stated.check(self.stated.mesh_among(self.meshes), self.operand.rank)
        except ValueError as error:
            problem = str(error)
        yield "", not problem, f"the sharding makes no sense: {problem}"


_OUT = "operands out_sharding= $out_sharding<#sdy.sharding> attr-dict : same-type"
_REDUCTION = "($reduction_kind<reduction_kind> )?"
_LISTS_OF_AXES = "#sdy<list_of_axis_ref_lists"
_AXES = "#sdy<axis_ref_list"


@dataclass(frozen=True)
class InSharding(Sharded):
    """Ops that call their attribute `sharding`."""

    sharding: ShardySharding

    @property
    def stated(self) -> ShardySharding | None:
        return self.sharding


@dataclass(frozen=True)
class ShardingConstraint(InSharding):
    """Asks that the tensor be laid out over the devices as `sharding` says."""

    name = "sdy.sharding_constraint"
    short_form = "operands $sharding<#sdy.sharding> attr-dict : same-type"


@dataclass(frozen=True)
class Reshard(InSharding):
    """Lays the tensor out over the devices in another way."""

    name = "sdy.reshard"
    short_form = "operands $sharding<#sdy.sharding> attr-dict : same-type"


@dataclass(frozen=True)
class PropagationBarrier(Placed):
    """Keeps shardings from being carried across it, in all but the `allowed_direction`."""

    name = "sdy.propagation_barrier"
    short_form = (
        "operands allowed_direction= $allowed_direction<NONE|FORWARD|BACKWARD|BOTH> attr-dict : same-type"
    )

    allowed_direction: int

    def constraints(self) -> Iterator[Constraint]:
        known = 0 <= self.allowed_direction <= 2
        yield "", known, "allowed_direction must be NONE, FORWARD or BACKWARD: BOTH would hold nothing back"


@dataclass(frozen=True)
class DataFlowEdge(Sharded):
    """Set a `sharding` for a value that flows from one op into another."""

    name = "sdy.data_flow_edge"
    short_form = "operands (sharding= $sharding<#sdy.sharding>)? attr-dict : same-type"

    sharding: ShardySharding | None = None

    @property
    def stated(self) -> ShardySharding | None:
        return self.sharding


@dataclass(frozen=True)
class ShardingGroup(Op):
    """Puts the tensor into a group whose members are all laid out alike."""

    name = "sdy.sharding_group"
    short_form = "operands group_id= $group_id attr-dict : operand-type"
    traits = Traits(reads_sizes_alone=True)

    operand: TensorType
    group_id: int

    def infer(self) -> tuple[Type, ...]:
        return ()

    def evaluate(self, *operands: Array) -> tuple[Array, ...]:
        return ()


@dataclass(frozen=True)
class FunctionDataFlowEdge(Placed):
    """Represents a value that flows into or out of a function, so that it can have a sharding."""

    name = "sdy.func_data_flow_edge"
    short_form = "operands attr-dict : same-type"


@dataclass(frozen=True)
class ShardyConstant(Constant):
    """The literal `value`, of which each use may be laid out in its own way."""

    name = "sdy.constant"
    hlo = replace(Constant.hlo, opcode=None, xla_name=None)


@dataclass(frozen=True)
class OutSharding(Sharded):
    """Ops that call their attribute `out_sharding`: collectives between tilings, which change no element of the
    whole.
    """

    out_sharding: ShardySharding

    @property
    def stated(self) -> ShardySharding | None:
        return self.out_sharding


@dataclass(frozen=True)
class AllGather(OutSharding):
    """Gathers the parts that lie along `gathering_axes`: each device has more of the tensor afterwards."""

    name = "sdy.all_gather"
    traits = Traits(category="collective")
    short_form = f"$gathering_axes<{_LISTS_OF_AXES}> {_OUT}"

    gathering_axes: Attribute = field(kw_only=True)


@dataclass(frozen=True)
class AllSlice(OutSharding):
    """Keeps on each device the part of the tensor that is its own along `slicing_axes`."""

    name = "sdy.all_slice"
    short_form = f"$slicing_axes<{_LISTS_OF_AXES}> {_OUT}"

    slicing_axes: Attribute = field(kw_only=True)


@dataclass(frozen=True)
class Reducing(OutSharding):
    """Ops that combine the terms of an unreduced tensor: by their sum, or as `reduction_kind` states."""

    traits = Traits(category="collective")

    reduction_kind: EnumAttribute | None = field(default=None, kw_only=True)

    def constraints(self) -> Iterator[Constraint]:
        yield from super().constraints()
        kind = "sum" if self.reduction_kind is None else self.reduction_kind.value
        yield "", kind in REDUCTIONS, f"reduction_kind must be {', '.join(REDUCTIONS)}, not {kind}"


@dataclass(frozen=True)
class AllReduce(Reducing):
    """Combines the terms that lie along `reduction_axes` into the tensor that was unreduced."""

    name = "sdy.all_reduce"
    short_form = f"{_REDUCTION} $reduction_axes<{_AXES}> {_OUT}"

    reduction_axes: Attribute = field(kw_only=True)


@dataclass(frozen=True)
class ReduceScatter(Reducing):
    """Combines the terms that lie along `reduce_scatter_axes`, and leaves a part of the result on each device."""

    name = "sdy.reduce_scatter"
    short_form = f"{_REDUCTION} $reduce_scatter_axes<{_LISTS_OF_AXES}> {_OUT}"

    reduce_scatter_axes: Attribute = field(kw_only=True)


@dataclass(frozen=True)
class AllToAll(OutSharding):
    """Takes axes from one dimension to another, as `params` say: `[{"x"}: 0->1]`."""

    name = "sdy.all_to_all"
    traits = Traits(category="collective")
    short_form = f"$params<#sdy<all_to_all_param_list> {_OUT}"

    params: Attribute = field(kw_only=True)


@dataclass(frozen=True)
class CollectivePermute(OutSharding):
    """Sends each part to another device."""

    name = "sdy.collective_permute"
    traits = Traits(category="collective")
    short_form = _OUT


@dataclass(frozen=True)
class ReplicatedToUnreduced(OutSharding):
    """Makes copies along `axes` into terms of a sum: the tensor itself and zeros."""

    name = "sdy.replicated_to_unreduced"
    short_form = f"$axes<{_AXES}> {_OUT}"

    axes: Attribute = field(kw_only=True)


@dataclass(frozen=True)
class ShardedToUnreduced(OutSharding):
    """Makes parts along `axes` into terms of a sum: each has its part, and zeros around it."""

    name = "sdy.sharded_to_unreduced"
    short_form = f"$axes<{_LISTS_OF_AXES}> {_OUT}"

    axes: Attribute = field(kw_only=True)


@dataclass(frozen=True)
class ShardyReturn(Op):
    """Ends the body of a computation with its results."""

    name = "sdy.return"
    traits = Traits(category="control", is_terminator=True)
    short_form = "attr-dict operands? (: operand-types)?"

    operands: tuple[Type, ...]
