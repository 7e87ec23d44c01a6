"""Writes programs of JAX in every form that it has for them, with inputs and results: `python -m tests.app.runs.formats.jax_files FOLDER`.

Runs in a process of its own, as all that needs jax does.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np


def programs() -> dict[str, tuple[Callable[..., Any], tuple[Any, ...]]]:
    """Functions of JAX and their inputs."""
    import jax
    import jax.numpy as jnp
    from jax import lax

    def f(*shape: int) -> Any:
        return np.random.default_rng(sum(shape)).normal(size=shape).astype(np.float32)

    def mlp(params: Any, x: Any) -> Any:
        for layer in params:
            x = jnp.tanh(x @ layer["w"] + layer["b"])
        return x

    layers = [{"w": f(4, 8), "b": f(8)}, {"w": f(8, 3), "b": f(3)}]

    def loss(params: Any, x: Any, y: Any) -> Any:
        return jnp.mean((mlp(params, x) - y) ** 2)

    def attention(q: Any, k: Any, v: Any) -> Any:
        scores = jnp.einsum("bqd,bkd->bqk", q, k) / jnp.sqrt(q.shape[-1])
        return jax.nn.softmax(scores) @ v

    def layer_norm(x: Any, scale: Any) -> Any:
        return (x - x.mean(-1, keepdims=True)) * lax.rsqrt(x.var(-1, keepdims=True) + 1e-5) * scale

    def step(params: Any, x: Any, y: Any) -> Any:
        return jax.tree.map(lambda p, g: p - 0.1 * g, params, jax.grad(loss)(params, x, y))

    def conv(x: Any, k: Any) -> Any:
        return lax.conv_general_dilated(x, k, (1, 1), "SAME")

    def newton(x: Any) -> Any:
        return lax.while_loop(lambda y: jnp.abs(y * y - x) > 1e-3, lambda y: 0.5 * (y + x / y), x)

    return {
        "mlp": (mlp, (layers, f(5, 4))),
        "loss": (loss, (layers, f(5, 4), f(5, 3))),
        "training_step": (step, (layers, f(5, 4), f(5, 3))),
        "attention": (attention, (f(2, 3, 4), f(2, 5, 4), f(2, 5, 4))),
        "layer_norm": (layer_norm, (f(4, 6), f(6))),
        "softmax": (jax.nn.softmax, (f(3, 5),)),
        "convolution": (conv, (f(1, 2, 6, 6), f(3, 2, 3, 3))),
        "max_pool": (lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (2, 2), (2, 2), "VALID"), (f(6, 6),)),
        "newton": (newton, (np.float32(7),)),
        "scan": (lambda x: lax.scan(lambda c, y: (c * 0.5 + y, c), jnp.zeros(3), x), (f(6, 3),)),
        "branch": (lambda p, x: lax.cond(p, jnp.sin, jnp.cos, x), (np.bool_(True), f(4))),
        "switch": (lambda i, x: lax.switch(i, [jnp.exp, jnp.tanh, jnp.negative], x), (np.int32(2), f(4))),
        "sort": (lambda x: (jnp.sort(x), jnp.argsort(x)), (f(9),)),
        "argmax": (lambda x: jnp.argmax(x, 1), (f(3, 7),)),
        "gather": (lambda x, i: x[i], (f(5, 3), np.array([4, 0, 2], np.int32))),
        "scatter": (lambda x, i: x.at[i].add(1.0), (f(5), np.array([1, 1, 3], np.int32))),
        "dynamic_slice": (lambda x, i: lax.dynamic_slice(x, (i, 0), (2, 3)), (f(5, 3), np.int32(2))),
        "cumulative_sum": (lambda x: jnp.cumsum(x, 0), (f(6, 2),)),
        "random": (
            lambda key: jax.random.uniform(jax.random.wrap_key_data(key), (4,)),
            (np.array([0, 7], np.uint32),),
        ),
        "bits": (lambda x: (x << 3) ^ (x >> 1) & 0x55, (np.arange(8, dtype=np.int32),)),
        # In halves, for XLA leaves out the rounding between ops of one fusion.
        "half": (
            lambda x: (x.astype(jnp.bfloat16) * 3).astype(jnp.float32),
            (np.arange(6, dtype=np.float32) / 2,),
        ),
        "complex": (lambda x: jnp.abs(x * (1 + 2j)), (f(4).astype(np.complex64),)),
        "vmap": (jax.vmap(jnp.outer), (f(2, 3), f(2, 4))),
        "constants": (lambda x: x + jnp.asarray(f(64, 64)), (f(64, 64),)),
    }


def write(folder: Path) -> None:
    """All files: `NAME.FORM`, `NAME.npz` with `in_0`, …, `out_0`, …."""
    import jax
    from jax import export
    from jax._src.interpreters import mlir
    from jaxlib.mlir.dialects import stablehlo

    for name, (function, inputs) in programs().items():
        lowered = jax.jit(function).lower(*inputs)
        module = lowered.compiler_ir("stablehlo")
        text = str(module)
        (folder / f"{name}.mlir").write_text(text)
        (folder / f"{name}.bytecode").write_bytes(mlir.module_to_bytecode(module))
        for form, version in (
            ("oldest", stablehlo.get_minimum_version()),
            ("newest", stablehlo.get_current_version()),
        ):
            with suppress(ValueError):  # an op that was not there yet
                artifact = stablehlo.serialize_portable_artifact_str(text, version)
                (folder / f"{name}.{form}").write_bytes(artifact)
        (folder / f"{name}.export").write_bytes(bytes(export.export(jax.jit(function))(*inputs).serialize()))
        proto = lowered.compiler_ir("hlo").as_serialized_hlo_module_proto()
        (folder / f"{name}.proto").write_bytes(proto)
        dump = {
            "xla_dump_to": str(folder / name),
            "xla_dump_hlo_snapshots": True,
            "xla_dump_hlo_as_proto": True,
        }
        results = jax.tree.leaves(lowered.compile(compiler_options=dump)(*inputs))
        named = {f"in_{number}": np.asarray(leaf) for number, leaf in enumerate(jax.tree.leaves(inputs))}
        named |= {f"out_{number}": np.asarray(leaf) for number, leaf in enumerate(results)}
        arrays: Any = named
        np.savez(folder / f"{name}.npz", **arrays)
    _write_versions(folder)
    _write_exports(folder)


def _write_versions(folder: Path) -> None:
    """One program as an artifact of every version that there is."""
    import jax
    from jaxlib.mlir.dialects import stablehlo

    function, inputs = programs()["mlp"]
    text = jax.jit(function).lower(*inputs).as_text()
    for major, minors in ((0, range(9, 30)), (1, range(40))):
        for minor in minors:
            version = f"{major}.{minor}.0"
            with suppress(ValueError):
                artifact = stablehlo.serialize_portable_artifact_str(text, version)
                (folder / f"version_{version}").write_bytes(artifact)


def _write_exports(folder: Path) -> None:
    """What `jax.export` leaves open: sizes, platforms; and what readers have not registered."""
    import jax
    import jax.numpy as jnp
    from jax import export

    def put(name: str, exported: Any) -> None:
        (folder / name).write_bytes(bytes(exported.serialize()))

    def shaped(*shape: Any) -> Any:
        return jax.ShapeDtypeStruct(shape, np.float32)

    b, k = export.symbolic_shape("b, k")
    put(
        "symbolic",
        export.export(jax.jit(lambda p, x: jnp.tanh(x @ p["w"])))({"w": shaped(k, 3)}, shaped(b, k)),
    )
    (even,) = export.symbolic_shape("2*n", constraints=["n >= 3", "mod(n, 5) == 0"])
    put("constrained", export.export(jax.jit(lambda x: x.reshape(2, -1).sum(0)))(shaped(even)))
    on = jax.jit(lax_platform)
    put("platforms", export.export(on, platforms=["tpu", "cpu", "cuda"])(shaped(4)))
    put("unused", export.export(jax.jit(lambda x, y, z: x + z))(shaped(2), shaped(3), shaped(2)))

    mesh = jax.make_mesh((1,), ("x",), axis_types=(jax.sharding.AxisType.Auto,))
    sharding = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("x"))
    put("meshed", export.export(jax.jit(lambda x: 2 * x, in_shardings=sharding))(shaped(4)))

    @jax.tree_util.register_pytree_node_class
    class Pair:
        def __init__(self, a: Any, b: Any) -> None:
            self.a, self.b = a, b

        def tree_flatten(self) -> Any:
            return (self.a, self.b), None

        @classmethod
        def tree_unflatten(cls, _: Any, children: Any) -> Any:
            return cls(*children)

    export.register_pytree_node_serialization(
        Pair,
        serialized_name="tests.Pair",
        serialize_auxdata=lambda _: b"",
        deserialize_auxdata=lambda _: None,
    )
    put("own_tree", export.export(jax.jit(lambda p: Pair(p.a - p.b, p.a)))(Pair(shaped(2), shaped(2))))


def lax_platform(x: Any) -> Any:
    """Something else on each platform."""
    from jax import lax

    return lax.platform_dependent(x, cpu=lambda x: x + 1, tpu=lambda x: x + 2, default=lambda x: x + 3)


if __name__ == "__main__":
    write(Path(sys.argv[1]))
