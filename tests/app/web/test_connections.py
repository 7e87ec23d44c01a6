"""Attacks on real sockets: whatever comes before a request is complete is bounded, and who means well is served."""

import contextlib
import json
import select
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack
from http.client import HTTPResponse
from itertools import chain, repeat
from pathlib import Path

import pytest
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from websockets.sync.client import ClientConnection, connect

from hloscope.app.base.settings import Settings
from hloscope.app.web.connections import MOST_PIPELINED, PIECE_BYTES, RESERVED
from tests.app.listening import Listening, listening
from tests.app.serving import ADD, PATIENCE, until

FLOOD_BYTES = 64 << 20
HEADER_BYTES = Settings().max_header_bytes
BEGINNING = b"GET / HTTP/1.1\r\nHost: x\r\n"
CHUNKED = b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"

# The beginning of a request, and what follows without end.
ENDLESS = {
    "one header": (BEGINNING + b"a: ", b"a" * 4096),
    "one name of a header": (BEGINNING, b"a" * 4096),
    "many headers": (BEGINNING, b"a: b\r\n" * 700),
    "one header in small pieces": (BEGINNING + b"a: ", b"a" * 7),
    "the first line": (b"GET /", b"a" * 4096),
    "line breaks before the first line": (b"", b"\r\n" * 2048),
    "headers after an upgrade that is not served": (
        BEGINNING + b"Connection: upgrade\r\nUpgrade: h2c\r\n\r\n",
        b"a: b\r\n" * 700,
    ),
    "headers after the body": (CHUNKED + b"1\r\na\r\n0\r\n", b"a: b\r\n" * 700),
    "extensions of a chunk": (CHUNKED + b"1;", b"a" * 4096),
    "chunks of one byte": (CHUNKED, b"1\r\na\r\n" * 700),
}


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many bytes the server's parser was given at a time."""
    found: list[int] = []
    original = HttpToolsProtocol.data_received

    def counted(self: HttpToolsProtocol, data: bytes) -> None:
        found.append(len(data))
        original(self, data)

    monkeypatch.setattr(HttpToolsProtocol, "data_received", counted)
    return found


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Listening]:
    with listening(tmp_path_factory.mktemp("data")) as running:
        yield running


@pytest.fixture(scope="module")
def hasty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Listening]:
    """A server that waits for nobody."""
    folder = tmp_path_factory.mktemp("data")
    with listening(folder, receive_time_limit_ms=200, connection_idle_s=1) as running:
        yield running


def _is_well(server: Listening) -> bool:
    with server.client() as client:
        return client.get("/-/health").status_code == 200


def _flood(connection: socket.socket, pieces: Iterator[bytes]) -> None:
    """Sends until the server has closed the connection; fails if it never does."""
    sent = 0
    try:
        for piece in pieces:
            sent += connection.send(piece)
            assert sent < FLOOD_BYTES, "the server takes whatever comes"
    except OSError:
        pass


def _unhurried(piece: bytes) -> Iterator[bytes]:
    """The piece again and again: fast enough for any limit, but never too fast to be taken."""
    while True:
        time.sleep(0.002)
        yield piece


def _answer(connection: socket.socket) -> tuple[int, dict[str, str]]:
    """Status and error of what the server said before it closed the connection."""
    said = b""
    with contextlib.suppress(ConnectionResetError):  # what was sent after that is not read
        while piece := connection.recv(1 << 16):
            said += piece
    head, _, body = said.partition(b"\r\n\r\n")
    return int(head.split()[1]), json.loads(body)["error"]


def _status(connection: socket.socket) -> int:
    """The status of an answer, which is read to its end: its body may come after its head."""
    answer = HTTPResponse(connection)
    answer.begin()
    answer.read()
    return answer.status


@pytest.mark.parametrize("kind", ENDLESS)
def test_what_never_ends_is_cut_off(server: Listening, parsed: list[int], kind: str) -> None:
    beginning, more = ENDLESS[kind]
    with server.connect() as connection:
        _flood(connection, chain([beginning], repeat(more)))
        assert _is_well(server)
    # A chunk of one byte counts as `CHUNK_BYTES`, so that many small ones come to less than the limit.
    assert sum(parsed) < HEADER_BYTES + 4 * PIECE_BYTES
    assert max(parsed) <= PIECE_BYTES


def test_the_error_names_the_limit(server: Listening) -> None:
    with server.connect() as connection:
        connection.sendall(BEGINNING + b"a: " + b"a" * HEADER_BYTES)
        status, error = _answer(connection)
    assert (status, error["limit"]) == (431, "max_header_bytes")
    assert f"{HEADER_BYTES:,}" in error["hint"]


def test_many_connections_that_flood_are_bounded_together(server: Listening, parsed: list[int]) -> None:
    count = 40
    with ExitStack() as stack:
        connections = [stack.enter_context(server.connect()) for _ in range(count)]
        for connection in connections:
            _flood(connection, chain([BEGINNING], repeat(b"a: b\r\n" * 700)))
        assert _is_well(server)
    assert sum(parsed) < count * (HEADER_BYTES + 2 * PIECE_BYTES)


@pytest.mark.parametrize("sent", [b"", BEGINNING], ids=["nothing", "half a head"])
def test_half_open_connections_end(hasty: Listening, sent: bytes) -> None:
    with hasty.connect() as connection:
        connection.sendall(sent)
        assert _is_well(hasty)
        if sent:
            status, error = _answer(connection)
            assert (status, error["limit"]) == (408, "receive_time_limit_ms")
        else:
            assert connection.recv(1) == b""


def _trickle(connection: socket.socket, byte: bytes) -> None:
    """A byte now and then, until the server says something."""
    while not select.select([connection], [], [], 0.02)[0]:
        connection.sendall(byte)


def test_a_head_byte_by_byte_ends(hasty: Listening) -> None:
    with hasty.connect() as connection:
        connection.sendall(BEGINNING + b"a: ")
        _trickle(connection, b"a")
        assert _answer(connection)[1]["limit"] == "receive_time_limit_ms"


def test_half_a_head_after_a_good_request_ends(hasty: Listening) -> None:
    with hasty.connect() as connection:
        connection.sendall(hasty.head("GET /-/health"))
        assert _status(connection) == 200
        connection.sendall(BEGINNING)
        assert _answer(connection)[1]["limit"] == "receive_time_limit_ms"


def test_a_connection_without_a_next_request_ends(hasty: Listening) -> None:
    with hasty.connect() as connection:
        connection.sendall(hasty.head("GET /-/health"))
        assert _status(connection) == 200
        assert connection.recv(1) == b""


def test_a_slow_body_ends(hasty: Listening) -> None:
    head = hasty.head("POST /api/check", Content_Length="1000", Content_Type="application/json")
    with hasty.connect() as connection:
        connection.sendall(head)
        _trickle(connection, b" ")
        status, error = _answer(connection)
        assert (status, error["limit"]) == (408, "receive_time_limit_ms")
    assert _is_well(hasty)


def test_a_body_that_was_refused_is_not_taken_for_long(hasty: Listening) -> None:
    """Who has no token has the answer before the body; however fast that comes, it must end."""
    with hasty.connect() as connection:
        connection.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9000000000\r\n\r\n")
        assert connection.recv(1 << 16).startswith(b"HTTP/1.1 403")
        _flood(connection, _unhurried(b"a" * 4096))


def test_a_request_that_comes_while_the_loop_is_busy_finds_its_connection_open(server: Listening) -> None:
    with server.connect() as connection:
        connection.sendall(server.head("GET /-/health"))
        assert _status(connection) == 200
        own = connection.getsockname()

        def be_busy() -> None:  # the request comes, and the time of the idle connection is over
            connection.sendall(server.head("GET /-/health"))
            idle = [
                one for one in server.server.server_state.connections if isinstance(one, HttpToolsProtocol)
            ]
            next(one for one in idle if one.client == own).timeout_keep_alive_handler()

        server.loop.call_soon_threadsafe(be_busy)
        assert _status(connection) == 200


def test_the_longest_idle_connection_makes_room(tmp_path: Path) -> None:
    most = 10
    with listening(tmp_path, max_connections=most) as server, ExitStack() as stack:
        connections = []
        for number in range(3 * most):
            connections.append(stack.enter_context(server.connect()))
            connections[-1].sendall(BEGINNING)
            until(lambda: server.connections <= most)
            if number % most == 0:
                assert _is_well(server)
        for connection in connections[: 2 * most]:
            assert connection.recv(1) == b""
        assert server.connections <= most


def test_connections_that_are_busy_are_not_closed_for_others(tmp_path: Path) -> None:
    with listening(tmp_path, max_connections=2) as server, ExitStack() as stack:
        with server.client() as client:
            session = client.post("/api/sessions", json={"text": ADD}).json()["id"]
        lines = [stack.enter_context(_line(server, session)) for _ in range(2)]
        silent = [stack.enter_context(server.connect()) for _ in range(RESERVED + 1)]
        with server.connect() as connection:
            connection.sendall(server.head("GET /"))
            status, error = _answer(connection)
        assert (status, error["limit"]) == (503, "max_connections")
        assert _answer(silent[0])[0] == 503  # it made room for the last one
        assert _is_well(server)
        for line in lines:
            _speak(line)


def _line(server: Listening, session: str) -> ClientConnection:
    url = f"ws://127.0.0.1:{server.port}/api/sessions/{session}/live"
    return connect(url, additional_headers=server.headers, compression=None)


def _speak(line: ClientConnection) -> None:
    """What was said comes to the application, and what it answers comes back."""
    line.send("?")
    while "This message is invalid" not in str(line.recv(PATIENCE)):
        pass


# Answers that nobody reads.


def _ask_without_reading(server: Listening, path: str, stack: ExitStack) -> socket.socket:
    """A connection over which a large answer comes, of which the system takes little."""
    connection = stack.enter_context(socket.socket())
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 14)
    connection.settimeout(PATIENCE)
    connection.connect(("127.0.0.1", server.port))
    connection.sendall(server.head(f"GET {path}"))
    assert connection.recv(16).startswith(b"HTTP/1.1 200")
    return connection


def _large_session(server: Listening) -> str:
    """Path of an answer of more bytes than the system holds for a connection."""
    with server.client() as client:
        created = client.post("/api/sessions", json={"text": ADD + "//" + "\x07" * (2 << 20)}).json()
    return f"/api/sessions/{created['id']}"


def _is_cut_off(connection: socket.socket) -> bool:
    """Whether the server ends the connection in the middle of its answer; reads what there is."""
    came = 0
    with contextlib.suppress(ConnectionResetError):
        while piece := connection.recv(1 << 20):
            came += len(piece)
            if came > 12 << 20:
                return False
    return True


def test_an_answer_that_nobody_reads_ends(hasty: Listening) -> None:
    path = _large_session(hasty)
    with ExitStack() as stack:
        connection = _ask_without_reading(hasty, path, stack)
        until(lambda: hasty.connections == 0)
        assert _is_cut_off(connection)


def test_answers_that_nobody_reads_are_bounded_together(tmp_path: Path) -> None:
    """Of answers of 12 MiB and room for 24, one is left beside the last; who reads loses nothing."""
    with listening(tmp_path, max_unsent_bytes=24 << 20) as server, ExitStack() as stack:
        path = _large_session(server)
        unread = [_ask_without_reading(server, path, stack) for _ in range(8)]
        until(lambda: server.connections <= 3)
        with server.client() as client:
            assert len(client.get(path).content) > 12 << 20
        assert all(map(_is_cut_off, unread[:6]))


# Who means well.


def test_large_bodies_come_in(server: Listening) -> None:
    """Each with its head in one piece, as clients send them."""
    text = ADD + "//" + "x" * 3_000_000
    with server.client() as client:
        for _ in range(3):
            assert client.post("/api/check", json={"text": text}).json()["diagnostics"] == []


def test_chunks_as_clients_send_them_come_in(server: Listening) -> None:
    body = json.dumps({"text": ADD}).encode()
    pieces = (body[start : start + 3] for start in range(0, len(body), 3))
    with server.client() as client:
        answer = client.post("/api/check", content=pieces, headers={"Content-Type": "application/json"})
    assert answer.json()["diagnostics"] == []


def test_requests_one_after_another_without_waiting(server: Listening) -> None:
    count = 200
    with server.connect() as connection:
        connection.sendall(server.head("GET /-/health") * count)
        said = b""
        while said.count(b'{"status":"ok"}') < count:
            said += connection.recv(1 << 16)
    assert said.count(b"HTTP/1.1 200") == count


def test_requests_without_waiting_are_bounded(server: Listening, parsed: list[int]) -> None:
    short = b"GET /-/health HTTP/1.1\r\nHost: x\r\n\r\n"
    with server.connect() as connection:
        connection.settimeout(1)
        _flood(connection, repeat(short * 1000))
        assert _is_well(server)
    assert sum(parsed) < MOST_PIPELINED * len(short) + 4 * PIECE_BYTES


def test_what_takes_long_to_answer_is_answered(hasty: Listening) -> None:
    """The times are those of what comes, not of what goes out: starting a worker takes longer than any of them."""
    with hasty.client() as client:
        session = client.post("/api/sessions", json={"text": ADD}).json()["id"]
        with _line(hasty, session) as line:
            time.sleep(1.5)  # longer than every limit
            _speak(line)
        assert client.get(f"/api/sessions/{session}").status_code == 200
