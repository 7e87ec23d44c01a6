"""Client of the local server: the API routes that a session needs."""

from __future__ import annotations

import http.client
import json
import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..web.local_server import LocalServer

SECONDS = 120.0
PAUSE_SECONDS = 0.2
BUSY = 503


class ServerRefused(Exception):
    """The server refused a request; the message is the server's."""


@dataclass(frozen=True)
class LocalClient:
    """Client of one server."""

    server: LocalServer

    def create(self, name: str, sources: Mapping[str, str]) -> str:
        """Create a session without a run; its id."""
        asked = {"text": "", "name": name[:200], "sources": sources}
        return str(self._json("POST", "/api/sessions", asked)["id"])

    def upload(self, session: str, path: Path) -> str:
        """Upload a file for a session; its name on the server."""
        return str(self._send_file(f"/api/sessions/{session}/files", path)["file"])

    def start_run(self, session: str, run: Mapping[str, Any]) -> dict[str, Any]:
        """Start a run of a session, with its text and inputs."""
        return self._json("POST", f"/api/sessions/{session}/runs", run)

    def compute_on(self, session: str, run: int, engine: str) -> str:
        """Compute the values of a run on an engine; the id of the job, which a new run starts from."""
        path = f"/api/sessions/{session}"
        job = self._json("POST", f"{path}/runs/{run}/engines", {"against": engine, "records": True})
        while job["state"] in ("waiting", "running"):
            time.sleep(PAUSE_SECONDS)
            job = self._json("GET", f"{path}/engines/{job['id']}")
        if job["state"] != "done":
            raise ServerRefused(f"{job['message']} {job['hint']}".strip())
        return str(job["id"])

    def info(self, session: str) -> dict[str, Any]:
        """The description of a session that the page receives."""
        return self._json("GET", f"/api/sessions/{session}")

    def move(self, session: str, position: Mapping[str, Any]) -> None:
        """Set the position of the user."""
        self._json("PUT", f"/api/sessions/{session}/position", position)

    def delete(self, session: str) -> None:
        """Delete a session permanently."""
        self._json("DELETE", f"/api/sessions/{session}")

    def create_dump(self, archive: Path) -> str:
        """Create a dump of XLA's passes; its id."""
        return str(self._send_file("/api/dumps", archive)["id"])

    def delete_dump(self, dump: str) -> None:
        """Delete a dump permanently."""
        self._json("DELETE", f"/api/dumps/{dump}")

    def _json(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
        data = None if body is None else json.dumps(body).encode()
        return self._ask(method, path, [data] if data else [], {"Content-Type": "application/json"})

    def _send_file(self, path: str, file: Path) -> dict[str, Any]:
        boundary = secrets.token_hex(16)
        head = (
            f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{file.name}"\r\n'
            "Content-Type: application/octet-stream\r\n\r\n"
        ).encode()
        parts = [head, file.read_bytes(), f"\r\n--{boundary}--\r\n".encode()]
        return self._ask("POST", path, parts, {"Content-Type": f"multipart/form-data; boundary={boundary}"})

    def _ask(
        self, method: str, path: str, body: Sequence[bytes], headers: Mapping[str, str]
    ) -> dict[str, Any]:
        deadline = time.monotonic() + SECONDS
        while True:
            status, data = self._send(method, path, body, headers)
            if status != BUSY or time.monotonic() > deadline:
                break
            time.sleep(PAUSE_SECONDS)
        answer: dict[str, Any] = json.loads(data) if data else {}
        if status >= 400:
            raise ServerRefused(_sentence(answer))
        return answer

    def _send(
        self, method: str, path: str, body: Sequence[bytes], headers: Mapping[str, str]
    ) -> tuple[int, bytes]:
        port = self.server.port
        given = {
            **headers,
            "Cookie": f"hloscope-{port}={self.server.token}",
            "Sec-Fetch-Site": "same-origin",
            "Content-Length": str(sum(map(len, body))),
        }
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=SECONDS)
        try:
            connection.putrequest(method, path)
            for name, value in given.items():
                connection.putheader(name, value)
            connection.endheaders()
            for part in body:
                connection.send(part)
            answer = connection.getresponse()
            return answer.status, answer.read()
        except (OSError, http.client.HTTPException) as error:
            raise ServerRefused(f"the local server at port {port} does not answer: {error}") from error
        finally:
            connection.close()


def _sentence(answer: Mapping[str, Any]) -> str:
    found = answer.get("error", answer)
    if not isinstance(found, Mapping):
        return str(found)
    return " ".join(str(found[part]) for part in ("message", "hint") if found.get(part))
