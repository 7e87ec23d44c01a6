"""A client of the Debug Adapter Protocol: plays a session with `hloscope dap`, and keeps all that it is told in order."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import IO, Any

from hloscope.app.editors.debug_adapter.adapter import serve
from tests.app.editors.message_client import SECONDS, Message, MessageClient


class DapClient(MessageClient):
    """Sends requests and waits for what is answered."""

    def __init__(self, source: IO[bytes], sink: IO[bytes]) -> None:
        super().__init__(sink)
        self._source, self._number = source, 0
        self._reader = Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        while line := self._source.readline():
            # Nothing but messages: a stray line fails here.
            name, _, length = line.decode().partition(":")
            if name != "Content-Length" or self._source.readline() != b"\r\n":
                break
            self.queue.put(json.loads(self._source.read(int(length))))
        self.queue.put(None)

    def send(self, command: str, **arguments: Any) -> int:
        """Sends a request, and does not wait."""
        self._number += 1
        message = {"seq": self._number, "type": "request", "command": command, "arguments": arguments}
        self.send_bytes(json.dumps(message).encode())
        return self._number

    def answer(self, number: int) -> Message:
        """The answer to a request."""
        return self.wait(lambda message: message.get("request_seq") == number)

    def ask(self, command: str, **arguments: Any) -> Message:
        """A request's answer, which must be a success: its body."""
        found = self.answer(self.send(command, **arguments))
        assert found["success"], found
        body: Message = found.get("body", {})
        return body

    def refused(self, command: str, **arguments: Any) -> str:
        """What a request is refused with."""
        found = self.answer(self.send(command, **arguments))
        assert not found["success"], found
        return str(found["message"])

    def event(self, name: str, start: int = 0) -> Message:
        """The first event of that name."""
        return self.wait(lambda message: message.get("event") == name, start)

    def move(self, command: str, thread: int = 1, **arguments: Any) -> Message:
        """A move; what it stopped at, or the event `terminated`."""
        start = len(self.heard)
        self.ask(command, threadId=thread, **arguments)
        found = self.wait(lambda message: message.get("event") in ("stopped", "terminated"), start)
        return {**found.get("body", {}), "event": found["event"]}

    def begin(
        self,
        program: Path | str,
        breakpoints: list[Message] | None = None,
        filters: tuple[str, ...] = (),
        **launch: Any,
    ) -> Message:
        """The whole start of a session, to its first stop."""
        self.ask("initialize", adapterID="hloscope", linesStartAt1=True, columnsStartAt1=True)
        launched = self.send("launch", program=str(program), **launch)
        self.event("initialized")
        if breakpoints is not None:
            self.ask("setBreakpoints", source={"path": str(program)}, breakpoints=breakpoints)
        self.ask("setExceptionBreakpoints", filters=list(filters))
        self.ask("configurationDone")
        assert self.answer(launched)["success"], self.heard[-2:]
        found = self.wait(lambda message: message.get("event") in ("stopped", "terminated"))
        return {**found.get("body", {}), "event": found["event"]}

    def top(self, thread: int = 1) -> Message:
        """The innermost frame."""
        frame: Message = self.ask("stackTrace", threadId=thread)["stackFrames"][0]
        return frame

    def evaluate(self, expression: str, thread: int = 1) -> str:
        """What an expression gives in the innermost frame."""
        found = self.ask("evaluate", expression=expression, frameId=self.top(thread)["id"])
        return str(found["result"])

    def values(self, thread: int = 1, scope: str = "Values") -> dict[str, Message]:
        """The variables of a scope of the innermost frame, by name."""
        scopes = self.ask("scopes", frameId=self.top(thread)["id"])["scopes"]
        reference = next(item["variablesReference"] for item in scopes if item["name"] == scope)
        return {
            item["name"]: item for item in self.ask("variables", variablesReference=reference)["variables"]
        }

    def close(self) -> None:
        """Ends the session."""
        self.ask("disconnect")
        self._sink.close()
        self._reader.join(SECONDS)
        self._source.close()


@contextmanager
def playing(*settings: str) -> Iterator[DapClient]:
    """A client of an adapter in a thread of this process, which ends with it."""
    (requests, sink), (source, answers) = os.pipe(), os.pipe()
    codes: list[int] = []

    def run() -> None:
        with os.fdopen(requests, "rb") as incoming, os.fdopen(answers, "wb") as outgoing:
            codes.append(serve(incoming, outgoing, list(settings)))

    thread = Thread(target=run, daemon=True)
    thread.start()
    client = DapClient(os.fdopen(source, "rb"), os.fdopen(sink, "wb"))
    yield client
    client.close()
    thread.join(SECONDS)
    assert codes == [0]


@contextmanager
def playing_process(*arguments: str) -> Iterator[tuple[DapClient, subprocess.Popen[bytes]]]:
    """A client of the command itself."""
    command = [sys.executable, "-m", "hloscope", "dap", *arguments]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin
        assert process.stdout
        try:
            yield DapClient(process.stdout, process.stdin), process
            assert process.wait(SECONDS) is not None
        finally:
            process.kill()
