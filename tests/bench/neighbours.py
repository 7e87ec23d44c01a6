"""Networks while one other process is busy, as a user's browser is: recorded here, by JAX op by op, by XLA."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median

from hloscope.engine.debugger.recording import Recording
from tests.oracle.client import Oracle
from tests.programs import load_program

from .measure import seconds, table, times
from .models import LIMITS, MODELS

NETWORKS = ("mlp", "transformer", "lstm_training", *MODELS)
ALLOWED = 2.2
"""How many times the quiet time a recording may take."""
LEGS = 5
"""Quiet and busy in turn, so many times: what else the machine does, it does to both. XLA compiles in each."""
HEAD = ["program", "ours, quiet", "busy", "", "JAX op by op, quiet", "busy", "", "XLA, quiet", "busy", ""]


class Neighbour:
    """A process that is busy where it is told to be."""

    def __init__(self) -> None:
        self._process = subprocess.Popen([sys.executable, "-c", "while True: pass"])
        self._process.send_signal(signal.SIGSTOP)

    @contextmanager
    def busy(self) -> Iterator[None]:
        """It is, meanwhile."""
        self._process.send_signal(signal.SIGCONT)
        try:
            yield
        finally:
            self._process.send_signal(signal.SIGSTOP)

    def close(self) -> None:
        """Ends it."""
        self._process.kill()
        self._process.wait()


@dataclass(frozen=True)
class Pair:
    """Seconds without and with a neighbour."""

    quiet: float
    busy: float

    @property
    def ratio(self) -> float:
        """How many times as long it takes with one."""
        return self.busy / self.quiet

    @property
    def cells(self) -> list[str]:
        """As the table shows them."""
        return [seconds(self.quiet), seconds(self.busy), f"{self.ratio:.2f} x"]


def lines(oracle: Oracle, repetitions: int) -> Iterator[str]:
    """What to print."""
    neighbour = Neighbour()
    try:
        rows = {name: _measured(name, oracle, neighbour, repetitions) for name in NETWORKS}
    finally:
        neighbour.close()
    yield table(HEAD, [[name, *(cell for pair in row for cell in pair.cells)] for name, row in rows.items()])
    slow = [name for name, row in rows.items() if row[0].ratio > ALLOWED]
    yield f"above {ALLOWED} times the quiet time: {', '.join(slow) or 'none'}"


def _measured(name: str, oracle: Oracle, neighbour: Neighbour, repetitions: int) -> list[Pair]:
    text, inputs, _ = oracle.export(name)
    program = load_program(text)

    def ours() -> list[float]:
        return times(lambda: Recording(program, inputs, LIMITS).record(), repetitions)

    def xla() -> list[float]:
        return list(oracle.measure("xla", text, inputs, repetitions + 1)[0]["seconds"][1:])

    works = ((ours, LEGS), (lambda: oracle.op_by_op(name, repetitions), 1), (xla, 1))
    return [_pair(work, neighbour, legs) for work, legs in works]


def _pair(work: Callable[[], list[float]], neighbour: Neighbour, legs: int) -> Pair:
    quiet, busy = [], []
    for _ in range(legs):
        quiet += work()
        with neighbour.busy():
            busy += work()
    return Pair(median(quiet), median(busy))
