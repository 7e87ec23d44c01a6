"""The comparisons of `test_shard_map` with more programs, other ones each time."""

from __future__ import annotations

from random import SystemRandom

import pytest

from .client import Oracle
from .sharded.recipes import recipe
from .test_shard_map import compare_with_jax

pytestmark = [
    pytest.mark.long,
    pytest.mark.filterwarnings("default::tests.oracle.client.OracleCrashWarning"),
]
PROGRAMS, TOGETHER = 400, 20


@pytest.mark.parametrize("part", range(PROGRAMS // TOGETHER))
def test_agrees_with_jax(part: int, devices: Oracle) -> None:
    for _ in range(TOGETHER):
        seed = SystemRandom().randrange(1 << 30)
        given = recipe(seed)
        partitioner = "gspmd" if seed % 4 == 0 and not given.free else "shardy"
        print(f"recipe({seed}) by {partitioner}")  # shown where it fails
        compare_with_jax(given, devices, partitioner)
