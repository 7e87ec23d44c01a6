"""Errors that stop a run: exceeded limits, and results that differ from their types."""

from collections.abc import Sequence

from .entry import fits
from .errors import LimitError, ProgramError, RunError
from .ir.hlo_wording import in_hlo_words
from .ir.types import TensorType
from .limits import Limits
from .ops.core.op import Array
from .program import BoundOperation, BoundProgram


def may_exceed(program: BoundProgram, limits: Limits) -> bool:
    """Whether some op may exceed a limit by its types alone, which a run then looks at step by step."""
    costs = program.derive(_costs)
    return costs is None or costs[0] > limits.op_flops or costs[1] > limits.max_tensor_bytes


def _costs(program: BoundProgram) -> tuple[int, int] | None:
    """The most scalar operations and the most bytes of an op; `None` if types alone do not tell."""
    if any(bound.special for bound in program.ops):
        return None
    flops, sizes = (bound.cost.flops for bound in program.ops), (bound.bytes for bound in program.ops)
    return max(flops, default=0), max(sizes, default=0)


def check_cost(bound: BoundOperation, limits: Limits) -> None:
    """Raise `LimitError` for an op whose cost, from types alone, exceeds a limit."""
    cost = bound.cost
    if cost.flops > limits.op_flops:
        raise _limit_error(bound, "op_flops", f"needs {cost.flops:,} scalar operations", limits.op_flops)
    if bound.bytes > limits.max_tensor_bytes:
        made = f"makes {bound.bytes:,} bytes"
        raise _limit_error(bound, "max_tensor_bytes", made, limits.max_tensor_bytes)


def out_of_memory(bound: BoundOperation, limits: Limits) -> LimitError:
    """The error for a run whose tensors exceed the memory limit."""
    limit = limits.session_memory_bytes
    return _limit_error(bound, "session_memory_bytes", "leaves the run with more live bytes", limit)


def too_deep(opener: BoundOperation, limits: Limits) -> LimitError:
    """The error for too many nested functions and regions."""
    limit = limits.call_depth_limit
    return LimitError(
        f"more than call_depth_limit = {limit} functions and regions are nested",
        opener.operation.name_span,
        op=opener.operation.spelled,
        label="call_depth_limit",
        hint="does a function call itself without end?",
    )


def _limit_error(bound: BoundOperation, limit: str, need: str, allowed: int) -> LimitError:
    return LimitError(
        f"{need}, more than the limit {limit} = {allowed:,}",
        bound.operation.name_span,
        op=bound.operation.spelled,
        label=limit,
        hint=f"use smaller tensors, or start hloscope with --set {limit}=… if this machine has enough memory",
    )


def attribute_error(error: ProgramError, bound: BoundOperation) -> ProgramError:
    """`error` attributed to the operation `bound`."""
    error.op, error.span = bound.operation.spelled, bound.operation.name_span
    if bound.operation.opcode:
        error.message = in_hlo_words(error.message)
    return error


def check_results(bound: BoundOperation, results: Sequence[Array]) -> None:
    """Raise `RunError` if a result does not have its declared type."""
    for number, (value, array) in enumerate(zip(bound.operation.results, results, strict=True)):
        if isinstance(value.type, TensorType) and not fits(array, value.type):
            name = "the result" if len(results) == 1 else f"result {number}"
            found = value.type.with_shape(array.shape)
            raise attribute_error(RunError(f"{name} is {found}, but is declared as {value.type}"), bound)
