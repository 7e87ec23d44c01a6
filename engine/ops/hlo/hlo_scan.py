"""scan: CHLO's scan with the numbers of operands as HLO text writes them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ...ir.module import Region
from ...ir.types import TensorType
from ..core.op import Op
from ..reductions.scan import Scanning


@dataclass(frozen=True)
class HloScan(Scanning):
    """Runs `body` on each slice of the inputs along `dimension`, in order, or from the last on with `is_reverse`.

    The body takes a slice of each input and the carried values, of which there are `num_carries`; it gives a slice
    of each output and the values to carry on. Operands are the inputs, then what is carried at first; results the
    outputs, whose slices are in the places of the inputs', then what was carried last. `is_associative` is a
    promise that changes nothing here. XLA: scan.
    """

    name = "hlo.scan"
    section = replace(
        Scanning.section,
        rules=(
            "`num_carries` is from 0 to the number of operands.",
            "Inputs and outputs have the dimension `dimension`, and all the same size along it.",
            "There is an input or an output, to say how many slices there are.",
            (
                "`body` takes a slice of each input, then what is carried; it gives a slice of each output, "
                "then values of the types that are carried."
            ),
        ),
    )

    operands: tuple[TensorType, ...]
    dimension: int
    num_carries: int
    body: Region
    results: tuple[TensorType, ...] = ()
    is_reverse: bool = False
    is_associative: bool = False

    @property
    def carried(self) -> int:
        return self.num_carries


OPS: tuple[type[Op], ...] = (HloScan,)
