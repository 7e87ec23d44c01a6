"""custom_call, and what is known of the targets that programs call by name."""

from __future__ import annotations

from ..op import Op
from .custom_call import CustomCall, OutputOperandAlias
from .targets import TARGETS

OPS: tuple[type[Op], ...] = (CustomCall,)

__all__ = ["OPS", "TARGETS", "CustomCall", "OutputOperandAlias"]
