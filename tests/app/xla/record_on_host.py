"""Records a sharded function as one of several processes that `jax.distributed` connects: PORT PROCESSES PROCESS FOLDER."""

from __future__ import annotations

import sys
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import NamedSharding, PartitionSpec

import hloscope
from hloscope.app.xla.several_hosts import HostsExecutor, OnOtherHost
from hloscope.engine.debugger.address import result

ROWS, COLUMNS = 2, 1 << 14


def main(port: str, processes: str, process: str, folder: Path) -> None:
    """Record, compare with the function's own result, and save."""
    jax.config.update("jax_platforms", "cpu")
    jax.config.update("jax_cpu_collectives_implementation", "gloo")
    jax.distributed.initialize(f"localhost:{port}", int(processes), int(process))
    mesh = jax.make_mesh((jax.device_count(),), ("x",))
    whole = np.random.default_rng(0).standard_normal((ROWS * jax.device_count(), COLUMNS), np.float32)
    sharding = NamedSharding(mesh, PartitionSpec("x"))
    x = jax.make_array_from_callback(whole.shape, sharding, whole.__getitem__)

    def local_step(x: jax.Array) -> jax.Array:
        """Sines, summed over the devices; a loop, and a value that is small."""
        total = jax.lax.psum(jnp.sin(x), "x")
        total = jax.lax.fori_loop(0, 2, lambda _, y: jnp.tanh(y), total)
        return total + total.mean()

    step = jax.jit(
        jax.shard_map(local_step, mesh=mesh, in_specs=PartitionSpec("x"), out_specs=PartitionSpec())
    )
    recording = hloscope.record(step, x, on="cpu")
    assert recording.state.kind == "done", recording.state
    executor = recording.executor
    assert isinstance(executor, HostsExecutor)
    theirs = np.asarray(step(x).addressable_data(0))
    for number in executor.processes:
        np.testing.assert_allclose(
            np.asarray((recording.tracks[number].results() or ())[0]), theirs, 1e-5, 1e-6
        )
    other = next(number for number in range(len(recording.tracks)) if number not in executor.processes)
    first = recording.of_op("tanh")[0].number
    facts = recording[f"{other}.s{first}.0"].statistics
    assert facts is not None
    assert facts.range.maximum <= 1
    executions = executor.executions
    with pytest.raises(OnOtherHost, match="hloscope merge"):
        recording.value(result(first, 0, other))
    assert executor.executions == executions, "nothing is computed again"
    recording.save(folder / f"host{process}.npz")
    print(f"recorded {executor.executions} segments of the processes {executor.processes}")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], Path(sys.argv[4]))
