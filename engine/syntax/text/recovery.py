"""Continue after an error in a text: the errors found, and the position where reading resumes.

An error costs the operation in which it stands. Reading resumes at the next line that begins an operation of
the same block, at the end of the block, or at the next function. Values that the skipped lines define are
lost: they are known by name, and nothing is reported about their uses.
"""

import re
from dataclasses import dataclass, field

from ...errors import LimitError, ProgramError
from ...source import Span

MAX_ERRORS = 100
"""Maximum number of errors after which reading stops."""
_TOKEN = re.compile(r'"(?:[^"\\\n]++|\\.)*+"|//[^\n]*+|[{}]|\n')
_ATTRIBUTES = re.compile(r'\{[ \t]*+(?:[\w.@-]++[ \t]*+[=:,}]|"|\{|\})')
"""The opening brace of attributes, rather than of a region."""
_SYMBOL = re.compile(r"@([A-Za-z_][A-Za-z0-9_$.]*+)")
_ITEM_SYMBOL = re.compile(r'@([A-Za-z_][A-Za-z0-9_$.]*+)|sym_name *+= *+"([^"]*+)"')


class TooManyErrors(Exception):
    """The text has `MAX_ERRORS` errors, or exceeds a limit; the rest of it is not read."""


class Abandoned(ProgramError):
    """A function in which an error was reported and no operation was found where reading could resume."""


@dataclass
class Recovery:
    """The errors of one text, and what the reader skipped because of them."""

    errors: list[ProgramError] = field(default_factory=list)
    skipped: list[int] = field(default_factory=list)
    """Start of each operation and function that was not read."""
    symbols: set[str] = field(default_factory=set)
    """Names of functions and other symbols that were not read."""

    def report(self, error: ProgramError) -> None:
        """Record an error, once for each position; raises `TooManyErrors`."""
        if all(known.span.start != error.span.start for known in self.errors):
            self.errors.append(error)
        if isinstance(error, LimitError) or len(self.errors) >= MAX_ERRORS:
            raise TooManyErrors

    def skip(self, start: int) -> None:
        """Record that the operation at `start` was not read."""
        self.skipped.append(start)

    def skip_symbols(self, line: str) -> None:
        """Record the symbols that a skipped item names, its own among them."""
        self.symbols.update(plain or quoted for plain, quoted in _ITEM_SYMBOL.findall(line))

    def has_skipped(self, span: Span) -> bool:
        """Whether part of the text between the span's ends was not read."""
        return any(span.start <= start < span.end for start in self.skipped)

    def follows(self, error: ProgramError) -> bool:
        """Whether an error concerns a symbol that was not read."""
        return any(symbol in self.symbols for symbol in _SYMBOL.findall(error.message))


@dataclass(frozen=True)
class LineStarts:
    """How lines begin in a language."""

    operation: re.Pattern[str]
    """The blanks and the beginning of an operation."""
    item: re.Pattern[str]
    """The blanks and the beginning of a function or another item of a module."""

    def next_operation(self, text: str, start: int, opening: int | None) -> int | None:
        """Position after the operation at `start`: the next one of its block, or the block's closing brace.

        `opening` is the position of the block's opening brace. `None` if a function or the end of the text comes first.
        """
        line = text.rfind("\n", 0, start) + 1
        if self.item.match(text, line):
            return None
        indentation = _indentation(text, line)
        is_inside_line = "{" in text[line:start]
        outer = _outer_indentation(text, opening)
        regions: list[bool] = []
        for match in _TOKEN.finditer(text, start):
            if match[0] == "{":
                regions.append(not _ATTRIBUTES.match(text, match.start()))
            elif match[0] == "}" and regions:
                regions.pop()
            elif match[0] == "}":
                line = text.rfind("\n", 0, match.start()) + 1
                column = _indentation(text, line)
                if is_inside_line or (line + column == match.start() and column <= outer):
                    return match.start()
            elif match[0] == "\n":
                is_inside_line = False
                if self.item.match(text, match.end()):
                    return None
                if not self.operation.match(text, match.end()):
                    continue
                while regions and not regions[-1]:  # no operation begins inside attributes
                    regions.pop()
                column = _indentation(text, match.end())
                if not regions and column <= indentation:
                    return match.end() + column
        return None

    def next_item(self, text: str, start: int, opening: int | None) -> int | None:
        """Position of the next item after the one at `start`, or of the brace that closes their module.

        `opening` is the position of the module's opening brace.
        """
        outer = _outer_indentation(text, opening)
        depth = 0
        for match in _TOKEN.finditer(text, start):
            if match[0] == "{":
                depth += 1
            elif match[0] == "}":
                depth -= 1
                line = text.rfind("\n", 0, match.start()) + 1
                if depth < 0 and _indentation(text, line) <= outer:
                    return match.start()
            elif match[0] == "\n" and self.item.match(text, match.end()):
                return match.end() + _indentation(text, match.end())
        return None


def _outer_indentation(text: str, opening: int | None) -> int:
    """The indentation of the line with an opening brace; -1 without one."""
    return -1 if opening is None else _indentation(text, text.rfind("\n", 0, opening) + 1)


def _indentation(text: str, line: int) -> int:
    end = line
    while end < len(text) and text[end] in " \t":
        end += 1
    return end - line
