"""What tells that an operation of one program is an operation of another: its name, its origin, its type, its value."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from ..debugger.address import Address
from ..debugger.recording import Recording
from ..ir.locations import FileLocation, FusedLocation, Location, NameLocation
from ..ir.types import TensorType, Type
from ..ops.core.op import Array
from ..ops.core.values import is_tuple
from ..program import BoundOperation, BoundProgram
from .elements import is_float, nan_mask, words_of

LEAST_ELEMENTS = 4
"""Values of fewer elements are equal by chance."""
LEAST_DISTINCT = 3
"""So are values of fewer different elements: zeros, masks."""
_SAMPLE = 4096
_NEAR = 64
"""Elements by which values are held against each other that are not equal."""


@dataclass(frozen=True)
class Identity:
    """What the text says of an operation."""

    name: str
    """The name of its first result, without numbers that tools append: `multiply.7.clone` is one of its own."""
    op: str
    """The op's name in StableHLO, in whatever language the text is."""
    type: str
    """The shapes of its results and what kind of elements they have: floats of any width are the same."""
    scope: str
    """Its `op_name`, or the name in its location."""
    frames: tuple[FileLocation, ...]
    """Where in the user's source it comes from, the innermost call first."""

    @property
    def has_origin(self) -> bool:
        """Whether it says where it comes from."""
        return bool(self.scope or self.frames)


def identities(program: BoundProgram) -> Mapping[int, Identity]:
    """The identities of all operations that have results, by number."""
    return {bound.id: identity_of(bound) for bound in program.ops if bound.operation.results}


def identity_of(bound: BoundOperation) -> Identity:
    """What the text says of an operation with results."""
    operation = bound.operation
    types = ", ".join(_type_text(value.type) for value in operation.results)
    location = operation.location
    return Identity(
        operation.results[0].name,
        bound.op.unpacked.name,
        types,
        scope_of(location),
        tuple(location.files()) if location else (),
    )


def _type_text(found: Type) -> str:
    return (
        f"{found.spelled_shape()}{found.element_type.kind}" if isinstance(found, TensorType) else str(found)
    )


def scope_of(location: Location | None) -> str:
    """The name in a location: what HLO text calls `op_name`; empty where there is none."""
    while location is not None:
        if isinstance(location, NameLocation):
            return location.name
        location = (
            location.locations[0] if isinstance(location, FusedLocation) and location.locations else None
        )
    return ""


Digest = tuple[str, tuple[int, ...], bytes]


@dataclass(frozen=True)
class Print:
    """The value that an operation made when it first ran."""

    bits: Digest
    """Equal where type, shape and all elements are equal, NaN to NaN."""
    elements: Digest
    """Equal where the elements are the same in any shape and order."""
    sample: tuple[Hashable, NDArray[np.float64]] | None = None
    """Of floats: what values that may be near each other share, and some of the elements."""


def prints(recording: Recording) -> Mapping[int, Print]:
    """The values of operations of process 0 that say something, by number: no constants, nothing tiny, no masks."""
    track, program = recording.tracks[0], recording.program
    ops, first = np.unique(track.op_column, return_index=True)
    found = {}
    for op, step in zip(ops.tolist(), first.tolist(), strict=True):
        bound = program.ops[op]
        if not bound.results or not bound.operands or track.finish_of(step) is None:
            continue
        value = recording.value(Address(0, "s", step, 0))
        if not is_tuple(value) and is_telling(value):
            found[op] = print_of(value)
    return found


def is_telling(value: Array) -> bool:
    """Whether an equal value elsewhere is no coincidence."""
    if value.size < LEAST_ELEMENTS:
        return False
    flat = words_of(value.reshape(-1)[:: max(1, value.size // _SAMPLE)])
    return len(np.unique(flat)) >= LEAST_DISTINCT


def print_of(value: Array) -> Print:
    """The digests of a value that is no tuple."""
    words = words_of(value)
    bad = nan_mask(value).reshape(-1)
    if bad.any():
        words = words.copy()
        words[bad] = np.iinfo(words.dtype).max
    kind = str(value.dtype)
    ordered = np.sort(words.reshape(-1)) if words.ndim == 1 else words[np.lexsort(words.T)]
    return Print(
        (kind, value.shape, _digest(words)), (kind, (value.size,), _digest(ordered)), _sample_of(value)
    )


def _sample_of(value: Array) -> tuple[Hashable, NDArray[np.float64]] | None:
    if not is_float(value.dtype):
        return None
    flat = value.reshape(-1)
    chosen = flat[np.linspace(0, flat.size - 1, min(flat.size, _NEAR)).astype(np.int64)]
    return value.shape, np.nan_to_num(chosen.astype(np.float64), posinf=0.0, neginf=0.0)


def _digest(words: Array) -> bytes:
    return blake2b(np.ascontiguousarray(words).data, digest_size=16).digest()
