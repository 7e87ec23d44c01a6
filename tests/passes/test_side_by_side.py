"""Side-by-side view: every line once and in order, matched instructions in one row, equal rows folded."""

from __future__ import annotations

import random

import pytest

from hloscope.engine.passes.instructions import read_instructions
from hloscope.engine.passes.side_by_side import DIFFERENCES, Fold, Row, SideBySide, place_side_by_side
from hloscope.engine.passes.text_changes import compare_texts
from tests.passes import folders
from tests.passes.planting import KINDS, plant


def _placed(before: str, after: str) -> SideBySide:
    changes = compare_texts(read_instructions(before), read_instructions(after))
    return place_side_by_side(changes, (len(before.splitlines()), len(after.splitlines())))


def _program(*instructions: str) -> str:
    lines = "\n".join(f"  {line}" for line in instructions)
    return f"HloModule m\n\nENTRY %main (x: f32[4]) -> f32[4] {{\n  %x = f32[4] parameter(0)\n{lines}\n}}\n"


def _with_callee(name: str, root: str, between: str = "") -> str:
    """A module with a computation before its entry, and `between` in front of the entry."""
    callee = f"{name} (a: f32[]) -> f32[] {{\n  %a = f32[] parameter(0)\n  ROOT %b = f32[] abs(%a)\n}}\n\n"
    return _program(root).replace("ENTRY", f"{callee}{between}ENTRY")


def _check_whole(placed: SideBySide, before: str, after: str) -> None:
    """Each line of both texts is in one row, in the order of its text."""
    for side, text in (("before", before), ("after", after)):
        lines = [getattr(row, side) for row in placed.rows if getattr(row, side) is not None]
        assert lines == list(range(1, len(text.splitlines()) + 1))


def _rows_of(placed: SideBySide, kind: str) -> list[Row]:
    return [row for row in placed.rows if row.kind == kind]


def test_an_instruction_stands_beside_what_it_was() -> None:
    before, after = folders.text(), folders.text(folders.SWAPPED, "subtract.9")
    placed = _placed(before, after)
    _check_whole(placed, before, after)
    (row,) = [row for row in placed.rows if row.kind in DIFFERENCES]
    assert row.before is not None
    assert row.after is not None
    assert "subtract.2 =" in before.splitlines()[row.before - 1]
    assert "subtract.9 =" in after.splitlines()[row.after - 1]


def test_what_was_added_and_removed_stands_alone() -> None:
    before = _program("%a = f32[4] tanh(%x)", "%b = f32[4] copy(%a)", "ROOT %c = f32[4] abs(%b)")
    after = _program("%a = f32[4] tanh(%x)", "ROOT %c = f32[4] abs(%a)", "%d = f32[4] exponential(%a)")
    placed = _placed(before, after)
    _check_whole(placed, before, after)
    assert [(row.before, row.after) for row in _rows_of(placed, "removed")] == [(6, None)]
    assert [(row.before, row.after) for row in _rows_of(placed, "added")] == [(None, 7)]
    assert [(row.before, row.after) for row in _rows_of(placed, "changed")] == [(7, 6)]


def test_instructions_that_changed_places_are_moved_and_no_difference() -> None:
    lines = ["%a = f32[4] tanh(%x)", "%b = f32[4] abs(%x)", "%c = f32[4] cosine(%x)"]
    last = "ROOT %d = f32[4] add(%a, %b)"
    before, after = _program(*lines, last), _program(lines[2], *lines[:2], last)
    placed = _placed(before, after)
    _check_whole(placed, before, after)
    assert [(row.before, row.after, row.partner) for row in _rows_of(placed, "moved")] == [
        (None, 5, 7),
        (7, None, 5),
    ]
    assert not [row for row in placed.rows if row.kind in DIFFERENCES]


def test_an_added_computation_begins_with_its_header() -> None:
    before = _with_callee("%sum", "ROOT %r = f32[4] tanh(%x)")
    fused = "%fused (p: f32[4]) -> f32[4] {\n  %p = f32[4] parameter(0)\n  ROOT %t = f32[4] tanh(%p)\n}\n\n"
    call = "ROOT %r = f32[4] fusion(%x), kind=kLoop, calls=%fused"
    after = _with_callee("%sum", call, between=fused)
    placed = _placed(before, after)
    _check_whole(placed, before, after)
    lines = after.splitlines()
    header = lines.index("%fused (p: f32[4]) -> f32[4] {") + 1
    alone = [row.after for row in placed.rows if row.before is None and row.after is not None]
    assert alone[:5] == [header, header + 1, header + 2, header + 3, header + 4]


def test_equal_texts_are_one_fold() -> None:
    text = folders.text()
    placed = _placed(text, folders.text(frame=2))
    assert placed.items == (Fold(0, len(placed.rows)),)


def test_folds_and_rows_that_are_shown_are_all_rows() -> None:
    many = [f"%a{number} = f32[4] tanh(%x)" for number in range(60)]
    before = _program(*many, "ROOT %r = f32[4] add(%a7, %a9)")
    after = _program(*many, "ROOT %r = f32[4] add(%a7, %a10)")
    placed = _placed(before, after)
    numbers: list[int] = []
    for item in placed.items:
        numbers += range(item.start, item.start + item.count) if isinstance(item, Fold) else [item]
    assert numbers == list(range(len(placed.rows)))
    shown = [placed.rows[item] for item in placed.items if not isinstance(item, Fold)]
    assert any(row.kind == "changed" for row in shown)
    # The computation's header stays visible as context.
    assert any(row.after == 3 for row in shown)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_planted_fault_is_among_what_is_shown(kind: str) -> None:
    text = _FAULTS
    for planted in plant(text, kind):
        placed = _placed(text, planted.text)
        _check_whole(placed, text, planted.text)
        shown = {placed.rows[item].after for item in placed.items if not isinstance(item, Fold)}
        lines = planted.text.splitlines()
        differing = {
            number
            for number, (one, other) in enumerate(zip(text.splitlines(), lines, strict=True), 1)
            if one != other
        }
        assert differing <= shown


def test_any_order_of_instructions_keeps_every_line() -> None:
    chance = random.Random(3)
    lines = [f"%a{number} = f32[4] tanh(%x)" for number in range(30)]
    for _ in range(20):
        mixed = chance.sample(lines, len(lines) - chance.randrange(4))
        before, after = (
            _program(*lines, "ROOT %r = f32[4] abs(%x)"),
            _program(*mixed, "ROOT %r = f32[4] abs(%x)"),
        )
        _check_whole(_placed(before, after), before, after)


_FAULTS = """HloModule faults, num_partitions=4

%add (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %sum = f32[] add(%a, %b)
}

ENTRY %main (x: f32[8], y: f32[4]) -> f32[8] {
  %x = f32[8]{0} parameter(0)
  %y = f32[4]{0} parameter(1)
  %two = f32[] constant(2)
  %twos = f32[8]{0} broadcast(%two), dimensions={}
  %square = f32[4,4]{1,0} broadcast(%y), dimensions={0}
  %part = f32[4]{0} slice(%x), slice={[2:6]}
  %difference = f32[8]{0} subtract(%x, %twos)
  %cut = f32[8]{0} maximum(%difference, %twos)
  %all = f32[8]{0} all-reduce(%cut), channel_id=1, replica_groups=mesh['a'=2,'b'=2] {'b'}, use_global_device_ids=true, to_apply=%add
  ROOT %last = f32[8]{0} divide(%all, %twos)
}
"""
