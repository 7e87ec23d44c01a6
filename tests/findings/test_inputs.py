"""Inputs are scanned when findings are requested; until then ops that may lose a NaN are checked."""

import numpy as np
import pytest

from hloscope.engine.debugger.grading import FindingReport
from hloscope.engine.findings import log
from hloscope.engine.findings.log import InputScan, LostNanWatch
from hloscope.engine.ops.core.ranks import Array, is_finite
from hloscope.engine.ops.core.values import tuple_of
from tests.each import for_each

from .finding import found, recorded

NAN, INFINITY = np.array([1, np.nan, np.inf], np.float32), np.array([[-np.inf]])
COMPARED = """
func.func @main(%weights: tensor<{0}xf32>, %x: tensor<3xf32>) -> (tensor<{0}xf32>, tensor<3xi1>) {{
  %0 = stablehlo.constant dense<0.0> : tensor<3xf32>
  %1 = stablehlo.compare GT, %x, %0 : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  return %weights, %1 : tensor<{0}xf32>, tensor<3xi1>
}}"""


def test_values_that_are_not_finite_are_counted_once_each() -> None:
    both = tuple_of([NAN, INFINITY])
    given = InputScan([both, np.ones(3), NAN, NAN, np.arange(3)])
    assert (given.count, given.has_nan) == (3, True)
    assert not given.is_finite(NAN)
    assert not given.is_finite(INFINITY)
    assert not InputScan([INFINITY]).has_nan
    assert InputScan().count == 0


def test_inputs_are_looked_at_once_and_not_before_somebody_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at = []

    def look(array: Array) -> bool:
        looked_at.append(array)
        return is_finite(array)

    monkeypatch.setattr(log, "is_finite", look)
    recording = recorded(COMPARED.format(1 << 20), np.ones(1 << 20, np.float32), np.ones(3, np.float32))
    assert not looked_at
    assert recording.finding_count == 0
    assert FindingReport(recording).bad_inputs == ()
    assert recording.finding_count == 0
    assert len(looked_at) == 2


@pytest.mark.parametrize("size", [1, 1 << 20])
def test_a_nan_that_was_given_is_lost_in_a_comparison_however_much_is_given(size: int) -> None:
    findings = found(COMPARED.format(size), np.ones(size, np.float32), NAN)
    assert [(finding.kind, finding.first.fault.elements) for finding in findings] == [("swallowed_nan", 1)]


def test_ops_are_checked_until_it_is_cheaper_to_know_what_is_given() -> None:
    checked = {3}
    watch = LostNanWatch(checked, frozenset([1, 2]), InputScan([np.ones(1 << 16)]))
    for _ in range(3):
        watch.note_check(1, (np.ones(4),))
        watch.note_check(3, (np.ones(1 << 20),))
    assert checked == {1, 2, 3}
    watch.note_check(2, (np.ones(1 << 14),))
    assert checked == {3}
    watch.note_nan()
    assert checked == {1, 2, 3}


def test_ops_stay_checked_where_a_nan_is_given() -> None:
    checked: set[int] = set()
    watch = LostNanWatch(checked, frozenset([1, 2]), InputScan([NAN]))
    watch.note_check(1, (np.ones(4),))
    assert checked == {1, 2}


@for_each("dtype", [np.float32, np.float64, np.complex64])
@for_each("at", [0, (1 << 16) - 1, 1 << 16, -1])
def test_one_element_of_a_large_array_is_seen_wherever_it_is(dtype: type, at: int) -> None:
    array: Array = np.ones((1 << 17) + 5, dtype)
    assert is_finite(array)
    assert is_finite(array.reshape(-1, 1)[:, ::-1])
    array[at] = np.nan
    assert not is_finite(array)
    assert not is_finite(array[::-1])
