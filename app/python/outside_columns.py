"""Values produced outside of a program in one run, as inputs of the same run elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hloscope.engine.debugger.recording import Recording
from hloscope.engine.entry import find_entry
from hloscope.engine.errors import InputError
from hloscope.engine.outside_results import Answers, OutsideResult, outside_results


@dataclass(frozen=True)
class OutsideColumn:
    """The values supplied for one result from outside."""

    kind: Literal["stop", "skip", "same", "executions"]
    """`executions`: the first dimension of the values is the execution number."""
    values: NDArray[Any] | None = None


def outside_columns(recording: Recording) -> tuple[OutsideColumn, ...]:
    """The supplied values of each requested result, in the order in which a run lists them."""
    program = recording.program
    return tuple(
        _column(recording, found) for found in outside_results(program, find_entry(program, recording.entry))
    )


def _column(recording: Recording, result: OutsideResult) -> OutsideColumn:
    given = recording.bindings.get(result.op)
    if given is None:
        return OutsideColumn("stop")
    if result.type is None:
        return OutsideColumn("skip")
    if not isinstance(given, Answers):
        return OutsideColumn("same", given[result.number])
    listed = given.listed()
    if len(recording.tracks) > 1:
        raise InputError(f"{result} is called in several processes, whose answers the page takes no list of")
    executions = [results[result.number] for results in listed.get(0, ())]
    return OutsideColumn("executions", np.stack(executions)) if executions else OutsideColumn("stop")
