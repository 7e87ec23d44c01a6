"""Buffers that XLA saves as TFRecord files, written by hand: names, and arrays as `LiteralBase::Serialize` has them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hloscope.app.cli.main import main
from hloscope.app.passes.dump_answers import OpenedDump
from hloscope.app.passes.dump_files import open_dump
from hloscope.app.runs.formats.failures import UnreadableProgram
from hloscope.app.runs.formats.reading import read_program
from hloscope.app.runs.value_files import is_value_file, read_values
from hloscope.app.wire.dump_questions import FilePartQuestion
from hloscope.engine.errors import InputError, LimitError
from hloscope.engine.limits import DEFAULT_LIMITS
from hloscope.engine.passes.protocol_buffers import WireError
from hloscope.engine.passes.saved_buffers import is_record_file, masked_crc, read_saved_buffers
from tests.app.runs.formats.protos import shape
from tests.each import for_each
from tests.passes import folders

PRED, F32 = 1, 11
PROGRAM = """HloModule f, entry_computation_layout={(f32[2,3]{1,0})->f32[3,2]{0,1}}

ENTRY main {
  x = f32[2,3]{1,0} parameter(0)
  doubled = f32[2,3]{0,1} add(x, x)
  ROOT turned = f32[3,2]{0,1} transpose(doubled), dimensions={1,0}
}
"""
X = np.arange(6, dtype=np.float32).reshape(2, 3)


def crc(data: bytes) -> int:
    """A CRC-32C by the division of polynomials, bit by bit, with the mask of TFRecord files."""
    bits = [byte >> place & 1 for byte in data for place in range(8)] + [0] * 32
    for place in range(32):
        bits[place] ^= 1
    for place in range(len(bits) - 32):
        if bits[place]:
            for power in (
                0,
                *(32 - each for each in (28, 27, 26, 25, 23, 22, 20, 19, 18, 14, 13, 11, 10, 9, 8, 6, 0)),
            ):
                bits[place + power] ^= 1
    found = sum(bit << place for place, bit in enumerate(bits[-32:])) ^ 0xFFFFFFFF
    return ((found >> 15 | found << 17) + 0xA282EAD8) % (1 << 32)


def record(data: bytes) -> bytes:
    """A record: the length of the data, its checksum, the data and the checksum of the data."""
    length = len(data).to_bytes(8, "little")
    return length + crc(length).to_bytes(4, "little") + data + crc(data).to_bytes(4, "little")


def serialized(kind: int, sizes: tuple[int, ...], data: bytes) -> bytes:
    """A literal: the length of its ShapeProto, which is row-major, the ShapeProto and the elements."""
    stated = shape(kind, sizes)
    return len(stated).to_bytes(8, "little") + stated + data


def buffer(name: str, array: np.ndarray) -> bytes:
    """The two records of a buffer of floats."""
    return record(name.encode()) + record(serialized(F32, array.shape, array.tobytes()))


def test_the_checksum_is_that_of_the_format() -> None:
    """The published check value of CRC-32C is 0xE3069283 for `123456789`."""
    check = 0xE3069283
    assert (
        crc(b"123456789")
        == masked_crc(b"123456789")
        == ((check >> 15 | check << 17) + 0xA282EAD8) % (1 << 32)
    )


def test_buffers_have_the_names_of_their_instructions(tmp_path: Path) -> None:
    flags = record(b"flags") + record(serialized(PRED, (9,), b"\x05\x01"))
    file = tmp_path / "host-1-1.tfrecord"
    file.write_bytes(buffer("step", X) + flags + buffer("step", X + 1))
    assert is_value_file(file)
    found = read_values(file, 1 << 20)
    assert list(found) == ["step[0]", "flags", "step[1]"]
    assert found["step[1]"].tolist() == (X + 1).tolist()
    assert found["flags"].tolist() == [True, False, True, *[False] * 5, True]


@for_each(
    ("data", "reason"),
    [
        (buffer("a", X)[:-1], "the file is cut off"),
        (buffer("a", X)[:-20], "the file is cut off"),
        (buffer("a", X) + record(b"b"), "the buffer of 'b' is missing"),
        (record(b"a") + b"\0" * 20, "the file is cut off, or no TFRecord file"),
        (
            record(b"a") + record(serialized(F32, (2, 3), b"\0" * 8)),
            "the record of 'a' is not an array: the message is cut off",
        ),
        (record(b"\xff") + record(b""), "not the name of an instruction"),
        (record(b"a") + record(serialized(13, (), b"")), "the record of 'a' is not one array"),
        (
            record(b"a") + record(b"\x0a\x07\x0a\x05\x0a\x01x\x12\0"),
            "the record of 'a' is not an array: the message is cut off",
        ),
    ],
)
def test_damaged_and_other_records_are_refused(data: bytes, reason: str) -> None:
    with pytest.raises(WireError, match=reason):
        list(read_saved_buffers(data))


def test_the_message_names_the_file(tmp_path: Path) -> None:
    file = tmp_path / "values.tfrecord"
    file.write_bytes(buffer("a", X)[:-1])
    with pytest.raises(
        InputError, match=r"values\.tfrecord is not a file of buffers that XLA saved: the file is cut off"
    ):
        read_values(file, 1 << 20)
    with pytest.raises(LimitError, match=r"values\.tfrecord has \d+ bytes; 40 are left"):
        read_values(file, 40)


def test_a_run_is_compared_with_the_buffers_whatever_their_layout(tmp_path: Path, capsys: Any) -> None:
    """`doubled` and `turned` lie column by column: XLA writes them as they lie, under their logical sizes."""
    doubled = X + X
    program, values = tmp_path / "f.hlo", tmp_path / "host-1-1.tfrecord"
    program.write_text(PROGRAM)
    np.save(tmp_path / "x.npy", X)
    in_memory = doubled.T.reshape(2, 3)
    values.write_bytes(buffer("doubled", in_memory) + buffer("turned", doubled.reshape(3, 2)))
    compare = ["compare", str(program), str(values), "--inputs", str(tmp_path / "x.npy")]
    assert main(compare) == 0, capsys.readouterr().out
    wrong = doubled.copy()
    wrong[1, 0] = 7
    values.write_bytes(buffer("doubled", np.ascontiguousarray(wrong.T).reshape(2, 3)))
    assert main(compare) == 1
    assert "%doubled: element [1, 0]: 6 -> 7" in capsys.readouterr().out


def test_a_dump_lists_its_buffers(tmp_path: Path) -> None:
    folder = folders.healthy(tmp_path / "dump")
    (folder / "host-1-1.tfrecord").write_bytes(buffer("a", X))
    (folder / "cut.tfrecord").write_bytes(buffer("a", X)[:-1])
    opened = OpenedDump(open_dump(folder), DEFAULT_LIMITS)
    notes = [
        opened.answer(FilePartQuestion(file=number, start=0, limit=9)).json()["note"]
        for number, file in enumerate(opened.dump.files)
        if file.content == "saved_buffers"
    ]
    assert notes == [
        "The buffers cannot be read: the file is cut off",
        "Buffers, in the order in which XLA saved them: a float32[2, 3].",
    ]


def test_a_file_of_records_is_no_program() -> None:
    assert is_record_file(record(b""))
    assert not is_record_file(b"\0" * 12)
    with pytest.raises(
        UnreadableProgram, match="f is a TFRecord file, in which XLA saves buffers, and no program"
    ):
        read_program(buffer("a", X), "f")
