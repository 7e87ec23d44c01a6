"""Recognise functions serialised by `jax.export`.

They are FlatBuffers whose root table has a StableHLO module in field 13. Only recognition is implemented; `jax` itself
reads the rest. Source: "FlatBuffers Internals", "Tables".
"""

from __future__ import annotations

import struct

from .bytecode import MAGIC

_MODULE_FIELD = 13
_U16, _U32, _I32 = struct.Struct("<H"), struct.Struct("<I"), struct.Struct("<i")


def module_of_export(data: bytes) -> memoryview | None:
    """The module's bytes; `None` if it is anything else. Every offset is checked."""
    try:
        table = _U32.unpack_from(data, 0)[0]
        offsets = table - _I32.unpack_from(data, table)[0]
        slot = 4 + 2 * _MODULE_FIELD
        if offsets < 0 or _U16.unpack_from(data, offsets)[0] < slot + 2:
            return None
        field = _U16.unpack_from(data, offsets + slot)[0]
        if field == 0:
            return None
        vector = table + field + _U32.unpack_from(data, table + field)[0]
        length = _U32.unpack_from(data, vector)[0]
    except struct.error:
        return None
    module = memoryview(data)[vector + 4 : vector + 4 + length]
    return module if len(module) == length and bytes(module[: len(MAGIC)]) == MAGIC else None
