"""`hloscope lesson`: new, check, preview, export, verify."""

import argparse
import json
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ..base.blas import share_products
from ..base.failure import WRONG, Failure
from ..base.settings import Settings
from ..export.one_file.lesson_page import for_file, lesson_page
from ..export.one_file.page import PageError
from ..export.scorm import scorm_package
from ..lessons.check import Report, check_files
from ..lessons.choices import results_of_choices
from ..lessons.format import LessonErrors
from ..lessons.resolve import Resolved, resolve
from ..lessons.runs import Bounds
from ..lessons.shipped import Shelf, shipped_files, write_beginning
from ..lessons.signed_results import FORMAT, is_genuine
from ..lessons.sources import original_of, parse_source, read_source, translations_of
from ..lessons.tree import LessonError
from ..wire.lessons import ChangeResult
from .options import add_address, add_settings
from .serve import serve_until_interrupted

_SERVER = re.compile(r"https?://[\w.:\[\]-]+(/[\w./-]*)?")
RESULT_BYTES = 1 << 18
PROGRAM_SUFFIXES = (".mlir", ".hlo", ".txt")
ACTIONS = ("new", "check", "preview", "export", "verify")


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the actions, each with its options."""
    actions = command.add_subparsers(dest="action", required=True, metavar=f"{{{','.join(ACTIONS)}}}")
    _add_new(actions.add_parser("new", help="create a lesson from a template", allow_abbrev=False))
    _add_check(actions.add_parser("check", help="report errors in lessons", allow_abbrev=False))
    said = "show a lesson in a browser, and reload it when one of its files changes"
    _add_preview(actions.add_parser("preview", help=said, allow_abbrev=False))
    said = "save a lesson with its recordings as one HTML file"
    _add_export(actions.add_parser("export", help=said, allow_abbrev=False))
    said = "tell whether results that students hand in were signed by the server of this data folder"
    _add_verify(actions.add_parser("verify", help=said, allow_abbrev=False))


def _add_new(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "name", metavar="NAME", help="name of the lesson: lower-case letters, digits and hyphens"
    )
    command.add_argument(
        "--dir",
        dest="folder",
        metavar="DIR",
        default=".",
        help="folder to write to (default: current folder)",
    )
    add_settings(command)


def _add_check(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "files", metavar="FILE", nargs="*", help="lesson files (default: all lessons of hloscope)"
    )
    command.add_argument("--json", action="store_true", help="print one line of JSON per file")
    add_settings(command)


def _add_preview(command: argparse.ArgumentParser) -> None:
    command.add_argument("file", metavar="FILE", help="lesson file")
    add_address(command)
    command.add_argument(
        "--no-browser", action="store_true", help="print the address without opening a browser"
    )
    add_settings(command)


def _add_export(command: argparse.ArgumentParser) -> None:
    command.add_argument("file", metavar="LESSON", help="lesson file, or the name of a lesson of hloscope")
    command.add_argument("-o", "--out", metavar="X.html", help="output file (default: NAME.html or NAME.zip)")
    command.add_argument(
        "--scorm",
        action="store_true",
        help="write a SCORM 1.2 package, which a learning management system imports",
    )
    command.add_argument(
        "--language", metavar="LANG", help="language of a translated lesson, such as de (default: its first)"
    )
    command.add_argument(
        "--server",
        metavar="URL",
        help="address of an hloscope server for exercises and links; without it they are plain text",
    )
    add_settings(command)


def _add_verify(command: argparse.ArgumentParser) -> None:
    command.add_argument("files", metavar="FILE", nargs="+", help="result files, NAME-result.json")
    command.add_argument("--json", action="store_true", help="print one line of JSON per file")
    add_settings(command)


def run(options: argparse.Namespace, settings: Settings) -> int:
    """Run the action."""
    if options.action == "new":
        return _new(options)
    if options.action == "preview":
        return _preview(options, settings)
    if options.action == "verify":
        return _verify(options, settings)
    share_products(settings.blas_thread_count())
    if options.action == "check":
        return _check(options, settings)
    return _export(options, settings)


def _preview(options: argparse.Namespace, settings: Settings) -> int:
    """Serve a lesson until interrupted."""
    file = Path(options.file)
    if not file.is_file():
        raise Failure(f"there is no file {file}")
    return serve_until_interrupted(options, settings, lesson=file)


def _new(options: argparse.Namespace) -> int:
    """Write a lesson with its programs, and print the next steps."""
    try:
        file = write_beginning(Path(options.folder), options.name)
    except ValueError as error:
        raise Failure(str(error)) from None
    print(f"{file} is a complete lesson to start from. Next:")
    print(f"    hloscope lesson preview {file}")
    print(f"    hloscope lesson check {file}")
    return 0


def _check(options: argparse.Namespace, settings: Settings) -> int:
    """Print a line for each lesson, after its errors."""
    paths = [Path(file) for file in options.files] or shipped_files()
    for path in paths:
        if not path.is_file():
            raise Failure(f"there is no file {path}")
    if not paths:
        raise Failure("this installation has no lessons: name a file")
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


def _print_errors(errors: Sequence[LessonError], file: str) -> None:
    """Print the errors on standard error."""
    for error in errors:
        print(f"{error.file or file}:{error.line}: error: {error.message}", file=sys.stderr)
        if error.hint:
            print(f"    {error.hint}", file=sys.stderr)


def _export(options: argparse.Namespace, settings: Settings) -> int:
    """Write the page, and print its path and size."""
    server = options.server.rstrip("/") if options.server else None
    if server is not None and not _SERVER.fullmatch(server):
        raise Failure(
            f"--server is an address such as https://hloscope.example.org, not {options.server:.200}"
        )
    files = _files(options.file, options.language)
    suffix, write = (".zip", scorm_package) if options.scorm else (".html", lesson_page)
    out = Path(options.out or f"{files[0].stem}{suffix}")
    if out.suffix in (*PROGRAM_SUFFIXES, ".md") or (options.scorm and out.suffix != suffix):
        raise Failure(
            f"{out} is not the name of a {'package' if options.scorm else 'page'}: name a {suffix} file"
        )
    bounds = Bounds.of_lesson(settings)
    resolved: dict[str, Resolved] = {}
    results: dict[str, list[ChangeResult]] = {}
    for path in files:
        try:
            source = read_source(path)
            lesson = parse_source(source)
            found = resolve(lesson, bounds, source["languages"])
            results = results or results_of_choices(lesson, Bounds.of_trial(settings))
        except LessonErrors as errors:
            _print_errors(errors.found, str(path))
            return WRONG
        resolved[found.info["language"]] = found
    first = next(iter(resolved.values()))
    programs = [
        (run.program.file.rpartition("/")[2], run.recording, run.inputs)
        for run in first.runs
        if run.recording
    ]
    infos = {language: for_file(each.info, server, results) for language, each in resolved.items()}
    try:
        page = write(programs, infos)
    except PageError as error:
        raise Failure(f"cannot create the page: {error}") from error
    out.write_bytes(page)
    print(f"{out}: {len(page):,} bytes, {', '.join(infos)}")
    return 0


def _verify(options: argparse.Namespace, settings: Settings) -> int:
    """Print a line for each result; 1 if one is not genuine."""
    secret = _token(settings)
    results = [(file, _result(Path(file))) for file in options.files]
    genuine = [is_genuine(result, secret) for _, result in results]
    for (file, result), is_right in zip(results, genuine, strict=True):
        if options.json:
            print(json.dumps({"file": file, "genuine": is_right, "result": result}), flush=True)
        elif is_right:
            print(f"{file}: genuine; {result['student']}, {result['lesson']}: {result['right']} of {result['of']} right, "
                  f"{result['signed_at']}", flush=True)  # fmt: skip
        else:
            print(f"{file}: NOT genuine: it was changed, or another server signed it", flush=True)
    return 0 if all(genuine) else WRONG


def _token(settings: Settings) -> str:
    """The token of the server, which signs results."""
    from ..web.starting import TOKEN_FILE, kept_token  # results are signed where servers run: not on Windows

    folder = settings.data_folder()
    if token := kept_token(settings, folder):
        return token
    hint = "verify on the server's machine, with its --set data_dir=FOLDER or --set token=…"
    raise Failure(f"{folder / TOKEN_FILE} does not exist, so no server has signed anything here: {hint}")


def _result(path: Path) -> dict[str, Any]:
    """A result file; `Failure` if it is none."""
    if not path.is_file():
        raise Failure(f"there is no file {path}")
    if path.stat().st_size > RESULT_BYTES:
        raise Failure(f"{path} has more than {RESULT_BYTES:,} bytes, and is not a result of a lesson")
    try:
        found = json.loads(path.read_text("utf-8"))
    except (UnicodeDecodeError, ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or found.get("format") != FORMAT or "signature" not in found:
        raise Failure(f"{path} is not a result of a lesson: a student saves one at the end of a lesson")
    return found


def _files(named: str, language: str | None) -> list[Path]:
    """The lesson's files, the file of the chosen language first."""
    path = Path(named)
    if not path.is_file():
        shelf = Shelf()
        if named not in shelf.names():
            known = ", ".join(shelf.names()) or "none"
            raise Failure(
                f"there is no file {named}, and hloscope has no lesson of that name; it has {known}"
            )
        path = shelf.path(named)
    original = original_of(path)
    first = original or path
    files = [first, *translations_of(first)]
    wanted = language or (path.absolute().parent.name if original else None)
    chosen = [file for file in files if wanted and file.absolute().parent.name == wanted]
    if language and not chosen and language != "en":
        raise Failure(f"{first.stem} has no translation to {language}")
    return [*chosen, *(file for file in files if file not in chosen)]
