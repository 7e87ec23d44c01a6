"""Generated HLO text: too deep, too long, empty, or with numbers out of range."""

from __future__ import annotations

from time import process_time

from hloscope.engine.errors import Diagnostic
from hloscope.engine.frontend import load
from hloscope.engine.limits import Limits
from hloscope.engine.source import Source
from tests.each import for_each
from tests.programs import load_program

from .test_extremes import MOST_SECONDS

DEEP = 10_000
LONG = 10_000_000
IN_MAIN = "ENTRY main {{\n  {}\n}}\n"
VALUES = "ENTRY main {{\n  a = f32[2] parameter(0)\n  ROOT b = {}\n}}\n"
X = "f32[] parameter(0)"


def only_diagnostic(text: str, limits: Limits | None = None) -> tuple[Diagnostic, int]:
    """First diagnostic of a text that is refused, and its line."""
    source = Source(text, "extreme.hlo")
    begin = process_time()
    loaded = load(source, limits or Limits())
    assert process_time() - begin < MOST_SECONDS
    assert loaded.program is None
    first = loaded.diagnostics[0]
    assert first.format(source)
    assert len(first.message) < 1000
    return first, source.line_and_column(first.span.start)[0]


@for_each(
    ("text", "line", "words"),
    [
        (IN_MAIN.format("x = " + "(" * DEEP + "f32[]" + ")" * DEEP + " parameter(0)"), 2, "nest"),
        (IN_MAIN.format("x = " + "(" * DEEP), 2, "nest"),
        (IN_MAIN.format("x = " + "b(" * DEEP + "f32[]" + ")" * DEEP + " parameter(0)"), 2, "nest"),
        (IN_MAIN.format("x = f32[2] constant(" + "{" * DEEP), 2, "f32[2]"),
        (IN_MAIN.format("x = f32[" + "1," * DEEP + "1] constant(" + "{" * DEEP), 2, ""),
        (IN_MAIN.format("x = (f32[2]) constant(" + "(" * DEEP), 2, ""),
        (VALUES.format("f32[2] negate(" * DEEP), 3, "nest"),
        (VALUES.format("f32[2] negate(a), new={" + "{" * DEEP), 3, "nest"),
        (VALUES.format("f32[2] negate(a), backend_config=" + "{[" * DEEP), 3, "nest"),
        (VALUES.format("f32[2] negate(a), sharding=" + "{" * DEEP + "}" * DEEP), 3, "nest"),
        (VALUES.format("f32[2] negate(a), frontend_attributes={a=" + "{" * DEEP), 3, "nest"),
        (VALUES.format("f32[] reduce(a, a), to_apply={ x = " * DEEP), 3, "nest"),
        ("HloModule m, entry_computation_layout=" + "{" * DEEP, 1, "nest"),
        ("HloModule m, x=" + "[" * DEEP + "]" * DEEP, 1, "nest"),
        ("HloModule m\n" + "ENTRY main {" * DEEP, 2, ""),
        ("ENTRY " + "(" * DEEP, 1, ""),
        ("HloModule", 1, ""),
        ("HloModule m", 1, "no computation"),
        ("ENTRY", 1, ""),
        ("HloModule m\n\x00\x01\x7f", 2, ""),
        (IN_MAIN.format("x\x00 = " + X), 2, ""),
        (IN_MAIN.format("x = f32[\x00] parameter(0)"), 2, ""),
        (IN_MAIN.format("x = f32[] constant(\x00)"), 2, ""),
        (IN_MAIN.format("\ud800 = " + X), 2, ""),
        (IN_MAIN.format("x = f32[2] constant({1, \ud800})"), 2, ""),
        (VALUES.format("f32[2] \udfff(a)"), 3, ""),
        (VALUES.format('f32[2] negate(a), metadata={op_name="\ud800"}'), 3, "surrogate"),
        (VALUES.format('f32[2] negate(a), backend_config="' + "x" * LONG), 3, "not closed"),
        (VALUES.format("f32[2] negate(a), backend_config='" + "\\" * DEEP), 3, "not closed"),
        (VALUES.format("f32[2] negate(a) /* " + "x" * LONG), 3, "comment"),
        (VALUES.format("f32[2] negate(a) /*" + " /*" * DEEP), 3, "comment"),
        (VALUES.format("f32[2] negate(" + "a, " * DEEP + "a)"), 3, "1 operand"),
        (VALUES.format("f32[2] negate(" + "b" * LONG + ")"), 3, "not defined"),
        (VALUES.format("f32[2] " + "o" * LONG + "(a)"), 3, "unknown opcode"),
        (VALUES.format("f32[2] negate(a) " + "y" * LONG), 3, ""),
        (VALUES.format("f32[2] compare(a, a), direction=" + "L" * LONG), 3, "direction"),
        (VALUES.format("f32[2] transpose(a), dimensions={" + "0," * 100_000 + "0}"), 3, ""),
        (VALUES.format("f32[2] transpose(a), dimensions={" + "9" * DEEP + "}"), 3, ""),
        (VALUES.format("f32[2] slice(a), slice={[0:" + "9" * DEEP + "]}"), 3, ""),
        (VALUES.format("f32[2] get-tuple-element(a), index=" + "9" * DEEP), 3, ""),
        (VALUES.format("f32[2] pad(a, a), padding=" + "9" * DEEP + "_1"), 3, ""),
        (
            VALUES.format("f32[2] all-gather(a), replica_groups=[" + "9" * DEEP + ",1]<=[1], dimensions={0}"),
            3,
            "",
        ),
        (
            VALUES.format(
                "f32[2] all-gather(a), replica_groups=[4000000000,1]<=[4000000000], dimensions={0}"
            ),
            3,
            "",
        ),
        (VALUES.format("f32[2] all-gather(a), channel_id=" + "9" * DEEP + ", dimensions={0}"), 3, ""),
        (VALUES.format("f32[2] reduce-window(a, a), window={size=" + "9" * DEEP + "}, to_apply=f"), 3, ""),
        (VALUES.format("f32[2] reduce-window(a, a), window={size=" + "9x" * DEEP + "9}, to_apply=f"), 3, ""),
        (VALUES.format("f32[2] batch-norm-inference(a, a, a, a, a), epsilon=" + "9" * LONG), 3, ""),
        (IN_MAIN.format("x = f32[] parameter(" + "9" * DEEP + ")"), 2, ""),
        (IN_MAIN.format("x = f32[" + "9" * DEEP + "] parameter(0)"), 2, ""),
        (IN_MAIN.format("x = f32[" + "9," * DEEP + "9] iota(), iota_dimension=0"), 2, ""),
        (IN_MAIN.format("x = f32[2]{" + "1," * DEEP + "0} parameter(0)"), 2, ""),
        (IN_MAIN.format("x = f32[2]{0:T(" + "9" * DEEP + ")} parameter(0)"), 2, ""),
        (IN_MAIN.format("x = s32[] constant(" + "9" * 100_000 + ")"), 2, "s32"),
        (IN_MAIN.format("x = s32[2] constant({1, " + "9" * 100_000 + "})"), 2, "s32"),
        (IN_MAIN.format("x = f32[] constant(1e" + "9" * 100_000 + ")"), 2, ""),
        (IN_MAIN.format("x = f32[3000000000,3000000000] constant({})"), 2, ""),
        (IN_MAIN.format("x = f32[1000000,1000000] constant({1})"), 2, ""),
    ],
    ids=lambda value: repr(value)[:60] if isinstance(value, str) else str(value),
)
def test_says_where(text: str, line: int, words: str) -> None:
    found, where = only_diagnostic(text)
    assert where == line
    assert words in f"{found.message} {found.label}"


def test_more_instructions_than_the_limit() -> None:
    lines = "".join(f"  x{number} = {X}\n" for number in range(10_001))
    found, line = only_diagnostic(f"ENTRY main {{\n{lines}}}\n", Limits(max_ops=10_000))
    assert found.kind == "limit"
    assert found.label == "max_ops"
    assert line == 10_002


def test_a_million_instructions() -> None:
    """Reading stops at the limit, whatever follows."""
    lines = "  x = f32[] parameter(0)\n" * 1_000_001
    found, _ = only_diagnostic(f"ENTRY main {{\n{lines}", Limits(max_ops=1_000))
    assert found.label == "max_ops"


def test_one_line_of_ten_megabytes() -> None:
    count = 4_000_000
    literal = f"big = s32[{count}] constant({{{'1, ' * (count - 1)}1}})"
    instructions = " ".join(f"x{number} = f32[2] negate(x{number - 1})" for number in range(1, 10_000))
    text = f"ENTRY main {{ {literal} x0 = f32[2] parameter(0) {instructions} ROOT r = f32[3] negate(x7) }}"
    assert len(text) > LONG
    found, line = only_diagnostic(text)
    assert line == 1
    assert "shape" in found.message


def test_long_strings_are_kept() -> None:
    text = VALUES.format(
        f'f32[2] negate(a), backend_config="{"x" * LONG}", metadata={{op_name="{"y" * LONG}"}}'
    )
    load_program(text)
