"""Questions and tasks of the process that reads a dump."""

from .dumps import DumpContents, FilePart, ModuleMemoryDifference, StageDifference
from .questions import Question
from .tasks import LimitValues, Task


class OpenDump(Task[DumpContents]):
    """Read the contents of a dump; later questions are about it."""

    path: str
    called: str
    limits: LimitValues
    most_bytes: int


class PackDump(Task[bool]):
    """Write a folder or a tar archive as the zip archive `target`."""

    source: str
    called: str
    target: str
    most_bytes: int


class CountProtocolBuffers(Task[int]):
    """Count the protocol buffers of HLO in an archive that have no text beside them."""

    path: str
    called: str
    limits: LimitValues
    most_bytes: int


class WriteTexts(Task[bool]):
    """Write an archive as the archive `target`, with a text for each protocol buffer that has none."""

    source: str
    called: str
    target: str
    limits: LimitValues
    most_bytes: int
    seconds: float
    address_space: int


class ExamineDump(Task[str]):
    """Compare all texts, then run them; stages arrive as events. Returns the verdict sentence."""

    seed: int
    inputs: str
    """The path of a file of arrays; empty: no file."""
    inputs_name: str
    module: int
    """The module that the file's inputs are for."""
    jobs: int
    address_space: int


class StageDifferenceQuestion(Question[StageDifference]):
    """The differences between a stage and the one before: items from `start` on; unfolded, rows."""

    module: int
    stage: int
    start: int
    limit: int
    folded: bool


class StageTextQuestion(Question[bytes]):
    """The whole text of a stage."""

    module: int
    stage: int


class FilePartQuestion(Question[FilePart]):
    """Part of a file."""

    file: int
    start: int
    limit: int


class FileBytesQuestion(Question[bytes]):
    """A whole file, unpacked."""

    file: int


class StageInputsQuestion(Question[bytes]):
    """The inputs of some stages of a module as `.npz`, with constants that their texts omit.

    The header `X-Inputs` lists, for each stage, the array of each row of a run; null: the row's default.
    """

    module: int
    stages: list[int]
    seed: int
    inputs: str
    inputs_name: str


class DumpMemoryQuestion(Question[list[ModuleMemoryDifference]]):
    """What changed in memory and traffic from this dump to the one in another archive, for the modules of both."""

    path: str
    called: str
    most_bytes: int
