"""The terms of single elements of the form's result, in the order in which they are combined."""

from __future__ import annotations

from hloscope.engine.debugger.address import result as result_address
from hloscope.engine.debugger.microscope import Microscope
from hloscope.engine.debugger.provenance import Links, RecordedRun
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.ir.types import TensorType

from ...present.provenance import derivation_json
from ...wire.derivation import Derivation
from ...wire.playground import DerivedElements
from .pictures import step_of


def derivations(recording: Recording, op: int, wanted: DerivedElements) -> list[Derivation]:
    """The derivation of each wanted element that exists, in their order."""
    process = wanted["process"]
    step = step_of(recording, process, op) if process < len(recording.tracks) else None
    if step is None:
        return []
    address = result_address(step, wanted["result"], process)
    links = Links(RecordedRun(recording))
    try:
        type = recording.type_of(address)
    except (KeyError, IndexError):
        return []
    sizes = type.sizes if isinstance(type, TensorType) else ()
    indices = [tuple(index) for index in wanted["elements"] if _is_inside(index, sizes)]
    microscope = Microscope(links)
    return [derivation_json(links.run, address, microscope.derivation(address, index)) for index in indices]


def _is_inside(index: list[int], sizes: tuple[int, ...]) -> bool:
    return len(index) == len(sizes) and all(at < size for at, size in zip(index, sizes, strict=True))
