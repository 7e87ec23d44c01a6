"""Element provenance in a recorded run: what elements of a value were made from, and what they went into."""

from .link import End, Into, Link
from .links import Links
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
    "Budget",
    "Edge",
    "End",
    "Into",
    "Kind",
    "Link",
    "Links",
    "Node",
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
