"""The outcome of a chunk, as a line of JSON and as an exit code."""

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from hloscope.engine.errors import Diagnostic, LimitError, ProgramError
from hloscope.engine.frontend import Loaded
from hloscope.engine.limits import Limits

from ...base.failure import FAULT, LIMITED, MISUSED, WRONG, Failure
from ...base.faults import fault_diagnostic
from ...base.logs import describe_error
from .reading import DIVIDER, Chunk, read_chunks

Status = Literal["passed", "failed", "error", "fault"]


@dataclass(frozen=True)
class Outcome:
    """The outcome of one chunk.

    `failed`: one of the program's own checks does not hold; `fault`: our own mistake; `error`: any other problem.
    """

    chunk: Chunk
    function: str | None
    status: Status
    diagnostics: Sequence[Diagnostic] = ()
    code: int = 0
    about: Mapping[str, Any] = field(default_factory=dict)
    """Further fields: the grid that the program needs, or each grid process's position."""

    def line(self) -> str:
        """`{"file", "chunk", "function", "status", "diagnostics"}` and further fields, on a line."""
        source = self.chunk.source
        found = {
            "file": source.name,
            "chunk": self.chunk.number,
            "function": self.function,
            "status": self.status,
            "diagnostics": [self._diagnostic(item) for item in self.diagnostics],
            **self.about,
        }
        return json.dumps(found, ensure_ascii=False, allow_nan=False)

    def complaints(self) -> Iterator[str]:
        """The problems as text for people."""
        for found in self.diagnostics:
            # A mistake of ours has no location in the program.
            where = f"{self.chunk.source.name}:{self.chunk.source.first_line}: fault: {found.message}"
            yield where if self.status == "fault" else found.format(self.chunk.source)

    def _diagnostic(self, found: Diagnostic) -> dict[str, Any]:
        line, column = self.chunk.source.line_and_column(found.span.start)
        return {
            "line": line,
            "column": column,
            "op": found.op,
            "label": found.label,
            "message": found.message,
            "hint": found.hint,
            "severity": found.severity,
        }


def outcome_of(chunk: Chunk, function: str | None, found: Sequence[Diagnostic]) -> Outcome:
    """The outcome of a program with these diagnostics from checking or running it."""
    errors = [item for item in found if item.severity == "error"]
    if not errors:
        return Outcome(chunk, function, "passed", found)
    failed = all(item.kind == "check" for item in errors)
    limited = all(item.kind == "limit" for item in errors)
    return Outcome(chunk, function, "failed" if failed else "error", found, LIMITED if limited else WRONG)


def usage_outcome(chunk: Chunk, function: str | None, problem: Failure | ProgramError) -> Outcome:
    """The outcome of a command whose options do not fit the program."""
    if isinstance(problem, ProgramError):
        code = LIMITED if isinstance(problem, LimitError) else MISUSED
        return Outcome(chunk, function, "error", [problem.diagnostic()], code)
    return Outcome(chunk, function, "error", [Diagnostic(str(problem), kind="input")], problem.code)


def run_guarded(
    chunk: Chunk, work: Callable[[Chunk], tuple[Outcome, Sequence[str]]]
) -> tuple[Outcome, Sequence[str]]:
    """The outcome of `work` on a program, and its lines; our own mistake ends only this program.

    The traceback goes to standard error.
    """
    try:
        return work(chunk)
    except (Failure, ProgramError, OSError, MemoryError):
        raise
    except Exception as error:
        print(f"{title_of(chunk, None, split=True)}:\n{describe_error(error)}", file=sys.stderr)
        return Outcome(chunk, None, "fault", [fault_diagnostic(error)], FAULT), ()


def print_outcomes(
    options: argparse.Namespace,
    limits: Limits,
    work: Callable[[Chunk], tuple[Outcome, Sequence[str]]],
    *,
    divided: bool = False,
) -> int:
    """Exit status of a command that prints one outcome per program; `--json`: one line each.

    With `divided`, the output is program text: `// -----` separates its parts, and blank parts print nothing.
    """
    outcomes = []
    for number, chunk in enumerate(read_chunks(options.files, limits, options)):
        if divided and chunk.is_blank:
            continue
        outcome, lines = run_guarded(chunk, work)
        outcomes.append(outcome)
        divider = [DIVIDER] if divided and number else []
        for line in [outcome.line()] if options.json else [*divider, *outcome.complaints(), *lines]:
            print(line, flush=True)
    return exit_code(outcomes)


def exit_code(outcomes: Sequence[Outcome]) -> int:
    """0 only if all passed; precedence: our own mistakes, wrong programs, reached limits."""
    codes = {outcome.code for outcome in outcomes} - {0}
    return FAULT if FAULT in codes else min(codes, default=0)


def is_well(loaded: Loaded) -> bool:
    """Whether the program has no error that prevents a run."""
    return loaded.program is not None and not any(item.severity == "error" for item in loaded.diagnostics)


def count_text(number: int, noun: str, plural: str = "") -> str:
    """`2 operations`."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def title_of(chunk: Chunk, function: str | None, *, split: bool) -> str:
    """`tests.mlir, chunk 2, @main`."""
    parts = [chunk.source.name]
    parts += [f"chunk {chunk.number}"] if split else []
    parts += [f"@{function}"] if function else []
    return ", ".join(parts)


def size_text(loaded: Loaded) -> str:
    """`2 operations in 1 function`."""
    assert loaded.program
    operations, functions = len(loaded.program.ops), len(loaded.program.functions)
    return f"{count_text(operations, 'operation')} in {count_text(functions, 'function')}"
