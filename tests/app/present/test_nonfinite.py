"""Going from one element that is not finite to the next."""

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

from hloscope.app.present.value_search import CHUNK, nonfinite_element


def _walk(array: NDArray[np.generic], *, back: bool) -> list[tuple[int, ...]]:
    """All of them, from the one that is found first."""
    at, found = (array.size if back else -1), []
    for _ in range(nonfinite_element(array, -1, back=False)["count"]):
        index = nonfinite_element(array, at, back=back)["index"]
        assert index is not None
        found.append(tuple(index))
        at = int(np.ravel_multi_index(tuple(index), array.shape))
    return found


@pytest.mark.parametrize("back", [False, True])
def test_each_is_found_once_in_order(back: bool) -> None:
    array = np.zeros((3, 5, 2), np.float32)
    bad = [(0, 0, 0), (1, 4, 1), (2, 0, 1), (2, 4, 1)]
    for index, value in zip(bad, (np.nan, np.inf, -np.inf, np.nan), strict=True):
        array[index] = value
    assert _walk(array, back=back) == (bad[::-1] if back else bad)


def test_it_goes_round_and_says_what_it_is() -> None:
    array = np.array([0, np.inf, 0, -np.inf], ml_dtypes.bfloat16)
    first = {"index": [1], "text": "+Inf", "number": 1, "count": 2}
    assert nonfinite_element(array, 3, back=False) == first
    assert nonfinite_element(array, 1, back=True) == {"index": [3], "text": "-Inf", "number": 2, "count": 2}


def test_of_a_large_value_as_of_a_small_one() -> None:
    array = np.zeros((1500, CHUNK // 1000), np.float32)
    bad = [(0, 7), (999, 0), (1000, 1), (1499, array.shape[1] - 1)]
    for index in bad:
        array[index] = np.nan
    assert _walk(array, back=False) == bad


@pytest.mark.parametrize("array", [np.zeros(3, np.int32), np.zeros((0, 2), np.float32), np.float64(2)])
def test_where_there_is_none_it_says_so(array: NDArray[np.generic]) -> None:
    assert nonfinite_element(np.asarray(array), -1, back=False)["index"] is None


def test_a_number_alone_and_a_complex_one() -> None:
    assert nonfinite_element(np.array(np.nan), -1, back=False)["index"] == []
    found = nonfinite_element(np.array([1, complex(0, np.nan)]), -1, back=False)
    assert (found["index"], found["text"]) == ([1], "0+NaNi")
