"""Ops of HLO text that StableHLO does not have."""

from __future__ import annotations

from ..op import Op
from . import copies, identities

OPS: tuple[type[Op], ...] = (
    *identities.OPS,
    *copies.OPS,
)
"""Every op of the package, module by module."""
