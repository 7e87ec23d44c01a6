"""Writes the types that the browser knows: JSDoc typedefs of what `app/wire` says that the server sends and takes.

`python -m tests.wire_types` writes the file; `make check` runs it before tsc. Nothing needs the file while hloscope runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from textwrap import wrap
from types import ModuleType, NoneType, UnionType
from typing import Annotated, Any, Literal, NotRequired, Union, get_args, get_origin, get_type_hints

import typing_extensions
from typing_extensions import TypeAliasType, is_typeddict

from hloscope.app.wire import (
    dumps,
    engines,
    expressions,
    findings,
    grid,
    lessons,
    live,
    map_numbers,
    maps,
    memory,
    numbers,
    playground,
    precision,
    profile,
    program,
    provenance,
    reference,
    room_messages,
    rooms,
    run_comparison,
    search,
    sessions,
    stops,
    values,
)
from hloscope.app.wire.requests import Schema

FILE = Path(__file__).parent.parent / "static" / "js" / "core" / "types.js"
MODULES = (
    *(numbers, program, stops, sessions, live, values, grid, maps, map_numbers),
    *(
        provenance,
        run_comparison,
        engines,
        findings,
        memory,
        precision,
        profile,
        search,
        expressions,
        reference,
        playground,
        dumps,
        lessons,
    ),
    *(rooms, room_messages),
)
WIDTH = 118
HEAD = """/**
 * What crosses the wire, as types; nothing here exists at run time. Made from `app/wire` by
 * `python -m tests.wire_types` (`make types`), and not kept in the repository: change the types there.
 */
"""
PLAIN = {int: "number", float: "number", str: "string", bool: "boolean", NoneType: "null", Any: "any"}


def text() -> str:
    """The file as the types give it."""
    names = dict(_named())
    blocks = [HEAD]
    for module in MODULES:
        for name, kind in vars(module).items():
            shown = _shown_name(name, kind)
            if names.get(shown) is kind and _is_own(kind, name, module):
                blocks.append(_typedef(shown, kind, names))
    return "\n".join([*blocks, "export {};\n"])


def _named() -> Iterator[tuple[str, Any]]:
    """All types that have a name, in the modules that define them."""
    for module in MODULES:
        for name, kind in vars(module).items():
            if not name.startswith("_") and _is_own(kind, name, module):
                yield _shown_name(name, kind), kind


def _shown_name(name: str, kind: Any) -> str:
    """Schemas of what the page sends have short names, some of which answers have too."""
    return f"Sent{name}" if _is_schema(kind) else name


def _is_schema(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Schema)


def _is_own(kind: Any, name: str, module: ModuleType) -> bool:
    if is_typeddict(kind) or _is_schema(kind):
        return bool(kind.__module__ == module.__name__)
    is_alias = isinstance(kind, TypeAliasType) or get_origin(kind) in (Literal, Union, UnionType, Annotated)
    return (is_alias and f"\n{name}: TypeAlias" in _source(module)) or isinstance(kind, TypeAliasType)


def _source(module: ModuleType) -> str:
    return Path(str(module.__file__)).read_text()


def _typedef(name: str, kind: Any, names: dict[str, Any]) -> str:
    """A comment with what the type says of itself, and its typedef."""
    has_fields = is_typeddict(kind) or _is_schema(kind)
    said = " ".join((kind.__doc__ or "").split()) if has_fields else ""
    said = "" if said.startswith("dict(") else said
    lines = wrap(said, WIDTH - 3) if said else []
    body = _object(kind, names) if has_fields else [f"{_definition(kind, name, names)}"]
    body[0] = f"@typedef {{{body[0]}"
    body[-1] = f"{body[-1]}}} {name}"
    return "\n".join(["/**", *(f" * {line}" for line in [*lines, *body]), " */", ""])


def _object(kind: Any, names: dict[str, Any]) -> list[str]:
    if _is_schema(kind):
        fields = [
            f"{name}{'' if field.is_required() else '?'}: {_type(field.annotation, names)}"
            for name, field in kind.model_fields.items()
        ]
        return ["{", *(f"  {field}," for field in fields), "}"]
    hints = get_type_hints(kind, include_extras=True)
    fields = [
        f"{_key(field)}{'?' if get_origin(hint) is NotRequired else ''}: {_type(hint, names)}"
        for field, hint in hints.items()
    ]
    return ["{", *(f"  {field}," for field in fields), "}"]


def _key(name: str) -> str:
    return name if name.isidentifier() else f'"{name}"'


def _definition(kind: Any, name: str, names: dict[str, Any]) -> str:
    """What an alias stands for; its own name is not used, unless it is recursive."""
    if isinstance(kind, TypeAliasType):
        value = typing_extensions.evaluate_forward_ref(
            typing_extensions.ForwardRef(kind.__value__), globals=vars(maps)
        )
        return _type(value, names).replace(name, "any")  # JSDoc knows no alias of itself
    return _type(kind, {other: found for other, found in names.items() if other != name})


def _type(hint: Any, names: dict[str, Any]) -> str:
    known = next((name for name, kind in names.items() if kind is hint or _same(kind, hint)), None)
    if known is not None:
        return known
    if get_origin(hint) is Annotated:
        return _type(get_args(hint)[0], names)
    if hint in PLAIN:
        return PLAIN[hint]
    origin, items = get_origin(hint), get_args(hint)
    if origin is NotRequired:
        return _type(items[0], names)
    if origin is Literal:
        return "|".join(f'"{item}"' if isinstance(item, str) else str(item) for item in items)
    if origin in (Union, UnionType):
        return _union(hint, items, names)
    if origin is tuple:
        return f"[{', '.join(_type(item, names) for item in items)}]"
    if origin is dict:
        return f"Record<string, {_type(items[1], names)}>"
    if origin is not None and issubclass(origin, typing_extensions.Sequence | list):
        inner = _type(items[0], names)
        return f"({inner})[]" if "|" in inner else f"{inner}[]"
    raise TypeError(f"no JSDoc for {hint!r}")


def _same(kind: Any, hint: Any) -> bool:
    """Whether two hints mean the same: unions and literals are made anew where they are named."""
    return get_origin(hint) in (Literal, Union, UnionType) and type(kind) is type(hint) and bool(kind == hint)


def _union(hint: Any, items: tuple[Any, ...], names: dict[str, Any]) -> str:
    """Without what Python alone tells apart, and with a name for most of it where there is one."""
    for name, kind in names.items():
        parts = get_args(kind) if get_origin(kind) in (Union, UnionType) else ()
        rest = tuple(item for item in items if item not in parts)
        if parts and len(rest) < len(items) and set(parts) <= set(items) and rest:
            return "|".join([name, *dict.fromkeys(_type(item, names) for item in rest)])
    return "|".join(dict.fromkeys(_type(item, names) for item in items))


def main() -> None:
    """Write the file, unless it is up to date: its time decides whether pages are bundled anew."""
    if not FILE.is_file() or FILE.read_text() != text():
        FILE.write_text(text())


if __name__ == "__main__":
    main()
