"""Files in nested input specifications: `{"kind": "file", "file": …, "array": …}`.

Specifications sent to a worker also have the `path` of the file, which is local to this machine and never stored.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeGuard, TypeVar, cast

from .sessions import FileSpec

S = TypeVar("S")
"""A specification, or lists and objects of them."""


def files_in(spec: Any) -> Iterator[FileSpec]:
    """Every file specification in `spec`, which is a specification or lists of them."""
    if isinstance(spec, list):
        for item in spec:
            yield from files_in(item)
    elif isinstance(spec, dict):
        if _is_file(spec):
            yield spec
        for value in spec.values():
            if isinstance(value, list | dict):
                yield from files_in(value)


def with_paths(spec: S, path_of: Callable[[str], str | None]) -> S:
    """`spec` with the path of each file that has one."""

    def change(found: FileSpec) -> FileSpec:
        path = path_of(found["file"])
        return {**found, "path": path} if path else found

    return cast(S, _replace_files(spec, change))


def without_paths(spec: S) -> S:
    """`spec` without paths, as it is stored."""
    return cast(S, _replace_files(spec, _without_path))


def renamed(spec: S, names: Mapping[str, str]) -> S:
    """`spec` with the files renamed."""

    def change(found: FileSpec) -> FileSpec:
        return {**found, "file": names[found["file"]]}

    return cast(S, _replace_files(spec, change))


def _without_path(found: FileSpec) -> FileSpec:
    return {"kind": "file", "file": found["file"], "array": found["array"]}


def _replace_files(spec: Any, change: Callable[[FileSpec], FileSpec]) -> Any:
    if isinstance(spec, list):
        return [_replace_files(item, change) for item in spec]
    if not isinstance(spec, dict):
        return spec
    if _is_file(spec):
        return change(spec)
    return {name: _replace_files(value, change) for name, value in spec.items()}


def _is_file(spec: Any) -> TypeGuard[FileSpec]:
    return isinstance(spec, dict) and spec.get("kind") == "file" and isinstance(spec.get("file"), str)
