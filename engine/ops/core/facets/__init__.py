"""Facets of ops: one small file for each concern besides the specification's parts. See `op.py`."""

from .any_op import AnyOp
from .drawing import (
    Contraction,
    DimensionNames,
    Drawing,
    MovedWindow,
    Picture,
    Roles,
    Shown,
    SlidingWindows,
    all_dimensions,
    matrices,
    name_dimensions,
    no_names,
)
from .explanation import ElementFormula, Explanation, Form, Part, Role
from .findings import Findings
from .folding import Folding
from .hlo_spelling import HloSpelling
from .lanes import Lanes
from .open_sizes import OpenSizes
from .rounding import Rounding
from .runtime_variables import RuntimeVariables
from .section import Section, numbered
from .storage import Storage, UpdatingStorage
from .tracing import Decision, Placing, Tracing
from .traffic import Traffic
from .traits import Category, Traits
