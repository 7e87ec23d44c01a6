"""Store of recorded values with a memory budget; evicted values are recomputed on demand."""

from __future__ import annotations

from bisect import bisect_right
from collections import OrderedDict, defaultdict
from collections.abc import Iterable, Sequence

from ..memory import SMALL, Ledger, counted_leaves, owner
from ..ops.core.op import Array
from ..ops.core.values import is_tuple, leaves, read_only, tuple_of
from ..remote_values import is_remote, remote_facts
from ..value_facts import ValueFacts
from .loop_values import START_BYTES, ComputedBatches, LoopValues

Arrays = tuple[Array, ...]
_MOSTLY_UNUSED = 4
"""A view smaller than this share of its buffer is copied when the buffer is evicted."""
ENTRY_BYTES = 256
"""Python's overhead per value, which dominates for the scalars of a long loop."""
PROCESS_BITS = 48
"""Keys of the values of process p begin at `p << PROCESS_BITS`."""
FACTS_BYTES = 2048
"""Memory of the facts of a step, with a small picture, about."""


class ValueStore:
    """Values of steps and frame arguments, accounted by the buffers that they keep alive.

    The recording assigns the keys. Buffers of `inputs` exist anyway and do not count. Of remote values it keeps the facts,
    and the latest ones themselves, up to as many bytes; where they are.
    """

    def __init__(self, budget: int, inputs: Arrays = ()) -> None:
        self.budget = budget
        self._values: OrderedDict[int, Arrays] = OrderedDict()
        self._loops: defaultdict[int, list[LoopValues]] = defaultdict(list)
        """The loops of a process that ran at once, by its smallest key."""
        self.batches = ComputedBatches()
        self._loop_bytes = 0
        self._count = 0
        self._small_bytes = 0
        self._sharing: dict[int, set[int]] = {}
        self._free = frozenset(id(owner(leaf)) for array in inputs for leaf in leaves(array))
        self._ledger = Ledger(self._free)
        self._inputs = inputs
        self._facts: OrderedDict[int, tuple[ValueFacts | None, ...]] = OrderedDict()
        self._remote: OrderedDict[int, Arrays] = OrderedDict()
        self._remote_bytes = 0
        self.may_be_remote = False
        """Whether an executor computes values."""
        self.has_dropped = False
        """Whether any value was evicted."""

    @property
    def bytes(self) -> int:
        """Bytes of all buffers that stored values keep alive."""
        return self._ledger.bytes + self._small_bytes + self._loop_bytes

    def __contains__(self, key: int) -> bool:
        return key in self._values

    def __len__(self) -> int:
        return self._count

    def get(self, key: int) -> Arrays | None:
        """The values, if they are still stored."""
        found = self._values.get(key, self._remote.get(key))
        return self._of_loop(key) if found is None else found

    def facts(self, key: int) -> tuple[ValueFacts | None, ...]:
        """The facts of values of which some are remote; `None` of the others, and empty if all are arrays."""
        return self._facts.get(key, ())

    def lose(self) -> None:
        """Drop all remote values but their facts."""
        self._remote.clear()
        self._remote_bytes = 0

    def _of_loop(self, key: int) -> Arrays | None:
        """The values of an iteration, which are computed again."""
        process = key >> PROCESS_BITS << PROCESS_BITS
        loops = self._loops.get(process, [])
        number, is_frame = divmod(key - process, 2)
        first = (lambda loop: loop.told.frame) if is_frame else (lambda loop: loop.told.step)
        at = bisect_right(loops, number, key=first) - 1
        return loops[at].get(key) if at >= 0 else None

    def loops_of(self, base: int) -> Iterable[LoopValues]:
        """The loops of a process that ran at once."""
        return self._loops.get(base, ())

    def put_loop(self, values: LoopValues) -> None:
        """Store the values of iterations, or those of later iterations that were added to them; they are never evicted."""
        loops = self._loops[values.base]
        if loops and loops[-1] is values:
            self._loop_bytes += START_BYTES
        else:
            loops.append(values)
            self._loop_bytes += values.nbytes
        self._shrink()

    def put(self, key: int, arrays: Arrays) -> None:
        """Store `arrays`, then evict the oldest values to meet the budget; the newest always remain."""
        if key in self._values:
            self._values.move_to_end(key)
            return
        if self.may_be_remote and any(map(is_remote, arrays)):
            self._put_remote(key, arrays)
            return
        self._values[key] = arrays
        self._count += len(arrays)
        for array in arrays:
            self._hold(key, array)
        self._shrink()

    def put_each(self, keys: Iterable[int], arrays: Sequence[Array]) -> None:
        """Store an array for each of some new keys."""
        self._values.update(zip(keys, zip(arrays, strict=True), strict=True))
        self._count += len(arrays)
        small = 0
        for key, array in zip(keys, arrays, strict=True):
            if array.nbytes <= SMALL and array.base is None:
                small += array.nbytes
            else:
                self._hold(key, array)
        self._small_bytes += small
        self._shrink()

    def _put_remote(self, key: int, arrays: Arrays) -> None:
        """Keep the facts, and drop the oldest remote values; the first facts stay when values are computed again."""
        if key not in self._facts:
            self._facts[key] = tuple(map(remote_facts, arrays))
            while len(self._facts) * FACTS_BYTES > self.budget and len(self._facts) > 1:
                self._facts.popitem(last=False)
                self.has_dropped = True
        if key not in self._remote:
            self._remote_bytes += sum(array.nbytes for array in arrays)
        self._remote[key] = arrays
        self._remote.move_to_end(key)
        while self._remote_bytes > self.budget and len(self._remote) > 1:
            _, dropped = self._remote.popitem(last=False)
            self._remote_bytes -= sum(array.nbytes for array in dropped)

    def _shrink(self) -> None:
        while (
            self._ledger.bytes + self._small_bytes + self._loop_bytes + ENTRY_BYTES * self._count
            > self.budget
            and len(self._values) > 1
        ):
            self.has_dropped = True
            self._drop_oldest()

    def _hold(self, key: int, array: Array) -> None:
        if array.nbytes <= SMALL and array.base is None:
            self._small_bytes += array.nbytes
            return
        self._ledger.add(array)
        if array.dtype.hasobject:
            # A forwarded tuple is inspected once.
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
        """The buffers that a tuple's elements keep alive."""
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
        """Evict an array whose buffer no other value shares, the usual case; return False otherwise."""
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
        """Whether copies of the values under `keys` would be smaller than their buffer."""
        seen = 0
        # The first few of many values that share a buffer are usually representative.
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
        """`array`, or a copy if it is a view of `buffer`; tuples are rebuilt around copies."""
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
    """The arrays whose buffers a value keeps alive, including those in tuples."""
    return counted_leaves(array) if array.dtype.hasobject else (array,)
