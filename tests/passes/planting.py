"""Faults put into texts of HLO, as a pass that is wrong would make them; and the names of the instructions that are to attribution."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

_LINE = re.compile(r"^(\s+(?:ROOT )?%([\w.-]+) = (\S+|\([^=]*?\)) ([\w-]+)\()(.*)$")
_SHAPE = re.compile(r"\w+\[([\d,]*)\]")


@dataclass(frozen=True)
class Planted:
    """A text with a fault."""

    text: str
    kind: str
    names: frozenset[str]
    """The instructions that may be called culprits: the one that was changed, the one that is gone, and who reads it now."""


@dataclass(frozen=True)
class _Found:
    """A line of a text in which something can be changed."""

    start: str
    """Up to the operands."""
    name: str
    shape: str
    opcode: str
    rest: str
    """From the operands on."""
    lines: list[str]

    @property
    def operands(self) -> list[str]:
        """Their names, with the sign before."""
        return re.findall(r"%[\w.-]+", self.rest.partition(")")[0])

    @property
    def sizes(self) -> list[int]:
        return _sizes(self.shape)

    def sizes_of(self, name: str) -> list[int]:
        """The sizes of the dimensions of an operand."""
        return _sizes(next((found.shape for found in _read(self.lines, name)), ""))

    def users(self) -> set[str]:
        """The instructions that read it."""
        lines = [line for line in self.lines if re.search(rf"%{re.escape(self.name)}[,)]", line)]
        return {found[2] for found in map(_LINE.match, lines) if found}


def _sizes(shape: str) -> list[int]:
    found = _SHAPE.match(shape)
    return [int(size) for size in found[1].split(",")] if found and found[1] else []


def _read(lines: list[str], name: str) -> Iterator[_Found]:
    for line in lines:
        found = _LINE.match(line) if f"{name} = " in line else None
        if found and f"%{found[2]}" == name:
            yield _Found(found[1], found[2], found[3], found[4], found[5], lines)


def plant(text: str, kind: str, opcode: str = "") -> Iterator[Planted]:
    """The text with a fault of a kind at each place where it can be, one after the other; with an opcode, only there."""
    lines = text.split("\n")
    for at, line in enumerate(lines):
        match = _LINE.match(line)
        if match is None:
            continue
        found = _Found(match[1], match[2], match[3], match[4], match[5], lines)
        if opcode in ("", found.opcode) and (changed := (KINDS | RARE_KINDS)[kind](found)) is not None:
            new, names = changed
            text = (
                _without(found, at, new)
                if new.startswith("%")
                else "\n".join([*lines[:at], new, *lines[at + 1 :]])
            )
            yield Planted(text, kind, frozenset(names))


def _without(found: _Found, at: int, kept: str) -> str:
    """The text without an instruction, whose readers read another value."""
    lines = [*found.lines[:at], *found.lines[at + 1 :]]
    reading = re.compile(rf"%{re.escape(found.name)}(?=[,)])")
    return "\n".join(reading.sub(kept, line) for line in lines)


Change = tuple[str, set[str]] | None
"""The line, or what is read in place of an instruction that is gone; and the instructions that may be called culprits."""
_ORDERED = (
    *("subtract", "divide", "power", "remainder", "compare", "atan2", "shift-left"),
    "shift-right-logical",
)


def _swap(found: _Found) -> Change:
    pair = re.match(r"(%[\w.-]+), (%[\w.-]+)\)(.*)", found.rest)
    if found.opcode not in _ORDERED or pair is None or pair[1] == pair[2]:
        return None
    return f"{found.start}{pair[2]}, {pair[1]}){pair[3]}", {found.name}


def _constant(found: _Found) -> Change:
    number = re.match(r"(-?\d[\d.e+-]*)\)(.*)", found.rest)
    if found.opcode != "constant" or number is None or float(number[1]) == 0:
        return None
    is_float = found.shape.startswith(("f", "bf"))
    wrong = f"{float(number[1]) * 1.25:g}" if is_float else str(int(number[1]) + 1)
    return f"{found.start}{wrong}){number[2]}", {found.name, *found.users()}


def _dropped(found: _Found) -> Change:
    """A clamp, or what else cuts off: gone, and its readers read its operand."""
    if found.opcode not in ("clamp", "maximum", "minimum") or "ROOT" in found.start:
        return None
    kept = found.operands[1] if found.opcode == "clamp" else found.operands[0]
    start = found.start.replace(f"{found.opcode}(", "bitcast(")
    return f"{start}{kept})", {found.name, kept[1:], *found.users()}


def _dimension(found: _Found) -> Change:
    """Another dimension of the same size; or any other, where the sizes do not matter."""
    stated = re.search(r"(iota_dimension=|dimensions=\{)(\d)\b(?=\}|,? |$)", found.rest)
    if stated is None or found.opcode not in ("broadcast", "reduce", "iota", "reverse", "sort"):
        return None
    sizes = found.sizes if found.opcode in ("broadcast", "iota") else found.sizes_of(found.operands[0])
    if found.opcode in ("reverse", "sort"):
        sizes = [1] * len(sizes)
    at = int(stated[2])
    other = next((k for k in range(len(sizes)) if k != at and sizes[k] == sizes[at]), None)
    if other is None:
        return None
    return f"{found.start}{found.rest.replace(stated[0], f'{stated[1]}{other}', 1)}", {found.name}


def _slice(found: _Found) -> Change:
    if found.opcode == "pad":
        return _pad(found)
    bounds = re.findall(r"\[(\d+):(\d+)(:\d+)?\]", found.rest.partition("slice={")[2])
    if found.opcode != "slice" or not bounds:
        return None
    sizes = found.sizes_of(found.operands[0])
    for at, (start, end, stride) in enumerate(bounds):
        step = -1 if start != "0" else 1 if int(end) < sizes[at] else 0
        if step:
            moved = [f"[{low}:{high}{by}]" for low, high, by in bounds]
            moved[at] = f"[{int(start) + step}:{int(end) + step}{stride}]"
            stated = re.sub(r"slice=\{.*?\}", f"slice={{{', '.join(moved)}}}", found.rest)
            return f"{found.start}{stated}", {found.name}
    return None


def _pad(found: _Found) -> Change:
    stated = re.search(r"padding=(-?\d+)_([1-9]\d*)", found.rest)
    if stated is None:
        return None
    moved = f"padding={int(stated[1]) + 1}_{int(stated[2]) - 1}"
    return f"{found.start}{found.rest.replace(stated[0], moved)}", {found.name}


def _all_reduce(found: _Found) -> Change:
    if found.opcode != "all-reduce" or len(found.operands) != 1:
        return None
    operand = found.operands[0]
    copied = f"{found.start.replace('all-reduce(', 'copy(')}{operand})"
    return copied, {found.name, operand[1:], *found.users()}


def _direction(found: _Found) -> Change:
    stated = re.search(r"direction=([LG])([TE])", found.rest)
    if stated is None:
        return None
    other = f"direction={'G' if stated[1] == 'L' else 'L'}{stated[2]}"
    return f"{found.start}{found.rest.replace(stated[0], other)}", {found.name}


def _start(found: _Found) -> Change:
    """A maximum that starts from the lowest number, not from its own start."""
    if found.opcode != "reduce" or len(found.operands) != 2:
        return None
    start = next(_read(found.lines, found.operands[1]), None)
    if start is None or start.opcode != "constant" or not re.match(r"\d+\.\d*[1-9]\)", start.rest):
        return None
    lowest = f"  %lowest.{found.name} = {start.shape} constant(-inf)"
    return f"{lowest}\n{found.start}{found.rest.replace(found.operands[1], f'%lowest.{found.name}', 1)}", {
        found.name
    }


def _convert(found: _Found) -> Change:
    """A conversion to integers and back: gone."""
    source = next(_read(found.lines, found.operands[0]), None) if found.opcode == "convert" else None
    if source is None or source.opcode != "convert" or not source.shape.startswith("s32"):
        return None
    return (source.operands[0], {found.name, *found.users()}) if "ROOT" not in found.start else None


def _groups(found: _Found) -> Change:
    """Groups of the same size with other members."""
    if found.opcode not in ("all-reduce", "all-gather", "all-to-all", "reduce-scatter", "collective-permute"):
        return None
    for wrong in (_other_axis, _other_tiling, _other_list, _other_targets):
        if (rest := wrong(found.rest)) is not None:
            return f"{found.start}{rest}", {found.name}
    return None


def _other_axis(rest: str) -> str | None:
    stated = re.search(r"replica_groups=mesh\[([^]]*)\] \{'([^']+)'\}", rest)
    if stated is None:
        return None
    sizes = dict(re.findall(r"'([^']+)'=(\d+)", stated[1]))
    other = next((axis for axis in sizes if axis != stated[2] and sizes[axis] == sizes[stated[2]]), None)
    return other and rest.replace(stated[0], stated[0].replace(f"{{'{stated[2]}'}}", f"{{'{other}'}}"))


def _other_tiling(rest: str) -> str | None:
    stated = re.search(r"replica_groups=\[(\d+),(\d+)\]<=\[(\d+)\](?!T)", rest)
    if stated is None or "1" in (stated[1], stated[2]):
        return None
    wrong = f"replica_groups=[{stated[1]},{stated[2]}]<=[{stated[2]},{stated[1]}]T(1,0)"
    return rest.replace(stated[0], wrong)


def _other_list(rest: str) -> str | None:
    stated = re.search(r"replica_groups=\{\{([\d,]+)\},\{([\d,]+)\}", rest)
    if stated is None or "," not in stated[1]:
        return None
    one, other = stated[1].split(","), stated[2].split(",")
    one[-1], other[0] = other[0], one[-1]
    return rest.replace(stated[0], f"replica_groups={{{{{','.join(one)}}},{{{','.join(other)}}}")


def _other_targets(rest: str) -> str | None:
    stated = re.search(r"source_target_pairs=\{(\{\d+,\d+\},\{\d+,\d+\}.*?)\}(?!,\{)", rest)
    if stated is None:
        return None
    turned = re.sub(r"\{(\d+),(\d+)\}", r"{\2,\1}", stated[1])
    return rest.replace(stated[1], turned)


def _scale(found: _Found) -> Change:
    """A value of floats, multiplied by 1.01."""
    element = re.match(r"((?:f|bf)\d+)\[[\d,]*\]", found.shape)
    if element is None or found.opcode in ("parameter", "constant", "get-tuple-element", "copy", "bitcast"):
        return None
    name = found.name
    lines = [
        f"  %unscaled.{name} = {found.shape} {found.opcode}({found.rest}",
        f"  %factor.{name} = {element[1]}[] constant(1.01)",
        f"  %factors.{name} = {found.shape} broadcast(%factor.{name}), dimensions={{}}",
        f"{found.start.replace(f' {found.opcode}(', ' multiply(')}%unscaled.{name}, %factors.{name})",
    ]
    return "\n".join(lines), {name}


KINDS: dict[str, Callable[[_Found], Change]] = {
    "swapped operands": _swap,
    "wrong constant": _constant,
    "dropped clamp": _dropped,
    "wrong dimension": _dimension,
    "off-by-one slice": _slice,
    "missing all-reduce": _all_reduce,
    "wrong replica group": _groups,
}
RARE_KINDS: dict[str, Callable[[_Found], Change]] = {
    "wrong direction": _direction,
    "dropped start": _start,
    "dropped conversion": _convert,
    "wrong scale": _scale,
}
"""Kinds that few programs can have, or few passes make."""
