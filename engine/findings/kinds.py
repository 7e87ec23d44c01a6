"""All kinds of findings."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ..ops.core.faults import FaultKind
from .births import Infinity, NotANumber
from .indices import ClampedStart, CollidingUpdates, DroppedUpdate, OutOfBounds
from .integers import IntegerOverflow, ZeroDivision
from .kind import Kind
from .lost_numbers import Denormal, SwallowedNan
from .processes import ProcessDifference

KINDS: Mapping[FaultKind, Kind] = MappingProxyType(
    {
        kind.name: kind
        for kind in (
            NotANumber(),
            Infinity(),
            Denormal(),
            IntegerOverflow(),
            ZeroDivision(),
            ClampedStart(),
            DroppedUpdate(),
            OutOfBounds(),
            SwallowedNan(),
            CollidingUpdates(),
            ProcessDifference(),
        )
    }
)
