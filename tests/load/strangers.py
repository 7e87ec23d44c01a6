"""Visitors who each open a program of their own, all at once, then step through it: as many recordings as visitors."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from random import Random
from time import perf_counter, process_time

from tests.bench.measure import seconds

from .census import Census, Count
from .generators import load_average, percentile, percentiles, verdict
from .proof import show, started
from .visitor import Tally, Visitor, visitors

PAUSE_SECONDS = 1.0
"""How long a visitor looks at a value before going on to the next, on average."""
P50_SECONDS, P99_SECONDS = 0.025, 0.15
MOST_BYTES = 2 << 30
FLAT = 1.05
"""Growth of the memory from a fifth of the time to its end that counts as none."""
OVERLOAD, OVERLOAD_SECONDS = 3, 30.0
REFUSED_SECONDS, RECOVERED_SECONDS = 1.0, 10.0
PATIENCE = 60.0
ERRORS_SHOWN = 5


def visit(given: argparse.Namespace) -> bool:
    """Measures and prints; whether everybody could do what they came for, and the goals are met."""
    with started(given.settings) as (server, census):

        async def come() -> bool:
            async with visitors(given.opens, server) as found:
                opened = await _open(found, census)
                stepping = [visitor for visitor in found if visitor.usable][: given.steppers]
                stepped, met = await _step(stepping, census, given.seconds)
                return not opened.errors and await _overload(stepping, stepped, given.seconds) and met

        return asyncio.run(come())


async def _open(found: Sequence[Visitor], census: Census) -> Tally:
    tally, begin = Tally(), perf_counter()
    async with census.watching() as most:
        await asyncio.gather(*(visitor.open(tally) for visitor in found))
    usable = sum(visitor.usable for visitor in found)
    head = [
        ("usable", f"{usable} of {len(found)}"),
        ("all of them after", seconds(perf_counter() - begin)),
    ]
    show(
        f"{len(found)} open the MLP at once", [*head, *_waited("one is usable after", tally), *_needed(most)]
    )
    return tally


async def _step(stepping: Sequence[Visitor], census: Census, duration: float) -> tuple[Tally, bool]:
    tally, begin, before, own = Tally(), perf_counter(), census.times(), process_time()
    async with census.watching() as most:
        growing = asyncio.create_task(_bytes_after(duration / 5, census))
        await asyncio.gather(*(_walk(visitor, duration, tally) for visitor in stepping))
        early, late = await growing, (await asyncio.to_thread(census.now)).bytes
    rate = len(tally.seconds) / (perf_counter() - begin)
    costs = _costs(len(tally.seconds), before, census, process_time() - own)
    goals = [
        (f"p50 within {seconds(P50_SECONDS)}", percentile(tally.seconds, 0.5) <= P50_SECONDS),
        (f"p99 within {seconds(P99_SECONDS)}", percentile(tally.seconds, 0.99) <= P99_SECONDS),
        ("no errors", not tally.errors),
        ("memory of all processes within 2 GiB", most[0].server_bytes + most[0].worker_bytes <= MOST_BYTES),
        (f"memory grew by at most {FLAT - 1:.0%}: {late / early - 1:+.1%}", late <= early * FLAT),
    ]
    show(f"{len(stepping)} step, each once in {PAUSE_SECONDS:g} s; load average {load_average()}", [
        ("steps", f"{len(tally.seconds):,}, {rate:.1f} a second"),
        *_waited("one step takes", tally),
        ("processor time of a step", costs),
        *_needed(most),
        *((name, verdict(is_met)) for name, is_met in goals),
    ])  # fmt: skip
    return tally, all(is_met for _, is_met in goals)


def _costs(steps: int, before: Mapping[int, float], census: Census, own: float) -> str:
    """What each part used for a step; the times of workers that have ended are unknown."""
    used = {pid: time - before.get(pid, 0.0) for pid, time in census.times().items()}
    server = used.pop(census.server)
    parts = {"server": server, "workers": sum(used.values()), "generator": own}
    return ", ".join(f"{name} {seconds(time / max(steps, 1))}" for name, time in parts.items())


async def _bytes_after(duration: float, census: Census) -> int:
    await asyncio.sleep(duration)
    return (await asyncio.to_thread(census.now)).bytes


async def _overload(stepping: Sequence[Visitor], before: Tally, duration: float) -> bool:
    """Each steps three times as often; what is refused is refused soon, and afterwards all is as before."""
    tally, length = Tally(), min(duration, OVERLOAD_SECONDS)
    await asyncio.gather(
        *(_walk(visitor, length, tally, part) for visitor in stepping for part in range(OVERLOAD))
    )
    recovered, usual = perf_counter(), 2 * percentile(before.seconds, 0.5)
    while perf_counter() - recovered < PATIENCE:
        again, began = Tally(), perf_counter()
        await asyncio.gather(*(_walk(visitor, PAUSE_SECONDS, again) for visitor in stepping))
        if percentile(again.seconds, 0.5) <= usual:
            break
    took = began - recovered
    goals = [max(tally.refusals, default=0.0) <= REFUSED_SECONDS, took <= RECOVERED_SECONDS, not tally.errors]
    show(f"{OVERLOAD} times as many steps for {length:g} s; load average {load_average()}", [
        ("steps under overload", f"{len(tally.seconds):,}"),
        *_waited("one step takes", tally),
        ("a refusal comes after", percentiles(tally.refusals)),
        (f"all of them within {seconds(REFUSED_SECONDS)}", verdict(goals[0])),
        (f"as before within {seconds(RECOVERED_SECONDS)}", f"{seconds(took)}  {verdict(goals[1])}"),
    ])  # fmt: skip
    return all(goals)


async def _walk(visitor: Visitor, duration: float, tally: Tally, part: int = 0) -> None:
    begin = perf_counter()
    for number, moment in enumerate(moments(visitor.number, part)):
        if max(moment, perf_counter() - begin) >= duration:
            return
        await asyncio.sleep(begin + moment - perf_counter())
        await visitor.step(40 * part + number, tally)


def moments(visitor: int, part: int) -> Iterator[float]:
    """When a visitor steps: once in each interval, at any moment of it.

    A constant pause after each answer would keep all who have waited for the same delay in step from then on.
    """
    chance = Random(f"{visitor} {part}")
    return (PAUSE_SECONDS * (interval + chance.random()) for interval in count())


def _waited(what: str, tally: Tally) -> list[tuple[str, str]]:
    errors = [("", text) for text in tally.errors[:ERRORS_SHOWN]]
    return [
        (what, percentiles(tally.seconds)),
        ("told to come again", f"{tally.asked_again:,} times"),
        ("errors", f"{len(tally.errors):,}"),
        *errors,
    ]


def _needed(most: Sequence[Count]) -> list[tuple[str, str]]:
    return [(f"{name}, at most", value) for name, value in most[0].lines()]
