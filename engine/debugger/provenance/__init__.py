"""Element provenance in a recorded run: sources and uses of single elements."""

from .link import End, Link
from .links import Links
from .onward import Onward
from .relations import Kind
from .run import RecordedRun
from .walks import (
    BadElements,
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
