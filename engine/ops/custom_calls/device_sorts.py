"""CUB's radix sort, as XLA calls it: keys along the last dimension, and values that move with them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ...indexing import OperandMap
from ...ir.element_types import of_dtype
from ..core.op import Array
from ..sorting.sort_keys import take_along, total_order_column
from .configuration import FLAG, Configuration
from .target import Answer, Target, need, with_workspace
from .target_maps import lines, shared_maps

if TYPE_CHECKING:
    from .custom_call import CustomCall


@dataclass(frozen=True)
class RadixSortConfiguration(Configuration):
    """What XLA states of a sort."""

    descending: bool = field(default=False, metadata=FLAG)


def _radix_sort(call: CustomCall, operands: tuple[Array, ...]) -> Answer:
    """Equal keys stay in order. -0 equals 0; NaN comes behind infinity, with its sign set before -infinity."""
    name, count = call.call_target_name, len(operands)
    need(count in (1, 2), f"@{name} takes keys and perhaps values, not {count} operands")
    keys = operands[0]
    need(keys.ndim >= 1, f"@{name} sorts tensors of rank 1 or more")
    need(all(x.shape == keys.shape for x in operands), f"@{name}: keys and values have different shapes")
    element_type = of_dtype(keys.dtype)
    is_real = element_type is not None and not element_type.is_complex
    need(is_real, f"@{name} takes real keys, not {keys.dtype}")
    assert element_type
    descending = call.configuration(RadixSortConfiguration).descending
    is_float = element_type.is_float
    column = total_order_column(keys, element_type, zeros_equal=is_float, nan=None, descending=descending)
    places = np.argsort(column, axis=-1, kind="stable")
    return with_workspace(call, [take_along(x, places, keys.ndim - 1) for x in operands])


def _maps(call: CustomCall, inverse: bool) -> Iterator[OperandMap]:
    """The place of a key depends on all keys of its line; a value may come from any place of its line."""
    for result in range(min(len(call.inputs), len(call.parts))):
        yield from shared_maps(call, inverse, 0, result, lines)
        if result:
            yield from shared_maps(call, inverse, result, result, lines, enclosing=True)


TARGETS: dict[str, Target] = {"__cub$DeviceRadixSort": Target(_radix_sort, maps=_maps)}
