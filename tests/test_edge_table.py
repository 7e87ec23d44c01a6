"""The page of edge values says what the ops give."""

import numpy as np

from tests.edge_table import FILE, number, page, ran


def test_the_page_is_what_the_ops_give() -> None:
    told = "run `python -m tests.edge_table`, and look at what has changed"
    text = FILE.read_text("utf-8")
    assert text == page(text), told


def test_a_table_that_is_out_of_date_is_written_anew() -> None:
    text = FILE.read_text("utf-8")
    assert page(text.replace("| nan |", "| 1 |")) == text


def test_numbers_are_written_as_people_do() -> None:
    given = (0.0, -0.0, 2.0**-149, -np.pi / 2, np.inf, np.nan, 88.72283)
    assert list(map(number, given)) == ["0", "-0", "tiny", "-π/2", "inf", "nan", "88.7228"]


def test_lgamma_beside_0_is_a_logarithm() -> None:
    """SciPy's divides by a denormal there."""
    smallest = np.array([5e-324, -5e-324, 1e-310, 1e-40, 0.0])
    found = ran("chlo.lgamma", [smallest], "f64")
    assert found.tolist() == [*(-np.log(np.abs(smallest[:4]))).tolist(), np.inf]
