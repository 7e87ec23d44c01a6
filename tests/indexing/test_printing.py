"""The two printed forms of maps (docs/index-maps.md, "Printed forms")."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

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

d0, d1, d2 = ix.dims(3)
SLICE = ((10, 20, 50), (5, 3, 0), (10, 20, 50), (1, 7, 2))
DOT = ((4, 128, 256), (4, 256, 64), (0,), (0,), (2,), (1,))
PAD = ((4, 4), (1, 4), (4, 8), (1, 0))
GATHER = ix.GatherIndexing((33, 76, 70), (1806, 2), (1, 2, 3), (), (), (), (0, 1), 1, (7, 8, 4))


def name(operand: int) -> str:
    return f"p{operand} = parameter({operand})"


def nth(maps: Iterable[OperandMap], number: int = 0) -> OperandMap:
    return list(maps)[number]


SEED_FORMS = [
    (
        nth(ix.broadcast_in_dim_maps((20,), (1,), (10, 20, 30))),
        "(d0, d1, d2) -> (d1)|domain:|d0 in [0, 9]|d1 in [0, 19]|d2 in [0, 29]",
    ),
    (
        nth(ix.inverse_broadcast_in_dim_maps((20,), (1,), (10, 20, 30))),
        "(d0)[s0, s1] -> (s0, d0, s1)|domain:|d0 in [0, 19]|s0 in [0, 9]|s1 in [0, 29]",
    ),
    (
        nth(ix.dynamic_slice_maps((2, 2, 258), (1, 2, 32))),
        "(d0, d1, d2)[s0, s1, s2] -> (d0 + s0, d1 + s1, d2 + s2)|domain:|d0 in [0, 0]|d1 in [0, 1]|d2 in [0, 31]|"
        "s0 in [0, 1]|hlo: p1 = parameter(1)|(d0, d1, d2) -> ()|"
        "s1 in [0, 0]|hlo: p2 = parameter(2)|(d0, d1, d2) -> ()|"
        "s2 in [0, 226]|hlo: p3 = parameter(3)|(d0, d1, d2) -> ()",
    ),
    (
        nth(ix.dynamic_update_slice_maps((20, 30), (5, 10), exact=False), 1),
        "(d0, d1)[s0, s1] -> (d0 - s0, d1 - s1)|domain:|d0 in [0, 19]|d1 in [0, 29]|"
        "s0 in [0, 15]|hlo: p2 = parameter(2)|(d0, d1) -> ()|s1 in [0, 20]|hlo: p3 = parameter(3)|(d0, d1) -> ()",
    ),
    (
        nth(GATHER.index_maps()),
        "(d0, d1, d2, d3)[s0, s1] -> (d1 + s0, d2 + s1, d3)|domain:|"
        "d0 in [0, 1805]|d1 in [0, 6]|d2 in [0, 7]|d3 in [0, 3]|"
        "s0 in [0, 26]|hlo: p1 = parameter(1)|(d0, d1, d2, d3) -> (d0, 0)|"
        "s1 in [0, 68]|hlo: p1 = parameter(1)|(d0, d1, d2, d3) -> (d0, 1)",
    ),
    (
        nth(GATHER.index_maps(), 1),
        "(d0, d1, d2, d3)[s0] -> (d0, s0)|domain:|"
        "d0 in [0, 1805]|d1 in [0, 6]|d2 in [0, 7]|d3 in [0, 3]|s0 in [0, 1]",
    ),
    (
        nth(ix.transpose_maps((3, 12288, 6, 128), (0, 2, 3, 1))),
        "(d0, d1, d2, d3) -> (d0, d3, d1, d2)|domain:|d0 in [0, 2]|d1 in [0, 5]|d2 in [0, 127]|d3 in [0, 12287]",
    ),
    (
        nth(ix.reverse_maps((1, 17, 9, 9), (1, 2))),
        "(d0, d1, d2, d3) -> (d0, -d1 + 16, -d2 + 8, d3)|domain:|"
        "d0 in [0, 0]|d1 in [0, 16]|d2 in [0, 8]|d3 in [0, 8]",
    ),
    (
        nth(ix.reduce_maps([(256, 10), (256, 10)], (0,))),
        "(d0)[s0] -> (s0, d0)|domain:|d0 in [0, 9]|s0 in [0, 255]",
    ),
    (nth(ix.inverse_reduce_maps([(256, 10)], (0,)), 1), "()[s0] -> (s0)|domain:|s0 in [0, 9]"),
    (
        nth(ix.slice_maps(*SLICE)),
        "(d0, d1, d2) -> (d0 + 5, d1 * 7 + 3, d2 * 2)|domain:|d0 in [0, 4]|d1 in [0, 2]|d2 in [0, 24]",
    ),
    (
        nth(ix.inverse_slice_maps(*SLICE)),
        "(d0, d1, d2) -> (d0 - 5, (d1 - 3) floordiv 7, d2 floordiv 2)|domain:|"
        "d0 in [5, 9]|d1 in [3, 17]|d2 in [0, 48]|(d1 - 3) mod 7 in [0, 0]|d2 mod 2 in [0, 0]",
    ),
    (nth(ix.reshape_maps((4, 8), (32,))), "(d0) -> (d0 floordiv 8, d0 mod 8)|domain:|d0 in [0, 31]"),
    (
        nth(ix.reshape_maps((32,), (4, 8))),
        "(d0, d1) -> (d0 * 8 + d1)|domain:|d0 in [0, 3]|d1 in [0, 7]",
    ),
    (
        nth(ix.reshape_maps((4, 8), (2, 4, 4))),
        "(d0, d1, d2) -> (d0 * 2 + d1 floordiv 2, d2 + (d1 mod 2) * 4)|domain:|"
        "d0 in [0, 1]|d1 in [0, 3]|d2 in [0, 3]",
    ),
    (
        nth(ix.inverse_reshape_maps((4, 8), (2, 4, 4))),
        "(d0, d1) -> (d0 floordiv 2, d1 floordiv 4 + (d0 mod 2) * 2, d1 mod 4)|domain:|"
        "d0 in [0, 3]|d1 in [0, 7]",
    ),
    (
        nth(ix.reshape_maps((4, 8, 12), (32, 3, 4))),
        "(d0, d1, d2) -> (d0 floordiv 8, d0 mod 8, d1 * 4 + d2)|domain:|d0 in [0, 31]|d1 in [0, 2]|d2 in [0, 3]",
    ),
    (
        nth(ix.concatenate_maps([(2, 5, 7), (2, 11, 7), (2, 17, 7)], 1), 1),
        "(d0, d1, d2) -> (d0, d1 - 5, d2)|domain:|d0 in [0, 1]|d1 in [5, 15]|d2 in [0, 6]",
    ),
    (
        nth(ix.dot_general_maps(*DOT), 1),
        "(d0, d1, d2)[s0] -> (d0, s0, d2)|domain:|d0 in [0, 3]|d1 in [0, 127]|d2 in [0, 63]|s0 in [0, 255]",
    ),
    (  # XLA's document has (d0, s0, d1) here, which puts the contracted index into the result
        nth(ix.inverse_dot_general_maps(*DOT), 1),
        "(d0, d1, d2)[s0] -> (d0, s0, d2)|domain:|d0 in [0, 3]|d1 in [0, 255]|d2 in [0, 63]|s0 in [0, 127]",
    ),
    (
        nth(ix.pad_maps(*PAD)),
        "(d0, d1) -> ((d0 - 1) floordiv 2, d1 - 4)|domain:|"
        "d0 in [1, 7]|d1 in [4, 7]|(d0 - 1) mod 2 in [0, 0]",
    ),
    (nth(ix.pad_maps(*PAD, exact=False), 1), "(d0, d1) -> ()|domain:|d0 in [0, 11]|d1 in [0, 15]"),
]


@pytest.mark.parametrize(("item", "text"), SEED_FORMS)
def test_2024_style(item: OperandMap, text: str) -> None:
    assert print_map(item.map, Style.XLA_2024, name) == text.replace("|", "\n")


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


@pytest.mark.parametrize(
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


def test_special_values() -> None:
    assert print_map(ix.UNDEFINED) == "unknown indexing"
    assert print_map(ix.IndexMap.identity((2, 0))) == "KNOWN EMPTY"
    assert print_map(ix.IndexMap.scalar(())) == "() -> ()"


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
