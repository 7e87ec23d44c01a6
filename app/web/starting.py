"""Preparation of a server: its port, and its data folder with the store.

Each failure has a one-sentence message with what to do, and its own exit code; `cli.py` has their table.
"""

import contextlib
import errno
import logging
import re
import socket
from dataclasses import dataclass
from pathlib import Path

from ..base.settings import Settings
from ..store import Store, StoreError
from ..store.failures import cause_of
from ..store.files import FOLDER, InputFiles
from ..store.folder_lock import FolderInUse, FolderLock
from ..store.reserve import Reserve

log = logging.getLogger("hloscope")

DEFAULT_PORT = 8765
PORTS_TRIED = 20
BACKLOG = 2048
NOT_OPENED, NO_HOSTS, NO_STORE, NO_FOLDER, NO_PORT, NO_TOKEN, NO_CLUSTER, FAULT = 2, 2, 4, 5, 6, 7, 9, 70
SHORTEST_TOKEN = 16
TOKEN_FILE = "token"
SERVER = "a server for others"
TOKEN = re.compile(rf"[\w.~-]{{{SHORTEST_TOKEN},}}", re.ASCII)
"""Pattern of a token: too long to guess, without characters that URLs or cookies escape."""


class StartError(Exception):
    """The server cannot start; the message states the reason and what to do."""

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self.code = code


def check_tokens(settings: Settings) -> None:
    """Raise `StartError` for a configured token that is too short or malformed."""
    if settings.token:
        _check_token("token", settings.token, "none, and hloscope makes one and keeps it")
    if settings.metrics_token:
        _check_token(
            "metrics_token", settings.metrics_token, "none, and who scrapes sends the token of the server"
        )


def _check_token(name: str, token: str, without: str) -> None:
    if TOKEN.fullmatch(token):
        return
    wrong = f"has {len(token)} characters" if len(token) < SHORTEST_TOKEN else "has others"
    raise StartError(
        f"the setting {name} wants at least {SHORTEST_TOKEN} letters, digits, '-', '_', '.' or '~', and the given one {wrong}: "
        f"give another one, or {without}",
        NO_TOKEN,
    )


def check_public(settings: Settings) -> None:
    """Raise `StartError` for a server of strangers without the hosts that they may name."""
    if settings.public and not settings.host_names():
        raise StartError(
            "a public server needs the setting allowed_hosts, the names that its visitors type: for instance "
            "--set allowed_hosts=https://debug.example",
            NO_HOSTS,
        )


def open_folder(settings: Settings) -> Path:
    """The data folder, created if missing."""
    try:
        return settings.data_folder()
    except OSError as error:
        raise no_folder(str(error.filename or settings.data_dir), error) from error


@dataclass(frozen=True)
class Data:
    """The opened store and files of a data folder."""

    store: Store
    files: InputFiles
    lock: FolderLock

    def close(self) -> None:
        """Close the store, which may be closed already."""
        self.store.close()
        self.lock.close()


def kept_token(settings: Settings, folder: Path) -> str:
    """The token of the settings or of the data folder; empty if no server has made one."""
    with contextlib.suppress(FileNotFoundError):
        return settings.token or (folder / TOKEN_FILE).read_bytes().decode(errors="replace").strip()
    return ""


def open_data(settings: Settings, *, alone: str = "") -> Data:
    """Open the store and the uploaded files.

    `alone`: what no other program may have the data folder open beside, as the subject of a sentence; empty: others may.
    """
    folder = open_folder(settings)
    lock = _lock(folder, alone)
    try:
        return _open(settings, folder, lock)
    except BaseException:
        lock.close()
        raise


def _lock(folder: Path, alone: str) -> FolderLock:
    try:
        return FolderLock(folder, alone=bool(alone))
    except FolderInUse:
        message = (
            f"another hloscope uses the data folder {folder}, and {alone or SERVER} has its folder alone: end the other "
            "one, or use another folder with --set data_dir=FOLDER"
        )
        raise StartError(message, NO_FOLDER) from None


def _open(settings: Settings, folder: Path, lock: FolderLock) -> Data:
    store = open_store(settings, folder)
    try:
        return Data(store, _files_of(store, folder / FOLDER), lock)
    except OSError as error:
        store.close()
        raise no_folder(str(folder / FOLDER), error) from error


def open_store(settings: Settings, folder: Path, *, reads_only: bool = False) -> Store:
    """The store of the settings; `reads_only`: it must exist, and is not changed."""
    try:
        return _store_of(settings, folder, reads_only=reads_only)
    except StoreError as error:
        is_ours = error.kind in ("damaged", "version")
        raise StartError(str(error), NO_STORE if is_ours else NO_FOLDER) from error


def _store_of(settings: Settings, folder: Path, *, reads_only: bool) -> Store:
    """The store; on a full disk it opens with the space of the reserve, so that something can be deleted."""
    try:
        return Store(folder, address=settings.store, reads_only=reads_only)
    except StoreError as error:
        if error.kind != "full" or settings.store or reads_only:
            raise
    Reserve(folder).release()
    return Store(folder)


def _files_of(store: Store, folder: Path) -> InputFiles:
    files = InputFiles(folder, spares_new=store.shared is not None)
    if store.is_new and (aside := files.set_aside()) is not None:
        log.warning("the data folder had uploaded files but no store: the files were moved to %s", aside)
    return files


def no_folder(name: str, error: OSError) -> StartError:
    """The error of a data folder that cannot be used, or of a file in it."""
    message = (
        f"the data folder cannot be used ({name}: {cause_of(error)}): check its permissions and its disk, or use "
        "another one with --set data_dir=FOLDER"
    )
    return StartError(message, NO_FOLDER)


def listen(host: str, port: int | None) -> socket.socket:
    """Listen on a port, by default 8765 or the next free one."""
    candidates = [port] if port is not None else [*range(DEFAULT_PORT, DEFAULT_PORT + PORTS_TRIED), 0]
    failure: OSError | None = None
    for candidate in candidates:
        try:
            return _listen(host, candidate)
        except OSError as error:
            failure = error
    assert failure is not None
    raise StartError(_no_port(host, port, failure), NO_PORT)


def _listen(host: str, port: int) -> socket.socket:
    listening = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        # Immediately: another server can bind the same port until one of them listens.
        listening.listen(BACKLOG)
    except BaseException:
        listening.close()
        raise
    return listening


def _no_port(host: str, port: int | None, error: OSError) -> str:
    where = f"{host} port {port}" if port is not None else host
    if error.errno == errno.EADDRINUSE:
        hint = "another program listens there, perhaps another hloscope: end it, or choose another port with --port"
    elif error.errno in (errno.EACCES, errno.EPERM):
        hint = "only an administrator may use such a port: choose one above 1023 with --port"
    else:
        hint = "--host wants an address of this machine, such as 127.0.0.1"
    return f"cannot listen on {where} ({cause_of(error)}): {hint}"
