"""The verified program that `hloscope.parse` gives."""

from __future__ import annotations

from dataclasses import dataclass, fields

from hloscope.engine.program import BoundProgram

from ..present.html.programs import program_html


@dataclass(frozen=True, repr=False)
class Program(BoundProgram):
    """A verified program; a notebook shows its functions, its ops and its text."""

    @classmethod
    def of(cls, bound: BoundProgram) -> Program:
        """The same program."""
        return cls(**{field.name: getattr(bound, field.name) for field in fields(bound)})

    def __repr__(self) -> str:
        return f"<hloscope.Program {self.module.source.name}: {len(self.ops):,} ops>"

    def _repr_html_(self) -> str:
        """Its functions, ops and text, for notebooks."""
        return program_html(self)
