"""Visitors who each open a program of their own, all at once, then step through it: as many recordings as visitors."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Sequence
from time import perf_counter

from tests.bench.measure import seconds

from .census import Census, Count
from .proof import show, started
from .visitor import Tally, Visitor, visitors

PAUSE_SECONDS = 1.0
"""How long a visitor looks at a value before going on to the next."""
ERRORS_SHOWN = 5


def visit(given: argparse.Namespace) -> bool:
    """Measures and prints; whether everybody could do what they came for."""
    with started(given.settings) as (server, census):

        async def come() -> bool:
            async with visitors(given.opens, server) as found:
                opened, stepped = await _open(found, census), await _step(found, census, given)
            return not (opened.errors or stepped.errors)

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


async def _step(found: Sequence[Visitor], census: Census, given: argparse.Namespace) -> Tally:
    tally, begin = Tally(), perf_counter()
    stepping = [visitor for visitor in found if visitor.usable][: given.steppers]
    async with census.watching() as most:
        await asyncio.gather(*(_walk(visitor, begin + given.seconds, tally) for visitor in stepping))
    rate = len(tally.seconds) / (perf_counter() - begin)
    head = [("steps", f"{len(tally.seconds):,}, {rate:.1f} a second")]
    title = f"{len(stepping)} step, each once in {PAUSE_SECONDS:g} s"
    show(title, [*head, *_waited("one step takes", tally), *_needed(most)])
    return tally


async def _walk(visitor: Visitor, end: float, tally: Tally) -> None:
    await asyncio.sleep(PAUSE_SECONDS * (visitor.number % 100) / 100)  # nobody clicks with all the others
    step = 0
    while perf_counter() < end:
        await visitor.step(step, tally)
        step += 1
        await asyncio.sleep(PAUSE_SECONDS)


def _waited(what: str, tally: Tally) -> list[tuple[str, str]]:
    ordered = sorted(tally.seconds) or [0.0]
    shown = {"p50": 0.5, "p99": 0.99, "at most": 1.0}
    times = [
        f"{name} {seconds(ordered[min(int(p * len(ordered)), len(ordered) - 1)])}"
        for name, p in shown.items()
    ]
    errors = [("", text) for text in tally.errors[:ERRORS_SHOWN]]
    return [
        (what, ", ".join(times)),
        ("told to come again", f"{tally.asked_again:,} times"),
        ("errors", f"{len(tally.errors):,}"),
        *errors,
    ]


def _needed(most: Sequence[Count]) -> list[tuple[str, str]]:
    return [(f"{name}, at most", value) for name, value in most[0].lines()]
