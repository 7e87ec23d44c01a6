"""How many planted mistakes are located at their op.

`python -m tests.comparison.proof` prints the count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

import hloscope
from hloscope.engine.builder import XlaOp
from hloscope.engine.ops.core.op import Array

from ..passes.planting import KINDS, Planted, plant
from .drafts import Draft
from .functions import FUNCTIONS

PROGRAMS = (
    *("layer_norm", "attention", "gelu", "cross_entropy", "rotary"),
    *("logistic_gradient", "distances", "covariance", "divergence", "adam"),
)
EACH = 4
"""Mistakes that are planted in each program."""


@cache
def program(name: str) -> tuple[str, list[Array]]:
    """A program as HLO text, and its inputs."""
    draft = Draft()
    results = FUNCTIONS[name](draft)
    built = draft.build(draft.tuple([results] if isinstance(results, XlaOp) else results))
    return built.as_hlo_text(), draft.inputs(0)


def planted(name: str) -> list[Planted]:
    """Mistakes in the main computation of a program, of all kinds in turn."""
    text, _ = program(name)
    head, _, entry = text.partition("ENTRY")
    found = [[one for one in plant(text, kind) if one.text.startswith(head)] for kind in KINDS]
    longest = max(map(len, found))
    turns = (one[turn] for turn in range(longest) for one in found if turn < len(one))
    assert entry
    return list(turns)[:EACH]


def planted_pairs() -> Iterator[tuple[str, int]]:
    """Programs, each with the numbers of the mistakes that are planted in it."""
    return ((name, number) for name in PROGRAMS for number in range(len(planted(name))))


def locate(name: str, number: int) -> tuple[frozenset[str], str]:
    """The ops in which a mistake was planted, and the one that is blamed; empty if none is.

    Of a wrong constant or `iota` that equals another one, the op that reads it is blamed.
    """
    text, inputs = program(name)
    mistake = planted(name)[number]
    found = hloscope.compare(text, mistake.text, inputs)
    names = "|".join(map(re.escape, mistake.names))
    readers = re.findall(rf"%([\w.-]+) = .*%(?:{names})[,)]", mistake.text)
    return mistake.names.union(readers), found.first.name.removeprefix("%") if found.first else ""


def main() -> None:
    """Print how many mistakes were located, and those that were not."""
    found = {pair: locate(*pair) for pair in planted_pairs()}
    missed = {pair: names for pair, names in found.items() if names[1] not in names[0]}
    print(f"planted mistakes located at their op: {len(found) - len(missed)} of {len(found)}")
    for (name, number), (wanted, blamed) in missed.items():
        print(f"  {name}, mistake {number}: in {', '.join(wanted)}, blamed {blamed or 'nothing'}")


if __name__ == "__main__":
    main()
