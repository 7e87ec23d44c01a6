"""Hashes of programs, files, recordings and this build of the engine, used as names and cache keys."""

import hashlib
import json
from base64 import urlsafe_b64encode
from collections import deque
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from .plugins import CUSTOM_CALLS, plugin_versions
from .versions import installed_version

PACKAGE = Path(__file__).parents[1]
PIECE = 1 << 18
_LARGE = deque[tuple[str, str]](maxlen=2)
"""The large texts that were hashed last, with their hashes: a request for a program needs its hash several times."""


def text_hash(text: str) -> str:
    """The hash of a program's text."""
    for known, found in tuple(_LARGE):
        if known is text:
            return found
    hashed = hashlib.sha256()
    for start in range(
        0, len(text), PIECE
    ):  # in pieces: hashing a large text must not hold the interpreter's lock
        hashed.update(text[start : start + PIECE].encode())
    found = _base64(hashed.digest())
    if len(text) > PIECE:
        _LARGE.append((text, found))
    return found


def session_hash(identifier: str) -> str:
    """The hash of a session's id that the store keeps: reading the store gives no access to the session."""
    return _name(b"session:" + identifier.encode())


def view_link_hash(identifier: str) -> str:
    """The hash of a read-only link that the store keeps."""
    return _name(b"view link:" + identifier.encode())


def dump_hash(identifier: str) -> str:
    """The hash of a dump's id that the store keeps."""
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
    """The key of a recording, which names everything that the run computes; `program` is the program's hash.

    `feeds` are the items in its queues at the start, and a mark unique to the run: items that come later extend it.
    """
    parts = ["recording", program, entry, list(inputs), build, blas_threads, list(grid), feeds]
    return _name(json.dumps(parts, sort_keys=True, separators=(",", ":")).encode())


@cache
def engine_build() -> str:
    """The hash of the code that computes and encodes values: a change gives every recording a new key.

    Plugins that compute custom calls are part of that code.
    """
    plugins = plugin_versions(CUSTOM_CALLS)
    build = _build_of("../engine", "present")
    return _base64(hashlib.sha256("\n".join([build, *plugins]).encode()).digest()[:9]) if plugins else build


@cache
def computing_versions() -> dict[str, str]:
    """The versions of all that a comparison depends on: hloscope's code, its plugins, and the packages that compute."""
    build = _build_of("../engine", "base", "comparing", "passes", "processes", "runs", "wire", "xla")
    packages = {name: installed_version(name) for name in ("numpy", "jax", "jaxlib")}
    return {"hloscope": build, **packages, "plugins": " ".join(plugin_versions(CUSTOM_CALLS))}


@cache
def passes_build() -> str:
    """The hash of the code that judges XLA's passes: after a change, dumps are examined again."""
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
