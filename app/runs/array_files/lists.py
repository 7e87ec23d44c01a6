"""Numbers as text: JSON lists, CSV rows; untyped, see `ListedNumbers`."""

import csv
import json
import re
from pathlib import Path
from typing import Any

import numpy as np

from hloscope.engine.errors import InputError, LimitError

from .stored import MOST_RANK, Header, ListedNumbers, StoredArray, check_count

MOST_BYTES = 32 << 20
"""Maximum bytes of a text: each of its numbers takes some hundred bytes while it is read."""
_INTEGER = re.compile(r"[+-]?\d{1,19}")
_NUMBER = re.compile(r"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|inf(?:inity)?|nan)", re.IGNORECASE)
_TRUTH = {"true": 1, "false": 0}


def open_json(file: Path) -> list[StoredArray]:
    """A list of numbers or of lists; or an object with such lists, or numbers, by name."""
    try:
        found = json.loads(_text(file))
    except RecursionError:
        raise InputError(f"{file.name} has lists in lists, too deep to read") from None
    except json.JSONDecodeError as error:
        raise InputError(f"{file.name} is not JSON: line {error.lineno}: {error.msg}") from None
    except ValueError:
        raise InputError(f"{file.name} has a number that is too long") from None
    named = found if isinstance(found, dict) else {"0": found}
    check_count(len(named), file.name)
    return [_stored(name, _array(name, value)) for name, value in named.items()]


def open_csv(file: Path) -> list[StoredArray]:
    """Rows of numbers: one array, or one per column if the first row has names.

    A single row or column is a vector.
    """
    try:
        rows = [row for row in csv.reader(_text(file).splitlines()) if any(cell.strip() for cell in row)]
    except csv.Error as error:
        raise InputError(f"{file.name} is no CSV: {error}") from None
    if not rows:
        raise InputError(f"{file.name} has no numbers")
    cells = [[cell.strip() for cell in row] for row in rows]
    names = cells.pop(0) if len(cells) > 1 and any(_number(cell) is None for cell in cells[0]) else None
    width = len(names or cells[0])
    for number, row in enumerate(cells, 2 if names else 1):
        if len(row) != width:
            raise InputError(f"{file.name}: row {number} has {len(row)} numbers, and the first {width}")
        wrong = next((cell for cell in row if _number(cell) is None), None)
        if wrong is not None:
            raise InputError(f"{file.name}: '{wrong:.40}' in row {number} is not a number")
    values = np.array([[_number(cell) for cell in row] for row in cells])
    values = values.reshape(len(cells), width)
    if names is not None:
        check_count(width, file.name)
        return [_stored(name, values[:, column]) for column, name in enumerate(names)]
    return [_stored("0", values.reshape(-1) if 1 in values.shape else values)]


def has_row_of_numbers(head: bytes) -> bool:
    """Whether one of the first two lines consists of comma-separated numbers alone."""
    lines = [line for line in head.decode("utf-8-sig", "replace").splitlines() if line.strip()][:2]
    return any(all(_number(cell.strip()) is not None for cell in line.split(",")) for line in lines)


def _text(file: Path) -> str:
    if file.stat().st_size > MOST_BYTES:
        raise LimitError(
            f"{file.name} is longer than {MOST_BYTES:,} bytes, which numbers as text may have",
            hint="Write it with numpy.savez.",
        )
    try:
        return file.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{file.name} is not text: byte {error.start} is not UTF-8") from None


def _number(cell: str) -> int | float | None:
    if cell.lower() in _TRUTH:
        return _TRUTH[cell.lower()]
    if _INTEGER.fullmatch(cell):
        return int(cell)
    return float(cell) if _NUMBER.fullmatch(cell) else None


def _array(name: str, value: Any) -> np.ndarray[Any, Any]:
    _check_numbers(name, value, 0)
    try:
        found = np.array(value)
    except (ValueError, OverflowError):
        raise InputError(f"the lists of {name:.100} differ in length, or a number is too large") from None
    if found.dtype.kind not in "biuf":
        raise InputError(f"{name:.100} has numbers that no tensor has")
    return found


def _check_numbers(name: str, value: Any, depth: int) -> None:
    if isinstance(value, list):
        if depth == MOST_RANK:
            raise InputError(f"{name:.100} has lists in lists, too deep to read")
        for item in value:
            _check_numbers(name, item, depth + 1)
    elif not isinstance(value, bool | int | float):
        raise InputError(f"{name:.100} holds {type(value).__name__} where a number or a list stands")


def _stored(name: str, values: np.ndarray[Any, Any]) -> StoredArray:
    array = np.ascontiguousarray(values).reshape(values.shape).view(ListedNumbers)
    array.setflags(write=False)
    return StoredArray(Header(name, array.dtype, array.shape), lambda: array)
