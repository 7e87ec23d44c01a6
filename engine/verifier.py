"""Verify a module and bind its operations; collects every diagnostic.

Rules of the whole program come first, then each op's own. Within one op only the first broken constraint is
reported, since later ones may assume it. Verification continues with the next op, whose operands keep the
types that the text declares.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from itertools import count
from typing import Any, cast

from .errors import ConstraintError, Diagnostic, ProgramError, StructureError, VerificationError
from .ir.attributes import StructAttribute, SymbolAttribute
from .ir.hlo_wording import in_hlo_words
from .ir.module import Block, Function, Module, Operation, Region, Value
from .ir.types import TensorType, has_static_leaves, parts
from .limits import DEFAULT_LIMITS, Limits
from .ops.checking import check, check_lists, warnings
from .ops.control_flow.functions import Call, FuncReturn, Return
from .ops.core.binding import share_regions
from .ops.core.dynamic_op import DynamicOp
from .ops.core.facets import Traits
from .ops.core.field_plans import field_plans, may_share
from .ops.core.op import Array, AskingOp, Callee, Cost, Op
from .ops.packed import bind_packed
from .program import BoundBlock, BoundFunction, BoundOperation, BoundProgram
from .sharding.notation.mesh_axes import insert_mesh
from .sharding.notation.stated_shardings import meshes_of
from .source import OPS_BETWEEN_REPORTS, OnProgress, Span
from .syntax import Recovery
from .syntax.modules.read_operations import OTHER_DIALECTS

OpTable = Mapping[str, type[Op]]
MAX_COMPARED = 64
"""Maximum number of operations of a block that is compared with others."""


@dataclass(frozen=True)
class Verified:
    """The program, if the module has no errors, and all errors and warnings."""

    program: BoundProgram | None
    diagnostics: tuple[Diagnostic, ...]


def verify(
    module: Module,
    op_table: OpTable,
    limits: Limits = DEFAULT_LIMITS,
    on_progress: OnProgress | None = None,
    recovery: Recovery | None = None,
) -> Verified:
    """Check every rule that needs no run; calls `on_progress` periodically.

    With `recovery`, parts of the module may be missing: only errors that do not follow from that are reported.
    """
    return _Verifier(module, op_table, limits, on_progress, recovery or Recovery()).run()


@dataclass(frozen=True, slots=True)
class _Facts:
    """An op, and what the fields of `BoundOperation` say of it."""

    op: Op
    cost: Cost
    dynamic: bool
    special: bool
    light: bool
    is_constant: bool
    kind: int
    """A number, equal for operations of the same op, properties, types and kinds of regions."""


def _facts(op: Op, operation: Operation, kind: int) -> _Facts:
    types = operation.function_type
    dynamic = not all(map(has_static_leaves, (*types.inputs, *types.results))) or _is_open(op)
    special = dynamic or op.unrunnable() is not None
    cost = Cost(0, 0) if dynamic else op.cost(types.inputs, types.results)
    light = op.traits.regroups_tuples and not special
    is_constant = op.traits.is_constant and op.outside is None
    return _Facts(op, cost, dynamic, special, light, is_constant, kind)


def _with_regions(known: _Facts, operation: Operation) -> _Facts:
    """Facts about an operation that differs from a known one in the places of its regions only."""
    regions = share_regions(operation, field_plans(type(known.op)))
    op: Op = replace(cast(Any, known.op), **regions)
    return replace(known, op=op)


def _with_callee(known: _Facts, field: str, operation: Operation, kind: int) -> _Facts:
    """Facts about an operation that differs from a known one in the name of the function that it calls only."""
    named = cast(SymbolAttribute, operation.properties[field])
    op: Op = replace(cast(Any, known.op), **{field: named.root})
    return replace(known, op=op, kind=kind)


def _constant_value(op: Op) -> Array:
    value = op.evaluate()
    assert not isinstance(value, tuple), "a constant has one result"
    return value


class _TraitsByName(dict[str, Traits]):
    """The traits of the ops of a module.

    Those of the whole table would be 1.5 MiB for each worker: a process that looks at an object copies its page, which
    forks share.
    """

    def __init__(self, op_table: OpTable) -> None:
        self._op_table = op_table

    def __missing__(self, name: str) -> Traits:
        op = self._op_table.get(name)
        found = self[name] = Traits() if op is None else op.traits
        return found


class _Verifier:
    """One pass over the module in text order."""

    def __init__(
        self,
        module: Module,
        op_table: OpTable,
        limits: Limits,
        on_progress: OnProgress | None,
        recovery: Recovery,
    ) -> None:
        self.recovery = recovery
        self.module, self.limits, self.on_progress = module, limits, on_progress
        self.here = module
        """The module whose functions are being checked; functions call only their own module's."""
        self.prefix = ""
        self.op_table = op_table
        self.diagnostics: list[Diagnostic] = []
        self.ops: list[BoundOperation | None] = []
        self.blocks: list[BoundBlock | None] = []
        self.values: list[Value] = []
        self.alike: dict[tuple[object, ...], _Facts] = {}
        """Facts about ops that may be shared, by all that decides them."""
        self.op_kinds: list[int] = []
        """The `kind` of the facts of each op."""
        self.block_kinds: list[int] = []
        """A number for each block, equal for blocks of the same operations on the same values, whatever their names."""
        self.kinds: dict[tuple[object, ...], int] = {}
        """The kinds of blocks, by what decides them."""
        self.next_kind = count()
        self.traits = _TraitsByName(op_table)
        self.constants: dict[int, Op] = {}
        self.hidden: list[tuple[str, int]] = []
        """Values whose names a region defines again, until it ends."""
        self.first_visible = 0
        """Number of the first value that the region may use; those before it are outside of an isolated op."""
        self.bodies: dict[str, int] = {}
        """The block of each function of an HLO module, for the regions that name it as their body."""

    def run(self) -> Verified:
        """Check everything and assemble the program."""
        functions: dict[str, BoundFunction] = {}
        for prefix, module in self.module.all_modules():
            self.prefix, self.here = prefix, module
            self.alike.clear()
            self._report(*self._module_rules(module))
            for function in module.functions:
                if function.body:
                    functions[prefix + function.name] = BoundFunction(function, self._function(function))
        diagnostics = tuple(sorted(self.diagnostics, key=lambda found: found.span.start))
        ops = tuple(op for op in self.ops if op is not None)
        blocks = tuple(block for block in self.blocks if block is not None)
        wrong = any(found.severity == "error" for found in diagnostics)
        if wrong or len(ops) < len(self.ops):
            return Verified(None, diagnostics)
        program = BoundProgram(self.module, functions, ops, blocks, tuple(self.values), diagnostics)
        return Verified(program, diagnostics)

    def _report(self, *errors: ProgramError) -> None:
        for error in errors:
            if self.recovery.follows(error):
                continue
            if self.module.language == "hlo":
                error.message = in_hlo_words(error.message)
            self.diagnostics.append(error.diagnostic())

    def _warn(self, op: Op, operation: Operation) -> None:
        if self.module.language == "stablehlo":
            self.diagnostics += (error.diagnostic("warning") for error in warnings(op, operation))
        elif not op.hlo.is_lenient:
            self._report(*warnings(op, operation))

    def _module_rules(self, module: Module) -> Iterator[ProgramError]:
        seen: dict[str, Function] = {}
        for function in module.functions:
            if function.name in seen:
                line, _ = self.module.source.line_and_column(seen[function.name].name_span.start)
                message = (
                    f"function @{function.name} is defined twice; the first definition is on line {line}"
                )
                yield StructureError(message, function.name_span, hint="give one of them another name")
            seen.setdefault(function.name, function)
            if function.body is None and function.visibility not in ("private", "nested"):
                hint = f"add a body, or write func.func private @{function.name}"
                message = f"@{function.name} has no body, but others may call it"
                yield StructureError(message, function.name_span, hint=hint)
        names = set(seen)
        for inner in module.modules:
            if inner.name in names:
                hint = "give one of them another name"
                yield StructureError(f"@{inner.name} is defined twice", inner.span, hint=hint)
            names |= {inner.name} - {""}

    def _function(self, function: Function) -> int:
        assert function.body
        block = self._region(function.body, function, None, 0, {})
        if self.module.language == "hlo":
            self.bodies[function.name] = block
        return block

    def _region(
        self, region: Region, function: Function, opener: int | None, number: int, scope: dict[str, int]
    ) -> int:
        if region.function:
            return self.bodies[region.function]
        block = region.blocks[0] if region.blocks else Block((), ())
        if len(region.blocks) != 1:
            message = f"a region here has exactly one block, not {len(region.blocks)}"
            self._report(StructureError(message, region.span))
        outside, hidden = len(scope), len(self.hidden)
        found = self._block(block, region, function, opener, number, scope)
        # A copy of the scope for each region would take quadratic time.
        while len(scope) > outside:
            scope.popitem()
        while len(self.hidden) > hidden:
            name, value = self.hidden.pop()
            scope[name] = value
        return found

    def _block(
        self,
        block: Block,
        region: Region,
        function: Function,
        opener: int | None,
        number: int,
        scope: dict[str, int],
    ) -> int:
        block_id, first = len(self.blocks), len(self.values)
        self.blocks.append(None)
        self.block_kinds.append(next(self.next_kind))
        arguments = tuple(self._define(argument, scope) for argument in block.arguments)
        operations = tuple(
            bound
            for operation in block.operations
            if (bound := self._operation(operation, function, block_id, scope)) is not None
        )
        if not self.recovery.has_skipped(block.span):
            self._report(*self._block_rules(block, region, function, opener is None))
        self.blocks[block_id] = BoundBlock(
            block_id,
            self.prefix + function.name,
            opener,
            number,
            arguments,
            operations,
            _releases(range(first, len(self.values)), arguments, operations, self.blocks),
            all(map(_is_scalar_elementwise, operations)),
        )
        if len(operations) == len(block.operations) <= MAX_COMPARED and len(region.blocks) == 1:
            self.block_kinds[block_id] = self._kind(first, arguments, operations)
        return block_id

    def _kind(self, first: int, arguments: tuple[int, ...], operations: tuple[BoundOperation, ...]) -> int:
        """The kind of a block whose values begin with number `first`."""
        key: list[object] = [id(self.values[argument].type) for argument in arguments]
        for bound in operations:
            key += (None, self.op_kinds[bound.id], *[operand - first for operand in bound.operands])
        return self.kinds.setdefault(tuple(key), next(self.next_kind))

    def _define(self, value: Value, scope: dict[str, int]) -> int:
        name, number = value.name, len(self.values)
        if name in scope:
            self.hidden.append((name, scope[name]))
        scope[name] = number
        self.values.append(value)
        return number

    def _operation(
        self, operation: Operation, function: Function, block: int, scope: dict[str, int]
    ) -> BoundOperation | None:
        op_id = len(self.ops)
        self.ops.append(None)
        self.op_kinds.append(-1)
        if self.on_progress and op_id % OPS_BETWEEN_REPORTS == OPS_BETWEEN_REPORTS - 1:
            self.on_progress("verifying", operation.span.start)
        first_visible = self.first_visible
        if operation.regions:
            facts, regions = self._bind_with_regions(operation, function, op_id, scope)
        else:
            facts, regions = self._bind(operation, ()), ()
        operands = tuple([self._number_of(value, scope) for value in operation.operands])
        if first_visible:
            self._report(*self._isolation_errors(operation, operands))
        results = tuple([self._define(value, scope) for value in operation.results])
        if facts is not None and isinstance(facts.op, DynamicOp):
            facts = self._settle(facts, facts.op, operation, operands)
        if facts is None:
            return None
        if facts.is_constant:
            self.constants[results[0]] = facts.op
        self.op_kinds[op_id] = facts.kind
        bound = BoundOperation(
            *(op_id, operation, facts.op, operands, results, block, regions),
            *(facts.cost, facts.dynamic, facts.special, facts.light),
        )
        self.ops[op_id] = bound
        return bound

    def _bind_with_regions(
        self, operation: Operation, function: Function, op_id: int, scope: dict[str, int]
    ) -> tuple[_Facts | None, tuple[int, ...]]:
        """The facts of an operation with regions, and the blocks of these."""
        op_class, first_visible = self.op_table.get(operation.name), self.first_visible
        facts = None
        is_isolated = op_class is not None and op_class.traits.is_isolated
        if is_isolated:
            facts = self._bind(operation, None)
            self.first_visible = len(self.values) if facts else first_visible
        regions = tuple(
            [
                self._region(region, function, op_id, number, scope)
                for number, region in enumerate(operation.regions)
            ]
        )
        self.first_visible = first_visible
        return facts if is_isolated else self._bind(operation, regions), regions

    def _number_of(self, value: Value, scope: Mapping[str, int]) -> int:
        """The value's number; -1 if an error prevented reading its definition."""
        return scope.get(value.name, -1) if self.recovery.errors else scope[value.name]

    def _isolation_errors(self, operation: Operation, operands: tuple[int, ...]) -> Iterator[StructureError]:
        for value, number in zip(operation.operands, operands, strict=True):
            if 0 <= number < self.first_visible:
                message = (
                    f"%{value.name} is defined outside of the region, whose op takes values as operands only"
                )
                hint = "add it to the operands of that op, with an argument of the region"
                yield StructureError(message, operation.name_span, hint=hint)

    def _bind(self, operation: Operation, regions: tuple[int, ...] | None) -> _Facts | None:
        """Facts about an operation whose regions are these blocks, `None` if they are not verified yet.

        Those without errors, of the same op, properties, types and kinds of regions are checked once.
        """
        key = None if regions is None else self._key(operation, regions)
        known = None if key is None else self.alike.get(key)
        if known is not None and regions:
            return _with_regions(known, operation)
        if known is not None and (calls := self.traits[operation.name].calls):
            return _with_callee(known, calls, operation, next(self.next_kind))
        if known is not None:
            return known
        op_class = self.op_table.get(operation.name)
        if op_class is None:
            self._report(self._unknown_op_error(operation))
            return None
        if self.recovery.errors and any(
            self.recovery.has_skipped(block.span) for region in operation.regions for block in region.blocks
        ):
            return None
        try:
            return self._check_operation(op_class, operation, key)
        except ProgramError as error:
            self._report(error)
            return None

    def _key(self, operation: Operation, regions: tuple[int, ...]) -> tuple[object, ...] | None:
        """All that decides the facts about an operation; `None` if these belong to it alone."""
        # In HLO text, only attributes that the op does not define are in `attributes`.
        if not operation.opcode and operation.attributes:
            return None
        # The module keeps its types and properties alive, so their ids stay unique.
        properties: object = id(operation.properties) if operation.properties else None
        if calls := self.traits[operation.name].calls:
            properties = self._call(operation, calls)
            if properties is None:
                return None
        operands = [id(value.type) for value in operation.operands]
        results = [id(value.type) for value in operation.results]
        if not regions:
            return (operation.name, properties, *operands, None, *results)
        kinds = [self.block_kinds[block] for block in regions]
        return (operation.name, properties, *operands, None, *results, None, *kinds)

    def _call(self, operation: Operation, field: str) -> tuple[int, ...] | None:
        """All that decides what a call means but the name of its function: of that, the types."""
        called = operation.properties.get(field)
        function = self.here.function(called.root) if isinstance(called, SymbolAttribute) else None
        if function is None or function.body is None:
            return None
        others = [id(value) for name, value in operation.properties.items() if name != field]
        types = (*[value.type for value in function.arguments], *function.result_types)
        return (*others, len(function.arguments), *map(id, types))

    def _check_operation(
        self, op_class: type[Op], operation: Operation, key: tuple[object, ...] | None
    ) -> _Facts:
        """Bind and check an operation; keep the facts for others of the same key."""
        check_lists(op_class, operation, self.limits)
        stated = bind_packed(op_class, self._with_mesh(operation))
        op = self._link(stated, operation)
        found = _facts(op, operation, next(self.next_kind))
        before = len(self.diagnostics)
        self._warn(op, operation)
        is_whole = not (operation.regions or op_class.traits.calls)
        is_plain = is_whole or (op is stated and type(op) is op_class)
        if key is not None and is_plain and before == len(self.diagnostics) and may_share(op_class):
            self.alike[key] = found
        return found

    def _with_mesh(self, operation: Operation) -> Operation:
        """The operation with the mesh that its process groups name, which is in the module."""
        groups = operation.attribute("replica_groups")
        if not isinstance(groups, StructAttribute):
            return operation
        found = insert_mesh(groups, meshes_of(self.here))
        return replace(operation, properties={**operation.properties, "replica_groups": found})

    def _settle(
        self, facts: _Facts, op: DynamicOp, operation: Operation, operands: tuple[int, ...]
    ) -> _Facts | None:
        """Substitute constant operands, so that their errors are reported without a run."""
        known = {
            k: _constant_value(self.constants[operands[k]])
            for k in op.dynamic_operands
            if operands[k] in self.constants
        }
        if not known.keys() >= set(op.dynamic_operands):
            return facts
        found = op.with_numbers(known)
        try:
            check(found, operation)
        except ProgramError as error:
            self._report(error)
            return None
        return _facts(found, operation, next(self.next_kind))

    def _unknown_op_error(self, operation: Operation) -> StructureError:
        # Compare without the dialect prefix, which would make all its names similar.
        dialect, _, mnemonic = operation.name.rpartition(".")
        siblings = [name.rpartition(".")[2] for name in self.op_table if name.rpartition(".")[0] == dialect]
        near = get_close_matches(mnemonic, siblings, 1, 0.65)
        listed = OTHER_DIALECTS.get(dialect) or "the page /ops lists the ops that this version runs"
        hint = f"did you mean '{dialect}.{near[0]}'?" if near else listed
        return StructureError(f"unknown op '{operation.name}'", operation.name_span, hint=hint)

    def _link(self, op: Op, operation: Operation) -> Op:
        """The op linked to the functions it refers to, checked before and after."""
        check(op, operation)
        linked = op.link(self.here)
        for callee in linked.callees():
            self._check_callee(callee, operation)
        if linked is not op:
            check(linked, operation)
        return linked

    def _check_callee(self, callee: Callee, operation: Operation) -> None:
        defined, takes, gives = callee.labels
        function = self.here.function(callee.name)
        if function is None:
            raise self._undefined_error(callee, operation)
        if function.body is None and operation.name != Call.name:
            message = f"calls @{callee.name}, which has no body"
            raise _rule_error(message, operation, defined)
        if function.type != callee.type:
            label = takes if function.type.inputs != callee.type.inputs else gives
            message = f"calls @{callee.name} as {callee.type}, but its type is {function.type}"
            raise _rule_error(message, operation, label, op=operation.spelled)

    def _undefined_error(self, callee: Callee, operation: Operation) -> VerificationError:
        names = [function.name for function in self.here.functions]
        near = get_close_matches(callee.name, names, 1)
        listed = _join(f"@{name}" for name in names)
        hint = f"did you mean @{near[0]}?" if near else f"the module defines {listed}"
        message = f"calls @{callee.name}, which is not defined"
        return _rule_error(message, operation, callee.labels[0], hint=hint)

    def _block_rules(
        self, block: Block, region: Region, function: Function, is_body: bool
    ) -> Iterator[ProgramError]:
        wanted = "func.return" if is_body else "stablehlo.return"
        place = f"the body of @{function.name}" if is_body else "the region"
        last = block.operations[-1] if block.operations else None
        if last is None or not self._is_terminator(last):
            end = Span(max(region.span.end - 1, 0), region.span.end)
            short = "return" if is_body else wanted
            hint = f"end it with `{short} …`, which returns its results"
            yield StructureError(f"{place} does not end with `{short}`", end, hint=hint)
        elif is_body:
            yield from self._return_rules(last, function)
        elif self.op_table.get(last.name) is FuncReturn:
            message = "a region ends with stablehlo.return; func.return ends functions only"
            yield StructureError(message, last.name_span, hint="write `stablehlo.return`")
        for operation in block.operations[:-1]:
            if self._is_terminator(operation):
                yield StructureError(
                    f"{operation.name} stands before the end of {place}",
                    operation.name_span,
                    hint="nothing may follow it",
                )

    def _is_terminator(self, operation: Operation) -> bool:
        return self.traits[operation.name].is_terminator

    def _return_rules(self, operation: Operation, function: Function) -> Iterator[ProgramError]:
        # JAX ends comparators, which are functions, with the terminator of a region.
        if self.op_table.get(operation.name) not in (FuncReturn, Return):
            message = f"the body of @{function.name} ends with {operation.name}; only regions of ops do"
            yield StructureError(message, operation.name_span, hint="write `return`")
        found = operation.function_type.inputs
        if found != function.result_types:
            message = (
                f"@{function.name} returns ({_join(found)}), "
                f"but its signature promises ({_join(function.result_types)})"
            )
            yield StructureError(message, operation.name_span)


def _is_open(op: Op) -> bool:
    return isinstance(op, DynamicOp) and op.numbers is None


def _rule_error(
    message: str, operation: Operation, label: str, op: str | None = None, hint: str | None = None
) -> VerificationError:
    """A constraint error with its label, or a structure error if the rule has no label."""
    if label:
        return ConstraintError(message, operation.name_span, op=operation.spelled, label=label, hint=hint)
    return StructureError(message, operation.name_span, op=op, hint=hint)


def _join(items: object) -> str:
    return ", ".join(map(str, items))  # type: ignore[call-overload]


def _releases(
    numbers: range,
    arguments: tuple[int, ...],
    operations: tuple[BoundOperation, ...],
    blocks: list[BoundBlock | None],
) -> tuple[tuple[int, ...], ...]:
    """The values of the block that can be freed after each operation, since no later one reads them.

    `numbers` are those of the values in the block and its regions.
    """
    if not operations:
        return ()
    first = numbers.start
    last = [0] * len(numbers)
    for position, operation in enumerate(operations):
        for value in operation.results:
            last[value - first] = position
        for value in _reads(operation, blocks) if operation.regions else operation.operands:
            if value >= first:
                last[value - first] = position
    released: list[tuple[int, ...]] = [()] * len(operations)
    for values in (arguments, *[operation.results for operation in operations]):
        for value in values:
            released[last[value - first]] += (value,)
    return tuple(released)


def _is_scalar_elementwise(operation: BoundOperation) -> bool:
    kind = operation.op
    alone = not (operation.operands or operation.regions or isinstance(kind, AskingOp) or kind.outside)
    lane_by_lane = (
        kind.lanes.is_lane_by_lane(kind) or kind.traits.is_terminator or alone or kind.traits.regroups_tuples
    )
    types = (part for value in operation.operation.results for part in parts(value.type))
    return lane_by_lane and all(isinstance(t, TensorType) and t.rank == 0 for t in types)


def _reads(operation: BoundOperation, blocks: list[BoundBlock | None]) -> Iterator[int]:
    stack = [operation]
    while stack:
        current = stack.pop()
        yield from current.operands
        for number in current.regions:
            block = blocks[number]
            # The body of a function captures no values from outside.
            stack.extend(block.operations if block and block.opener is not None else ())
