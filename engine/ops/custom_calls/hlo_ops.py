"""Ops of HLO that frameworks write as calls in StableHLO: ragged_all_to_all, __op$block_scaled_dot."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from ...ir.attributes import Attribute, DictionaryAttribute, IntegerAttribute, StructAttribute
from ...ir.element_types import I64
from ...ir.types import ScalarType, TensorType
from ..contractions.dot_general import DotDimensionNumbers
from ..core.op import Op
from ..core.rules import format_list
from .configuration import DIMENSIONS, Configuration
from .other_ops import bind_op, other_op
from .target import Target, need

if TYPE_CHECKING:
    from .custom_call import CustomCall

_DEVICE_TO_DEVICE = 1


@dataclass(frozen=True)
class ScaledDotConfiguration(Configuration):
    """XLA's BlockScaledDotBackendConfig, as far as results depend on it."""

    key: ClassVar[str] = "scaled_dot_backend_config"

    lhs_batch_dimensions: tuple[int, ...] | None = field(default=None, metadata=DIMENSIONS)
    rhs_batch_dimensions: tuple[int, ...] | None = field(default=None, metadata=DIMENSIONS)


def _ragged_all_to_all(call: CustomCall) -> Op:
    """Groups and channel are in the configuration, a dictionary."""
    from ..hlo.ragged_all_to_all import RaggedAllToAll  # which stands above the custom calls

    config = call.backend_config
    entries = config.entries if isinstance(config, DictionaryAttribute) else {}
    groups, channel = entries.get("replica_groups"), entries.get("channel_id")
    need(groups is not None, "needs replica_groups in its backend_config")
    assert groups is not None
    properties: dict[str, Attribute] = {"replica_groups": groups}
    if channel is not None:
        numbers = {"handle": channel, "type": IntegerAttribute(_DEVICE_TO_DEVICE, ScalarType(I64))}
        properties["channel_handle"] = StructAttribute("stablehlo", "channel_handle", numbers)
    return bind_op(call, RaggedAllToAll, properties)


def _block_scaled_dot(call: CustomCall) -> Op:
    """Matrices by transposed matrices, after the dimensions of a batch: `[b, m, k]` and `[b, n, k]` make `[b, m, n]`."""
    from ..hlo.scaled_dot import ScaledDot

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


TARGETS: dict[str, Target] = {
    "ragged_all_to_all": other_op(_ragged_all_to_all),
    "__op$block_scaled_dot": other_op(_block_scaled_dot),
}
