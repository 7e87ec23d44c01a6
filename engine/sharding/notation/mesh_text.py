"""Read device orders and meshes in HLO's notation.

[8]  [2,4]T(1,0)                             0, 1, … in an order
mesh['x'=2,'y'=4], device_ids=(1,0)          axes with their sizes
{'x','y':(1)2}                               some of the axes
"""

import re
from collections.abc import Callable, Sequence
from typing import TypeVar

from ...cursor import Cursor
from .device_meshes import MAX_IDS, AxisPart, DeviceMesh, IotaOrder, bounded_product

Axis = TypeVar("Axis")


def read_id(cursor: Cursor) -> int:
    """Read a nonnegative id."""
    start = cursor.position
    found = cursor.integer("an id")
    if found < 0:
        cursor.fail(f"{found} is not an id: ids count from 0", start)
    return found if found < 1 << 63 else cursor.fail(f"{found} does not fit in 64 bits", start)


def check_count(cursor: Cursor, count: int, start: int) -> None:
    """Fail if `count` ids, read since `start`, are too many."""
    if count > MAX_IDS:
        cursor.fail(f"these are more than {MAX_IDS:,} ids, which is the most that are read", start)


def read_sizes(cursor: Cursor, what: str) -> tuple[int, ...]:
    """Read `[2,4]`."""
    start = cursor.position
    found = cursor.list_of("[", lambda: cursor.integer("a size"), f", {what}")
    if any(size < 0 for size in found):
        cursor.fail("a size must not be negative", start)
    return tuple(found)


def read_order(cursor: Cursor) -> IotaOrder:
    """Read `[8]` or `[2,4]T(1,0)`: sizes, and for several sizes the order of dimensions."""
    start = cursor.position
    sizes = read_sizes(cursor, "the sizes of the dimensions to reorder")
    order = _read_permutation(cursor, len(sizes)) if cursor.accept_word("T") else None
    if order is None and len(sizes) != 1:
        hint = "T(1,0) states the order of the dimensions"
        cursor.fail(f"{len(sizes)} sizes need the order of their dimensions", start, hint)
    found = IotaOrder(sizes, order)
    check_count(cursor, found.count, start)
    return found


def _read_permutation(cursor: Cursor, rank: int) -> tuple[int, ...]:
    start = cursor.position
    found = tuple(cursor.list_of("(", cursor.integer, ", the order of the dimensions"))
    if sorted(found) != list(range(rank)):
        cursor.fail(f"the order of {rank} dimensions holds each of their numbers once", start)
    return found


def read_mesh(cursor: Cursor) -> DeviceMesh:
    """Read `mesh['x'=2,'y'=4]` and any devices after it."""
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
    count = bounded_product(axes.values(), MAX_IDS)
    check_count(cursor, count, start)
    return DeviceMesh(tuple(axes.items()), _read_device_ids(cursor, count))


_DEVICE_IDS = re.compile(r",\s*+device_ids\s*+=\s*+(?=\()")


def _read_device_ids(cursor: Cursor, count: int) -> tuple[int, ...] | IotaOrder | None:
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


def read_ids(cursor: Cursor) -> list[int]:
    """Read `0,1,2`."""
    start = cursor.position
    ids = [read_id(cursor)]
    while cursor.accept(","):
        ids.append(read_id(cursor))
        check_count(cursor, len(ids), start)
    return ids


_SIZES = re.compile(r":\s*+\(\s*+([0-9]{1,18})\s*+\)\s*+([0-9]{1,18})")


def read_axis(cursor: Cursor, mesh: DeviceMesh) -> AxisPart:
    """Read `'x'` or `'x':(2)4`, the part of size 4 inside of 2 others; an axis may be given by number."""
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


def read_axes(cursor: Cursor, mesh: DeviceMesh) -> Sequence[AxisPart]:
    """Read `{'x','y':(1)2}`."""
    return cursor.list_of("{", lambda: read_axis(cursor, mesh), ", the axes along which groups lie")


def read_cut_dimension(cursor: Cursor, read: Callable[[], Axis]) -> tuple[tuple[Axis, ...], bool]:
    """Read `{'x','y',?}`: the axes that cut one dimension, and whether the compiler may add more."""
    axes: list[Axis] = []
    is_open = False
    start = cursor.position
    for _ in cursor.each("{", ", the axes of one dimension"):
        if is_open:
            cursor.fail("'?' comes last", start)
        is_open = cursor.accept("?")
        if not is_open:
            axes.append(read())
    return tuple(axes), is_open
