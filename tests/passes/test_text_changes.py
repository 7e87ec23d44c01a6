"""Texts compared without running them."""

from __future__ import annotations

from hloscope.engine.passes.instructions import read_instructions
from hloscope.engine.passes.text_changes import Counts, TextChanges, compare_texts
from tests.passes import folders


def _compare(before: str, after: str) -> TextChanges:
    return compare_texts(read_instructions(before), read_instructions(after))


def test_numbers_of_stack_frames_are_no_change() -> None:
    changes = _compare(folders.text(frame=1), folders.text(frame=7))
    assert changes.before.key == changes.after.key
    assert changes.counts == Counts()


def test_frames_are_chains_of_places() -> None:
    tables = (
        "StackFrames\n1 {file_location_id=1 parent_frame_id=1}\n2 {file_location_id=1 parent_frame_id=2}\n"
    )
    text = folders.text().replace(
        "StackFrames\n1 {file_location_id=1 parent_frame_id=1}\n", tables
    ).replace("stack_frame_id=1", "stack_frame_id=2")  # fmt: skip
    frames = read_instructions(text).instructions["tanh.1"].frames
    assert frames == ("f (f.py:3:0)", "f (f.py:3:0)")


def test_another_name_is_no_change() -> None:
    assert _compare(folders.text(), folders.text(last="subtract.99")).counts == Counts()


def test_what_took_a_place_is_replaced() -> None:
    changes = _compare(folders.text(), folders.text("add(%multiply.7, %x.1)", "add.9"))
    assert changes.replaced == {"add.9": "subtract.2"}
    assert changes.counts == Counts(changed=1)


def test_swapped_operands_are_a_change() -> None:
    assert _compare(folders.text(), folders.text(folders.SWAPPED)).changed == {"subtract.2"}


def test_added_and_removed() -> None:
    longer = folders.text().replace(
        "  ROOT %tanh.1", "  %negate.3 = f32[4,4]{1,0} negate(%subtract.2)\n  ROOT %tanh.1"
    )
    assert _compare(folders.text(), longer).added == ("negate.3",)
    assert _compare(longer, folders.text()).removed == ("negate.3",)


def test_names_in_strings_and_long_constants_do_not_mislead() -> None:
    line = (
        '  %c.1 = f32[2]{0} constant({1, 2}), metadata={op_name="a(%b, {c" source_file="f.py" source_line=3}'
    )
    (found,) = read_instructions(
        f"HloModule m\n\nENTRY %m () -> f32[2] {{\n{line}\n}}\n"
    ).instructions.values()
    assert (found.written.literal, found.written.attributes) == ("{1, 2}", "")
    assert (found.written.op_name, found.written.source) == ("a(%b, {c", "f.py:3")


OUTLINED = """HloModule m

%double (p.1: f32[4]) -> f32[4] {
  %p.1 = f32[4]{0} parameter(0)
  %two.1 = f32[] constant(2)
  %spread.1 = f32[4]{0} broadcast(%two.1), dimensions={}, metadata={op_name="mul"}
  ROOT %product.1 = f32[4]{0} multiply(%p.1, %spread.1), metadata={op_name="mul"}
}

ENTRY %main (x: f32[4]) -> f32[4] {
  %x = f32[4]{0} parameter(0)
  %sine.1 = f32[4]{0} sine(%x)
  ROOT %call.1 = f32[4]{0} call(%sine.1), to_apply=%double
}
"""
INLINED = """HloModule m

ENTRY %main (x: f32[4]) -> f32[4] {
  %x = f32[4]{0} parameter(0)
  %sine.7 = f32[4]{0} sine(%x)
  %two.7 = f32[] constant(2)
  %spread.7 = f32[4]{0} broadcast(%two.7), dimensions={}, metadata={op_name="jit(f)/mul"}
  ROOT %product.7 = f32[4]{0} multiply(%sine.7, %spread.7), metadata={op_name="jit(f)/mul"}
}
"""


def test_what_is_inlined_is_the_same_instruction_elsewhere() -> None:
    changes = _compare(OUTLINED, INLINED)
    assert changes.origin("product.7") == "product.1"
    assert changes.origin("spread.7") == "spread.1"
    assert (changes.added, changes.changed, changes.replaced) == ((), frozenset(), {})


def test_what_is_inlined_wrongly_is_the_only_change() -> None:
    changes = _compare(OUTLINED, INLINED.replace("constant(2)", "constant(2.5)"))
    assert changes.origin("two.7") == "two.1"
    assert changes.changed == {"two.7"}
    assert changes.added == ()


def test_of_two_that_have_become_alike_each_keeps_its_place() -> None:
    """A fault may make an instruction compute what another one computes."""
    line = "  %{0} = f32[4,4]{{1,0}} broadcast(%b.1), dimensions={{{1}}}\n"

    def text(names: str, dimensions: str) -> str:
        both = "".join(line.format(*pair) for pair in zip(names, dimensions, strict=True))
        found = folders.text(f"subtract(%{names[0]}, %{names[1]})")
        return found.replace("  %multiply.7", f"{both}  %multiply.7")

    changes = _compare(text("rc", "01"), text("pq", "11"))
    assert (changes.origin("p"), changes.origin("q")) == ("r", "c")
    assert changes.changed == {"p"}


def test_copies_of_an_instruction_are_known() -> None:
    """Fusion gives each reader its own."""
    twice = INLINED.replace("  ROOT", "  %spread.8 = f32[4]{0} broadcast(%two.7), dimensions={}\n  ROOT")
    changes = _compare(INLINED, twice)
    assert changes.added == ("spread.8",)
    assert changes.origin("spread.8") == "spread.7"


def test_what_is_alike_otherwise_is_told_apart_by_an_operand() -> None:
    """Fusion copies `%y` and the constants, and the order of the quotients is another one."""
    before = """HloModule m

ENTRY %m (x: f32[4]) -> (f32[4], f32[4]) {
  %x = f32[4]{0} parameter(0)
  %y = f32[4]{0} exponential(%x), metadata={op_name="y"}
  %c.1 = f32[4]{0} constant({1, 1, 1, 1})
  %c.2 = f32[4]{0} constant({2, 2, 2, 2})
  %a.1 = f32[4]{0} divide(%c.1, %y), metadata={op_name="z"}
  %a.2 = f32[4]{0} divide(%c.2, %y), metadata={op_name="z"}
  ROOT %t = (f32[4]{0}, f32[4]{0}) tuple(%a.1, %a.2)
}
"""
    after = """HloModule m

%f.2 (p: f32[4]) -> f32[4] {
  %c.3 = f32[4]{0} constant({2, 2, 2, 2})
  %p = f32[4]{0} parameter(0)
  %y.1 = f32[4]{0} exponential-minus-one(%p), metadata={op_name="y"}
  ROOT %b.1 = f32[4]{0} divide(%c.3, %y.1), metadata={op_name="z"}
}

%f.1 (p: f32[4]) -> f32[4] {
  %c.4 = f32[4]{0} constant({1, 1, 1, 1})
  %p = f32[4]{0} parameter(0)
  %y.2 = f32[4]{0} exponential-minus-one(%p), metadata={op_name="y"}
  ROOT %b.2 = f32[4]{0} divide(%c.4, %y.2), metadata={op_name="z"}
}

ENTRY %m (x: f32[4]) -> (f32[4], f32[4]) {
  %x = f32[4]{0} parameter(0)
  %c.5 = f32[4]{0} constant({1, 1, 1, 1})
  %g.1 = f32[4]{0} fusion(%x), kind=kLoop, calls=%f.1
  %g.2 = f32[4]{0} fusion(%x), kind=kLoop, calls=%f.2
  ROOT %t = (f32[4]{0}, f32[4]{0}, f32[4]{0}) tuple(%g.1, %g.2, %c.5)
}
"""
    origin = _compare(before, after).origin
    assert (origin("b.1"), origin("b.2")) == ("a.2", "a.1")


SHARED = """HloModule m

%low (p: f32[], q: f32[]) -> f32[] {{
  %p = f32[] parameter(0)
  %q = f32[] parameter(1)
  ROOT %m = f32[] minimum(%p, %q)
}}

ENTRY %main (x: f32[4,8], y: f32[4,8]) -> f32[4,8] {{
  %x = f32[4,8] parameter(0)
  %y = f32[4,8] parameter(1)
  %zero{n} = f32[] constant(0)
  %abs{n} = f32[4,8] abs(%x)
  %least{n} = f32[4] reduce(%abs{n}, %zero{n}), dimensions={{1}}, to_apply=%low
  %spread{n} = f32[4,8] broadcast(%least{n}), dimensions={{0}}
  %sum{n} = f32[4,8] add({sum})
  ROOT %r = f32[4,8] subtract({difference})
}}
"""


def test_an_operand_that_is_read_again_farther_up_is_part_of_what_is_computed() -> None:
    """It is on the way already when the second reader needs it, which was taken for a recursion."""
    before = SHARED.format(n=1, sum="%abs1, %spread1", difference="%sum1, %y")
    again = "  %abs3 = f32[4,8] abs(%x)\n  %sum2"
    after = SHARED.format(n=2, sum="%abs3, %spread2", difference="%y, %sum2").replace("  %sum2", again, 1)
    changes = _compare(before, after)
    assert {key: changes.matched.get(key) for key in ("least2", "spread2", "sum2", "r")} == {
        "least2": "least1",
        "spread2": "spread1",
        "sum2": "sum1",
        "r": "r",
    }
