"""The measurement of a device, on values with known errors, and on XLA's CPU."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from hloscope.engine.ops.core.devices import CPU, NVIDIA, Accuracy

from .__main__ import main
from .functions import (
    FUNCTIONS,
    Measured,
    Product,
    exact_values,
    exceeded,
    find_largest,
    measure,
    points,
    products,
    table,
)

F32 = np.dtype(np.float32)


def measured(name: str, change: Any) -> Measured:
    """The measurement of a function that is exact but for a change."""
    arguments = points(FUNCTIONS[name], F32, np.random.default_rng(0))
    exact = exact_values(name, arguments)
    assert exact is not None
    with np.errstate(all="ignore"):
        return find_largest(name, F32, arguments, change(exact), exact)


@pytest.mark.parametrize("name", list(FUNCTIONS))
def test_a_function_without_errors_has_none(name: str) -> None:
    found = measured(name, lambda exact: exact)
    assert (found.ulps, found.absolute) == (0, 0)


def units(exact: Any) -> Any:
    """Units in the last place of f32."""
    return np.ldexp(2.0**-23, np.frexp(exact)[1] - 1)


def test_errors_are_in_units_in_the_last_place() -> None:
    found = measured("exponential", lambda exact: exact + 2.5 * units(exact))
    assert found.ulps == pytest.approx(2.5)
    assert found.row() == Accuracy(2.8)
    assert found.exact == pytest.approx(np.exp(found.worst[0]))


def test_errors_near_zeros_are_absolute() -> None:
    found = measured("lgamma", lambda exact: exact + 1e-5)
    assert found.absolute == pytest.approx(1e-5, rel=0.1)
    assert found.ulps <= 4


@pytest.mark.filterwarnings("error")
def test_arguments_beyond_a_small_type_are_infinite_without_a_warning() -> None:
    drawn = points(FUNCTIONS["atan2"], np.dtype(np.float16), np.random.default_rng(0))
    assert any(np.isinf(value).any() for value in drawn)


def test_missing_numbers_are_infinitely_wrong() -> None:
    assert measured("tanh", lambda exact: np.where(exact > 0.5, np.nan, exact)).ulps == np.inf


def test_rows_that_a_device_exceeds_are_named() -> None:
    tanh = measured("tanh", lambda exact: exact + 20 * units(exact))
    zeta = replace(tanh, function="zeta")
    names = ("float32 HIGH", "complex64 DEFAULT", "float32 HIGHEST")
    products = [Product(f"dot {name}", 2.0**-11, 0.0) for name in names]
    kept = {"add": False, "dot": False, "divide": True}
    found = list(exceeded(NVIDIA, [tanh, zeta], products, kept, {"scatter": 9, "reduce": 2}))
    assert [line.partition(":")[0] for line in found] == [
        "tanh float32", "zeta float32", "dot float32 HIGHEST", "denormals", "reduce",
    ]  # fmt: skip
    assert list(exceeded(CPU, [], [], {"add": False}, {})) == []


def test_rows_are_printed_as_the_table_has_them() -> None:
    tanh = measured("tanh", lambda exact: exact + 1.9 * units(exact))
    assert list(table([tanh])) == ['    "tanh": _row(2.1, None, None, None),']


def test_parts_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert capsys.readouterr().out.startswith("functions ")


@pytest.mark.oracle
def test_the_cpu_keeps_to_its_table(capsys: pytest.CaptureFixture[str]) -> None:
    main(["functions", "--on", "cpu", "--json", "--seconds", "0"])
    found = json.loads(capsys.readouterr().out)
    assert (found["exceeded"], found["functions"], found["different_results"]["scatter"]) == ([], [], 1)
    assert len(found["left_out"]) > len(FUNCTIONS)


@pytest.mark.oracle
def test_a_function_and_a_product_of_the_cpu_are_measured() -> None:
    import jax

    on = jax.devices("cpu")[0]
    tanh, product = measure("tanh", F32, on), dict(products(on))["dot float32 DEFAULT"]()
    assert tanh is not None
    assert 0.5 < tanh.ulps < 100
    assert (list(exceeded(CPU, [tanh], [product], {}, {})), product.factors) == ([], 0)
