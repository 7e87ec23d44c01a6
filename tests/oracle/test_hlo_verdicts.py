"""What is refused of HLO text: XLA's verifier and ours agree about shapes that are declared otherwise than they are."""

from __future__ import annotations

import re

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from hloscope.engine.frontend import load
from hloscope.engine.source import Source

from .cases import Case
from .client import Oracle, OracleCrashed, OracleRefused
from .generators import GENERATORS
from .generators.hlo import GENERATORS as ONLY_IN_HLO
from .test_hlo_printed import PRINTED
from .test_ops import beyond_xla

pytestmark = pytest.mark.oracle
EXAMPLES = 4
"""For each opcode; `test_at_length` draws many more."""
OPCODES = sorted({*ONLY_IN_HLO, *PRINTED})
LENIENT = {
    "broadcast": "XLA's importer takes a dimension of size 1 for one of any size, though its verifier does not",
    "set-dimension-size": "the op is StableHLO's, which leaves the bound to the program",
}
"""Opcodes of which we accept what XLA's verifier refuses, with the reason."""
FATAL = {"partition-id", "replica-id"}
"""Opcodes whose shape XLA knows so well that it does not survive another one."""
ALTERED = [name for name in OPCODES if name not in FATAL]
FATAL_SIZES = {"reshape"}
"""Opcodes of which it does not survive another number of elements."""
UNCHECKED = {
    "add-dependency": "XLA's verifier does not look at it",
    "bitcast": "XLA's verifier compares sizes once layouts are final, as they are not here",
    "constant": "XLA's parser takes a number for an array of one",
    "parameter": "XLA's parser compares the shapes of parameters that are used alone with the signature",
    "reduce-scatter": "XLA's verifier takes any part of the operand's size",
    "stochastic-convert": "XLA's verifier does not look at the element type of the result",
}
"""Opcodes of which we refuse what XLA accepts, with the reason."""
INSTRUCTION = re.compile(r"^ *(?:ROOT )?%?[\w.-]+ = (.*?) ([a-z][a-z0-9-]*)\(", re.MULTILINE)
ARRAY = re.compile(r"\b(pred|[sufc]\d+|bf16)\[([\d,]*)\]")
"""Of one array; bounds are left as they are."""


def _places(text: str, opcode: str) -> list[tuple[str, re.Match[str]]]:
    """The arrays in the declared shapes of the instructions of an opcode, or else of all."""
    lines = list(INSTRUCTION.finditer(text))
    places = [
        (line[2], place) for line in lines for place in ARRAY.finditer(text, line.start(1), line.end(1))
    ]
    return [found for found in places if found[0] == opcode] or places


@st.composite
def modules(draw: st.DrawFn, opcode: str, oracle: Oracle) -> str:
    """A module with the opcode, as XLA prints it if it can."""
    if opcode in ONLY_IN_HLO:
        return draw(ONLY_IN_HLO[opcode]).text
    return oracle.print_hlo(draw(GENERATORS[PRINTED[opcode]].filter(_is_printed)).program, "plain")


def _is_printed(case: Case) -> bool:
    return not beyond_xla(case)


@st.composite
def altered(draw: st.DrawFn, opcode: str, oracle: Oracle) -> tuple[str, str, bool]:
    """A module in which one declared shape has another size, rank or element type.

    With the opcode whose shape it is, and whether that is but another float.
    """
    text = draw(modules(opcode, oracle))
    places = _places(text, opcode)
    assume(places)
    changed, place = draw(st.sampled_from(places))
    element, sizes = place[1], place[2].split(",") if place[2] else []
    kinds = ("element",) if opcode in FATAL_SIZES else ("element", "size", "rank")
    kind = draw(st.sampled_from(kinds))
    if kind == "element":
        element = draw(
            st.sampled_from(("f32", "s32", "pred", "u8", "bf16", "s64")).filter(lambda t: t != element)
        )
    elif kind == "size":
        assume(sizes)
        at = draw(st.integers(0, len(sizes) - 1))
        sizes[at] = draw(st.sampled_from(("0", "1", "2", "3", "5")).filter(lambda size: size != sizes[at]))
    elif not text[place.end() :].startswith("{"):  # a layout says the rank once more
        sizes = sizes[1:] if sizes and draw(st.booleans()) else [*sizes, "1"]
    new = f"{element}[{','.join(sizes)}]"
    assume(new != place[0] and not (opcode == "constant" and "pred" in (element, place[1])))
    rounded = kind == "element" and _is_float(element) and _is_float(place[1])
    return text[: place.start()] + new + text[place.end() :], changed, rounded


def _is_float(element: str) -> bool:
    return element.startswith(("f", "bf"))


def _refused_by_xla(oracle: Oracle, text: str) -> str | None:
    try:
        return oracle.verify_hlo(text)
    except (OracleRefused, OracleCrashed) as refused:
        return str(refused)


@pytest.mark.parametrize("opcode", ALTERED)
def test_both_accept_the_same(opcode: str, oracle: Oracle) -> None:
    agree(opcode, oracle, settings(max_examples=EXAMPLES, derandomize=True, database=None))


def agree(opcode: str, oracle: Oracle, chosen: settings) -> None:
    """Fails if only one of both accepts a program, for no known reason; `chosen` says how many programs."""

    @chosen
    @given(altered(opcode, oracle))
    def agrees(found: tuple[str, str, bool]) -> None:
        text, changed, rounded = found
        source = Source(text, "case.hlo")
        loaded = load(source)
        theirs = _refused_by_xla(oracle, text)
        if (loaded.program is None) == (theirs is not None):
            return
        # XLA's verifier takes floats of any precision for each other.
        if theirs is None and (rounded or changed in UNCHECKED):
            return
        if theirs is not None and any(name == changed or f" {name}(" in theirs for name in LENIENT):
            return
        said = [diagnostic.format(source) for diagnostic in loaded.diagnostics]
        pytest.fail(f"ours: {said or 'accepted'}\nXLA: {theirs or 'accepted'}\n{text}")

    agrees()
