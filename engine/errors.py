"""What can be wrong with a program. Mistakes of ours are ordinary Python exceptions, never these.

    ProgramError
    ├── ParseError          the text is not a program                          (parser)
    ├── VerificationError   the program breaks a rule of its dialect
    │   ├── ConstraintError     a labelled constraint of one op (C1, I2, …)
    │   └── StructureError      a rule of the whole: names, types, terminators, calls
    ├── InputError          an input does not fit the program
    ├── RunError            the program went wrong while it ran
    │   ├── CheckFailed         a check of the program's own does not hold
    │   └── UnboundResults      what an op gives is decided outside of the program
    ├── LimitError          the program asks for more than a limit allows
    └── ExpressionError     a condition or a watch of the user's makes no sense

Each carries a span of the program's text and, where one is known, the op's name; `diagnostic()`
turns it into the value that the command line, the page and the tests show, as an error or as a warning.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from .source import NOWHERE, Source, Span

LONGEST_MESSAGE = 800
Severity = Literal["error", "warning"]


@dataclass(frozen=True)
class Diagnostic:
    """One thing that is wrong, where, and what to do about it."""

    message: str
    span: Span = NOWHERE
    kind: str = "error"
    """The error's class: `parse`, `constraint`, `structure`, `input`, `run`, `check`, `unbound` or `limit`."""
    op: str | None = None
    label: str | None = None
    """The constraint's label in the specification (`C2`), or the limit's name."""
    hint: str | None = None
    """What the user can do, as a sentence."""
    severity: Severity = "error"
    """A warning is what the specification forbids although it is plain what is meant: the program runs."""

    @property
    def text(self) -> str:
        """`op 'stablehlo.concatenate': C2: message`, without the place."""
        subject = f"op '{self.op}': " if self.op else ""
        label = f"{self.label}: " if self.label else ""
        return f"{subject}{label}{self.message}"

    def format(self, source: Source) -> str:
        """`file:line:column: error: …`, the excerpt, and the hint on a line of its own."""
        line, column = source.line_and_column(self.span.start)
        head = f"{source.name}:{line}:{column}: {self.severity}: {self.text}"
        hint = f"\n        hint: {self.hint}" if self.hint else ""
        return f"{head}\n{source.excerpt(self.span)}{hint}"


class ProgramError(Exception):
    """The program, its inputs or its run are wrong; the message says what, the span where."""

    kind = "error"

    def __init__(
        self,
        message: str,
        span: Span = NOWHERE,
        *,
        op: str | None = None,
        label: str | None = None,
        hint: str | None = None,
    ) -> None:
        if len(message) > LONGEST_MESSAGE:
            # A name or a type of the program may be as long as the program.
            message = f"{message[: LONGEST_MESSAGE // 2]} … {message[-LONGEST_MESSAGE // 2 :]}"
        super().__init__(message)
        self.message, self.span, self.op, self.label, self.hint = message, span, op, label, hint

    def diagnostic(self, severity: Severity = "error") -> Diagnostic:
        """This error as a value; as a warning, where the program runs nevertheless."""
        return Diagnostic(self.message, self.span, self.kind, self.op, self.label, self.hint, severity)


class ParseError(ProgramError):
    """The text is not a program."""

    kind = "parse"


class VerificationError(ProgramError):
    """The program breaks a rule of its dialect."""

    kind = "verification"


class ConstraintError(VerificationError):
    """A labelled constraint of one op does not hold."""

    kind = "constraint"


class StructureError(VerificationError):
    """A rule of the whole program does not hold: names, types, terminators, calls."""

    kind = "structure"


class InputError(ProgramError):
    """An input does not fit the function that is run."""

    kind = "input"


class RunError(ProgramError):
    """The program went wrong while it ran."""

    kind = "run"


class CheckFailed(RunError):
    """A check that the program makes of its own values does not hold."""

    kind = "check"


class UnboundResults(RunError):
    """What an op gives is decided by code outside of the program; arrays given for its results let the run go on."""

    kind = "unbound"


class LimitError(ProgramError):
    """The program asks for more than a limit allows; `label` is the limit's name in `Limits`."""

    kind = "limit"


class ExpressionError(ProgramError):
    """An expression over values makes no sense; the span is a place in the expression, not in the program."""

    kind = "expression"
