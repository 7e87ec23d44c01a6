"""XLA in a process of its own: asked like a library, and survived like a stranger."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Self

import hloscope

from ..workers.framing import Channel, Frame, FrameError
from .arrays import Array, pack_arrays, unpack_arrays
from .failures import XlaCrashed, XlaFailed, XlaMissing, XlaOutOfMemory, XlaRefused, XlaTimedOut

OptionValue = str | int | float | bool
Overrides = Mapping[str, OptionValue]
"""Options of one compilation, by the names of XLA's flags without the dashes: `{"xla_disable_hlo_passes": "fusion"}`."""
SECONDS = 60.0
ADDRESS_SPACE = 16 << 30
START_SECONDS = 60.0
MOST_WORDS = 2000


@dataclass(frozen=True)
class Versions:
    """What answers."""

    jax: str
    jaxlib: str
    platform: str
    """`cpu`, or what else jax finds."""


class XlaEngine:
    """One child process, started when it is first asked, kept warm, and started anew after it died.

    `seconds`: how long a question may take. `address_space`: bytes, 0 for no limit. `flags`: XLA_FLAGS of the process, each with
    its dashes. `devices`: how many the CPU is split into. `python`: the interpreter whose jaxlib it is. Every question raises
    `XlaFailed` where there is no answer.
    """

    def __init__(
        self,
        *,
        seconds: float = SECONDS,
        address_space: int = ADDRESS_SPACE,
        flags: Sequence[str] = (),
        devices: int = 1,
        python: str = sys.executable,
        platform: str = "cpu",
    ) -> None:
        self.seconds = seconds
        self._address_space = address_space
        self._flags = [
            *flags,
            *([] if devices == 1 else [f"--xla_force_host_platform_device_count={devices}"]),
        ]
        self._python = python
        self._platform = platform
        self._process: subprocess.Popen[bytes] | None = None
        self._channel: Channel | None = None
        self._errors: IO[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def versions(self) -> Versions:
        """Which jax, which jaxlib, and on what it runs."""
        answer = self._ask({"question": "versions"}).message
        return Versions(answer["jax"], answer["jaxlib"], answer["platform"])

    def run(
        self, text: str, arguments: Sequence[Array] = (), overrides: Overrides | None = None
    ) -> list[Array]:
        """The results of a program, StableHLO or HLO that XLA has not optimised yet, compiled with all passes."""
        return self._arrays({"question": "run", "text": text, "overrides": dict(overrides or {})}, arguments)

    def run_emitted(
        self, text: str, arguments: Sequence[Array] = (), overrides: Overrides | None = None
    ) -> list[Array]:
        """The results of HLO text as it is written, past all passes: fusions, layouts and library calls as they are.

        What passes before code generation take for granted must hold: see `emitted`.
        """
        question = {"question": "run_emitted", "text": text, "overrides": dict(overrides or {})}
        return self._arrays(question, arguments)

    def optimize(self, text: str, overrides: Overrides | None = None) -> str:
        """The HLO that XLA's passes make of a program, with all constants."""
        question = {"question": "optimize", "text": text, "overrides": dict(overrides or {})}
        return str(self._ask(question).message["text"])

    def dump(self, text: str, directory: Path, overrides: Overrides | None = None) -> str:
        """Write the text after each pass that changes something into a directory; the optimised HLO."""
        asked: dict[str, OptionValue] = {
            "xla_dump_to": str(directory),
            "xla_dump_hlo_as_text": True,
            "xla_dump_hlo_pass_re": ".*",
            "xla_dump_large_constants": True,
        }
        return self.optimize(text, {**asked, **(overrides or {})})

    def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        if self._channel is not None:
            self._channel.connection.close()
        if self._errors is not None:
            self._errors.close()

    def _arrays(self, question: Mapping[str, Any], arguments: Sequence[Array]) -> list[Array]:
        frame = self._ask(question, arguments)
        return unpack_arrays(frame.message["arrays"], frame.buffers)

    def _ask(self, question: Mapping[str, Any], arguments: Sequence[Array] = ()) -> Frame:
        process, channel = self._running()
        heads, buffers = pack_arrays(arguments)
        late = threading.Event()

        def end() -> None:
            late.set()
            process.kill()

        watch = threading.Timer(self.seconds, end)
        watch.start()
        try:
            channel.send({**question, "arrays": heads}, buffers)
            answer = channel.receive()
        except (OSError, FrameError):
            answer = None
        finally:
            watch.cancel()
        if answer is None:
            raise self._end_of(late.is_set())
        if "refused" in answer.message:
            raise XlaRefused(answer.message["refused"])
        if "out_of_memory" in answer.message:
            raise XlaOutOfMemory(self._address_space)
        return answer

    def _running(self) -> tuple[subprocess.Popen[bytes], Channel]:
        if self._process is not None and self._channel is not None:
            return self._process, self._channel
        ours, theirs = socket.socketpair()
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115, closed with the process
        with theirs:
            numbers = (theirs.fileno(), os.getpid(), self._address_space)
            self._process = subprocess.Popen(
                [self._python, "-m", "hloscope.app.xla.child", *map(str, numbers)],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._errors,
                env=self._environment(),
                start_new_session=True,
            )
        self._channel = Channel(ours)
        return self._process, self._channel

    def _environment(self) -> dict[str, str]:
        public = Path(hloscope.__file__).parent.parent
        flags = " ".join([os.environ.get("XLA_FLAGS", ""), *self._flags]).strip()
        return {
            **os.environ,
            "PYTHONPATH": str(public),
            "JAX_PLATFORMS": self._platform,
            "JAX_ENABLE_X64": "true",  # else arrays are narrowed on their way in
            "JAX_ENABLE_COMPILATION_CACHE": "false",  # what comes out of it was not compiled, nor dumped
            "TF_CPP_MIN_LOG_LEVEL": "3",
            **({"XLA_FLAGS": flags} if flags else {}),
        }

    def _end_of(self, late: bool) -> XlaFailed:
        """Why there is no answer; the process is done with."""
        assert self._process is not None
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(5)
        code, words = self._process.poll(), self._last_words()
        self.close()
        if late:
            return XlaTimedOut(self.seconds)
        if "No module named 'jax" in words:
            return XlaMissing(self._python)
        return XlaCrashed(-9 if code is None else code, words)

    def _last_words(self) -> str:
        if self._errors is None:
            return ""
        size = self._errors.seek(0, os.SEEK_END)
        self._errors.seek(max(0, size - MOST_WORDS))
        return self._errors.read().decode(errors="replace").strip()
