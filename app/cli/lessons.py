"""`hloscope lesson check` and `new`: what needs no server."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from ..base.settings import Settings
from ..lessons import LessonError, Report, check_files, shipped_files
from ..lessons.beginning import write_beginning
from ..runs.chunks.outcome import WRONG
from ..runs.chunks.reading import Failure


def new(options: argparse.Namespace) -> int:
    """Writes a lesson with its programs, and says what to do with it."""
    try:
        file = write_beginning(Path(options.folder), options.name)
    except ValueError as error:
        raise Failure(str(error)) from None
    print(f"{file} is a whole lesson, which shows how to write one. Next:")
    print(f"    hloscope lesson preview {file}")
    print(f"    hloscope lesson check {file}")
    return 0


def check(options: argparse.Namespace, settings: Settings) -> int:
    """Prints a line for each lesson, after what is wrong with it."""
    paths = [Path(file) for file in options.files] or shipped_files()
    for path in paths:
        if not path.is_file():
            raise Failure(f"there is no file {path}")
    if not paths:
        raise Failure("no lesson comes with this hloscope: name a file")
    known = None if options.files else {path.stem for path in paths}
    codes = [
        _tell(report, as_json=options.json) for path in paths for report in check_files(path, settings, known)
    ]
    return max(codes)


def _tell(report: Report, *, as_json: bool) -> int:
    if as_json:
        print(json.dumps(_json(report)), flush=True)
    else:
        for line in _lines(report):
            print(line, flush=True)
    return WRONG if report.errors else 0


def _lines(report: Report) -> Iterator[str]:
    for kind, found in (("error", report.errors), ("warning", report.warnings)):
        for error in sorted(found, key=lambda each: each.line):
            yield f"{error.file or report.file}:{error.line}: {kind}: {error.message}"
            if error.hint:
                yield f"    {error.hint}"
    yield f"{report.file}: {_verdict(report)}"


def _verdict(report: Report) -> str:
    verdict = "ok" if not report.errors else _many(len(report.errors), "error")
    if report.warnings:
        verdict += f", {_many(len(report.warnings), 'warning')}"
    if report.counts is None or report.lesson is None:
        return verdict
    counts, stated = report.counts, report.lesson.front.minutes
    parts = [_many(counts.steps, "step"), _many(counts.questions, "question")]
    parts.append(_many(counts.exercises, "exercise"))
    parts.append(f"takes about {counts.minutes:.1f} minutes, says {stated}")
    return f"{verdict}; {', '.join(parts)}"


def _many(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _json(report: Report) -> dict[str, object]:
    counts = report.counts
    return {
        "file": report.file,
        "status": "error" if report.errors else "passed",
        "errors": [_error(each) for each in report.errors],
        "warnings": [_error(each) for each in report.warnings],
        "steps": counts.steps if counts else None,
        "questions": counts.questions if counts else None,
        "exercises": counts.exercises if counts else None,
        "minutes": round(counts.minutes, 1) if counts else None,
    }


def _error(error: LessonError) -> dict[str, object]:
    return {"line": error.line, "message": error.message, "hint": error.hint, "file": error.file}


def say_errors(errors: Sequence[LessonError], file: str) -> None:
    """Prints what is wrong on standard error."""
    for error in errors:
        print(f"{error.file or file}:{error.line}: error: {error.message}", file=sys.stderr)
        if error.hint:
            print(f"    {error.hint}", file=sys.stderr)
