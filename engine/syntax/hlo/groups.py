"""`replica_groups` in their three spellings, `source_target_pairs`, and orders of devices: tables of ids.

{{0,2},{1,3}}                       each group
[2,2]<=[4]T(0)                      the ids 0, 1, … in an order, cut into groups
mesh['x'=2,'y'=4] {'x'}             the ids along some axes of a mesh
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...errors import ParseError
from ...ir.attributes import Attribute, DenseAttribute
from ...ir.device_meshes import AxisPart, axis_groups, bounded_product
from ...ir.element_types import I64
from ...ir.types import TensorType
from ...source import Span
from .cursor import HloCursor

MOST_IDS = 1 << 20
"""Ids that a text may spread out; there are no machines of so many devices."""
PADDING = -1
"""Stands for no id in a row that is shorter than others, as in StableHLO."""
Ids = NDArray[np.int64]

_ROW = re.compile(r"\{\s*+((?:[0-9]{1,18}\s*+,\s*+)*+[0-9]{1,18}\s*+)?+\}")


# Tables


def read_replica_groups(cursor: HloCursor) -> DenseAttribute:
    """Read groups in any of their spellings, as rows of ids; shorter rows are filled with -1."""
    if cursor.peek("["):
        return _read_iota_groups(cursor)
    if cursor.peek_word() == "mesh":
        return _read_mesh_groups(cursor)
    start = cursor.position
    rows = _read_rows(cursor, "{{0,1},{2,3}}")
    width = max(map(len, rows), default=0)
    if len(rows) * width > MOST_IDS:
        filled = f"{len(rows):,} groups, filled up to {width:,} ids each,"
        cursor.fail(f"{filled} are more than {MOST_IDS:,} ids, the most that are read", start)
    return _table(rows, width)


def read_pairs(cursor: HloCursor) -> DenseAttribute:
    """Read `{{0,1},{1,0}}`: a source and a target in each row."""
    return _table(_read_rows(cursor, "{{0,1},{1,0}}", 2), 2)


def print_replica_groups(attribute: Attribute) -> str:
    """`{{0,2},{1,3}}`, in which the ids that fill up rows are left out."""
    if not isinstance(attribute, DenseAttribute):
        raise ValueError("expected rows of ids, dense<[[0, 1]]> : tensor<1x2xi64>")
    rows = (",".join([str(found) for found in row if found != PADDING]) for row in attribute.data.tolist())
    return "{" + ",".join([f"{{{row}}}" for row in rows]) + "}"


print_pairs = print_replica_groups
"""`{{0,1},{1,0}}`."""


def _read_rows(cursor: HloCursor, example: str, width: int | None = None) -> list[list[int]]:
    rows: list[list[int]] = []
    count = 0
    for _ in cursor.each("{", f", as in {example}"):
        start = cursor.position
        row = _read_row(cursor, example)
        if width is not None and len(row) != width:
            ids = f"{len(row)} id{'s' if len(row) != 1 else ''}"
            cursor.fail(f"a pair has a source and a target, not {ids}", start)
        rows.append(row)
        count += len(row)
        _check_count(cursor, count, start)
    return rows


def _read_row(cursor: HloCursor, example: str) -> list[int]:
    match = cursor.match(_ROW)
    if match is not None:
        return list(map(int, match[1].split(","))) if match[1] else []
    return cursor.listed("{", lambda: _read_id(cursor), f", as in {example}")


def _read_id(cursor: HloCursor) -> int:
    start = cursor.position
    found = cursor.integer("an id")
    if found < 0:
        cursor.fail(f"{found} is no id: they count from 0", start)
    return found if found < 1 << 63 else cursor.fail(f"{found} does not fit in 64 bits", start)


def _check_count(cursor: HloCursor, count: int, start: int) -> None:
    if count > MOST_IDS:
        cursor.fail(f"these are more than {MOST_IDS:,} ids, which is the most that are read", start)


def _table(rows: list[list[int]], width: int) -> DenseAttribute:
    if all(len(row) == width for row in rows):
        return _dense(np.array(rows, np.int64).reshape(len(rows), width))
    table = np.full((len(rows), width), PADDING, np.int64)
    for number, row in enumerate(rows):
        table[number, : len(row)] = row
    return _dense(table)


def _dense(ids: Ids) -> DenseAttribute:
    ids.flags.writeable = False
    rows, width = ids.shape
    return DenseAttribute(TensorType((rows, width), I64), ids)


# Orders


@dataclass(frozen=True)
class IotaOrder:
    """`[2,4]T(1,0)`: the numbers 0, 1, … laid out with these sizes, and read with the dimensions in another order."""

    sizes: tuple[int, ...]
    permutation: tuple[int, ...] | None = None

    @property
    def count(self) -> int:
        """How many numbers there are, or something larger than `MOST_IDS`."""
        return bounded_product(self.sizes, MOST_IDS)

    def ids(self) -> Ids:
        """The numbers in their order; at most `MOST_IDS`."""
        # NumPy has 64 dimensions at most; those of size 1 change nothing.
        order = self.permutation or tuple(range(len(self.sizes)))
        kept = [at for at, size in enumerate(self.sizes) if size != 1]
        places = [kept.index(at) for at in order if self.sizes[at] != 1] if self.count else []
        numbers = np.arange(self.count, dtype=np.int64)
        return (
            numbers.reshape([self.sizes[at] for at in kept]).transpose(places).reshape(-1)
            if places
            else numbers
        )


def read_sizes(cursor: HloCursor, what: str) -> tuple[int, ...]:
    """Read `[2,4]`."""
    start = cursor.position
    found = cursor.listed("[", lambda: cursor.integer("a size"), f", {what}")
    if any(size < 0 for size in found):
        cursor.fail("a size must not be negative", start)
    return tuple(found)


def read_order(cursor: HloCursor) -> IotaOrder:
    """Read `[8]` or `[2,4]T(1,0)`: sizes, and where there are several the order of their dimensions."""
    start = cursor.position
    sizes = read_sizes(cursor, "the sizes of what is put into order")
    order = _read_permutation(cursor, len(sizes)) if cursor.accept_word("T") else None
    if order is None and len(sizes) != 1:
        hint = "T(1,0) says in which order the dimensions are read"
        cursor.fail(f"{len(sizes)} sizes need the order of their dimensions", start, hint)
    found = IotaOrder(sizes, order)
    _check_count(cursor, found.count, start)
    return found


def _read_permutation(cursor: HloCursor, rank: int) -> tuple[int, ...]:
    start = cursor.position
    found = tuple(cursor.listed("(", cursor.integer, ", the order of the dimensions"))
    if sorted(found) != list(range(rank)):
        cursor.fail(f"the order of {rank} dimensions holds each of their numbers once", start)
    return found


def _read_iota_groups(cursor: HloCursor) -> DenseAttribute:
    start = cursor.position
    shape = read_sizes(cursor, "the number of groups and of ids in each")
    if len(shape) != 2:
        cursor.fail("two sizes are needed: the number of groups and of ids in each", start)
    cursor.expect("<=", ", as in [4,2]<=[8]")
    order = read_order(cursor)
    rows, width = shape
    if bounded_product(shape, MOST_IDS) != order.count:
        cursor.fail(
            f"{rows} groups of {width} are not the {order.count:,} ids that are put into order", start
        )
    if order.count == 0 and max(shape) > MOST_IDS:
        cursor.fail(f"these are more than {MOST_IDS:,} groups, which is the most that are read", start)
    return _dense(np.ascontiguousarray(order.ids().reshape(rows, width)))


# Meshes


@dataclass(frozen=True)
class DeviceMesh:
    """`mesh['x'=2,'y'=4], device_ids=(…)`: axes with their sizes, and devices that are not just 0, 1, …"""

    axes: tuple[tuple[str, int], ...]
    device_ids: tuple[int, ...] | IotaOrder | None = None

    @cached_property
    def sizes(self) -> Mapping[str, int]:
        """The size of each axis by its name."""
        return dict(self.axes)

    def ids(self) -> Ids:
        """The devices, row by row."""
        if isinstance(self.device_ids, IotaOrder):
            return self.device_ids.ids()
        if self.device_ids is not None:
            return np.array(self.device_ids, np.int64)
        return np.arange(bounded_product(self.sizes.values(), MOST_IDS), dtype=np.int64)


def read_mesh(cursor: HloCursor) -> DeviceMesh:
    """Read `mesh['x'=2,'y'=4]` with the devices that may follow it."""
    cursor.expect_word("mesh")
    start = cursor.position
    axes: dict[str, int] = {}
    for _ in cursor.each("[", ", the axes of the mesh"):
        axis_start = cursor.position
        name = cursor.string("an axis, as in 'x'=2")
        cursor.expect("=", " and the axis' size")
        size = cursor.integer("the axis' size")
        if size < 0 or name in axes:
            wrong = "a size must not be negative" if size < 0 else f"the mesh has two axes '{name}'"
            cursor.fail(wrong, axis_start)
        axes[name] = size
    count = bounded_product(axes.values(), MOST_IDS)
    _check_count(cursor, count, start)
    return DeviceMesh(tuple(axes.items()), _read_device_ids(cursor, count))


_DEVICE_IDS = re.compile(r",\s*+device_ids\s*+=\s*+(?=\()")


def _read_device_ids(cursor: HloCursor, count: int) -> tuple[int, ...] | IotaOrder | None:
    if not cursor.match(_DEVICE_IDS):
        return None
    start = cursor.position
    cursor.enter("(")
    found: tuple[int, ...] | IotaOrder
    if cursor.peek("["):
        found = read_order(cursor)
        size = found.count
    else:
        found = tuple(read_ids(cursor))
        size = len(found)
    cursor.leave()
    if size != count:
        cursor.fail(f"these are {size:,} devices, but the mesh has {count:,}", start)
    return found


def read_ids(cursor: HloCursor) -> list[int]:
    """Read `0,1,2`."""
    start = cursor.position
    ids = [_read_id(cursor)]
    while cursor.accept(","):
        ids.append(_read_id(cursor))
        _check_count(cursor, len(ids), start)
    return ids


_SIZES = re.compile(r":\s*+\(\s*+([0-9]{1,18})\s*+\)\s*+([0-9]{1,18})")


def read_axis(cursor: HloCursor, mesh: DeviceMesh) -> AxisPart:
    """Read `'x'` or `'x':(2)4`, the part of size 4 that lies inside of 2 others. An axis may go by its number."""
    start = cursor.position
    name = cursor.string("an axis, as in 'x'")
    axes = mesh.sizes
    if name not in axes and name.isdecimal() and len(name) < 9 and int(name) < len(mesh.axes):
        name = mesh.axes[int(name)][0]
    if name not in axes:
        known = ", ".join(f"'{axis}'" for axis in axes) or "none"
        cursor.fail(f"the mesh has no axis '{name}'; it has {known}", start)
    part = cursor.match(_SIZES)
    return (name, int(part[1]), int(part[2])) if part else (name, 1, axes[name])


def read_axes(cursor: HloCursor, mesh: DeviceMesh) -> Sequence[AxisPart]:
    """Read `{'x','y':(1)2}`."""
    return cursor.listed("{", lambda: read_axis(cursor, mesh), ", the axes along which groups lie")


def _read_mesh_groups(cursor: HloCursor) -> DenseAttribute:
    mesh = read_mesh(cursor)
    start = cursor.position
    wanted = read_axes(cursor, mesh)
    try:
        return _dense(axis_groups(mesh.sizes, wanted, mesh.ids()))
    except ValueError as error:
        raise ParseError(str(error), Span(start, cursor.end)) from None
