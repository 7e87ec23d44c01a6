"""A job of four devices that hangs, for `test_hang_logs.py`: it prints its program, then XLA ends it.

Devices 0 and 1 gather first, the others reduce first.
"""

import os

os.environ["XLA_FLAGS"] = (
    "--xla_force_host_platform_device_count=4 --xla_cpu_collective_call_warn_stuck_timeout_seconds=1 "
    "--xla_cpu_collective_call_terminate_timeout_seconds=2"
)

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, PartitionSpec


def gather(x: jax.Array) -> jax.Array:
    return lax.all_gather(x, "x").sum(axis=0)


def exchange(x: jax.Array) -> jax.Array:
    return lax.cond(
        lax.axis_index("x") < 2,
        lambda y: lax.psum(gather(y), "x"),
        lambda y: gather(lax.psum(y, "x")),
        x,
    )


def main() -> None:
    mesh = Mesh(np.array(jax.devices()), ("x",))
    spec = PartitionSpec("x")
    function = jax.jit(jax.shard_map(exchange, mesh=mesh, in_specs=spec, out_specs=spec, check_vma=False))
    x = jnp.arange(8.0)
    print(function.lower(x).as_text(), flush=True)
    function(x).block_until_ready()


if __name__ == "__main__":
    main()
