"""The indexing maps of an op of a run, with the sizes observed in the run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from hloscope.engine.chains import Chains
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.errors import InputError
from hloscope.engine.indexing import OperandMap, print_operand_maps
from hloscope.engine.ir.types import TensorType

from ...present.html.maps import maps_html
from ...present.index_maps import OpMaps, maps_of
from ...present.map_texts import group_maps
from ...runs.recorded.values import RecordedStep


@dataclass(frozen=True)
class RecordedMaps:
    """The elements that an op reads for each result element; printed, as XLA prints maps."""

    step: RecordedStep
    _found: OpMaps = field(repr=False)

    @property
    def maps(self) -> Sequence[OperandMap]:
        """The maps from each result to its operands; several maps of one operand form a union."""
        return self._found.maps

    @property
    def inverse(self) -> Sequence[OperandMap]:
        """The maps from each operand to the results that read it."""
        return self._found.inverse

    def __str__(self) -> str:
        return print_operand_maps(self.maps, describe=self._found.name_of)

    def _repr_html_(self) -> str:
        """The formulas with pictures, for notebooks."""
        found = self._found
        operands = [*(tensor.name for tensor in found.operands), *found.found]
        groups = list(
            group_maps(self.maps, operands, [tensor.name for tensor in found.results], inverse=False)
        )
        return maps_html(f"Indexing maps of step {self.step.number:,}, {self.step.op}", str(self), groups)


def maps_of_step(recording: Recording, step: RecordedStep) -> RecordedMaps:
    """The maps of a step's op; `InputError` if its sizes are unknown."""
    bound = recording.static_form(step._bound.id)
    types = [type for type in bound.op.operand_types if isinstance(type, TensorType)]
    if not all(type.is_static for type in types):
        raise InputError(f"the sizes of {step.op} on line {step.line} are open, so that it has no maps")
    chains = Chains(recording.program, recording.static_form)
    return RecordedMaps(step, maps_of(bound, recording.program, chains))
