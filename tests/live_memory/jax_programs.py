"""Programs of JAX, compiled for CPU with dumps: `python -m tests.live_memory.jax_programs FOLDER [NAME …]`.

Each program has a folder of what XLA dumps, with `stats.json`: the figures of `compiled.memory_analysis()`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

jax.config.update("jax_num_cpu_devices", 8)
jax.config.update("jax_enable_compilation_cache", False)

F32 = jnp.float32
Program = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]


def array(*shape: int, dtype: Any = F32) -> jax.ShapeDtypeStruct:
    """An argument of which only the type matters."""
    return jax.ShapeDtypeStruct(shape, dtype)


def _mlp(w1: Any, w2: Any, x: Any) -> Any:
    return (jnp.tanh(x @ w1) @ w2).sum()


def _layers(ws: Any, x: Any) -> Any:
    for w in ws:
        x = jnp.tanh(x @ w)
    return (x**2).sum()


def _scan(w: Any, x: Any) -> Any:
    def step(h: Any, _: Any) -> Any:
        h = jnp.tanh(h @ w)
        return h, h.sum(0)

    h, sums = lax.scan(step, x, None, length=6)
    return h.sum() + sums.sum()


def _attention(q: Any, k: Any, v: Any) -> Any:
    return jax.nn.softmax(q @ k.swapaxes(-1, -2) / 8, axis=-1) @ v


def _fill(x: Any) -> Any:
    return lax.fori_loop(
        0, 16, lambda i, a: lax.dynamic_update_slice(a, jnp.sin(x), (i, 0)), jnp.zeros((32, 256))
    )


def _branches(p: Any, x: Any) -> Any:
    return lax.cond(p, lambda a: jnp.sort(a, 0) @ a, lambda a: jnp.tanh(a) + 1, x)


def _halve(x: Any) -> Any:
    return lax.while_loop(lambda s: s.sum() > 1, lambda s: (s @ s) / 2, x)


def _checkpointed(ws: Any, x: Any) -> Any:
    for w in ws:
        x = jax.checkpoint(lambda x, w: jnp.sin(jnp.tanh(x @ w)))(x, w)
    return x.sum()


def _sgd(ws: Any, x: Any) -> Any:
    return jax.tree.map(lambda w, g: w - 0.1 * g, ws, jax.grad(_layers)(ws, x))


def _sharded() -> Program:
    mesh = jax.make_mesh((8,), ("x",))
    from jax.sharding import NamedSharding
    from jax.sharding import PartitionSpec as P

    rows, columns = NamedSharding(mesh, P("x", None)), NamedSharding(mesh, P(None, "x"))
    f = lambda x, w, v: jnp.tanh(x @ w) @ v  # noqa: E731
    return f, (array(64, 128), array(128, 256), array(256, 64)), {"in_shardings": (columns, columns, rows)}


def programs() -> dict[str, Program]:
    """Twenty programs by name: the function, its arguments, and options of `jax.jit`."""
    square, weights = array(128, 128), tuple(array(64, 64) for _ in range(4))
    return {
        "mlp_grad": (jax.grad(_mlp, (0, 1)), (array(64, 256), array(256, 32), array(128, 64)), {}),
        "layers_grad": (jax.grad(_layers), (weights, array(32, 64)), {}),
        "sgd_donated": (_sgd, (weights, array(32, 64)), {"donate_argnums": 0}),
        "scan": (_scan, (square, array(8, 128)), {}),
        "scan_grad": (jax.grad(_scan), (square, array(8, 128)), {}),
        "attention": (_attention, tuple(array(2, 4, 128, 64) for _ in range(3)), {}),
        "attention_grad": (jax.grad(lambda *a: _attention(*a).sum(), (0, 1, 2)), tuple(array(2, 64, 64) for _ in range(3)), {}),
        "fill_loop": (_fill, (array(1, 256),), {}),
        "branches": (_branches, (array(dtype=jnp.bool_), square), {}),
        "while": (_halve, (square,), {}),
        "checkpoint_grad": (jax.grad(_checkpointed), (weights, array(32, 64)), {}),
        "elementwise": (lambda x: jnp.cumsum(jnp.sin(x) * jnp.exp(x), 0) + jnp.sort(x, 0), (square,), {}),
        "convolution_grad": (
            jax.grad(lambda k, x: (lax.conv(x, k, (1, 1), "SAME") ** 2).sum()),
            (array(8, 3, 3, 3), array(4, 3, 32, 32)),
            {},
        ),
        "fft": (lambda x: jnp.fft.ifft(jnp.fft.fft(x) * 2).real, (square,), {}),
        "scatter": (lambda x, i: x.at[i].add(1.0).at[i].mul(2.0), (array(4096), array(64, dtype=jnp.int32)), {}),
        "donated_update": (
            lambda cache, row, i: lax.dynamic_update_slice(cache, row, (i, jnp.int32(0))),
            (array(512, 64), array(1, 64), array(dtype=jnp.int32)),
            {"donate_argnums": 0},
        ),
        "bf16": (lambda a, b: jax.nn.relu(a @ b).astype(F32).sum(0), (array(128, 64, dtype=jnp.bfloat16), array(64, 256, dtype=jnp.bfloat16)), {}),
        "random": (lambda: jax.random.normal(jax.random.key(0), (256, 256)) @ jnp.ones((256, 8)), (), {}),
        "batched_solve": (lambda a, b: jnp.linalg.solve(a @ a.swapaxes(-1, -2) + jnp.eye(16), b), (array(8, 16, 16), array(8, 16, 4)), {}),
        "sharded": _sharded(),
    }  # fmt: skip


def main(folder: Path, names: list[str]) -> None:
    """Compile the programs into folders."""
    for name, (function, arguments, options) in programs().items():
        if names and name not in names:
            continue
        place = folder / name
        function.__name__ = getattr(function, "__name__", name)
        compiled = (
            jax.jit(function, **options)
            .lower(*arguments)
            .compile(compiler_options={"xla_dump_to": str(place), "xla_dump_hlo_as_text": True})
        )
        stats = compiled.memory_analysis()
        figures = {
            each: getattr(stats, f"{each}_size_in_bytes") for each in ("argument", "output", "alias", "temp")
        }
        place.mkdir(exist_ok=True)
        (place / "stats.json").write_text(json.dumps(figures))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
