"""Random functions of shard_map on eight devices: every process has what JAX has, of each text that JAX makes of them."""

from __future__ import annotations

import json
import warnings

import pytest

from .client import Oracle, OracleCrashed, OracleCrashWarning, OracleRefused
from .on_devices import differing
from .sharded.recipes import Recipe, recipe, smaller

pytestmark = [
    pytest.mark.oracle,
    pytest.mark.filterwarnings("default::tests.oracle.client.OracleCrashWarning"),
]
PROGRAMS = 16
"""`test_at_length` draws many more."""
BY_GSPMD = [seed for seed in range(60, 72) if not recipe(seed).free]
"""Without axes that are left to XLA: GSPMD dies of most of those."""
MOST_TRIES = 60
"""How many smaller programs are looked at when one fails."""


@pytest.mark.parametrize("seed", range(PROGRAMS))
def test_agrees_with_jax(seed: int, devices: Oracle) -> None:
    compare_with_jax(recipe(seed), devices)


@pytest.mark.parametrize("seed", BY_GSPMD)
def test_agrees_without_shardy(seed: int, devices: Oracle) -> None:
    compare_with_jax(recipe(seed), devices, "gspmd")


def compare_with_jax(given: Recipe, devices: Oracle, partitioner: str = "shardy") -> None:
    """Fails with the smallest program that differs as well."""
    wrong = wrong_of(given, devices, partitioner)
    if wrong is None:
        return
    for _ in range(MOST_TRIES):
        found = next(
            ((less, why) for less in smaller(given) if (why := wrong_of(less, devices, partitioner))), None
        )
        if found is None:
            break
        given, wrong = found
    pytest.fail(f"{wrong}\n{json.dumps(given.to_json())}")


def wrong_of(given: Recipe, devices: Oracle, partitioner: str) -> str | None:
    """What differs, with the program; `None` if nothing does, or JAX itself cannot run it."""
    try:
        asked = devices.export_recipe(given.to_json(), partitioner)
    except OracleRefused:
        return None  # JAX has rules of its own about what can be nested in what
    except OracleCrashed as crash:
        warnings.warn(f"XLA died: {str(crash).splitlines()[0]}\n{given}", OracleCrashWarning, stacklevel=2)
        return None
    return differing(asked)
