"""Keeps recorded values under a budget of bytes; the oldest go first and are computed again on demand."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Iterable

from ..memory import SMALL, Ledger, counted_leaves, owner
from ..ops.core.op import Array
from ..ops.core.values import is_tuple, leaves, read_only, tuple_of
from .loop_values import LoopValues

Arrays = tuple[Array, ...]
_MOSTLY_UNUSED = 4
"""A view that keeps less than this part of its buffer alive is copied when the buffer is dropped."""
ENTRY_BYTES = 256
"""What Python takes for one value besides its buffer; scalars of a long loop are mostly this."""


class ValueStore:
    """The values of each step and of each frame's arguments, counted by the buffers that they keep alive.

    Keys are numbers that the recording gives. Buffers of `inputs` are there anyway and count nothing.
    """

    def __init__(self, budget: int, inputs: Arrays = ()) -> None:
        self.budget = budget
        self._values: OrderedDict[int, Arrays] = OrderedDict()
        self._loops: deque[LoopValues] = deque()
        self._loop_bytes = 0
        self._count = 0
        self._small_bytes = 0
        self._sharing: dict[int, set[int]] = {}
        self._free = frozenset(id(owner(leaf)) for array in inputs for leaf in leaves(array))
        self._ledger = Ledger(self._free)
        self._inputs = inputs
        self.has_dropped = False
        """Whether anything that was put here has gone."""

    @property
    def bytes(self) -> int:
        """Bytes of the buffers that the values kept here hold."""
        return self._ledger.bytes + self._small_bytes + self._loop_bytes

    def __contains__(self, key: int) -> bool:
        return key in self._values

    def __len__(self) -> int:
        return self._count

    def get(self, key: int) -> Arrays | None:
        """The values, if they are still here."""
        found = self._values.get(key)
        return self._of_loop(key) if found is None else found

    def _of_loop(self, key: int) -> Arrays | None:
        return next((found for loop in self._loops if (found := loop.get(key)) is not None), None)

    def put_loop(self, values: LoopValues) -> None:
        """Keeps the values of iterations that one event reported."""
        self._loops.append(values)
        self._loop_bytes += values.nbytes
        self._shrink()

    def put(self, key: int, arrays: Arrays) -> None:
        """Keeps `arrays`, then drops the oldest values until the budget holds; the newest always stay."""
        if key in self._values:
            self._values.move_to_end(key)
            return
        self._values[key] = arrays
        self._count += len(arrays)
        for array in arrays:
            self._hold(key, array)
        if (
            self._ledger.bytes + self._small_bytes + self._loop_bytes + ENTRY_BYTES * self._count
            > self.budget
        ):
            self._shrink()

    def _shrink(self) -> None:
        while (
            self._ledger.bytes + self._small_bytes + self._loop_bytes + ENTRY_BYTES * self._count
            > self.budget
            and len(self._values) + len(self._loops) > 1
        ):
            self.has_dropped = True
            oldest = next(iter(self._values), None)
            if self._loops and (oldest is None or self._loops[0].first_key < oldest):
                self._loop_bytes -= self._loops.popleft().nbytes
            else:
                self._drop_oldest()

    def _hold(self, key: int, array: Array) -> None:
        if array.nbytes <= SMALL and array.base is None:
            self._small_bytes += array.nbytes
            return
        self._ledger.add(array)
        if array.dtype.hasobject:
            # A tuple that goes from hand to hand is looked into once.
            if self._ledger.holds_tuple(array) == 1:
                for buffer in self._seen_in(array):
                    self._share(buffer, key)
        else:
            self._share(id(array if array.base is None else owner(array)), key)

    def _share(self, buffer: int, key: int) -> None:
        if buffer not in self._free:
            sharing = self._sharing.get(buffer)
            if sharing is None:
                self._sharing[buffer] = {key}
            else:
                sharing.add(key)

    def _let_go(self, key: int, array: Array) -> None:
        if array.nbytes <= SMALL and array.base is None:
            self._small_bytes -= array.nbytes
            return
        self._ledger.remove(array)
        for buffer in self._seen_in(array) if array.dtype.hasobject else (id(owner(array)),):
            rest = self._sharing.get(buffer, set())
            rest.discard(key)
            if not rest:
                self._sharing.pop(buffer, None)

    @staticmethod
    def _seen_in(array: Array) -> list[int]:
        """The buffers of which something in a tuple is a view."""
        return [id(owner(leaf)) for leaf in counted_leaves(array) if leaf.base is not None]

    def _drop_oldest(self) -> None:
        key, arrays = self._values.popitem(last=False)
        self._count -= len(arrays)
        if len(arrays) == 1 and self._drop_if_alone(key, arrays[0]):
            return
        buffers = {id(owner(leaf)): owner(leaf) for array in arrays for leaf in _parts(array)}
        for array in arrays:
            self._let_go(key, array)
        for identity, buffer in buffers.items():
            rest = self._sharing.get(identity, set())
            if rest and self._is_mostly_unused(buffer, rest):
                self._detach(rest.copy(), identity)

    def _drop_if_alone(self, key: int, array: Array) -> bool:
        """Drops an array that shares its buffer with no other kept value, as most do; False if it shares it."""
        if array.base is not None or array.dtype.hasobject:
            return False
        if array.nbytes <= SMALL:
            self._small_bytes -= array.nbytes
            return True
        identity = id(array)
        if self._sharing.get(identity) != {key}:
            return False
        del self._sharing[identity]
        self._ledger.remove(array)
        return True

    def _is_mostly_unused(self, buffer: Array, keys: set[int]) -> bool:
        """Whether the values under `keys` show so little of a buffer that copies take less."""
        seen = 0
        # Of a buffer that many values share the first few mostly show enough.
        for key in keys:
            for array in self._values[key]:
                seen += sum(leaf.nbytes for leaf in _parts(array) if owner(leaf) is buffer)
            if seen * _MOSTLY_UNUSED >= buffer.nbytes:
                return False
        return True

    def _detach(self, keys: set[int], buffer: int) -> None:
        for key in sorted(keys):
            self._values[key] = tuple(self._copy_out_of(buffer, key, array) for array in self._values[key])

    def _copy_out_of(self, buffer: int, key: int, array: Array) -> Array:
        """`array`, or a copy of it where it is a view of `buffer`; a tuple is made anew around copies."""
        if all(id(owner(leaf)) != buffer for leaf in _parts(array)):
            return array
        copied = _copy_views(buffer, array)
        self._let_go(key, array)
        self._hold(key, copied)
        return copied


def _copy_views(buffer: int, array: Array) -> Array:
    if is_tuple(array):
        return tuple_of([_copy_views(buffer, item) for item in array])
    is_view = array.base is not None and id(owner(array)) == buffer
    return read_only(array.copy()) if is_view else array


def _parts(array: Array) -> Iterable[Array]:
    """The arrays whose buffers a value keeps alive: those in it, if it is a tuple."""
    return counted_leaves(array) if array.dtype.hasobject else (array,)
