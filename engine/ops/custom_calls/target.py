"""What is known of one target of custom_call."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...errors import RunError
from ...indexing import IndexMap, OperandMap, shared_dimensions_map
from ...ir.types import TensorType
from ..op import Array, Ask, Callee

if TYPE_CHECKING:
    from .custom_call import CustomCall

Answer = Ask | tuple[Array, ...]
Run = Callable[["CustomCall", tuple[Array, ...]], Answer]
Maps = Callable[["CustomCall", bool], Iterator[OperandMap]]
"""Of the call, and whether the maps from operands to results are wanted."""


def _never(call: CustomCall, state: Any, answer: tuple[Array, ...]) -> Answer:
    raise AssertionError(f"@{call.call_target_name} asked for nothing")


def _nothing(call: CustomCall) -> tuple[Callee, ...]:
    return ()


@dataclass(frozen=True)
class Target:
    """How it runs. Its operands are tensors of at least the given ranks; `None` for any values."""

    run: Run
    least_ranks: tuple[int, ...] | None = None
    maps: Maps | None = None
    is_cubic: bool = False
    """Whether its work grows with the cube of its matrices' size."""
    resume: Callable[[CustomCall, Any, tuple[Array, ...]], Answer] = _never
    callees: Callable[[CustomCall], tuple[Callee, ...]] = _nothing

    def check_operands(self, call: CustomCall) -> None:
        """`RunError` unless there are as many operands, and of such ranks, as the target takes."""
        if self.least_ranks is None:
            return
        name, wanted = call.call_target_name, self.least_ranks
        need(len(call.inputs) == len(wanted), f"@{name} takes {len(wanted)} operands, not {len(call.inputs)}")
        for number, (found, rank) in enumerate(zip(call.inputs, wanted, strict=True)):
            fits = isinstance(found, TensorType) and found.rank >= rank
            need(fits, f"@{name}: operand {number} must have rank {rank} or more, not {found}")


def need(holds: bool, sentence: str) -> None:
    """`RunError` with the sentence unless it holds."""
    if not holds:
        raise RunError(sentence)


def identity_maps(call: CustomCall, inverse: bool) -> Iterator[OperandMap]:
    """Each result is the operand of its number."""
    for number, found in enumerate(call.inputs[: len(call.parts)]):
        if isinstance(found, TensorType):
            yield OperandMap(number, IndexMap.identity(found.sizes), number)


def batch_maps(*matrix_ranks: int) -> Maps:
    """Every result reads of each operand all that has its own place in the batch.

    `matrix_ranks` says how many of each operand's last dimensions are no batch; the results share the batch of
    the first operand.
    """

    def maps(call: CustomCall, inverse: bool) -> Iterator[OperandMap]:
        for number, operand in enumerate(call.inputs):
            for result, found in enumerate(call.parts):
                if not isinstance(operand, TensorType) or not isinstance(found, TensorType):
                    continue
                shared = {k: k for k in range(operand.rank - matrix_ranks[number])}
                source, target = (operand, found) if inverse else (found, operand)
                yield OperandMap(number, shared_dimensions_map(source.sizes, target.sizes, shared), result)

    return maps
