"""The log of a recording: what ops did wrong, a few numbers for each step in which something happened."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType

import numpy as np

from ..events import Iterated
from ..ops.core.op import Array
from ..ops.core.quiet import Signals
from ..ops.core.ranks import NAN, holds_nan, is_finite, is_inexact, ranks_of, worst_rank
from ..ops.core.values import leaves
from ..program import BoundOperation, BoundProgram
from ..remote_values import any_remote, local, remote_facts
from ..scalar_loops import Instruction
from .births import chosen_nan_faults, constants, nan_choices
from .finding import Fault, FaultKind, FaultTally, Occurrence
from .kind import Rule, Watch
from .kinds import check, nan_losing_ops, rules_by_op, rules_without_flags

Arrays = tuple[Array, ...]
StepLocation = tuple[int, int, int]
"""A process, one of its steps, and the iteration of the loop body around the step."""
_CHECK_COST, _ARRAY_COST = 1 << 14, 1 << 12
"""The cost of checking one op, and of one array, in elements that could be scanned in the same time."""


def start_log(program: BoundProgram, inputs: Iterable[Array], checked: set[int]) -> FindingLog:
    """The log of a run with these inputs; `checked` are the ops that are checked after each step, which it may change."""
    choices = program.derive(nan_choices)
    checked.update(choices)
    scan = InputScan(inputs)
    watch = LostNanWatch(checked, program.derive(nan_losing_ops), scan)
    if program.derive(_has_nan_constant):
        watch.note_nan()
    rules = program.derive(rules_by_op), program.derive(rules_without_flags)
    return FindingLog(*rules, scan, watch, choices)


def _has_nan_constant(program: BoundProgram) -> bool:
    return any(holds_nan(leaf) for _, value in constants(program) for leaf in leaves(value))


class FindingLog:
    """The findings so far, by op and kind, in the order of the first steps."""

    def __init__(
        self,
        rules: Sequence[Mapping[Rule, Watch]] = (),
        unsignalled: Sequence[Iterable[Rule]] = (),
        inputs: InputScan | None = None,
        watch: LostNanWatch | None = None,
        choices: Mapping[int, tuple[int, ...]] = MappingProxyType({}),
    ) -> None:
        """`rules` are those that each op may break, by its number; without them nothing is found.

        `unsignalled` are those of them that an op may break in a step that raises no flag.
        `choices` are the selects that may take a NaN constant, with the numbers of the operands that are NaN.
        """
        self._rules, self._unsignalled = rules, unsignalled
        self.may_be_remote = False
        """Whether an executor computes values."""
        self.inputs = inputs or InputScan()
        self._watch = watch or LostNanWatch(set(), frozenset(), self.inputs)
        self._choices = choices
        self._tallies: dict[tuple[int, FaultKind], FaultTally] = {}
        self._count = 0

    @property
    def count(self) -> int:
        """A number that grows with each finding: the steps with faults, and the inputs that are not finite."""
        return self._count + self.inputs.count

    @property
    def fault_count(self) -> int:
        """Number of steps with faults."""
        return self._count

    @property
    def tallies(self) -> Mapping[tuple[int, FaultKind], FaultTally]:
        return self._tallies

    def check(
        self, bound: BoundOperation, operands: Arrays, results: Arrays, signals: Signals
    ) -> Sequence[Fault]:
        """What an op did wrong in a step."""
        self._watch.note_check(bound.id, operands)
        found = self.faults(bound, operands, results, signals)
        return [*found, *self._chosen(bound, operands, results)] if bound.id in self._choices else found

    def _chosen(self, bound: BoundOperation, operands: Arrays, results: Arrays) -> Iterable[Fault]:
        known = remote_facts(results[0])
        if known is not None and not known.range.nan:
            return ()
        choices = self._choices[bound.id]
        return chosen_nan_faults(tuple(map(local, operands)), local(results[0]), choices)

    def check_loop(
        self, ops: Iterable[BoundOperation], process: int, event: Iterated, signals: Signals
    ) -> None:
        """Note what the ops of a loop over scalars did wrong, whose iterations one event reports together."""
        for bound, step, iteration, fault in self._loop_faults(ops, event, signals):
            self.add(bound.id, Occurrence(process, step, iteration, fault))

    def faults(
        self, bound: BoundOperation, operands: Arrays, results: Arrays, signals: Signals
    ) -> Sequence[Fault]:
        """The faults of an op in a step, by each rule."""
        by_op: Sequence[Iterable[Rule]] = self._rules if signals else self._unsignalled
        rules = by_op[bound.id] if by_op else ()
        if self.may_be_remote and rules and (any_remote(operands) or any_remote(results)):
            rules = [rule for rule in rules if rule.may_find(bound.op.unpacked, operands, results)]
            if rules:
                operands, results = tuple(map(local, operands)), tuple(map(local, results))
        return check(bound.op, rules, operands, results, signals) if rules else ()

    def add(self, op: int, occurrence: Occurrence) -> None:
        """Note one step in which op number `op` did wrong."""
        self._count += 1
        kind = occurrence.fault.kind
        if kind in ("nan", "swallowed_nan"):
            self._watch.note_nan()
        self._tallies.setdefault((op, kind), FaultTally.start(op, occurrence)).add(occurrence)

    def _loop_faults(
        self, ops: Iterable[BoundOperation], event: Iterated, signals: Signals
    ) -> Iterator[tuple[BoundOperation, int, int, Fault]]:
        """Each op of a loop over scalars that did wrong, with the step, the iteration and the fault.

        The ops are elementwise: each is checked once for all iterations, and only where that finds something, one by one.
        """
        loop = event.loop
        instructions = {found[2]: found for found in (*loop.condition, *loop.body)}
        columns = None
        for position, (bound, slot) in enumerate(zip(ops, loop.result_places, strict=True)):
            instruction = instructions.get(slot) if isinstance(slot, int) else None
            watches = self._rules[bound.id].values() if self._rules else ()
            if instruction is None or not (signals or Watch.RUNNING_TOTAL in watches):
                continue
            columns = columns or event.columns()
            for iteration, fault in self._iteration_faults(bound, instruction, columns, signals):
                step = event.step + iteration * len(loop.ops) + position
                yield bound, step, event.iteration + iteration, fault

    def _iteration_faults(
        self, bound: BoundOperation, instruction: Instruction, columns: Mapping[int, Array], signals: Signals
    ) -> Iterator[tuple[int, Fault]]:
        _, read, made = instruction
        operands = tuple(columns[slot] for slot in read)
        if not self.faults(bound, operands, (columns[made],), signals):
            return
        for iteration in range(len(columns[made])):
            scalars = tuple(np.asarray(operand[iteration]) for operand in operands)
            for fault in self.faults(bound, scalars, (np.asarray(columns[made][iteration]),), signals):
                yield iteration, fault


class InputScan:
    """Finds NaN and infinities in the inputs of a run, in values from outside and in what is fed to it.

    It scans them once, and not before the answer is needed: the weights of a network hold many times as many elements as a
    step computes of them, and scanning them takes a good part of the time of a run.
    """

    def __init__(self, values: Iterable[Array] = ()) -> None:
        self.values = tuple(values)

    @cached_property
    def count(self) -> int:
        """Number of values that hold something that is not finite."""
        return sum(any(id(leaf) in self._bad for leaf in leaves(value)) for value in self.values)

    @property
    def has_nan(self) -> bool:
        return NAN in self._bad.values()

    def is_finite(self, leaf: Array) -> bool:
        """Whether one of the arrays, or an array in one of the tuples, holds neither NaN nor infinities."""
        return id(leaf) not in self._bad

    @cached_property
    def _bad(self) -> dict[int, int]:
        """The arrays that are not finite, by `id`, with the worst rank in each; several processes may share one array."""
        each = {id(leaf): leaf for value in self.values for leaf in leaves(value)}
        return {
            key: worst_rank([ranks_of(leaf)])
            for key, leaf in each.items()
            if is_inexact(leaf.dtype) and not is_finite(leaf)
        }


class LostNanWatch:
    """Keeps the ops in which a NaN may be lost among the checked ones while there may be a NaN in the run.

    At first it is unknown whether the inputs hold one. Until then the ops are checked: most of them read less than the inputs
    hold. Once the checks have cost as much as a scan of the inputs, the inputs are scanned.
    """

    def __init__(self, checked: set[int], ops: frozenset[int], inputs: InputScan) -> None:
        """`checked` are the ops that are checked after each step; `ops` are added to them, and may be removed again."""
        self._checked, self._ops, self._inputs = checked, ops, inputs
        self._undecided = ops - checked
        self._cost = 0
        checked |= ops

    def note_check(self, op: int, operands: Sequence[Array]) -> None:
        """Count the cost of checking an op."""
        if op not in self._undecided:
            return
        self._cost += _CHECK_COST + sum(operand.size for operand in operands)
        if self._cost > self._scan_cost:
            self._decide()

    @cached_property
    def _scan_cost(self) -> int:
        """The cost of scanning the inputs, in elements."""
        return sum(_ARRAY_COST + value.size for value in self._inputs.values)

    def note_nan(self) -> None:
        """Check all of the ops from now on."""
        self._checked |= self._ops
        self._ops = self._undecided = frozenset()

    def _decide(self) -> None:
        if self._inputs.has_nan:
            self.note_nan()
        self._checked -= self._undecided
        self._undecided = frozenset()
