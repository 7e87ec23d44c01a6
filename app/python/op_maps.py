"""The indexing maps of ops, for Python code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from hloscope.engine.errors import InputError
from hloscope.engine.program import BoundProgram

from ..base.failure import Failure
from ..present.html.maps import first_html, maps_html
from ..runs.chunks.map_sections import DIRECTIONS, STYLE_OF, Section, WantedMaps, program_sections


@dataclass(frozen=True)
class OpMaps:
    """The elements that one op reads, or a chain of ops with `compose`; printing shows all maps."""

    section: Section = field(repr=False)
    op: str
    """The name of its result in the text: `%5`."""
    function: str

    def __str__(self) -> str:
        return self.text()

    def text(self, style: str = "xla") -> str:
        """The maps as text, in the syntax `xla` (XLA's current tools) or `xla-2024`."""
        return "\n".join(self.section.text(_style(style)))

    def _repr_html_(self) -> str:
        """The formulas with pictures, for notebooks."""
        text = self.text().partition("\n")[2]
        return maps_html(f"Indexing maps of {self.section.title}", text, self.section.groups)

    def json(self, style: str = "xla") -> list[dict[str, Any]]:
        """One object for each pair of operand and result, as `hloscope maps --json` writes it."""
        return list(self.section.json(_style(style)))


class MapsOfProgram(tuple[OpMaps, ...]):
    """The maps of several ops."""

    __slots__ = ()

    def __str__(self) -> str:
        return "\n\n".join(map(str, self))

    def _repr_html_(self) -> str:
        """The maps of each op, up to the maximum that fits, for notebooks."""
        return first_html((maps._repr_html_() for maps in self), len(self))


def _style(name: str) -> Any:
    if name not in STYLE_OF:
        raise InputError(f"there is no style '{name:.80}'", hint=f"There are {', '.join(STYLE_OF)}.")
    return STYLE_OF[name]


def maps_of(
    program: BoundProgram,
    op: str | None,
    *,
    direction: str = "output-to-input",
    compose: bool = False,
    entry: str | None = None,
) -> MapsOfProgram:
    """The maps of a program's ops, or of the op with that name; `InputError` if there is none."""
    if direction not in DIRECTIONS:
        raise InputError(
            f"there is no direction '{direction:.80}'", hint=f"There are {', '.join(DIRECTIONS)}."
        )
    wanted = WantedMaps(op, direction, compose=compose, entry=entry)
    try:
        found: Sequence[Section] = program_sections(program, wanted)
    except Failure as failure:
        raise InputError(str(failure)) from None
    return MapsOfProgram(OpMaps(section, section.op, section.function) for section in found)
