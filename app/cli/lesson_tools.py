"""`hloscope lesson`: new, check, preview, export."""

from __future__ import annotations

import argparse
from pathlib import Path

from ..base.blas import share_products
from ..base.settings import Settings
from ..runs.chunks.reading import Failure
from . import lessons


def run_lesson(options: argparse.Namespace, settings: Settings) -> int:
    """Does what is asked for, and gives the exit code."""
    if options.action == "new":
        return lessons.new(options)
    if options.action == "preview":
        return _preview(options, settings)
    share_products(settings.blas_thread_count())
    if options.action == "check":
        return lessons.check(options, settings)
    from .lesson_export import export

    return export(options, settings)


def _preview(options: argparse.Namespace, settings: Settings) -> int:
    """Serves a lesson until it is interrupted."""
    from ..web.main import serve
    from ..web.starting import StartError

    file = Path(options.file)
    if not file.is_file():
        raise Failure(f"there is no file {file}")
    try:
        serve(
            settings,
            host=options.host,
            port=options.port,
            browser=not options.no_browser,
            file=None,
            lesson=file,
        )
    except StartError as error:
        raise Failure(str(error), error.code) from error
    return 0
