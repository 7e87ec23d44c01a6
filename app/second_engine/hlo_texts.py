"""HLO text taken apart and changed, without reading it as a program: what XLA has printed comes back as XLA has printed it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from hloscope.engine.passes.instructions import HloText, Instruction

_METADATA = re.compile(r', metadata=\{(?:[^{}"]|"(?:[^"\\]|\\.)*"|\{[^{}]*\})*\}')
_TABLES = re.compile(
    r"^(?:FileNames|FunctionNames|FileLocations|StackFrames)\n(?:\d+ .*\n)*\n?", re.MULTILINE
)
_NARROW = re.compile(r"\b(?:f32|f16|bf16|f8e\w+|f4e\w+)(?=\[)")
_NARROW_COMPLEX = re.compile(r"\bc64(?=\[)")
_LOOPS = re.compile(r" (?:while|conditional|call|async-start)\(")
_BLOCK_END = "}"


def is_hlo(text: str) -> bool:
    """Whether it is HLO, and not StableHLO."""
    return text.lstrip().startswith("HloModule")


def without_metadata(text: str) -> str:
    """The text without what says where it came from."""
    return _METADATA.sub("", _TABLES.sub("", text))


def widened(text: str) -> str:
    """The text with all floats as f64, complex numbers as c128: nearly the real numbers that it is about."""
    return _NARROW_COMPLEX.sub("c128", _NARROW.sub("f64", text))


def is_plain(text: str, found: HloText) -> bool:
    """Whether it has no loop, branch or call, and one result: then its buffers are not shared, whatever was inserted."""
    root = found.instructions.get(found.roots.get(found.entry, ""))
    return _LOOPS.search(text) is None and root is not None and not root.written.shape.startswith("(")


def alone(text: str, found: HloText, instruction: Instruction) -> str | None:
    """A module of this one instruction, on parameters for its operands; `None` where one of them is unknown.

    Its parameters are its distinct operands, in the order in which they come first.
    """
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
    parameters = [
        f"  %{name} = {shape} parameter({k})"
        for k, (name, shape) in enumerate(zip(distinct, shapes, strict=True))
    ]
    head = f"HloModule alone, is_scheduled=true, entry_computation_layout={{({', '.join(shapes)})->{written.shape}}}"
    signature = ", ".join(f"{name}: {shape}" for name, shape in zip(distinct, shapes, strict=True))
    entry = [f"ENTRY %alone ({signature}) -> {written.shape} {{", *parameters, f"  ROOT {own}", _BLOCK_END]
    return "\n".join([head, "", *called, *entry]) + "\n"


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
    """The computations that it calls, and these call, before those that use them."""
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
