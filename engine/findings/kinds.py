"""All kinds of findings, and the rules by which the ops of a program are checked."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType, ModuleType

from ..ir.types import TensorType, Type, leaf_types
from ..ops.core.op import Op
from ..ops.core.quiet import Glance, Signals
from ..program import BoundOperation, BoundProgram
from . import births, indices, integers, lost_numbers, precision, processes
from .decisive import decisive_ops
from .finding import Fault, FaultKind
from .kind import Arrays, Kind, Rule, Watch
from .precision import differences, running_totals


def _kinds_in(module: ModuleType) -> Iterator[type[Kind]]:
    """The kinds that `module` defines, in order: its classes with a name of their own."""
    for found in vars(module).values():
        is_kind = isinstance(found, type) and issubclass(found, Kind) and "name" in vars(found)
        if is_kind and found.__module__ == module.__name__:
            yield found


_FAMILIES = (births, lost_numbers, precision, integers, indices, processes)
KINDS: Mapping[FaultKind, Kind] = MappingProxyType(
    {kind.name: kind() for family in _FAMILIES for kind in _kinds_in(family)}
)
_RULES = tuple(dict.fromkeys(rule for kind in KINDS.values() for rule in kind.rules))


def rules_of(op: Op, results: Sequence[Type]) -> Mapping[Rule, Watch]:
    """The rules that an op with results of these types may break, with when it is checked."""
    checked: Op = op.findings.checked_op(op)
    leaves = [leaf for result in results for leaf in leaf_types(result)]
    tensors = [leaf for leaf in leaves if isinstance(leaf, TensorType)]
    watches = {rule: rule.watch(checked, tensors) for rule in _RULES} if tensors else {}
    return {rule: watch for rule, watch in watches.items() if watch is not Watch.NEVER}


def check(
    op: Op, rules: Iterable[Rule], operands: Arrays, results: Arrays, signals: Signals
) -> Sequence[Fault]:
    """The faults of an op in a step, by some rules."""
    checked: Op = op.findings.checked_op(op)
    operands, results = op.findings.checked_values(op, operands, results)
    found: list[Fault] = []
    for rule in rules:
        found.extend(rule.faults(checked, operands, results, signals))
    return found


def rules_by_op(program: BoundProgram) -> tuple[Mapping[Rule, Watch], ...]:
    """The rules that each op of a program may break, by its number."""
    totals, differing = program.derive(running_totals), program.derive(differences)
    # Most ops of a large program share their class with its attributes, and their types; calls differ in the name alone.
    shared: dict[tuple[object, ...], Mapping[Rule, Watch]] = {}

    def rules(bound: BoundOperation) -> Mapping[Rule, Watch]:
        op, types = bound.op, [value.type for value in bound.operation.results]
        kind = _kind_of_call(op) if op.traits.calls else id(op)
        key = (kind, bound.id in totals, bound.id in differing, *map(id, types))
        known = shared.get(key)
        if known is None:
            found = rules_of(op, types)
            applies = {Watch.RUNNING_TOTAL: bound.id in totals, Watch.DIFFERENCE: bound.id in differing}
            known = shared[key] = {rule: watch for rule, watch in found.items() if applies.get(watch, True)}
        return known

    return tuple(map(rules, program.ops))


def _kind_of_call(op: Op) -> tuple[object, ...]:
    """All that rules depend on of an op that calls a function."""
    return (type(op), *[id(value) for name, value in vars(op).items() if name != op.traits.calls])


def rules_without_flags(program: BoundProgram) -> tuple[tuple[Rule, ...], ...]:
    """The rules that each op may break in a step that raises no flag, by its number."""
    return tuple(
        tuple(rule for rule, watch in watches.items() if watch is not Watch.SIGNALLED)
        for watches in program.derive(rules_by_op)
    )


def glances(program: BoundProgram) -> Mapping[int, Glance]:
    """What tells at a glance whether a step without flags may have a fault, of the ops that have one such rule."""
    return {
        bound.id: rules[0].glance
        for bound, rules in zip(program.ops, program.derive(rules_without_flags), strict=True)
        if len(rules) == 1 and bound.op.findings.checked_op(bound.op) is bound.op
    }


def checked_ops(program: BoundProgram) -> frozenset[int]:
    """The ops that are checked after each step."""
    always = (_ops_with(program, watch) for watch in (Watch.ALWAYS, Watch.RUNNING_TOTAL, Watch.DIFFERENCE))
    return program.derive(decisive_ops).union(*always)


def ops_checked_in_loops(program: BoundProgram) -> frozenset[int]:
    """The ops that are also checked after each iteration of a loop over scalars, whose iterations run at once."""
    return _ops_with(program, Watch.RUNNING_TOTAL)


def signalled_ops(program: BoundProgram) -> frozenset[int]:
    """The ops that are checked after a step that raised a flag."""
    return _ops_with(program, Watch.SIGNALLED)


def nan_losing_ops(program: BoundProgram) -> frozenset[int]:
    """The ops in which a NaN may be lost: they are checked after each step once there has been one."""
    return _ops_with(program, Watch.AFTER_NAN)


def _ops_with(program: BoundProgram, watch: Watch) -> frozenset[int]:
    rules = program.derive(rules_by_op)
    return frozenset(op for op, watches in enumerate(rules) if watch in watches.values())
