"""Shardy's ops, and how the parts of a tensor lie on the devices of a mesh."""

from ..core.registry import Family, ops_in
from . import manual_computation, shardy_ops

FAMILIES = (Family("Sharding over devices", "other", ops_in(shardy_ops, manual_computation)),)
