"""Random bits: Threefry as one call, which JAX makes on GPUs, and rng_bit_generator with a shape operand."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

import numpy as np

from ...errors import RunError
from ...indexing import OperandMap
from ...ir.attributes import Attribute, EnumAttribute
from ...ir.types import TensorType
from ...limits import DEFAULT_LIMITS
from ..checking import first_broken_constraint
from ..core.op import Array
from ..core.rules import format_list
from ..random_numbers.random_bits import three_fry
from ..random_numbers.random_numbers import RngAlgorithm, RngBitGenerator
from .call import Call
from .target import Answer, Target, need
from .target_maps import element_by_element, no_dimensions, own_maps, shared_maps


def _three_fry(call: Call, operands: tuple[Array, ...]) -> Answer:
    """Threefry-2x32: two tensors of bits from two tensors of key words and two of counter words, all of one shape."""
    first = operands[0]
    same = all(x.shape == first.shape and x.dtype == np.uint32 for x in operands)
    need(same, f"@{call.call_target_name} takes four tensors of ui32 of one shape")
    flat = [x.reshape(-1) for x in operands]
    found = three_fry((flat[0], flat[1]), (flat[2], flat[3]))
    return tuple(word.reshape(first.shape) for word in found)


@dataclass(frozen=True)
class DynamicRngBitGenerator:
    """The record of stablehlo.dynamic_rng_bit_generator."""

    rng_algorithm: Attribute | None = None


def _random_bits(call: Call, operands: tuple[Array, ...]) -> Answer:
    """rng_bit_generator with bits of the shape in operand 1."""
    state, shape = operands
    given, bits = call.inputs[0], call.parts[-1] if call.parts else None
    need(shape.ndim == 1 and shape.dtype.kind in "iu", "the shape must be a list of integers")
    sizes = tuple(map(int, shape.tolist()))
    assert isinstance(given, TensorType)  # guaranteed by the least ranks
    if not isinstance(bits, TensorType):
        need(False, f"@{call.call_target_name} gives a tensor of bits, not {bits}")
        return ()
    whole = prod(max(1, size) for size in sizes) * bits.element_type.dtype.itemsize
    possible = min(sizes, default=0) >= 0 and whole <= DEFAULT_LIMITS.max_tensor_bytes
    need(possible, f"{format_list(sizes)} are no sizes, or larger than max_tensor_bytes allows")
    made = RngBitGenerator(
        _algorithm(call),
        given.with_shape(state.shape),
        (given.with_shape(state.shape), bits.with_shape(sizes)),
    )
    broken = first_broken_constraint(made)
    need(broken is None, f"as rng_bit_generator: {broken[1] if broken else ''}")
    return made.evaluate(state)


def _algorithm(call: Call) -> RngAlgorithm:
    stated = call.record(DynamicRngBitGenerator).rng_algorithm
    name = stated.value if isinstance(stated, EnumAttribute) else ""
    known = name in list(RngAlgorithm)
    need(known, f"rng_algorithm must be one of {', '.join(RngAlgorithm)}, not {name or 'missing'}")
    return RngAlgorithm(name)


def _random_maps(call: Call, inverse: bool) -> Iterator[OperandMap]:
    """The maps of rng_bit_generator; all results also read the shape operand, which determines the number of bits."""
    bits, given = (side[0] if side else None for side in (call.parts[-1:], call.inputs))
    if isinstance(bits, TensorType) and isinstance(given, TensorType) and bits.is_static and given.is_static:
        try:
            made = RngBitGenerator(_algorithm(call), given, (given, bits))
        except RunError:
            return
        yield from own_maps(made, inverse)
        for result in range(len(call.parts)):
            yield from shared_maps(call, inverse, 1, result, no_dimensions)


TARGETS: dict[str, Target] = {
    **dict.fromkeys(
        ("cu_threefry2x32_ffi", "hip_threefry2x32_ffi"), Target(_three_fry, (0, 0, 0, 0), element_by_element)
    ),
    "stablehlo.dynamic_rng_bit_generator": Target(
        _random_bits, (1, 1), _random_maps, record=DynamicRngBitGenerator
    ),
}
