"""Words and punctuation at a position in a text: the base of all text readers."""

from __future__ import annotations

import re
from typing import NoReturn

WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_$.]*+")


class Words:
    """A position in a text. `position` is always at the start of the next token."""

    text: str
    position: int

    def move(self, position: int) -> None:
        """Move to `position`, past any blanks there."""
        raise NotImplementedError

    def fail_expecting(self, what: str) -> NoReturn:
        """Raise the error that `what` is expected here."""
        raise NotImplementedError

    def peek(self, text: str) -> bool:
        """Whether `text` comes next, whatever follows."""
        return self.text.startswith(text, self.position)

    def peek_word(self) -> str:
        """The next word, or an empty string."""
        match = WORD.match(self.text, self.position)
        return match[0] if match else ""

    def accept(self, text: str) -> bool:
        """Consume `text` if it comes next."""
        if not self.text.startswith(text, self.position):
            return False
        self.move(self.position + len(text))
        return True

    def accept_word(self, word: str) -> bool:
        """Consume `word` if it comes next as a whole word."""
        return self.peek_word() == word and self.accept(word)

    def match(self, expression: re.Pattern[str]) -> re.Match[str] | None:
        """Consume the match of `expression` at this position, if there is one."""
        match = expression.match(self.text, self.position)
        if match:
            self.move(match.end())
        return match

    def expect_word(self, word: str, where: str = "") -> None:
        """Consume `word`, which must come next as a whole word."""
        if not self.accept_word(word):
            self.fail_expecting(f"'{word}'{where}")

    def word(self, what: str) -> str:
        """Consume a word."""
        match = self.match(WORD)
        return match[0] if match else self.fail_expecting(what)
