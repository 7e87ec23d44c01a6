"""Reads of an op's operand by a kernel's warps, as JSON."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Literal

from hloscope.engine.indexing import print_map, simplify
from hloscope.engine.indexing.evaluation.bound_map import Operands
from hloscope.engine.indexing.measures.accesses import Access, Memory
from hloscope.engine.indexing.measures.coalescing import Coalescing, coalescing
from hloscope.engine.indexing.measures.thread_maps import MAX_THREADS, Threads, linear_threads, tiled_threads
from hloscope.engine.indexing.measures.tiled_layouts import Tile
from hloscope.engine.ir.types import TensorType

from ..wire.encoding import encoded
from ..wire.map_numbers import AccessInfo, CoalescingInfo, SpreadInfo, ThreadsInfo
from .index_maps import MappedTensor, OpMaps
from .measures import bits_of
from .numbers import json_number
from .tiles import NumbersError, chosen_tensor

MOST_VECTOR = 16


@dataclass(frozen=True)
class Launch:
    """The computation of a result by warps, their reads of an operand, and the selected access."""

    operand: int
    result: int
    kind: Literal["linear", "tiled"] = "linear"
    """`linear`: threads in the result's memory order. `tiled`: one block per 2-D tile."""
    threads: int = 128
    vector: int = 1
    x: int = -1
    """For `tiled`: the dimension along which neighbouring threads lie."""
    y: int = -2
    columns: int = 32
    rows: int = 8
    steps: int = 4
    padding: int = 0
    """Padding elements after each line of the operand, as in shared memory."""
    order: Sequence[int] = ()
    """The operand's dimensions, minor first; empty: the order of its own layout."""
    block: Sequence[int] = (0, 0, 0)
    warp: int = 0
    loops: Sequence[int] = ()
    """Values of the loops around a thread's vector."""


def coalescing_json(described: OpMaps, launch: Launch, values: Operands | None = None) -> CoalescingInfo:
    """Sectors, lines and bank conflicts, of one access and in total. Raises `NumbersError`."""
    operand, operand_sizes = chosen_tensor(described.operands, launch.operand, "operand")
    result, shape = chosen_tensor(described.results, launch.result, "result")
    maps = [
        item.map for item in described.maps if (item.operand, item.result) == (launch.operand, launch.result)
    ]
    if not maps:
        raise NumbersError("The result does not read this operand.")
    if any(each.is_undefined for each in maps):
        raise NumbersError("Which elements the op reads is not known.")
    threads = _threads(shape, launch, *_layout(result))
    order, tiles = (tuple(launch.order), ()) if launch.order else _layout(operand)
    x, y, z = launch.block
    block = (x, y, z)
    try:
        memory = Memory(operand_sizes, _bits(operand), order, launch.padding, tiles)
        found = coalescing(threads, maps, memory, values, block, launch.warp, tuple(launch.loops))
    except ValueError as error:
        raise NumbersError(f"{str(error)[0].upper()}{str(error)[1:]}.") from None
    return _json(found, threads, memory)


def _threads(
    shape: tuple[int, ...], launch: Launch, order: tuple[int, ...] | None, tiles: tuple[Tile, ...]
) -> Threads:
    if launch.kind == "linear":
        if not 1 <= launch.threads <= MAX_THREADS:
            raise NumbersError(f"A block has 1 to {MAX_THREADS:,} threads.")
        if not 1 <= launch.vector <= MOST_VECTOR:
            raise NumbersError(f"A thread reads 1 to {MOST_VECTOR} elements at once.")
        return linear_threads(shape, launch.threads, launch.vector, order, tiles)
    if launch.kind != "tiled":
        raise NumbersError("Threads are linear or tiled.")
    rank = len(shape)
    x, y = (k + rank if k < 0 else k for k in (launch.x, launch.y))
    if rank < 2 or not (0 <= x < rank and 0 <= y < rank) or x == y:
        raise NumbersError("Tiled threads need two different dimensions of the result.")
    if min(launch.columns, launch.rows, launch.steps) < 1:
        raise NumbersError("Columns, rows and steps begin at 1.")
    if prod((launch.columns, launch.rows)) > MAX_THREADS or launch.steps > MAX_THREADS:
        raise NumbersError(f"A block has 1 to {MAX_THREADS:,} threads, and as many steps.")
    return tiled_threads(shape, x, y, launch.columns, launch.rows, launch.steps)


def _layout(tensor: MappedTensor) -> tuple[tuple[int, ...] | None, tuple[Tile, ...]]:
    """The order of the dimensions in memory, and the layout's tiles."""
    layout = tensor.type.layout if isinstance(tensor.type, TensorType) else None
    return (layout.minor_to_major, layout.tiles) if layout is not None else (None, ())


def _bits(tensor: MappedTensor) -> int:
    assert isinstance(tensor.type, TensorType)
    return bits_of(tensor.type)


def _json(found: Coalescing, threads: Threads, memory: Memory) -> CoalescingInfo:
    return encoded(
        CoalescingInfo,
        found,
        bits=memory.bits,
        memory=print_map(simplify(memory.map)),
        accesses=json_number(found.accesses),
        sectors=encoded(SpreadInfo, found.sectors),
        lines=encoded(SpreadInfo, found.lines),
        conflicts=encoded(SpreadInfo, found.conflicts),
        access=_access(found.access),
        threads=encoded(ThreadsInfo, threads, steps=found.steps, map=print_map(threads.map)),
    )


def _access(access: Access) -> AccessInfo:
    return encoded(
        AccessInfo, access, addresses=[None if at is None else json_number(at) for at in access.addresses]
    )
