"""Element provenance in a recorded run: sources and uses of single elements."""

from .bad_elements import BadElements
from .link import End, Into, Link
from .links import Links
from .onward import Onward
from .relations import Kind
from .run import RecordedRun
from .walks import (
    Budget,
    Edge,
    Node,
    Unfinished,
    Walk,
    Walking,
    path_between,
    step_back,
    step_forward,
    walk_back,
    walk_forward,
)

__all__ = [
    "BadElements",
    "Budget",
    "Edge",
    "End",
    "Into",
    "Kind",
    "Link",
    "Links",
    "Node",
    "Onward",
    "RecordedRun",
    "Unfinished",
    "Walk",
    "Walking",
    "path_between",
    "step_back",
    "step_forward",
    "walk_back",
    "walk_forward",
]
