"""Files in specifications of inputs, however deep these are nested: `{"kind": "file", "file": …, "array": …}`.

On their way to a worker they carry the `path` of the file, which is this machine's business and never kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

JSON = dict[str, Any]


def files_in(spec: Any) -> Iterator[JSON]:
    """Every specification of a file in `spec`: a specification, or lists of them."""
    if isinstance(spec, list):
        for item in spec:
            yield from files_in(item)
    elif isinstance(spec, dict):
        if _is_file(spec):
            yield spec
        for value in spec.values():
            if isinstance(value, list | dict):
                yield from files_in(value)


def with_paths(spec: Any, path_of: Callable[[str], str | None]) -> Any:
    """`spec`, each file with its path, where it has one."""
    return _changed(spec, lambda found: found | ({"path": path} if (path := path_of(found["file"])) else {}))


def without_paths(spec: Any) -> Any:
    """`spec` as it is kept."""
    return _changed(spec, lambda found: {name: value for name, value in found.items() if name != "path"})


def _changed(spec: Any, change: Callable[[JSON], JSON]) -> Any:
    if isinstance(spec, list):
        return [_changed(item, change) for item in spec]
    if not isinstance(spec, dict):
        return spec
    if _is_file(spec):
        return change(spec)
    return {name: _changed(value, change) for name, value in spec.items()}


def _is_file(spec: JSON) -> bool:
    return spec.get("kind") == "file" and isinstance(spec.get("file"), str)
