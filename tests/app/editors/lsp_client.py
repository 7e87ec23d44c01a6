"""A client of the Language Server Protocol: plays a session with `hloscope lsp`."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread
from typing import Any

from hloscope.app.editors.debug_adapter.connection import read_message
from tests.app.editors.message_client import SECONDS, Message, MessageClient


class LspClient(MessageClient):
    """Sends requests and notifications, and waits for what is answered."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin
        super().__init__(process.stdin)
        self._process, self._number = process, 0
        Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self._process.stdout
        while (message := read_message(self._process.stdout)) is not None:  # type: ignore[arg-type]
            self.queue.put(message)
        self.queue.put(None)

    def _send(self, message: dict[str, Any]) -> None:
        self.send_bytes(json.dumps({"jsonrpc": "2.0", **message}).encode())

    def notify(self, method: str, params: Any = None) -> None:
        """Sends what wants no answer."""
        self._send({"method": method, **({} if params is None else {"params": params})})

    def ask(self, method: str, params: Any = None) -> Any:
        """A request's result."""
        self._number += 1
        number = self._number
        self._send({"id": number, "method": method, **({} if params is None else {"params": params})})
        found = self.wait(lambda message: message.get("id") == number and "method" not in message)
        assert "error" not in found, found
        return found["result"]

    def received(self, message: Message) -> None:
        """Requests of the server are answered at once."""
        if "id" in message and "method" in message:
            self._send({"id": message["id"], "result": None})

    def open(self, uri: str, text: str) -> list[dict[str, Any]]:
        """Opens a document; its diagnostics."""
        start = len(self.heard)
        item = {"uri": uri, "languageId": "mlir", "version": 1, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": item})
        return self.diagnostics(uri, start)

    def diagnostics(self, uri: str, start: int = 0) -> list[dict[str, Any]]:
        """What is wrong with a document."""
        found = self.wait(
            lambda message: (
                message.get("method") == "textDocument/publishDiagnostics" and message["params"]["uri"] == uri
            ),
            start,
        )
        diagnostics: list[dict[str, Any]] = found["params"]["diagnostics"]
        return diagnostics

    def at(self, method: str, uri: str, line: int, character: int, **more: Any) -> Any:
        """What is asked about a place."""
        place = {"line": line, "character": character}
        return self.ask(f"textDocument/{method}", {"textDocument": {"uri": uri}, "position": place, **more})


@contextmanager
def playing(*settings: str) -> Iterator[LspClient]:
    """A client with a server of its own."""
    command = [
        sys.executable,
        "-m",
        "hloscope",
        "lsp",
        *(word for each in settings for word in ("--set", each)),
    ]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        try:
            client = LspClient(process)
            capabilities = {"workspace": {"inlayHint": {"refreshSupport": True}}}
            client.ask("initialize", {"processId": None, "rootUri": None, "capabilities": capabilities})
            client.notify("initialized", {})
            yield client
            client.ask("shutdown")
            client.notify("exit")
            assert process.wait(SECONDS) == 0
        finally:
            process.kill()
