"""The verdict on each program of a batch, and the file that keeps finished ones for the next run."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any, Literal

from ...processes.framing import Buffer

Verdict = Literal["same", "different", "unknown", "failed"]
"""`failed`: there is no comparison, because XLA or hloscope has no results."""
FILE = "verdicts.jsonl"


@dataclass(frozen=True)
class Cause:
    """The cause of a difference or a crash; programs with equal causes are a cluster."""

    culprit: str
    """`pass`, `code generation`, `no answer` or `unknown`."""
    pass_name: str = ""
    """The pass that changed the values, or made the instruction."""
    before: str = ""
    """The opcode of the culprit instruction before the pass."""
    after: str = ""
    """Its opcode after the pass, or in the optimised program."""
    detail: str = ""
    """The op of the first wrong value, the reason for no answer, or that XLA intends the change."""
    change: str = ""
    """What else changed in an instruction that keeps its opcode: ``swapped operands``."""

    @property
    def title(self) -> str:
        """``pass `algsimp`: multiply became add``."""
        by = f" `{self.pass_name}`" if self.pass_name else ""
        link = " after pass" if by and self.culprit != "pass" else ""
        became = f"{self.before} with {self.change}" if self.change else f"{self.before} became {self.after}"
        rewrite = became if self.before else self.after
        told = ", ".join(filter(None, [rewrite, self.detail]))
        culprit = "unknown culprit" if self.culprit == "unknown" else self.culprit
        return f"{culprit}{link}{by}" + (f": {told}" if told else "")


@dataclass(frozen=True)
class Record:
    """The verdict on a program."""

    program: str
    """Its path below the top of the batch."""
    key: str
    """The digest of its text, inputs and options."""
    verdict: Verdict
    sentence: str
    engine: str = ""
    seconds: float = 0.0
    size: int = 0
    """The bytes of the program."""
    cause: Cause | None = None
    """`None` without a difference or crash of XLA."""

    def as_json(self) -> dict[str, Any]:
        """The record in types of JSON."""
        return asdict(self)


def read_record(found: Mapping[str, Any]) -> Record:
    """The record that `Record.as_json` describes."""
    cause = found["cause"]
    return Record(**{**found, "cause": None if cause is None else Cause(**cause)})


def key_of(options: Mapping[str, Any], contents: Sequence[Buffer]) -> str:
    """The digest of a program's files and of everything else that its verdict depends on."""
    found = blake2b(json.dumps(options, sort_keys=True, default=str).encode(), digest_size=16)
    for content in contents:
        found.update(len(content).to_bytes(8, "little"))
        found.update(content)
    return found.hexdigest()


class Journal:
    """The finished verdicts in a folder, one per line; a line that was cut off is skipped."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._file = folder / FILE

    def read(self) -> dict[str, Record]:
        """All verdicts by key."""
        if not self._file.exists():
            return {}
        records = map(_read_line, self._file.read_text("utf-8", "replace").splitlines())
        return {record.key: record for record in records if record is not None}

    def append(self, record: Record) -> None:
        """Add a verdict, behind a line break if the last line was cut off."""
        line = json.dumps(record.as_json(), ensure_ascii=False, allow_nan=False)
        with self._file.open("a+b") as stream:
            if stream.tell():
                stream.seek(-1, 2)
                line = line if stream.read(1) == b"\n" else f"\n{line}"
            stream.write(f"{line}\n".encode())


def _read_line(line: str) -> Record | None:
    try:
        return read_record(json.loads(line))
    except (ValueError, TypeError, KeyError):
        return None
