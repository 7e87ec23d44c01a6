"""Reword error messages for HLO: `f32[2]` for `tensor<2xf32>`, `s32` for `i32`, `f` for `@f`."""

import re

from .element_types import ELEMENT_TYPES, ONLY_IN_HLO

_NAMES = {
    name: found.hlo_name
    for name, found in (ELEMENT_TYPES | ONLY_IN_HLO).items()
    if name not in ("index", "tf32")
}
_ELEMENT = "|".join(re.escape(name) for name in sorted(_NAMES, key=len, reverse=True))
_TENSOR = re.compile(rf"tensor<((?:(?:\d+|\?)x)*)({_ELEMENT})(?:, #stablehlo\.bounds<([^<>]*)>)?>")
_TUPLE = re.compile(r"tuple<([^<>]*)>")
_SYMBOL = re.compile(r"(?<![\w.])@(?=[A-Za-z_])")
_ALONE = re.compile(rf"(?<![\w%.])(?:{_ELEMENT})(?![\w.])")


def in_hlo_words(message: str) -> str:
    """`message` with HLO's types and names."""
    message = _TENSOR.sub(_array, message)
    message = _ALONE.sub(lambda match: _NAMES[match[0]], message).replace("!stablehlo.token", "token[]")
    while _TUPLE.search(message):
        message = _TUPLE.sub(r"(\1)", message)
    return _SYMBOL.sub("", message)


def _array(match: re.Match[str]) -> str:
    sizes = match[1].split("x")[:-1]
    bounds = match[3].split(", ") if match[3] else ["?"] * len(sizes)
    spelled = [_size(size, bound) for size, bound in zip(sizes, bounds, strict=False)]
    return f"{_NAMES[match[2]]}[{','.join(spelled)}]"


def _size(size: str, bound: str) -> str:
    return size if size != "?" or bound == "?" else f"<={bound}"
