"""The values of a second engine by name, in the form of a file of another run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from hloscope.engine.comparison.named_values import process_suffix
from hloscope.engine.debugger.address import Address
from hloscope.engine.ops.core.values import is_tuple

from ..processes.arrays import Array
from .our_runs import OurRun


def named_values_of(
    run: OurRun, results: Sequence[Array], found: Mapping[str, Sequence[Array]]
) -> dict[str, Array]:
    """Intermediate values under their names, and results under theirs and as `out_0`, ….

    Requesting a value changes what an engine computes: a value that is a result of the program is taken from
    the run without other requests.
    """
    values = {}
    for name, parts in found.items():
        for process, part in enumerate(parts):
            values[name + process_suffix(run.recording, process)] = part
    each = len(results) // len(run.processes)
    for process in run.processes:
        suffix = process_suffix(run.recording, process)
        own = results[process * each : (process + 1) * each]
        values |= {f"out_{number}{suffix}": result for number, result in enumerate(own)}
        values |= {
            name + suffix: result
            for name, result in zip(_result_names(run, process), own, strict=False)
            if name
        }
    return values


def _result_names(run: OurRun, process: int) -> Iterator[str]:
    """The name of each flat result at its definition; empty for inputs and constants."""
    for address in run.result_addresses:
        if address.process == process:
            yield from _names(run, address)


def _names(run: OurRun, address: Address) -> Iterator[str]:
    recording = run.recording
    track = recording.tracks[address.process]
    is_made = (
        address.kind == "s" and not recording.program.ops[track.op_of(address.number)].op.traits.is_constant
    )
    name = recording.program.values[recording.value_number(address)].name
    value = recording.value(address)
    if not is_tuple(value):
        yield name if is_made else ""
        return
    yield from _parts(name if is_made else "", value)


def _parts(name: str, value: Array) -> Iterator[str]:
    for number, part in enumerate(value.tolist()):
        inner = f"{name}.{number}" if name else ""
        if is_tuple(part):
            yield from _parts(inner, part)
        else:
            yield inner
