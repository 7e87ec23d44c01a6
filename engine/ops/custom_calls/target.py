"""A target of custom_call, and helpers for writing one."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from ...errors import RunError
from ...indexing import UNDEFINED, IndexMap, OperandMap, shared_dimensions_map
from ...ir.module import Module
from ...ir.types import TensorType
from ..checking import first_broken_constraint
from ..core.exchanges import GridPosition
from ..core.op import Array, Ask, Callee, Op
from .call import Call
from .target_maps import Maps

AnyOp = TypeVar("AnyOp", bound=Op)
Answer = Ask | tuple[Array, ...]
Run = Callable[[Call, tuple[Array, ...]], Answer]


def _never(call: Call, state: Any, answer: tuple[Array, ...]) -> Answer:
    raise AssertionError(f"@{call.call_target_name} asked for nothing")


@dataclass(frozen=True)
class Target:
    """A target. `least_ranks` are the minimum ranks of its operands, all tensors; `None` allows any values."""

    run: Run
    least_ranks: tuple[int, ...] | None = None
    maps: Maps | None = None
    is_cubic: bool = False
    """Whether its work grows with the cube of the size of its matrices."""
    twin: Callable[[Call], Op | None] = lambda call: None
    """The op on the first operands that does most of the work; the target has its index maps and its cost."""
    instead: Callable[[Call], Op | None] = lambda call: None
    """The op that replaces the call, where the target is an op under another name."""
    static: Callable[[Call, tuple[Array, ...]], Op] | None = None
    """The op that runs the call's bodies on elements, for known values of the operands."""
    others: Maps | None = None
    """The maps of the operands after those of `twin`."""
    resume: Callable[[Call, Any, tuple[Array, ...]], Answer] = _never
    callees: Callable[[Call], tuple[Callee, ...]] = lambda call: ()
    linked: Callable[[Call, Module], Call] = lambda call, module: call
    """The call, completed with facts about the module."""
    failure: str = ""
    """What it means that a result of integers is not 0: `{0} is not positive definite`."""
    packs_triangles: bool = False
    """Whether its first result holds two factors: one below the diagonal, one from the diagonal on."""
    orders: bool = False
    """Whether it determines the order of elements."""
    joins: bool = False
    """Whether processes join their parts in a collective execution, if it is known which process holds which."""
    process_values: Callable[[Call, GridPosition], tuple[Array, ...]] = lambda call, place: ()
    """The process values that the maps read, and their names."""
    auxiliary_names: Callable[[Call], tuple[str, ...]] = lambda call: ()
    flops: Callable[[Call], int] | None = None
    """The operations on elements, where there is no twin."""
    covers: Callable[[Call], bool] = lambda call: True
    """Whether the target computes the call with its settings; any other call is code outside the program."""
    rounded: Run | None = None
    """`run` with what a device may round besides, for the bounds of errors."""
    record: type[Any] | None = None
    """The record of attributes that only this target reads."""

    def check_operands(self, call: Call) -> None:
        """Raise `RunError` unless the operands have the number and the ranks that the target takes."""
        if self.least_ranks is None:
            return
        name, wanted = call.call_target_name, self.least_ranks
        need(len(call.inputs) == len(wanted), f"@{name} takes {len(wanted)} operands, not {len(call.inputs)}")
        for number, (found, rank) in enumerate(zip(call.inputs, wanted, strict=True)):
            fits = isinstance(found, TensorType) and found.rank >= rank
            need(fits, f"@{name}: operand {number} must have rank {rank} or more, not {found}")


def need(holds: bool, sentence: str) -> None:
    """Raise `RunError` with `sentence` unless `holds`."""
    if not holds:
        raise RunError(sentence)


def check_op(call: Call, op: AnyOp) -> AnyOp:
    """`op`, which replaces the call; `RunError` if it breaks one of its constraints."""
    broken = first_broken_constraint(op)
    need(broken is None, f"@{call.call_target_name}: {broken[1] if broken else ''}")
    return op


def static_tensor(call: Call, number: int) -> TensorType:
    """The type of a result; `RunError` unless it is a tensor of known sizes."""
    found = call.parts[number] if number < len(call.parts) else None
    if not (isinstance(found, TensorType) and found.is_static):
        name = call.call_target_name
        raise RunError(f"@{name}: result {number} must be a tensor of known sizes, not {found or 'missing'}")
    return found


def with_workspace(call: Call, found: list[Array]) -> tuple[Array, ...]:
    """`found`, and zeros for the results after them, which are the library's workspace."""
    rest = (static_tensor(call, number) for number in range(len(found), len(call.parts)))
    return (*found, *(np.broadcast_to(np.zeros((), t.element_type.dtype), t.sizes) for t in rest))


def identity_maps(call: Call, inverse: bool) -> Iterator[OperandMap]:
    """Each result equals the operand of its number."""
    for number, found in enumerate(call.inputs[: len(call.parts)]):
        if isinstance(found, TensorType):
            yield OperandMap(number, IndexMap.identity(found.sizes) if found.is_static else UNDEFINED, number)


def batch_maps(*matrix_ranks: int, enclosing: bool = False) -> Maps:
    """Each element of a result reads all elements of an operand at the same position in the batch.

    `matrix_ranks` has the number of each operand's last dimensions that are not batch dimensions; the results share
    the batch of the first operand. Types that do not fit, which stop a run, have undefined maps. `enclosing` marks
    results that need not depend on each element of a matrix: a routine may read one triangle, or skip a column.
    """

    def maps(call: Call, inverse: bool) -> Iterator[OperandMap]:
        for (number, operand), rank in zip(enumerate(call.inputs), matrix_ranks, strict=False):
            for result, found in enumerate(call.parts):
                if not isinstance(operand, TensorType) or not isinstance(found, TensorType):
                    continue
                batch = operand.shape[: max(0, operand.rank - rank)]
                fits = operand.is_static and found.is_static and found.shape[: len(batch)] == batch
                if not fits:
                    yield OperandMap(number, UNDEFINED, result)
                    continue
                shared = {k: k for k in range(len(batch))}
                index_map = shared_dimensions_map(found.sizes, operand.sizes, shared, inverse=inverse)
                yield OperandMap(number, index_map, result, enclosing=enclosing)

    return maps
