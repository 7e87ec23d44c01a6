"""Programs that people run on many devices: equal to what JAX computes on eight, and to the same on one device."""

from __future__ import annotations

import pytest

from hloscope.engine.source import Source

from . import ours
from .client import Oracle
from .on_devices import differing, mismatch, results_of_all

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


@pytest.mark.parametrize("name", NAMES)
def test_is_what_one_device_computes(name: str, devices: Oracle) -> None:
    parallel = devices.export_parallel(name)
    alone = devices.export_parallel(name, alone=True)
    wanted = ours.run(alone.mlir, alone.inputs)
    assert len(wanted) == len(alone.results)
    for process, results in enumerate(results_of_all(Source(parallel.mlir), parallel.inputs)):
        wrong = mismatch(results, wanted)
        assert wrong is None, f"process {process}: {wrong}"
