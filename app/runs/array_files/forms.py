"""Format of an array file, by its first bytes."""

from __future__ import annotations

import re
import struct
import zipfile
from pathlib import Path
from typing import Literal

from hloscope.engine.errors import InputError

from .lists import has_row_of_numbers, open_csv, open_json
from .safetensors import open_safetensors
from .stored import StoredArray
from .torch_archives import is_torch_archive, open_torch_archive

Form = Literal["numpy", "zip", "safetensors", "torch", "old_torch", "pickle", "json", "csv", "unknown"]
_HEAD = 4096
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_JSON = re.compile(rb"(?:\xef\xbb\xbf)?\s*[\[{]")
_OLD_TORCH = b"\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19."
"""First bytes of PyTorch files before version 1.6: a pickled number."""
_MEANT = "Write it with numpy.savez; read are also safetensors, what torch.save writes, and numbers as JSON or CSV."


def form_of(file: Path) -> Form:
    """The format of the file; `app/runs/npz.py` reads `numpy` and `zip`."""
    with file.open("rb") as stream:
        head = stream.read(_HEAD)
    if head.startswith(b"\x93NUMPY"):
        return "numpy"
    if head.startswith(_ZIP):
        return "torch" if is_torch_archive(file) else "zip"
    if len(head) >= 10 and head[8:9] == b"{":
        (length,) = struct.unpack_from("<Q", head)
        if 2 <= length <= file.stat().st_size - 8:
            return "safetensors"
    if head.startswith(_OLD_TORCH):
        return "old_torch"
    if head[:1] == b"\x80" and head[1:2] in b"\x02\x03\x04\x05":
        return "pickle"
    if _JSON.match(head):
        return "json"
    return "csv" if has_row_of_numbers(head) else "unknown"


def open_arrays(file: Path, form: Form) -> list[StoredArray]:
    """The arrays of a file in a format other than NumPy's. Raises `InputError` with the cause."""
    if form == "safetensors":
        return open_safetensors(file)
    if form == "torch":
        return open_torch_archive(file)
    if form == "json":
        return open_json(file)
    if form == "csv":
        return open_csv(file)
    if form == "old_torch":
        raise InputError(
            f"{file.name} is in the form that PyTorch wrote before version 1.6",
            hint="Save it anew with torch.save, or as safetensors.",
        )
    if form == "pickle":
        raise InputError(
            f"{file.name} is a Python pickle, which is never read: it could run anything",
            hint="Write it with numpy.savez.",
        )
    raise InputError(f"{file.name} is neither .npz nor .npy nor another file of arrays", hint=_MEANT)


DAMAGED = (zipfile.BadZipFile, OSError, ArithmeticError, ValueError, NotImplementedError, EOFError)
"""Exceptions of the reading libraries for a damaged file."""
