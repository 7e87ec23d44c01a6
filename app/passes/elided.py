"""Constants that a text leaves out, `constant({...})`, from other files of the dump."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from hloscope.engine.errors import ProgramError
from hloscope.engine.frontend import parse
from hloscope.engine.ir.attributes import DenseAttribute
from hloscope.engine.ir.module import Function, walk
from hloscope.engine.ir.types import TensorType
from hloscope.engine.limits import Limits
from hloscope.engine.ops.core.elided import ELIDED
from hloscope.engine.passes.instructions import HloText, Instruction
from hloscope.engine.passes.protocol_buffers import WireError
from hloscope.engine.passes.snapshots import read_constants
from hloscope.engine.passes.stages import INPUT_FILE, natural_key
from hloscope.engine.source import Source
from hloscope.engine.syntax.hlo.values.print_shapes import print_shape

from ..processes.arrays import Array
from .read_modules import ReadModule


@dataclass(frozen=True)
class StageConstants:
    """The arrays of constants that a text leaves out."""

    arrays: Mapping[str, Array] = field(default_factory=dict)
    """By the names of the constants; some are unknown."""
    guesses: Mapping[str, int] = field(default_factory=dict)
    """The arrays chosen by shape, with the stage of that choice, here or in an earlier text.

    The choice may be wrong: a constant that a pass, or the conversion to HLO, has folded is in no file.
    """


def find_constants(read: ReadModule, limits: Limits, last: int | None = None) -> list[StageConstants]:
    """For each stage up to number `last`, the arrays of the constants that its text leaves out.

    Sources in this order: the same text as a protocol buffer; the matching constant before the pass; the only
    array that XLA received with that shape.
    """
    if not any(_elided(table) for table in read.tables if table is not None):
        return [StageConstants() for _ in read.tables]
    given = _Given(list(_written_constants(read, limits)))
    found: list[StageConstants] = []
    wanted = len(read.tables) if last is None else last + 1
    for at, table in enumerate(read.tables[:wanted]):
        before = found[-1] if found else StageConstants()
        found.append(_of_stage(read, at, table, before, given) if table is not None else StageConstants())
    return [*found, *(StageConstants() for _ in read.tables[wanted:])]


def _elided(table: HloText) -> Iterator[Instruction]:
    for found in table.instructions.values():
        if found.written.opcode == "constant" and ELIDED in found.written.literal:
            yield found


def _of_stage(
    read: ReadModule, at: int, table: HloText, before: StageConstants, given: _Given
) -> StageConstants:
    wanted = list(_elided(table))
    arrays: dict[str, Array] = {}
    guesses: dict[str, int] = {}
    if not wanted:
        return StageConstants()
    own = _own_protocol_buffer(read, at)
    changes = read.changes(at)
    for constant in wanted:
        name = constant.name
        origin = changes.origin(name) if changes else None
        array = own.get(name)
        if array is None and origin is not None and origin in before.arrays:
            array = before.arrays[origin]
            guesses |= {name: before.guesses[origin]} if origin in before.guesses else {}
        if array is None:
            array = given.only(constant.written.bare_shape, wanted, constant)
            guesses |= {} if array is None else {name: at}
        if array is not None:
            given.add(array, constant.written.bare_shape)
            arrays[name] = array
    return StageConstants(arrays, guesses)


def _own_protocol_buffer(read: ReadModule, at: int) -> dict[str, Array]:
    """The constants in the protocol buffer `….hlo.pb` of the text `….txt`."""
    stem = read.module.stages[at].path.removesuffix(".gz").removesuffix(".txt")
    for file in read.module.attachments:
        if file.path.removesuffix(".gz") == f"{stem}.hlo.pb":
            try:
                return read_constants(read.dump.bytes(file.path))
            except (WireError, ProgramError):
                return {}
    return {}


class _Given:
    """The arrays that the module's texts state in full, by HLO shape, in text order."""

    def __init__(self, arrays: Sequence[tuple[str, Array]]) -> None:
        self._arrays: dict[str, list[Array]] = {}
        for shape, array in arrays:
            self._arrays.setdefault(shape, []).append(array)

    def add(self, array: Array, shape: str) -> None:
        """Add an array from another source."""
        known = self._arrays.setdefault(shape, [])
        if not any(found is array for found in known):
            known.append(array)

    def only(self, shape: str, wanted: Sequence[Instruction], constant: Instruction) -> Array | None:
        """The array of a constant: the only one of its shape, or by position among equally many."""
        arrays = self._arrays.get(shape, [])
        distinct = {(array.tobytes(), array.dtype.name): array for array in arrays}
        if len(distinct) == 1:
            return arrays[0]
        # Texts list constants in order of use; the numbers follow the order of the original program.
        same = sorted(
            (found for found in wanted if found.written.bare_shape == shape),
            key=lambda found: natural_key(found.name),
        )
        return arrays[same.index(constant)] if len(same) == len(arrays) else None


def _written_constants(read: ReadModule, limits: Limits) -> Iterator[tuple[str, Array]]:
    """The constants of the original program, and those that HLO texts state in full."""
    for text, stage in zip(read.texts, read.module.stages, strict=True):
        if stage.path.removesuffix(".gz").endswith(INPUT_FILE):
            yield from _constants_of_program(text, stage.path, limits)
    for text, table, stage in zip(read.texts, read.tables, read.module.stages, strict=True):
        if table is not None and not any(_elided(table)):
            yield from _constants_of_program(text, stage.path, limits)
            return


def _constants_of_program(text: str, name: str, limits: Limits) -> Iterator[tuple[str, Array]]:
    try:
        module = parse(Source(text, name), limits)
    except ProgramError:
        return
    for function in module.functions:
        yield from _constants_of_function(function)


def _constants_of_function(function: Function) -> Iterator[tuple[str, Array]]:
    for operation in walk(function.body) if function.body else ():
        value = operation.attribute("value")
        kind = operation.results[0].type if operation.results else None
        if isinstance(value, DenseAttribute) and isinstance(kind, TensorType):
            yield print_shape(kind, layouts=False), value.data
