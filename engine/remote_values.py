"""Values that stay with the executor that computed them: their facts are known, their elements are fetched when they are read.

A remote value stands in frames and in the store of a recording where an array would. What reads elements calls `local`
first; NumPy's functions fetch it too, so that it is never read as something else.
"""

from collections.abc import Callable, Iterable
from math import prod
from typing import Any
from weakref import ref

import numpy as np
from numpy.typing import NDArray

from .errors import RunError
from .value_facts import ValueFacts, facts_of, has_facts

Array = NDArray[Any]
SMALL_BYTES = 1 << 16
"""Maximum size of an array whose facts are computed to save the transfer of others."""


class LostValue(RunError):
    """The executor no longer has the value: its process has ended."""


class OnOtherHost(RunError):
    """Another host of the run has the elements of a value, and the recording that they made together has ended."""

    def __init__(self, value: str, host: int) -> None:
        """`value` names it, with its process."""
        super().__init__(
            f"host {host} has the elements of {value}: save the recording of each host, and join the files with "
            "`hloscope merge`"
        )
        self.value, self.host = value, host


class RemoteValue:
    """A value of an executor, with what is known of it; it has those attributes of an array that need no elements."""

    __slots__ = ("__weakref__", "_array", "_fetch", "dtype", "facts", "shape", "size")
    base = None

    def __init__(
        self, dtype: np.dtype[Any], shape: tuple[int, ...], facts: ValueFacts, fetch: Callable[[], Array]
    ) -> None:
        """`fetch` returns the array, or raises `LostValue`."""
        self.dtype, self.shape, self.facts, self._fetch = dtype, shape, facts, fetch
        self.size = prod(shape)
        self._array: ref[Array] | None = None

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def nbytes(self) -> int:
        return self.size * self.dtype.itemsize

    def array(self) -> Array:
        """The value, read-only; fetched, unless it was and is still in use."""
        found = None if self._array is None else self._array()
        if found is None:
            found = self._fetch()
            found.setflags(write=False)
            self._array = ref(found)
        return found

    def after_fetch(self, tell: Callable[[Array], None]) -> None:
        """Call `tell` with the array whenever it is fetched."""
        fetch = self._fetch

        def fetched() -> Array:
            found = fetch()
            tell(found)
            return found

        self._fetch = fetched

    def __bool__(self) -> bool:
        raise TypeError("a remote value has elements only once it is local")

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.array(self.array(), dtype, copy=copy) if copy else np.asarray(self.array(), dtype)


def local(value: Any) -> Array:
    """The array of a value."""
    return value.array() if type(value) is RemoteValue else value


def is_remote(value: Any) -> bool:
    """Whether the value would be fetched if it were read."""
    return type(value) is RemoteValue


def any_remote(values: Iterable[Any]) -> bool:
    """Whether one of the values would be fetched; a collective has those of all its processes."""
    return RemoteValue in map(type, values)


def remote_facts(value: Any) -> ValueFacts | None:
    """The facts of a remote value; `None` of an array."""
    return value.facts if type(value) is RemoteValue else None


def facts_known(value: Any) -> ValueFacts | None:
    """The facts of a remote value, or of a small array; `None` where they take longer than what they are to save."""
    if type(value) is RemoteValue:
        return value.facts
    return facts_of(value) if value.nbytes <= SMALL_BYTES and has_facts(value.dtype) else None
