"""What holds of every program: buffers add up to the live bytes, and every op that executes has some."""

from __future__ import annotations

from hloscope.engine.live_memory.profile import memory_of
from tests.conformance.catalogue import WORKED, Worked, name_of, program_of
from tests.each import for_each


@for_each("worked", WORKED, ids=name_of)
def test_live_buffers_add_up(worked: Worked) -> None:
    program = program_of(worked)
    assert program.entry is not None
    memory = memory_of(program, program.entry)
    assert [op for op, size in memory.bytes_at.items() if size < 0] == []
    assert len(set(memory.schedule)) == len(memory.schedule)
    for op in memory.schedule:
        assert sum(each.bytes for each in memory.live_at(op)) == memory.bytes_at[op]
