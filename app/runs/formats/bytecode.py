"""How MLIR's bytecode begins, without MLIR: magic, version, and who wrote it.

Source: "MLIR Bytecode Format", sections "Magic Number" and "MLIR Encoding".
"""

from __future__ import annotations

import re

MAGIC = b"ML\xefR"
ARTIFACT_PRODUCER = "StableHLO_v"
"""How the producer begins of an artifact that StableHLO's compatibility guarantees are for; its version follows."""
_LONGEST_PRODUCER = 200
_PRINTABLE = re.compile(r"[ -~]+")


def producer_of(data: bytes) -> str:
    """The producer's name; empty where there is none that can be read."""
    start = len(MAGIC) + _varint_size(data[len(MAGIC) : len(MAGIC) + 1])
    end = data.find(b"\0", start, start + _LONGEST_PRODUCER)
    found = data[start:end].decode("ascii", "replace") if end >= 0 else ""
    return found if _PRINTABLE.fullmatch(found) else ""


def version_of(data: bytes) -> int | None:
    """The version of the encoding; `None` where it is cut off, or longer than any version is."""
    first = data[len(MAGIC) : len(MAGIC) + 1]
    return first[0] >> 1 if first and first[0] & 1 else None


def _varint_size(first: bytes) -> int:
    """Bytes of a number, by its first: MLIR writes as many zero bits as bytes follow, and then a one."""
    return (first[0] & -first[0]).bit_length() if first and first[0] else 9
