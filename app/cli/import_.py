"""`hloscope import`: put everything of an archive that `hloscope export` wrote into an empty store."""

import argparse
import os
from contextlib import closing
from pathlib import Path

from ..base.loading import loading
from ..base.progress_line import ProgressLine
from ..base.settings import Settings
from .export import ended, store_failures
from .options import add_settings
from .serve import check_system


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    command.add_argument("file", metavar="FILE", help="the archive, as `hloscope export` has written it")
    add_settings(command)


def run(options: argparse.Namespace, settings: Settings) -> int:
    """Fill the empty store of the settings and print what it has then."""
    check_system()
    with loading():
        from ..export.whole_store import import_store, open_archive
        from ..store.files import FOLDER, InputFiles
        from ..web.starting import kept_token, open_data

    with (
        store_failures(),
        open_archive(Path(options.file)) as found,
        ended(ProgressLine(patience=1)) as line,
        closing(open_data(settings, alone="an import")) as data,
    ):
        folder = settings.data_folder()
        # The import has the data folder to itself, so after a failure all files that it wrote may be deleted.
        moved = import_store(found, data.store, InputFiles(folder / FOLDER), settings, line.tell)
        same = _keep_token(found.token, kept_token(settings, folder), folder)
    print(f"{folder} has {moved}")
    if moved.missing:
        print(f"{moved.missing:,} uploaded files are not in the archive: runs with them need them anew")
    if not same:
        print(
            "this server keeps its own token: codes of rooms open nothing, the addresses of rooms and sessions do"
        )
    return 0


def _keep_token(given: str, own: str, folder: Path) -> bool:
    """Keep the archive's token where the server has none; whether the server has that token."""
    from ..web.starting import TOKEN, TOKEN_FILE

    if own or not TOKEN.fullmatch(given):
        return not given or own == given
    handle = os.open(folder / TOKEN_FILE, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "w") as stream:
        stream.write(given)
    return True
