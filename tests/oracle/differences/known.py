"""What an entry of the list of known differences is, and what entries are written with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..cases import Case
from ..values import Array

Mask = NDArray[np.bool_]
INTERPRETER, XLA = "interpreter", "xla"


@dataclass(frozen=True)
class Known:
    """One difference: `explains` marks the elements of a result that it is about."""

    reason: str
    oracles: tuple[str, ...]
    explains: Callable[[str, Case, Array, Array], Mask | None]
    """Of the op's mnemonic, the case, our result and the oracle's; `None` where it says nothing."""
    stablehlo_only: bool = False
    """Whether HLO text means what XLA does."""


def element_name(case: Case) -> str:
    return case.results[0].element_type.name


def as_f64(array: Array) -> NDArray[np.float64]:
    with np.errstate(all="ignore"):
        return array.astype(np.float64)
