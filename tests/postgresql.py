"""A PostgreSQL of the tests' own: in a temporary folder, on a Unix socket, for the user that Debian's package makes."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import count
from pathlib import Path

import pytest
from sqlalchemy import create_engine

ACCOUNT = "postgres"
"""PostgreSQL refuses to run as root."""
MISSING = (
    "there is no PostgreSQL on this machine, which the tests marked postgresql need: install Debian's package postgresql, "
    "or leave them out with -m 'not postgresql'"
)


def programs() -> Path | None:
    """The folder of PostgreSQL's programs, which Debian leaves out of PATH."""
    found = shutil.which("initdb")
    folders = [Path(found).parent] if found else sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    return folders[-1] if folders else None


class Cluster:
    """A PostgreSQL that can be stopped and started again."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._numbers = folder, count(1)
        found = programs()
        if found is None:
            pytest.fail(MISSING, pytrace=False)
        self._programs = found
        self._call(
            "initdb", "-U", ACCOUNT, "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync"
        )
        self.start()

    def start(self) -> None:
        """Start it, and wait until it answers."""
        options = f"-c listen_addresses='' -c unix_socket_directories={self._folder} -c fsync=off"
        self._call("pg_ctl", "-l", str(self._folder / "log"), "-w", "-o", options, "start")

    def stop(self) -> None:
        """Stop it at once, as a machine stops that loses its power."""
        self._call("pg_ctl", "-m", "immediate", "-w", "stop")

    def address(self, database: str = "postgres") -> str:
        """The address of a database, as the setting store has it."""
        return f"postgresql+psycopg://{ACCOUNT}@/{database}?host={self._folder}"

    def new_database(self) -> str:
        """The address of a new empty database."""
        name = f"test{next(self._numbers)}"
        engine = create_engine(self.address(), isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            connection.exec_driver_sql(f"CREATE DATABASE {name}")
        engine.dispose()
        return self.address(name)

    def close(self) -> None:
        """Stop it if it runs."""
        if (self._folder / "data" / "postmaster.pid").exists():
            self.stop()

    def _call(self, program: str, *arguments: str) -> None:
        command = [str(self._programs / program), "-D", str(self._folder / "data"), *arguments]
        account = ACCOUNT if os.geteuid() == 0 else None
        groups: list[str] | None = [] if account else None
        subprocess.run(
            command, check=True, stdout=subprocess.DEVNULL, cwd=self._folder, user=account, group=account,
            extra_groups=groups,
        )  # fmt: skip


@contextmanager
def cluster() -> Iterator[Cluster]:
    """A running PostgreSQL, which ends with the block."""
    # A short path: that of a socket has 107 bytes at most.
    folder = Path(tempfile.mkdtemp(prefix="hloscope-pg-"))
    try:
        if os.geteuid() == 0:
            shutil.chown(folder, ACCOUNT, ACCOUNT)
        with closing(Cluster(folder)) as found:
            yield found
    finally:
        shutil.rmtree(folder, ignore_errors=True)
