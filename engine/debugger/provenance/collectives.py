"""Links between processes: collectives, messages, and grids that a step opened."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ...errors import ProgramError
from ...ops.collectives.point_to_point import PointToPoint
from ...ops.core.bases import Partitioned
from ...program import BoundOperation
from ..address import Address
from ..map_operands import execution_at, place_of
from ..pieces import end_of
from .frames import Reader
from .link import End, Link
from .op_maps import Reading, readings
from .relations import Kind, Mapped, Placed, Relation, Whole
from .run import RecordedRun

Runtime = Callable[[int, int], Reader]


def exchange_links(
    run: RecordedRun, address: Address, reading: Reading, runtime: Runtime, only: int | None
) -> Iterator[Link]:
    """Links from the participants' operands, or from those of one participant, to a result."""
    process, step = address.process, address.number
    bound = run.bound_operation(process, step)
    if not reading.has_places and not _is_opaque(reading):
        yield from _here(run, address, reading, runtime)
        return
    for other, there in _arrivals(run, process, step, only):
        leaves = run.operand_leaves(run.bound_operation(other, there))
        if reading.operand >= len(leaves):
            continue
        source = run.operand_leaf(other, there, leaves[reading.operand])
        if not run.is_tensor(source):
            continue
        if _is_opaque(reading):
            whole = Whole(run.shape(source), run.shape(address))
            yield Link(source, address, Kind.OPAQUE, whole, reading.operand, _from(run, other))
        elif process in run.awaited_processes(other, there):
            relation = _placed_relation(run, source, address, reading, runtime, (other, there))
            kind = reading.kind if reading.kind is Kind.INDEX else _link_kind(bound)
            yield Link(source, address, kind, relation, reading.operand, _from(run, other))


def _arrivals(run: RecordedRun, process: int, step: int, only: int | None) -> Iterator[tuple[int, int]]:
    """The participants of a step, or `only` one of them, with their steps."""
    execution = execution_at(run.recording, process, step)
    awaited = run.awaited_processes(process, step)
    others = awaited if only is None else [only] if only in awaited else []
    for other in others if execution is not None else ():
        if execution is not None and other in execution.arrivals:
            yield other, execution.arrivals[other][0]


def _placed_relation(
    run: RecordedRun,
    source: Address,
    address: Address,
    reading: Reading,
    runtime: Runtime,
    visit: tuple[int, int],
) -> Placed:
    """The relation of a contributed value to another participant's result."""
    here = address.process, address.number
    awaited, back = run.awaited_processes(*here), run.awaited_processes(*visit)
    return Placed(
        run.shape(source),
        run.shape(address),
        reading,
        (runtime(*here), runtime(*visit)),
        (here, visit),
        (awaited[visit[0]], back[address.process]),
        (len(awaited), len(back)),
        run.last_image,
    )


def _here(run: RecordedRun, address: Address, reading: Reading, runtime: Runtime) -> Iterator[Link]:
    process, step = address.process, address.number
    leaves = run.operand_leaves(run.bound_operation(process, step))
    if reading.operand >= len(leaves):
        return
    source = run.operand_leaf(process, step, leaves[reading.operand])
    if run.is_tensor(source):
        shapes = run.shape(source), run.shape(address)
        relation = Mapped(*shapes, reading, runtime(process, step))
        yield Link(source, address, reading.kind, relation, reading.operand)


def _is_opaque(reading: Reading) -> bool:
    return any(item.map.is_undefined for item in reading.items)


def _link_kind(bound: BoundOperation) -> Kind:
    return Kind.COMBINED if bound.op.unpacked.explanation.combines_processes else Kind.MOVED


def _from(run: RecordedRun, process: int) -> str:
    found = place_of(run.recording, process).process
    return f"from process ({found.replica_id}, {found.partition_id})"


# Parts of values


def cut(run: RecordedRun, address: Address, opener: int, op: Partitioned, operands: Reader) -> Iterator[Link]:
    """The part of an operand that the process uses."""
    source = run.operand_leaf(address.process, opener, (address.index, ()))
    for reading in readings(op.cut_maps(), lambda: op.cut_maps(inverse=True)):
        if reading.result == address.index and reading.operand == address.index:
            shapes = run.shape(source), run.shape(address)
            relation = Mapped(*shapes, reading, operands)
            yield Link(source, address, Kind.DATA, relation, address.index, "the part of this process")


def part_links(
    run: RecordedRun, address: Address, op: Partitioned, runtime: Runtime, only: int | None
) -> Iterator[Link]:
    """Links to the parts that the participants, or one of them, returned."""
    process, step = address.process, address.number
    for reading in readings(op.join_maps(), lambda: op.join_maps(inverse=True)):
        if reading.result != address.index:
            continue
        for other, there in _arrivals(run, process, step, only):
            opened = run.steps(other).opened_frames(there)
            source = (
                run.returned_value(other, int(opened[-1]), (reading.operand, ())) if len(opened) else None
            )
            if source is None:
                continue
            if reading.has_places:
                relation: Relation = _placed_relation(run, source, address, reading, runtime, (other, there))
                yield Link(source, address, Kind.MOVED, relation, None, _from(run, other))
            elif other == process:
                relation = Mapped(run.shape(source), run.shape(address), reading, runtime(process, step))
                yield Link(source, address, Kind.FORWARDED, relation)


# Messages


def sent_value(run: RecordedRun, address: Address) -> Address | None:
    """The sent value of a received one; `None` if no process sent it."""
    execution = execution_at(run.recording, address.process, address.number)
    if execution is None or not execution.is_message:
        return None
    found = end_of(run.recording, execution, sends=True)
    if found is None:
        return None
    sender, there, _ = found
    leaves = [
        leaf
        for leaf in run.operand_leaves(run.bound_operation(sender, there))
        if run.is_tensor(run.operand_leaf(sender, there, leaf))
    ]
    number = received_number(run, address)
    return run.operand_leaf(sender, there, leaves[number]) if number < len(leaves) else None


def received_number(run: RecordedRun, address: Address) -> int:
    """The index of a received value within its transfer."""
    bound = run.bound_operation(address.process, address.number)
    return run.result_leaves(bound).index((address.index, address.path))


def missing_sender(run: RecordedRun, address: Address, op: PointToPoint) -> tuple[End, str]:
    """The reason why a received value has no source: an end and a sentence."""
    try:
        route = op.route(place_of(run.recording, address.process))
    except ProgramError:  # the end of the run states that
        route = None
    if route is None:
        return End.CONSTANT, "No process sends to this one, so it has zeros."
    where = {"feed": "the queue that feeds the process", "host": "the host"}.get(route.kind, "a channel")
    return End.OPAQUE, f"It came from {where}."


# Grids that a step opened


def team_operand(run: RecordedRun, address: Address, opener: tuple[int, int]) -> Address:
    """The operand of `run_parallel` that becomes an argument of a process."""
    process, step = opener
    launch_group = run.recording.launch_groups[run.recording.tracks[address.process].launch_group]
    before = sum(
        len(run.steps(number).block_of(0).arguments)
        for number in launch_group.numbers
        if number < address.process
    )
    return run.operand_leaf(process, step, (before + address.index, address.path))


def team_result(run: RecordedRun, address: Address) -> Address | None:
    """The value that a process returned as a result of `run_parallel`."""
    opener = (address.process, address.number)
    launch_group = next(
        launch_group for launch_group in run.recording.launch_groups if launch_group.opener == opener
    )
    left = address.index
    for number in launch_group.numbers:
        end = run.steps(number).end_of(0)
        if end is None:
            return None
        count = len(run.bound_operation(number, end).operands)
        if left < count:
            return run.operand_leaf(number, end, (left, address.path))
        left -= count
    return None
