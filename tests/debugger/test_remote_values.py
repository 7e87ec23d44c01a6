"""Values that stay with an executor: a recording answers as with all values, and fetches only what is read."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby
from math import isnan
from typing import Any
from weakref import ref

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from hloscope.app.present.statistics import statistics_of
from hloscope.engine.debugger.address import result
from hloscope.engine.debugger.grading import FindingReport
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.debugger.value_columns import row_of, row_of_facts
from hloscope.engine.debugger.value_search import Nonfinite, ShapeFilter, ValueSearch
from hloscope.engine.limits import DEFAULT_LIMITS
from hloscope.engine.ops.core.values import is_tuple
from hloscope.engine.remote_values import RemoteValue, local
from hloscope.engine.value_facts import WORDS, checksum_of, facts_from, facts_of, has_facts
from tests.debugger import programs
from tests.findings.planted import Planted, planted_programs
from tests.programs import load_program

from .executing import OurExecutor, RemoteExecutor

pytestmark = pytest.mark.more

Array = NDArray[Any]
X = np.linspace(-1, 1, 64, dtype=np.float32)
CHAIN = """func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = stablehlo.tanh %x : tensor<64xf32>
  %1 = stablehlo.log %0 : tensor<64xf32>
  %2 = stablehlo.cosine %1 : tensor<64xf32>
  %3 = func.call @twice(%2) : (tensor<64xf32>) -> tensor<64xf32>
  %4 = stablehlo.compare LT, %3, %x : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xi1>
  %5 = stablehlo.select %4, %x, %0 : tensor<64xi1>, tensor<64xf32>
  return %5 : tensor<64xf32>
}
func.func private @twice(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = stablehlo.add %x, %x : tensor<64xf32>
  return %0 : tensor<64xf32>
}
"""
RESULTS = 1
"""Fetched values of a run that nothing is read of: the result of the program."""
DTYPES = [
    *(np.dtype(name) for name in ("?", "i1", "u1", "i2", "u4", "i4", "i8", "u8", "f2", "f4", "f8")),
    *(np.dtype(found) for found in (ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2)),
]


def bit_patterns(dtype: np.dtype[Any], most: int = 40) -> st.SearchStrategy[Array]:
    """Arrays of any bits, so of NaN, infinities, denormals and zeros of both signs too."""
    if dtype == np.bool_:
        return st.lists(st.booleans(), max_size=most).map(lambda found: np.array(found, np.bool_))
    width = dtype.itemsize
    chosen = st.sampled_from([0, 1, 1 << 8 * width - 1, (1 << 8 * width) - 1, 0x7F << 8 * width - 8])
    word = st.one_of(chosen, st.integers(0, (1 << 8 * width) - 1))
    return st.lists(word, max_size=most).map(lambda found: np.array(found, f"u{width}").view(dtype))


values = st.sampled_from(DTYPES).flatmap(bit_patterns)


def recorded(executor: Any, text: str = CHAIN, recording_bytes: int = 1 << 30) -> Recording:
    limits = replace(DEFAULT_LIMITS, recording_bytes=recording_bytes)
    return programs.recorded(text, [X], limits, executor=executor)


@given(values)
def test_facts_are_those_of_the_elements(array: Array) -> None:
    facts, wide = facts_of(array), array.astype(np.float64 if array.dtype.itemsize < 8 else array.dtype)
    floats = wide.dtype.kind == "f"
    finite = wide[np.isfinite(wide)] if floats else wide
    found = facts.range
    assert found.count == array.size
    assert found.nan == (np.isnan(wide).sum() if floats else 0)
    assert found.positive_infinities == (wide == np.inf).sum()
    assert found.negative_infinities == (wide == -np.inf).sum()
    assert facts.zeros == (wide == 0).sum()
    is_float = array.dtype.kind not in "biu"
    least = float(ml_dtypes.finfo(array.dtype).smallest_normal) if is_float else 0.0
    with np.errstate(all="ignore"):
        assert (
            facts.denormals == ((np.abs(wide) < least) & (wide != 0)).sum()
            if is_float
            else not facts.denormals
        )
    if finite.size:
        assert (found.minimum, found.maximum) == (finite.min(), finite.max())
        # The sum is rounded in f64, which integers of 64 bits exceed.
        rounding = array.size * 2.0**-52 * max(abs(float(found.minimum)), abs(float(found.maximum)))
        assert found.minimum - rounding <= found.mean <= found.maximum + rounding
    else:
        assert isnan(found.minimum)
        assert isnan(found.mean)
    shown = statistics_of(array)
    assert repr(shown.range) == repr(found)
    assert shown.zeros == facts.zeros
    assert repr(facts_from(facts.json())) == repr(facts)
    rows = [(row.low + 0.0, row.high + 0.0, row.flags) for row in (row_of_facts(facts), row_of(array))]
    assert repr(rows[0]) == repr(rows[1])


@pytest.mark.parametrize("size", [1, 7, 8 * WORDS, 8 * WORDS + 3, 40 * WORDS])
def test_a_checksum_depends_on_each_bit_and_its_place(size: int) -> None:
    array = np.random.default_rng(size).integers(0, 256, size, np.uint8)
    seen = {checksum_of(array)}
    for at in {0, size // 2, size - 1}:
        changed = array.copy()
        changed[at] ^= 1
        seen.add(checksum_of(changed))
    assert len(seen) == 1 + len({0, size // 2, size - 1})
    if size > 1:
        turned = np.roll(array, 1)
        assert checksum_of(turned) not in seen


def test_types_without_facts_have_none() -> None:
    assert not has_facts(np.dtype(np.complex64))
    assert not has_facts(np.dtype(object))
    assert not has_facts(np.dtype(ml_dtypes.int4))
    assert not has_facts(np.dtype(ml_dtypes.float8_e8m0fnu))


def test_a_remote_value_is_never_read_without_its_elements() -> None:
    value: Any = RemoteValue(X.dtype, X.shape, facts_of(X), X.copy)
    assert not is_tuple(value)
    assert np.add(value, 1).tobytes() == (X + 1).tobytes()
    assert not local(value).flags.writeable
    with pytest.raises(TypeError, match="local"):
        bool(value)
    with pytest.raises(AttributeError):
        value.reshape(2, 32)


def test_nothing_is_fetched_but_what_is_read() -> None:
    executor, plain = RemoteExecutor(), recorded(None)
    recording = recorded(executor, CHAIN.replace("stablehlo.log", "stablehlo.sine"))
    assert executor.fetched == RESULTS
    executor = RemoteExecutor()
    recording = recorded(executor)
    before = executor.fetched
    assert not recording.keeps(result(1))
    known, value = recording.facts(result(1)), recording.value(result(1))
    assert executor.fetched == before + 1
    assert value.tobytes() == plain.value(result(1)).tobytes()
    assert known == facts_of(value)
    assert recording.facts(result(3)) is not None, "a call passes remote values on"
    recording.value(result(1))
    assert executor.fetched == before + 1, "it is in use"


def test_values_without_elements_do_not_count_as_kept() -> None:
    assert recorded(RemoteExecutor()).kept_bytes < recorded(None).kept_bytes
    assert not recorded(RemoteExecutor()).has_dropped


def test_values_are_freed_with_the_recording() -> None:
    executor = RemoteExecutor()
    remote, plain = recorded(executor), recorded(None)
    value, array = (run._store.get(run._key(result(1)))[0] for run in (remote, plain))  # type: ignore[index]
    seen = [ref(each) for each in (value, array)]
    remote.value(result(2))
    gc.disable()
    try:
        del remote, plain, value, array
        assert [each() for each in seen] == [None, None]
    finally:
        gc.enable()


def test_a_search_fetches_only_what_may_match() -> None:
    plain, executor = recorded(None), RemoteExecutor()
    recording = recorded(executor)
    before = executor.fetched
    shape = ShapeFilter()
    wanted, found = (
        ValueSearch(each).search(Nonfinite(), shape, 0, 0, 100, 60.0) for each in (plain, recording)
    )
    assert wanted == found
    assert found.hits
    assert executor.fetched - before <= len(found.hits)


def test_a_lost_process_is_replaced_where_the_run_has_ended() -> None:
    executor = RemoteExecutor()
    recording = recorded(executor)
    recording._checkpoints.add(recording._run.snapshot())
    executor.process += 1
    assert recording.value(result(2)).tobytes() == recorded(None).value(result(2)).tobytes()
    assert recording.facts(result(2)) is not None


def test_a_lost_process_ends_a_run_with_its_reason() -> None:
    executor = RemoteExecutor()
    recording = Recording(load_program(CHAIN), [X], executor=executor)
    recording.record(steps=3)
    executor.process += 1
    state = recording.record()
    assert state.kind == "failed"
    assert "the process has ended" in state.reason


@pytest.mark.parametrize("recording_bytes", [1, 300, 2000])
def test_old_values_are_computed_again_within_the_budget(recording_bytes: int) -> None:
    plain, recording = recorded(None), recorded(RemoteExecutor(), recording_bytes=recording_bytes)
    for step in (0, 2, 3, 6):
        address = result(step)
        assert recording.value(address).tobytes() == plain.value(address).tobytes()
    assert sum(recording.facts(result(step)) is not None for step in range(recording.step_count)) == 1
    assert recording.has_dropped


def _planted() -> Iterator[Any]:
    """All planted faults, the first of each kind in every run of the tests."""
    for _, each in groupby(planted_programs(), lambda planted: planted.kind):
        for number, planted in enumerate(each):
            yield pytest.param(planted, id=planted.name, marks=pytest.mark.long if number else ())


@pytest.mark.parametrize("planted", [*_planted()])
def test_findings_are_those_of_a_recording_with_all_values(planted: Planted) -> None:
    found = [planted.record("faulty", executor) for executor in (OurExecutor(), RemoteExecutor())]
    all_values, remote = ([each.sentence for each in FindingReport(run).findings] for run in found)
    assert remote == all_values
