"""Which tests run in one process: those that share a server, a browser or a fixture of their module."""

from __future__ import annotations

import zlib

from xdist.scheduler import LoadScopeScheduling

ALONE = ("bad_input", "builder", "chains", "comparison", "conformance", "debugger", "findings", "indexing", "ops", "oracle", "syntax")  # fmt: skip
"""Folders whose tests share nothing that takes time to make, so that each test goes to the next free process."""


class Distribution(LoadScopeScheduling):
    """Sends the tests of a module to one process, and those of the browser to few.

    pytest-xdist has groups too, but 3.8 writes them into an attribute that pytest no longer reads since 9.2.
    """

    def _split_scope(self, nodeid: str) -> str:
        return scope_of(nodeid, self.numnodes)


def scope_of(nodeid: str, processes: int) -> str:
    """Name that all tests have in common which run in one process."""
    file = nodeid.partition("::")[0]
    _, _, rest = file.partition("tests/")
    folder, _, name = rest.partition("/")
    if folder == "browser":
        return f"browser-{zlib.crc32(name.encode()) % min(4, processes)}"
    return nodeid if folder in ALONE else file
