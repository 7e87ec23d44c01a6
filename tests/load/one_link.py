"""Everybody opens one link; everybody then steps through it by themselves."""

from __future__ import annotations

import argparse
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.bench.measure import seconds
from tests.server_process import Server

from .census import Census, Count
from .class_session import shared_session
from .generators import (
    generate,
    generator_lines,
    load_average,
    percentile,
    percentiles,
    verdict,
)
from .proof import show, started

WITHIN_SECONDS = 1.0
"""In so long everybody has clicked on the link."""
OPEN_SECONDS = 3.0
"""After so long all can use it, counted from the first click."""
STEP_SECONDS = 0.15
SAMPLE_SECONDS = 0.25


def open_link(given: argparse.Namespace) -> bool:
    """200 open one link within a second, with nothing in their browsers: all can use it within three."""
    with started(given.settings) as (server, census):
        return _explored(given, server, census, 0.0)


def explore(given: argparse.Namespace) -> bool:
    """As `open`; then each steps by themselves, once a second, half of them with the index map open."""
    with started(given.settings) as (server, census):
        return _explored(given, server, census, given.seconds)


def _explored(given: argparse.Namespace, server: Server, census: Census, stepping: float) -> bool:
    shared = shared_session(server)
    before = census.server_seconds
    with watched(census) as most:
        found = generate(
            "explore", given.opens, given.generators,
            port=server.port, link=shared.link, key=shared.key, within=WITHIN_SECONDS, seconds=stepping,
        )  # fmt: skip
    opened = _show_opened(given.opens, found)
    stepped = _show_stepped(given.opens, stepping, found) if stepping else True
    show(f"what it took; load average {load_average()}", [
        ("requests", f"{found['requests']:,}, {found['bytes'] / (1 << 20):,.0f} MiB as they came"),
        ("told to come again", f"{found['asked_again']:,} times"),
        *((f"{name}, at most", value) for name, value in most[0].lines()),
        ("processor time of the server", seconds(census.server_seconds - before)),
        *generator_lines(found),
    ])  # fmt: skip
    return opened and stepped and not found["errors"]


def _show_opened(count: int, found: dict[str, Any]) -> bool:
    # From the first click: the last one comes a second later.
    is_met = len(found["opened"]) == count and found["all_open"] <= OPEN_SECONDS
    show(f"{count} open one link within {WITHIN_SECONDS:g} s, nothing in their browsers' caches", [
        ("usable", f"{len(found['opened'])} of {count}"),
        ("one is usable after", percentiles(found["opened"])),
        (f"all of them, within {OPEN_SECONDS:g} s", f"{seconds(found['all_open'])}  {verdict(is_met)}"),
    ])  # fmt: skip
    return is_met


def _show_stepped(count: int, stepping: float, found: dict[str, Any]) -> bool:
    steps, silent = found["steps"], found["silent"]
    is_met = percentile(steps, 0.99) <= STEP_SECONDS
    show(f"{count} step by themselves, once a second for {stepping:g} s", [
        ("steps", f"{len(steps) + silent:,}; {silent:,} of them asked the server for nothing"),
        ("what a step asked for came after", percentiles(steps)),
        (f"p99 within {seconds(STEP_SECONDS)}", verdict(is_met)),
    ])  # fmt: skip
    return is_met


@contextmanager
def watched(census: Census) -> Iterator[list[Count]]:
    """The most that the server needed until the block ends: the only item of the list, then."""
    found, ended = [census.now()], threading.Event()

    def watch() -> None:
        while not ended.wait(SAMPLE_SECONDS):
            found[:] = [found[0].most(census.now())]

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield found
    finally:
        ended.set()
        thread.join()
