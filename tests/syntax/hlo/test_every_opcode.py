"""Every opcode is read and verified and, where one process is enough, executed."""

from __future__ import annotations

import pytest

from hloscope.engine.frontend import load
from hloscope.engine.source import Source

from .every_opcode import PROGRAMS


@pytest.mark.parametrize("name", PROGRAMS)
def test_it_may_run(name: str) -> None:
    found = load(Source(PROGRAMS[name], name))
    assert not found.diagnostics, found.diagnostics[0].format(found.source)
