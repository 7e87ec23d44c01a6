"""How many planted mistakes are found at their op, and how many pairs that differ in rounding are called so.

`python -m tests.comparison.proof` prints both counts.
"""

from __future__ import annotations

from collections.abc import Iterator

import hloscope

from .programs import PROGRAMS, STYLES, emit, inputs_of

EACH = 4
"""Mistakes that are planted in each program."""


def planted_pairs() -> Iterator[tuple[str, int]]:
    """Programs, each with the numbers of changes that are planted in it."""
    for name in PROGRAMS:
        _, plain = emit(name)
        count = len(plain.changeable)
        yield from ((name, count * k // EACH) for k in range(EACH))


def rounding_pairs() -> Iterator[tuple[str, str]]:
    """Programs, each with the styles that round otherwise."""
    return ((name, style) for name in PROGRAMS for style in STYLES)


def locate(name: str, planted: int) -> tuple[str, str]:
    """The name of the op in which a mistake was planted, and of the one that is blamed; empty if none is."""
    before, _ = emit(name)
    after, emitter = emit(name, planted=planted)
    found = hloscope.compare(before, after, inputs_of(name))
    return emitter.planted_name, found.first.name.removeprefix("%") if found.first else ""


def verdict(name: str, style: str) -> hloscope.Comparison:
    """A program in two styles."""
    return hloscope.compare(emit(name)[0], emit(name, style)[0], inputs_of(name))


def main() -> None:
    """Prints what was found, and what was not."""
    planted = [(pair, *locate(*pair)) for pair in planted_pairs()]
    missed = [found for found in planted if found[1] != found[2]]
    print(f"planted mistakes located at their op: {len(planted) - len(missed)} of {len(planted)}")
    for pair, wanted, blamed in missed:
        print(f"  {pair[0]}, change {pair[1]}: in {wanted}, blamed {blamed or 'nothing'}")
    rounding = [(pair, verdict(*pair)) for pair in rounding_pairs()]
    called = [pair for pair, found in rounding if found.agrees]
    bits = sum(all(result.kind == "same_bits" for result in found.results) for _, found in rounding)
    print(
        f"pairs that differ in rounding called so: {len(called)} of {len(rounding)} ({bits} have the same bits in the results)"
    )
    for style, found in rounding:
        if not found.agrees:
            print(f"  {style[0]}, {style[1]}: {found}")


if __name__ == "__main__":
    main()
