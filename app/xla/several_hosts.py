"""Recordings on several hosts: each runs the segments of its own devices, and receives facts about the other values.

All processes record the same call, so they come to the same values in the same order. What one of them fetches from its
device, the others read at the same time, such as the operands of a collective, and it sends them.
"""

from __future__ import annotations

import json
from bisect import bisect_right, insort
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

from hloscope.engine.errors import RunError
from hloscope.engine.executor import Executor, Results, Segment
from hloscope.engine.findings.sentences import value_name
from hloscope.engine.ops.core.exchanges import GridPosition
from hloscope.engine.program import BoundProgram
from hloscope.engine.remote_values import OnOtherHost, RemoteValue, is_remote
from hloscope.engine.value_facts import facts_from

from ..processes.arrays import Array, dtype_of, pack, unpack_all
from .executor import XlaExecutor


class Exchange(Protocol):
    """Messages between the hosts of a run, each by a key that is used once."""

    def send(self, key: str, data: bytes) -> None:
        """Make a message available to all hosts."""

    def receive(self, key: str) -> bytes:
        """The message of another host, awaited. Raises `TimeoutError`."""

    def end(self) -> None:
        """Wait for the other hosts, and drop all messages."""


@dataclass(frozen=True)
class Hosts:
    """The hosts of a program: which of them has the device of each process, and how they exchange messages."""

    owners: tuple[int, ...]
    """The number of the host of each process."""
    own: int
    exchange: Exchange


@dataclass
class HostsExecutor(XlaExecutor):
    """Runs the segments of the processes of one host; the others' results are remote values, of which it has the facts."""

    hosts: Hosts | None = None
    unmodified: Mapping[int, Sequence[Array]] | str = "it was not run"
    """The results of the unmodified program in each process of this host, or why there are none."""
    _results: dict[tuple[int, int], Results] = field(default_factory=dict)
    """The results of segments of other hosts, by process and step."""
    _begun: dict[int, list[int]] = field(default_factory=dict)
    """The steps of `_results`, in order, by process."""
    _until: dict[int, int] = field(default_factory=dict)
    """The last step of each process whose results are known; an earlier one is repeated."""
    _received: dict[str, Array] = field(default_factory=dict)
    """What this run has read of other hosts' values; it is needed when a step is repeated."""
    _has_ended: bool = False

    def begin(self, program: BoundProgram) -> None:
        """Check that the hosts record the same program. Raises `RunError`."""
        hosts = self._hosts
        form = "\n".join(bound.operation.spelled for bound in program.ops).encode()
        hosts.exchange.send(f"program/{hosts.own}", form)
        for host in sorted(set(hosts.owners) - {hosts.own}):
            if self._receive(f"program/{host}", host) != form:
                raise RunError(f"host {host} records another program: every host records the same call")

    def end(self) -> None:
        """The run has ended: nothing is sent or received any more."""
        self._has_ended = True
        self._hosts.exchange.end()

    @property
    def processes(self) -> list[int]:
        """The processes whose devices this host has."""
        return [process for process, owner in enumerate(self._hosts.owners) if owner == self._hosts.own]

    @property
    def _hosts(self) -> Hosts:
        assert self.hosts is not None
        return self.hosts

    def execute(
        self, segment: Segment, values: Mapping[int, Array], place: GridPosition, step: int
    ) -> Results:
        """The results of the segment's first operations, from the host that has the device of this process."""
        process = place.number
        is_new = step > self._until.get(process, -1)
        is_own = self._hosts.owners[process] == self._hosts.own
        if not is_new:
            repeated = super().execute if is_own else self._repeated
            return repeated(segment, values, place, step)
        found = (self._first if is_own else self._others)(segment, values, place, step)
        positions = segment.program.positions
        first = positions[segment.executed[0].id]
        self._until[process] = step + max((positions[op] - first for op in found), default=0)
        return found

    def _first(
        self, segment: Segment, values: Mapping[int, Array], place: GridPosition, step: int
    ) -> Results:
        """The results of an own process, which are sent to the others."""
        name = f"{place.number}/{step}"
        try:
            found = super().execute(segment, values, place, step)
        except RunError as failure:
            self._send(name, {"failed": failure.message}, [])
            raise
        self._tell(name, found)
        return found

    def _tell(self, name: str, found: Results) -> None:
        """Send small results, the facts of large ones, and the large ones when they are read during the run."""
        described: dict[int, list[Any]] = {}
        sent: list[Array] = []
        for op, results in found.items():
            described[op] = []
            for number, value in enumerate(results):
                if not is_remote(value):
                    described[op].append(None)
                    sent.append(value)
                    continue
                remote: Any = value
                described[op].append([remote.dtype.name, remote.shape, remote.facts.json()])
                remote.after_fetch(self._sender(f"{name}/{op}.{number}"))
        self._send(name, {"results": described}, sent)

    def _sender(self, name: str) -> Callable[[Array], None]:
        waiting = [name]

        def send(array: Array) -> None:
            if waiting and not self._has_ended:
                self._send(waiting.pop(), {}, [array])

        return send

    def _others(self, segment: Segment, _: Mapping[int, Array], place: GridPosition, step: int) -> Results:
        """The results of a process of another host."""
        process, host, ops = place.number, self._hosts.owners[place.number], segment.program.ops
        name = f"{process}/{step}"
        head, arrays = _read(self._receive(name, host))
        if "failed" in head:
            raise RunError(f"host {host}: {head['failed']}")
        waiting = iter(arrays)
        found = self._results[process, step] = {
            int(op): tuple(
                next(waiting)
                if each is None
                else self._remote(
                    f"{name}/{op}.{number}",
                    f"{value_name(segment.program, ops[int(op)].results[number])} in process ({place.process.replica_id}, {place.process.partition_id})",
                    host,
                    each,
                )
                for number, each in enumerate(results)
            )
            for op, results in head["results"].items()
        }
        insort(self._begun.setdefault(process, []), step)
        return found

    def _repeated(self, segment: Segment, _: Mapping[int, Array], place: GridPosition, step: int) -> Results:
        """The results that another host has sent, from the segment's first operation on."""
        steps = self._begun[place.number]
        found = self._results[place.number, steps[bisect_right(steps, step) - 1]]
        ops, first = list(found), segment.executed[0].id
        return {op: found[op] for op in ops[ops.index(first) :]} if first in found else {}

    def _remote(self, name: str, shown: str, host: int, described: Sequence[Any]) -> Array:
        """A value of another host; `shown` names it in an error."""
        dtype, shape, facts = described

        def fetch() -> Array:
            if name not in self._received:
                if self._has_ended:
                    raise OnOtherHost(shown, host)
                _, (self._received[name],) = _read(self._receive(name, host))
            return self._received[name]

        value: Any = RemoteValue(dtype_of(dtype), tuple(shape), facts_from(facts), fetch)
        return value  # type: ignore[no-any-return]

    def _send(self, name: str, head: Mapping[str, Any], arrays: Sequence[Array]) -> None:
        described, data = pack(arrays)
        message = json.dumps({**head, "arrays": described}).encode()
        self._hosts.exchange.send(name, len(message).to_bytes(8, "little") + message + data)

    def _receive(self, name: str, host: int) -> bytes:
        try:
            return self._hosts.exchange.receive(name)
        except TimeoutError as error:
            raise RunError(
                f"host {host} has sent nothing for {error}: every host records the same call"
            ) from None


@contextmanager
def together(executor: Executor | None, program: BoundProgram) -> Iterator[None]:
    """Record with the other hosts of the executor, if it has any."""
    if not isinstance(executor, HostsExecutor):
        yield
        return
    executor.begin(program)
    try:
        yield
    finally:
        executor.end()


def _read(data: bytes) -> tuple[dict[str, Any], list[Array]]:
    end = 8 + int.from_bytes(data[:8], "little")
    head = json.loads(data[8:end])
    return head, unpack_all(head["arrays"], memoryview(data)[end:])
