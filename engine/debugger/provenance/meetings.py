"""What came from other processes: in a rendezvous, in a message, and in and out of grids that a step opened."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from ...errors import ProgramError
from ...ops.manual_computation import ManualComputation
from ...ops.point_to_point import PointToPoint
from ...program import BoundOperation
from ..address import Address
from ..map_operands import meeting_at, place_of
from ..pieces import end_of
from .frames import Reader
from .link import End, Link
from .op_maps import Reading, readings
from .relations import Kind, Mapped, Placed, Relation, Whole
from .run import RecordedRun

Runtime = Callable[[int, int], Reader]


def met(
    run: RecordedRun, address: Address, reading: Reading, runtime: Runtime, only: int | None
) -> Iterator[Link]:
    """What of the operands of those who met, or of one of them, went into a result."""
    process, step = address.process, address.number
    bound = run.bound(process, step)
    if not reading.has_places and not _is_opaque(reading):
        yield from _here(run, address, reading, runtime)
        return
    meeting = meeting_at(run.recording, process, step)
    awaited = run.awaited(process, step)
    for other in _asked_for(awaited, only):
        if meeting is None or other not in meeting.arrivals:
            continue
        there, _ = meeting.arrivals[other]
        leaves = run.operand_leaves(run.bound(other, there))
        if reading.operand >= len(leaves):
            continue
        source = run.operand_leaf(other, there, leaves[reading.operand])
        if not run.is_tensor(source):
            continue
        shapes = run.shape(source), run.shape(address)
        if _is_opaque(reading):
            yield Link(source, address, Kind.OPAQUE, Whole(*shapes), reading.operand, _from(run, other))
            continue
        back = run.awaited(other, there)
        if process not in back:
            continue
        relation = Placed(
            *shapes,
            reading,
            (runtime(process, step), runtime(other, there)),
            ((process, step), (other, there)),
            (awaited[other], back[process]),
            (len(awaited), len(back)),
            run.last_image,
        )
        kind = reading.kind if reading.kind is Kind.INDEX else _moving(bound)
        yield Link(source, address, kind, relation, reading.operand, _from(run, other))


def _asked_for(awaited: Mapping[int, int], only: int | None) -> Iterable[int]:
    if only is None:
        return awaited
    return [only] if only in awaited else []


def _here(run: RecordedRun, address: Address, reading: Reading, runtime: Runtime) -> Iterator[Link]:
    process, step = address.process, address.number
    leaves = run.operand_leaves(run.bound(process, step))
    if reading.operand >= len(leaves):
        return
    source = run.operand_leaf(process, step, leaves[reading.operand])
    if run.is_tensor(source):
        shapes = run.shape(source), run.shape(address)
        relation = Mapped(*shapes, reading, runtime(process, step))
        yield Link(source, address, reading.kind, relation, reading.operand)


def _is_opaque(reading: Reading) -> bool:
    return any(item.map.is_undefined for item in reading.items)


def _moving(bound: BoundOperation) -> Kind:
    reduces = any(word in bound.operation.name for word in ("reduce", "sum"))
    return Kind.COMBINED if reduces else Kind.MOVED


def _from(run: RecordedRun, process: int) -> str:
    found = place_of(run.recording, process).process
    return f"from process ({found.replica_id}, {found.partition_id})"


# Manual computations


def cut(
    run: RecordedRun, address: Address, opener: int, op: ManualComputation, operands: Reader
) -> Iterator[Link]:
    """The part of an operand that the process takes."""
    source = run.operand_leaf(address.process, opener, (address.index, ()))
    for reading in readings(op.cut_maps(), lambda: op.cut_maps(inverse=True)):
        if reading.result == address.index and reading.operand == address.index:
            shapes = run.shape(source), run.shape(address)
            relation = Mapped(*shapes, reading, operands)
            yield Link(source, address, Kind.DATA, relation, address.index, "the part of this process")


def joined(
    run: RecordedRun, address: Address, op: ManualComputation, runtime: Runtime, only: int | None
) -> Iterator[Link]:
    """The parts that those who met, or one of them, have returned."""
    process, step = address.process, address.number
    meeting = meeting_at(run.recording, process, step)
    awaited = run.awaited(process, step)
    for reading in readings(op.joined_maps(), lambda: op.joined_maps(inverse=True)):
        if reading.result != address.index:
            continue
        for other in _asked_for(awaited, only):
            if meeting is None or other not in meeting.arrivals:
                continue
            there, _ = meeting.arrivals[other]
            opened = run.steps(other).opened_by(there)
            source = run.returned(other, int(opened[-1]), (reading.operand, ())) if len(opened) else None
            if source is None:
                continue
            shapes = run.shape(source), run.shape(address)
            if not reading.has_places:
                if other == process:
                    relation: Relation = Mapped(*shapes, reading, runtime(process, step))
                    yield Link(source, address, Kind.HANDED, relation)
                continue
            back = run.awaited(other, there)
            relation = Placed(
                *shapes,
                reading,
                (runtime(process, step), runtime(other, there)),
                ((process, step), (other, there)),
                (awaited[other], back[process]),
                (len(awaited), len(back)),
                run.last_image,
            )
            yield Link(source, address, Kind.MOVED, relation, None, _from(run, other))


# Messages


def sent(run: RecordedRun, address: Address) -> Address | None:
    """The value that was sent to be what was received; `None` if it came from no process."""
    meeting = meeting_at(run.recording, address.process, address.number)
    if meeting is None or not meeting.is_message:
        return None
    found = end_of(run.recording, meeting, sends=True)
    if found is None:
        return None
    sender, there, _ = found
    leaves = [
        leaf
        for leaf in run.operand_leaves(run.bound(sender, there))
        if run.is_tensor(run.operand_leaf(sender, there, leaf))
    ]
    number = received_number(run, address)
    return run.operand_leaf(sender, there, leaves[number]) if number < len(leaves) else None


def received_number(run: RecordedRun, address: Address) -> int:
    """Which of the values that were received one is."""
    bound = run.bound(address.process, address.number)
    return run.result_leaves(bound).index((address.index, address.path))


def unsent(run: RecordedRun, address: Address, op: PointToPoint) -> tuple[End, str]:
    """Why something received has no origin: the kind of end, and a sentence."""
    try:
        route = op.route(place_of(run.recording, address.process))
    except ProgramError:  # which is said where the run has stopped
        route = None
    if route is None:
        return End.CONSTANT, "Nobody sends to this process: it has zeros."
    where = {"feed": "the queue that feeds the process", "host": "the host"}.get(route.kind, "a channel")
    return End.OPAQUE, f"It came from {where}."


# Grids that a step opened


def team_operand(run: RecordedRun, address: Address, opener: tuple[int, int]) -> Address:
    """The operand of `run_parallel` that is an argument of a process's function."""
    process, step = opener
    team = run.recording.teams[run.recording.tracks[address.process].team]
    before = sum(
        len(run.steps(number).block_of(0).arguments) for number in team.numbers if number < address.process
    )
    return run.operand_leaf(process, step, (before + address.index, address.path))


def team_result(run: RecordedRun, address: Address) -> Address | None:
    """What a process returned that is a result of `run_parallel`."""
    opener = (address.process, address.number)
    team = next(team for team in run.recording.teams if team.opener == opener)
    left = address.index
    for number in team.numbers:
        end = run.steps(number).end_of(0)
        if end is None:
            return None
        count = len(run.bound(number, end).operands)
        if left < count:
            return run.operand_leaf(number, end, (left, address.path))
        left -= count
    return None
