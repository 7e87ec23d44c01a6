"""Two runs side by side: rows for the pairs of operations, in the order of execution."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from hloscope.engine.argument_names import reader_name
from hloscope.engine.comparison.difference import Difference
from hloscope.engine.comparison.matching import Matching
from hloscope.engine.comparison.runs import ComparedValue, RunComparison
from hloscope.engine.comparison.sentences import (
    difference_text,
    note_text,
    number_text,
    process_text,
    results_text,
    verdict_sentence,
)
from hloscope.engine.debugger.address import Address
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.ir.types import TensorType

from ..wire.run_comparison import ComparedRow, ComparedSide, Evidence, Verdict, WorstElement
from .differences import difference_json
from .numbers import json_number
from .summary import short_type
from .types import type_text

CONFIRMED = (
    " These are bounds of probable errors: the verdict above rules, for a run in more digits confirms it."
)
Runs = tuple[Recording, Recording]
"""The run before and the run after."""


def comparison_rows(
    runs: Runs, values: Iterable[ComparedValue], matching: Matching, *, same_program: bool
) -> list[ComparedRow]:
    """A row for each pair of operations or inputs, and for unpaired ones, in execution order."""
    groups: dict[tuple[int | None, int, tuple[int, ...]], list[ComparedValue]] = {}
    for value in values:
        groups.setdefault((value.op, value.before.index, value.before.path), []).append(value)
    paired = [_group(runs, group, matching, same_program) for group in groups.values()]
    return [
        row
        for _, row in sorted([*_places(paired), *_alone(runs, paired, matching)], key=lambda found: found[0])
    ]


def execution_rows(
    runs: Runs, values: Sequence[ComparedValue], matching: Matching, *, same_program: bool
) -> list[ComparedRow]:
    """A row for each of these pairs."""
    return [_group(runs, [value], matching, same_program) for value in values]


def comparison_sentence(
    runs: Runs,
    comparison: RunComparison,
    rows: Sequence[ComparedRow],
    *,
    ended: bool,
    confirmed: bool = False,
) -> str:
    """The number of differing values of the program, as `rows` list them, and the first of them.

    `confirmed`: whether a run in more digits has shown that results beyond their bounds are rounding.
    """
    total = len(comparison.values)
    first = comparison.first
    if first is not None:
        so_far = "" if ended else " so far"
        said = _differing_text(rows, so_far)
        rules = CONFIRMED if confirmed else ""
        return f"{said}; first: {_first_text(runs[0], first)}.{rules}{results_text(comparison)}"
    if len(runs[0].tracks) != len(runs[1].tracks):
        counts = " and ".join(f"{len(run.tracks):,}" for run in runs)
        return f"The runs have {counts} processes, so their values do not correspond."
    if not ended:
        return f"No difference beyond rounding in the first {total:,} values."
    return verdict_sentence(runs[0], comparison)


def _differing_text(rows: Sequence[ComparedRow], so_far: str) -> str:
    """`2 of 8 values differ beyond rounding`, with the executions where values have several."""
    pairs = [row for row in rows if row["before"] and row["after"]]
    wrong, executions = (sum(row[count] for row in pairs) for count in ("wrong", "executions"))
    count = sum(row["wrong"] > 0 for row in pairs)
    noun, verb = "value" if len(pairs) == 1 else "values", "differs" if count == 1 else "differ"
    said = f"{count:,} of {len(pairs):,} {noun} {verb} beyond rounding{so_far}"
    return said if executions == len(pairs) else f"{said}, in {wrong:,} of {executions:,} executions"


def _first_text(run: Recording, first: ComparedValue) -> str:
    """`%7 multiply, line 9, element [3, 17] 2 → 2.5`."""
    found = first.difference
    op = "" if first.op is None else run.program.ops[first.op].operation.spelled.rpartition(".")[2].strip('"')
    name = reader_name(run.program, run.value_number(first.before))
    where = f"input {name}" if first.op is None else f"{name} {op}, line {first.line}"
    if found.index is None:
        return f"{where}, {found.before} became {found.after}"
    place = f"element {list(found.index)} " if found.index else ""
    process = process_text(run, first.before)
    return f"{where}{process}, {place}{number_text(found.before)} → {number_text(found.after)}"


def row_of_first(rows: Sequence[ComparedRow], first: ComparedValue | None) -> int | None:
    """The row that contains the first wrong value."""
    if first is None:
        return None
    place = (first.op, str(first.before))
    return next(
        (
            number
            for number, row in enumerate(rows)
            if row["before"] is not None and (row["before"]["op"], row["before"]["address"]) == place
        ),
        None,
    )


def counts_of(rows: Iterable[ComparedRow]) -> dict[Verdict, int]:
    """The number of rows of each verdict."""
    return dict(Counter(row["verdict"] for row in rows))


# Rows.


def _group(runs: Runs, group: Sequence[ComparedValue], matching: Matching, same_program: bool) -> ComparedRow:
    """All executions of a pair as one row, which shows the first wrong one.

    Executions that introduce the error come before those that carry it.
    """
    wrong = [value for value in group if value.difference.is_different]
    made = [value for value in wrong if value.origin != "carried"]
    shown = next(iter(made or wrong), None) or max(group, key=lambda value: value.difference.severity)
    found = shown.difference
    assert isinstance(shown.after, Address)
    return {
        "before": side_at(runs[0], shown.before),
        "after": side_at(runs[1], shown.after),
        "verdict": found.kind,
        "evidence": _evidence(shown.op, matching, same_program=same_program),
        "origin": shown.origin,
        "sentence": difference_text(found).replace(" -> ", " → "),
        "notes": note_text(found),
        "worst": _worst(found),
        "size": found.size,
        "count": found.count,
        "beyond": found.beyond,
        "executions": len(group),
        "wrong": len(wrong),
    }


def _evidence(op: int | None, matching: Matching, *, same_program: bool) -> list[Evidence]:
    if same_program or op is None:
        return ["same_program"] if same_program else ["position"]
    pair = matching.onward.get(op)
    return ["replaced"] if pair is None else list(pair.evidence)


def _worst(found: Difference) -> WorstElement | None:
    if found.index is None:
        return None
    return {
        "index": list(found.index),
        "path": list(found.path),
        "before": number_text(found.before),
        "after": number_text(found.after),
        "error": json_number(found.error),
        "ulps": None if found.ulps is None else json_number(found.ulps),
        "bound": None if found.bound is None else json_number(found.bound),
        "noise": None if found.noise is None else json_number(found.noise),
    }


def side_at(run: Recording, address: Address) -> ComparedSide:
    """A value of a run as JSON."""
    step = address.number if address.kind == "s" else None
    op = None if step is None else run.tracks[address.process].op_of(step)
    name = reader_name(run.program, run.value_number(address))
    found = _side(run, op, name, address.process, step)
    language, shape = run.program.module.language, run.type_of(address)
    type = (
        short_type(shape, language=language) if isinstance(shape, TensorType) else type_text(shape, language)
    )
    return {**found, "address": str(address), "type": type}


def _side(run: Recording, op: int | None, name: str, process: int, step: int | None) -> ComparedSide:
    operation = None if op is None else run.program.ops[op].operation
    return {
        "name": name,
        "op": op,
        "spelled": "" if operation is None else operation.spelled,
        "line": 0 if op is None else run.program.line_of(op),
        "process": process,
        "step": step,
        "address": None,
        "type": "",
    }


# Row order.

Place = tuple[int, int, int]
"""Sort key: step of the run before, whether the row comes after it, sequence number."""


def _places(paired: Sequence[ComparedRow]) -> list[tuple[Place, ComparedRow]]:
    return [((_step(row["before"]), 0, number), row) for number, row in enumerate(paired)]


def _step(side: ComparedSide | None) -> int:
    return -1 if side is None or side["step"] is None else side["step"]


def _alone(runs: Runs, paired: Sequence[ComparedRow], matching: Matching) -> list[tuple[Place, ComparedRow]]:
    """Rows of unpaired operations; those of the run after follow their predecessor there."""
    replaced = tuple({pair[side] for pair in matching.replaced} for side in (0, 1))
    found: list[tuple[Place, ComparedRow]] = []
    for step, row in _lonely(
        runs[0], [op for op in matching.only_before if op not in replaced[0]], 0
    ).items():
        found.append(((step, 0, 0), row))
    order = sorted((_step(row["after"]), _step(row["before"])) for row in paired)
    after_steps = [after for after, _ in order]
    for step, row in _lonely(runs[1], [op for op in matching.only_after if op not in replaced[1]], 1).items():
        at = bisect_right(after_steps, step) - 1
        found.append(((order[at][1] if at >= 0 else -1, 1, step), row))
    return found


def _lonely(run: Recording, ops: Sequence[int], side: int) -> Mapping[int, ComparedRow]:
    """Unpaired operations that ran, by their first steps."""
    ran, first, counts = np.unique(run.tracks[0].op_column, return_index=True, return_counts=True)
    steps = dict(zip(ran.tolist(), zip(first.tolist(), counts.tolist(), strict=True), strict=True))
    chosen = [op for op in ops if op in steps and not run.program.ops[op].op.traits.is_constant]
    return {steps[op][0]: _alone_row(run, steps[op][0], steps[op][1], side) for op in chosen}


def _alone_row(run: Recording, step: int, executions: int, side: int) -> ComparedRow:
    shown = side_at(run, Address(0, "s", step, 0))
    return {
        "before": None if side else shown,
        "after": shown if side else None,
        "verdict": "only_after" if side else "only_before",
        "evidence": [],
        "origin": "made",
        "sentence": "The other run has no such operation.",
        "notes": "",
        "worst": None,
        "size": 0,
        "count": 0,
        "beyond": 0,
        "executions": executions,
        "wrong": 0,
    }


def comparison_json(before: Recording, found: RunComparison) -> Iterator[dict[str, Any]]:
    """What `hloscope compare --json` prints: a line for each pair that differs, then the verdict."""
    yield from (_pair_json(before, value) for value in found.differing)
    first = found.first
    yield {
        "verdict": found.verdict,
        "agrees": found.agrees,
        "first": None if first is None else _pair_json(before, first),
        "sentence": verdict_sentence(before, found),
        "values": len(found.values),
        "results": [difference_json(result) for result in found.results],
        "only_before": list(found.only_before),
        "only_after": list(found.only_after),
    }


def _pair_json(before: Recording, value: ComparedValue) -> dict[str, Any]:
    return {
        "value": value.name,
        "other": str(value.after),
        "address": str(value.before),
        "line": value.line,
        "op": None if value.op is None else before.program.ops[value.op].operation.name,
        "origin": value.origin,
        **difference_json(value.difference),
    }
