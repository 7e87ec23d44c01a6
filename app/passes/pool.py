"""Client of the process that runs stages: started on demand, ended with a `with` block."""

import contextlib
import signal
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

from ..base.cores import cores
from ..processes.child_process import Child, passed_on
from ..processes.framing import Buffer, Channel, Frame, FrameError

OUT_OF_MEMORY = 71
"""Exit status of a task that ran out of memory."""


def number_json(value: Any) -> Any:
    """A number as JSON: floats as their hexadecimal text, complex numbers as two."""
    if isinstance(value, complex):
        return {"complex": [value.real.hex(), value.imag.hex()]}
    return {"float": value.hex()} if isinstance(value, float) else value


def number_of(found: Any) -> Any:
    """Decode a number that `number_json` encoded."""
    if not isinstance(found, dict):
        return found
    if "complex" in found:
        return complex(*map(float.fromhex, found["complex"]))
    return float.fromhex(found["float"])


@dataclass(frozen=True)
class Task:
    """Work for a separate process: its description, and its bytes."""

    kind: str
    fields: Mapping[str, Any]
    buffers: Sequence[Buffer] = ()


@dataclass(frozen=True)
class Reply:
    """The outcome of a task."""

    message: Mapping[str, Any] = field(default_factory=dict)
    buffers: Sequence[Buffer] = ()
    problem: str = ""
    """The reason why there is no answer: the process was ended, or memory ran out."""


class Pool:
    """Run tasks in separate processes, several at a time; none can harm the caller."""

    def __init__(self, jobs: int | None = None, seconds: float = 600.0, address_space: int = 0) -> None:
        """`seconds` is the time limit of one task; `address_space` in bytes, 0 for no limit."""
        self.jobs = jobs or cores()
        self._seconds, self._address_space = seconds, address_space
        self._child: Child | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def keep(self, name: str, message: Mapping[str, Any], buffers: Sequence[Buffer]) -> None:
        """Share arrays with all later tasks, under a name."""
        self._start().send({"keep": name, **message}, buffers)

    def run(self, tasks: Sequence[Task]) -> Iterator[tuple[int, Reply]]:
        """The number of each task with its reply, in order of completion."""
        if not tasks:
            return
        channel = self._start()
        try:
            limits = {"seconds": self._seconds, "address_space": self._address_space}
            channel.send({"batch": len(tasks), "jobs": self.jobs, **limits})
            for task in tasks:
                channel.send({"kind": task.kind, "fields": dict(task.fields)}, task.buffers)
            for _ in tasks:
                frame = channel.receive()
                if frame is None:
                    raise FrameError("the stream ended")
                yield frame.message["id"], self._reply(frame)
        except (OSError, FrameError) as error:
            self.close()
            raise RuntimeError(f"the process that runs stages has ended: {error}") from error

    def _reply(self, frame: Frame) -> Reply:
        if "died" not in frame.message:
            return Reply(frame.message, frame.buffers)
        return Reply(problem=_sentence(int(frame.message["died"]), frame.message["timed_out"], self._seconds))

    def _start(self) -> Channel:
        if self._child is None:
            self._child = Child("hloscope.app.passes.task_server", passed_on())
        return Channel(self._child.connection)

    def close(self) -> None:
        """End the process and all its tasks."""
        if self._child is not None:
            self._child.close()
            self._child = None


def _sentence(code: int, timed_out: bool, seconds: float) -> str:
    if timed_out:
        return f"it took longer than {seconds:g} s and was stopped (run_time_limit_ms)"
    if code == OUT_OF_MEMORY:
        return "memory ran out (session_memory_bytes, worker_rlimit_as_bytes)"
    if code < 0:
        with contextlib.suppress(ValueError):
            return f"its process was ended by {signal.Signals(-code).name}"
    return f"its process ended with status {code}: a fault of hloscope's own"
