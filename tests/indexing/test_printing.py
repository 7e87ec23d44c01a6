"""The two printed forms of maps (docs/index-maps.md, "Printed forms")."""

from __future__ import annotations

from collections.abc import Iterable

from hloscope.engine import indexing as ix
from hloscope.engine.indexing import (
    Dim,
    Expression,
    Interval,
    OperandMap,
    Range,
    Runtime,
    Style,
    print_expression,
    print_map,
)
from tests.each import for_each

d0, d1, d2 = ix.dims(3)


def name(operand: int) -> str:
    return f"p{operand} = parameter({operand})"


def nth(maps: Iterable[OperandMap], number: int = 0) -> OperandMap:
    return list(maps)[number]


def test_current_style() -> None:
    text = print_map(nth(ix.dynamic_slice_maps((10,), (4,))).map, describe=name)
    assert text == (
        "(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 3], rt0 in [0, 6]\n"
        "runtime variables:\n\n"
        "rt0: p1 = parameter(1); (d0) -> (), domain: d0 in [0, 3]"
    )
    reshaped = nth(ix.reshape_maps((4, 8), (2, 4, 4))).map
    assert print_map(reshaped).startswith(
        "(d0, d1, d2) -> (d0 * 2 + d1 / 2, (d1 mod 2) * 4 + d2), domain: d0 in"
    )


@for_each(
    ("expression", "current", "document"),
    [
        (d0 // 128 // 128, "d0 / 128 / 128", "(d0 floordiv 128) floordiv 128"),
        (d0 % 20 % 7, "d0 mod 20 mod 7", "(d0 mod 20) mod 7"),
        (ix.ceil_divide(d0 + 1, 4), "(d0 + 1) ceildiv 4", "(d0 + 1) ceildiv 4"),
        (ix.ceil_divide(ix.ceil_divide(-d0, 4), 3), "-d0 ceildiv 4 ceildiv 3", "((-d0) ceildiv 4) ceildiv 3"),
        (
            d0 % 2 - ix.ceil_divide(d0 // 2, 3),
            "d0 mod 2 - (d0 / 2) ceildiv 3",
            "-((d0 floordiv 2) ceildiv 3) + d0 mod 2",
        ),
        (-d0 % 2, "-d0 mod 2", "(-d0) mod 2"),
        (-(d0 // 2), "-(d0 / 2)", "-(d0 floordiv 2)"),
        ((d1 % 2) * 4, "(d1 mod 2) * 4", "(d1 mod 2) * 4"),
        (d0 - d1 * 4, "d0 - d1 * 4", "d0 - d1 * 4"),
        (d0 - Runtime(0), "d0 - rt0", "d0 - s2"),
        (Range(1) * 3 + d0, "s1 * 3 + d0", "d0 + s1 * 3"),
        (d0 - 5, "d0 - 5", "d0 - 5"),
        (ix.minimum(d0, d1 + 1), "min(d0, d1 + 1)", "min(d0, d1 + 1)"),
    ],
)
def test_expressions(expression: Expression, current: str, document: str) -> None:
    assert print_expression(expression) == current
    assert print_expression(expression, Style.XLA_2024, ranges=2) == document


def test_constraints_are_sorted_by_text_in_current_style() -> None:
    one = ((d1 % 2), Interval(0, 0))
    other = ((d0 % 3), Interval(0, 0))
    text = print_map(ix.IndexMap.of((d0,), (9, 9), constraints=[one, other]))
    assert text.endswith("d0 mod 3 in [0, 0], d1 mod 2 in [0, 0]")


def test_operand_list() -> None:
    maps = [OperandMap(1, ix.UNDEFINED), OperandMap(0, ix.IndexMap.of((Dim(0),), (3,)))]
    assert ix.print_operand_maps(maps) == (
        "operand id = 0 (d0) -> (d0), domain: d0 in [0, 2]\noperand id = 1 unknown indexing"
    )


def test_the_replica_id_is_a_map_with_its_domain() -> None:
    gathered, place = ix.all_gather_map((3, 2), (3, 8), 1)
    assert ix.print_operand_maps([OperandMap(0, gathered, 0, place)]) == (
        "operand id = 0 (d0, d1) -> (d0, d1 mod 2), domain: d0 in [0, 2], d1 in [0, 7]\n"
        "replica id: (d0, d1) -> (d1 / 2), domain: d0 in [0, 2], d1 in [0, 7]"
    )
    # Ranges that only count elements are omitted.
    rows = ix.IndexMap.of((Dim(0), ix.Range(0)), (3,), (5,))
    assert ix.print_operand_map(OperandMap(0, rows, 0, Dim(0))).endswith(
        "\nreplica id: (d0) -> (d0), domain: d0 in [0, 2]"
    )
