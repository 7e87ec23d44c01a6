"""Calls that stand for an op: `@mhlo.erf`, which XLA exports where StableHLO lacks an op, and ops of HLO."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import ClassVar

from ...errors import ProgramError, RunError
from ...ir.attribute_values import integer
from ...ir.attributes import Attribute, DictionaryAttribute, StructAttribute
from ...ir.module import Operation, Value
from ...ir.types import TensorType
from ..checking import first_broken_constraint
from ..contractions.dot_general import DotDimensionNumbers
from ..core.binding import bind
from ..core.op import Array, Op
from ..core.registry import op_table
from ..core.rules import format_list
from ..dialects.mhlo_dialect import DIALECT, OtherName, mhlo_names
from ..hlo.ragged_all_to_all import RaggedAllToAll
from ..hlo.scaled_dot import ScaledDot
from .call import Call
from .configuration import DIMENSIONS, Configuration
from .target import Answer, Target, need

Make = Callable[[Call], Op]
"""The op that replaces a call; `ProgramError` if the call is invalid as that op."""


def other_op(make: Make) -> Target:
    """A target that the op of `make` replaces; a run stops at a call that breaks a constraint of the op."""

    def instead(call: Call) -> Op | None:
        try:
            op = make(call)
        except ProgramError:
            return None
        return None if first_broken_constraint(op, call.parts) else op

    def run(call: Call, operands: tuple[Array, ...]) -> Answer:
        try:
            broken = first_broken_constraint(make(call), call.parts)
        except ProgramError as error:
            broken = ("", error.message)
        raise RunError(f"@{call.call_target_name}: {broken[1] if broken else 'not known well enough'}")

    return Target(run, instead=instead)


def bind_op(call: Call, op_class: type[Op], properties: Mapping[str, Attribute]) -> Op:
    """The op on the call's operands, with the call's result types."""
    operands, results = (tuple(Value("", found) for found in side) for side in (call.inputs, call.parts))
    return bind(op_class, Operation(op_class.name, operands, results, properties))


_DEVICE_TO_DEVICE = 1


@dataclass(frozen=True)
class ScaledDotConfiguration(Configuration):
    """The settings of XLA's BlockScaledDotBackendConfig that affect results."""

    key: ClassVar[str] = "scaled_dot_backend_config"

    lhs_batch_dimensions: tuple[int, ...] | None = field(default=None, metadata=DIMENSIONS)
    rhs_batch_dimensions: tuple[int, ...] | None = field(default=None, metadata=DIMENSIONS)


def _ragged_all_to_all(call: Call) -> Op:
    """The configuration, a dictionary, has the groups and the channel."""
    config = call.backend_config
    entries = config.entries if isinstance(config, DictionaryAttribute) else {}
    groups, channel = entries.get("replica_groups"), entries.get("channel_id")
    need(groups is not None, "needs replica_groups in its backend_config")
    assert groups is not None
    properties: dict[str, Attribute] = {"replica_groups": groups}
    if channel is not None:
        numbers = {"handle": channel, "type": integer(_DEVICE_TO_DEVICE)}
        properties["channel_handle"] = StructAttribute("stablehlo", "channel_handle", numbers)
    return bind_op(call, RaggedAllToAll, properties)


def _block_scaled_dot(call: Call) -> Op:
    """Products of matrices and transposed matrices with batch dimensions: `[b, m, k]` by `[b, n, k]` gives `[b, m, n]`."""
    tensors = [found for found in (*call.inputs, *call.parts) if isinstance(found, TensorType)]
    need(len(tensors) == 5, "takes lhs, rhs, lhs_scale and rhs_scale, and gives one tensor")
    lhs, rhs, lhs_scale, rhs_scale, result = tensors
    need(
        lhs.rank == rhs.rank and lhs.rank >= 2,
        f"lhs has rank {lhs.rank}, rhs {rhs.rank}: both must have 2 or more",
    )
    batch, last = tuple(range(lhs.rank - 2)), (lhs.rank - 1,)
    config = call.configuration(ScaledDotConfiguration)
    for side, stated in (("lhs", config.lhs_batch_dimensions), ("rhs", config.rhs_batch_dimensions)):
        sentence = f"{config.key}.{side}_batch_dimensions must be {format_list(batch)}, not {format_list(stated or ())}"
        need(stated in (None, batch), sentence)
    numbers = DotDimensionNumbers(batch, batch, last, last)
    return ScaledDot(lhs, rhs, lhs_scale, rhs_scale, numbers, None, result)


def exported_target(name: str) -> Target | None:
    """The target for an op that was exported as a call; `None` if the name is no op's."""
    return None if _op_of(name) is None else _EXPORTED


def _op_of(name: str) -> OtherName | None:
    return _names().get(name) if name.startswith(f"{DIALECT}.") else None


@cache
def _names() -> Mapping[str, OtherName]:
    return mhlo_names(tuple(dict.fromkeys(op_table().values())))


def _exported_op(call: Call) -> Op:
    """The exported op; `mhlo.attributes` has its attributes."""
    known, stated = _op_of(call.call_target_name), call.attributes.get("mhlo.attributes")
    if known is None:
        raise RunError("no such op")
    entries = stated.entries if isinstance(stated, DictionaryAttribute) else {}
    return bind_op(call, known.op, known.translate(entries))


_EXPORTED = other_op(_exported_op)


TARGETS: dict[str, Target] = {
    "ragged_all_to_all": other_op(_ragged_all_to_all),
    "__op$block_scaled_dot": other_op(_block_scaled_dot),
}
