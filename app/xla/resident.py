"""Values that XLA's process holds for ours: arguments that were sent before, and large results, of which ours has the facts.

A value is held there as long as ours refers to it. When that process ends, they are lost.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any
from weakref import finalize

from hloscope.engine.remote_values import LostValue, RemoteValue, is_remote
from hloscope.engine.value_facts import facts_from

from ..processes.arrays import Array, dtype_of
from .engine import Overrides, XlaEngine
from .failures import XlaFailed

LEAST_BYTES = 1 << 16
"""Size from which values stay in XLA's process; smaller ones are transferred."""


@dataclass
class Resident:
    """Runs programs on values that stay in XLA's process."""

    engine: XlaEngine
    least_bytes: int = LEAST_BYTES
    _handles: dict[int, int] = field(default_factory=dict)
    """The handles of living values, by `id`."""
    _numbers: count[int] = field(default_factory=lambda: count(1))
    _dropped: deque[int] = field(default_factory=deque)
    _process: int = -1
    """The number of the process that has the values."""

    def run(self, text: str, arguments: Sequence[Array], overrides: Overrides | None = None) -> list[Array]:
        """The results of a program; the large ones are remote. Raises `XlaFailed`, or `LostValue` for an argument."""
        if self._process != self.engine.process_number:
            self._process = self.engine.process_number
            self._handles.clear()
            self._dropped.clear()
        while True:
            given = [self._handle(value) for value in arguments]
            sent = [value for value, (_, is_sent) in zip(arguments, given, strict=True) if is_sent]
            first = next(self._numbers)
            head = {"given": given, "first": first, "least": self.least_bytes, "drop": self._drops()}
            message, arrays = self.engine.run_resident(text, head, sent, overrides)
            if "missing" not in message:
                break
            self._forget(arguments, message["missing"])
        waiting = iter(arrays)
        found = [
            next(waiting) if each is None else self._remote(first + number, each)
            for number, each in enumerate(message["results"])
        ]
        self._numbers = count(first + len(found))
        return found

    def _handle(self, value: Array) -> tuple[int, bool]:
        """The handle of an argument, 0 if it is not kept; and whether its elements are sent with the request."""
        found = self._handles.get(id(value), 0)
        if is_remote(value) and not found:
            raise _lost()
        if found or value.nbytes < self.least_bytes:
            return found, not found
        return self._hold(value, next(self._numbers)), True

    def _hold(self, value: Any, handle: int) -> int:
        self._handles[id(value)] = handle
        finalize(value, self._let_go, id(value), handle).atexit = False
        return handle

    def _let_go(self, identity: int, handle: int) -> None:
        if self._handles.get(identity) == handle:
            del self._handles[identity]
            self._dropped.append(handle)

    def _drops(self) -> list[int]:
        return [self._dropped.popleft() for _ in range(len(self._dropped))]

    def _forget(self, arguments: Sequence[Array], missing: Sequence[int]) -> None:
        """Send arguments again that the process has not kept, as it ran out of memory."""
        for value in arguments:
            if self._handles.get(id(value)) in missing:
                if is_remote(value):
                    raise _lost()
                del self._handles[id(value)]

    def _remote(self, handle: int, described: Sequence[Any]) -> Array:
        dtype, shape, facts = described
        process = self._process

        def fetch() -> Array:
            if process != self.engine.process_number:
                raise _lost()
            try:
                return self.engine.fetch(handle)
            except XlaFailed as failure:
                raise LostValue(str(failure)) from None

        value: Any = RemoteValue(dtype_of(dtype), tuple(shape), facts_from(facts), fetch)
        self._hold(value, handle)
        return value  # type: ignore[no-any-return]


def _lost() -> LostValue:
    return LostValue(
        "XLA's process has ended, and with it the values that it held for this run; run it again"
    )
