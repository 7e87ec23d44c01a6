"""`on_nan` and `watch`: debug the first call of a jitted function whose results hold NaN.

`on_nan` sees every call within its block; it depends on how JAX calls functions. `watch` sees the calls of one
function and uses only documented parts of JAX. Arguments are copied before each call, because a call may donate
them.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, overload

import numpy as np

from hloscope.engine.debugger.address import Address
from hloscope.engine.findings import Cause

from ..base.settings import Settings
from .debug import Session, open_session, shows_in_browser
from .functions import record_given
from .given_programs import GivenProgram
from .hosts import jax_adapter
from .hosts.host_program import HostProgram, kind_of
from .hosts.jax_programs import Call, import_jax, program_of_call, program_of_jax
from .recording import Recording


class NanWatch:
    """The outcome of a watch: empty while `found` is false."""

    def __init__(self, open: bool | None, on: str | None = None) -> None:
        self._open, self._on = open, on
        self.recording: Recording | None = None
        """The first call whose results hold NaN, recorded by hloscope or `on` a device; with `open` also in the debugger."""
        self.session: Session | None = None
        """That call in the debugger."""
        self.function = ""
        """The function's name."""

    @property
    def found(self) -> bool:
        """Whether a call returned NaN."""
        return bool(self.function)

    @property
    def cause(self) -> Cause | None:
        """The origin of the NaN: an op, input or constant; `None` if the recorded run has no NaN."""
        return self.recording.origin_of_nan() if self.recording is not None else None

    @property
    def sentence(self) -> str:
        """The outcome in words."""
        if self.recording is None:
            return "no function gave NaN"
        cause = self.cause
        if cause is None:
            by = self.recording.computed_by
            where = f"in its recording by {by}" if self._on else "where hloscope did"
            return f"{self.function} gave NaN where XLA ran it, and none {where}"
        address = Address.parse(cause.address)
        step = self.recording[address].step
        place = f" ({step.source})" if step is not None and step.source else ""
        made = (
            f"born in {step.op}{place}"
            if step is not None
            else f"given in {self._given_name(address, cause)}"
        )
        return f"the first NaN in the results of {self.function} was {made}, element {list(cause.index)}"

    def __repr__(self) -> str:
        return f"<hloscope.NanWatch: {self.sentence}>"

    def _given_name(self, address: Address, cause: Cause) -> str:
        used = [argument for argument in self.recording.arguments if argument.used] if self.recording else []
        is_argument = address.kind == "f" and address.number == 0 and address.index < len(used)
        return used[address.index].name if is_argument else cause.name

    def _look_at(self, program: HostProgram) -> None:
        self.function = program.name
        given = GivenProgram(program.text, program.name, program.inputs, program)
        self.recording = record_given(given, callbacks="run" if program.callbacks else None, on=self._on)
        if self._open is False:
            return
        server = Session.local_server(Settings.load())
        self.session = open_session(given, server, recording=self.recording, on=self._on)
        if (cause := self.cause) is not None:
            self.session.goto(Address.parse(cause.address))
        print(f"hloscope: {self.sentence}; {self.session.url}", file=sys.stderr)
        if shows_in_browser(self._open):
            self.session.open()


@contextmanager
def on_nan(open: bool | None = None, *, on: str | None = None) -> Iterator[NanWatch]:
    """Open the debugger at the first NaN that a jitted function returns within the block.

    `with hloscope.on_nan() as seen: train_step(params, batch)`. The debugger opens on the arguments of that
    very call. The block continues as without the watch; `seen` holds the outcome: `seen.recording`,
    `seen.cause`, `seen.sentence`. `open=False` records the call and opens nothing. With `on`, as in `hloscope.record`,
    the recording has the values that XLA computes on that device. JAX's own functions outside
    of any `jit` count only if no other function returned NaN. Each function is compiled once more, and each
    call copies its arguments.
    """
    jax = import_jax()
    seen = NanWatch(open, on)
    calls: dict[bool, tuple[Any, Sequence[Any]]] = {}

    def spy(info: Any, flat: Sequence[Any], function: Any) -> Callable[[Sequence[Any]], None] | None:
        is_eager = jax_adapter.is_eager_op(function)
        if is_eager in calls or False in calls:
            return None
        kept = [
            _copied(jax, leaf) for leaf in flat
        ]  # by NumPy, because an op of JAX could be the one that is being called

        def look(results: Sequence[Any]) -> None:
            if any(_has_nan(jax, result) for result in results):
                calls[is_eager] = (info, kept)

        return look

    try:
        with jax_adapter.watched_calls(spy):
            yield seen
    finally:
        if calls:
            info, copies = calls.get(False) or calls[True]
            flat = [_given_back(jax, leaf) for leaf in copies]
            call = jax_adapter.call_of(info)
            seen._look_at(
                program_of_call(call["jaxpr"], flat, call["name"], call["arguments"], call["out_tree"])
            )


class WatchedFunction:
    """A function whose calls are watched; it behaves as the original otherwise."""

    def __init__(self, function: Callable[..., Any], open: bool | None, on: str | None = None) -> None:
        functools.update_wrapper(self, function)
        self._function, self._kind = function, kind_of(function) or "function"
        self.nan_watch = NanWatch(open, on)
        """The outcome of the watch."""

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        jax = import_jax()
        tree = jax.tree_util
        leaves = tree.tree_leaves((arguments, named))
        if self.nan_watch.found or any(isinstance(leaf, jax.core.Tracer) for leaf in leaves):
            return self._function(*arguments, **named)
        copies = tree.tree_map(lambda leaf: _copied(jax, leaf), (arguments, named))
        results = self._function(*arguments, **named)
        if any(_has_nan(jax, leaf) for leaf in tree.tree_leaves(results)):
            kept, kept_named = tree.tree_map(
                lambda leaf: _given_back(jax, leaf), copies, is_leaf=lambda leaf: isinstance(leaf, _KeptKey)
            )
            self.nan_watch._look_at(
                program_of_jax(self._kind, self._function, Call(kept, kept_named), "stablehlo")
            )
        return results


@overload
def watch(function: Callable[..., Any]) -> WatchedFunction: ...


@overload
def watch(
    *, open: bool | None = None, on: str | None = None
) -> Callable[[Callable[..., Any]], WatchedFunction]: ...


def watch(
    function: Callable[..., Any] | None = None, *, open: bool | None = None, on: str | None = None
) -> Any:
    """Wrap a function to open the debugger at the first call whose results hold NaN.

    Write `@hloscope.watch` above `@jax.jit`. The outcome is the wrapper's `nan_watch`. `open=False` records the
    call and opens nothing. `on` is that of `on_nan`. Later calls are not watched. Within another traced function the wrapper does
    nothing.
    """
    return (
        functools.partial(WatchedFunction, open=open, on=on)
        if function is None
        else WatchedFunction(function, open, on)
    )


class _KeptKey(NamedTuple):
    """A random key, represented by its data."""

    data: Any
    generator: str


def _copied(jax: Any, leaf: Any) -> Any:
    """A copy of an argument leaf before the call."""
    if isinstance(leaf, jax.Array) and jax.numpy.issubdtype(leaf.dtype, jax.dtypes.prng_key):
        return _KeptKey(np.array(jax.random.key_data(leaf)), str(jax.random.key_impl(leaf)))
    return np.array(leaf) if isinstance(leaf, np.ndarray | jax.Array) else leaf


def _given_back(jax: Any, leaf: Any) -> Any:
    return jax.random.wrap_key_data(leaf.data, impl=leaf.generator) if isinstance(leaf, _KeptKey) else leaf


def _has_nan(jax: Any, leaf: Any) -> bool:
    """Whether an array of floats holds NaN, in the part on this host."""
    dtype = getattr(leaf, "dtype", None)
    if (
        dtype is None
        or isinstance(leaf, jax.core.Tracer)
        or not jax.numpy.issubdtype(dtype, jax.numpy.inexact)
    ):
        return False
    if not isinstance(leaf, jax.Array):
        return bool(np.isnan(leaf).any())
    return any(bool(np.isnan(np.asarray(part.data)).any()) for part in leaf.addressable_shards)
