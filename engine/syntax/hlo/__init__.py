"""XLA's HLO text to IR and back.

The text is read twice: `raw.py` says where things are, `build.py` makes operations of them once every name is
known. What an opcode's attributes mean stands in `opcodes/`, once for reading and for printing.
"""

from .hlo_printer import NotHlo, print_hlo
from .read_module import looks_like_hlo, parse_hlo

__all__ = ["NotHlo", "looks_like_hlo", "parse_hlo", "print_hlo"]
