"""The tests' side of an oracle's process: asks, and starts a new one when it dies."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import IO, Any

from .framing import Array, read_message, write_message
from .quick import quick_flags


class OracleRefused(Exception):
    """The oracle says what is wrong with the program."""


class OracleCrashed(Exception):
    """The oracle's process died, or took too long; its last words."""


class OracleCrashWarning(UserWarning):
    """Shown in the tests' summary: a program that an oracle did not survive. No failure of ours."""


@dataclass(frozen=True)
class Parsed:
    """What MLIR makes of a text."""

    generic: str
    short: str


@dataclass(frozen=True)
class Sharded:
    """A program for several devices, its inputs, and what XLA computes."""

    mlir: str
    hlo: str
    partitioned: str
    """The HLO that each device runs."""
    inputs: list[Array]
    results: list[Array]
    pieces: list[Array]
    """What each device has of each result, all of the first device first."""
    input_pieces: list[Array]
    """The same of the inputs: from jaxlib 0.12 on, `partitioned` does not state their shardings."""


class Oracle:
    """One child process, started when it is first asked and again after each crash."""

    def __init__(
        self, seconds: float = 120.0, devices: int = 1, many_threads: bool = False, quick: bool = False
    ) -> None:
        self.seconds = seconds
        """How long one question may take."""
        self.devices = devices
        """How many devices JAX is told to have."""
        self.many_threads = many_threads
        """Whether the reference interpreter runs grids of more processes than the machine has processors."""
        self.quick = quick
        """Whether XLA compiles small programs in a fifth of the time, to code that it does not optimise."""
        self.crashes = 0
        self._process: subprocess.Popen[bytes] | None = None
        self._errors: IO[bytes] | None = None
        self._exported: dict[str, tuple[str, list[Array], list[Array]]] = {}

    def parse(self, text: str) -> Parsed:
        """Parses and verifies; `OracleRefused` with MLIR's messages."""
        head, _ = self._ask({"command": "parse", "text": text})
        return Parsed(head["generic"], head["short"])

    def refuses(self, text: str) -> str | None:
        """MLIR's messages about a text that it does not take, `None` if it does."""
        try:
            self.parse(text)
        except OracleRefused as refused:
            return str(refused)
        return None

    def fold(self, text: str) -> str:
        """The program once MLIR has computed what it can."""
        folded: str = self._ask({"command": "fold", "text": text})[0]["text"]
        return folded

    def as_mhlo(self, text: str, read_only: bool = False) -> tuple[str, str]:
        """The program as MLIR prints it, and the same in MHLO; the program itself twice if it is only to be read."""
        head, _ = self._ask({"command": "as_mhlo", "text": text, "read_only": read_only})
        return str(head["given"]), str(head["mhlo"])

    def interpret(self, text: str, arguments: Sequence[Array] = ()) -> list[Array]:
        """What StableHLO's reference interpreter makes of `main`."""
        return self._ask({"command": "interpret", "text": text}, arguments)[1]

    def xla(self, text: str, arguments: Sequence[Array] = ()) -> list[Array]:
        """What XLA, compiled for the CPU, makes of `main`."""
        return self._ask({"command": "xla", "text": text}, arguments)[1]

    def xla_grid(
        self, text: str, grid: tuple[int, int], arguments: Sequence[Array], hlo: bool = False
    ) -> list[Array]:
        """The results of the processes of a grid that all run `main`, of the arguments of each, one after the other."""
        asked = {"command": "xla_grid", "text": text, "grid": grid, "hlo": hlo}
        return self._ask(asked, arguments)[1]

    def parse_hlo(self, text: str) -> str:
        """XLA's own print of HLO text; `OracleRefused` with its parser's message."""
        printed: str = self._ask({"command": "parse_hlo", "text": text})[0]["text"]
        return printed

    def print_hlo(self, text: str, style: str) -> str:
        """What XLA prints as HLO of StableHLO: `plain`, `short` or `canonical`."""
        printed: str = self._ask({"command": "print_hlo", "text": text, "style": style})[0]["text"]
        return printed

    def verify_hlo(self, text: str) -> str | None:
        """What XLA's verifier says of HLO text that its parser takes, `None` if it is content."""
        refused: str | None = self._ask({"command": "verify_hlo", "text": text})[0]["refused"]
        return refused

    def hlo_opcodes(self) -> list[str]:
        """XLA's list of opcodes, as its sources write them: `kAddDependency`."""
        names: list[str] = self._ask({"command": "hlo_opcodes"})[0]["names"]
        return names

    def run_hlo(self, text: str, arguments: Sequence[Array] = (), emitted: bool = False) -> list[Array]:
        """The results of HLO text on the CPU; `emitted` as it is written, else compiled like any program."""
        return self._ask({"command": "run_hlo", "text": text, "emitted": emitted}, arguments)[1]

    def export(self, name: str) -> tuple[str, list[Array], list[Array]]:
        """The program of one of `frameworks.kinds`, its inputs and its results."""
        if name not in self._exported:
            head, arrays = self._ask({"command": "export", "name": name})
            count = head["inputs"]
            self._exported[name] = head["text"], arrays[:count], arrays[count:]
        return self._exported[name]

    def export_hlo(
        self, name: str, platform: str | None = None
    ) -> tuple[list[str], list[Array], list[Array]]:
        """The program's StableHLO, its HLO before and after XLA has optimised it, its inputs and its results.

        For another platform than this one there is only the HLO before.
        """
        asked = {"command": "export_hlo", "name": name}
        head, arrays = self._ask(asked if platform is None else {**asked, "platform": platform})
        count = head["inputs"]
        return head["texts"], arrays[:count], arrays[count:]

    def export_recipe(self, recipe: dict[str, Any], partitioner: str = "shardy") -> Sharded:
        """The program of a recipe of `sharded.recipes`, spread by `shardy` or `gspmd`."""
        return self._export_sharded({"recipe": recipe, "partitioner": partitioner})

    def export_parallel(self, name: str, partitioner: str) -> Sharded:
        """One of `sharded.training`."""
        return self._export_sharded({"name": name, "partitioner": partitioner})

    def _export_sharded(self, asked: dict[str, Any]) -> Sharded:
        head, arrays = self._ask({"command": "export_sharded", **asked})
        ends = [0, *accumulate(head["counts"])]
        parts = [arrays[start:end] for start, end in pairwise(ends)]
        return Sharded(*head["texts"], *parts)

    def boxes(self, asked: dict[str, Any]) -> tuple[str, str, Array]:
        """A sharding in HLO and in Shardy, and what JAX puts on each device: starts and stops in each dimension."""
        head, (found,) = self._ask({"command": "boxes", **asked})
        hlo, shardy = head["texts"]
        return hlo, shardy, found

    def op_by_op(self, name: str, repetitions: int) -> list[float]:
        """Seconds of runs in which JAX dispatches one op after the other."""
        head, _ = self._ask({"command": "op_by_op", "name": name, "repetitions": repetitions})
        seconds: list[float] = head["seconds"]
        return seconds

    def measure(
        self, command: str, text: str, arguments: Sequence[Array] = (), repetitions: int = 1
    ) -> tuple[dict[str, Any], list[Array]]:
        """The times that the process measured, and the results."""
        return self._ask({"command": command, "text": text, "repetitions": repetitions}, arguments)

    def close(self) -> None:
        """Ends the process."""
        if self._process is None:
            return
        process, self._process = self._process, None
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                _close(stream)
        process.kill()
        process.wait()
        if self._errors is not None:
            self._errors.close()

    def _ask(self, head: dict[str, Any], arrays: Sequence[Array] = ()) -> tuple[dict[str, Any], list[Array]]:
        process = self._running()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            write_message(process.stdin, head, arrays)
            if not select.select([process.stdout], [], [], self.seconds)[0]:
                process.kill()
            answer, results = read_message(process.stdout)
        except (EOFError, BrokenPipeError):
            raise self._crashed() from None
        if "error" in answer:
            raise OracleRefused(answer["error"])
        return answer, results

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            self._errors = tempfile.TemporaryFile()  # noqa: SIM115, closed with the process
            self._process = subprocess.Popen(
                [
                    sys.executable,
                    "-m",
                    "tests.oracle.child",
                    *(["--many-threads"] if self.many_threads else []),
                ],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                env={**os.environ, **self._environment},
                start_new_session=True,
            )
        return self._process

    @property
    def _environment(self) -> dict[str, str]:
        flags = [os.environ.get("XLA_FLAGS", ""), *(quick_flags() if self.quick else ())]
        if self.devices > 1:
            flags.append(f"--xla_force_host_platform_device_count={self.devices}")
        return {"JAX_PLATFORMS": "cpu", "TF_CPP_MIN_LOG_LEVEL": "3", "XLA_FLAGS": " ".join(flags).strip()}

    def _crashed(self) -> OracleCrashed:
        self.crashes += 1
        words = ""
        if self._process is not None:
            # Its own end, and not ours in `close`, is what there is to tell.
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(1)
        if self._errors is not None:
            size = self._errors.seek(0, os.SEEK_END)
            self._errors.seek(max(0, size - 2000))
            words = self._errors.read().decode(errors="replace")
        process = self._process
        self.close()
        return OracleCrashed(words or self._end_of(process))

    def _end_of(self, process: subprocess.Popen[bytes] | None) -> str:
        """How a process ended that has said nothing: by our own hand after too long a time, or by itself."""
        code = process.returncode if process is not None else None
        if code is None or code == -signal.SIGKILL:
            return f"no answer within {self.seconds:g} s"
        return f"ended by {signal.Signals(-code).name}" if code < 0 else f"ended with code {code}"


def _close(stream: IO[bytes]) -> None:
    with suppress(BrokenPipeError):
        stream.close()
