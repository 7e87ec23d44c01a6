"""XLA's logs of checksums of the buffers of each kernel, before and after it ran, and where two executions part.

Field numbers follow XLA's `buffer_debug_log.proto`: BufferDebugLogProto, BufferDebugLogEntryProto. A thunk is a step of a
compiled module, most often one kernel.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from .protocol_buffers import LENGTH, VARINT, Message, WireError, read_fields

HEAD_BYTES = 1 << 14
"""Bytes that suffice to recognise a log: a comment, and its first entry."""
_CHECKSUM = 1
"""CHECK_TYPE_CHECKSUM"""
_NUMBERS = {
    "thunk_id": 1,
    "buffer_idx": 2,
    "checksum": 3,
    "is_input_buffer": 4,
    "execution_id": 5,
    "check_type": 6,
}
_WORDS = {
    "true": 1,
    "false": 0,
    "CHECK_TYPE_UNSPECIFIED": 0,
    "CHECK_TYPE_CHECKSUM": 1,
    "CHECK_TYPE_FLOAT_CHECKS": 2,
}
_BLANK = re.compile(r"(?:\s|#[^\n]*(?:\n|$))*")
_ENTRY = re.compile(rf"entries\s*:?\s*\{{([^{{}}]*)\}}{_BLANK.pattern}")
_FIELD = re.compile(r"\s*(\w+)\s*:\s*(\w{1,40})\b\s*[,;]?\s*")
_THUNK = re.compile(r"\s*(\d+): *(\w+)\s*(?:\[[^\]]*\])?(.*)")
"""A line of a thunk sequence: the number of a thunk, its kind, its neighbours in brackets, and a description."""
Place = tuple[int, int]
"""A thunk, and the number of its execution in the log."""
Buffer = tuple[bool, int]
"""Whether it is from before the thunk, and the number of the buffer among those of the thunk."""


@dataclass(frozen=True)
class Checksum:
    """The checksum of a buffer before or after one execution of a thunk."""

    thunk: int
    buffer: int
    """The number of the buffer among those of the thunk."""
    value: int
    """32 bits: buffers with different ones differ, and buffers with the same one may differ."""
    is_input: bool
    """Whether it was taken before the thunk ran."""
    execution: int
    """How often the thunk had run before, since its module was loaded."""


def read_log(data: bytes) -> tuple[Checksum, ...]:
    """Read a log in binary form or as text, in its order; raise `WireError` if it is none."""
    return tuple(_checksums(data))


def is_log(head: bytes) -> bool:
    """Whether a file with these first bytes, at most `HEAD_BYTES`, is a log with at least one checksum."""
    try:
        return next(_checksums(head), None) is not None
    except WireError:
        return False


def _checksums(data: bytes) -> Iterator[Checksum]:
    is_text = data[:1] != b"\x0a" or data.lstrip()[:7] == b"entries"
    return map(_checksum, _of_text(data) if is_text else _of_message(data))


def _of_text(data: bytes) -> Iterator[dict[int, int]]:
    text = data.decode("utf-8", "replace")
    start = _BLANK.match(text)
    at = start.end() if start else 0
    while at < len(text):
        if not (entry := _ENTRY.match(text, at)):
            raise WireError(f"line {text.count(chr(10), 0, at) + 1} is not an entry of a log of checksums")
        yield _fields_of_text(entry[1])
        at = entry.end()


def _fields_of_text(text: str) -> dict[int, int]:
    found, at, text = {}, 0, text.strip()
    while at < len(text):
        field = _FIELD.match(text, at)
        number = _NUMBERS.get(field[1]) if field else None
        if field is None or number is None or not (field[2] in _WORDS or field[2].isdecimal()):
            raise WireError(f"a log of checksums has no field {text[at:].partition(chr(10))[0]!r:.60}")
        found[number] = _WORDS[field[2]] if field[2] in _WORDS else int(field[2])
        at = field.end()
    return found


def _of_message(data: bytes) -> Iterator[dict[int, int]]:
    for field, kind, value in read_fields(memoryview(data)):
        if field != 1 or kind != LENGTH:
            raise WireError("the message is not a log of checksums")
        entry = Message(cast(memoryview, value))
        if entry.numbers_present - set(_NUMBERS.values()) or not entry.has_only(VARINT):
            raise WireError("the message is not a log of checksums")
        yield {number: entry.number(number) for number in _NUMBERS.values()}


def _checksum(fields: Mapping[int, int]) -> Checksum:
    thunk, buffer, value, is_input, execution, kind = (fields.get(number, 0) for number in range(1, 7))
    if kind != _CHECKSUM:
        raise WireError(f"an entry is of the check type {kind}, and only checksums (type 1) are read")
    if min(thunk, buffer) < 0 or not (
        0 <= value < 1 << 32 and 0 <= execution < 1 << 32 and is_input in (0, 1)
    ):
        raise WireError("an entry of the log holds a number that is too large")
    return Checksum(thunk, buffer, value, bool(is_input), execution)


def thunk_names(text: str) -> dict[int, str]:
    """What XLA's thunk sequence says of each thunk, by its number."""
    lines = (_THUNK.fullmatch(line) for line in text.splitlines())
    return {int(line[1]): " ".join(f"{line[2]} {line[3]}".split()) for line in lines if line}


def log_lines(log: Sequence[Checksum], names: Mapping[int, str]) -> list[str]:
    """The log for people: a line for each execution of a thunk, with its checksums below."""
    lines: list[str] = []
    shown = None
    for found in log:
        if shown != (found.thunk, found.execution):
            shown = found.thunk, found.execution
            lines.append(f"{_thunk_text(found.thunk, names)}, execution {found.execution}")
        lines.append(f"  {_buffer_text((found.is_input, found.buffer))}: {found.value:08x}")
    return lines


def _thunk_text(thunk: int, names: Mapping[int, str]) -> str:
    return f"thunk {thunk} ({names[thunk]})" if thunk in names else f"thunk {thunk}"


def _buffer_text(buffer: Buffer) -> str:
    return f"buffer {buffer[1]} {'before' if buffer[0] else 'after'} it"


@dataclass(frozen=True)
class Change:
    """An execution of a thunk with a checksum that is another one in the other log."""

    thunk: int
    execution: int
    """The ordinal of the execution in the log, from 0."""
    buffer: int
    is_input: bool
    before: int
    after: int

    def text(self, names: Mapping[int, str]) -> str:
        """`thunk 3 (kKernel …): buffer 1 after it, 0000002a and 0000002b`."""
        again = f", execution {self.execution}" if self.execution else ""
        buffer = _buffer_text((self.is_input, self.buffer))
        return f"{_thunk_text(self.thunk, names)}{again}: {buffer}, {self.before:08x} and {self.after:08x}"


@dataclass(frozen=True)
class LogComparison:
    """Two logs side by side, execution by execution of each thunk."""

    compared: int
    """The executions of thunks that both logs have."""
    differing: int
    """Those of them with a differing checksum."""
    unpaired: int
    """Checksums that only one of the logs has."""
    first: Change | None = None
    """The first difference in the order of the first log."""
    born: Change | None = None
    """The first checksum after a thunk that differs although all those before the thunk are the same."""

    def sentences(self, names: Mapping[int, str]) -> list[str]:
        """What was found, for people."""
        found = [
            f"executions of thunks with a checksum that differs: {self.differing:,} of {self.compared:,}"
        ]
        if self.first and self.first != self.born:
            found.append(f"first difference: {self.first.text(names)}")
        if self.born:
            found.append(
                f"first thunk whose buffers agree before it and differ after it: {self.born.text(names)}"
            )
        if self.unpaired:
            found.append(f"checksums that one log alone has: {self.unpaired:,}")
        return found


def compare_logs(before: Sequence[Checksum], after: Sequence[Checksum]) -> LogComparison:
    """Compare two logs of one module, from two executions, devices or versions of XLA.

    The n-th execution of a thunk in one log is compared with its n-th in the other: buffers come in any order, and the
    numbers of executions go on from one log of a process to the next.
    """
    ours, theirs = _by_place(before), _by_place(after)
    shared = [place for place in ours if place in theirs]
    changes = {place: _changes(place, ours[place], theirs[place]) for place in shared}
    differing = [found for found in changes.values() if found]
    born = (
        found[0] for place, found in changes.items() if found and _inputs_agree(ours[place], theirs[place])
    )
    unpaired = (
        len(before) + len(after) - 2 * sum(len(ours[place].keys() & theirs[place].keys()) for place in shared)
    )
    first = differing[0][0] if differing else None
    return LogComparison(len(shared), len(differing), unpaired, first, next(born, None))


def _by_place(log: Sequence[Checksum]) -> dict[Place, dict[Buffer, int]]:
    found: dict[Place, dict[Buffer, int]] = {}
    seen: Counter[tuple[int, Buffer]] = Counter()
    for entry in log:
        buffer = entry.is_input, entry.buffer
        found.setdefault((entry.thunk, seen[entry.thunk, buffer]), {})[buffer] = entry.value
        seen[entry.thunk, buffer] += 1
    return found


def _inputs_agree(ours: Mapping[Buffer, int], theirs: Mapping[Buffer, int]) -> bool:
    sides = [{buffer: value for buffer, value in side.items() if buffer[0]} for side in (ours, theirs)]
    return sides[0] == sides[1]


def _changes(place: Place, ours: Mapping[Buffer, int], theirs: Mapping[Buffer, int]) -> list[Change]:
    """The buffers that differ, those before the thunk first."""
    differing = sorted(
        (each for each in ours if theirs.get(each, ours[each]) != ours[each]), key=lambda each: not each[0]
    )
    return [
        Change(*place, buffer, is_input, ours[is_input, buffer], theirs[is_input, buffer])
        for is_input, buffer in differing
    ]
