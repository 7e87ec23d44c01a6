"""Split text into tokens for syntax highlighting. Accepts any text, including incomplete programs."""

import re

KEYWORDS = (
    *(
        "module",
        "func.func",
        "attributes",
        "public",
        "private",
        "nested",
        "return",
        "call",
        "func.return",
        "func.call",
    ),
    *(
        "loc",
        "dense",
        "array",
        "true",
        "false",
        "unit",
        "across",
        "dimensions",
        "applies",
        "reducer",
        "init",
        "cond",
        "do",
    ),
)
"""Words highlighted as keywords."""
_TOKEN = re.compile(
    r"""
    (?P<comment>//[^\n]*+)
  | (?P<string>"(?:[^"\\\n]++|\\.)*+"?+)
  | (?P<value>%[A-Za-z0-9_$.-]++(?:\#[0-9]++)?+)
  | (?P<symbol>@(?:[A-Za-z0-9_$.-]++|"(?:[^"\\\n]++|\\.)*+"?+))
  | (?P<block>\^[A-Za-z0-9_$.-]++)
  | (?P<attribute>\#[A-Za-z_][A-Za-z0-9_$.]*+)
  | (?P<type>![A-Za-z_][A-Za-z0-9_$.]*+
      |\b(?:tensor|tuple|memref|complex|token|index|none)\b
      |(?:[0-9?]++x)*+(?:[su]?i[0-9]++|bf16|tf32|f[0-9]++(?:E[0-9]++M[0-9]++[A-Z0-9]*+)?+)\b)
  | (?P<number>-?(?:0x[0-9A-Fa-f]++|[0-9]++(?:\.[0-9]*+)?+(?:[eE][-+]?[0-9]++)?+))
  | (?P<keyword>\b(?:KEYWORDS)\b)
  | (?P<operation>[A-Za-z_][A-Za-z0-9_$]*+\.[A-Za-z0-9_$.]++)
  | (?P<name>[A-Za-z_][A-Za-z0-9_$]*+)
  | (?P<punctuation>->|[][(){}<>,:=*+?/|-])
    """.replace("KEYWORDS", "|".join(map(re.escape, KEYWORDS))),
    re.VERBOSE,
)


def tokens(text: str) -> list[tuple[int, int, str]]:
    """Start, end and kind of each token, in order; text that is not a token is skipped."""
    return [(match.start(), match.end(), match.lastgroup or "name") for match in _TOKEN.finditer(text)]
