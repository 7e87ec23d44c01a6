"""Split and change HLO text without parsing it as a program, to preserve XLA's text; the program lines of an instruction."""

import re
from collections.abc import Iterator, Mapping

from hloscope.engine.passes.instructions import HloText, Instruction
from hloscope.engine.syntax import looks_like_hlo

from .our_runs import OurRun

_SCHEDULED = re.compile(r"^[ \t]*HloModule\b.*\bis_scheduled=true", re.MULTILINE)
_METADATA = re.compile(r', metadata=\{(?:[^{}"]|"(?:[^"\\]|\\.)*"|\{[^{}]*\})*\}')
_NARROW = re.compile(r"\b(?:f32|f16|bf16|f8e\w+|f4e\w+)(?=\[)")
_NARROW_COMPLEX = re.compile(r"\bc64(?=\[)")
_LAID_OUT = re.compile(r"\b(\w+)\[([\d,]+)\]\{[\d,]+\}")
_LOOPS = re.compile(r" (?:while|conditional|call|async-start)\(")
_ELEMENT = re.compile(r"(%[\w.-]+)#(?=\d)")
_BLOCK_END = "}"


def is_optimised(text: str) -> bool:
    """Whether it is HLO that XLA has scheduled, which goes straight to code generation.

    XLA's passes reject it.
    """
    return looks_like_hlo(text) and _SCHEDULED.search(text) is not None


def widened(text: str) -> str:
    """The text with floats as f64, complex numbers as c128: nearly the intended real numbers."""
    return _NARROW_COMPLEX.sub("c128", _NARROW.sub("f64", text))


def is_plain(text: str, found: HloText) -> bool:
    """Whether it has one result and no loop, branch or call, so that buffers are not shared."""
    root = found.instructions.get(found.roots.get(found.entry, ""))
    return _LOOPS.search(text) is None and root is not None and not root.written.shape.startswith("(")


def alone(text: str, found: HloText, instruction: Instruction) -> str | None:
    """A module of this one instruction on parameters; `None` if an operand is unknown.

    Its parameters are its distinct operands, in the order of their first use.
    """
    if "#" in instruction.name:
        return None  # an operand %tuple#1 has no line in the text
    blocks = _blocks(text)
    lines = text.splitlines()
    written = instruction.written
    distinct = list(dict.fromkeys(written.operands))
    shapes = []
    for operand in distinct:
        key = found.find(operand, instruction.computation)
        if key is None:
            return None
        shapes.append(found.instructions[key].written.shape)
    own = _METADATA.sub("", lines[instruction.line - 1]).strip().removeprefix("ROOT ")
    own = re.sub(r", control-predecessors=\{[^}]*\}", "", own)
    called = [block for name in _callees(found, instruction, blocks) for block in (blocks[name], "")]
    plain = [_in_default_layout(shape) for shape in shapes]
    body: list[str] = []
    own, names = _ELEMENT.sub(r"\1.element.", own), [name.replace("#", ".element.") for name in distinct]
    for k, (name, shape, given) in enumerate(zip(names, shapes, plain, strict=True)):
        if shape == given:
            body.append(f"  %{name} = {shape} parameter({k})")
        else:
            body += [f"  %given.{k} = {given} parameter({k})", f"  %{name} = {shape} copy(%given.{k})"]
    result = _in_default_layout(written.shape)
    body += (
        [f"  ROOT {own}"] if result == written.shape else [f"  {own}", *_copied(written.name, written.shape)]
    )
    head = f"HloModule alone, is_scheduled=true, entry_computation_layout={{({', '.join(plain)})->{result}}}"
    signature = ", ".join(f"operand.{k}: {shape}" for k, shape in enumerate(plain))
    entry = [f"ENTRY %alone ({signature}) -> {result} {{", *body, _BLOCK_END]
    return "\n".join([head, "", *called, *entry]) + "\n"


def _in_default_layout(shape: str) -> str:
    """The shape, or each of a tuple, with its last dimension minor-most: the argument layout."""
    return _LAID_OUT.sub(lambda found: f"{found[1]}[{found[2]}]{_default(found[2])}", shape)


def _default(sizes: str) -> str:
    rank = sizes.count(",") + 1
    return "{" + ",".join(map(str, range(rank - 1, -1, -1))) + "}"


def _copied(name: str, shape: str) -> list[str]:
    """Final lines that copy a result of another layout into the default one."""
    if not shape.startswith("("):
        return [f"  ROOT %handed.over = {_in_default_layout(shape)} copy(%{name})"]
    parts = re.findall(r"\w+\[[\d,]*\](?:\{[^{}]*\})?", shape)
    lines = []
    for k, part in enumerate(parts):
        lines.append(f"  %part.{k} = {part} get-tuple-element(%{name}), index={k}")
        lines.append(f"  %handed.{k} = {_in_default_layout(part)} copy(%part.{k})")
    names = ", ".join(f"%handed.{k}" for k in range(len(parts)))
    return [*lines, f"  ROOT %handed.over = {_in_default_layout(shape)} tuple({names})"]


def _blocks(text: str) -> Mapping[str, str]:
    """The computations of a text, without metadata, by name."""
    found: dict[str, str] = {}
    name, lines = "", list[str]()
    for line in text.splitlines():
        if not line.startswith((" ", _BLOCK_END)) and line.rstrip().endswith("{"):
            name, lines = line.removeprefix("ENTRY ").lstrip("%").split(" ", 1)[0], []
        lines.append(_METADATA.sub("", line))
        if line.startswith(_BLOCK_END) and name:
            found[name] = "\n".join(lines)
            name = ""
    return found


def _callees(found: HloText, instruction: Instruction, blocks: Mapping[str, str]) -> Iterator[str]:
    """The computations that it calls, directly and indirectly, before their users."""
    done: list[str] = []

    def visit(name: str) -> None:
        if name in done or name not in blocks:
            return
        for key in found.computations.get(name, ()):
            for inner in found.instructions[key].written.called:
                visit(inner)
        done.append(name)

    for name in instruction.written.called:
        visit(name)
    yield from done


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
