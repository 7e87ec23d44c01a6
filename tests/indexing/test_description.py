"""Index maps in English: the sentences, and that every map of the tests has one."""

from __future__ import annotations

from hloscope.engine.indexing import (
    UNDEFINED,
    Constant,
    Dim,
    IndexMap,
    Interval,
    OperandMap,
    Range,
    Runtime,
    RuntimeVariable,
    ceil_divide,
    dims,
)
from hloscope.engine.indexing.op_maps.collective_maps import OWN_PLACE
from hloscope.engine.indexing.texts.description import describe_union
from tests.each import for_each

NAMES = {0: "x", 1: "starts", 2: OWN_PLACE, 3: "place of the source"}
d0, d1 = dims(2)


def said(item: OperandMap | IndexMap, *, inverse: bool = False, **more: object) -> str:
    found = OperandMap(0, item) if isinstance(item, IndexMap) else item
    return describe_union([found], inverse=inverse, operand="x", result="y", named=NAMES.__getitem__, **more)  # type: ignore[arg-type]


def read(operand: int, interval: Interval, *at: Dim, clamped: bool = True) -> RuntimeVariable:
    return RuntimeVariable(interval, operand, IndexMap.of(at, (4, 6)), clamped)


SENTENCES: list[tuple[IndexMap, str]] = [
    (IndexMap.identity((2, 3)), "Each element of `y` reads the element of `x` at the same index."),
    (IndexMap.scalar((2, 3)), "Each element of `y` reads the one element of `x`."),
    (IndexMap.everything((2, 3)), "The one element of `y` reads all elements of `x`."),
    (IndexMap.of([3], ()), "The one element of `y` reads one element of `x`: index 3."),
    (
        IndexMap.of([d1, d0], (2, 3)),
        "Each element of `y` reads one element of `x`, along dimension 0: the index in dimension 1; "
        "along dimension 1: the index in dimension 0.",
    ),
    (
        IndexMap.of([d0, Range(0)], (2, 3), [16]),
        "Each element of `y` reads 16 elements of `x` at the same index, but along dimension 1: every index.",
    ),
    (
        IndexMap.of([d0 * 2 + 1, 5 - d1], (4, 6)),
        "Each element of `y` reads one element of `x`, along dimension 0: twice the index in dimension 0 plus 1; "
        "along dimension 1: the index in dimension 1 counted from the end.",
    ),
    (
        IndexMap.of([d0 * 2 + Range(0) * 3 - 1, d1], (4, 6), [3]),
        "Each element of `y` reads 3 elements of `x` at the same index, but along dimension 0: 3 indices, 3 apart, "
        "starting at twice the index in dimension 0 minus 1.",
    ),
    (
        IndexMap.of([d0 // 2], (4,), constraints=[(d0 % 2, Interval(0, 0))]),
        "Element [d0] of `y` reads one element of `x`: its index divided by 2, rounded down. "
        "Only where `d0` is a multiple of 2.",
    ),
    (
        IndexMap.of([ceil_divide(d0, 4)], (4,)),
        "Each element of `y` reads one element of `x`: its index divided by 4, rounded up.",
    ),
    (
        IndexMap.of([d0 + Runtime(0), d1], (4, 6), (), [read(1, Interval(0, 3), d0)]),
        "Element [d0, d1] of `y` reads one element of `x` at the same index, but along dimension 0: "
        "`d0 + starts[d0]`. Run-time positions are clamped: `starts[d0]` to 0 … 3.",
    ),
    (
        IndexMap.of([Runtime(0), d1], (4, 6), (), [read(1, Interval(0, 3), d0, clamped=False)]),
        "Element [d0, d1] of `y` reads one element of `x` at the same index, but along dimension 0: `starts[d0]`. "
        "Only where `starts[d0]` is from 0 to 3.",
    ),
    (
        IndexMap.of([Range(0)], (4,), [8], constraints=[(d0 - Range(0), Interval(0, 3))]),
        "Element [d0] of `y` reads up to 8 elements of `x`: every index `s0`. "
        "Only where `d0 - s0` is from 0 to 3.",
    ),
    (
        IndexMap.of([d0 // 2 + Range(0)], (4,), [8]),
        "Element [d0] of `y` reads 8 elements of `x`: `s0 + d0 floordiv 2`. For each `s0` from 0 to 7.",
    ),
    (UNDEFINED, "It is unknown which elements of `x` belong to an element of `y`."),
    (
        IndexMap.of([d0], (4,), constraints=[(d0, Interval(9, 9))]),
        "No element of `y` reads any of `x`.",
    ),
]


@for_each(("index_map", "sentence"), SENTENCES, ids=[text[:40] for _, text in SENTENCES])
def test_sentences(index_map: IndexMap, sentence: str) -> None:
    assert said(index_map) == sentence


def test_the_other_direction_says_where_an_element_goes() -> None:
    assert said(IndexMap.identity((2,)), inverse=True) == (
        "Each element of `x` goes into the element of `y` at the same index."
    )
    assert said(UNDEFINED, inverse=True) == said(UNDEFINED)


def test_parts_are_told_from_wholes_by_their_shapes() -> None:
    part = IndexMap.of([Range(0)], (2,), [3])
    assert said(part, shapes=((3,), (2,))) == "Each element of `y` reads all elements of `x`."
    assert said(part, shapes=((4,), (3,))) == (
        "Each element of `y` reads 3 elements of `x`: 3 indices, starting at index 0. Only where its index is from 0 to 1."
    )


def test_places_say_in_which_process() -> None:
    own = read(2, Interval(0, 1), clamped=False)
    gathered = OperandMap(0, IndexMap.of([d0 % 4], (8,)), place=d0 // 4)
    assert said(gathered) == (
        "Element [d0] of `y` reads one element of `x` in the process at place `d0 floordiv 4` of the group: "
        "the remainder of its index divided by 4."
    )
    same = IndexMap.of([d0], (4,), [2])
    assert said(OperandMap(0, same, place=Range(0))) == (
        "Each element of `y` reads the element of `x` at the same index in every process of the group."
    )
    part = OperandMap(0, IndexMap.of([Runtime(0) * 4 + d0], (4,), (), [own]), place=Constant(0))
    assert said(part) == (
        "Element [d0] of `y` reads one element of `x` in the process at place `0` of the group: "
        "`d0 + (place in the group) * 4`."
    )
    taking_part = OperandMap(0, IndexMap.of([d0], (4,), (), [own]), place=Constant(0))
    assert said(taking_part).endswith("Only where the process is in a group.")
    source = read(3, Interval(0, 2), clamped=False)
    assert said(OperandMap(0, IndexMap.of([d0], (4,), (), [source]), place=Runtime(0))) == (
        "Each element of `y` reads the element of `x` at the same index in the process at the `place of the source`."
    )


def test_what_several_maps_say_alike_is_said_once() -> None:
    parts = [
        OperandMap(0, IndexMap((), (Interval(low, high), Interval(0, 5)))) for low, high in ((0, 0), (3, 4))
    ]
    found = describe_union(
        parts, inverse=False, operand="x", result="y", named=NAMES.__getitem__, shapes=((), (5, 6))
    )
    assert found == (
        "Each element of `y` reads the one element of `x`. "
        "Only where the index in dimension 0 is 0; or where the index in dimension 0 is from 3 to 4."
    )
    several = [OperandMap(0, IndexMap.identity((4,))), *[OperandMap(0, IndexMap.of([d0 // 2], (4,)))] * 2]
    lines = describe_union(several, inverse=False, operand="x", result="y", named=NAMES.__getitem__)
    assert lines.split("\n") == [said(several[0]), said(several[1])]


def test_what_only_encloses_says_so() -> None:
    assert said(OperandMap(0, IndexMap.identity((2,)), enclosing=True)).endswith(
        "This includes all elements that belong to it, and possibly more."
    )
