"""User functions that a program calls during a run: called, bound to values, or skipped.

The program is that of a recording: going back, or computing a value again, never calls a function a second
time. Its results are kept for each execution.
"""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np

from hloscope.engine.errors import RunError
from hloscope.engine.ir.types import TensorType, TupleType, Type, holds_values
from hloscope.engine.ops.core.values import token, tuple_of
from hloscope.engine.outside_results import Answers, Bindings, complete_results
from hloscope.engine.program import BoundFunction, BoundOperation, BoundProgram

from .host_program import Array, HostCallback

Callbacks = Literal["run", "skip"] | Mapping[str, Any] | None
"""Answers to callbacks.

`run` calls them. `skip` skips those without results. A mapping holds values, or functions, by the name of the
callback or of a result (`%5`). `None` skips those without results with a warning, and a run stops at any other.
"""
_INDEX = re.compile(r"\bindex = (\d{1,9}) : ui64")
TARGET = re.compile(r"@?(?:xla_ffi_(?:partitioned_)?|xla_)?python_(?:cpu|gpu)_callback")


class CallbackWarning(UserWarning):
    """A callback was not called."""


@dataclass(frozen=True)
class CalledFunction(Answers):
    """The results of a Python function that is called once for each execution."""

    bound: BoundOperation = field(repr=False)
    name: str
    call: Callable[..., Any]
    takes_tokens: bool = False
    """Whether it is one of JAX's own, which also takes tokens and returns them."""
    answers: dict[tuple[int, int], tuple[Array, ...]] = field(default_factory=dict, repr=False)

    def answer(self, process: int, execution: int, operands: Sequence[Array]) -> tuple[Array, ...]:
        at = process, execution
        if at not in self.answers:
            self.answers[at] = self._called(operands)
        return self.answers[at]

    def listed(self) -> Mapping[int, Sequence[tuple[Array, ...]]]:
        found: dict[int, list[tuple[Array, ...]]] = {}
        for (process, _), results in sorted(self.answers.items(), key=lambda item: item[0]):
            found.setdefault(process, []).append(results)
        return found

    def _called(self, operands: Sequence[Array]) -> tuple[Array, ...]:
        types = [value.type for value in self.bound.operation.operands]
        given = [
            np.array(value)
            for value, type in zip(operands, types, strict=True)
            if self.takes_tokens or holds_values(type)
        ]
        try:
            found = self.call(*given)
        except Exception as error:  # user code may raise anything
            raise RunError(f"{self.name} raised {type(error).__name__}: {error}") from error
        return complete_results(self.bound, self._results(found))

    def _results(self, found: Any) -> dict[int, Array]:
        """The values of the op's results; HLO has one tuple of them."""
        declared = [value.type for value in self.bound.operation.results]
        packed = declared[0] if len(declared) == 1 and isinstance(declared[0], TupleType) else None
        types = declared if packed is None else list(packed.types)
        values = self._values(found, types)
        if packed is not None:
            return {0: tuple_of([token() if value is None else value for value in values])}
        return {number: value for number, value in enumerate(values) if value is not None}

    def _values(self, found: Any, types: Sequence[Type]) -> list[Array | None]:
        """A value for each type; `None` for a token."""
        given = list(found) if isinstance(found, tuple | list) else [] if found is None else [found]
        wanted = [self.takes_tokens or holds_values(type) for type in types]
        if len(given) != sum(wanted):
            raise RunError(f"{self.name} gave {len(given)} results, and {sum(wanted)} are declared")
        rest = iter(given)
        taken = [next(rest) if is_wanted else None for is_wanted in wanted]
        return [
            self._fitted(value, type) if holds_values(type) else None
            for value, type in zip(taken, types, strict=True)
        ]

    def _fitted(self, value: Any, type: Type) -> Array:
        found = np.asarray(value)
        if isinstance(type, TensorType) and (
            found.shape != type.shape or found.dtype != type.element_type.dtype
        ):
            raise RunError(f"{self.name} gave {found.dtype}{list(found.shape)}, and {type} is declared")
        return found


@dataclass(frozen=True)
class UncalledFunction(Answers):
    """The absent results of a Python function that may not be called."""

    name: str

    def answer(self, process: int, execution: int, operands: Sequence[Array]) -> tuple[Array, ...]:
        raise RunError(
            f"the program calls Python: {self.name}",
            hint='callbacks="run" calls it, callbacks={"name": value} gives it a value.',
        )

    def listed(self) -> Mapping[int, Sequence[tuple[Array, ...]]]:
        return {}


def callback_bindings(
    program: BoundProgram, function: BoundFunction, known: Sequence[HostCallback], callbacks: Callbacks
) -> Bindings:
    """The bindings for the callbacks of a program."""
    found: dict[int, tuple[Array, ...] | Answers] = {}
    skipped: list[str] = []
    for number in sorted(program.reachable_ops(function)):
        bound = program.ops[number]
        callback = _callback_of(program, bound, known)
        if callback is None:
            continue
        told = f"{callback.name} ({_place(program, bound)})"
        if callbacks == "run":
            found[number] = CalledFunction(bound, told, callback.call, takes_tokens=True)
        elif isinstance(callbacks, Mapping) and (chosen := _chosen(callback, callbacks)) is not None:
            found[number] = _given(bound, told, chosen)
        elif any(holds_values(value.type) for value in bound.operation.results):
            if not isinstance(callbacks, Mapping):
                found[number] = UncalledFunction(told)
        else:
            found[number] = complete_results(bound, {})
            skipped.append(told)
    if skipped and callbacks is None:
        told = f'{", ".join(skipped)} is not called while hloscope runs the program: callbacks="run" calls it'
        warnings.warn(told, CallbackWarning, stacklevel=_level_outside())
    return found


def _level_outside() -> int:
    """The stack level of the first frame outside of hloscope, for a warning."""
    ours, level, frame = str(Path(__file__).parents[2]), 1, inspect.currentframe()
    frame = frame.f_back if frame else None
    while frame is not None and frame.f_code.co_filename.startswith(ours):
        frame, level = frame.f_back, level + 1
    return level


def _callback_of(
    program: BoundProgram, bound: BoundOperation, known: Sequence[HostCallback]
) -> HostCallback | None:
    if not known or not TARGET.fullmatch(bound.op.outside or ""):
        return None
    span = bound.operation.span
    index = _INDEX.search(program.module.source.text[span.start : span.end])
    number = int(index[1]) if index else -1
    return next((callback for callback in known if callback.index == number), None)


def _place(program: BoundProgram, bound: BoundOperation) -> str:
    place = bound.operation.location.innermost if bound.operation.location else None
    return f"{place.file}:{place.line}" if place else f"line {program.line_of(bound.id)} of the program"


def _chosen(callback: HostCallback, callbacks: Mapping[str, Any]) -> Any:
    short = callback.name.rpartition(".")[2]
    return callbacks.get(callback.name, callbacks.get(short))


def _given(bound: BoundOperation, told: str, chosen: Any) -> tuple[Array, ...] | Answers:
    """A substitute function, or the same values for each execution."""
    if callable(chosen):
        return CalledFunction(bound, told, chosen)
    same = CalledFunction(bound, told, lambda *_: _as_declared(bound, chosen))
    return same.answer(0, 0, [np.empty(0)] * len(bound.operation.operands))


def _as_declared(bound: BoundOperation, chosen: Any) -> tuple[Array, ...]:
    stated = [value.type for value in bound.operation.results]
    if len(stated) == 1 and isinstance(stated[0], TupleType):
        stated = list(stated[0].types)
    types = [type for type in stated if isinstance(type, TensorType)]
    values = chosen if isinstance(chosen, tuple) else (chosen,)
    return tuple(
        np.broadcast_to(np.asarray(value, type.element_type.dtype), tuple(size or 0 for size in type.shape))
        for value, type in zip(values, types, strict=False)
    )
