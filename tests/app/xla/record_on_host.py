"""Records a sharded function as one of several processes that `jax.distributed` connects: PORT PROCESSES PROCESS FOLDER."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import Mesh, NamedSharding, PartitionSpec

import hloscope
from hloscope.app.xla.several_hosts import HostsExecutor
from hloscope.engine.debugger.address import result
from hloscope.engine.remote_values import OnOtherHost

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
    unmodified = recording.unmodified
    assert unmodified is not None
    assert not unmodified.problem, unmodified.problem
    same = (recording.tracks[executor.processes[0]].results() or ())[0]
    assert unmodified.is_same == (np.asarray(same).tobytes() == theirs.tobytes())
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
    check_findings(mesh, executor.processes)
    print(f"recorded {executor.executions} segments of the processes {executor.processes}")


def check_findings(mesh: Mesh, own: list[int]) -> None:
    """Findings of values that another host has: those that are here are followed, the others are named."""
    whole = np.full((ROWS * jax.device_count(), COLUMNS), 2, np.float32)
    spec = PartitionSpec("x")
    sharding = NamedSharding(mesh, spec)

    def recorded(planted: tuple[int, ...], body: Callable[[jax.Array], jax.Array]) -> hloscope.Recording:
        rows = whole.copy()
        rows[list(planted), 3] = -1
        x = jax.make_array_from_callback(rows.shape, sharding, rows.__getitem__)
        step = jax.jit(
            jax.shard_map(body, mesh=mesh, in_specs=spec, out_specs=PartitionSpec(), check_vma=False)
        )
        return hloscope.record(step, x, on="cpu")

    def lost(x: jax.Array) -> jax.Array:
        # Nothing checks values that are only moved, so that they stay where they are.
        logs = jnp.flip(jnp.flip(jnp.log(x), 1), 0)
        return jax.lax.psum(jnp.where(jnp.isnan(logs), 0.0, logs), "x")

    # Each process makes a NaN, which reaches the results; the first is in process 0.
    everywhere = recorded(tuple(range(0, len(whole), ROWS)), lambda x: jax.lax.psum(jnp.log(x), "x"))
    (finding,) = everywhere.findings
    assert (finding.grade, finding.followed, finding.count) == ("harmful", True, jax.device_count())
    origin = everywhere.origin_of_nan()
    assert origin is not None
    assert origin.op == finding.op
    # Process 0 alone makes one, which a select replaces: only its host sees that.
    masked = recorded((0,), lost)
    (finding,) = masked.findings
    if 0 in own:
        assert (finding.grade, finding.followed, masked.findings_rest) == ("masked", True, "")
    else:
        assert (finding.grade, finding.followed, finding.elsewhere) == ("harmful", False, True)
        assert "1 finding was not followed to the end, because host 0 has" in masked.findings_rest
        assert "in process (0, 0)" in masked.findings_rest
        assert "hloscope merge" in masked.findings_rest
        assert masked.findings_rest in masked._repr_html_()
        assert not masked.follow_findings(seconds=600), "it ends without waiting for what is not here"
    # The results differ, and are stated to be the same.
    differing = recorded((0,), jnp.sin)
    kinds = [each.kind for each in differing.findings]
    assert kinds == ["divergence"] or "stated to be the same" in differing.findings_rest, (
        kinds,
        differing.findings_rest,
    )


def end(status: int) -> None:
    """End without JAX's barrier at exit, where a process that has failed would wait for the others."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


if __name__ == "__main__":
    try:
        main(sys.argv[1], sys.argv[2], sys.argv[3], Path(sys.argv[4]))
    except BaseException:
        traceback.print_exc()
        end(1)
    # The others need the first process, which has the coordinator, until they are done.
    jax.distributed.shutdown()
    end(0)
