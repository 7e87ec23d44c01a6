"""`make load`: a class opens a program all at once, then steps through it; what each waits for, what the server needs."""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter

from tests.bench.measure import machine, seconds
from tests.server_process import serving

from .census import Census, Count
from .visitor import Tally, Visitor, visitors

PAUSE_SECONDS = 1.0
"""How long a visitor looks at a value before going on to the next."""
ERRORS_SHOWN = 5


def main() -> int:
    """Measures and prints; 1 if somebody could not do what they came for."""
    given = _arguments()
    settings = dict(assignment.split("=", 1) for assignment in given.settings)
    print(machine())
    print("settings:", ", ".join(given.settings) or "the defaults")
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(Path(folder), settings=settings) as (server, process),
    ):
        census = Census(process.pid)
        _show("the server at rest", census.now().lines())

        async def visit() -> int:
            async with visitors(given.opens, server) as found:
                opened, stepped = await _open(found, census), await _step(found, census, given)
            return int(bool(opened.errors or stepped.errors))

        return asyncio.run(visit())


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.load", description=__doc__)
    parser.add_argument("--opens", type=int, default=200, metavar="N", help="visitors (default: %(default)s)")
    parser.add_argument(
        "--steppers", type=int, default=100, metavar="N", help="those of them who step (default: %(default)s)"
    )
    parser.add_argument("--seconds", type=float, default=30, help="how long they step (default: %(default)s)")
    parser.add_argument(
        "--set",
        dest="settings",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a setting of the server",
    )
    return parser.parse_args()


async def _open(found: Sequence[Visitor], census: Census) -> Tally:
    tally, begin = Tally(), perf_counter()
    async with census.watching() as most:
        await asyncio.gather(*(visitor.open(tally) for visitor in found))
    usable = sum(visitor.usable for visitor in found)
    head = [
        ("usable", f"{usable} of {len(found)}"),
        ("all of them after", seconds(perf_counter() - begin)),
    ]
    _show(
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
    _show(title, [*head, *_waited("one step takes", tally), *_needed(most)])
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


def _show(title: str, lines: Sequence[tuple[str, str]]) -> None:
    print(f"\n{title}", flush=True)
    for name, value in lines:
        print(f"  {name:32} {value}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
