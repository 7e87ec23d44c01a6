"""What the process that reads a dump is asked, and what it does."""

from __future__ import annotations

from dataclasses import dataclass

from .dumps import DumpContents, FilePart, StageDifference
from .questions import Question
from .tasks import LimitValues, Task


@dataclass(frozen=True)
class OpenDump(Task[DumpContents]):
    """Read what a dump holds; what is asked later is about it."""

    path: str
    called: str
    limits: LimitValues
    most_files: int
    most_bytes: int


@dataclass(frozen=True)
class PackDump(Task[bool]):
    """Write a folder or a tar archive as the zip archive `target`."""

    source: str
    called: str
    target: str
    most_files: int
    most_bytes: int


@dataclass(frozen=True)
class ExamineDump(Task[str]):
    """Compare all texts, then run them; stages come as events. The result is the sentence."""

    seed: int
    inputs: str
    """The path of a file of arrays; empty: none."""
    inputs_name: str
    module: int
    """Whose inputs the file has."""
    jobs: int
    address_space: int


@dataclass(frozen=True)
class StageDifferenceQuestion(Question[StageDifference]):
    """What differs between the text of a stage and the one before: items from `start` on; or, not folded, rows."""

    module: int
    stage: int
    start: int
    limit: int
    folded: bool


@dataclass(frozen=True)
class StageTextQuestion(Question[bytes]):
    """The whole text of a stage."""

    module: int
    stage: int


@dataclass(frozen=True)
class FilePartQuestion(Question[FilePart]):
    """Part of a file."""

    file: int
    start: int
    limit: int


@dataclass(frozen=True)
class FileBytesQuestion(Question[bytes]):
    """A whole file, unpacked."""

    file: int


@dataclass(frozen=True)
class StageInputsQuestion(Question[bytes]):
    """The inputs of some stages of a module as `.npz`, constants that their texts leave out among them.

    The header `X-Inputs` lists, for each stage, which array each row of a run gets; null: what it has by itself.
    """

    module: int
    stages: list[int]
    seed: int
    inputs: str
    inputs_name: str
