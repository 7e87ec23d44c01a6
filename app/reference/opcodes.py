"""Which op an opcode of HLO text is read as, where several ops have that opcode."""

from __future__ import annotations

from collections import defaultdict
from functools import cache

from engine.ops import OPS

_READ_AS = {
    "after-all": "stablehlo.after_all",
    "all-reduce": "stablehlo.all_reduce",
    "broadcast": "stablehlo.broadcast_in_dim",
    "call": "func.call",
    "conditional": "stablehlo.case",
    "dot": "stablehlo.dot_general",
}
"""`stablehlo.broadcast`, `stablehlo.dot` and others are older spellings of what HLO text says with the opcode."""


@cache
def opcodes_read() -> dict[str, list[str]]:
    """For each op, the opcodes of HLO text that its page is the page of; every opcode belongs to one op."""
    ops: defaultdict[str, list[str]] = defaultdict(list)
    for op in dict.fromkeys(OPS):
        if op.hlo_opcode:
            ops[op.hlo_opcode].append(op.name)
    found: defaultdict[str, list[str]] = defaultdict(list)
    for opcode, names in ops.items():
        chosen = _READ_AS.get(opcode, names[0])
        found[chosen if chosen in names else names[0]].append(opcode)
    return dict(found)


def op_of_opcode(opcode: str) -> str | None:
    """The name of the op that HLO text means by `opcode`."""
    return next((name for name, opcodes in opcodes_read().items() if opcode in opcodes), None)
