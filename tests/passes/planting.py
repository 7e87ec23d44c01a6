"""Faults put into texts of HLO, as a pass that is wrong would make them; and the names of the instructions that are to blame."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

_LINE = re.compile(r"^(\s+(?:ROOT )?%([\w.-]+) = (\S+|\([^=]*?\)) ([\w-]+)\()(.*)$")


@dataclass(frozen=True)
class Planted:
    """A text with a fault."""

    text: str
    kind: str
    names: frozenset[str]
    """The instructions that may be called guilty: the one that was changed, the one that is gone, and who reads it now."""


def plant(text: str, kind: str) -> Iterator[Planted]:
    """The text with a fault of a kind at each place where it can be, one after the other."""
    lines = text.split("\n")
    for at, line in enumerate(lines):
        found = _LINE.match(line)
        if found and (changed := KINDS[kind](found, line, lines)) is not None:
            new, names = changed
            yield Planted("\n".join([*lines[:at], *new, *lines[at + 1 :]]), kind, frozenset(names))


Change = tuple[list[str], set[str]] | None


def _swap(found: re.Match[str], line: str, lines: list[str]) -> Change:
    if found[4] not in ("subtract", "divide", "power"):
        return None
    pair = re.match(r"(%[\w.-]+), (%[\w.-]+)\)(.*)", found[5])
    if pair is None or pair[1] == pair[2]:
        return None
    return [f"{found[1]}{pair[2]}, {pair[1]}){pair[3]}"], {found[2]}


def _constant(found: re.Match[str], line: str, lines: list[str]) -> Change:
    number = re.match(r"(-?\d+\.?\d*)\)(.*)", found[5])
    if found[4] != "constant" or number is None or not found[3].startswith("f32") or float(number[1]) == 0:
        return None
    return [f"{found[1]}{float(number[1]) * 1.25:g}){number[2]}"], {found[2], *_users(found[2], lines)}


def _dropped(found: re.Match[str], line: str, lines: list[str]) -> Change:
    """A clamp, or what else cuts off: gone, and its readers read its operand."""
    if found[4] not in ("clamp", "maximum", "minimum") or "ROOT" in found[1]:
        return None
    operands = re.findall(r"%[\w.-]+", found[5].split(")")[0])
    kept = operands[1] if found[4] == "clamp" else operands[0]
    return [f"{found[1].replace(found[4] + '(', 'bitcast(')}{kept})"], {
        found[2],
        kept[1:],
        *_users(found[2], lines),
    }


def _dimension(found: re.Match[str], line: str, lines: list[str]) -> Change:
    square = re.fullmatch(r"(\w+)\[(\d+),(\d+)\].*", found[3])
    wrong = re.search(r"dimensions=\{([01])\}", found[5])
    if found[4] != "broadcast" or square is None or square[2] != square[3] or wrong is None:
        return None
    other = f"dimensions={{{1 - int(wrong[1])}}}"
    return [f"{found[1]}{found[5].replace(wrong[0], other)}"], {found[2]}


def _slice(found: re.Match[str], line: str, lines: list[str]) -> Change:
    bounds = re.search(r"slice=\{\[(\d+):(\d+)\]", found[5])
    if found[4] != "slice" or bounds is None or bounds[1] == "0":
        return None
    moved = f"slice={{[{int(bounds[1]) - 1}:{int(bounds[2]) - 1}]"
    return [f"{found[1]}{found[5].replace(bounds[0], moved)}"], {found[2]}


def _all_reduce(found: re.Match[str], line: str, lines: list[str]) -> Change:
    operand = re.match(r"(%[\w.-]+)\)", found[5])
    if found[4] != "all-reduce" or operand is None:
        return None
    copied = f"{found[1].replace('all-reduce(', 'copy(')}{operand[1]})"
    return [copied], {found[2], operand[1][1:], *_users(found[2], lines)}


def _groups(found: re.Match[str], line: str, lines: list[str]) -> Change:
    axis = re.search(r"replica_groups=mesh\[('[^']+')=(\d+),('[^']+')=(\d+)\] \{('[^']+')\}", found[5])
    if found[4] not in ("all-reduce", "all-gather") or axis is None or axis[2] != axis[4]:
        return None
    other = axis[3] if axis[5] == axis[1] else axis[1]
    changed = axis[0].replace(f"{{{axis[5]}}}", f"{{{other}}}")
    return [f"{found[1]}{found[5].replace(axis[0], changed)}"], {found[2]}


def _users(name: str, lines: list[str]) -> set[str]:
    users = (_LINE.match(line) for line in lines if re.search(rf"%{re.escape(name)}[,)]", line))
    return {found[2] for found in users if found}


KINDS: dict[str, Callable[[re.Match[str], str, list[str]], Change]] = {
    "swapped operands": _swap,
    "wrong constant": _constant,
    "dropped clamp": _dropped,
    "wrong dimension": _dimension,
    "off-by-one slice": _slice,
    "missing all-reduce": _all_reduce,
    "wrong replica group": _groups,
}
