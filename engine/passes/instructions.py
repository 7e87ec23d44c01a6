"""HLO text as a table of instructions, fast enough to compare hundreds of texts.

The reader verifies nothing and skips lines that XLA would not write.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from .original_values import Leaf, read_originals

_INSTRUCTION = re.compile(r"\s+(ROOT )?%?([\w.-]+) = ")
_COMPUTATION = re.compile(r"(ENTRY )?%?([\w.-]+) (?:\(.*\) -> .*)?\{\s*")
_NAME = re.compile(r"%([\w.-]+)")
_OPERAND = re.compile(r"%([\w.-]+(?:#\d+)*)")
_COMMENT = re.compile(r"/\*.*?\*/")
_OP_NAME = re.compile(r'op_name="((?:[^"\\]|\\.)*)"')
_FRAME = re.compile(r"stack_frame_id=(\d+)")
_SOURCE = re.compile(r'source_file="([^"]*)"(?:.*?source_line=(\d+))?')
_LAYOUT = re.compile(r"\{[^{}]*\}")
_UNCOUNTED = re.compile(
    r", (control-predecessors|metadata|sharding|frontend_attributes|original_value|origin)="
)
_TABLES = ("FileNames", "FunctionNames", "FileLocations", "StackFrames")
_ROW = re.compile(r'(\d+) (?:"(.*)"|\{(.*)\})')
_FIELD = re.compile(r"(\w+)=(\d+)")
_LITERAL_END = re.compile(r"\)(?=, [a-z_]+=|\s*$)")
_OPEN, _CLOSE = "([{", ")]}"


@dataclass(frozen=True, slots=True)
class Written:
    """The content of a line without its position; equal lines of many texts are parsed once."""

    name: str
    is_root: bool
    opcode: str
    shape: str
    """As written, with its layout."""
    operands: tuple[str, ...]
    literal: str
    """Text between the parentheses of `constant` or `parameter`."""
    attributes: str
    """Attributes without metadata, shardings, original values and the names of computations."""
    sharding: str
    """`sharding={…}` and `frontend_attributes={…}`, which do not affect values."""
    called: tuple[str, ...]
    op_name: str
    frame: int | None
    source: str
    originals: tuple[Leaf, ...] = ()
    """The values of the program before XLA's passes that it has, as far as XLA notes them."""

    @property
    def bare_shape(self) -> str:
        """The shape without layouts."""
        return _LAYOUT.sub("", self.shape)


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction of a text."""

    written: Written
    computation: str
    line: int
    """Counted from 1."""
    frames: tuple[str, ...]
    """Stack frames `function (file:line:column)`, innermost first; numbers differ between dumps."""

    @property
    def name(self) -> str:
        """Without `%`."""
        return self.written.name


@dataclass(frozen=True)
class HloText:
    """The instructions of a text by name."""

    module: str
    entry: str
    instructions: Mapping[str, Instruction]
    """In the order of the text; a repeated name has the key `body/add.1`, with its computation."""
    computations: Mapping[str, tuple[str, ...]] = field(repr=False)
    """The keys of each computation's instructions, in order."""
    roots: Mapping[str, str] = field(repr=False)
    """The key of each computation's root."""
    key: str = field(repr=False)
    """The text without metadata and tables; texts with equal keys have equal meaning."""
    header: str = field(default="", repr=False)
    """The first line."""

    def find(self, name: str, computation: str) -> str | None:
        """The key of an operand named in a computation; `None` if there is no such instruction."""
        if f"{computation}/{name}" in self.instructions:
            return f"{computation}/{name}"
        return name if name in self.instructions else None


def read_instructions(text: str) -> HloText:
    """Parse the instructions of HLO text."""
    lines = text.splitlines()
    tables = _Tables()
    reader = _Reader(tables)
    for number, line in enumerate(lines, 1):
        reader.read(line, number)
    return reader.finish(lines[0] if lines else "")


class _Reader:
    """Line-by-line reader of one text."""

    def __init__(self, tables: _Tables) -> None:
        self._tables = tables
        self._computation = ""
        self._entry = ""
        self._found: dict[str, Instruction] = {}
        self._members: dict[str, list[str]] = {}
        self._roots: dict[str, str] = {}
        self._key: list[str] = []
        self._elements: set[tuple[str, str]] = set()
        """Computations with the operands `tuple#1` in them."""

    def read(self, line: str, number: int) -> None:
        if line.startswith(" "):
            written = read_line(line)
            if written is not None and self._computation:
                self._add(written, number)
        elif not line.startswith(("HloModule", "}")) and (found := _COMPUTATION.fullmatch(line)):
            self._computation = found[2]
            self._members[found[2]] = []
            self._key.append(line)
            if found[1]:
                self._entry = found[2]
        else:
            self._tables.read(line)

    def _add(self, written: Written, number: int) -> None:
        for operand in written.operands:
            if "#" in operand and (self._computation, operand) not in self._elements:
                self._elements.add((self._computation, operand))
                self._add(self._element(operand), number)
        key = written.name if written.name not in self._found else f"{self._computation}/{written.name}"
        frames = self._tables.chain(written.frame)
        self._found[key] = Instruction(written, self._computation, number, frames)
        self._members[self._computation].append(key)
        if written.is_root:
            self._roots[self._computation] = key
        self._key.append(_key_of(written))

    def _element(self, operand: str) -> Written:
        """The get-tuple-element that the operand `tuple#1` stands for."""
        taken, _, index = operand.rpartition("#")
        whole = self._found.get(f"{self._computation}/{taken}") or self._found.get(taken)
        shapes = _split(_COMMENT.sub("", whole.written.shape)[1:-1]) if whole else ()
        shape = shapes[int(index)].strip() if int(index) < len(shapes) else ""
        attributes = f", index={index}"
        return Written(
            operand, False, "get-tuple-element", shape, (taken,), "", attributes, "", (), "", None, ""
        )

    def finish(self, header: str) -> HloText:
        for computation, listed in self._members.items():
            if listed:
                self._roots.setdefault(computation, listed[-1])
        name = re.match(r"HloModule ([^,\s]+)", header)
        members = {computation: tuple(found) for computation, found in self._members.items()}
        entry = self._entry or next(reversed(members), "")
        key = "\n".join(self._key)
        return HloText(name[1] if name else "", entry, self._found, members, self._roots, key, header)


def _key_of(written: Written) -> str:
    operands = ",".join(written.operands)
    called = ",".join(written.called)
    inside = f"{operands}|{written.literal}|{written.attributes}{written.sharding}|{called}"
    return f"{written.is_root:d} {written.name} {written.shape} {written.opcode} {inside}"


class _Tables:
    """The tables before the first computation, which resolve stack frames."""

    def __init__(self) -> None:
        self._rows: dict[str, dict[int, str]] = {name: {} for name in _TABLES}
        self._current: dict[int, str] | None = None
        self._chains: dict[int, tuple[str, ...]] = {}

    def read(self, line: str) -> None:
        if line in self._rows:
            self._current = self._rows[line]
        elif self._current is not None and (row := _ROW.fullmatch(line)):
            self._current[int(row[1])] = row[2] if row[2] is not None else row[3]

    def chain(self, frame: int | None) -> tuple[str, ...]:
        """The frames of an instruction, innermost first."""
        if frame is None:
            return ()
        if frame not in self._chains:
            self._chains[frame] = tuple(self._follow(frame))
        return self._chains[frame]

    def _follow(self, frame: int) -> list[str]:
        chain: list[str] = []
        seen: set[int] = set()
        while frame not in seen and frame in self._rows["StackFrames"]:
            seen.add(frame)
            fields = dict(_FIELD.findall(self._rows["StackFrames"][frame]))
            chain.append(self._place(int(fields.get("file_location_id", 0))))
            stated = int(fields.get("parent_frame_id", 0))
            frame = stated if self._is_plain else stated - 1
        return chain

    @cached_property
    def _is_plain(self) -> bool:
        """Whether parent frame numbers are stored without the usual offset of one.

        A 0 anywhere in the table proves that they are.
        """
        return any(row.endswith("parent_frame_id=0") for row in self._rows["StackFrames"].values())

    def _place(self, location: int) -> str:
        fields = dict(_FIELD.findall(self._rows["FileLocations"].get(location, "")))
        file = self._rows["FileNames"].get(int(fields.get("file_name_id", 0)), "")
        function = self._rows["FunctionNames"].get(int(fields.get("function_name_id", 0)), "")
        return f"{function} ({file}:{fields.get('line', '0')}:{fields.get('column', '0')})"


@lru_cache(maxsize=1 << 16)
def read_line(line: str) -> Written | None:
    """Parse the instruction of a line; `None` if the line has none."""
    start = _INSTRUCTION.match(line)
    if start is None:
        return None
    at = start.end()
    end = _end_of_shape(line, at)
    open_at = line.find("(", end)
    if open_at < 0:
        return None
    opcode, shape = line[end:open_at].strip(), line[at:end].strip()
    close_at = _end_of_literal(line, open_at) if opcode == "constant" else _closing(line, open_at)
    inside, rest = line[open_at + 1 : close_at], line[close_at + 1 :]
    has_literal = opcode in ("constant", "parameter", "iota")
    apart, attributes, called = _attributes(rest)
    metadata = apart.get("metadata", "")
    op_name, frame = _OP_NAME.search(metadata), _FRAME.search(metadata)
    place = _SOURCE.search(metadata)
    origin = apart.get("original_value") or apart.get("origin", "")
    return Written(
        start[2],
        bool(start[1]),
        opcode,
        shape,
        () if has_literal else _operands(inside),
        inside if has_literal else "",
        attributes,
        apart.get("sharding", "") + apart.get("frontend_attributes", ""),
        called,
        op_name[1] if op_name else "",
        int(frame[1]) if frame else None,
        f"{place[1]}:{place[2] or 0}" if place else "",
        read_originals(origin.partition("=")[2], shape.startswith("(")) if origin else (),
    )


def _end_of_shape(line: str, at: int) -> int:
    if line[at : at + 1] == "(":
        return _closing(line, at) + 1
    end = line.find(" ", at)
    return len(line) if end < 0 else end


def _end_of_literal(line: str, at: int) -> int:
    """Find the end of a constant, which may be long but contains no bracket before an attribute."""
    found = _LITERAL_END.search(line, at)
    return found.start() if found else len(line)


def _closing(line: str, at: int) -> int:
    """Position of the bracket that closes the one at `at`, or the end of the line."""
    depth = 0
    quoted = False
    for position in range(at, len(line)):
        character = line[position]
        if character == '"' and line[position - 1] != "\\":
            quoted = not quoted
        elif quoted:
            continue
        elif character in _OPEN:
            depth += 1
        elif character in _CLOSE:
            depth -= 1
            if depth == 0:
                return position
    return len(line)


def _operands(inside: str) -> tuple[str, ...]:
    if "%" in inside:
        return tuple(_OPERAND.findall(inside))
    return tuple(part.split()[-1] for part in _split(inside) if part.strip())


def _split(inside: str) -> Sequence[str]:
    parts, depth, start = [], 0, 0
    for position, character in enumerate(inside):
        depth += (character in _OPEN) - (character in _CLOSE)
        if character == "," and depth == 0:
            parts.append(inside[start:position])
            start = position + 1
    return [*parts, inside[start:]]


def _attributes(rest: str) -> tuple[dict[str, str], str, tuple[str, ...]]:
    """Split attributes into those that change no value, the rest without computation names, and these names."""
    apart: dict[str, str] = {}
    while (found := _UNCOUNTED.search(rest)) is not None:
        end = _closing(rest, found.end()) + 1
        apart[found[1]] = rest[found.start() : end]
        rest = rest[: found.start()] + rest[end:]
    called = tuple(_NAME.findall(rest))
    return apart, _NAME.sub("%", rest) if called else rest, called
