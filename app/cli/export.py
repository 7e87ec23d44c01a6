"""`hloscope export`: write everything that a server holds to one archive."""

import argparse
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from sqlalchemy.exc import SQLAlchemyError

from ..base.failure import Failure
from ..base.loading import loading
from ..base.progress_line import ProgressLine
from ..base.settings import Settings
from .options import add_settings
from .serve import check_system


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    command.add_argument("file", metavar="FILE", help="the archive to write, such as hloscope.zip")
    add_settings(command)


def run(options: argparse.Namespace, settings: Settings) -> int:
    """Write the archive and print what it has; a server may use the store meanwhile."""
    check_system()
    with loading():
        from ..export.whole_store import export_store
        from ..store.files import FOLDER
        from ..web.starting import kept_token, open_folder, open_store

    file = Path(options.file)
    with store_failures(), ended(ProgressLine(patience=1)) as line:
        folder = open_folder(settings)
        with closing(open_store(settings, folder, reads_only=True)) as store:
            moved = export_store(file, store, folder / FOLDER, kept_token(settings, folder), line.tell)
    print(f"{file}: {moved}, {file.stat().st_size:,} bytes")
    if moved.missing:
        print(f"{moved.missing:,} uploaded files are missing or damaged: runs with them need them anew")
    if moved.damaged:
        print(
            f"{moved.damaged:,} programs are damaged in the store: the archive is without them and their runs"
        )
    return 0


@contextmanager
def store_failures() -> Iterator[None]:
    """Errors of a store that cannot be opened, read or written as a `Failure`."""
    from ..store import StoreError
    from ..store.failures import cause_of
    from ..web.starting import NO_FOLDER, StartError

    try:
        yield
    except StartError as error:
        raise Failure(str(error), error.code) from error
    except (SQLAlchemyError, StoreError) as error:
        raise Failure(
            f"the store failed ({cause_of(error)}), so nothing was kept of this", NO_FOLDER
        ) from error


@contextmanager
def ended(line: ProgressLine) -> Iterator[ProgressLine]:
    """The line, erased at the end."""
    try:
        yield line
    finally:
        line.end()
