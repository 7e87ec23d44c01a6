"""Header of MLIR bytecode, parsed without MLIR: magic, version, producer.

Source: "MLIR Bytecode Format", sections "Magic Number" and "MLIR Encoding".
"""

from __future__ import annotations

import re

MAGIC = b"ML\xefR"
ARTIFACT_PRODUCER = "StableHLO_v"
"""Producer prefix of artifacts with StableHLO's compatibility guarantees, before a version."""
_LONGEST_PRODUCER = 200
_PRINTABLE = re.compile(r"[ -~]+")


def producer_of(data: bytes) -> str:
    """The producer's name; empty if it is not readable."""
    start = len(MAGIC) + _varint_size(data[len(MAGIC) : len(MAGIC) + 1])
    end = data.find(b"\0", start, start + _LONGEST_PRODUCER)
    found = data[start:end].decode("ascii", "replace") if end >= 0 else ""
    return found if _PRINTABLE.fullmatch(found) else ""


def version_of(data: bytes) -> int | None:
    """The version of the encoding; `None` if it is truncated, or too long."""
    first = data[len(MAGIC) : len(MAGIC) + 1]
    return first[0] >> 1 if first and first[0] & 1 else None


def _varint_size(first: bytes) -> int:
    """The size of a number in bytes, from its first byte: one leading zero bit per further byte."""
    return (first[0] & -first[0]).bit_length() if first and first[0] else 9
