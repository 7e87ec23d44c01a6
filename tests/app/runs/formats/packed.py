"""Packed files that are the same whenever they are made: tests are named by them, and processes that share tests compare names."""

from __future__ import annotations

import gzip
import io
import zipfile
from collections.abc import Mapping


def gzipped(data: bytes) -> bytes:
    """A gzip file without a time."""
    return gzip.compress(data, mtime=0)


def zipped(members: Mapping[str, bytes]) -> bytes:
    """A zip archive whose members all have the time that such archives begin with."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return stream.getvalue()
