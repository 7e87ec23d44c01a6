"""The rules of the check: what a dry run and the text of a program show about its collectives.

An error is a run that must fail or wait forever; a warning is a program that is right only if its processes agree
on a value; a note states a fact that is easy to overlook.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

from ..errors import Diagnostic, ProgramError, RunError, Severity
from ..limits import DEFAULT_LIMITS, Limits
from ..ops.collectives.collective_rules import CollectiveOp
from ..ops.control_flow.control_flow import Branching
from ..ops.core.exchanges import GridPosition
from ..ops.core.process_groups import Grid, ProcessId, replicas_or_partitions
from ..ops.sharding.manual_computation import ManualComputation
from ..program import BoundFunction, BoundOperation, BoundProgram
from ..run_errors import attribute_error
from ..sharded_runs.shown_shardings import ShownSharding, ShownShardings
from .communication import Communication
from .dry_run import Decision, DryRun
from .dry_values import PROCESS_ID

MAX_STEPS = 200_000
"""Maximum number of steps of a dry run, of all processes; what it has not reached is not checked."""


def check_collectives(
    program: BoundProgram, function: BoundFunction, grid: Grid, limits: Limits = DEFAULT_LIMITS
) -> tuple[Diagnostic, ...]:
    """Errors, warnings and notes on the collectives of a function that `grid` runs, in the order of the text."""
    communication = Communication(program, function)
    if grid.num_processes < 2 or grid.num_processes > limits.max_processes or not communication.ops:
        return ()
    found = _Checks(communication, function, grid, limits).run()
    return tuple(sorted(found, key=lambda each: each.span.start))


class _Checks:
    def __init__(
        self, communication: Communication, function: BoundFunction, grid: Grid, limits: Limits
    ) -> None:
        self._communication, self._function, self._grid, self._limits = communication, function, grid, limits
        self._program = communication.program
        self._places = [
            GridPosition(ProcessId(*divmod(number, grid.num_partitions)), grid)
            for number in range(grid.num_processes)
        ]

    def run(self) -> list[Diagnostic]:
        found = [*self._group_errors(), *self._ring_gaps()]
        is_open = any(self._program.ops[op].dynamic for op in self._communication.reachable)
        if not is_open and not any(each.severity == "error" for each in found):
            found += self._dry_run({each.span.start for each in found})
        return found

    # Groups and pairs

    def _group_errors(self) -> Iterator[Diagnostic]:
        """Groups and pairs that name processes outside the grid, or leave some out."""
        for bound in self._communication.ops:
            for place in self._places:
                try:
                    _find_peers(bound, place)
                except RunError as error:
                    runs = bound.id in self._communication.unconditional
                    yield attribute_error(error, bound).diagnostic("error" if runs else "warning")
                    break

    def _ring_gaps(self) -> Iterator[Diagnostic]:
        """Permutes whose pairs are a ring but for one pair."""
        for bound in self._communication.ops:
            op = bound.op.unpacked
            pairs = getattr(op, "source_target_pairs", None)
            if not isinstance(op, CollectiveOp) or pairs is None:
                continue
            strategy = replicas_or_partitions(op.channel)
            gap = _gap_of_ring(pairs.rows, strategy.id_count(self._grid))
            if gap is None:
                continue
            source, target = gap
            noun = strategy.noun
            message = (
                f"source_target_pairs is a ring without the pair [{source}, {target}]: {noun} {target} is the target "
                f"of no pair and receives zeros"
            )
            yield self._diagnostic(
                bound, message, "note", f"add [{source}, {target}] if {noun} {target} needs values"
            )

    # The dry run

    def _dry_run(self, reported: set[int]) -> Iterator[Diagnostic]:
        statements = dict(self._statements())
        run = DryRun(self._communication, self._function, self._grid, frozenset(statements), self._limits)
        failure: ProgramError | None = None
        try:
            run.run(stop=MAX_STEPS)
        except ProgramError as error:
            failure = error
        decisions = run.dry.decisions
        disagreements = [op for op in sorted(decisions) if self._may_disagree(op, decisions[op])]
        yield from (self._disagreement(self._program.ops[op]) for op in disagreements)
        if isinstance(failure, RunError) and not disagreements and failure.span.start not in reported:
            is_certain = all(
                each.is_known for found in decisions.values() for rest in found.values() for each in rest
            )
            yield failure.diagnostic("error" if is_certain else "warning")
        for op, overlap in run.dry.overlaps.items():
            message = f"{overlap}: which slice remains depends on their order"
            hint = "give each sender rows of its own in output_offsets"
            yield self._diagnostic(self._program.ops[op], message, "warning", hint)
        if failure is None:
            yield from self._unreduced(run, statements)

    def _may_disagree(self, op: int, decisions: dict[ProcessId, list[Decision]]) -> bool:
        """Whether processes that meet in what an op runs may choose differently, for all that the text shows."""
        bound = self._program.ops[op]
        if (
            isinstance(bound.op.unpacked, Branching)
            and len(set(map(self._communication.signature, bound.regions))) == 1
        ):
            return False
        for group in self._groups_in(bound):
            made = [decisions.get(process, []) for process in group]
            for each in zip(*made, strict=False):
                if len({decision.label for decision in each}) > 1 and not all(d.is_known for d in each):
                    return True
        return False

    def _groups_in(self, bound: BoundOperation) -> Iterator[tuple[ProcessId, ...]]:
        """The groups of processes that wait for each other in the regions of an op."""
        for inner in self._exchanges(bound):
            for place in self._places:
                yield _find_peers(inner, place)

    def _exchanges(self, bound: BoundOperation) -> list[BoundOperation]:
        found = dict.fromkeys(
            inner.id
            for block in bound.regions
            for inner in self._communication.exchanges_in(block)
            if not inner.op.findings.awaits_outcomes
        )
        return [self._program.ops[op] for op in found]

    def _disagreement(self, bound: BoundOperation) -> Diagnostic:
        exchanges = self._exchanges(bound)
        first = exchanges[0]
        name = f"{first.operation.spelled} at line {self._program.line_of(first.id)}"
        others = f" and {len(exchanges) - 1} more" if len(exchanges) > 1 else ""
        if isinstance(bound.op.unpacked, Branching):
            message = (
                f"its branches execute different collectives ({name}{others}): if processes of a group disagree on the "
                f"predicate, they wait for each other forever; nothing in the program makes it the same in all of them"
            )
            hint = "compute the predicate from values that all processes share, such as the result of an all_reduce"
        else:
            message = (
                f"its body executes {name}{others}: if processes of a group disagree on the condition, one iterates "
                f"more often and waits forever; nothing in the program makes it the same in all of them"
            )
            hint = "compute the condition from values that all processes share, such as the result of an all_reduce"
        return self._diagnostic(bound, message, "warning", hint)

    # Results that are stated to be copies

    def _statements(self) -> Iterator[tuple[int, ShownSharding]]:
        """The returned values with their stated shardings: of the function and of manual computations."""
        shown = ShownShardings(self._program, self._function)
        blocks = [self._function.block]
        for op in sorted(self._communication.reachable):
            bound = self._program.ops[op]
            if isinstance(bound.op, ManualComputation):
                blocks.append(bound.regions[0])
        for block in blocks:
            for value in self._program.blocks[block].operations[-1].operands:
                found = shown.of(value)
                if found is not None and len(found.tilings) == 1:
                    yield value, found

    def _unreduced(self, run: DryRun, statements: dict[int, ShownSharding]) -> Iterator[Diagnostic]:
        """Returned values that are stated to be copies although no collective joined what they depend on."""
        values = run.dry.values
        for value, shown in statements.items():
            returned = run.dry.returned.get(value, {})
            for group in shown.copies(self._grid):
                processes = [self._places[number].process for number in group]
                if not all(process in returned for process in processes):
                    continue
                pairs = combinations(processes, 2)
                found = next((pair for pair in pairs if _depends_on_own_part(values, returned, pair)), None)
                if found is not None:
                    yield self._unreduced_value(
                        value,
                        found,
                        values.roots((returned[found[0]],)) - values.roots((returned[found[1]],)),
                    )
                    break

    def _unreduced_value(
        self, value: int, pair: tuple[ProcessId, ProcessId], roots: Iterable[object]
    ) -> Diagnostic:
        maker = self._program.makers[value].op
        name = self._program.values[value].name
        names = sorted({root[0] for root in roots if isinstance(root, tuple)})
        own = f" of {names[0]}" if names else ""
        first, second = (f"({process.replica_id}, {process.partition_id})" for process in pair)
        message = (
            f"{name} is returned as the same in processes {first} and {second}, but each computes it from its own "
            f"part{own}, and no collective joins the two"
        )
        hint = "reduce it over these processes, or state a sharding in which they have different parts"
        assert maker is not None
        return self._diagnostic(self._program.ops[maker], message, "warning", hint)

    def _diagnostic(self, bound: BoundOperation, message: str, severity: Severity, hint: str) -> Diagnostic:
        return attribute_error(RunError(message, hint=hint), bound).diagnostic(severity)


def _find_peers(bound: BoundOperation, place: GridPosition) -> tuple[ProcessId, ...]:
    """The processes that a process waits for in an op, itself included; `RunError` for groups that do not fit."""
    op = bound.op.unpacked
    if isinstance(op, CollectiveOp):
        peers = op.peers(place)
        return peers.awaited if peers else ()
    route = op.route(place) if hasattr(op, "route") else None
    return tuple(end for end in (route.source, route.target) if end is not None) if route else ()


def _gap_of_ring(pairs: Sequence[Sequence[int]], count: int) -> tuple[int, int] | None:
    """The pair that is missing from a ring of all `count` ids with one stride.

    A chain from the first id to the last, or back, is a shift without a gap.
    """
    if len(pairs) != count - 1 or len({(target - source) % count for source, target in pairs}) != 1:
        return None
    source = (set(range(count)) - {source for source, _ in pairs}).pop()
    target = (set(range(count)) - {target for _, target in pairs}).pop()
    return None if source == target or {source, target} == {0, count - 1} else (source, target)


def _depends_on_own_part(values, returned, pair) -> bool:
    first, second = (returned[process] for process in pair)
    if values.label(first) == values.label(second):
        return False
    one, other = values.roots((first,)), values.roots((second,))
    return PROCESS_ID not in one | other and bool(one - other) and bool(other - one)
