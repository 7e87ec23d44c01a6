"""Programs that people run on many devices: equal to what JAX computes on eight."""

from __future__ import annotations

import pytest

from .client import Oracle
from .on_devices import differing

pytestmark = pytest.mark.oracle
NAMES = (
    *("ring_all_reduce", "ring_attention", "data_parallel", "tensor_parallel", "fully_sharded"),
    *("scattered_gradients", "annotated", "pipeline"),
)


@pytest.mark.parametrize("partitioner", ["shardy", "gspmd"])
@pytest.mark.parametrize("name", NAMES)
def test_agrees_with_jax(name: str, partitioner: str, devices: Oracle) -> None:
    wrong = differing(devices.export_parallel(name, partitioner))
    assert wrong is None, wrong
