"""Many small cases as one test, which costs pytest and its processes a hundredth of as many tests."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from inspect import signature
from typing import Any

import pytest

Test = Callable[..., None]


def for_each(
    names: str | tuple[str, ...], cases: Iterable[Any], ids: Iterable[str] | Callable[[Any], str] = str
) -> Callable[[Test], Test]:
    """Run a test on every case, with the arguments of `pytest.mark.parametrize`; name all the cases that fail.

    The cases share the fixtures.
    """
    given = list(cases)
    titles = list(map(ids, given)) if callable(ids) else list(ids)
    assert given
    assert len(titles) == len(given)

    def decorate(test: Test) -> Test:
        @wraps(test)
        def on_all(**fixtures: Any) -> None:
            failures: list[BaseException] = []
            failed = []
            for title, case in zip(titles, given, strict=True):
                arguments = {names: case} if isinstance(names, str) else dict(zip(names, case, strict=True))
                try:
                    test(**arguments, **fixtures)
                except (Exception, pytest.fail.Exception) as error:
                    error.add_note(f"case: {title}")
                    failures.append(error)
                    failed.append(title)
            if failures:
                raise BaseExceptionGroup(
                    f"{len(failures)} of {len(given)} cases fail: {', '.join(failed)}", failures
                )

        wanted = signature(test)
        taken = (names,) if isinstance(names, str) else names
        kept = [found for name, found in wanted.parameters.items() if name not in taken]
        on_all.__signature__ = wanted.replace(parameters=kept)  # type: ignore[attr-defined]
        return on_all

    return decorate
