"""The readers that are fuzzed, and inputs to begin with."""

from __future__ import annotations

import gzip
import io
import socket
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from tempfile import NamedTemporaryFile

import numpy as np
from pydantic import TypeAdapter, ValidationError

from hloscope.app.processes.framing import Channel, FrameError, encode
from hloscope.app.runs.formats.kinds import recognise
from hloscope.app.runs.formats.packing import unpack_gzip, unpack_zip
from hloscope.app.runs.formats.protos import module_bytes
from hloscope.app.runs.formats.reading import OF_HLO
from hloscope.app.runs.npz import read_arrays
from hloscope.app.wire.requests import LiveMessage
from hloscope.app.wire.room_messages import RoomMessage
from hloscope.engine.errors import ExpressionError, ProgramError
from hloscope.engine.expressions import evaluate, parse
from hloscope.engine.passes.buffer_logs import read_log
from hloscope.engine.passes.protocol_buffers import WireError
from hloscope.engine.passes.saved_buffers import read_saved_buffers
from hloscope.engine.passes.snapshots import read_constants, read_snapshot
from tests.bad_input.test_mutations import SPLIT, check
from tests.expressions.test_expressions import VALUES, Scope

MOST = 1 << 24
_SMALL = [name for name, value in VALUES.items() if value.size < 100]
_MESSAGES = TypeAdapter[object](LiveMessage), TypeAdapter[object](RoomMessage)


def programs(data: bytes) -> None:
    """Read, verify and begin a program in either language."""
    check(data.decode("utf-8", "replace"))


def expressions(data: bytes) -> None:
    """Read and evaluate an expression."""
    with suppress(ExpressionError):
        evaluate(parse(data.decode("utf-8", "replace"), _SMALL), Scope())


def arrays(data: bytes) -> None:
    """Read arrays: NumPy's files, safetensors, PyTorch's, JSON, CSV."""
    with NamedTemporaryFile() as file, suppress(ProgramError):
        Path(file.name).write_bytes(data)
        read_arrays(Path(file.name), budget=MOST)


def files(data: bytes) -> None:
    """Recognise and unpack a file, and read the executions and constants that protocol buffers hold."""
    kind = recognise(data)
    with suppress(ProgramError):
        if kind in ("gzip", "zip"):
            (unpack_gzip if kind == "gzip" else unpack_zip)(data, "file", MOST)
        if kind in OF_HLO:
            module_bytes(data, kind)
    readers: tuple[Callable[[bytes], object], ...] = (
        *(read_snapshot, lambda given: read_snapshot(given, unoptimized=True), read_constants),
        *(read_log, lambda given: list(read_saved_buffers(given))),
    )
    for read in readers:
        with suppress(WireError):
            read(data)


def frames(data: bytes) -> None:
    """Read what a worker sends."""
    ours, theirs = socket.socketpair()
    with closing(ours), closing(theirs), suppress(FrameError):
        theirs.sendall(data[: 1 << 16])
        theirs.shutdown(socket.SHUT_WR)
        while Channel(ours).receive():
            pass


def messages(data: bytes) -> None:
    """Read what a page sends over a session's or a room's socket."""
    for known in _MESSAGES:
        with suppress(ValidationError):
            known.validate_json(data)


READERS: dict[str, Callable[[bytes], None]] = {
    read.__name__: read for read in (programs, expressions, arrays, files, frames, messages)
}


EXPRESSIONS = """\
-2 ** 2 // 7 % 4 + 1e3 * 0x1F / inf
max(%0, axis=0).sum(1) + %0[..., 0:3:2] - %5#1.T.shape
any(isnan(%add.3)) and not all(isinf(%add.3)) or %flag
iteration > 3 && op == "stablehlo.add" || !(operand(0).mean() in [2, 3])
where(%x[process=0] > 2, clip(%0, 1, 2), bf16(1.001)) ^ ~%bits
quantile(%small, 0.5).norm().dtype != 'int32'"""


def seeds(name: str) -> list[bytes]:
    """Inputs to begin with; the fuzzer makes others from them."""
    if name == "programs":
        return ["".join(tokens).encode("utf-8", "replace") for kind in SPLIT.values() for tokens in kind]
    file = io.BytesIO()
    np.savez(file, a=np.ones((2, 3), np.float32), b=np.array(True))
    some = {
        "expressions": [line.encode() for line in EXPRESSIONS.splitlines()],
        "arrays": [file.getvalue(), b'{"a": [[1, 2], [3, 4]]}', b"1,2\n3,4\n"],
        "files": [file.getvalue(), gzip.compress(b"HloModule m", mtime=0)],
        "frames": [b"".join(bytes(piece) for piece in encode({"kind": "done"}, [b"abc", b""]))],
        "messages": [b'{"type":"position","step":3}', b'{"type":"record"}', b'{"type":"hello","token":"a"}'],
    }
    return some[name]
