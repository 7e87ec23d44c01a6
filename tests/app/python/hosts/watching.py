"""Steps of training that give NaN; runs in a process of its own, see `running`."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp

import hloscope

CASES: dict[str, Callable[[], Any]] = {}


def case(function: Callable[[], Any]) -> Callable[[], Any]:
    CASES[function.__name__] = function
    return function


def loss(params: Any, x: Any) -> Any:
    return jnp.log(x @ params["w"] + params["b"]).sum()


@partial(jax.jit, static_argnames="rate", donate_argnums=0)
def train_step(params: Any, x: Any, rate: float, unused: Any = None) -> Any:
    value, slopes = jax.value_and_grad(loss)(params, x)
    return jax.tree.map(lambda old, slope: old - rate * slope, params, slopes), value


def start() -> dict[str, Any]:
    return {"w": jnp.ones((3, 2)), "b": jnp.zeros(2)}


BATCHES = [jnp.ones((4, 3)), 2 * jnp.ones((4, 3)), jnp.ones((4, 3)).at[2, 1].set(-9.0), jnp.ones((4, 3))]


def train(step: Any) -> list[bool]:
    params, values = start(), []
    for batch in BATCHES:
        params, value = step(params, batch, rate=1e-3, unused=batch)
        values.append(bool(jnp.isnan(value)))
    return values


def told(seen: Any) -> dict[str, Any]:
    recording = seen.recording
    return {
        "function": seen.function,
        "sentence": seen.sentence,
        "arguments": [str(argument) for argument in recording.arguments],
        "batch": recording["x"].numpy()[2].tolist(),
        "op": recording[hloscope.Address.parse(seen.cause.address)].step.op,
        "session": seen.session is not None,
    }


@case
def on_nan() -> Any:
    """The functions were compiled before, and donate their arguments."""
    before = train(train_step)
    with hloscope.on_nan(open=False) as seen:
        within = train(train_step)
    return {"same": before == within == train(train_step), "values": within, **told(seen)}


@case
def watch() -> Any:
    step = hloscope.watch(open=False)(train_step)
    train(step)
    return told(step.nan_watch)


@case
def watch_within_a_trace() -> Any:
    watched = hloscope.watch(jnp.log)
    value = jax.jit(lambda x: watched(x) + 1)(jnp.float32(-1))
    return [bool(jnp.isnan(value)), watched.nan_watch.found, watched.nan_watch.sentence]


@case
def eager() -> Any:
    with hloscope.on_nan(open=False) as seen:
        jnp.sqrt(jnp.arange(3.0) - 1)
    return [seen.function, seen.sentence]


@case
def given() -> Any:
    def f(params: Any) -> Any:
        return params["w"] * 2

    with hloscope.on_nan(open=False) as seen:
        jax.jit(f)({"w": jnp.array([1.0, jnp.nan])})
    return seen.sentence


@case
def grad_and_vmap() -> Any:
    def inner(x: Any) -> Any:
        return jnp.sqrt(x)

    with hloscope.on_nan(open=False) as seen:
        jax.vmap(jax.jit(inner))(jnp.array([4.0, -1.0]))
    return [seen.found, seen.cause is not None]


@case
def nothing() -> Any:
    with hloscope.on_nan(open=False) as seen:
        jax.jit(lambda x: x + 1)(1.0)
    return [seen.found, seen.sentence, seen.cause is None]


@case
def an_exception_in_the_block() -> Any:
    seen = None
    try:
        with hloscope.on_nan(open=False) as seen:
            train(train_step)
            raise KeyError("mine")
    except KeyError as error:
        return [str(error), seen is not None and seen.found]


@case
def in_the_debugger() -> Any:
    words = io.StringIO()
    from hloscope.app.python import debug as python_sessions

    opened: list[str] = []
    python_sessions.Session.open = lambda self: opened.append(self.url)  # type: ignore[method-assign]
    with contextlib.redirect_stderr(words), hloscope.on_nan() as seen:
        train(train_step)
    assert seen.session is not None
    assert seen.cause is not None
    step = hloscope.Address.parse(seen.cause.address).number
    at = seen.session._client.info(seen.session.id)["position"]["step"]
    found = [
        seen.session.wait(60),
        at == step,
        opened == [seen.session.url],
        seen.sentence in words.getvalue(),
    ]
    seen.session.close()
    return found
