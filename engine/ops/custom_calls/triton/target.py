"""`__gpu$xla.gpu.triton`, as Pallas calls kernels on GPUs: the setting `ir` is the kernel, in MLIR's bytecode.

The engine itself does not read bytecode: code around it makes the target with a function that does (`added_targets`).
The kernel's arguments are the addresses of the operands, then of the results; a result that shares an operand's memory
starts with its elements.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from math import prod
from typing import Any

import numpy as np

from ....errors import UnboundResults
from ....indexing import OperandMap
from ....ir.attributes import DenseAttribute, OpaqueAttribute
from ....ir.types import TensorType
from ...core.facets import Part
from ...core.op import Array
from ..call import Call
from ..target import Answer, Target, need, static_tensor
from ..target_maps import no_dimensions, shared_maps
from .interpreter import Launch, exchanges, leaves_out, unknown_operations
from .kernel import Kernel, KernelType, kernel_of
from .memory import APART, HINT, Buffer, Memory

TRITON = "__gpu$xla.gpu.triton"
_LAYOUT = re.compile(r"\{([\d,]*)\}")
_FEWEST_BITS = 8
_KEPT = 256
Reader = Callable[[bytes], str]


def triton_target(read: Reader) -> Target:
    """The target, with a function that describes a kernel by its bytecode; it raises `ValueError` if it cannot."""

    @lru_cache(_KEPT)
    def kernel(code: bytes) -> Kernel:
        return _checked(kernel_of(read(code)))

    return Target(
        partial(_run, kernel),
        maps=_maps,
        covers=lambda call: bool(_code(call)),
        rounded=partial(_run, kernel, rounds_factors=True),
    )


def _code(call: Call) -> bytes:
    """The kernel's bytecode; empty without any."""
    found = call.setting("ir")
    return found.encode("utf-8", "surrogateescape") if isinstance(found, str) else b""


def _checked(kernel: Kernel) -> Kernel:
    unknown = unknown_operations(kernel)
    if unknown:
        raise ValueError(f"hloscope does not compute {', '.join(unknown)} of kernel {kernel.name}")
    return kernel


@dataclass(frozen=True)
class _Launching:
    """A call with its kernel and the sizes of its grid."""

    call: Call
    kernel: Kernel
    grid: tuple[int, int, int]

    def results(self, operands: tuple[Array, ...], **how: Any) -> tuple[Array, ...]:
        """The results, after all programs have run."""
        buffers, places = self._buffers(operands)
        arguments = [np.array((place + 1) * APART, np.int64) for place in (*range(len(operands)), *places)]
        Launch(self.kernel, self.grid, Memory(buffers), arguments, **how).run()
        return tuple(self._result(number, buffers[place]) for number, place in enumerate(places))

    def _buffers(self, operands: tuple[Array, ...]) -> tuple[list[Buffer], list[int]]:
        """The memory: a buffer for each operand, then for each result without an operand; the places of the results."""
        shared = [self._shared(number) for number in range(len(self.call.parts))]
        places: list[int] = []
        buffers = [_buffer_of(number, operand) for number, operand in enumerate(operands)]
        for number, part in enumerate(shared):
            if part is None:
                places.append(len(buffers))
                buffers.append(self._empty(number))
            else:
                places.append(part[0])
                buffers[part[0]] = _buffer_of(part[0], operands[part[0]], is_result=True)
        return buffers, places

    def _shared(self, number: int) -> Part | None:
        """The part of the operands whose memory a result shares."""
        result, path = (0, (number,)) if self.call.is_one_tuple else (number, ())
        return self.call.storage.shared_part(self.call, result, path)

    def _empty(self, number: int) -> Buffer:
        found = static_tensor(self.call, number)
        count = prod(found.sizes)
        values = np.zeros(count, found.element_type.dtype)
        return Buffer(f"result {number}", values, True, np.zeros(count, np.bool_))

    def _result(self, number: int, buffer: Buffer) -> Array:
        """The elements of a buffer as a result; `UnboundResults` if the kernel leaves some without a value."""
        found = static_tensor(self.call, number)
        missing = np.flatnonzero(~buffer.written)
        if missing.size:
            raise UnboundResults(
                f"kernel {self.kernel.name} leaves {missing.size:,} of {buffer.written.size:,} elements of "
                f"result {number} without a value, the first is element {missing[0]:,}",
                hint=HINT,
            )
        return buffer.values.reshape(found.sizes)


def _buffer_of(number: int, operand: Array, *, is_result: bool = False) -> Buffer:
    flat = np.ascontiguousarray(operand).reshape(-1)
    return Buffer(
        f"operand {number}", flat.copy() if is_result else flat, is_result, np.ones(flat.size, np.bool_)
    )


def _run(
    kernel_by_code: Callable[[bytes], Kernel],
    call: Call,
    operands: tuple[Array, ...],
    *,
    rounds_factors: bool = False,
) -> Answer:
    """The results, computed twice where a mask leaves elements out of a load: they must not depend on these."""
    kernel = _kernel(kernel_by_code, call)
    _check_arguments(call, kernel, operands)
    if rounds_factors and _takes_turns(kernel):
        raise UnboundResults(f"kernel {kernel.name} has results that depend on the order of programs")
    launching = _Launching(call, kernel, _grid(call))
    found = launching.results(operands, rounds_factors=rounds_factors)
    if any(map(leaves_out, kernel.operations)):
        again = launching.results(operands, rounds_factors=rounds_factors, unread=1)
        if any(one.tobytes() != other.tobytes() for one, other in zip(found, again, strict=True)):
            sentence = "has results that depend on elements which a mask leaves out of a load"
            raise UnboundResults(f"kernel {kernel.name} {sentence}, without `other`", hint=HINT)
    return found


def _grid(call: Call) -> tuple[int, int, int]:
    """The number of programs along each of three axes, 1 where none is stated."""
    stated = [call.settings.get(f"grid_{axis}", 1) for axis in "xyz"]
    need(all(type(size) is int and size > 0 for size in stated), f"@{TRITON}: no grid has the sizes {stated}")
    return stated[0], stated[1], stated[2]


def _takes_turns(kernel: Kernel) -> bool:
    """Whether the order of programs decides results: what an element was before an atomic, or the last of exchanges."""
    return any(
        op.name == "tt.atomic_rmw" and (exchanges(op) or not kernel.read_values.isdisjoint(op.results))
        for op in kernel.operations
    )


def _kernel(kernel_by_code: Callable[[bytes], Kernel], call: Call) -> Kernel:
    try:
        return kernel_by_code(_code(call))
    except ValueError as error:
        sentence = f"custom_call @{TRITON} runs a Triton kernel that cannot be computed here"
        raise UnboundResults(f"{sentence}: {error}", hint=HINT) from None


def _check_arguments(call: Call, kernel: Kernel, operands: tuple[Array, ...]) -> None:
    """`RunError` unless operands and results have the types of the kernel's pointers, and rows lie behind each other."""
    given = (*call.inputs, *call.parts)
    count = len(kernel.arguments)
    need(len(given) == count, f"kernel {kernel.name} takes {count} pointers, not {len(given)}")
    for number, (wanted, stated) in enumerate(zip(kernel.arguments, given, strict=True)):
        name = f"operand {number}" if number < len(operands) else f"result {number - len(operands)}"
        fits = isinstance(stated, TensorType) and _points_to(wanted, stated)
        need(fits, f"kernel {kernel.name} takes {wanted} for {name}, which is {stated}")
    for operand, stated in zip(operands, call.inputs, strict=True):
        fits = isinstance(stated, TensorType) and operand.dtype == stated.element_type.dtype
        need(fits, f"kernel {kernel.name} has no operand of {operand.dtype}")
    need(
        all(map(_is_by_rows, _layouts(call))), f"@{TRITON}: hloscope takes operands and results by rows alone"
    )


def _points_to(wanted: KernelType, stated: TensorType) -> bool:
    """Whether a pointer is to such elements; the kernel's integers have no sign, and its own types are bytes or more."""
    found = stated.element_type
    is_whole = found.kind == "boolean" or found.bits >= _FEWEST_BITS
    return wanted.is_pointer and is_whole and wanted.element == found.name.removeprefix("u")


def _layouts(call: Call) -> Iterator[list[int]]:
    """The stated orders of dimensions, the fastest first."""
    for stated in (call.operand_layouts, call.result_layouts):
        for layout in stated.elements if stated else ():
            yield layout.data.reshape(-1).tolist() if isinstance(layout, DenseAttribute) else []
    constraints = call.attributes.get("operand_layout_constraints")
    for found in _LAYOUT.findall(constraints.text if isinstance(constraints, OpaqueAttribute) else ""):
        yield list(map(int, filter(None, found.split(","))))


def _is_by_rows(layout: list[int]) -> bool:
    return len(layout) < 2 or layout == sorted(layout, reverse=True)


def _maps(call: Call, inverse: bool) -> Iterator[OperandMap]:
    """Each element of each result may depend on all elements of each operand: the kernel's addresses decide."""
    for result in range(len(call.parts)):
        for operand in range(len(call.inputs)):
            yield from shared_maps(call, inverse, operand, result, no_dimensions, enclosing=True)
