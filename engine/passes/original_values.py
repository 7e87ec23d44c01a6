"""Original values: the value of the program before XLA's passes that an instruction has, as XLA notes it.

origin={{"add.3"}}      original_value={({"a"}, {"while.2" {1}})}: of a tuple, in older texts
#mhlo.original_value<false, [<[], <"add.3", []>>]>: in MLIR
"""

from __future__ import annotations

import re

_LEAF = re.compile(r'#mhlo\.original_value<false, \[<\[\], <("(?:[^"\\]|\\.)*"), \[([\d, ]*)\]>>\]>')


def read_original(text: str) -> str:
    """The value that an attribute names, as in HLO: `{"add.3"}`; empty if it names none, or a part of a tuple only."""
    if (leaf := _LEAF.fullmatch(text)) is not None:
        return f"{{{leaf[1]} {{{leaf[2].replace(' ', '')}}}}}" if leaf[2] else f"{{{leaf[1]}}}"
    value = text.removeprefix("{").removesuffix("}").strip()
    return value if '"' in value and "{}" not in value and text.startswith("{") else ""
