"""custom_call and its known targets."""

from ..core.registry import Family, ops_in
from .custom_call import CustomCall
from .targets import TARGETS

FAMILIES = (Family("Control flow and functions", "control", (CustomCall,)),)
