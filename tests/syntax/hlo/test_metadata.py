"""Metadata and stack tables, and the locations made from them."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hloscope.engine.errors import ParseError
from hloscope.engine.ir.locations import CallSiteLocation, FileLocation, Location, NameLocation
from hloscope.engine.syntax.hlo.metadata import (
    Metadata,
    StackTables,
    quick_metadata,
    read_metadata,
    read_tables,
)
from hloscope.engine.syntax.hlo.stack_tables import MAX_FRAMES

from .printing import print_metadata
from .reading import cursor, read, refused

TABLES = """FileNames
1 "model.py"
2 "train.py"

FunctionNames
1 "<module>"
2 "loss"

FileLocations
1 {file_name_id=2 function_name_id=1 line=40 end_line=40 column=0 end_column=17}
2 {file_name_id=1 function_name_id=2 line=7 end_line=8 column=11 end_column=3}

StackFrames
1 {file_location_id=1 parent_frame_id=1}
2 {file_location_id=2 parent_frame_id=2}
3 {file_location_id=2 parent_frame_id=3}


"""
MODULE = NameLocation("<module>", FileLocation("train.py", 40, 0, 40, 17))
LOSS = NameLocation("loss", FileLocation("model.py", 7, 11, 8, 3))
CALLED = CallSiteLocation(LOSS, MODULE)
ALL = (
    '{op_type="t" op_name="n" source_file="f" source_line=1 source_end_line=3 source_column=2 source_end_column=4'
    ' profile_type={1} deduplicated_name="d" scheduling_name="s" stack_frame_id=2}'
)
AS_WRITTEN = (
    "{}",
    '{op_name="jit(f)/add" stack_frame_id=31}',
    '{op_type="debug_print" op_name="jit(f)/debug_print" stack_frame_id=4}',
    '{op_name="a" source_file="f.py" source_line=3}',
    '{op_name="a \\"b\\" \\\\ \\n" source_line=3}',
    '{op_name="é" later={x=1,"}"}}',
    ALL,
)
OTHER_SPELLINGS = {
    "{op_name='x'}": Metadata(op_name="x"),
    '{ source_line = 3 , op_name = "a\\101\\x41" /*c*/ }': Metadata(op_name="aAA", source_line=3),
    '{op_name="a", source_file="f", source_line=3}': Metadata(op_name="a", source_file="f", source_line=3),
    '{op_name="two\nlines"}': Metadata(op_name="two\nlines"),
    '{preserve_layout=true size=3 op_name="x"}': Metadata(
        op_name="x", others={"preserve_layout": "true", "size": "3"}
    ),
}
WRONG = {
    '{op_name="a" op_name="b"}': ("'op_name' is given twice", "op_name"),
    "{new=1 new=2}": ("'new' is given twice", "new"),
    "{op_name=3}": ("expected a string, found '3'", "3"),
    '{source_line="3"}': ("expected an integer, found '\"3\"'", '"3"'),
    '{"a"}': (
        """expected a field of the metadata, such as op_name="add", or a closing brace, found '"a"'""",
        '"a"',
    ),
}


@pytest.mark.parametrize("text", AS_WRITTEN)
def test_metadata_print_as_they_are_written(text: str) -> None:
    assert print_metadata(read(read_metadata, text)) == text


@pytest.mark.parametrize("text", OTHER_SPELLINGS)
def test_metadata_in_other_spellings(text: str) -> None:
    assert read(read_metadata, text) == OTHER_SPELLINGS[text]


@pytest.mark.parametrize("text", WRONG)
def test_wrong_metadata(text: str) -> None:
    assert refused(read_metadata, text) == WRONG[text]
    assert quick_metadata(text, StackTables()) is None


WORDS = st.text(max_size=8)
COUNTS = st.integers(0, (1 << 31) - 1)
METADATA = st.builds(
    Metadata,
    op_type=WORDS,
    op_name=WORDS,
    source_file=WORDS,
    source_line=COUNTS,
    source_end_line=COUNTS,
    source_column=COUNTS,
    source_end_column=COUNTS,
    deduplicated_name=WORDS,
    scheduling_name=WORDS,
    stack_frame_id=COUNTS,
    profile_type=st.lists(st.integers(0, 3)).map(tuple),
)


@given(METADATA)
def test_any_metadata(metadata: Metadata) -> None:
    text = print_metadata(metadata)
    assert read(read_metadata, text) == metadata
    assert quick_metadata(text, StackTables()) == metadata.location(StackTables())


@given(st.binary(max_size=6).map(lambda data: data.decode("utf-8", "surrogateescape")))
def test_bytes_that_are_no_text(name: str) -> None:
    text = print_metadata(Metadata(op_name=name))
    text.encode()
    assert read(read_metadata, text).op_name == name


# Locations

LOCATIONS: dict[str, Location | None] = {
    "{}": None,
    '{op_name="x"}': NameLocation("x"),
    "{stack_frame_id=2}": CALLED,
    '{op_name="x" stack_frame_id=2}': NameLocation("x", CALLED),
    '{op_type="t" op_name="x" stack_frame_id=1}': NameLocation("x", MODULE),
    '{op_name="x" stack_frame_id=9}': NameLocation("x"),
    '{source_file="f.py" source_line=3}': FileLocation("f.py", 3, 0),
    '{op_name="x" source_file="f.py" source_line=3}': NameLocation("x", FileLocation("f.py", 3, 0)),
    '{source_file="f.py" source_line=3 source_end_line=3 source_column=5 source_end_column=9}': FileLocation(
        "f.py", 3, 5, 3, 9
    ),
    "{op_name=\"p[\\'w\\']\"}": NameLocation("p['w']"),
    "{op_name='x', stack_frame_id=1}": NameLocation("x", MODULE),
}


@pytest.mark.parametrize("text", LOCATIONS)
def test_locations(text: str) -> None:
    tables = read_tables(cursor(TABLES))
    assert quick_metadata(text, tables) == LOCATIONS[text]
    assert read_metadata(cursor(text)).location(tables) == LOCATIONS[text]
    assert quick_metadata(text, tables) is quick_metadata(text, tables)


def test_the_place_in_a_file_is_innermost_first() -> None:
    location = quick_metadata('{op_name="x" stack_frame_id=2}', read_tables(cursor(TABLES)))
    assert location is not None
    assert [(place.file, place.line) for place in location.files()] == [("model.py", 7), ("train.py", 40)]


def test_the_same_line_several_times_in_a_row_is_one() -> None:
    assert read_tables(cursor(TABLES)).location(3) == CALLED


# Tables


def test_tables_end_where_the_program_goes_on() -> None:
    reading = cursor(f"{TABLES}ENTRY main {{}}")
    found = read_tables(reading)
    assert reading.peek("ENTRY")
    assert found.file_names == {1: "model.py", 2: "train.py"}
    assert found.function_names == {1: "<module>", 2: "loss"}
    assert found.file_locations[2]["end_line"] == 8
    assert found.stack_frames[2] == {"file_location_id": 2, "parent_frame_id": 2}


def test_tables_in_other_spellings() -> None:
    text = "StackFrames 1 {file_location_id=3} FileLocations 3 { line = 5, file_name_id = 1 } FileNames 1 'a' add {"
    reading = cursor(text)
    assert read_tables(reading).location(1) == FileLocation("a", 5, 0)
    assert reading.peek("add")
    assert read_tables(cursor("ENTRY e {}")) == StackTables()


@pytest.mark.parametrize(
    ("text", "message", "about"),
    [
        ('FileNames 1 "a" 1 "b"', "entry 1 of FileNames is given twice", "1"),
        ("FileNames 1 a", "expected a string, found 'a'", "a"),
        ("StackFrames 1 {3}", "expected a field of the entry, such as line=3, or '}', found '3'", "3"),
        ("StackFrames 1 {a=b}", "expected the number of 'a', found 'b'", "b"),
        ("StackFrames 1 2", "expected '{', which opens an entry of the table, found '2'", "2"),
    ],
)
def test_wrong_tables(text: str, message: str, about: str) -> None:
    assert refused(read_tables, text) == (message, about)


def frames(parents: dict[int, int]) -> StackTables:
    """Stack tables in which each frame's line is its number."""
    found = StackTables({1: "f"}, {})
    for frame, parent in parents.items():
        found.file_locations[frame] = {"file_name_id": 1, "line": frame}
        found.stack_frames[frame] = {"file_location_id": frame, "parent_frame_id": parent}
    return found


def lines(tables: StackTables, frame: int) -> list[int]:
    location = tables.location(frame)
    return [place.line for place in location.files()] if location else []


def test_callers_are_counted_from_one_more() -> None:
    assert lines(frames({1: 1, 2: 2, 3: 3, 4: 2}), 3) == [3, 2, 1]
    assert lines(frames({1: 1, 2: 2, 3: 3, 4: 2}), 4) == [4, 1]


def test_callers_without_that_where_a_zero_shows_it() -> None:
    assert lines(frames({1: 0, 2: 1, 3: 2, 4: 1}), 3) == [3, 2, 1]


@pytest.mark.parametrize("start", [1, 2, 3])
def test_frames_that_call_each_other_end(start: int) -> None:
    assert len(lines(frames({1: 4, 2: 2, 3: 3}), start)) <= 3
    assert lines(frames({1: 2}), 1) == [1]


def test_frames_that_are_missing() -> None:
    assert lines(frames({2: 9}), 2) == [2]
    assert lines(frames({2: 2}), 7) == []
    assert StackTables(stack_frames={1: {}}).location(1) == FileLocation("", 0, 0)


def test_very_many_frames() -> None:
    count = 5 * sys.getrecursionlimit()
    tables = frames({frame: frame for frame in range(1, count)})
    assert all(len(lines(tables, frame)) <= MAX_FRAMES for frame in range(count - 1, count - 300, -1))
    assert lines(tables, MAX_FRAMES) == list(range(MAX_FRAMES, 0, -1))


def test_very_many_quotes() -> None:
    with pytest.raises(ParseError):
        read_metadata(cursor('{op_name="' + '\\"' * 100_000))
    assert quick_metadata('{op_name="' + "a" * 100_000, StackTables()) is None
