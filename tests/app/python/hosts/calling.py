"""Programs that call Python while they run; runs in a process of its own, see `running`."""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import io_callback

import hloscope

CASES: dict[str, Callable[[], Any]] = {}
X = jnp.linspace(0, 1, 3)
SHAPE = jax.ShapeDtypeStruct((3,), "float32")
calls: list[str] = []


def case(function: Callable[[], Any]) -> Callable[[], Any]:
    CASES[function.__name__] = function
    return function


def sine(x: Any) -> Any:
    calls.append("sine")
    return np.sin(x)


def count(x: Any) -> Any:
    calls.append("count")
    return np.float32(len(calls))


def looped(x: Any) -> Any:
    y = jax.lax.fori_loop(0, 3, lambda i, c: c + jax.pure_callback(sine, SHAPE, c), x)
    jax.debug.print("sum {}", y.sum())
    return y


def ordered(x: Any) -> Any:
    first = io_callback(count, jax.ShapeDtypeStruct((), "float32"), x, ordered=True)
    second = io_callback(count, jax.ShapeDtypeStruct((), "float32"), x, ordered=True)
    return first, second


@case
def called_once_for_each_execution() -> Any:
    found = {}
    for stage in ("stablehlo", "hlo", "optimized"):
        calls.clear()
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            recording = hloscope.record(looped, X, stage=stage, callbacks="run")
        results = recording.results()
        assert results is not None
        recorded = len(calls)
        for step in recording:
            for value in step.results:
                value.numpy()
        last = recording.of_op("add" if stage != "optimized" else "fusion")[-1]
        again = recording._replay_until(0, recording._key(last.results[0].address), last.number)
        found[stage] = [
            np.allclose(results[0], looped(X)),
            recorded,
            printed.getvalue().startswith("sum"),
            len(again) > 0,
        ]
        calls.clear()
    return found


@case
def answers_come_back_from_a_file() -> Any:
    recording = hloscope.record(looped, X, callbacks="run")
    calls.clear()
    with TemporaryDirectory() as folder:
        recording.save(Path(folder) / "run")
        loaded = hloscope.load(Path(folder) / "run")
    return [np.array_equal(loaded.results()[0], recording.results()[0]), list(calls)]  # type: ignore[index]


@case
def tokens_are_left_out() -> Any:
    calls.clear()
    first, second = hloscope.run(ordered, X, callbacks="run")
    return [float(first), float(second)]


@case
def undecided() -> Any:
    def guarded(x: Any) -> Any:
        return jax.lax.cond(x.sum() > 9, lambda x: jax.pure_callback(sine, SHAPE, x), lambda x: x + 1, x)

    reason = hloscope.record(looped, X).state.diagnostic
    assert reason is not None
    return [reason.text, hloscope.run(guarded, X).tolist() == (X + 1).tolist()]


@case
def gone_past_with_a_warning() -> Any:
    def f(x: Any) -> Any:
        jax.debug.print("x {}", x)
        return x + 1

    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        result = hloscope.run(f, X)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        hloscope.run(f, X, callbacks="skip")
    return [
        np.allclose(result, X + 1),
        [str(each.message) for each in told if each.category is hloscope.CallbackWarning],
    ]


@case
def given_values() -> Any:
    def f(x: Any) -> Any:
        return jax.pure_callback(sine, SHAPE, x)

    calls.clear()
    return [
        hloscope.run(f, X, callbacks={"sine": 7}).tolist(),
        hloscope.run(f, X, callbacks={"sine": lambda x: x * 2}).tolist(),
        hloscope.run(f, X, bindings={"%0": np.ones(3, np.float32)}, callbacks={"%0": None}).tolist(),
        list(calls),
    ]


@case
def callbacks_that_fail() -> Any:
    def wrong(x: Any) -> Any:
        raise ValueError("not today")

    def f(x: Any) -> Any:
        return jax.pure_callback(wrong, SHAPE, x)

    def g(x: Any) -> Any:
        return jax.pure_callback(sine, SHAPE, x)

    return [
        hloscope.record(f, X, callbacks="run").state.reason,
        hloscope.record(g, X, callbacks={"sine": lambda x: np.zeros(2)}).state.reason,
    ]


@case
def in_the_debugger() -> Any:
    calls.clear()
    with (
        contextlib.redirect_stdout(io.StringIO()),
        hloscope.debug(looped, X, callbacks="run", open=False) as session,
    ):
        state = session.wait(60)
        info = session._client.info(session.id)
        kinds = [
            argument["input"].get("array") or argument["input"]["kind"]
            for argument in info["run"]["arguments"]
        ]
        found = [state, kinds, len(calls), session.recording.state.kind]
    return found
