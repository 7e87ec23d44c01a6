"""Map an instruction of the optimised text to lines of the program."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hloscope.engine.passes.instructions import HloText, Instruction

from .our_runs import OurRun

_LOCATION = re.compile(r" ?\bloc\(")
_LINE = re.compile(r":(\d+)$")


def lines_of_instruction(found: HloText, instruction: Instruction, run: OurRun) -> tuple[int, ...]:
    """The source lines, from 1, of the instruction and all that it calls; none if unrecorded.

    XLA records the positions of a text without locations as lines of a file `-`.
    """
    last = run.recording.program.module.source.text.count("\n") + 1
    lines = {line for inner in _inside(found, instruction) if (line := _line(inner)) is not None}
    return tuple(sorted(line for line in lines if 1 <= line <= last))


def without_locations(text: str) -> str:
    """The StableHLO text, line by line, without its locations, so that XLA records its lines."""
    if "loc(" not in text:
        return text
    lines = ("" if line.lstrip().startswith("#loc") else _without_location(line) for line in text.split("\n"))
    return "\n".join(lines)


def _without_location(line: str) -> str:
    while (found := _LOCATION.search(line)) is not None:
        line = line[: found.start()] + line[_closed(line, found.end()) :]
    return line


def _closed(line: str, at: int) -> int:
    """The offset after the parenthesis that closes the one before `at`."""
    depth, quoted = 1, False
    while at < len(line) and depth:
        character = line[at]
        if quoted:
            at += character == "\\"
            quoted = character != '"'
        elif character == '"':
            quoted = True
        else:
            depth += (character == "(") - (character == ")")
        at += 1
    return at


def _inside(found: HloText, instruction: Instruction) -> Iterator[Instruction]:
    waiting, seen = [instruction], set[str]()
    while waiting:
        at = waiting.pop()
        yield at
        for name in at.written.called:
            if name not in seen:
                seen.add(name)
                waiting += [found.instructions[key] for key in found.computations.get(name, ())]


def _line(instruction: Instruction) -> int | None:
    source = instruction.written.source
    place = _LINE.search(source)
    return int(place[1]) if place and source.startswith("-") else None
