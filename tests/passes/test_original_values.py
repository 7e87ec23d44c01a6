"""Values that XLA traces through its passes by `original_value`, which newer texts write as `origin`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from hloscope.app.cli.main import main
from hloscope.engine.passes.instructions import read_instructions, read_line
from hloscope.engine.passes.original_values import Leaf, read_originals
from hloscope.engine.passes.text_changes import compare_texts
from tests.each import for_each
from tests.passes import folders

A, B, C = '"a"', '"b"', '"c"'


@for_each(
    ("stated", "wanted"),
    [
        ('{{"add.3"}}', [((), '"add.3"')]),
        ('{{"while.2" {1}}}', [((), '"while.2" {1}')]),
        ('{{"add.3"},["call.1"]}', [((), '"add.3" in "call.1"')]),
        ('{({"a"}, {"b" {0}})}', [((0,), A), ((1,), '"b" {0}')]),
        ('{({"a"}, {})}', [((0,), A)]),
        ('{({}, {"b"})}', [((1,), B)]),
        ('{((), {"b"})}', [((1,), B)]),
        ('{(({}, {"b" {1, 2}}), {}, ({"c"}))}', [((0, 1), '"b" {1,2}'), ((2, 0), C)]),
        ('{ ( {"a, ({" } , { } ) }', [((0,), '"a, ({"')]),
        ("{({}, {})}", []),
        ("{()}", []),
        ("{[synthetic_call]}", []),
        ('{(),["call.1"]}', []),
        ('#mhlo.original_value<false, [<[], <"add.3", []>>]>', [((), '"add.3"')]),
        ('#mhlo.original_value<false, [<[], <"while.2", [1]>>]>', [((), '"while.2" {1}')]),
        (
            '#mhlo.original_value<false, [<[0, 1], <"a", []>>, <[2], <"b", [0]>>]>',
            [((0, 1), A), ((2,), '"b" {0}')],
        ),
        ("#mhlo.original_value<true, []>", []),
    ],
)
def test_the_values_that_an_attribute_names(stated: str, wanted: list[Leaf]) -> None:
    assert [*read_originals(stated, False), *read_originals(stated, True)] == wanted


def test_a_tuples_attribute_at_an_array_names_nothing() -> None:
    """XLA writes it there where the element itself has none."""
    assert read_originals('{({"a"})}', False) == ()
    found = read_line('  %b = f32[4]{0} get-tuple-element(%t), index=1, origin={({"a"})}')
    assert found is not None
    assert found.originals == ()


def test_it_is_no_difference_of_an_instruction() -> None:
    plain = read_line("  %a = f32[4]{0} add(%x, %x)")
    for name in ("origin", "original_value"):
        found = read_line(f'  %a = f32[4]{{0}} add(%x, %x), {name}={{{{"a.1"}}}}, metadata={{op_name="a"}}')
        assert plain is not None
        assert found is not None
        assert (found.originals, found.attributes, found.op_name) == (
            (((), '"a.1"'),),
            plain.attributes,
            "a",
        )


def traced(text: str) -> str:
    """The text with the names of its instructions as original values."""
    return re.sub(r"(  (?:ROOT )?%([\w.]+) = .*?)(?=, metadata|$)", r'\1, origin={{"\2"}}', text, flags=re.M)


def renamed(text: str, wrong: Mapping[str, str] | None = None) -> str:
    """The text under other names and without sources; `wrong` replaces original values."""
    claims = wrong or {}
    bare = re.sub(r", metadata=\{[^}]*\}", "", text)
    bare = re.sub(r'(?<=origin=\{\{")[\w.]+', lambda found: claims.get(found[0], found[0]), bare)
    return re.sub(r"%([a-z]+)\.(\d)", r"%\1.\g<2>00", bare)


SUM = """HloModule m, entry_computation_layout={(f32[4]{0}, f32[4]{0})->f32[4]{0}}

ENTRY %main.1 (x.1: f32[4], y.1: f32[4]) -> f32[4] {
  %x.1 = f32[4]{0} parameter(0)
  %y.1 = f32[4]{0} parameter(1)
  %sum.1 = f32[4]{0} add(%x.1, %y.1)
  %abs.1 = f32[4]{0} abs(%sum.1)
  ROOT %exp.1 = f32[4]{0} exponential(%abs.1)
}
"""
# Neither the name, nor the operands, nor the reader of the sum is what it was.
OTHER = SUM.replace("add(%x.1, %y.1)", "add(%x.1, %x.1)").replace("abs(%sum.1)", "negate(%sum.1)")


def test_it_matches_what_names_and_operands_do_not() -> None:
    before = read_instructions(traced(SUM))
    changes = compare_texts(before, read_instructions(renamed(traced(OTHER))))
    assert changes.matched["sum.100"] == "sum.1"
    assert changes.unconfirmed == {"sum.100"}
    assert "sum.100" not in compare_texts(before, read_instructions(renamed(OTHER))).matched


def test_a_matched_reader_confirms_it() -> None:
    after = SUM.replace("add(%x.1, %y.1)", "add(%x.1, %x.1)")
    changes = compare_texts(read_instructions(traced(SUM)), read_instructions(renamed(traced(after))))
    assert changes.matched["sum.100"] == "sum.1"
    assert not changes.unconfirmed


PAIR = """HloModule m, entry_computation_layout={(f32[4]{0}, f32[4]{0})->f32[4]{0}}

ENTRY %main.1 (x.1: f32[4], y.1: f32[4]) -> f32[4] {
  %x.1 = f32[4]{0} parameter(0)
  %y.1 = f32[4]{0} parameter(1)
  %sum.1 = f32[4]{0} add(%x.1, %y.1)
  %pair.1 = (f32[4]{0}, f32[4]{0}) tuple(%sum.1, %y.1), origin={({"sum.1"}, {"y.1"})}
  %first.1 = f32[4]{0} get-tuple-element(%pair.1), index=0
  ROOT %exp.1 = f32[4]{0} exponential(%first.1)
}
"""


ORIGIN = '({"sum.1"}, {"y.1"})'


def moved(origin: str) -> str:
    """The text under other names, with other operands and another reader of the tuple, whose original values are these."""
    other = PAIR.replace("tuple(%sum.1, %y.1)", "tuple(%x.1, %x.1)").replace("index=0", "index=1")
    return renamed(other).replace(ORIGIN, origin)


@pytest.mark.parametrize("kept", ['({"sum.1"}, {})', '({}, {"y.1"})', '((), {"y.1"})'])
def test_a_tuple_matches_by_the_parts_that_are_left(kept: str) -> None:
    before = read_instructions(PAIR)
    assert compare_texts(before, read_instructions(moved(kept))).matched["pair.100"] == "pair.1"
    others = moved(kept.replace("sum.1", "a.1").replace("y.1", "b.1"))
    assert "pair.100" not in compare_texts(before, read_instructions(others)).matched


def test_parts_that_name_two_tuples_match_none() -> None:
    pair = PAIR.splitlines()[6]
    twin = (
        pair.replace("pair.1", "twin.1")
        .replace("(%sum.1, %y.1)", "(%y.1, %y.1)")
        .replace(ORIGIN, '({"a.1"}, {"b.1"})')
    )
    before = read_instructions(PAIR.replace(pair, f"{pair}\n{twin}"))
    after = read_instructions(moved('({"sum.1"}, {"b.1"})'))
    assert "pair.100" not in compare_texts(before, after).matched


def run(capsys: pytest.CaptureFixture[str], folder: Path, *more: str) -> tuple[int, str]:
    code = main(["passes", str(folder), *more])
    return code, capsys.readouterr().out


def test_the_share_that_it_recovers_is_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    last = re.sub(r', origin=\{\{"(broadcast|multiply)[^}]*\}\}', "", renamed(traced(folders.text())))
    folder = folders.write_dump(tmp_path / "dump", [*[traced(folders.text())] * 5, last])
    code, out = run(capsys, folder)
    assert code == 0
    assert "original_value matches 4 of 6 values of before_optimizations (66.7 %)\n" in out
    _, out = run(capsys, folder, "--json")
    assert json.loads(out.splitlines()[-1])["original_values"] == {
        "module_0001.jit_f": {"values": 6, "matched": 4, "differing": 0}
    }
    _, out = run(capsys, folder, "--json", "--no-run")
    recovered = json.loads(out.splitlines()[-1])["original_values"]
    assert recovered == {"module_0001.jit_f": {"values": 6, "matched": 4, "differing": None}}


@pytest.mark.parametrize(
    ("kept", "share"), [('({"sum.1"}, {})', "1 of 2"), ('({"y.1"}, {"sum.1"})', "2 of 2")]
)
def test_parts_of_tuples_are_counted_and_compared(
    kept: str, share: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    last = renamed(PAIR).replace(ORIGIN, kept)
    _, out = run(capsys, folders.write_dump(tmp_path / "dump", [*[PAIR] * 5, last]))
    (found,) = [line for line in out.splitlines() if line.startswith("original_value")]
    assert found.startswith(f"original_value matches {share} values of before_optimizations")
    assert found.endswith("1 of them differ beyond rounding: %pair.100") == (share == "2 of 2")


def test_texts_without_it_have_no_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out = run(capsys, folders.healthy(tmp_path / "dump"))
    assert "original_value" not in out


def test_a_wrong_one_convicts_no_pass(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A healthy pass whose text claims other values is cleared, and the claim is reported."""
    swap = {"subtract.2": "multiply.7", "multiply.7": "subtract.2"}
    last = renamed(traced(folders.text()), swap)
    folder = folders.write_dump(tmp_path / "dump", [traced(folders.text()), last])
    code, out = run(capsys, folder)
    assert code == 0
    assert "(100 %); 2 of them differ beyond rounding: %subtract.200, %multiply.700\n" in out


def test_a_wrong_one_convicts_no_instruction(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The instruction at fault is named, though an earlier one claims a value that it does not have."""
    right = "  %twice.1 = f32[4]{0} add(%x.1, %x.1)\n  %x.2 = f32[4]{0} subtract(%twice.1, %x.1)\n  %sum.1 = f32[4]{0} add(%x.2, %y.1)"
    wrong = SUM.replace("  %sum.1 = f32[4]{0} add(%x.1, %y.1)", right).replace(
        "abs(%sum.1)", "negate(%sum.1)"
    )
    claims = {"sum.1": "sum.2", "twice.1": "sum.1"}
    folder = folders.write_dump(tmp_path / "dump", [*[traced(SUM)] * 4, renamed(traced(wrong), claims)])
    code, out = run(capsys, folder)
    assert code == 1
    assert "%abs.1 became %abs.100; element [" in out
