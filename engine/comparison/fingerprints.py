"""Fingerprints of operations: name, source location, type and value."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from ..debugger.address import Address
from ..debugger.recording import Recording
from ..ir.attributes import OpaqueAttribute, StringAttribute
from ..ir.locations import FileLocation, FusedLocation, Location, NameLocation
from ..ir.module import Operation
from ..ir.types import TensorType, TupleType, Type
from ..ops.core.op import Array
from ..ops.core.values import is_tuple
from ..passes.original_values import Leaf, read_originals
from ..program import BoundOperation, BoundProgram
from .elements import is_float, nan_mask, words_of

LEAST_ELEMENTS = 4
"""Minimum number of elements of a value whose equality is no coincidence."""
LEAST_DISTINCT = 3
"""Minimum number of distinct elements of such a value; excludes zeros and masks."""
ORIGINAL_VALUE = ("mhlo.original_value", "mhlo.origin", "original_value", "origin")
_SAMPLE = 4096
_NEAR = 64
"""Number of elements that are compared for closeness."""


@dataclass(frozen=True)
class Identity:
    """The identity of an operation, from the text."""

    name: str
    """Name of the first result, without suffixes that tools append (`multiply.7.clone`)."""
    op: str
    """StableHLO name of the op, in either language."""
    type: str
    """Result shapes and kinds of elements; floats of any width are the same kind."""
    scope: str
    """`op_name`, or the name in the location."""
    frames: tuple[FileLocation, ...]
    """Source locations, innermost call first."""
    originals: tuple[Leaf, ...] = ()
    """The original values that XLA notes."""

    @property
    def has_origin(self) -> bool:
        """Whether a source location or scope is known."""
        return bool(self.scope or self.frames)


def identities(program: BoundProgram) -> Mapping[int, Identity]:
    """Identities of all operations with results, by number."""
    return {bound.id: identity_of(bound) for bound in program.ops if bound.operation.results}


def identity_of(bound: BoundOperation) -> Identity:
    """The identity of an operation with results."""
    operation = bound.operation
    types = ", ".join(_type_text(value.type) for value in operation.results)
    location = operation.location
    return Identity(
        operation.results[0].name,
        bound.op.unpacked.name,
        types,
        scope_of(location),
        tuple(location.files()) if location else (),
        _originals_of(operation),
    )


def _originals_of(operation: Operation) -> tuple[Leaf, ...]:
    stated = (operation.attributes.get(name) for name in ORIGINAL_VALUE)
    match next((found for found in stated if found is not None), None):
        case OpaqueAttribute(text) | StringAttribute(text):
            several = len(operation.results) > 1 or isinstance(operation.results[0].type, TupleType)
            return read_originals(text, several)
    return ()


def _type_text(found: Type) -> str:
    return (
        f"{found.spelled_shape()}{found.element_type.kind}" if isinstance(found, TensorType) else str(found)
    )


def scope_of(location: Location | None) -> str:
    """The name in a location, which HLO text calls `op_name`; empty if there is none."""
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
    """Digests of the value of an operation's first execution."""

    bits: Digest
    """Equal if type, shape and all elements are equal, with NaN equal to NaN."""
    elements: Digest
    """Equal if the elements are the same in any shape and order."""
    sample: tuple[Hashable, NDArray[np.float64]] | None = None
    """For floats: a key that close values share, and some of the elements."""


def prints(recording: Recording) -> Mapping[int, Print]:
    """Fingerprints of the distinctive values of process 0, by operation number."""
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
    """The digests of an array."""
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
