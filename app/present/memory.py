"""Memory and traffic of a program, and what changed to another one's, as JSON and in words."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Literal

from hloscope.engine.live_memory.collectives import Collective, collectives_of, copies_of
from hloscope.engine.live_memory.profile import LiveBuffer, Memory
from hloscope.engine.program import BoundProgram

from ..wire import memory as wire
from ..wire.encoding import encoded
from .program import location_text

MOST_BUFFERS = 200
"""Maximum number of live buffers that are listed."""
_UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB")


def memory_json(memory: Memory) -> wire.MemoryInfo:
    """The live bytes of a program at each op, and its collectives."""
    program = memory.program
    return encoded(
        wire.MemoryInfo,
        memory,
        at_peak=peak_bytes(memory),
        bytes=[memory.bytes_at.get(bound.id, -1) for bound in program.ops],
        schedule=list(memory.schedule),
        constants=memory.constant_bytes,
        spaces={str(space): size for space, size in memory.other_spaces.items()},
        donated=memory.donated_bytes,
        copies=encoded(wire.CopiesInfo, copies_of(program, memory.function)),
        collectives=[collective_json(program, each) for each in collectives_of(program, memory.function)],
    )


def live_json(memory: Memory, op: int, most: int = MOST_BUFFERS) -> wire.LiveInfo:
    """The buffers live while op number `op` executes; `KeyError` if it never does."""
    found = memory.live_at(op)
    return {
        "op": op,
        "bytes": memory.bytes_at[op],
        "buffers": [buffer_json(memory.program, each) for each in found[:most]],
        "others": len(found[most:]),
        "otherBytes": sum(each.bytes for each in found[most:]),
    }


def peak_bytes(memory: Memory) -> wire.PeakBytes:
    """The bytes at the peak, by kind."""
    found: wire.PeakBytes = {"argument": 0, "result": 0, "temporary": 0}
    for each in memory.live_at(memory.peak) if memory.schedule else ():
        found[each.kind] += each.bytes
    return found


def buffer_json(program: BoundProgram, found: LiveBuffer) -> wire.LiveBufferInfo:
    """A live buffer."""
    return encoded(
        wire.LiveBufferInfo,
        found,
        value=found.leaf.value,
        path=list(found.leaf.path),
        line=value_line(program, found.leaf.value),
        location=location_text(found.location),
    )


def collective_json(program: BoundProgram, found: Collective) -> wire.CollectiveInfo:
    """A collective."""
    return encoded(
        wire.CollectiveInfo,
        found,
        line=program.line_of(found.op),
        sent=found.sent_bytes,
        total=found.total_bytes,
        location=location_text(found.location),
    )


def value_line(program: BoundProgram, value: int) -> int:
    """The line of the program that defines a value."""
    return program.module.source.line_and_column(program.values[value].span.start)[0]


def bytes_text(count: int) -> str:
    """`192 bytes`, `1.5 KiB`, `3.25 GiB`: at least three digits."""
    power = 0
    while count >= 1024 ** (power + 1) and power < len(_UNITS) - 1:
        power += 1
    if power == 0:
        return f"{count} byte" if count == 1 else f"{count} bytes"
    size = count / 1024**power
    digits = 0 if size >= 100 else 1 if size >= 10 else 2
    halves_up = int(size * 10**digits + 0.5) / 10**digits  # as the page rounds
    return f"{halves_up:,.{digits}f} {_UNITS[power]}"


def order_text(memory: Memory) -> str:
    """Describe the order of the steps and the sizes, as sentences."""
    order = (
        "The text states its schedule, and steps are in that order."
        if memory.is_scheduled
        else "The text is not scheduled: steps are in the order of its lines, before the compiler fuses and reorders them."
    )
    whole = " Arrays are whole: they are not yet partitioned among the processes." if memory.is_whole else ""
    return f"From the text alone. {order}{whole}"


def left_out(memory: Memory) -> Sequence[str]:
    """What the live bytes do not include, each as a phrase."""
    found = [f"{bytes_text(memory.constant_bytes)} of constants"] if memory.constant_bytes else []
    found += [f"{bytes_text(size)} in memory space {space}" for space, size in memory.other_spaces.items()]
    plural = "" if memory.open_sizes == 1 else "s"
    found += [f"{memory.open_sizes:,} value{plural} of unknown size"] if memory.open_sizes else []
    return found


Identity = tuple[int, wire.BufferKind, str]
"""Names change from compilation to compilation; size, kind and source line mostly stay."""


def memory_difference(before: Memory, after: Memory) -> wire.MemoryDifference:
    """Peak, traffic, copies and collectives of both programs, and the buffers that only one of the peaks has."""
    return {
        "changes": list(_changes(before, after)),
        "onlyBefore": _only_in(before, after),
        "onlyAfter": _only_in(after, before),
    }


_SIZES = ("peak", "sent", "copied")
_ORDER = (*_SIZES, "copies")
"""Figures before the opcodes."""


def _changes(before: Memory, after: Memory) -> Iterator[wire.MemoryChange]:
    figures = _figures(before), _figures(after)
    opcodes = sorted({*figures[0], *figures[1]} - {*_ORDER})
    for name in (*_ORDER, *opcodes):
        old, new = (found.get(name, 0) for found in figures)
        if old is not None and new is not None and (old or new):
            unit: Literal["bytes", "ops"] = "bytes" if name in _SIZES else "ops"
            yield {"name": name, "unit": unit, "before": old, "after": new}


def _figures(memory: Memory) -> dict[str, int | None]:
    """The figures by name; `None` where the program does not determine one."""
    copies = copies_of(memory.program, memory.function)
    collectives = collectives_of(memory.program, memory.function)
    totals = [each.total_bytes for each in collectives]
    sent = None if None in totals else sum(total or 0 for total in totals)
    opcodes = Counter(each.opcode for each in collectives)
    return {
        "peak": memory.peak_bytes,
        "sent": sent,
        "copied": copies.bytes,
        "copies": copies.count,
        **opcodes,
    }


def _at_peak(memory: Memory) -> tuple[LiveBuffer, ...]:
    return memory.live_at(memory.peak) if memory.schedule else ()


def _identity(found: LiveBuffer) -> Identity:
    return found.bytes, found.kind, location_text(found.location) or ""


def _only_in(memory: Memory, other: Memory) -> list[wire.PeakBuffers]:
    """The buffers of a peak beyond those that the other peak has, the most bytes first."""
    matched = Counter(map(_identity, _at_peak(other)))
    alike: defaultdict[Identity, list[LiveBuffer]] = defaultdict(list)
    for found in _at_peak(memory):
        identity = _identity(found)
        if matched[identity] > 0:
            matched[identity] -= 1
        else:
            alike[identity].append(found)
    return [
        {
            "count": len(rest),
            "bytes": size,
            "kind": kind,
            "location": place,
            "name": rest[0].name,
            "line": value_line(memory.program, rest[0].leaf.value),
        }
        for (size, kind, place), rest in sorted(alike.items(), key=lambda item: -item[0][0] * len(item[1]))
    ]
