"""A comparison with a second engine in a separate process of the server.

The run is described on standard input, and events are lines of JSON: `{"doing"}` is the current activity,
`{"failed", "hint"}` an error, and `{"done"}` has the verdict; the values are in the file that the request
names. The process ends with its server, or when the server stops it after its time limit.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from time import monotonic
from typing import Any

from hloscope.engine.errors import InputError, ProgramError
from hloscope.engine.limits import Limits
from hloscope.engine.source import Source

from ..processes.confine import die_with_parent, end_before_server
from ..runs.opening import Opening, OpenParameters, open_run
from ..runs.run import Goal
from ..runs.run_files import ABOUT, about_array, write_run
from ..xla.failures import INSTALL, XlaFailed, XlaMissing
from .against import parse_against
from .budget import Budget
from .comparing import compare_with_engine
from .later_start import begin_with_engine
from .our_runs import OurRun, finished
from .python_compare import text_of
from .report import EngineComparison, lines_of

SLICE_SECONDS = 0.5
TELL_SECONDS = 0.2
LEAST_SECONDS = 5.0
"""Minimum time limit of one request, however short our own run was."""


class Failed(Exception):
    """The comparison failed; the message has the reason and the fix."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message, self.hint = message, hint


def main(arguments: list[str]) -> None:
    """`job PARENT`: read the request, compare, and print."""
    die_with_parent(int(arguments[0]))
    end_before_server()
    request = json.load(sys.stdin)
    try:
        _say({"done": _answer(request)})
    except Failed as error:
        _say({"failed": error.message, "hint": error.hint})
    except XlaMissing:
        _say({"failed": "XLA is not installed where this server runs.", "hint": f"Type `{INSTALL}` there."})
    except (XlaFailed, ProgramError) as error:
        _say({"failed": str(error), "hint": getattr(error, "hint", None) or ""})
    except MemoryError:
        _say({"failed": "There is not enough memory to compare this run with XLA.", "hint": ""})


def _answer(request: Mapping[str, Any]) -> dict[str, Any]:
    budget = Budget(request["seconds"], _teller())
    limits = Limits(**request["limits"])
    named = parse_against(request["against"])
    if named.jaxlib:
        raise InputError(
            "another jaxlib is installed first", hint="Use hloscope compare on the command line."
        )
    if request["start_at"]:
        return _start_later(request, limits, budget)
    run = _our_run(request, limits, budget)
    budget = Budget(max(LEAST_SECONDS, budget.left), budget.tell)
    engine = named.engine(request["seconds"], request["address_space"], len(run.processes))
    with engine:
        found = compare_with_engine(
            engine, text_of(run), run, named.overrides, limits, budget, keep_bytes=request["keep_bytes"]
        )
    if not found.values:
        raise Failed(found.failure or f"{found.engine} has given no values")
    return _written(found, Path(request["file"]), request["against"])


def _start_later(request: Mapping[str, Any], limits: Limits, budget: Budget) -> dict[str, Any]:
    """The values before a line, computed by XLA and written to the file."""
    opened = _opened(request, limits)
    plan = opened.plan
    named = parse_against(request["against"])
    with named.engine(budget.left, request["address_space"], plan.grid.num_processes) as engine:
        found = begin_with_engine(plan, request["start_at"], engine, budget.tell)
    write_run(Path(request["file"]), found.values)
    values = [{"kind": "file", "file": "", "array": name} for name in found.values]
    start = {
        "at": request["start_at"],
        "line": found.place.line,
        "by": found.by,
        "note": found.place.note,
        "values": values,
    }
    return {"engine": found.by, "sentence": found.sentence, "start": start}


def _opened(request: Mapping[str, Any], limits: Limits) -> Opening:
    """The run in the form that a worker has."""
    wanted = OpenParameters(request["entry"], request["inputs"], (), request["grid"], request["feeds"])
    source = Source(request["text"], request["name"])
    opened = open_run(source, wanted, limits)
    if not isinstance(opened, Opening):
        problems = opened.result["diagnostics"]
        raise Failed(problems[0]["message"] if problems else "The run cannot be opened.")
    return opened


def _our_run(request: Mapping[str, Any], limits: Limits, budget: Budget) -> OurRun:
    """The worker's run, recorded to its end."""
    run = _opened(request, limits).run
    run.record(Goal(None))
    while run.active:
        budget.tell(f"our own run: {run.step_count:,} steps")
        if budget.is_spent:
            raise Failed(
                f"Our own run of the program takes more than the {budget.seconds:g} s that there are for a comparison.",
                "The setting second_engine_time_limit_ms says how long it may take.",
            )
        run.slice(min(SLICE_SECONDS, max(0.01, budget.left)))
    return finished(run.recording)


def _written(found: EngineComparison, file: Path, against: str) -> dict[str, Any]:
    sentence, *lines = lines_of(found)
    if found.values_problem:
        lines.append(found.values_problem)
    about = {
        "engine": found.engine,
        "against": against,
        "sentence": sentence,
        "lines": lines,
        "confirmed": found.against_exact is not None,
    }
    write_run(file, {**found.values, ABOUT: about_array(about)})
    return {"engine": found.engine, "sentence": sentence, "verdict": found.verdict}


def _teller() -> Callable[[str], None]:
    last = 0.0

    def tell(words: str) -> None:
        nonlocal last
        if monotonic() - last >= TELL_SECONDS:
            last = monotonic()
            _say({"doing": words})

    return tell


def _say(message: Mapping[str, Any]) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()
