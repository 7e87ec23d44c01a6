"""Sorts that XLA's passes make of `top_k` of small floats: known by what they do, and the same as when they are run.

The texts of `programs/top_k_*.hlo` are of jaxlib 0.10.2, without metadata: after `comparison-expander`, after
`float-normalization` and simplification, and as they are compiled.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hloscope
from hloscope.engine.ir.element_types import ELEMENT_TYPES
from hloscope.engine.ops.core.op import Array
from hloscope.engine.program import BoundProgram

from .test_expanded_comparators import FLOATS, WIDER, by_one, order_in, widened

TEXTS = {path.stem: path.read_text() for path in (Path(__file__).parent / "programs").glob("top_k_*.hlo")}
PROGRAMS = {name: hloscope.parse(text) for name, text in TEXTS.items()}
SEVERAL_NAN = ("f8e5m2", "f8e4m3", "f8e3m4")


def run_known_and_unknown(program: BoundProgram, inputs: Sequence[Array]) -> list[list[bytes]]:
    """The bits of the results, by keys and by running the comparator pair by pair."""
    assert order_in(program) is not None
    known = hloscope.run(program, inputs)
    with patch("hloscope.engine.ops.sorting.sort.order_of", lambda _: None):
        # What an op has found out about its comparator it keeps.
        run = hloscope.run(hloscope.parse(program.module.source.text), inputs)
    return [[x.tobytes() for x in found] for found in (known, run)]


def test_there_are_texts() -> None:
    assert sorted(TEXTS) == ["top_k_bf16_normalized", "top_k_f8e4m3fn_scheduled", "top_k_f8e5m2_expanded"]


@pytest.mark.parametrize("name", TEXTS)
@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_what_xla_writes_is_known_and_sorts_as_when_it_is_run(name: str, data: st.DataObject) -> None:
    program = PROGRAMS[name]
    assert program.entry is not None
    (argument,) = program.entry.function.arguments
    found = data.draw(elements(argument.type.element_type.dtype, 16))  # type: ignore[attr-defined]
    known, run = run_known_and_unknown(program, [found])
    assert known == run


def elements(dtype: np.dtype[np.generic], count: int) -> st.SearchStrategy[Array]:
    """Floats of any bits, those of NaN, zeros and infinities often, and some of them several times."""
    bits = 8 * dtype.itemsize
    special = np.array([0.0, -0.0, np.nan, -np.nan, 1, -1, np.inf, -np.inf]).astype(dtype)
    words = special.view(f"u{dtype.itemsize}").tolist()
    near = [min(word + step, (1 << bits) - 1) for word in words for step in (0, 1, 1 << bits // 4)]
    drawn = st.lists(st.sampled_from(near) | st.integers(0, (1 << bits) - 1), min_size=count, max_size=count)
    return drawn.map(lambda found: np.array(found, f"u{dtype.itemsize}").view(dtype))


@settings(max_examples=40, deadline=None)
@given(
    type=st.sampled_from(sorted(WIDER)), direction=st.sampled_from(["LT", "GT", "LE", "GE"]), data=st.data()
)
def test_keys_that_are_rounded_among_nan_of_all_bits(type: str, direction: str, data: st.DataObject) -> None:
    """Rounding makes one of several NaN, and numbers equal; what was equal keeps its order, or turns it around."""
    build = widened(type, direction, unified=data.draw(st.booleans()))
    wide = ELEMENT_TYPES[FLOATS[build.types[0]]].dtype
    inputs = [data.draw(elements(wide, 24)), np.arange(24, dtype=np.int32)]
    program = hloscope.parse(build.program(f"%v{len(build.lines) - 1}", 24))
    known, run = run_known_and_unknown(program, inputs)
    assert known == run


@settings(max_examples=20, deadline=None)
@given(type=st.sampled_from(SEVERAL_NAN), direction=st.sampled_from(["LT", "GT", "LE", "GE"]), data=st.data())
def test_small_floats_with_several_nan_go_by_all_their_bits(
    type: str, direction: str, data: st.DataObject
) -> None:
    build = by_one(type, direction, unified=False, opcode="bitcast", turned=data.draw(st.booleans()))
    inputs = [data.draw(elements(ELEMENT_TYPES[FLOATS[type]].dtype, 24)), np.arange(24, dtype=np.int32)]
    program = hloscope.parse(build.program(f"%v{len(build.lines) - 1}", 24))
    known, run = run_known_and_unknown(program, inputs)
    assert known == run
