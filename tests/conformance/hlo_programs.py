"""The programs in HLO text under `hlo/`, and what their first lines say of them.

A file holds modules, divided by `// -----`. Before each module stand lines that begin with `// `: sentences that
say what it shows, and

    input: LITERAL                one for each parameter, in order; of a grid all the same, or process after process
    result: LITERAL               one for each array of the result, in order; of a grid process after process
    result within 1e-6: LITERAL   the same of numbers that are only nearly equal, by that part or that difference
    stops: WORDS                  the run cannot go on, and says so in a sentence with these words
    oracle: as written            XLA runs it as it stands, layouts and all, and does not optimise it first
    oracle: skip, REASON          XLA on the CPU does not run it, or chooses otherwise
    oracle: skip on 0.10.2, REASON  the XLA of that jaxlib does not
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hloscope.engine.ir.attributes import DenseAttribute
from hloscope.engine.ir.element_types import ElementType
from hloscope.engine.ir.types import TensorType, TupleType, Type
from hloscope.engine.limits import DEFAULT_LIMITS
from hloscope.engine.source import Source
from hloscope.engine.syntax.hlo.values.hlo_cursor import HloCursor
from hloscope.engine.syntax.hlo.values.read_literals import read_literal

from ..oracle.compare import mismatch

Array = NDArray[Any]
FOLDER = Path(__file__).parent / "hlo"
_DIVIDER = re.compile(r"^// -----\n", re.MULTILINE)
_LINE = re.compile(r"// (?:(input|result|stops|oracle)(?: within (\S+))?: )?(.+)\n")


@dataclass(frozen=True)
class Expected:
    """One array of a result, as a literal."""

    literal: str
    tolerance: float = 0.0

    def says(self, found: Array, element_type: ElementType) -> str | None:
        """What is wrong with an array, `None` if it is what was expected."""
        wanted = literal(self.literal, TensorType(found.shape, element_type))
        if self.tolerance:
            if np.allclose(found, wanted, self.tolerance, self.tolerance, equal_nan=True):
                return None
            return f"{found.tolist()} is not within {self.tolerance} of {wanted.tolist()}"
        wrong = mismatch(found, wanted)
        return wrong and f"{found.tolist()} is not {wanted.tolist()}: {wrong}"


@dataclass(frozen=True)
class Example:
    """One module and what is said of it."""

    name: str
    text: str
    sentence: str = ""
    inputs: list[str] = field(default_factory=list)
    results: list[Expected] = field(default_factory=list)
    stops: str = ""
    oracle: str = ""

    def check(self, found: list[Array], types: list[TensorType]) -> None:
        """Fails unless the arrays are those that the first lines promise."""
        assert len(found) == len(self.results) == len(types), f"there are {len(found)} results"
        for number, (array, wanted, expected) in enumerate(zip(found, types, self.results, strict=True)):
            assert array.dtype == wanted.element_type.dtype
            wrong = expected.says(array, wanted.element_type)
            assert wrong is None, f"result {number}: {wrong}"


def literal(text: str, literal_type: TensorType) -> Array:
    """An array as HLO text writes it."""
    cursor = HloCursor(Source(text), DEFAULT_LIMITS)
    found = read_literal(cursor, literal_type)
    assert cursor.at_end, text
    assert isinstance(found, DenseAttribute)
    return np.asarray(found.data)


def arrays(found: Type) -> list[TensorType]:
    """The types of the arrays in a type, in order."""
    if isinstance(found, TupleType):
        return [array for element in found.types for array in arrays(element)]
    return [found] if isinstance(found, TensorType) else []


def read_examples() -> list[Example]:
    """All modules of all files."""
    found = []
    for path in sorted(FOLDER.glob("*.hlo")):
        for number, text in enumerate(_DIVIDER.split(path.read_text("utf-8"))):
            found.append(_example(f"{path.stem}-{number}", text))
    return found


def _example(name: str, text: str) -> Example:
    sentences, inputs, results, said = [], [], [], {"stops": "", "oracle": ""}
    position = 0
    while match := _LINE.match(text, position):
        position = match.end()
        match match[1]:
            case None:
                sentences.append(match[3])
            case "input":
                inputs.append(match[3])
            case "result":
                results.append(Expected(match[3], float(match[2] or 0)))
            case word:
                said[word] = match[3]
    return Example(name, text, " ".join(sentences), inputs, results, *said.values())
