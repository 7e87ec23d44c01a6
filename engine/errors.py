"""Errors in a program. Mistakes of this package are ordinary Python exceptions, never these.

    ProgramError
    ├── ParseError          the text is not a program                          (parser)
    ├── VerificationError   the program breaks a rule of its dialect
    │   ├── ConstraintError     a labelled constraint of one op (C1, I2, …)
    │   └── StructureError      a rule of the whole program: names, types, terminators, calls
    ├── InputError          an input does not fit the program
    ├── RunError            the program failed while it ran
    │   ├── CheckFailed         a check in the program does not hold
    │   └── UnboundResults      code outside the program determines the results of an op
    ├── LimitError          the program exceeds a limit
    └── ExpressionError     a condition or a watch expression is invalid

Each carries a span of the program's text and, where one is known, the op's name. `diagnostic()` turns it into
the value that the command line, the page and the tests show, as an error or as a warning.
"""

from dataclasses import dataclass
from typing import Literal

from .source import NOWHERE, Source, Span

MAX_MESSAGE_LENGTH = 800
Severity = Literal["error", "warning", "note"]


@dataclass(frozen=True)
class Diagnostic:
    """One error, warning or note: the message, its position, and a hint on how to fix it."""

    message: str
    span: Span = NOWHERE
    kind: str = "error"
    """The error's class: `parse`, `constraint`, `structure`, `input`, `run`, `check`, `unbound` or `limit`."""
    op: str | None = None
    label: str | None = None
    """The constraint's label in the specification (`C2`), or the limit's name."""
    hint: str | None = None
    """A remedy for the user, as a sentence."""
    severity: Severity = "error"
    """With a warning or a note the program runs: it breaks a rule but its meaning is clear, or it may wait forever."""

    @property
    def text(self) -> str:
        """`op 'stablehlo.concatenate': C2: message`, without the position."""
        subject = f"op '{self.op}': " if self.op else ""
        label = f"{self.label}: " if self.label else ""
        return f"{subject}{label}{self.message}"

    def format(self, source: Source) -> str:
        """`file:line:column: error: …`, the excerpt, and the hint on its own line; without a place, `file: error: …`."""
        hint = f"\n        hint: {self.hint}" if self.hint else ""
        if self.span == NOWHERE:
            return f"{source.name}: {self.severity}: {self.text}{hint}"
        line, column = source.line_and_column(self.span.start)
        head = f"{source.name}:{line}:{column}: {self.severity}: {self.text}"
        return f"{head}\n{source.excerpt(self.span)}{hint}"


class ProgramError(Exception):
    """An error in the program, its inputs or its run; `message` states it, `span` locates it."""

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
        if len(message) > MAX_MESSAGE_LENGTH:
            # Names and types in a message may be as long as the program.
            message = f"{message[: MAX_MESSAGE_LENGTH // 2]} … {message[-MAX_MESSAGE_LENGTH // 2 :]}"
        super().__init__(message)
        self.message, self.span, self.op, self.label, self.hint = message, span, op, label, hint
        if hint:
            self.add_note(f"hint: {hint}")  # Python prints notes below an error that nothing catches

    def diagnostic(self, severity: Severity = "error") -> Diagnostic:
        """This error as a value; severity `warning` where the program still runs."""
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
    """An input does not fit the entry function."""

    kind = "input"


class RunError(ProgramError):
    """The program failed while it ran."""

    kind = "run"


class CheckFailed(RunError):
    """A check in the program, such as `check.expect_eq`, does not hold."""

    kind = "check"


class UnboundResults(RunError):
    """Code outside the program determines an op's results; the run continues once the user supplies them."""

    kind = "unbound"


class LimitError(ProgramError):
    """The program exceeds a limit; `label` is the limit's name in `Limits`."""

    kind = "limit"


class ExpressionError(ProgramError):
    """An expression over values is invalid; the span is a position in the expression, not in the program."""

    kind = "expression"
