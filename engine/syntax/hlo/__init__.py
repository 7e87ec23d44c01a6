"""Parse and print XLA's HLO text.

The text is read twice: `raw.py` locates the parts, and `build.py` builds operations once every name is known.
`opcodes/` defines the attributes of each opcode, for both reading and printing.
"""

from .build import Infer
from .hlo_printer import NotHlo, print_hlo, without_indexed_operands
from .read_module import looks_like_hlo, parse_hlo
