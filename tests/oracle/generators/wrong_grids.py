"""Programs of processes that meet, each with something in it that is changed: most of them are wrong."""

from __future__ import annotations

import json
import re
from dataclasses import replace

from hypothesis import strategies as st

from ..grid_case import Function, GridCase
from .grids import collectives, table

_TABLE = re.compile(r"(replica_groups|source_target_pairs) = dense<(\[\[.*?\]\])> : tensor<\d+x\d+xi64>")
_NUMBER = re.compile(
    r"(all_gather_dim|scatter_dimension|split_dimension|concat_dimension|split_count|handle) = (-?\d+)"
)


@st.composite
def wrong_collectives(draw: st.DrawFn) -> GridCase:
    """One table of ids, or one number, of one op of all processes is another one."""
    case = draw(collectives(most=1).filter(lambda case: any(map(_changeable, case.functions[0].lines))))
    lines = case.functions[0].lines
    number = draw(st.sampled_from([k for k, line in enumerate(lines) if _changeable(line)]))
    changed = _changed(draw, lines[number])
    return replace(case, functions=tuple(_with(found, lines[number], changed) for found in case.functions))


def _changeable(line: str) -> bool:
    return bool(_TABLE.search(line) or _NUMBER.search(line))


def _with(function: Function, line: str, changed: str) -> Function:
    return replace(function, lines=tuple(changed if found == line else found for found in function.lines))


def _changed(draw: st.DrawFn, line: str) -> str:
    numbers = list(_NUMBER.finditer(line))
    found = _TABLE.search(line)
    if found and (not numbers or draw(st.integers(0, 3))):
        rows = json.loads(found[2])
        return line[: found.start()] + f"{found[1]} = {_other_table(draw, rows)}" + line[found.end() :]
    number = draw(st.sampled_from(numbers))
    other = draw(st.integers(-1, 4))
    return line[: number.start()] + f"{number[1]} = {other}" + line[number.end() :]


def _other_table(draw: st.DrawFn, rows: list[list[int]]) -> str:
    """An id that is another one, a row that is gone, or one more."""
    kind = draw(st.sampled_from(("id", "id", "fewer", "more", "wider")))
    if kind == "id":
        row = draw(st.sampled_from(rows))
        row[draw(st.integers(0, len(row) - 1))] = draw(st.integers(-1, 5))
    if kind == "fewer" and len(rows) > 1:
        rows = rows[:-1]
    if kind == "more":
        rows = [*rows, [draw(st.integers(0, 5)) for _ in rows[0]]]
    if kind == "wider":
        rows = [[*row, draw(st.integers(-1, 5))] for row in rows]
    return table(rows)
