"""Client of XLA's process: calls like a library's, which survive its crashes."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Self

import numpy as np

from hloscope.engine.errors import ProgramError
from hloscope.engine.frontend import parse
from hloscope.engine.ops.core.devices import Device, device_of
from hloscope.engine.source import Source
from hloscope.engine.syntax import looks_like_hlo, print_hlo
from hloscope.engine.syntax.hlo import without_indexed_operands

from ..processes.arrays import Array, pack, unpack_all
from ..processes.child_process import Child
from ..processes.framing import Channel, Frame, FrameError
from .compilations import BYTES, FOLDER
from .failures import (
    XlaCrashed,
    XlaFailed,
    XlaFlagRefused,
    XlaMissing,
    XlaNoPlatform,
    XlaOutOfMemory,
    XlaRefused,
    XlaTimedOut,
)
from .platforms import CPU

OptionValue = str | int | float | bool
Overrides = Mapping[str, OptionValue]
"""Options of one compilation, by the names of XLA's flags without the dashes: `{"xla_disable_hlo_passes": "fusion"}`."""
SECONDS = 60.0
ADDRESS_SPACE = 16 << 30
Grid = tuple[int, int, bool]
"""Replicas, partitions, and whether arguments and results are whole values, not parts."""
ALONE: Grid = (1, 1, False)
KEEPS_MEMORY = (
    f"glibc.malloc.arena_max=1:glibc.malloc.mmap_threshold={1 << 30}:glibc.malloc.trim_threshold={1 << 30}"
)
"""The next run's values reuse the memory of the last one's: getting new pages takes as long as computing the values."""
MOST_READ = 1 << 20
_INDEXED_OPERAND = re.compile(r"[(,]\s*(?:\S+ )?%?[\w.-]+#\d")


@dataclass(frozen=True)
class Versions:
    """The versions of jax and jaxlib, and the platform."""

    jax: str
    jaxlib: str
    platform: str
    """`cpu`, or another platform that jax finds."""
    device: str = ""
    """The device's name: `NVIDIA H100`."""

    @property
    def rounding(self) -> Device:
        """The table of how the device rounds."""
        return device_of(self.platform, self.device)

    @property
    def title(self) -> str:
        """`XLA of jaxlib 0.10.2 on cpu`."""
        told = "" if self.platform == CPU or not self.device else f" ({self.device})"
        return f"XLA of jaxlib {self.jaxlib} on {self.platform}{told}"


class XlaEngine:
    """One child process: started on the first request, kept warm, and restarted after a crash.

    `seconds`: timeout of a request. `address_space`: bytes, 0 for no limit. `flags`: XLA_FLAGS of the process, each with
    its dashes. `devices`: the number of devices that the CPU is split into. `python`: the interpreter with the jaxlib to
    use. `platform`: the devices' platform, `device` for jax's own choice; any other platform than a CPU reserves more
    addresses than it has memory, so that `address_space` does not apply to it. `compilations`: a folder that keeps compiled
    programs for the next process, and its maximum size in bytes. `serves`: the module that answers in the process, for one
    that needs less than all of jax. Every request without an answer raises `XlaFailed`.
    """

    def __init__(
        self,
        *,
        seconds: float = SECONDS,
        address_space: int = ADDRESS_SPACE,
        flags: Sequence[str] = (),
        devices: int = 1,
        python: str = sys.executable,
        platform: str = CPU,
        compilations: tuple[Path, int] | None = None,
        serves: str = "hloscope.app.xla.child",
    ) -> None:
        self.seconds = seconds
        self.compilations = compilations
        self._address_space = address_space if platform == CPU else 0
        self._flags = [
            *flags,
            *([] if devices == 1 else [f"--xla_force_host_platform_device_count={devices}"]),
        ]
        self._python = python
        self._serves = serves
        self._platform = platform
        self._child: Child | None = None
        self._started = 0
        self._errors: IO[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def process_number(self) -> int:
        """A number of the running process; without one, that of the next."""
        return self._started + (self._child is None)

    def versions(self) -> Versions:
        """The versions of jax and jaxlib, and their platform."""
        answer = self._ask({"question": "versions"}).message
        return Versions(answer["jax"], answer["jaxlib"], answer["platform"], answer["device"])

    def platforms(self) -> dict[str, list[str]]:
        """The devices of this machine by platform, each with its description."""
        found: dict[str, list[str]] = self._ask({"question": "platforms"}).message["platforms"]
        return found

    def run(
        self,
        text: str,
        arguments: Sequence[Array] = (),
        overrides: Overrides | None = None,
        grid: Grid = ALONE,
        *,
        as_written: bool = False,
    ) -> list[Array]:
        """The results of StableHLO, or of HLO before XLA's passes, compiled with all passes.

        On a grid these are the results of all processes in process order, and arguments have the same layout; whole values
        are given once, and each process returns its whole results.

        `as_written`: the results of HLO text past all passes, with its fusions, layouts and library calls. The invariants
        that passes establish before code generation must hold: see `emitted`.
        """
        question = _question("run_emitted" if as_written else "run", text, overrides)
        answer = self._ask({**question, "grid": grid}, arguments)
        return unpack_all(answer.message["arrays"], answer.buffers[0])

    def run_resident(
        self, text: str, head: Mapping[str, Any], sent: Sequence[Array], overrides: Overrides | None = None
    ) -> tuple[dict[str, Any], list[Array]]:
        """Run a program on values of the process, and keep its large results there: see `resident`."""
        answer = self._ask({**_question("run_resident", text, overrides), **head}, sent)
        return answer.message, unpack_all(answer.message["arrays"], answer.buffers[0])

    def fetch(self, handle: int) -> Array:
        """A value of the process."""
        answer = self._ask({"question": "fetch", "handle": handle})
        (found,) = unpack_all(answer.message["arrays"], answer.buffers[0])
        return found

    def count_compilations(self) -> dict[str, int]:
        """The numbers of programs that the process has `compiled`, and has `loaded` from the disk."""
        answer = self._ask({"question": "compilations"}).message
        return {name: answer[name] for name in ("compiled", "loaded")}

    def optimize(self, text: str, overrides: Overrides | None = None, grid: Grid = ALONE) -> str:
        """The HLO of a program after XLA's passes, with all constants."""
        question = _question("optimize", text, overrides)
        return str(self._ask({**question, "grid": grid}).message["text"])

    def dump(self, text: str, directory: Path, overrides: Overrides | None = None, grid: Grid = ALONE) -> str:
        """Write the text after each pass with an effect into `directory`; return the optimised HLO."""
        return self.optimize(text, {**dump_options(directory), **(overrides or {})}, grid)

    def convert(
        self, kind: str, data: bytes, *, sizes: Mapping[str, int] | None = None, platform: str = ""
    ) -> tuple[str, dict[str, Any]]:
        """The text of a binary program of a kind in `conversion`, and facts about it.

        `sizes` and `platform` are for functions that `jax.export` has serialised: see `exported`.
        """
        question = {"question": "convert", "kind": kind, "sizes": dict(sizes or {}), "platform": platform}
        answer = self._ask(question, [np.frombuffer(data, np.uint8)])
        (text,) = unpack_all(answer.message["arrays"], answer.buffers[0])
        return text.tobytes().decode(), answer.message["about"]

    def close(self) -> None:
        """End the process."""
        child, self._child = self._child, None
        if child is not None:
            child.close()
        if self._errors is not None:
            self._errors.close()
            self._errors = None

    def _ask(self, question: Mapping[str, Any], arguments: Sequence[Array] = ()) -> Frame:
        child = self._running()
        channel = Channel(child.connection)
        described, data = pack(arguments)
        late = False
        child.connection.settimeout(self.seconds)
        try:
            grid = (*question.get("grid", ALONE), self._platform)
            channel.send({**question, "grid": grid, "arrays": described}, [data])
            answer = channel.receive()
        except TimeoutError:
            late, answer = True, None
            child.kill()
        except (OSError, FrameError):
            answer = None
        except BaseException:  # Ctrl-C: the pending answer must not be read as the next one
            self.close()
            raise
        if answer is None:
            raise self._end_of(late)
        if "refused" in answer.message:
            words = answer.message["refused"]
            raise XlaFlagRefused.told_by(words) or XlaRefused(words)
        if "no_platform" in answer.message:
            raise XlaNoPlatform(answer.message["no_platform"], answer.message["found"])
        if "out_of_memory" in answer.message:
            raise XlaOutOfMemory(self._address_space)
        return answer

    def _running(self) -> Child:
        if self._child is None:
            self._started += 1
            self._errors = tempfile.TemporaryFile()  # noqa: SIM115, closed with the process
            self._child = Child(
                self._serves, self._environment(),
                address_space=self._address_space, python=self._python, errors=self._errors,
            )  # fmt: skip
        return self._child

    def _environment(self) -> dict[str, str]:
        flags = " ".join([os.environ.get("XLA_FLAGS", ""), *self._flags]).strip()
        return {
            "XLA_PYTHON_CLIENT_PREALLOCATE": "false",  # other processes may use the device
            **os.environ,
            **self._of_platform(),
            "JAX_ENABLE_X64": "true",  # otherwise jax narrows the arguments
            "JAX_ENABLE_COMPILATION_CACHE": "false",  # a cached program is neither compiled nor dumped
            "TF_CPP_MIN_LOG_LEVEL": "2",  # errors too: they name a flag's wrong value
            **({"XLA_FLAGS": flags} if flags else {}),
            **(
                {}
                if self.compilations is None
                else dict(zip((FOLDER, BYTES), map(str, self.compilations), strict=True))
            ),
        }

    def _of_platform(self) -> dict[str, str]:
        if self._platform != CPU:
            return {}
        tunables = os.environ.get("GLIBC_TUNABLES", "")
        return {"JAX_PLATFORMS": CPU, "GLIBC_TUNABLES": f"{tunables}:{KEEPS_MEMORY}".strip(":")}

    def _end_of(self, late: bool) -> XlaFailed:
        """The reason for a missing answer; also ends the process."""
        assert self._child is not None
        process = self._child.process
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(5)
        code, words = process.poll(), self._words()
        self.close()
        if late:
            return XlaTimedOut(self.seconds)
        if "No module named 'jax" in words:
            return XlaMissing(self._python)
        died = XlaCrashed(-9 if code is None else code, words)
        return XlaFlagRefused.told_by(words) or died if died.code == 1 else died

    def _words(self) -> str:
        """The end of its standard error; before a list of all flags, it names the wrong value."""
        if self._errors is None:
            return ""
        size = self._errors.seek(0, os.SEEK_END)
        self._errors.seek(max(0, size - MOST_READ))
        return self._errors.read().decode(errors="replace")


def dump_options(directory: Path, passes: str = ".*") -> dict[str, OptionValue]:
    """Options that write texts between the passes; `.*` those after changes, `.+` after every pass."""
    return {
        "xla_dump_to": str(directory),
        "xla_dump_hlo_as_text": True,
        "xla_dump_hlo_pass_re": passes,
        "xla_dump_large_constants": True,
    }


def _question(kind: str, text: str, overrides: Overrides | None) -> dict[str, Any]:
    is_hlo = looks_like_hlo(text)
    return {
        "question": kind,
        "text": _parseable(text) if is_hlo else text,
        "is_hlo": is_hlo,
        "overrides": dict(overrides or {}),
    }


def _parseable(text: str) -> str:
    """The HLO text without operands `%tuple#1`, which jaxlib 0.10 does not parse."""
    if _INDEXED_OPERAND.search(text) is None:
        return text
    try:
        return print_hlo(without_indexed_operands(parse(Source(text))))
    except ProgramError:
        return text  # XLA reports the error
