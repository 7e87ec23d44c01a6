"""What the tests of the server share: programs, clients, patience."""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import Any, TypeVar

from starlette.testclient import TestClient, WebSocketTestSession

from hloscope.app.base.settings import Settings
from hloscope.app.web.main import create_app

from .shared_fork_server import shared

T = TypeVar("T")
TOKEN = "a-token-that-only-tests-know"
PORT = 8765
ORIGIN = f"http://127.0.0.1:{PORT}"
JSON = dict[str, Any]
PATIENCE = 120
"""Seconds: what comes is seen at once, however busy the machine; only what never comes is waited for so long."""

ADD = """\
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %x, %x : tensor<4xf32>
  %1 = stablehlo.multiply %0, %x : tensor<4xf32>
  return %1 : tensor<4xf32>
}
"""

ENDLESS = """\
func.func @main(%n: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.while(%i = %n) : tensor<i32>
   cond {
    %t = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %s = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }
  return %0 : tensor<i32>
}
"""
"""Step 4 + 5 k is the addition of iteration k."""

TEDIOUS = ENDLESS.replace(
    "  %0 = stablehlo.while",
    "  %v = stablehlo.constant dense<1.0> : tensor<4000000xf32>\n  %0 = stablehlo.while",
).replace(
    "    %one =",
    "    %p = stablehlo.dot_general %v, %v, contracting_dims = [0] x [0] : "
    "(tensor<4000000xf32>, tensor<4000000xf32>) -> tensor<f32>\n    %one =",
)
"""Takes minutes to the limit of steps, which `ENDLESS` reaches in less than a second, and keeps next to nothing in memory.

Step 6 + 6 k is the addition of iteration k.
"""

LOOP = TEDIOUS.replace(
    "%t = stablehlo.constant dense<true> : tensor<i1>",
    "%end = stablehlo.constant dense<200> : tensor<i32>\n    %t = stablehlo.compare LT, %i, %end : "
    "(tensor<i32>, tensor<i32>) -> tensor<i1>",
)
"""The same work until it has counted to 200, which takes long enough to be interrupted; step 8 + 7 k ends iteration k."""

WRONG = ADD.replace("stablehlo.add %x, %x : tensor<4xf32>", "stablehlo.add %x, %nothing : tensor<4xf32>")


def slow(size: int) -> str:
    """A product that nothing can interrupt, on line 3; what comes before it takes no time."""
    matrix = f"tensor<{size}x{size}xf32>"
    return f"""\
func.func @main(%a: {matrix}) -> {matrix} {{
  %0 = stablehlo.slice %a [0:1, 0:1] : ({matrix}) -> tensor<1x1xf32>
  %1 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : ({matrix}, {matrix}) -> {matrix}
  return %1 : {matrix}
}}
"""


def dense(text: str) -> JSON:
    """An input that is these numbers."""
    return {"kind": "dense", "text": text}


@contextmanager
def serving(
    folder: Path,
    *,
    own_fork_server: bool = False,
    lesson: Path | None = None,
    signed_in: bool = True,
    **settings: Any,
) -> Iterator[TestClient]:
    """A client of a server without a network and with long time limits.

    The server has its own store; its workers come from the shared fork server, unless the test is about that one.
    A client that has not signed in sends no header by itself, and follows no redirect.
    """
    limits = ("record_first_ms", "request_time_limit_ms", "trial_time_limit_ms")
    settings = dict.fromkeys(limits, 1000 * PATIENCE) | settings
    app = create_app(Settings(data_dir=str(folder), token=TOKEN, **settings), port=PORT, lesson=lesson)
    headers = {"Origin": ORIGIN} if signed_in else {}
    client = TestClient(app, base_url=ORIGIN, headers=headers, follow_redirects=signed_in)
    with ExitStack() as stack:
        with nullcontext() if own_fork_server else shared():
            stack.enter_context(client)
        if signed_in:
            client.cookies.set(f"hloscope-{PORT}", TOKEN)
        yield client


def new_session(client: TestClient, text: str = ADD, **more: Any) -> str:
    """The id of a new session."""
    answer = client.post("/api/sessions", json={"text": text, **more})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


@contextmanager
def live(client: TestClient, session: str) -> Iterator[WebSocketTestSession]:
    """The line that the session's page keeps open, after its first message."""
    path = f"/api/sessions/{session}/live"
    with client.websocket_connect(path, headers={"Host": ORIGIN[7:]}) as socket:
        assert socket.receive_json() == {"type": "welcome"}
        yield socket


def run_of(client: TestClient, session: str) -> JSON:
    """The session's current run."""
    run: JSON = client.get(f"/api/sessions/{session}").json()["run"]
    return run


def asked(client: TestClient, run: JSON, question: str, status: int = 200, **parameters: Any) -> Any:
    """The answer to a question about a recording, of this status."""
    answer = client.get(f"/api/recordings/{run['key']}/{question}", params=parameters or None)
    assert answer.status_code == status, answer.text
    return answer.json()


def until(condition: Callable[[], T | None], seconds: float = PATIENCE) -> T:
    """The first true answer; fails when there is none in time. It asks less often the longer it waits: to ask takes time too."""
    begin = time.monotonic()
    while not (found := condition()):
        waited = time.monotonic() - begin
        assert waited < seconds, "waited in vain"
        time.sleep(min(0.02 + waited / 8, 0.25))
    return found


def settled(client: TestClient, session: str, number: int | None = None) -> JSON:
    """The current run or that of this number, once it is not being recorded any more."""

    def found() -> JSON | None:
        if number is None:
            run = run_of(client, session)
        else:
            run = client.get(f"/api/sessions/{session}/runs/{number}").json()
        return run if run and run["state"]["kind"] != "recording" else None  # no run: it is being opened

    return until(found)
