"""Tables of ids: `replica_groups` in three notations, `source_target_pairs`, and device orders.

{{0,2},{1,3}}                       each group
[2,2]<=[4]T(0)                      the ids 0, 1, … in an order, cut into groups
mesh['x'=2,'y'=4] {'x'}             the ids along some axes of a mesh
"""

import re

import numpy as np

from ....errors import ParseError
from ....ir.attribute_values import ROW_PADDING
from ....ir.attributes import Attribute, DenseAttribute
from ....ir.element_types import I64
from ....ir.types import TensorType
from ....sharding.notation.device_meshes import MAX_IDS, Ids, axis_groups, bounded_product
from ....sharding.notation.mesh_text import check_count, read_axes, read_id, read_mesh, read_order, read_sizes
from ....source import Span
from ..values.hlo_cursor import HloCursor

_ROW = re.compile(r"\{\s*+((?:[0-9]{1,18}\s*+,\s*+)*+[0-9]{1,18}\s*+)?+\}")


# Tables


def read_replica_groups(cursor: HloCursor) -> DenseAttribute:
    """Read groups in any notation, as rows of ids; shorter rows are padded with -1."""
    if cursor.peek("["):
        return _read_iota_groups(cursor)
    if cursor.peek_word() == "mesh":
        return _read_mesh_groups(cursor)
    start = cursor.position
    rows = _read_rows(cursor, "{{0,1},{2,3}}")
    width = max(map(len, rows), default=0)
    if len(rows) * width > MAX_IDS:
        filled = f"{len(rows):,} groups, filled up to {width:,} ids each,"
        cursor.fail(f"{filled} are more than {MAX_IDS:,} ids, the most that are read", start)
    return _table(rows, width)


def read_pairs(cursor: HloCursor) -> DenseAttribute:
    """Read `{{0,1},{1,0}}`: a source and a target in each row."""
    return _table(_read_rows(cursor, "{{0,1},{1,0}}", 2), 2)


def print_replica_groups(attribute: Attribute) -> str:
    """`{{0,2},{1,3}}`, without the padding of shorter rows."""
    if not isinstance(attribute, DenseAttribute):
        raise ValueError("expected rows of ids, dense<[[0, 1]]> : tensor<1x2xi64>")
    rows = (
        ",".join([str(found) for found in row if found != ROW_PADDING]) for row in attribute.data.tolist()
    )
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
        check_count(cursor, count, start)
    return rows


def _read_row(cursor: HloCursor, example: str) -> list[int]:
    match = cursor.match(_ROW)
    if match is not None:
        return list(map(int, match[1].split(","))) if match[1] else []
    return cursor.list_of("{", lambda: read_id(cursor), f", as in {example}")


def _table(rows: list[list[int]], width: int) -> DenseAttribute:
    if all(len(row) == width for row in rows):
        return _dense(np.array(rows, np.int64).reshape(len(rows), width))
    table = np.full((len(rows), width), ROW_PADDING, np.int64)
    for number, row in enumerate(rows):
        table[number, : len(row)] = row
    return _dense(table)


def _dense(ids: Ids) -> DenseAttribute:
    ids.flags.writeable = False
    rows, width = ids.shape
    return DenseAttribute(TensorType((rows, width), I64), ids)


def _read_iota_groups(cursor: HloCursor) -> DenseAttribute:
    start = cursor.position
    shape = read_sizes(cursor, "the number of groups and of ids in each")
    if len(shape) != 2:
        cursor.fail("two sizes are needed: the number of groups and of ids in each", start)
    cursor.expect("<=", ", as in [4,2]<=[8]")
    order = read_order(cursor)
    rows, width = shape
    if bounded_product(shape, MAX_IDS) != order.count:
        cursor.fail(
            f"{rows} groups of {width} are not the {order.count:,} ids that are put into order", start
        )
    if order.count == 0 and max(shape) > MAX_IDS:
        cursor.fail(f"these are more than {MAX_IDS:,} groups, which is the most that are read", start)
    return _dense(np.ascontiguousarray(order.ids().reshape(rows, width)))


def _read_mesh_groups(cursor: HloCursor) -> DenseAttribute:
    mesh = read_mesh(cursor)
    start = cursor.position
    wanted = read_axes(cursor, mesh)
    try:
        return _dense(axis_groups(mesh.sizes, wanted, mesh.ids()))
    except ValueError as error:
        raise ParseError(str(error), Span(start, cursor.end)) from None
