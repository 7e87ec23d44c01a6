"""Waits: the waiting processes, their ops, and the processes they wait for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from ..program import BoundOperation
from .traffic import Arrival, Rendezvous, Traffic

WaitKind = Literal["meet", "send", "receive", "await"]
"""The reason for a wait; `await` is the completion of an op that the process started."""


@dataclass(frozen=True)
class Wait:
    """A waiting process."""

    process: int
    op: BoundOperation
    step: int
    channel: int
    group: tuple[int, ...]
    missing: tuple[int, ...]
    """The processes that have not arrived."""
    what: WaitKind
    any_of: bool = False
    """Whether any one of `missing` suffices, since it receives from any of them."""


def waits_of(traffic: Traffic) -> Iterator[Wait]:
    """All waits by process and step, including asynchronous ops that cannot complete."""
    found = [*_in_rendezvous(traffic), *_on_channels(traffic), *_on_host_queues(traffic)]
    return iter(sorted(found, key=lambda wait: (wait.process, wait.step)))


def _in_rendezvous(traffic: Traffic) -> Iterator[Wait]:
    for series in traffic.rendezvous.values():
        for rendezvous in series.unfinished.values():
            for arrival in rendezvous.arrivals.values():
                if arrival.process not in rendezvous.released:
                    yield _wait_in(rendezvous, arrival)


def _wait_in(rendezvous: Rendezvous, arrival: Arrival) -> Wait:
    missing = tuple(number for number in arrival.awaited if number not in rendezvous.arrivals)
    what: WaitKind = "meet" if arrival.future is None else "await"
    return Wait(
        arrival.process, arrival.bound, arrival.step, rendezvous.channel, rendezvous.group, missing, what
    )


def _on_channels(traffic: Traffic) -> Iterator[Wait]:
    for (_, channel, *_), state in traffic.channels.items():
        for message in state.waiting:
            if message.sent is not None:
                yield _wait_at_end(message.sent, channel, "send")
            if message.wanted is not None:
                yield _wait_at_end(message.wanted, channel, "receive")


def _on_host_queues(traffic: Traffic) -> Iterator[Wait]:
    for (_, channel), queue in traffic.host_queues.items():
        for message in queue.wanted:
            if message.wanted is not None:
                yield replace(_wait_at_end(message.wanted, channel, "receive"), any_of=True)


def _wait_at_end(arrival: Arrival, channel: int, what: WaitKind) -> Wait:
    missing = tuple(number for number in arrival.awaited if number != arrival.process)
    return Wait(arrival.process, arrival.bound, arrival.step, channel, arrival.awaited, missing, what)
