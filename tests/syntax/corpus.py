"""Small programs, each for one part of the syntax, with the verdicts of this reader and of MLIR.

They are in `corpus/*.mlir`, each after a line `// ----- NAME`, optionally followed by a verdict:

    | refused              neither reader accepts it
    | only here: REASON    MLIR refuses it
    | only MLIR: REASON    this reader refuses it
    | otherwise: REASON    both accept it, but MLIR reads our printed text differently
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent / "corpus"
_HEAD = re.compile(r"^// ----- ", re.MULTILINE)


@dataclass(frozen=True)
class Chunk:
    """A program of the corpus."""

    name: str
    verdict: str
    """Empty, `refused`, `only here`, `only MLIR` or `otherwise`."""
    text: str

    @property
    def is_read(self) -> bool:
        """Whether this reader accepts the program."""
        return self.verdict not in ("refused", "only MLIR")


def corpus() -> list[Chunk]:
    """All programs, in the order of their files."""
    return [chunk for path in sorted(FOLDER.glob("*.mlir")) for chunk in _chunks(path)]


def _chunks(path: Path) -> list[Chunk]:
    chunks = []
    for part in _HEAD.split(path.read_text(encoding="utf-8"))[1:]:
        head, _, text = part.partition("\n")
        name, _, verdict = head.partition(" | ")
        chunks.append(Chunk(f"{path.stem}: {name}", verdict.partition(":")[0], text))
    return chunks
