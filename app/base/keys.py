"""Names made of contents: of a program, of a file, of a recording, of this build of the engine."""

from __future__ import annotations

import hashlib
import json
from base64 import urlsafe_b64encode
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).parents[1]
PIECE = 1 << 18


def text_hash(text: str) -> str:
    """The name of a program."""
    hashed = hashlib.sha256()
    for start in range(0, len(text), PIECE):  # nobody who hashes a large one keeps the others waiting
        hashed.update(text[start : start + PIECE].encode())
    return _base64(hashed.digest())


def session_hash(identifier: str) -> str:
    """What the store knows of a session's id: who reads the store cannot open the session."""
    return _name(b"session:" + identifier.encode())


def view_link_hash(identifier: str) -> str:
    """What the store knows of a read-only link."""
    return _name(b"view link:" + identifier.encode())


def dump_hash(identifier: str) -> str:
    """What the store knows of a dump's id."""
    return _name(b"dump:" + identifier.encode())


def recording_key(
    program: str,
    entry: str,
    inputs: Sequence[Mapping[str, Any]],
    build: str,
    blas_threads: int,
    grid: Sequence[int] = (1, 1),
    feeds: Any = None,
) -> str:
    """The name of everything that a run of this program computes; `program` is its hash.

    `feeds` are what is in its queues when it begins, and a mark of its own: what comes later makes it longer.
    """
    parts = ["recording", program, entry, list(inputs), build, blas_threads, list(grid), feeds]
    return _name(json.dumps(parts, sort_keys=True, separators=(",", ":")).encode())


@cache
def engine_build() -> str:
    """The name of the code that makes values and what is shown of them: a change gives every recording a new key."""
    return _build_of("../engine", "present")


@cache
def passes_build() -> str:
    """The name of the code that finds out what passes of XLA did: a change has dumps examined again."""
    return _build_of("../engine", "passes")


def _build_of(*folders: str) -> str:
    hashed = hashlib.sha256()
    for folder in folders:
        for path in sorted((PACKAGE / folder).resolve().rglob("*.py")):
            hashed.update(
                str(path.relative_to(PACKAGE.resolve().parent)).encode() + b"\0" + path.read_bytes() + b"\0"
            )
    return urlsafe_b64encode(hashed.digest()[:9]).decode()


def _name(data: bytes) -> str:
    return _base64(hashlib.sha256(data).digest())


def _base64(digest: bytes) -> str:
    return urlsafe_b64encode(digest).rstrip(b"=").decode()
