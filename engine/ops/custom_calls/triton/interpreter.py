"""Runs a kernel for each program of its grid, one after another, on NumPy arrays.

A tensor is an array, a scalar one of rank 0; a pointer is an address of `memory`. `tt.dot` multiplies in f32 whatever
`inputPrecision` says, unless `rounds_factors` makes it round as the device may.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from ....errors import RunError
from ....ir.element_types import ELEMENT_TYPES, ElementType
from ...core.blas import multiply_matrices
from ...core.numeric import apply_wide, round_to, widen
from ...core.op import Array
from ...core.quiet import quiet
from .arithmetic import ARITHMETIC, library_function, unsigned
from .kernel import Kernel, KernelBlock, KernelOp
from .memory import Memory

MOST_ITERATIONS = 1 << 24
"""Maximum iterations of a loop of one program."""
_IEEE = 2
"""The `inputPrecision` of a product that does not round its f32 factors; it is the default."""
_NEAREST = 1
"""The `rounding` to nearest even; the other one is towards zero."""
_TENSOR_FLOAT = ELEMENT_TYPES["tf32"]


@dataclass
class Launch:
    """One launch of a kernel on a grid of programs; `at` is the program that runs."""

    kernel: Kernel
    grid: tuple[int, int, int]
    memory: Memory
    arguments: Sequence[Array]
    """The addresses of the operands, then of the results."""
    rounds_factors: bool = False
    """Whether products round f32 factors to TF32 where the kernel says so."""
    unread: int = 0
    """What a load without `other` gives where its mask is false; a device promises nothing."""
    at: tuple[int, int, int] = (0, 0, 0)
    values: list[Any] = field(default_factory=list)

    def run(self) -> None:
        """Run all programs; `RunError` names the kernel, the program and the operation that fails."""
        self.values = [None] * self.kernel.value_count
        with quiet():
            for number, (z, y, x) in enumerate(product(*map(range, reversed(self.grid)))):
                self.memory.program, self.at = number, (x, y, z)
                self.block(self.kernel.body, self.arguments)

    def block(self, block: KernelBlock, arguments: Sequence[Array]) -> tuple[Array, ...]:
        """The values that the last operation of the block hands on."""
        values = self.values
        for number, value in zip(block.arguments, arguments, strict=True):
            values[number] = value
        given: tuple[Array, ...] = ()
        for op in block.operations:
            given = tuple(values[number] for number in op.operands)
            found = FUNCTIONS[op.name](self, op, *given)
            results = found if isinstance(found, tuple) else (found,)
            for number, value in zip(op.results, results, strict=False):
                values[number] = value
        return given

    def where(self, op: KernelOp) -> str:
        """The place of an operation, for messages."""
        return f"kernel {self.kernel.name}, program {self.at}, {op.name}"

    def endless(self, op: KernelOp) -> RunError:
        return RunError(f"{self.where(op)}: it runs for more than {MOST_ITERATIONS:,} iterations")


def _constant(_: Launch, op: KernelOp) -> Array:
    found, stated = op.types[0], op.attributes["value"]
    value = np.array(stated).astype(found.dtype)
    return value.reshape(found.shape) if isinstance(stated, list) else np.broadcast_to(value, found.shape)


def _broadcast(_: Launch, op: KernelOp, value: Array) -> Array:
    return np.broadcast_to(value, op.types[0].shape)


def _address(_: Launch, op: KernelOp, pointer: Array, offset: Array) -> Array:
    pointee = op.types[0].pointee
    assert pointee is not None
    return np.asarray(pointer + offset.astype(np.int64) * pointee.dtype.itemsize)


def _unchanged(_: Launch, op: KernelOp, value: Array) -> Array:
    return value


def _load(
    launch: Launch, op: KernelOp, pointers: Array, mask: Array | None = None, other: Array | None = None
) -> Array:
    """The elements at the pointers, or `other` where the mask is false."""
    launch.memory.at = launch.where(op)
    found, flat = op.types[0], pointers.reshape(-1)
    if mask is None:
        return launch.memory.load(flat, found.dtype).reshape(found.shape)
    chosen = mask.reshape(-1)
    rest = np.array(launch.unread).astype(found.dtype) if other is None else other.reshape(-1)
    value = np.broadcast_to(rest, flat.shape).copy()
    value[chosen] = launch.memory.load(flat[chosen], found.dtype)
    return value.reshape(found.shape)


def leaves_out(op: KernelOp) -> bool:
    """Whether the operation is a load with a mask and without `other`."""
    return op.name == "tt.load" and len(op.operands) == 2


def _store(launch: Launch, op: KernelOp, pointers: Array, value: Array, mask: Array | None = None) -> None:
    launch.memory.at = launch.where(op)
    flat, stored = pointers.reshape(-1), np.ascontiguousarray(value).reshape(-1)
    if mask is not None:
        chosen = mask.reshape(-1)
        flat, stored = flat[chosen], stored[chosen]
    launch.memory.store(flat, stored)


_EXCHANGE = 10
_CHANGES: Mapping[int, Callable[..., Any]] = {
    1: np.bitwise_and,
    2: np.bitwise_or,
    3: np.bitwise_xor,
    4: np.add,
    5: np.add,
    6: np.maximum,
    7: np.minimum,
    8: unsigned(np.maximum),
    9: unsigned(np.minimum),
    _EXCHANGE: lambda _, new: new,
}
"""The changes of atomics by Triton's numbers: and, or, xor, add, fadd, max, min, umax, umin, exch."""


def _atomic(launch: Launch, op: KernelOp, pointers: Array, value: Array, mask: Array | None = None) -> Array:
    """Change one element after another; returns what each was, and 0 where the mask is false."""
    launch.memory.at = launch.where(op)
    found, change = op.types[0].element_type, _CHANGES[op.attributes["atomic_rmw_op"]]
    before = np.zeros(pointers.shape, found.dtype)
    for index in np.ndindex(pointers.shape):
        if mask is None or mask[index]:
            changed = partial(_changed, change, found, np.asarray(value[index]))
            before[index] = launch.memory.update(int(pointers[index]), found.dtype, changed)
    return before


def exchanges(op: KernelOp) -> bool:
    """Whether an atomic stores its operand whatever the element is."""
    return bool(op.attributes["atomic_rmw_op"] == _EXCHANGE)


def _changed(change: Callable[..., Any], found: ElementType, value: Array, before: Any) -> Array:
    return apply_wide(change, (np.asarray(before), value), found)


def _dot(launch: Launch, op: KernelOp, lhs: Array, rhs: Array, start: Array) -> Array:
    """The product, added to `start`: floats in f32 or f64, integers in the type of the result."""
    found = op.types[0].element_type
    if found.is_float:
        if launch.rounds_factors and _may_round_factors(op):
            lhs, rhs = (round_to(factor, _TENSOR_FLOAT) for factor in (lhs, rhs))
        made = multiply_matrices(widen(lhs), widen(rhs)) + widen(start)
    else:
        made = multiply_matrices(lhs.astype(found.dtype), rhs.astype(found.dtype)) + start
    return round_to(np.asarray(made), found)


def _may_round_factors(op: KernelOp) -> bool:
    """Whether the operation is a product whose f32 factors a device rounds to TF32."""
    is_f32 = op.name == "tt.dot" and op.operand_types[0].element == "f32"
    return is_f32 and op.attributes.get("inputPrecision", _IEEE) != _IEEE


def _reduce(launch: Launch, op: KernelOp, *operands: Array) -> tuple[Array, ...]:
    """The combination of all elements along an axis, neighbours first, then pairs, as the region says."""
    parts = [np.moveaxis(operand, op.attributes["axis"], 0) for operand in operands]
    while len(parts[0]) > 1:
        even = len(parts[0]) // 2 * 2
        made = launch.block(op.regions[0], [*(p[0:even:2] for p in parts), *(p[1:even:2] for p in parts)])
        parts = [np.concatenate([pair, p[even:]]) for pair, p in zip(made, parts, strict=True)]
    return tuple(part[0, ...] for part in parts)


def _scan(launch: Launch, op: KernelOp, *operands: Array) -> tuple[Array, ...]:
    """Each element combined with all before it along an axis, or with `reverse` with all after it."""
    axis, step = op.attributes["axis"], -1 if op.attributes.get("reverse") else 1
    rows = [np.moveaxis(operand, axis, 0)[::step] for operand in operands]
    made = [tuple(part[0, ...] for part in rows)]
    for number in range(1, len(rows[0])):
        made.append(launch.block(op.regions[0], [*made[-1], *(part[number, ...] for part in rows)]))
    return tuple(np.moveaxis(np.stack(each)[::step], 0, axis) for each in zip(*made, strict=True))


def _for(
    launch: Launch, op: KernelOp, first: Array, end: Array, step: Array, *carried: Array
) -> tuple[Array, ...]:
    numbers = range(int(first), int(end), max(1, int(step)))
    if len(numbers) > MOST_ITERATIONS:
        raise launch.endless(op)
    for number in numbers:
        carried = launch.block(op.regions[0], (np.array(number, first.dtype), *carried))
    return carried


def _if(launch: Launch, op: KernelOp, condition: Array) -> tuple[Array, ...]:
    region = op.regions[0 if condition else 1]
    return launch.block(region, ())


def _while(launch: Launch, op: KernelOp, *carried: Array) -> tuple[Array, ...]:
    for _ in range(MOST_ITERATIONS):
        goes_on, *handed = launch.block(op.regions[0], carried)
        if not goes_on:
            return tuple(handed)
        carried = launch.block(op.regions[1], handed)
    raise launch.endless(op)


def _library(_: Launch, op: KernelOp, *operands: Array) -> Array:
    function = library_function(op.attributes["symbol"])
    assert function is not None, "the kernel was checked before it ran"
    return function(op, *operands)


def _nothing(_: Launch, op: KernelOp, *operands: Array) -> None:
    """The end of a region, whose operands are what it hands on; what a kernel prints is not shown."""


def _of_elements(function: Callable[..., Array]) -> Callable[..., Array]:
    return lambda launch, op, *operands: function(op, *operands)


FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    **{name: _of_elements(function) for name, function in ARITHMETIC.items()},
    "arith.constant": _constant,
    "tt.get_program_id": lambda launch, op: np.array(launch.at[op.attributes["axis"]], np.int32),
    "tt.get_num_programs": lambda launch, op: np.array(launch.grid[op.attributes["axis"]], np.int32),
    "tt.make_range": lambda _, op: np.arange(op.attributes["start"], op.attributes["end"], dtype=np.int32),
    "tt.splat": _broadcast,
    "tt.broadcast": _broadcast,
    "tt.expand_dims": lambda _, op, value: np.expand_dims(value, op.attributes["axis"]),
    "tt.reshape": lambda _, op, value: value.reshape(op.types[0].shape),
    "tt.trans": lambda _, op, value: np.transpose(value, op.attributes["order"]),
    "tt.join": lambda _, op, one, other: np.stack([one, other], axis=-1),
    "tt.split": lambda _, op, value: (value[..., 0], value[..., 1]),
    "tt.cat": lambda _, op, one, other: np.concatenate([one, other]),
    "tt.addptr": _address,
    "tt.ptr_to_int": _unchanged,
    "tt.int_to_ptr": _unchanged,
    "tt.load": _load,
    "tt.store": _store,
    "tt.atomic_rmw": _atomic,
    "tt.dot": _dot,
    "tt.reduce": _reduce,
    "tt.scan": _scan,
    "tt.extern_elementwise": _library,
    "scf.for": _for,
    "scf.if": _if,
    "scf.while": _while,
    **dict.fromkeys(
        ("scf.yield", "scf.condition", "tt.reduce.return", "tt.scan.return", "tt.return", "tt.print"),
        _nothing,
    ),
}
"""What each operation does: of the launch, the operation and its operands."""


def unknown_operations(kernel: Kernel) -> list[str]:
    """The operations of a kernel that are not computed, each once."""
    found = [op.described for op in kernel.operations if not _is_known(op)]
    return list(dict.fromkeys(found))


def _is_known(op: KernelOp) -> bool:
    if op.name == "tt.extern_elementwise":
        return library_function(op.attributes["symbol"]) is not None
    if op.attributes.get("rounding", _NEAREST) != _NEAREST:
        return False
    has_types = all(found.pointee is not None for found in (*op.operand_types, *op.types))
    return op.name in FUNCTIONS and has_types
