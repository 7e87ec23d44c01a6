"""custom_call, and what is known of the targets that programs call by name."""

from __future__ import annotations

from ..core.families import Family
from .custom_call import CustomCall, OutputOperandAlias
from .targets import TARGETS

FAMILIES = (Family("Control flow and functions", "control", (CustomCall,)),)

__all__ = ["FAMILIES", "TARGETS", "CustomCall", "OutputOperandAlias"]
