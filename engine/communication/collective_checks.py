"""The rules of the check: what the text and a dry run of a program show about its collectives.

An error is a run that fails or waits forever. A warning is a program that is right only if its processes agree on a
value, or only by chance. A note states a fact that is easy to overlook.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, combinations

from ..errors import Diagnostic, ProgramError, RunError, Severity
from ..limits import DEFAULT_LIMITS, Limits
from ..ops.collectives.collective_rules import CollectiveOp
from ..ops.collectives.point_to_point import PointToPoint
from ..ops.control_flow.control_flow import Branching
from ..ops.core.exchanges import GridPosition
from ..ops.core.process_groups import Grid, ProcessId, replicas_or_partitions
from ..ops.sharding.manual_computation import ManualComputation
from ..process_grid.deadlock import DeadlockError
from ..program import BoundFunction, BoundOperation, BoundProgram
from ..run_errors import attribute_error
from ..sharded_runs.sharded_inputs import needed_grid
from ..sharded_runs.shown_shardings import ShownSharding, ShownShardings
from ..sharding.notation.stated_shardings import StatedShardings
from .dry_run import Decision, DryRun
from .program_facts import Communication

MAX_STEPS = 100_000
"""Maximum number of steps of a dry run, of all processes; the check ignores what it does not reach."""

_MAX_LINES = 2
"""Maximum number of waiting processes described; a recorded run describes more."""


def check_collectives(
    program: BoundProgram, function: BoundFunction, grid: Grid | None = None, limits: Limits = DEFAULT_LIMITS
) -> tuple[Diagnostic, ...]:
    """Errors, warnings and notes on the collectives that a function executes, in text order.

    They depend on `grid`, by default the one that the program requires, and on the grids that its ops start; on one
    process there are none.
    """
    communication = Communication(program, function)
    try:
        grid = grid or needed_grid(program, function)
    except ProgramError:  # a run that needs the sharding reports it as invalid
        return ()
    sizes = [grid.num_processes, *(each.num_processes for each, _ in communication.launches)]
    if max(sizes) < 2 or sum(sizes) > limits.max_processes:
        return ()
    found = _Checks(communication, function, grid, limits).run()
    return tuple(sorted(found, key=lambda each: each.span.start))


class _Checks:
    def __init__(
        self, communication: Communication, function: BoundFunction, grid: Grid, limits: Limits
    ) -> None:
        self._communication, self._function, self._grid, self._limits = communication, function, grid, limits
        self._program = communication.program

    def run(self) -> list[Diagnostic]:
        """The diagnostics of all rules; a dry run needs groups and pairs that fit the grid."""
        terms = list(self._returned_terms())
        if not self._communication.exchanges:
            return terms
        wrong_groups = list(self._group_errors())
        if wrong_groups:
            return [*terms, *wrong_groups]
        is_open = any(self._program.ops[op].dynamic for op in self._communication.reachable)
        return [*terms, *self._ring_gaps(), *([] if is_open else self._dry_run())]

    def _diagnostic(self, op: int, severity: Severity, message: str, hint: str) -> Diagnostic:
        error = attribute_error(RunError(message, hint=hint), self._program.ops[op])
        return error.diagnostic(severity)

    def _places(self, op: int) -> Iterator[GridPosition]:
        """The processes that may execute an op."""
        return chain.from_iterable(map(GridPosition.all_of, self._communication.grids_of(op, self._grid)))

    # Groups and pairs

    def _group_errors(self) -> Iterator[Diagnostic]:
        """Groups and pairs that name processes outside the grid, or leave some out."""
        for bound in self._communication.exchanges:
            try:
                for place in self._places(bound.id):
                    _awaited(bound, place)
            except RunError as error:
                always_runs = bound.id in self._communication.unconditional
                yield attribute_error(error, bound).diagnostic("error" if always_runs else "warning")

    def _ring_gaps(self) -> Iterator[Diagnostic]:
        """Permutes whose pairs are a ring but for one pair."""
        for bound in self._communication.exchanges:
            op = bound.op.unpacked
            pairs = getattr(op, "source_target_pairs", None)
            if not isinstance(op, CollectiveOp) or pairs is None:
                continue
            strategy = replicas_or_partitions(op.channel)
            grid = self._communication.grids_of(bound.id, self._grid)[0]
            gap = _gap_of_ring(pairs.rows, strategy.id_count(grid))
            if gap is not None:
                target = f"{strategy.noun} {gap[1]}"
                message = (
                    f"source_target_pairs is a ring without the pair {list(gap)}: "
                    f"{target} is the target of no pair and receives zeros"
                )
                yield self._diagnostic(bound.id, "note", message, f"add {list(gap)} if {target} needs values")

    # Results that are stated to be terms

    def _returned_terms(self) -> Iterator[Diagnostic]:
        """Results of the function that are stated to be unreduced."""
        stated = StatedShardings(self._program.module)
        for number, value in enumerate(self._program.blocks[self._function.block].operations[-1].operands):
            tilings = stated.of_result(self._function.function, number) or ()
            terms = max((tiling.terms for tiling in tilings), default=1)
            if terms > 1:
                message = (
                    f"result {number} is stated to be unreduced: "
                    f"each device returns one of {terms} terms, and no collective adds them"
                )
                hint = "reduce it over these devices, unless the caller does"
                yield self._diagnostic(self._maker(value), "note", message, hint)

    # The dry run

    def _dry_run(self) -> Iterator[Diagnostic]:
        statements = dict(self._statements())
        run = DryRun(self._communication, self._function, self._grid, frozenset(statements), self._limits)
        failure: ProgramError | None = None
        try:
            run.run(stop=MAX_STEPS)
        except ProgramError as error:
            failure = error
        dry = run.dry
        disagreements = [op for op, made in sorted(dry.decisions.items()) if self._may_disagree(op, made)]
        yield from map(self._disagreement, disagreements)
        if isinstance(failure, RunError) and not disagreements:
            yield _stop(failure, is_certain=dry.all_decisions_known)
        for op, overlap in dry.overlaps.items():
            message = f"{overlap}: which slice remains depends on their order"
            yield self._diagnostic(
                op, "warning", message, "let output_offsets give each sender separate rows"
            )
        if failure is None:
            yield from self._unreduced(run, statements)

    def _may_disagree(self, op: int, decisions: dict[ProcessId, list[Decision]]) -> bool:
        """Whether processes that wait for each other inside an op may have decided differently there."""
        bound = self._program.ops[op]
        if isinstance(bound.op.unpacked, Branching) and not self._communication.branches_differ(bound):
            return False
        groups = (_awaited(inner, place) for inner in self._exchanges(bound) for place in self._places(op))
        return any(
            len({decision.label for decision in each}) > 1 and not all(decision.is_known for decision in each)
            for group in dict.fromkeys(groups)
            for each in zip(*(decisions.get(process, []) for process in group), strict=False)
        )

    def _exchanges(self, bound: BoundOperation) -> list[BoundOperation]:
        """The collectives and transfers that the regions of an op execute."""
        found = (inner for block in bound.regions for inner in self._communication.exchanges_in(block))
        return [inner for inner in found if not inner.op.findings.awaits_outcomes]

    def _disagreement(self, op: int) -> Diagnostic:
        """The warning of a branch or loop on a value that may differ between processes."""
        bound = self._program.ops[op]
        first, *others = dict.fromkeys(inner.id for inner in self._exchanges(bound))
        name = f"{self._program.ops[first].operation.spelled} at line {self._program.line_of(first)}"
        name += f" and {len(others)} more" if others else ""
        if isinstance(bound.op.unpacked, Branching):
            decides, part = "predicate", f"its branches execute different collectives ({name})"
            then = "they wait for each other forever"
        else:
            decides, part = "condition", f"its body executes {name}"
            then = "one iterates more often than another and waits forever"
        message = (
            f"{part}: if processes of a group disagree on the {decides}, {then}; "
            "the program does not show that it is the same in all of them"
        )
        hint = f"compute the {decides} from a value that they share, such as the result of an all_reduce"
        return self._diagnostic(op, "warning", message, hint)

    # Returned values that are stated to be copies

    def _statements(self) -> Iterator[tuple[int, ShownSharding]]:
        """The values that the function and its manual computations return, with their stated shardings."""
        shown = ShownShardings(self._program, self._function)
        ops = (self._program.ops[op] for op in sorted(self._communication.reachable))
        bodies = (bound.regions[0] for bound in ops if isinstance(bound.op, ManualComputation))
        for block in (self._function.block, *bodies):
            for value in self._program.blocks[block].operations[-1].operands:
                sharding = shown.of(value)
                if sharding is not None and len(sharding.tilings) == 1:
                    yield value, sharding

    def _unreduced(self, run: DryRun, statements: dict[int, ShownSharding]) -> Iterator[Diagnostic]:
        """Returned values that are stated to be copies, and that no collective made the same."""
        values, places = run.dry.values, list(GridPosition.all_of(self._grid))
        for value, sharding in statements.items():
            returned = run.dry.returned.get(value, {})
            groups = ([places[k].process for k in group] for group in sharding.copies(self._grid))
            pairs = chain.from_iterable(
                combinations(filter(returned.__contains__, group), 2) for group in groups
            )
            for pair in pairs:
                one, other = (returned[process] for process in pair)
                if values.have_separate_roots(one, other):
                    yield self._unreduced_value(value, pair, values.roots((one,)) - values.roots((other,)))
                    break

    def _unreduced_value(
        self, value: int, pair: tuple[ProcessId, ProcessId], roots: frozenset[object]
    ) -> Diagnostic:
        names = sorted(root[0] for root in roots if isinstance(root, tuple))
        own = f" of {names[0]}" if names else ""
        first, second = (f"({process.replica_id}, {process.partition_id})" for process in pair)
        message = (
            f"{self._program.values[value].name} is stated to be the same in processes {first} and {second}, "
            f"but each computes it from its own part{own}, and no collective joins the two"
        )
        hint = "reduce it over these processes, or state a sharding in which they have different parts"
        return self._diagnostic(self._maker(value), "warning", message, hint)

    def _maker(self, value: int) -> int:
        """The op whose result a value is; for an argument, the one that ends its block."""
        maker = self._program.makers[value]
        return maker.op if maker.op is not None else self._program.blocks[maker.block].operations[-1].id


def _awaited(bound: BoundOperation, place: GridPosition) -> tuple[ProcessId, ...]:
    """The processes that a process waits for in an op, itself included; `RunError` for groups that do not fit."""
    op = bound.op.unpacked
    if isinstance(op, CollectiveOp):
        peers = op.peers(place)
        return peers.awaited if peers else ()
    route = op.route(place) if isinstance(op, PointToPoint) else None
    return tuple(end for end in (route.source, route.target) if end is not None) if route else ()


def _stop(failure: RunError, *, is_certain: bool) -> Diagnostic:
    """The diagnostic of a failed dry run; of a deadlock, with the first waits only."""
    found = failure.diagnostic("error" if is_certain else "warning")
    lines = [found.message]
    if isinstance(failure, DeadlockError):
        waits = failure.report.lines[:_MAX_LINES]
        more = len(failure.report.waits) - _MAX_LINES
        lines = [failure.report.sentence, *waits]
        lines += [f"{more} more wait{'s' * (more == 1)}"] if more > 0 else []
    joined = "\n".join(lines)
    stops = "every run stops here" if is_certain else "a run may stop here"
    return replace(found, message=f"{stops}: {joined}")


def _gap_of_ring(pairs: Sequence[Sequence[int]], count: int) -> tuple[int, int] | None:
    """The pair that is missing from a ring of all `count` ids with one stride.

    A chain from the first id to the last, or back, is a shift without a gap.
    """
    if len(pairs) != count - 1 or len({(target - source) % count for source, target in pairs}) != 1:
        return None
    source = (set(range(count)) - {source for source, _ in pairs}).pop()
    target = (set(range(count)) - {target for _, target in pairs}).pop()
    return None if source == target or {source, target} == {0, count - 1} else (source, target)
