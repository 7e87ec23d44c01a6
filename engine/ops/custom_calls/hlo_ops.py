"""Ops of HLO that frameworks write as calls in StableHLO: ragged_all_to_all, __op$block_scaled_dot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...ir.attributes import Attribute, DictionaryAttribute, IntegerAttribute, StructAttribute
from ...ir.element_types import I64
from ...ir.types import ScalarType, TensorType
from ..dot_general import DotDimensionNumbers
from ..op import Op
from .other_ops import bound, other_op
from .target import Target, need

if TYPE_CHECKING:
    from .custom_call import CustomCall

_DEVICE_TO_DEVICE = 1


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
    return bound(call, RaggedAllToAll, properties)


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
    for side in ("lhs", "rhs"):
        stated = _batch(call, side)
        need(stated in (None, list(batch)), f"{side}_batch_dimensions must be {list(batch)}, not {stated}")
    numbers = DotDimensionNumbers(batch, batch, last, last)
    return ScaledDot(lhs, rhs, lhs_scale, rhs_scale, numbers, None, result)


def _batch(call: CustomCall, side: str) -> Any:
    """The dimensions of the batch, if the configuration states them."""
    config = call.settings.get("scaled_dot_backend_config")
    return config.get(f"{side}_batch_dimensions") if isinstance(config, dict) else None


TARGETS: dict[str, Target] = {
    "ragged_all_to_all": other_op(_ragged_all_to_all),
    "__op$block_scaled_dot": other_op(_block_scaled_dot),
}
