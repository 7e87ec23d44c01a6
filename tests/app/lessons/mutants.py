"""Wrong solutions of an exercise, derived from the right one: what a student might hand in."""

from __future__ import annotations

import re
from collections.abc import Iterator

_OP = re.compile(r"^(\s*)(?:ROOT )?(%[\w.#:]+) = (.*)$")
_NAME = re.compile(r"%[\w.]+(?:#\d+)?")
_RETURN = re.compile(r"^(\s*(?:func\.)?return )(.+?)( : .*)$")
_OTHERS = {
    "add": "subtract", "subtract": "add", "multiply": "add", "maximum": "minimum", "minimum": "maximum",
    "divide": "multiply", "GE": "GT", "GT": "GE", "LT": "LE", "LE": "LT",
}  # fmt: skip
_OTHER = re.compile(
    r"(?<=stablehlo\.)(?:%s)\b|(?<= )(?:%s)(?=\()|\b(?:GE|GT|LT|LE)\b" % (("|".join(list(_OTHERS)[:6]),) * 2)
)
_NUMBER = re.compile(r"(?<![\w%.#@-])\d+(?![\w.]|x)")
_PAIR = re.compile(r"(?<![\w%.#@-])(\d+)(, ?)(\d+)(?![\w.])")
_TRUTH = re.compile(r"\b(?:true|false)\b")


def mutants(solution: str) -> Iterator[tuple[str, str]]:
    """Wrong programs with what was done to them; some may be no programs, some may compute the same."""
    yield from _other_results(solution)
    yield from _spoilt_results(solution)
    lines = solution.split("\n")
    for number, line in enumerate(lines):
        if line.lstrip().startswith("//"):
            continue
        for told, wrong in _of_line(line):
            yield f"{told}, line {number + 1}", "\n".join([*lines[:number], wrong, *lines[number + 1 :]])
        if (dropped := _without(lines, number)) is not None:
            yield f"op dropped, line {number + 1}", dropped


def _of_line(line: str) -> Iterator[tuple[str, str]]:
    for found in _OTHER.finditer(line):
        yield "another op", line[: found.start()] + _OTHERS[found[0]] + line[found.end() :]
    if (op := _OP.match(line)) and len(names := list(_NAME.finditer(line, op.start(3)))) >= 2:
        first, second = names[:2]
        yield (
            "operands swapped",
            "".join(
                (
                    line[: first.start()],
                    second[0],
                    line[first.end() : second.start()],
                    first[0],
                    line[second.end() :],
                )
            ),
        )
    for found in _PAIR.finditer(line):
        if found[1] != found[3]:
            yield (
                "numbers swapped",
                line[: found.start()] + found[3] + found[2] + found[1] + line[found.end() :],
            )
    for found in _TRUTH.finditer(line):
        yield (
            "a truth",
            line[: found.start()] + ("false" if found[0] == "true" else "true") + line[found.end() :],
        )
    for found in _NUMBER.finditer(line):
        for wrong in (int(found[0]) + 1, int(found[0]) - 1):
            if wrong >= 0:
                yield f"{wrong} for {found[0]}", line[: found.start()] + str(wrong) + line[found.end() :]


def _without(lines: list[str], number: int) -> str | None:
    """The program that reads the first operand of an op in place of its result."""
    op = _OP.match(lines[number])
    operand = _NAME.search(op[3]) if op else None
    if op is None or operand is None or lines[number].rstrip().endswith(("{", "(")):
        return None
    after = "\n".join(lines[number + 1 :])
    return "\n".join([*lines[:number], re.sub(rf"{re.escape(op[2])}(?![\w.#])", operand[0], after)])


def _spoilt_results(solution: str) -> Iterator[tuple[str, str]]:
    """Each result reversed along a dimension, doubled or negated, under its own name."""
    *_, last = (
        (line for line in solution.split("\n") if _RETURN.match(line)) if "return" in solution else ("",)
    )
    found = _RETURN.match(last)
    for result, type in (
        zip(_NAME.findall(found[2]), re.findall(r"tensor<[^>]*>", found[3]), strict=False) if found else ()
    ):
        ops = [f"stablehlo.reverse %0, dims = [{at}]" for at in range(type.count("x"))]
        for op in (*ops, "stablehlo.add %0, %0", "stablehlo.multiply %0, %0", "stablehlo.negate %0"):
            before, _, after = solution.rpartition(last)
            renamed = re.sub(rf"{re.escape(result)}(?![\w.])", f"{result}_right", before)
            spoilt = f"  {result} = {op.replace('%0', f'{result}_right')} : {type}"
            yield f"{op} of {result}", f"{renamed}{spoilt}\n{last}{after}"


def _other_results(solution: str) -> Iterator[tuple[str, str]]:
    """Each result replaced by another value of the function."""
    lines = solution.split("\n")
    for number, line in enumerate(lines):
        if found := _RETURN.match(line):
            known = list(dict.fromkeys(_NAME.findall("\n".join(lines[:number]))))
            for result in _NAME.findall(found[2]):
                for other in known:
                    wrong = found[1] + found[2].replace(result, other) + found[3]
                    if other != result:
                        yield (
                            f"returns {other} for {result}",
                            "\n".join([*lines[:number], wrong, *lines[number + 1 :]]),
                        )
