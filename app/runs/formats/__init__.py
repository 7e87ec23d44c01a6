"""Programs in other forms than text: recognised by their contents, and converted to text.

The rest of the application needs only `read_program`. Importing this package loads nothing heavy.
"""

from .failures import UnreadableProgram
from .kinds import DESCRIBED, PROGRAMS, Kind, recognise
from .program_file import Choices, ProgramFile
from .reading import read_program

__all__ = [
    "DESCRIBED",
    "PROGRAMS",
    "Choices",
    "Kind",
    "ProgramFile",
    "UnreadableProgram",
    "read_program",
    "recognise",
]
