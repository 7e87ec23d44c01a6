"""Original values: the values of the program before XLA's passes that an instruction has, as XLA notes them.

origin={{"add.3"}}      original_value={({"a"}, {"while.2" {1}})}: of a tuple, in older texts
origin={({"a"}, {}),["call.1"]}: of a tuple, one part of which is unknown, in an inlined call
#mhlo.original_value<false, [<[], <"add.3", []>>]>: in MLIR
"""

import re

Leaf = tuple[tuple[int, ...], str]
"""The index of an array in an instruction's value, and its original value: `"while.2" {1}`. Of an array the index is empty."""

_NAME = r'("(?:[^"\\]|\\.)*")'
_TOKEN = re.compile(rf"\{{\s*{_NAME}\s*(?:\{{([\d, ]*)\}}\s*)?\}}|\[\s*{_NAME}\s*\]|[(),]")
_MLIR_LEAF = re.compile(rf"<\[([\d, ]*)\], <{_NAME}, \[([\d, ]*)\]>>")


def read_originals(text: str, is_tuple: bool) -> tuple[Leaf, ...]:
    """The original values that an attribute of an instruction names; leaves that XLA lost are left out."""
    leaves = _leaves_of_mlir(text) if text.startswith("#") else _leaves_of_hlo(text)
    # XLA writes the tuple's own attribute to elements that have none.
    return tuple(leaf for leaf in leaves if bool(leaf[0]) == is_tuple)


def _leaves_of_mlir(text: str) -> list[Leaf]:
    return [
        (tuple(map(int, re.findall(r"\d+", index))), _original(name, part))
        for index, name, part in _MLIR_LEAF.findall(text)
    ]


def _leaves_of_hlo(text: str) -> list[Leaf]:
    found: list[Leaf] = []
    index: list[int] = []
    calls = ""
    for token in _TOKEN.finditer(text):
        name, part, call = token.groups()
        if name:
            found.append((tuple(index), _original(name, part or "")))
        elif call:
            calls = f" in {call}"
        elif token[0] == "(":
            index.append(0)
        elif index and token[0] == ")":
            index.pop()
        elif index:
            index[-1] += 1
    return [(at, original + calls) for at, original in found]


def _original(name: str, part: str) -> str:
    return f"{name} {{{part.replace(' ', '')}}}" if part else name
