"""Groups of processes in their three spellings, and pairs of source and target."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hloscope.engine.errors import ParseError
from hloscope.engine.ir.attributes import StringAttribute
from hloscope.engine.ops.core.process_groups import ReplicaGroups
from hloscope.engine.sharding.notation.device_meshes import MAX_IDS
from hloscope.engine.syntax.hlo.attributes.device_ids import (
    print_pairs,
    print_replica_groups,
    read_pairs,
    read_replica_groups,
)
from tests.each import for_each

from .reading import cursor, read, refused

GROUPS: dict[str, list[list[int]]] = {
    "{}": [],
    "{{}}": [[]],
    "{{0}}": [[0]],
    "{{0,2},{1,3}}": [[0, 2], [1, 3]],
    "{ {0, 2} ,\n{1/*one*/,3} }": [[0, 2], [1, 3]],
    "{{1,2,3},{4,5,0}}": [[1, 2, 3], [4, 5, 0]],
    "{{0,1,2},{3}}": [[0, 1, 2], [3, -1, -1]],
    "[4,2]<=[8]": [[0, 1], [2, 3], [4, 5], [6, 7]],
    "[1,8]<=[8]": [[0, 1, 2, 3, 4, 5, 6, 7]],
    "[4,2]<=[2,4]T(1,0)": [[0, 4], [1, 5], [2, 6], [3, 7]],
    "[4,2]<=[2,4] T(1,0)": [[0, 4], [1, 5], [2, 6], [3, 7]],
    "[4,2]<=[2,4]T(0,1)": [[0, 1], [2, 3], [4, 5], [6, 7]],
    "[2,4]<=[4,2]T(1,0)": [[0, 2, 4, 6], [1, 3, 5, 7]],
    "[2,4]<=[2,2,2]T(2,0,1)": [[0, 2, 4, 6], [1, 3, 5, 7]],
    "[2,4]<=[2,1,2,2]T(0,1,3,2)": [[0, 2, 1, 3], [4, 6, 5, 7]],
    "[0,2]<=[0]": [],
    "mesh['axis_0'=2,'axis_1'=4] {'axis_0'}": [[0, 4], [1, 5], [2, 6], [3, 7]],
    "mesh['axis_0'=2,'axis_1'=1,'axis_2'=4] {'axis_0'}": [[0, 4], [1, 5], [2, 6], [3, 7]],
    "mesh['a'=2,'b'=4]{'b'}": [[0, 1, 2, 3], [4, 5, 6, 7]],
    'mesh["a"=2,"b"=4] {"b"}': [[0, 1, 2, 3], [4, 5, 6, 7]],
    "mesh['a'=2,'b'=4] {'a','b'}": [[0, 1, 2, 3, 4, 5, 6, 7]],
    "mesh['a'=2,'b'=4] {'b','a'}": [[0, 4, 1, 5, 2, 6, 3, 7]],
    "mesh['a'=2,'b'=4] {'1'}": [[0, 1, 2, 3], [4, 5, 6, 7]],
    "mesh['a'=2,'b'=4] {'b':(1)2}": [[0, 2], [1, 3], [4, 6], [5, 7]],
    "mesh['a'=2,'b'=4] {'b':(2)2}": [[0, 1], [2, 3], [4, 5], [6, 7]],
    "mesh['a'=2,'b'=4] {'b':(2)2,'b':(1)2}": [[0, 2, 1, 3], [4, 6, 5, 7]],
    "mesh['a'=2,'b'=4] {'b':(1)2, 'a'}": [[0, 4, 2, 6], [1, 5, 3, 7]],
    "mesh['a'=2,'b'=2] {}": [[0], [1], [2], [3]],
    "mesh['a'=2,'b'=2], device_ids=(3,2,1,0) {'a'}": [[3, 1], [2, 0]],
    "mesh['a'=2,'b'=4], device_ids=([4,2]T(1,0)) {'a'}": [[0, 1], [2, 3], [4, 5], [6, 7]],
    "mesh['a'=2,'b'=4], device_ids=([8]) {'a'}": [[0, 4], [1, 5], [2, 6], [3, 7]],
    "mesh['a b'=2] {'a b'}": [[0, 1]],
}
ORDER = "the order of 2 dimensions holds each of their numbers once"
WRONG = {
    "{0,1}": ("expected '{', as in {{0,1},{2,3}}, found '0'", "0"),
    "{{0,1},}": ("expected '{', as in {{0,1},{2,3}}, found '}'", "}"),
    "{{-1,0}}": ("-1 is not an id: ids count from 0", "-1"),
    "{{9223372036854775808}}": ("9223372036854775808 does not fit in 64 bits", "9223372036854775808"),
    "{{0,a}}": ("expected an id, found 'a'", "a"),
    "[4,2]<=[9]": ("4 groups of 2 are not the 9 ids that are put into order", "[4,2]<=[9]"),
    "[4,2]<=[2,4]": ("2 sizes need the order of their dimensions", "[2,4]"),
    "[4,2]<=[]": ("0 sizes need the order of their dimensions", "[]"),
    "[4,2]<=[2,4]T(1,1)": (ORDER, "(1,1)"),
    "[4,2]<=[2,4]T(1)": (ORDER, "(1)"),
    "[8]<=[8]": ("two sizes are needed: the number of groups and of ids in each", "[8]"),
    "[4,-2]<=[8]": ("a size must not be negative", "[4,-2]"),
    "mesh['a'=2] {'b'}": ("the mesh has no axis 'b'; it has 'a'", "'b'"),
    "mesh['a'=2] {0}": ("expected an axis, as in 'x', found '0'", "0"),
    "mesh['a'=2,'a'=4] {'a'}": ("the mesh has two axes 'a'", "'a'=4"),
    "mesh['a'=-2] {'a'}": ("a size must not be negative", "'a'=-2"),
    "mesh['a'=2,'b'=4] {'a','a'}": ("parts of axis 'a' overlap", "{'a','a'}"),
    "mesh['a'=2,'b'=4] {'b':(1)3}": ("(1)3 is not a part of axis 'b', of 4", "{'b':(1)3}"),
    "mesh['a'=2,'b'=4], device_ids=(0,1,2) {'a'}": ("these are 3 devices, but the mesh has 8", "(0,1,2)"),
}
MANY = "these are more than 1,048,576 ids, which is the most that are read"


@for_each("text", GROUPS)
def test_groups(text: str) -> None:
    found = read(read_replica_groups, text)
    assert found.data.tolist() == GROUPS[text]
    assert found.data.ndim == 2
    assert not found.data.flags.writeable
    assert found.type.shape == found.data.shape


@for_each("text", GROUPS)
def test_groups_are_passed_over_as_a_whole(text: str) -> None:
    passing = cursor(f"{text}, channel_id=1")
    span = passing.skip_value()
    assert passing.text[span.start : span.end] == text


@for_each("text", WRONG)
def test_wrong_groups(text: str) -> None:
    assert refused(read_replica_groups, text) == WRONG[text]


@for_each("text", GROUPS)
def test_ops_take_the_groups(text: str) -> None:
    """Numbers that are no process, such as -1, are no members of a group."""
    found = ReplicaGroups.from_attribute(read(read_replica_groups, text))
    assert len(found.ids) == sum(each >= 0 for row in GROUPS[text] for each in row)


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("[1024,1025]<=[1049600]", "[1049600]"),
        (f"[1,{1 << 62}]<=[{1 << 62}]", f"[{1 << 62}]"),
        ("mesh['a'=2000,'b'=2000] {'a'}", "['a'=2000,'b'=2000]"),
        (f"[{MAX_IDS + 1},0]<=[0]", None),
    ],
)
def test_hostile_sizes(text: str, span: str | None) -> None:
    message, about = refused(read_replica_groups, text)
    assert message == MANY if span else message.startswith("these are more than 1,048,576 groups")
    assert about == (span or text)


def test_very_many_ids() -> None:
    row = f"{{{','.join(map(str, range(1 << 10)))}}},"
    with pytest.raises(ParseError, match="these are more than 1,048,576 ids"):
        read_replica_groups(cursor(f"{{{row * 1024}{{0}}}}"))
    whole = read_replica_groups(cursor(f"{{{(row * 1024)[:-1]}}}"))
    assert whole.data.shape == (1024, 1024)


def test_rows_that_are_filled_up_count_too() -> None:
    row = f"{{{','.join(map(str, range(1 << 10)))}}}"
    text = f"{{{row},{','.join(['{0}'] * 1024)}}}"
    assert refused(read_replica_groups, text) == (
        "1,025 groups, filled up to 1,024 ids each, are more than 1,048,576 ids, the most that are read",
        text,
    )


def test_very_many_axes() -> None:
    axes = ",".join(f"'{number}x'=1" for number in range(5000))
    wanted = ",".join(f"'{number}x'" for number in range(5000))
    assert read(read_replica_groups, f"mesh[{axes}] {{{wanted}}}").data.tolist() == [[0]]


@given(st.lists(st.lists(st.integers(0, (1 << 63) - 1), min_size=1, max_size=5), max_size=5))
def test_any_groups(rows: list[list[int]]) -> None:
    text = print_replica_groups(
        read(read_replica_groups, f"{{{','.join(f'{{{str(row)[1:-1]}}}' for row in rows)}}}")
    )
    assert text == f"{{{','.join(f'{{{str(row)[1:-1]}}}' for row in rows)}}}".replace(" ", "")
    assert print_replica_groups(read(read_replica_groups, text)) == text


@st.composite
def orders(draw: st.DrawFn) -> tuple[list[int], list[int], int]:
    sizes = draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))
    count = int(np.prod(sizes))
    width = draw(st.sampled_from([k for k in range(1, count + 1) if count % k == 0]))
    return sizes, list(draw(st.permutations(range(len(sizes))))), width


@given(orders())
def test_any_order(order: tuple[list[int], list[int], int]) -> None:
    sizes, permutation, width = order
    ids = np.arange(np.prod(sizes)).reshape(sizes).transpose(permutation).reshape(-1, width)
    listed = ",".join(map(str, permutation))
    text = f"[{len(ids)},{width}]<=[{','.join(map(str, sizes))}]T({listed})"
    assert read(read_replica_groups, text).data.tolist() == ids.tolist()


def test_what_are_no_groups() -> None:
    with pytest.raises(ValueError, match="expected rows of ids"):
        print_replica_groups(StringAttribute("[4,2]<=[8]"))


# Pairs

WRONG_PAIRS = {
    "{{0,1,2}}": ("a pair has a source and a target, not 3 ids", "{0,1,2}"),
    "{{0}}": ("a pair has a source and a target, not 1 id", "{0}"),
    "{0,1}": ("expected '{', as in {{0,1},{1,0}}, found '0'", "0"),
    "{{0,-1}}": ("-1 is not an id: ids count from 0", "-1"),
}


@pytest.mark.parametrize("text", ["{}", "{{0,1}}", "{{0,1},{1,2},{7,0}}"])
def test_pairs_print_as_they_are_written(text: str) -> None:
    found = read(read_pairs, text)
    assert found.data.shape == (text.count(",") // 2 + 1 if "0" in text else 0, 2)
    assert print_pairs(found) == text


@pytest.mark.parametrize("text", WRONG_PAIRS)
def test_wrong_pairs(text: str) -> None:
    assert refused(read_pairs, text) == WRONG_PAIRS[text]
