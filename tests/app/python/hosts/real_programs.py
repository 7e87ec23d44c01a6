"""Real programs of JAX, with their arguments: those that need JAX alone, and those of libraries around it.

Each runs in its four stages in a process of its own, see `running`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import hloscope

Made = tuple[Callable[..., Any], tuple[Any, ...]]
ALONE: dict[str, Callable[[], Made]] = {}
WITH_LIBRARIES: dict[str, Callable[[], Made]] = {}
KEY = jax.random.key(0)


def alone(function: Callable[[], Made]) -> Callable[[], Made]:
    ALONE[function.__name__] = function
    return function


def with_libraries(function: Callable[[], Made]) -> Callable[[], Made]:
    WITH_LIBRARIES[function.__name__] = function
    return function


def normal(*shape: int, seed: int = 0) -> Any:
    return jax.random.normal(jax.random.key(seed), shape)


def layers(*sizes: int) -> list[dict[str, Any]]:
    return [
        {"w": normal(inner, outer, seed=number) / inner**0.5, "b": jnp.zeros(outer)}
        for number, (inner, outer) in enumerate(pairwise(sizes))
    ]


def forward(params: Any, x: Any) -> Any:
    for layer in params[:-1]:
        x = jax.nn.relu(x @ layer["w"] + layer["b"])
    return x @ params[-1]["w"] + params[-1]["b"]


@alone
def mlp_train_step() -> Made:
    def step(params: Any, x: Any, labels: Any) -> Any:
        def loss(params: Any) -> Any:
            logits = jax.nn.log_softmax(forward(params, x))
            return -jnp.take_along_axis(logits, labels[:, None], 1).mean()

        value, slopes = jax.value_and_grad(loss)(params)
        return jax.tree.map(lambda old, slope: old - 0.1 * slope, params, slopes), value

    return step, (layers(8, 16, 4), normal(5, 8), jnp.array([0, 1, 2, 3, 0]))


@alone
def random_numbers() -> Made:
    def f(key: Any) -> Any:
        first, second = jax.random.split(key)
        return jax.random.normal(first, (3, 4)), jax.random.permutation(second, 10), second

    return f, (KEY,)


@alone
def small_floats() -> Made:
    def f(x: Any, w: Any) -> Any:
        return (x.astype(jnp.bfloat16) @ w.astype(jnp.bfloat16)).astype(jnp.float32)

    return f, (jnp.arange(12.0).reshape(3, 4), jnp.arange(8.0).reshape(4, 2))


@alone
def custom_derivative() -> Made:
    @jax.custom_vjp
    def clip(x: Any) -> Any:
        return x * 2

    clip.defvjp(lambda x: (clip(x), x), lambda x, g: (jnp.clip(g * x, -1, 1),))
    return jax.grad(lambda x: (clip(x) ** 2).sum()), (normal(5),)


# Libraries.


@with_libraries
def flax_linen() -> Made:
    import flax.linen as nn

    class Network(nn.Module):
        @nn.compact
        def __call__(self, x: Any) -> Any:
            x = nn.relu(nn.Conv(4, (3, 3))(x))
            x = nn.LayerNorm()(x.reshape(x.shape[0], -1))
            return nn.Dense(3)(x)

    model, x = Network(), normal(2, 6, 6, 1)
    return model.apply, (model.init(KEY, x), x)


@with_libraries
def flax_attention() -> Made:
    import flax.linen as nn

    model, x = nn.MultiHeadDotProductAttention(num_heads=2, qkv_features=8), normal(2, 5, 8)
    return model.apply, (model.init(KEY, x, x), x, x)


@with_libraries
def flax_nnx() -> Made:
    from flax import nnx

    class Network(nnx.Module):
        def __init__(self, rngs: Any) -> None:
            self.first, self.second = nnx.Linear(4, 8, rngs=rngs), nnx.Linear(8, 2, rngs=rngs)

        def __call__(self, x: Any) -> Any:
            return self.second(nnx.relu(self.first(x)))

    return nnx.jit(lambda model, x: model(x)), (Network(nnx.Rngs(0)), normal(3, 4))


@with_libraries
def equinox_mlp() -> Made:
    import equinox as eqx

    model = eqx.nn.MLP(3, 2, 8, 2, key=KEY)
    return eqx.filter_jit(lambda model, x: jax.vmap(model)(x)), (model, normal(4, 3))


@with_libraries
def equinox_gru() -> Made:
    import equinox as eqx

    cell = eqx.nn.GRUCell(3, 4, key=KEY)

    def f(cell: Any, xs: Any) -> Any:
        return jax.lax.scan(lambda h, x: ((new := cell(x, h)), new), jnp.zeros(4), xs)[1]

    return f, (cell, normal(5, 3))


@with_libraries
def optax_adamw() -> Made:
    import optax

    params = layers(4, 3)
    optimizer = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(1e-2))

    def step(params: Any, state: Any, x: Any) -> Any:
        slopes = jax.grad(lambda params: (forward(params, x) ** 2).mean())(params)
        updates, state = optimizer.update(slopes, state, params)
        return optax.apply_updates(params, updates), state

    return step, (params, optimizer.init(params), normal(6, 4))


@with_libraries
def optax_losses() -> Made:
    import optax

    def f(logits: Any, labels: Any) -> Any:
        return optax.softmax_cross_entropy_with_integer_labels(logits, labels), optax.huber_loss(logits[:, 0])

    return f, (normal(4, 5), jnp.array([0, 1, 4, 2]))


@with_libraries
def diffrax_ode() -> Made:
    import diffrax

    def f(y: Any, rate: Any) -> Any:
        term = diffrax.ODETerm(lambda t, y, rate: -rate * y)
        found = diffrax.diffeqsolve(term, diffrax.Heun(), 0.0, 1.0, 0.25, y, args=rate, max_steps=16)
        return found.ys

    return f, (normal(3), jnp.float32(0.7))


@with_libraries
def distrax_mixture() -> Made:
    import distrax

    def f(x: Any, means: Any) -> Any:
        return distrax.Normal(means, jnp.ones_like(means)).log_prob(x)

    return f, (normal(4), jnp.arange(4.0))


@with_libraries
def chex_dataclass() -> Made:
    import chex

    made: Any = chex.dataclass(type("State", (), {"__annotations__": {"position": Any, "speed": Any}}))

    def f(state: Any, dt: Any) -> Any:
        return made(position=state.position + dt * state.speed, speed=state.speed * 0.9)

    return f, (made(position=normal(3), speed=normal(3, seed=1)), jnp.float32(0.1))


STAGES = ("stablehlo", "hlo", "optimized")


def through_all_stages(make: Callable[[], Made]) -> dict[str, Any]:
    """Whether results in each stage are JAX's but for rounding, and how a session of each stage and of the passes ends."""
    function, arguments = make()
    wanted = jax.tree.leaves(jax.tree.map(plain, function(*arguments)))
    found: dict[str, Any] = {}
    for stage in STAGES:
        got = jax.tree.leaves(jax.tree.map(plain, hloscope.run(function, *arguments, stage=stage)))
        found[stage] = [
            len(got) == len(wanted)
            and all(close(left, right) for left, right in zip(got, wanted, strict=True)),
            _session(function, arguments, stage),
        ]
    found["passes"] = _session(function, arguments, "passes")
    return found


def _session(function: Any, arguments: Any, stage: str) -> str:
    with hloscope.debug(function, *arguments, stage=stage, open=False) as session:
        if session.passes is not None:
            return "done" if session.passes.dump.modules else "nothing"
        return session.wait(120)


def plain(leaf: Any) -> Any:
    if isinstance(leaf, jax.Array) and jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key):
        leaf = jax.random.key_data(leaf)
    return np.asarray(leaf)


def close(found: Any, wanted: Any) -> bool:
    if found.dtype != wanted.dtype or found.shape != wanted.shape:
        return False
    if found.dtype.kind in "biu":
        return bool(np.array_equal(found, wanted))
    return bool(
        np.allclose(found.astype(np.float64), wanted.astype(np.float64), rtol=2e-4, atol=2e-5, equal_nan=True)
    )


def _cases(makers: dict[str, Callable[[], Made]]) -> dict[str, Callable[[], Any]]:
    return {name: partial(through_all_stages, make) for name, make in makers.items()}


CASES = {**_cases(ALONE), **_cases(WITH_LIBRARIES)}
