"""The StableHLO block that is being written, and the StableHLO values of HLO values in it."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ..ir.attribute_values import integers
from ..ir.attributes import Attribute, BoolAttribute, DenseAttribute, UnitAttribute
from ..ir.element_types import ONLY_IN_HLO, ElementType
from ..ir.locations import Location
from ..ir.module import Block, Function, Operation, Region, Value
from ..ir.types import TensorType, TokenType, TupleType, Type
from ..ops.core.op import Array
from ..ops.core.process_groups import ALONE, Grid

Tree = Value | tuple["Tree", ...]
"""A value, or a tuple of trees: the StableHLO form of one HLO value."""
Lowering = Callable[[Operation, "Scope"], Tree]
"""Writes the operations of an instruction and returns its value."""

_XLA_RULES = (
    *("drops_init_of_one", "drops_whole_windows", "limits_exponents", "replicas_first", "skips_padding"),
)
"""Properties that select the meaning of HLO where StableHLO's differs."""
_UNITS = ("use_global_device_ids",)
"""Unit attributes in StableHLO that are booleans in HLO."""
_MAX_OPERATIONS = 500_000
"""Maximum number of operations written: a computation is copied to each place that uses it."""
_MAX_DEPTH = 100
"""Maximum nesting of regions."""
_NAME = re.compile(r"%[A-Za-z_][A-Za-z0-9_.$-]*")


class NotStablehlo(ValueError):
    """A module, or an instruction of it, that StableHLO cannot express; `op` is the instruction's opcode."""

    def __init__(self, message: str, *, op: str | None = None) -> None:
        super().__init__(f"{op}: {message}" if op else message)
        self.message, self.op = message, op


@dataclass
class Writer:
    """State shared by all blocks of one function: taken names and the functions that are called."""

    functions: Mapping[str, Function]
    """Functions of the HLO module, by name."""
    lower: Lowering
    call: Callable[[str], str]
    """Schedules the HLO function of that name for conversion and returns its StableHLO name."""
    grid: Grid = ALONE
    """Numbers of replicas and partitions, if the module states them."""
    taken: set[str] = field(default_factory=set)
    count: int = 0

    def fresh(self, name: str) -> str:
        """`name`, with a number where another value of the function has the name."""
        base = name if _NAME.fullmatch(name) else "%value"
        found, number = base, 1
        while found in self.taken:
            found, number = f"{base}_{number}", number + 1
        self.taken.add(found)
        return found


class Scope:
    """One block of StableHLO that is being written; maps HLO values to StableHLO values."""

    def __init__(self, writer: Writer, depth: int = 0) -> None:
        if depth > _MAX_DEPTH:
            raise NotStablehlo(f"computations are nested more than {_MAX_DEPTH} deep")
        self.writer, self.depth = writer, depth
        self.operations: list[Operation] = []
        self.values: dict[str, Tree] = {}
        """StableHLO values, by the names of the HLO values."""
        self.location: Location | None = None

    # Values

    def tree(self, value: Value) -> Tree:
        """The StableHLO form of an HLO value."""
        return self.values[value.name]

    def leaves(self, *values: Value) -> list[Value]:
        """The StableHLO values of HLO values, in order, with tuples flattened."""
        return [leaf for value in values for leaf in leaves(self.tree(value))]

    def only(self, value: Value) -> Value:
        """The StableHLO value of an HLO value that is not a tuple."""
        found = self.tree(value)
        assert isinstance(found, Value)
        return found

    # Operations

    def add(
        self,
        name: str,
        operands: Sequence[Value],
        types: Sequence[Type],
        properties: Mapping[str, Attribute] | None = None,
        *,
        regions: Sequence[Region] = (),
        attributes: Mapping[str, Attribute] | None = None,
        base: str = "",
    ) -> tuple[Value, ...]:
        """Write one operation and return its results."""
        self.writer.count += 1
        if self.writer.count > _MAX_OPERATIONS:
            raise NotStablehlo(f"the converted program has more than {_MAX_OPERATIONS:,} operations")
        results = self._results(base or f"%{name.rpartition('.')[2]}", types)
        self.operations.append(
            Operation(
                name,
                tuple(operands),
                results,
                dict(properties or {}),
                dict(attributes or {}),
                tuple(regions),
                location=self.location,
            )
        )
        return results

    def _results(self, base: str, types: Sequence[Type]) -> tuple[Value, ...]:
        root = self.writer.fresh(base)
        if len(types) == 1:
            return (Value(root, types[0]),)
        return tuple(Value(f"{root}#{number}", found) for number, found in enumerate(types))

    def one(
        self,
        name: str,
        operands: Sequence[Value],
        found: Type,
        properties: Mapping[str, Attribute] | None = None,
        *,
        regions: Sequence[Region] = (),
        base: str = "",
    ) -> Value:
        """Write an operation with one result."""
        (result,) = self.add(name, operands, [found], properties, regions=regions, base=base)
        return result

    def write(
        self,
        operation: Operation,
        name: str = "",
        *,
        operands: Sequence[Value] | None = None,
        properties: Mapping[str, Attribute] | None = None,
        regions: Sequence[Region] | None = None,
        attributes: Mapping[str, Attribute] | None = None,
    ) -> Tree:
        """Write one operation for the HLO instruction `operation` and return the form of its result.

        Name, operands, properties and regions default to those of `operation`.
        """
        result = operation.results[0]
        made = self.add(
            name or operation.name,
            self.leaves(*operation.operands) if operands is None else operands,
            [bare(found) for found in type_leaves(result.type)],
            properties_of(operation) if properties is None else properties,
            regions=list(map(self.region, operation.regions)) if regions is None else regions,
            attributes=attributes,
            base=result.name,
        )
        return as_tree(result.type, iter(made))

    def constant(self, array: Array | complex | Sequence[int], element_type: ElementType) -> Value:
        """Write a constant."""
        data = np.asarray(array).astype(element_type.dtype)
        data.setflags(write=False)
        found = TensorType(data.shape, element_type)
        return self.one("stablehlo.constant", (), found, {"value": DenseAttribute(found, data)})

    def broadcast(self, operand: Value, found: TensorType, dimensions: Sequence[int] = ()) -> Value:
        """Write `broadcast_in_dim`."""
        properties = {"broadcast_dimensions": integers(dimensions)}
        return self.one("stablehlo.broadcast_in_dim", (operand,), found, properties)

    def reshape(self, operand: Value, shape: Sequence[int]) -> Value:
        """Write `reshape`, unless the operand has the shape already."""
        found = tensor(operand).with_shape(tuple(shape))
        return operand if found == operand.type else self.one("stablehlo.reshape", (operand,), found)

    def transpose(self, operand: Value, permutation: Sequence[int]) -> Value:
        """Write `transpose`, unless the permutation is the identity."""
        if list(permutation) == list(range(len(permutation))):
            return operand
        source = tensor(operand)
        found = source.with_shape(tuple(source.shape[at] for at in permutation))
        properties = {"permutation": integers(permutation)}
        return self.one("stablehlo.transpose", (operand,), found, properties)

    def slice(self, operand: Value, starts: Sequence[int], limits: Sequence[int]) -> Value:
        """Write `slice` with strides of 1."""
        sizes = tuple(limit - start for start, limit in zip(starts, limits, strict=True))
        properties = {
            "start_indices": integers(starts),
            "limit_indices": integers(limits),
            "strides": integers([1] * len(sizes)),
        }
        return self.one("stablehlo.slice", (operand,), tensor(operand).with_shape(sizes), properties)

    def blank(self, found: Type) -> Tree:
        """A placeholder for a value that is never read: zeros, or a token."""
        if isinstance(found, TupleType):
            return tuple(map(self.blank, found.types))
        if isinstance(found, TokenType):
            return self.one("stablehlo.after_all", (), TokenType())
        assert isinstance(found, TensorType)
        zero = self.constant(0, found.element_type)
        return self.broadcast(zero, found.with_shape(found.shape)) if found.rank else zero

    # Computations

    def region(self, region: Region) -> Region:
        """The StableHLO region of an HLO region, with one argument per leaf of its parameters."""
        inner = Scope(self.writer, self.depth + 1)
        arguments = tuple(
            leaf for argument in region.block.arguments for leaf in leaves(inner.argument(argument))
        )
        return Region((Block(arguments, inner.body(region.block, "stablehlo.return")),))

    def branch(self, region: Region, given: Tree) -> Region:
        """The StableHLO region of an HLO region with one parameter: no arguments, it reads `given`."""
        inner = Scope(self.writer, self.depth + 1)
        inner.values[region.block.arguments[0].name] = given
        return Region((Block((), inner.body(region.block, "stablehlo.return")),))

    def inline(self, block: Block, given: Sequence[Tree]) -> Tree:
        """Write the operations of a computation into this block, on arguments `given`; return its root."""
        inner = Scope(self.writer, self.depth + 1)
        inner.operations = self.operations
        inner.values = dict(zip((argument.name for argument in block.arguments), given, strict=True))
        return inner.root(block)

    def argument(self, value: Value) -> Tree:
        """New block arguments for one parameter of the HLO computation."""
        need_known(value.type, "parameter")
        name = self.writer.fresh(value.name)
        found = [bare(leaf) for leaf in type_leaves(value.type)]
        several = isinstance(value.type, TupleType)
        names = [self.writer.fresh(f"{name}_{number}") if several else name for number in range(len(found))]
        self.values[value.name] = as_tree(value.type, iter(map(Value, names, found)))
        return self.values[value.name]

    def root(self, block: Block) -> Tree:
        """Write the instructions of a computation and return its root."""
        *operations, end = block.operations
        for operation in operations:
            self.location = operation.location
            self.values[operation.results[0].name] = self.writer.lower(operation, self)
        return self.tree(end.operands[0])

    def body(self, block: Block, terminator: str) -> tuple[Operation, ...]:
        """The operations of a computation, `terminator` included."""
        found = tuple(leaves(self.root(block)))
        return (*self.operations, Operation(terminator, found, ()))


def properties_of(operation: Operation) -> dict[str, Attribute]:
    """The properties in the form of MLIR, without those that select XLA's rules."""
    found = {name: value for name, value in operation.properties.items() if name not in _XLA_RULES}
    for name in _UNITS:
        stated = found.pop(name, None)
        if stated == BoolAttribute(True):
            found[name] = UnitAttribute()
    return found


def leaves(tree: Tree) -> list[Value]:
    """The values in a tree, in order."""
    return [tree] if isinstance(tree, Value) else [leaf for item in tree for leaf in leaves(item)]


def type_leaves(found: Type) -> list[Type]:
    """The leaf types of a tuple type, in order; any other type alone."""
    if isinstance(found, TupleType):
        return [leaf for item in found.types for leaf in type_leaves(item)]
    return [found]


def as_tree(found: Type, values: Iterator[Value]) -> Tree:
    """Take values from the iterator to form a tree of type `found`."""
    if isinstance(found, TupleType):
        return tuple(as_tree(item, values) for item in found.types)
    return next(values)


def need_known(found: Type, opcode: str) -> None:
    """Raise `NotStablehlo` for element types that StableHLO does not have."""
    for leaf in type_leaves(found):
        if isinstance(leaf, TensorType) and leaf.element_type.name in ONLY_IN_HLO:
            raise NotStablehlo(f"StableHLO has no element type {leaf.element_type}", op=opcode)


def bare(found: Type) -> Type:
    """A type without its layout."""
    return replace(found, layout=None) if isinstance(found, TensorType) and found.layout else found


def tensor(value: Value) -> TensorType:
    """The type of an array."""
    assert isinstance(value.type, TensorType)
    return value.type
