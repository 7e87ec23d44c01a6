"""The name of one recorded value: immutable, and free to make."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

_FORM = re.compile(r"(\d{1,9})\.([sf])(\d{1,18})\.(\d{1,9})", re.ASCII)


@dataclass(frozen=True, order=True)
class Address:
    """`0.s12.0`: result 0 of step 12 in process 0; `0.f3.1`: block argument 1 of frame 3."""

    process: int
    kind: Literal["s", "f"]
    number: int
    index: int

    @classmethod
    def parse(cls, text: str) -> Address:
        """The address that `text` spells; `ValueError` if it spells none."""
        match = _FORM.fullmatch(text)
        if match is None:
            raise ValueError(f"{text!r} is no address; one looks like 0.s12.0 or 0.f3.1")
        process, kind, number, index = match.groups()
        return cls(int(process), "s" if kind == "s" else "f", int(number), int(index))

    def __str__(self) -> str:
        return f"{self.process}.{self.kind}{self.number}.{self.index}"


def result(step: int, index: int = 0, process: int = 0) -> Address:
    """Result `index` of step `step`."""
    return Address(process, "s", step, index)


def argument(frame: int, index: int = 0, process: int = 0) -> Address:
    """Block argument `index` of frame `frame`."""
    return Address(process, "f", frame, index)
