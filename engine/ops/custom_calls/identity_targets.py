"""Targets that forward their operands: markers of partitioning, placement and layout, and buffers."""

import numpy as np

from ...ir.types import MemrefType, TokenType
from ..core.op import Array
from ..core.values import token
from .call import Call
from .target import Answer, Target, identity_maps, need, with_workspace


def _log(call: Call, operands: tuple[Array, ...]) -> Answer:
    """Tokens, and for other results the operand of their number: the log itself is outside of the program."""
    fits = all(
        isinstance(part, TokenType) or part in call.inputs[k : k + 1] for k, part in enumerate(call.parts)
    )
    need(fits, "@xla.debug.Log gives tokens, or the values that it logs")
    return tuple(token() if isinstance(part, TokenType) else operands[k] for k, part in enumerate(call.parts))


def _create_buffer(call: Call, operands: tuple[Array, ...]) -> Answer:
    """A new buffer. Its contents before the first write are unspecified: zeros here."""
    stated = call.parts[0] if len(call.parts) == 1 else None
    known = isinstance(stated, MemrefType) and None not in stated.shape
    need(known, f"@CreateBuffer makes a buffer of a known shape, not {stated}")
    assert isinstance(stated, MemrefType)
    shape = tuple(size for size in stated.shape if size is not None)
    return (np.zeros(shape, stated.element_type.dtype),)


_IDENTITY = Target(lambda call, operands: operands, maps=identity_maps)

TARGETS: dict[str, Target] = {
    **dict.fromkeys(
        (
            "Sharding",
            "annotate_device_placement",
            "MoveToHost",
            "MoveToDevice",
            "LayoutConstraint",
            "xla.sdy.FuncResultSharding",
            "xla.sdy.PropagationBarrier",
            "Pin",
            "Unpin",
        ),
        _IDENTITY,
    ),
    "xla.sdy.ShardingGroup": Target(lambda call, operands: ()),
    "xla.debug.Log": Target(_log, maps=identity_maps),
    "CreateBuffer": Target(_create_buffer, ()),
    "AllocateBuffer": Target(
        lambda call, operands: with_workspace(call, []), ()
    ),  # written before it is read
}
