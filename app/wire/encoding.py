"""Objects as wire types whose fields have the names of their attributes."""

import re
from functools import cache
from typing import Any, TypeVar, cast

T = TypeVar("T")


def encoded(kind: type[T], source: object, /, **given: Any) -> T:
    """`source` as the wire type `kind`, with its fields in their order.

    A field `perIndex` is what is given as `per_index`, else the attribute `per_index` of `source`, a tuple as a list.
    """
    found = {}
    for field, name in _names(cast(Any, kind)):
        value = given[name] if name in given else getattr(source, name)
        found[field] = list(value) if isinstance(value, tuple) else value
    return cast(T, found)


@cache
def _names(kind: type[Any]) -> list[tuple[str, str]]:
    """The fields of a wire type, each with the name of its attribute."""
    return [(field, re.sub(r"(?<!^)(?=[A-Z])", "_", field).lower()) for field in kind.__annotations__]
