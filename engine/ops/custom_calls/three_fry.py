"""Threefry as one call, which JAX makes on GPUs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..core.op import Array
from ..random_numbers.random_bits import three_fry
from .target import Answer, Target, need
from .target_maps import element_by_element

if TYPE_CHECKING:
    from .custom_call import CustomCall


def _three_fry(call: CustomCall, operands: tuple[Array, ...]) -> Answer:
    """Threefry-2x32 of two tensors of key words and two of counter words, all of one shape: two tensors of bits."""
    first = operands[0]
    same = all(x.shape == first.shape and x.dtype == np.uint32 for x in operands)
    need(same, f"@{call.call_target_name} takes four tensors of ui32 of one shape")
    flat = [x.reshape(-1) for x in operands]
    found = three_fry((flat[0], flat[1]), (flat[2], flat[3]))
    return tuple(word.reshape(first.shape) for word in found)


TARGETS: dict[str, Target] = dict.fromkeys(
    ("cu_threefry2x32_ffi", "hip_threefry2x32_ffi"), Target(_three_fry, (0, 0, 0, 0), element_by_element)
)
