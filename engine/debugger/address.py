"""Addresses of recorded values: immutable and cheap to create."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

_FORM = re.compile(r"(\d{1,9})\.([sf])(\d{1,18})\.(\d{1,9})((?:\.\d{1,9}){0,64})", re.ASCII)


class Address(NamedTuple):
    """`0.s12.0`: result 0 of step 12 in process 0; `0.f3.1`: block argument 1 of frame 3.

    `0.s12.0.2` is element 2 of that result, which is a tuple.
    """

    process: int
    kind: Literal["s", "f"]
    number: int
    index: int  # type: ignore[assignment]  # not the method of tuples
    path: tuple[int, ...] = ()
    """Element index in each tuple, outermost first, for an element of a tuple."""

    @classmethod
    def parse(cls, text: str) -> Address:
        """Parse an address; raise `ValueError` if `text` is none."""
        match = _FORM.fullmatch(text)
        if match is None:
            raise ValueError(f"{text!r} is not an address; addresses look like 0.s12.0 or 0.f3.1")
        process, kind, number, index, inside = match.groups()
        path = tuple(map(int, inside.split(".")[1:]))
        return cls(int(process), "s" if kind == "s" else "f", int(number), int(index), path)

    def __str__(self) -> str:
        inside = "".join(f".{number}" for number in self.path)
        return f"{self.process}.{self.kind}{self.number}.{self.index}{inside}"


def result(step: int, index: int = 0, process: int = 0) -> Address:
    """Result `index` of step `step`."""
    return Address(process, "s", step, index)


def argument(frame: int, index: int = 0, process: int = 0) -> Address:
    """Block argument `index` of frame `frame`."""
    return Address(process, "f", frame, index)
