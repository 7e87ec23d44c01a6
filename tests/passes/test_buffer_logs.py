"""XLA's logs of checksums: messages written by hand with the field numbers of `buffer_debug_log.proto`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hloscope.app.cli.main import main
from hloscope.app.passes.dump_answers import OpenedDump
from hloscope.app.passes.dump_files import open_dump
from hloscope.app.runs.formats.failures import UnreadableProgram
from hloscope.app.runs.formats.reading import read_program
from hloscope.app.wire.dump_questions import FilePartQuestion
from hloscope.engine.limits import DEFAULT_LIMITS
from hloscope.engine.passes.buffer_logs import Checksum, compare_logs, is_log, read_log, thunk_names
from hloscope.engine.passes.protocol_buffers import WireError
from tests.app.runs.formats.protos import module, nested, number
from tests.each import for_each
from tests.passes import folders

INPUT, OUTPUT = 1, 0
TEXT = """entries {
  thunk_id: 3
  buffer_idx: 1
  checksum: 3735928559
  is_input_buffer: true
  execution_id: 2
  check_type: CHECK_TYPE_CHECKSUM
}
entries {
  check_type: CHECK_TYPE_CHECKSUM
}
"""
SEQUENCE = """000: kKernel         [ | next=001 (1)] blocks: {1, 1, 1}, kernel = loop_add_fusion
  001: kGemm           [prev=000 (1) | ] (no description)
"""


def entry(thunk: int, buffer: int, checksum: int, is_input: int, execution: int = 0, kind: int = 1) -> bytes:
    """A BufferDebugLogEntryProto in a BufferDebugLogProto; a writer leaves out what is zero."""
    values = (thunk, buffer, checksum, is_input, execution, kind)
    return nested(1, b"".join(number(at, value) for at, value in enumerate(values, 1) if value))


LOG = entry(0, 0, 7, INPUT) + entry(0, 1, 8, OUTPUT) + entry(1, 0, 8, INPUT) + entry(1, 2, 9, OUTPUT)
OTHER_KERNEL = LOG.replace(entry(0, 1, 8, OUTPUT), entry(0, 1, 88, OUTPUT)).replace(
    entry(1, 0, 8, INPUT), entry(1, 0, 88, INPUT)
)


def test_both_forms_of_a_log_say_the_same() -> None:
    found = read_log(TEXT.encode())
    assert found == (Checksum(3, 1, 0xDEADBEEF, True, 2), Checksum(0, 0, 0, False, 0))
    assert read_log(entry(3, 1, 0xDEADBEEF, INPUT, 2) + entry(0, 0, 0, OUTPUT)) == found
    assert read_log(("# a comment\n\n" + TEXT).encode()) == found
    assert read_log(b"") == ()
    assert not is_log(b"")


def test_a_log_is_recognised_by_its_first_entry() -> None:
    first = len(entry(0, 0, 7, INPUT))
    assert is_log(LOG[: first + 1])
    assert not is_log(LOG[: first - 1])
    text = TEXT.encode()
    assert is_log(text[: text.index(b"}") + 4])
    assert not is_log(text[: text.index(b"}")])


@for_each(
    ("data", "reason"),
    [
        (LOG[:-1], "cut off"),
        (TEXT[:-2].encode(), "line 9 is not an entry"),
        (TEXT.replace("thunk_id", "thunk").encode(), "no field 'thunk: 3'"),
        (TEXT.replace(": 3\n", ": x\n").encode(), "no field 'thunk_id: x'"),
        (TEXT.replace(": 3\n", f": {'9' * 5000}\n").encode(), "no field 'thunk_id: 9"),
        (nested(1, module()), "not a log of checksums"),
        (LOG + number(2, 1), "not a log of checksums"),
        (nested(1, number(7, 1) + number(6, 1)), "not a log of checksums"),
        (entry(0, 0, 1, INPUT, kind=2), "check type 2"),
        (entry(0, 0, 1 << 32, INPUT), "too large"),
        (entry(-1, 0, 1, INPUT), "too large"),
        (b"HloModule f", "line 1 is not an entry"),
    ],
)
def test_anything_else_is_refused(data: bytes, reason: str) -> None:
    with pytest.raises(WireError, match=reason):
        read_log(data)


def test_a_kernel_that_makes_something_else_of_the_same_inputs_is_named() -> None:
    found = compare_logs(read_log(LOG), read_log(OTHER_KERNEL))
    assert (found.compared, found.differing, found.unpaired) == (2, 2, 0)
    assert found.first == found.born
    assert found.sentences(thunk_names(SEQUENCE)) == [
        "executions of thunks with a checksum that differs: 2 of 2",
        "first thunk whose buffers agree before it and differ after it: thunk 0 (kKernel blocks: {1, 1, 1}, kernel = loop_add_fusion): "
        "buffer 1 after it, 00000008 and 00000058",
    ]


def test_a_difference_that_comes_from_outside_accuses_no_kernel() -> None:
    outside = read_log(LOG.replace(entry(0, 0, 7, INPUT), entry(0, 0, 77, INPUT)))
    found = compare_logs(read_log(LOG), outside)
    assert found.born is None
    assert found.sentences({})[1:] == ["first difference: thunk 0: buffer 0 before it, 00000007 and 0000004d"]


def test_executions_are_paired_by_their_order_whatever_their_numbers_and_the_order_of_buffers() -> None:
    before = read_log(
        entry(4, 0, 1, INPUT) + entry(4, 1, 2, INPUT) + entry(4, 0, 3, INPUT, 1) + entry(4, 1, 4, INPUT, 1)
    )
    after = read_log(
        entry(4, 1, 2, INPUT, 5)
        + entry(4, 0, 1, INPUT, 5)
        + entry(4, 1, 44, INPUT, 6)
        + entry(4, 0, 3, INPUT, 6)
    )
    found = compare_logs(before, after)
    assert (found.compared, found.differing, found.unpaired) == (2, 1, 0)
    assert found.first is not None
    assert found.first.text({}) == ("thunk 4, execution 1: buffer 1 before it, 00000004 and 0000002c")
    short = compare_logs(before, before[:3])
    assert (short.differing, short.unpaired, short.first) == (0, 1, None)
    assert short.sentences({})[-1] == "checksums that one log alone has: 1"


def test_an_input_that_one_log_lacks_clears_no_kernel() -> None:
    after = read_log(entry(0, 1, 88, OUTPUT))
    found = compare_logs(read_log(LOG), after)
    assert found.born is None
    assert found.first is not None


def test_the_command_compares_two_logs(tmp_path: Path, capsys: Any) -> None:
    names = [f"buffer_debug_log.module_0007.jit_f.execution_000{number}" for number in (0, 1)]
    first, second = tmp_path / f"{names[0]}.pb", tmp_path / f"{names[1]}.pb"
    first.write_bytes(LOG)
    second.write_bytes(OTHER_KERNEL)
    (tmp_path / "module_0006.jit_g.thunk_sequence.txt").write_text("000: kCopy no")
    (tmp_path / "module_0007.jit_f.thunk_sequence.txt").write_text(SEQUENCE)
    assert main(["compare", str(first), str(second)]) == 1
    assert "thunk 0 (kKernel blocks: {1, 1, 1}, kernel = loop_add_fusion)" in capsys.readouterr().out
    assert main(["compare", str(first), str(second), "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert (told["verdict"], told["born"]["buffer"], told["born"]["after"]) == ("different", 1, 88)
    assert main(["compare", str(first), str(first)]) == 0
    second.write_bytes(LOG[: -len(entry(1, 2, 9, OUTPUT))])
    assert main(["compare", str(first), str(second)]) == 8
    second.write_bytes(entry(90, 0, 1, INPUT))
    assert main(["compare", str(first), str(second)]) == 2
    assert "no execution of a thunk in common" in capsys.readouterr().err
    assert main(["compare", str(first), str(first), "--tolerance", "1"]) == 2
    assert "logs of checksums are compared without a run: remove --tolerance" in capsys.readouterr().err
    second.write_bytes(LOG + entry(0, 0, 1, INPUT, kind=2) * 4)
    assert main(["compare", str(first), str(second)]) == 2
    assert "check type 2" in capsys.readouterr().err


def test_a_dump_shows_its_logs_and_compares_them(tmp_path: Path, capsys: Any) -> None:
    folder = folders.healthy(tmp_path / "dump")
    (folder / "buffer_debug_log.module_0001.jit_f.execution_0000.txt").write_text(TEXT)
    (folder / "buffer_debug_log.module_0001.jit_f.execution_0001.txt").write_text(
        TEXT.replace("3735928559", "5")
    )
    (folder / "module_0001.jit_f.thunk_sequence.txt").write_text("003: kKernel a\n")
    dump = open_dump(folder)
    (first, _) = (file for file in dump.modules[0].attachments if file.content == "checksums")
    opened = OpenedDump(dump, DEFAULT_LIMITS)
    part = opened.answer(FilePartQuestion(file=dump.files.index(first), start=0, limit=9)).json()
    assert part["lines"] == [
        "thunk 3 (kKernel a), execution 2",
        "  buffer 1 before it: deadbeef",
        "thunk 0, execution 0",
        "  buffer 0 after it: 00000000",
    ]
    assert main(["passes", str(folder), "--no-run"]) == 0
    assert capsys.readouterr().out.splitlines()[-4:] == [
        "buffer_debug_log.module_0001.jit_f.execution_0000.txt: checksums of buffers: 2",
        "buffer_debug_log.module_0001.jit_f.execution_0001.txt: checksums of buffers: 2",
        "  beside buffer_debug_log.module_0001.jit_f.execution_0000.txt: executions of thunks with a checksum that differs: 1 of 2",
        "  beside buffer_debug_log.module_0001.jit_f.execution_0000.txt: first difference: thunk 3 (kKernel a): "
        "buffer 1 before it, deadbeef and 00000005",
    ]
    (folder / "buffer_debug_log.module_0001.jit_f.execution_0000.txt").write_text("entries")
    assert main(["passes", str(folder), "--no-run"]) == 0
    assert capsys.readouterr().out.splitlines()[-2:] == [
        "buffer_debug_log.module_0001.jit_f.execution_0000.txt cannot be read: line 1 is not an entry of a log of checksums",
        "buffer_debug_log.module_0001.jit_f.execution_0001.txt: checksums of buffers: 2",
    ]


@for_each("data", [LOG, TEXT.encode(), TEXT[TEXT.index("}") + 2 :].encode()])
def test_a_log_is_no_program(data: bytes) -> None:
    with pytest.raises(UnreadableProgram) as error:
        read_program(data, "f")
    assert error.value.message == "f is XLA's log of the checksums of buffers and no program"
    assert "hloscope compare A B" in (error.value.hint or "")
