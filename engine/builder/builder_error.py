"""The error of calls of the builder."""

from __future__ import annotations


class BuilderError(ValueError):
    """A call of the builder that breaks a rule of the operation; raised by the call itself.

    `op` is the opcode, `label` the label of the constraint in the specification.
    """

    def __init__(self, message: str, *, op: str | None = None, label: str | None = None) -> None:
        subject = f"{op}: " if op else ""
        super().__init__(f"{subject}{f'{label}: ' if label else ''}{message}")
        self.message, self.op, self.label = message, op, label
