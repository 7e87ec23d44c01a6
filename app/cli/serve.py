"""`hloscope serve`: its options, and what it opens."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING

from ..base.failure import Failure
from ..base.loading import loading
from ..base.settings import Settings
from .options import add_address, add_formats, add_settings, add_start_at

if TYPE_CHECKING:
    from ..runs.formats.program_file import ProgramFile


def add_options(serve: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    serve.add_argument(
        "file",
        nargs="?",
        metavar="FILE",
        help="what to open: a program (- reads standard input), a saved page or "
        "recording, or a dump of XLA (folder, .zip or .tar.gz)",
    )
    add_address(serve)
    add_start_at(serve)
    serve.add_argument(
        "--on",
        metavar="ENGINE",
        help="open a recording of the values that XLA computes: xla or cpu, gpu, tpu, device, also with flags",
    )
    serve.add_argument(
        "--public",
        dest="settings",
        action="append_const",
        const="public=1",
        default=[],
        help="serve strangers: stricter limits, and only the hosts of allowed_hosts",
    )
    serve.add_argument(
        "--workers",
        dest="settings",
        action="append",
        metavar="WHERE",
        type=_workers,
        help="run the workers of sessions on a Ray cluster: auto, HOST:6379 or ray://HOST:10001; or a number such as 8: "
        "at most that many workers on this machine",
    )
    serve.add_argument(
        "--no-browser", action="store_true", help="print the address without opening a browser"
    )
    add_formats(serve)
    add_settings(serve)


def _workers(text: str) -> str:
    return f"max_active_sessions={text}" if text.isdecimal() else f"cluster={text}"


def run(options: argparse.Namespace, settings: Settings) -> int:
    """Serve until interrupted."""
    from ..comparing.against import parse_on
    from ..comparing.first_part import parse_place

    check_system()
    opened = opened_file(options, settings)
    start_at = parse_place(options.start_at) if options.start_at else None
    if start_at is not None and (opened is None or isinstance(opened, Path)):
        raise Failure("--start-at needs a program: name its file")
    if options.on:
        if opened is None or isinstance(opened, Path):
            raise Failure("--on needs a program: name its file")
        if parse_on(options.on).jaxlib or start_at is not None:
            raise Failure("--on takes the installed jaxlib here, and records from the beginning")
    return serve_until_interrupted(options, settings, opened, start_at=start_at, on=options.on)


def serve_until_interrupted(
    options: argparse.Namespace,
    settings: Settings,
    file: ProgramFile | Path | None = None,
    *,
    lesson: Path | None = None,
    start_at: int | str | None = None,
    on: str | None = None,
) -> int:
    """Serve with the options `host`, `port` and `no_browser`."""
    check_system()
    with loading():  # the other commands need no web server
        from ..web.main import serve
        from ..web.starting import StartError

    try:
        serve(
            settings,
            host=options.host,
            port=options.port,
            browser=not options.no_browser,
            file=file,
            lesson=lesson,
            start_at=start_at,
            on=on,
        )
    except StartError as error:
        raise Failure(str(error), error.code) from error
    return 0


def check_system() -> None:
    """Refuse systems on which no workers run."""
    if os.name == "nt":  # workers need fork and the resource limits of POSIX
        raise Failure("the server needs Linux or macOS: start it in WSL. The other commands run on Windows")


def opened_file(options: argparse.Namespace, settings: Settings) -> ProgramFile | Path | None:
    """The program to open, or the path of a saved page or recording, or of an XLA dump."""
    from ..export.session_pages import is_saved_session
    from ..passes.dumps.archives import is_dump
    from ..runs.chunks.reading import read_file
    from ..runs.formats.packing import refuse_folder

    if not options.file:
        return None
    file = Path(options.file)
    if options.file != "-" and not file.exists():
        raise Failure(f"there is no file {file}")
    if file.is_dir():
        refuse_folder(file)
    limits = settings.limits()
    if options.file != "-" and (is_saved_session(file) or is_dump(file, limits.max_program_bytes)):
        return file
    return read_file(options.file, limits, options)
