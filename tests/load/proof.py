"""What all loads share: a server of their own, and figures that are printed with the machine's own load beside them."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.server_process import Server, serving

from .census import Census

Line = tuple[str, str]


@contextmanager
def started(settings: Sequence[str], command: Sequence[str] = ("serve",)) -> Iterator[tuple[Server, Census]]:
    """A server with `name=value` settings on an empty folder, and who looks at what it needs."""
    given = dict(assignment.split("=", 1) for assignment in settings)
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(Path(folder), settings=given, command=command) as (server, process),
    ):
        census = Census(process.pid)
        show("the server at rest", census.now().lines())
        yield server, census


def show(title: str, lines: Sequence[Line]) -> None:
    """Prints figures below a title."""
    print(f"\n{title}", flush=True)
    for name, value in lines:
        print(f"  {name:36} {value}", flush=True)
