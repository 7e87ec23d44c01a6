"""Tiles of an op's operands and results as JSON: the chosen tile, and its image in the maps."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from hloscope.engine.indexing import Constant, Expression, OperandMap, print_expression
from hloscope.engine.indexing.evaluation.bound_map import Operands
from hloscope.engine.indexing.tiles.propagation import Propagated, Tile, propagate_all
from hloscope.engine.indexing.tiles.tile_forms import Side

from ..wire.map_numbers import SideInfo, TileInfo, TilePiece, TileRuntime
from .index_maps import MappedTensor, OpMaps
from .numbers import json_number


class NumbersError(ValueError):
    """Tiles or threads that do not fit an op; the message is a sentence."""


@dataclass(frozen=True)
class ChosenTile:
    """A tile of result `number`, or of an operand with `inverse`; no offsets: any grid tile."""

    number: int
    sizes: Sequence[int]
    offsets: Sequence[int] | None = None
    strides: Sequence[int] = ()
    inverse: bool = False


def tile_json(described: OpMaps, chosen: ChosenTile, values: Operands | None = None) -> TileInfo:
    """The elements of each operand that a tile reads. Raises `NumbersError`.

    With `inverse`: the elements of each result that it is written to.
    """
    tensors = described.operands if chosen.inverse else described.results
    _, sizes = chosen_tensor(tensors, chosen.number, "operand" if chosen.inverse else "result")
    tile = _tile(sizes, chosen)
    maps = described.inverse if chosen.inverse else described.maps
    groups: dict[int, list[OperandMap]] = {}
    for item in maps:
        mine, other = (item.operand, item.result) if chosen.inverse else (item.result, item.operand)
        if mine == chosen.number:
            groups.setdefault(other, []).append(item)
    return {
        "direction": "input-to-output" if chosen.inverse else "output-to-input",
        "of": chosen.number,
        "tile": _sides(tile.sides),
        "numbers": [interval.size for interval in tile.numbers],
        "bound": values is not None,
        "answers": [
            {"of": other, "pieces": [_piece(described, each) for each in _propagate(group, tile, values)]}
            for other, group in sorted(groups.items())
        ],
    }


def _propagate(group: Sequence[OperandMap], tile: Tile, values: Operands | None) -> tuple[Propagated, ...]:
    return propagate_all([item.map for item in group], tile, values)


def chosen_tensor(
    tensors: Sequence[MappedTensor], number: int, what: str
) -> tuple[MappedTensor, tuple[int, ...]]:
    """A tensor and its sizes. Raises `NumbersError` if there is none, or its sizes are open."""
    if not 0 <= number < len(tensors):
        raise NumbersError(f"There is no {what} number {number}.")
    found = tensors[number]
    if found.sizes is None:
        raise NumbersError(f"{found.name} has no elements of known number.")
    return found, found.sizes


def _tile(shape: tuple[int, ...], chosen: ChosenTile) -> Tile:
    rank = len(shape)
    sizes, strides = tuple(chosen.sizes), tuple(chosen.strides) or (1,) * rank
    offsets = None if chosen.offsets is None else tuple(chosen.offsets)
    for name, numbers in (("sizes", sizes), ("strides", strides), ("offsets", offsets)):
        if numbers is not None and len(numbers) != rank:
            raise NumbersError(f"There must be {rank} {name}, one for each dimension, not {len(numbers)}.")
    if any(size < 1 for size in sizes) or any(stride < 1 for stride in strides):
        raise NumbersError("Sizes and strides of a tile begin at 1.")
    if offsets is None:
        if any(stride != 1 for stride in strides):
            raise NumbersError("A grid of tiles has no strides: choose an offset.")
        return Tile.grid(shape, [min(size, max(1, whole)) for size, whole in zip(sizes, shape, strict=True)])
    outside = [k for k, (at, size) in enumerate(zip(offsets, shape, strict=True)) if not 0 <= at < size]
    if outside:
        raise NumbersError(
            f"The tile begins outside dimension {outside[0]}, which has {shape[outside[0]]} elements."
        )
    return Tile.at(offsets, sizes, strides)


def _piece(described: OpMaps, found: Propagated) -> TilePiece:
    tile = None if found.tile is None else _sides(found.tile.sides)
    return {
        "tile": tile,
        "count": None if found.tile is None or found.nothing else json_number(found.tile.count),
        "exact": found.exact,
        "nothing": found.nothing,
        "reason": _with_names(described, _rename_symbols(found.reason)),
        "runtimes": _runtimes(described, found),
    }


def _with_names(described: OpMaps, text: str) -> str:
    return re.sub(r"\boperand (\d+)\b", lambda found: described.name_of(int(found.group(1))), text)


def _sides(sides: Sequence[Side]) -> list[SideInfo]:
    return [{"offset": _offset(side.offset), "size": side.size, "stride": side.stride} for side in sides]


def _offset(offset: Expression) -> int | str:
    if isinstance(offset, Constant):
        return offset.value
    return _rename_symbols(print_expression(offset))


def _rename_symbols(text: str) -> str:
    """Rename tile numbers to t0, t1, …, and the loops of a tile to i0, i1, …"""
    return re.sub(r"\bs(\d+)\b", r"i\1", re.sub(r"\bd(\d+)\b", r"t\1", text))


def _runtimes(described: OpMaps, found: Propagated) -> list[TileRuntime]:
    """Runtime variables in the tile's offsets, with their intervals and sources."""
    if found.map is None or found.tile is None:
        return []
    offsets = " ".join(print_expression(side.offset) for side in found.tile.sides)
    return [
        {
            "name": f"rt{number}",
            "read": described.name_of(variable.operand),
            "at": [_offset(place) for place in variable.map.results],
            "interval": (variable.interval.lower, variable.interval.upper),
            "clamped": variable.clamped,
        }
        for number, variable in enumerate(found.map.runtimes)
        if re.search(rf"\brt{number}\b", offsets)
    ]
