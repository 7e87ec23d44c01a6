"""A process of readers: what generates the load must not share its interpreter with anything else.

`python -m tests.load.generator` reads a job as JSON from its input and writes a report to its output.
"""

from __future__ import annotations

import asyncio
import json
import resource
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import asdict
from time import perf_counter, time
from typing import Any

from .page_requests import WALKS, page_requests
from .reader import Reader, Tally
from .room_job import room

JSON = dict[str, Any]
LAG_SECONDS = 0.01
Kind = Callable[[JSON], Awaitable[JSON]]


async def explore(job: JSON) -> JSON:
    """Readers who open a link within `within` seconds and then, for `seconds`, step by themselves once a second."""
    tally, recorded, numbers = Tally(), page_requests(), range(job["first"], job["first"] + job["count"])
    readers = {
        number: Reader(job["port"], job["link"], job["key"], WALKS[number % len(WALKS)], recorded)
        for number in numbers
    }
    await asyncio.sleep(max(0.0, job["begin"] - time()))

    async def open_page(number: int) -> None:
        await asyncio.sleep(job["within"] * number / job["of"])
        await readers[number].open(tally)

    begin = perf_counter()
    await asyncio.gather(*map(open_page, numbers))
    all_open = perf_counter() - begin
    if job["seconds"]:
        await asyncio.gather(*(_walk(readers[number], number, job, tally) for number in numbers))
    for reader in readers.values():
        reader.close()
    return {**asdict(tally), "all_open": all_open}


async def _walk(reader: Reader, number: int, job: JSON, tally: Tally) -> None:
    """Each begins at another moment and at another step."""
    await asyncio.sleep(number / job["of"])
    begin, step = perf_counter(), number % 40
    for count in range(int(job["seconds"])):
        await asyncio.sleep(max(0.0, begin + count - perf_counter()))
        await reader.step(step + count, tally)


KINDS: dict[str, Kind] = {"explore": explore, "room": room}


async def _run(job: JSON) -> JSON:
    lags: list[float] = []
    watching = asyncio.create_task(_watch_lag(lags))
    try:
        found = await KINDS[job["kind"]](job)
    finally:
        watching.cancel()
    used = resource.getrusage(resource.RUSAGE_SELF)
    return {**found, "generator_cpu": used.ru_utime + used.ru_stime, "generator_lag": max(lags, default=0.0)}


async def _watch_lag(lags: list[float]) -> None:
    """How late this process itself comes: what it measures is wrong by as much."""
    while True:
        begin = perf_counter()
        await asyncio.sleep(LAG_SECONDS)
        lags.append(perf_counter() - begin - LAG_SECONDS)


def main() -> None:
    """Runs one job."""
    job = json.load(sys.stdin)
    with suppress(ImportError):
        import uvloop

        asyncio.set_event_loop_policy(uvloop.EventLoopPolicy())
    json.dump(asyncio.run(_run(job)), sys.stdout)


if __name__ == "__main__":
    main()
