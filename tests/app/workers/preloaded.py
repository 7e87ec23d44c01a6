"""A worker's first session after what comes before the fork, for `test_preloaded.py`: prints the threads there are by then,
whether objects are immortal, whether the session counts references to them, and the modules that it loads nevertheless.

In a process of its own, since tests that ran before in the same one have loaded modules and started threads.
"""

from __future__ import annotations

import json
import os
import socket
import sys
from dataclasses import asdict
from typing import Any

from hloscope.app.answers.program import OutlineQuestion, ProgramWindowQuestion
from hloscope.app.answers.question import RecordingQuestion, answer
from hloscope.app.answers.values import SummaryQuestion, ThumbnailsQuestion, WindowQuestion
from hloscope.app.base.settings import Settings
from hloscope.app.processes.framing import Channel
from hloscope.app.processes.shared_pages import make_immortal
from hloscope.app.wire.tasks import OpenRun
from hloscope.app.workers import worker
from tests.programs import known_example


def open_and_step() -> None:
    """What a page asks of its worker: to open the MLP, and for the value of its first step."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        session = worker._Worker(Channel(theirs))
        found = known_example("mlp")
        task = OpenRun(
            found.file, None, [], [], None, None, None, limits=asdict(Settings().limits()), blas_threads=2,
            goal={"steps": None, "seconds": None}, build="", replay=0, fault=None, resting="", links=[],
        )  # fmt: skip
        session.open(task, [found.text.encode()])
        [run] = session.runs.values()
        while run.active:
            session.slice(run)
        asked: tuple[RecordingQuestion[Any], ...] = (
            ProgramWindowQuestion(0), OutlineQuestion(0), ThumbnailsQuestion("0.s0.0"), SummaryQuestion("0.s0.0"),
            WindowQuestion("0.s0.0", rows="0", columns="1", at="0,0", start="0,0", size="64,64"),
        )  # fmt: skip
        for question in asked:
            answer(run, question)


if __name__ == "__main__":
    worker.preload()
    immortal = make_immortal()
    threads = len(os.listdir("/proc/self/task")) if sys.platform == "linux" else 1
    known = set(sys.modules)
    references = sys.getrefcount(OpenRun)
    open_and_step()
    kept = [OpenRun] * 100
    print(
        json.dumps(
            {
                "threads": threads,
                "immortal": immortal > 0,
                "counts": sys.getrefcount(OpenRun) >= references + len(kept),
                "loaded": sorted(set(sys.modules) - known),
            }
        )
    )
