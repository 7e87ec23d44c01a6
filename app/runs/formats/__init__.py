"""Programs in other forms than text: recognised by what they hold, and read as text.

`read_program` is all that the rest of the application needs. Nothing heavy is loaded with this package.
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
