"""A rewrite of a pass as one program: what it replaced and what it put there, on the same inputs."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from hashlib import blake2b
from itertools import product

from ..ir.attributes import EnumAttribute, IntegerAttribute
from ..ir.element_types import I1
from ..ir.module import Operation, Region, Value, walk
from ..ir.types import TensorType
from ..limits import DEFAULT_LIMITS, Limits
from ..ops.core.values import is_tuple
from .case import Case
from .cutting import assemble, flatten
from .editing import reads, renamed_apart, values_in, with_values
from .recorded import Recorded

BEFORE, AFTER, DIFFERS = "%before", "%after", "%differs"
"""The results of the program: both values, and where they differ."""


def rewrite_case(
    before: Case, after: Case, names: tuple[str, str], limits: Limits = DEFAULT_LIMITS
) -> Case | None:
    """Both sides of a rewrite, cut off at the values that both programs have; `None` if that is impossible.

    `names` are the instruction before the pass and the one that replaced it. For one in the body of an op, such as a
    loop, the op is cut out.
    """
    one, other = _Side.of(before, limits), _Side.of(_apart(flatten(after) or after), limits)
    if one is None or other is None:
        return None
    ends = next(_ends(one, other, names), None)
    return None if ends is None else _joined(one, other, ends)


def _joined(one: _Side, other: _Side, ends: tuple[Value, Value]) -> Case | None:
    free = _free(one, other, ends)
    own, end = _own_ops(one, ends[0], free)
    made = {one.bits(value): value for found in own for value in found.results if value != end}
    moved = _moved_ops(one, other, ends[1], free, made)
    if moved is None:
        return None
    before, after = (Value(name, ends[0].type) for name in (BEFORE, AFTER))
    differs = _comparison(before, after)
    operations = [*_named(own, end, before), *_named(*moved, after), differs]
    case = _with_computations(one.case, other.case)
    return assemble(case, operations, [before, after, *differs.results], one.recorded.get)


def _own_ops(one: _Side, end: Value, free: Collection[bytes]) -> tuple[list[Operation], Value]:
    """The ops behind a value, which read the first of equal values; and the value."""
    operations, leaves = one.needed(end, free)
    firsts = {value.name: one.values.get(one.bits(value), value) for value in leaves}
    return [with_values(found, firsts) for found in operations], firsts.get(end.name, end)


def _moved_ops(
    one: _Side, other: _Side, end: Value, free: Collection[bytes], made: Mapping[bytes, Value]
) -> tuple[list[Operation], Value] | None:
    """The ops behind a value of the other side, which read values of this one; and the value."""
    known = {bits: value for bits, value in {**one.values, **made}.items() if bits}
    operations, leaves = other.needed(end, free, made.keys() - {b""})
    stands = {value.name: known[bits] for value in leaves if (bits := other.bits(value)) in known}
    if len(stands) < len(leaves):
        return None
    taken = {value.name for found in one.case.operations for value in values_in(found)}
    taken |= {value.name for value in one.case.entry.arguments}
    moved = list(_moved(operations, stands, taken))  # afterwards `stands` has the new names too
    return moved, stands[end.name]


def _named(operations: Sequence[Operation], end: Value, result: Value) -> Iterator[Operation]:
    """The ops, with another name for their last value; a copy of a value that is an input."""
    yield from (with_values(found, {end.name: result}) for found in operations)
    if not operations:
        yield Operation("hlo.copy", (end,), (result,), opcode="copy")


def _free(one: _Side, other: _Side, ends: tuple[Value, Value]) -> set[bytes]:
    """The bits of values that may become inputs: both sides read them, and none follows from another.

    Otherwise inputs that no run can have together would make the sides differ.
    """
    free = one.values.keys() & other.values.keys()
    while True:
        leaves = [
            {side.bits(value): value for value in side.needed(end, free)[1]}
            for side, end in zip((one, other), ends, strict=True)
        ]
        read = leaves[0].keys() | leaves[1].keys()
        bound = (leaves[0].keys() ^ leaves[1].keys()) | one.following(read) | other.following(read)
        if not bound & free:
            return free
        # The later ones first: both sides may read what is behind them.
        free = free - ((one.following(bound) | other.following(bound)) & free or bound)


def _ends(one: _Side, other: _Side, names: tuple[str, str]) -> Iterator[tuple[Value, Value]]:
    """The values of both sides that differ: those of the instructions, or of the ops that contain them."""
    results = one.tensors(names[0]), other.tensors(names[1])
    for index, before in results[0].items():
        after = results[1].get(index)
        if after is not None and before.type == after.type and one.bits(before) != other.bits(after):
            yield from _of_readers(one, other, (before, after))
            yield before, after


def _of_readers(one: _Side, other: _Side, ends: tuple[Value, Value]) -> Iterator[tuple[Value, Value]]:
    """For two constants, the values of the first op that reads them: it explains what they are for."""
    if any(reads(side.makers[end.name]) for side, end in zip((one, other), ends, strict=True)):
        return
    readers = [
        [found for found in side.case.operations if end.name in {value.name for value in found.operands}]
        for side, end in zip((one, other), ends, strict=True)
    ]
    for before, after in product(*readers):
        results = before.results[0], after.results[0]
        is_same = before.name == after.name and results[0].type == results[1].type
        if is_same and one.bits(results[0]) != other.bits(results[1]):
            yield results


@dataclass(frozen=True)
class _Side:
    """The run of one program, whose calls are inlined."""

    case: Case
    recorded: Recorded

    @classmethod
    def of(cls, case: Case, limits: Limits) -> _Side | None:
        """`None` if it does not end."""
        flat = flatten(case) or case
        if flat.program is None:
            return None
        recorded = Recorded(flat, limits)
        return None if recorded.problem else cls(flat, recorded)

    @cached_property
    def makers(self) -> dict[str, Operation]:
        """The op that computes each value of the entry."""
        return {value.name: found for found in self.case.operations for value in found.results}

    @cached_property
    def values(self) -> dict[bytes, Value]:
        """The values of the entry by their bits, the first of equal ones."""
        results = (value for found in self.case.operations for value in found.results)
        known = [(self.bits(value), value) for value in (*self.case.entry.arguments, *results)]
        return {bits: value for bits, value in reversed(known) if bits}

    def bits(self, value: Value) -> bytes:
        """A digest of a value; empty for one that cannot be an input."""
        array = self.recorded.get(value.name)
        if array is None or is_tuple(array):
            return b""
        return blake2b(f"{array.dtype} {array.shape}".encode() + array.tobytes(), digest_size=16).digest()

    def tensors(self, name: str) -> dict[int | None, Value]:
        """The value of an instruction, or of the op that contains it; of a tuple, the elements that are read."""
        maker = self.makers.get(name) or next(
            filter(partial(_contains, name=name), self.case.operations), None
        )
        if maker is None or len(maker.results) != 1:
            return {}
        (result,) = maker.results
        if isinstance(result.type, TensorType):
            return {None: result}
        return {
            index.value: found.results[0]
            for found in self.case.operations
            if found.operands == (result,)
            and isinstance(index := found.properties.get("index"), IntegerAttribute)
        }

    def needed(
        self, end: Value, free: Collection[bytes], made: Collection[bytes] = ()
    ) -> tuple[list[Operation], list[Value]]:
        """The ops behind a value up to those with free bits, or that the other side has made; and these values."""
        if self._is_free(end, free):
            return [], [end]
        kept: set[str] = set()
        leaves: dict[str, Value] = {}
        waiting = [end]
        while waiting:
            maker = self.makers[waiting.pop().name]
            kept |= {value.name for value in maker.results}
            for value in reads(maker):
                if value.name not in self.makers or self._is_free(value, free) or self.bits(value) in made:
                    leaves[value.name] = value
                elif value.name not in kept:
                    waiting.append(value)
        operations = [found for found in self.case.operations if found.results[0].name in kept]
        return operations, list(leaves.values())

    def _is_free(self, value: Value, free: Collection[bytes]) -> bool:
        return value.name in self._changing and self.bits(value) in free

    @cached_property
    def _changing(self) -> set[str]:
        """The values that follow from the arguments; others are constants, which stay."""
        found = {value.name for value in self.case.entry.arguments}
        for operation in self.case.operations:
            if any(value.name in found for value in reads(operation)):
                found |= {value.name for value in operation.results}
        return found

    def following(self, bits: Collection[bytes]) -> set[bytes]:
        """Those of the bits whose values the program computes from others of them."""
        behind: dict[str, set[bytes]] = {
            value.name: {self.bits(value)} & {*bits} for value in self.case.entry.arguments
        }
        found = set()
        for operation in self.case.operations:
            sources = set().union(*(behind[value.name] for value in reads(operation)))
            for value in operation.results:
                own = {self.bits(value)} & {*bits}
                found |= own if sources - own else set()
                behind[value.name] = sources | own
        return found


def _contains(operation: Operation, name: str) -> bool:
    """Whether the body of an op has an instruction of a name."""
    regions = operation.regions
    return any(value.name == name for region in regions for found in walk(region) for value in found.results)


def _moved(operations: Sequence[Operation], stands: dict[str, Value], taken: set[str]) -> Iterator[Operation]:
    """Ops that read what `stands` has for their operands, and make values of new names."""
    own = {value.name for found in operations for value in values_in(found)}
    for found in operations:
        # New names first: an operand may have the name of a value that the op makes.
        apart, made = renamed_apart(replace(found, operands=()), taken, own)
        operands = tuple(stands.get(value.name, value) for value in found.operands)
        yield replace(with_values(apart, stands), operands=operands)
        stands |= made


def _apart(case: Case) -> Case:
    """The case with other names for its computations, as the other side may have the same ones."""

    def renamed(region: Region) -> Region:
        name = region.function and f"{region.function}.after"
        blocks = (
            replace(block, operations=tuple(map(operation, block.operations))) for block in region.blocks
        )
        return replace(region, blocks=tuple(blocks), function=name)

    def operation(found: Operation) -> Operation:
        return replace(found, regions=tuple(map(renamed, found.regions)))

    functions = [
        replace(found, name=f"{found.name}.after", body=renamed(found.body))
        for found in case.module.functions
        if found.body is not None
    ]
    return Case(replace(case.module, functions=tuple(functions)), case.inputs)


def _with_computations(case: Case, other: Case) -> Case:
    """The case with the other's computations too, before its entry."""
    *own, entry = case.module.functions
    functions = (*own, *other.module.functions[:-1], entry)
    return Case(replace(case.module, functions=functions), case.inputs)


def _comparison(before: Value, after: Value) -> Operation:
    assert isinstance(before.type, TensorType)
    direction = EnumAttribute("stablehlo", "comparison_direction", "NE")
    result = Value(DIFFERS, before.type.with_element_type(I1))
    properties = {"comparison_direction": direction}
    return Operation("stablehlo.compare", (before, after), (result,), properties, opcode="compare")
