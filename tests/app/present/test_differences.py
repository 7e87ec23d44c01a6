"""Numbers of differences, as sentences have them."""

from __future__ import annotations

import numpy as np
import pytest

from hloscope.app.present.differences import Number, number_text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (float(np.float32(7.9824910163879395)), "7.982491"),
        (7.9824910163879301, "7.98249101638793"),
        (2.0, "2.0"),
        (-0.0, "-0.0"),
        (1e300, "1e+300"),
        (float(np.finfo(np.float32).max), "3.4028235e+38"),
        (float("nan"), "NaN"),
        (float("-inf"), "-Inf"),
        (complex(1, float("inf")), "(1.0, +Inf)"),
        (True, "true"),
        (7, "7"),
    ],
)
def test_a_number_has_the_digits_that_tell_it_apart_in_its_type(value: Number, text: str) -> None:
    assert number_text(value) == text
