"""The blocks of a program that run: those of the entry function, and of the ops in them; the bytes of values."""

import re
from collections.abc import Iterator, Mapping, Sequence
from math import prod

from ..chains.bodies import body_blocks, has_bodies
from ..ir.attributes import OpaqueAttribute
from ..ir.layouts import Layout
from ..ir.types import TensorType, Type
from ..ops.control_flow.control_flow import CONDITION, While
from ..program import BoundBlock, BoundFunction, BoundOperation, BoundProgram

_TRIP_COUNT = re.compile(r'"known_trip_count":\{"n":"(\d+)"')


def run_blocks(program: BoundProgram, bound: BoundOperation) -> tuple[BoundBlock, ...]:
    """The blocks that an op runs, whose values may be in memory; none for reduce and similar ops."""
    return body_blocks(program, bound) if has_bodies(bound) else ()


def callees_first(program: BoundProgram, function: BoundFunction) -> list[int]:
    """The blocks that run, each after those that its ops run."""
    found: dict[int, None] = {}
    waiting: list[tuple[int, bool]] = [(function.block, False)]
    while waiting:  # the depth of a program must cost no Python frames
        block, is_open = waiting.pop()
        if block in found:
            continue
        if is_open:
            found[block] = None
            continue
        waiting.append((block, True))
        for bound in program.blocks[block].operations:
            waiting += [(inner.id, False) for inner in run_blocks(program, bound)]
    return list(found)


def executions_of(program: BoundProgram, function: BoundFunction) -> Mapping[int, int | None]:
    """For each block outside of kernels, how often it runs, at most; `None` if a loop's length is unknown."""
    found: dict[int, int | None] = {function.block: 1}
    for block in reversed(callees_first(program, function)):
        for bound in program.blocks[block].operations if block in found else ():
            for inner, factor in _factors(program, bound):
                own, before = found[block], found.get(inner, 0)
                is_known = own is not None and factor is not None and before is not None
                found[inner] = (before or 0) + (own or 0) * (factor or 0) if is_known else None
    return found


def _factors(program: BoundProgram, bound: BoundOperation) -> Iterator[tuple[int, int | None]]:
    """The blocks that an op runs, each with the number of runs."""
    if bound.op.unpacked.storage.is_kernel:
        return
    is_loop = isinstance(bound.op.unpacked, While)
    count = trip_count(bound) if is_loop else 1
    for number, block in enumerate(run_blocks(program, bound)):
        is_condition = is_loop and number == CONDITION
        yield block.id, count + 1 if count is not None and is_condition else count


def trip_count(bound: BoundOperation) -> int | None:
    """The iterations of a loop, from `known_trip_count` in its `backend_config`; `None` if it states none."""
    config = bound.operation.attributes.get("backend_config")
    found = _TRIP_COUNT.search(config.text) if isinstance(config, OpaqueAttribute) else None
    return int(found[1]) if found else None


DEFAULT_SPACE = 0
"""The memory space of a layout that states none: the device's own memory."""


def byte_size(found: Type) -> int:
    """The bytes of a leaf: those of its bounds if sizes are open, and 0 where nothing bounds them."""
    if not isinstance(found, TensorType) or None in found.greatest_shape:
        return 0
    sizes = [size for size in found.greatest_shape if size is not None]
    layout = found.layout
    if layout is None:
        return prod(sizes) * found.element_type.dtype.itemsize
    bits = layout.element_size_in_bits or 8 * found.element_type.dtype.itemsize
    return -(-prod(_padded(sizes, layout)) * bits // 8)


def has_open_size(found: Type) -> bool:
    """Whether nothing in the text bounds the bytes of a leaf."""
    return isinstance(found, TensorType) and None in found.greatest_shape


def memory_space(found: Type) -> int:
    """The memory space of a leaf, `S(5)` in its layout."""
    return found.layout.memory_space if isinstance(found, TensorType) and found.layout else DEFAULT_SPACE


def _padded(sizes: Sequence[int], layout: Layout) -> list[int]:
    """The sizes in memory, the most minor one last, padded to whole tiles of the first tiling."""
    if sorted(layout.minor_to_major) != list(range(len(sizes))):
        return list(sizes)
    physical = [sizes[dimension] for dimension in reversed(layout.minor_to_major)]
    tile = layout.tiles[0] if layout.tiles else ()
    if len(tile) > len(physical):
        physical = [1] * (len(tile) - len(physical)) + physical
    for number, size in enumerate(reversed(tile), 1):
        if size:
            physical[-number] = -(-physical[-number] // size) * size
    return physical
