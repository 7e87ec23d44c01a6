"""Results of one process, reused by others with exactly the same operand arrays.

Outside manual computations, the processes of a grid hold the same whole tensors and run the same ops on them.
Results are identified by the identity of their operands, as long as operands and results are alive.
"""

from dataclasses import dataclass
from weakref import ref

from .ops.core.op import Array
from .program import BoundOperation

_MOST = 8192
Key = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Computed:
    """The results of an op, and the processor flags that it raised."""

    results: tuple[Array, ...]
    raised: int


@dataclass(frozen=True, slots=True)
class _Known:
    operands: tuple[ref[Array], ...]
    results: tuple[ref[Array], ...]
    raised: int

    def lookup(self, operands: tuple[Array, ...]) -> tuple[Array, ...] | None:
        """The results, if still alive and computed from these operands."""
        if any(kept() is not array for kept, array in zip(self.operands, operands, strict=True)):
            return None
        results = tuple(kept() for kept in self.results)
        return None if any(array is None for array in results) else results  # type: ignore[return-value]


class SharedResults:
    """Results by op and operands."""

    def __init__(self) -> None:
        self._known: dict[Key, _Known] = {}
        self.hits = 0
        """Number of avoided computations."""

    def find(self, bound: BoundOperation, operands: tuple[Array, ...]) -> Computed | None:
        """Look up the results of an op for these operands."""
        known = self._known.get((bound.id, *map(id, operands)))
        found = known.lookup(operands) if known else None
        if known is None or found is None:
            return None
        self.hits += 1
        return Computed(found, known.raised)

    def keep(
        self, bound: BoundOperation, operands: tuple[Array, ...], results: tuple[Array, ...], raised: int = 0
    ) -> None:
        """Store the results of an op for these operands, with the processor's flags."""
        if len(self._known) >= _MOST:
            self._known = {key: known for key, known in self._known.items() if _is_alive(known)}
            if len(self._known) >= _MOST // 2:
                self._known.clear()
        key = (bound.id, *map(id, operands))
        self._known[key] = _Known(tuple(map(ref, operands)), tuple(map(ref, results)), raised)


def _is_alive(known: _Known) -> bool:
    return all(kept() is not None for kept in (*known.operands, *known.results))
