"""Integers that are silently wrong: wrapped around, or divided by 0."""

from __future__ import annotations

import numpy as np

from ..decisive_values import decisive_ops
from ..indexing.elements.element_sets import ElementSet
from .finding import Harm
from .kind import Evidence, Kind


class IntegerOverflow(Kind):
    """An exact result beyond its type: what is left of it is another number.

    It does harm where the result goes on to an index, a size, the bound of a loop or a predicate (`decisive_values.py`).
    Elsewhere integers wrap around by design: in hashes and random numbers.
    """

    name, title, became = "wrap", "integer overflow", "wrapped around"

    def harm(self, evidence: Evidence) -> Harm | None:
        return "index" if evidence.op_number in evidence.program.derive(decisive_ops) else None


class ZeroDivision(Kind):
    """An integer divided by 0: no infinity shows it, the result is -1 or the dividend.

    It does no harm where a select, or a product with 0, leaves the quotient out.
    """

    name, title, became = "zero_division", "integer division by 0", "divided by 0"

    def harm(self, evidence: Evidence) -> Harm | None:
        shape = evidence.value().shape
        zeros = np.broadcast_to(evidence.operands()[1] == 0, shape)
        return evidence.follow("misplaced", ElementSet.of_mask(shape, zeros))
