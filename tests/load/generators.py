"""Starts the processes that generate a load, and adds up what they report."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from tests.bench.measure import seconds
from tests.server_process import ROOT

JSON = dict[str, Any]
START_SECONDS = 1.5
"""What processes need before they begin, all at the same moment."""
LONGEST_SECONDS = 240
ERRORS_SHOWN = 5


def generate(kind: str, count: int, processes: int, **job: Any) -> JSON:
    """What `count` visitors of a kind, spread over processes, come to: lists joined, numbers added, lags and times the most."""
    begin = time.time() + START_SECONDS
    share = [count * (number + 1) // processes - count * number // processes for number in range(processes)]
    started = [
        _start(
            {"kind": kind, "first": sum(share[:number]), "count": each, "of": count, "begin": begin, **job}
        )
        for number, each in enumerate(share)
    ]
    return joined([_report(process) for process in started])


def _start(job: JSON) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.load.generator"],
        cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdin is not None
    process.stdin.write(json.dumps(job))
    process.stdin.close()
    process.stdin = None  # for `communicate`
    return process


def _report(process: subprocess.Popen[str]) -> JSON:
    try:
        text, _ = process.communicate(timeout=LONGEST_SECONDS)
    finally:
        process.kill()
    assert process.wait() == 0, "a process that generates load failed"
    found: JSON = json.loads(text)
    return found


def joined(reports: Sequence[JSON]) -> JSON:
    """One report of several."""
    found: JSON = dict(reports[0])
    for report in reports[1:]:
        for name, value in report.items():
            if isinstance(value, list) or name not in MOST:
                found[name] = found[name] + value
            else:
                found[name] = max(found[name], value)
    return found


MOST = ("generator_lag", "all_open")


def load_average() -> str:
    """Of the last minute, and how many cores there are: figures of a busy machine are not those of a quiet one."""
    return f"{os.getloadavg()[0]:.2f} on {os.cpu_count()} cores"


def percentiles(times: Sequence[float]) -> str:
    """`p50 …, p99 …, at most …`"""
    if not times:
        return "-"
    ordered = sorted(times)
    at = {"p50": 0.5, "p99": 0.99, "at most": 1.0}
    return ", ".join(
        f"{name} {seconds(ordered[min(int(part * len(ordered)), len(ordered) - 1)])}"
        for name, part in at.items()
    )


def percentile(times: Sequence[float], part: float) -> float:
    """The time below which so many lie; infinite where there is none."""
    ordered = sorted(times)
    return ordered[min(int(part * len(ordered)), len(ordered) - 1)] if ordered else float("inf")


def verdict(is_met: bool) -> str:
    """As it is printed behind a goal."""
    return "met" if is_met else "MISSED"


def generator_lines(report: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What the generators themselves cost."""
    return [
        ("processor time of the generators", seconds(report["generator_cpu"])),
        ("generators late by, at most", seconds(report["generator_lag"])),
        ("errors", f"{len(report['errors']):,}"),
        *(("", f"{many} x {text}") for text, many in Counter(report["errors"]).most_common(ERRORS_SHOWN)),
    ]
