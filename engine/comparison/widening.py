"""The same program in f64, to decide which of two results is closer to the exact one."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import inf

import numpy as np

from ..debugger.recording import Recording
from ..entry import find_entry
from ..frontend import load
from ..hlo_to_stablehlo import NotStablehlo, stablehlo_module
from ..limits import Limits
from ..ops import op_table
from ..ops.core.op import Array, Op
from ..ops.core.rounding import NO_ERROR, Error, magnitude, unit_roundoff
from ..ops.core.values import is_tuple, leaves
from ..process_grid import Launch
from ..program import BoundProgram
from ..source import Source
from ..syntax import NotHlo, print_module
from .difference import Difference
from .random_rounding import RandomRounding

_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
_NARROW = re.compile(r"(?<![\w%@!.#])((?:\d+x|\?x)*)(?:f32|bf16|f16)\b(?!\.)")
_BITS = re.compile(r"(?<!\w)0x(?:[0-9A-F]{2})+\b")
"""Bits as hloscope's printer writes them, unlike `0x` in `tensor<0xf32>`."""
_SPECIAL = {
    **dict.fromkeys(("7F800000", "7F80", "7C00"), "0x7FF0000000000000"),
    **dict.fromkeys(("FF800000", "FF80", "FC00"), "0xFFF0000000000000"),
    **dict.fromkeys(("7FC00000", "7FC0", "7E00"), "0x7FF8000000000000"),
}
"""Bits of infinities and NaN in narrow floats, and in f64."""
_ABOUT_BITS = (
    "bitcast_convert",
    "reduce_precision",
    "quant",
    "rng",
    "custom_call",
    "f8E",
    "f6E",
    "f4E",
    "tf32",
)
"""Features that a widened program must not contain: their meaning depends on the types."""


def widened(program: BoundProgram) -> BoundProgram | None:
    """The program with f64 instead of f32, bf16 and f16; `None` if its meaning depends on types."""
    try:
        module = program.module
        found = stablehlo_module(module) if module.language == "hlo" else module
        text = print_module(found, op_table(), "short")
    except (NotHlo, NotStablehlo):
        return None
    wide = widened_text(text)
    return None if wide is None else load(Source(wide, "<f64>")).program


def widened_text(text: str) -> str | None:
    """StableHLO text with f64 instead of narrower floats; strings are unchanged."""
    if any(word in text for word in _ABOUT_BITS):
        return None
    pieces, last = [], 0
    for quoted in _QUOTED.finditer(text):
        if "0x" in quoted.group():
            return None  # the bits of a large constant
        pieces += [_widened_piece(text[last : quoted.start()]), quoted.group()]
        last = quoted.end()
    pieces.append(_widened_piece(text[last:]))
    return None if None in pieces else "".join(piece or "" for piece in pieces)


def _widened_piece(text: str) -> str | None:
    stated = {found.removeprefix("0x").upper() for found in _BITS.findall(text)}
    if not stated <= _SPECIAL.keys():
        return None
    text = _BITS.sub(lambda found: _SPECIAL[found.group().removeprefix("0x").upper()], text)
    return _NARROW.sub(r"\1f64", text)


def exact_results(
    recording: Recording, limits: Limits, rounding: RandomRounding | None = None
) -> list[Array] | None:
    """Run a one-process program in f64 on its recorded inputs and return the results' leaves.

    `None` if the program cannot be widened, or does not finish.
    """
    program = widened(recording.program)
    if program is None or len(recording.tracks) != 1:
        return None
    wanted = [
        getattr(value.type, "element_type", None) for value in find_entry(program, None).function.arguments
    ]
    given = recording.launch.inputs[0]
    if len(wanted) != len(given) or any(map(is_tuple, given)):
        return None
    inputs = [
        value if found is None else value.astype(found.dtype)
        for value, found in zip(given, wanted, strict=True)
    ]
    run = Recording(program, Launch(recording.grid, (tuple(inputs),)), limits, rounding=rounding)
    if run.record().kind != "done":
        return None
    return [leaf for value in run.results() or () for leaf in leaves(value)]


SURE = 8.0
"""Multiple of the rounding of f64 that witnesses are moved by."""
SETTLED = 1 / 16
"""Spread of a witness above which it decides nothing: the program is chaotic in f64 too."""
MOVES = 3
"""Runs of each witness that are moved."""


@dataclass
class _Moved(RandomRounding):
    """Moves the results of ops in f64 by more than their rounding, and constants as the narrower type rounds them."""

    unit: float = 0.0

    def _own_errors(self, op: Op, operands: tuple[Array, ...], results: tuple[Array, ...]) -> Sequence[Error]:
        if op.traits.is_constant:
            return tuple(_of_constant(value, self.unit) for value in results)
        return tuple(SURE * error for error in super()._own_errors(op, operands, results))


def _of_constant(value: Array, unit: float) -> Error:
    """The rounding of constants, but of those that have few digits: these are meant exactly."""
    if is_tuple(value) or not unit_roundoff(value.dtype):
        return NO_ERROR
    parts = np.stack([np.abs(value.real), np.abs(value.imag)]).astype(np.float64)
    digits = np.frexp(parts)[0] / np.sqrt(unit)
    return np.where((digits == np.rint(digits)).all(axis=0), 0.0, 2 * unit * magnitude(value))


def spread_of_witness(
    recording: Recording, limits: Limits, exact: Sequence[Array], unit: float
) -> list[float]:
    """How far each result in f64 moves with its own rounding, and with that of constants; infinite if a run fails."""
    runs = [exact_results(recording, limits, _Moved(seed, unit=unit)) for seed in range(MOVES)]
    return [
        max(
            inf if run is None or run[number].shape != value.shape else _apart(value, run[number])
            for run in runs
        )
        for number, value in enumerate(exact)
    ]


COARSE = 2.0**-20
"""Unit roundoff of types in which a few ulps are an error of a percent."""
OF_ROUNDING = 1 / 4
"""Difference of two programs in f64, in unit roundoffs of the narrower type, that its rounding would hide."""
OF_FUNCTIONS = 2.0
"""The same from which on they are two functions: no rounding of a constant explains it."""


def by_witnesses(
    results: Sequence[Difference],
    before: Sequence[Array] | None,
    after: Sequence[Array] | None,
    spreads: Callable[[], Sequence[float]],
) -> tuple[Difference, ...]:
    """The verdicts on the results of two programs, where their own results in f64 say more.

    `spreads`: how far each result in f64 moves, found only when two differ.
    """
    if before is None or after is None or not len(before) == len(after) == len(results):
        return tuple(results)
    found = tuple(map(_by_witness, results, before, after))
    if found == tuple(results) or all(
        each.is_fine or each == old for each, old in zip(found, results, strict=True)
    ):
        return found
    return tuple(
        old
        if new.is_different and not old.is_different and (spread > SETTLED or _apart(one, other) <= spread)
        else new
        for old, new, one, other, spread in zip(results, found, before, after, spreads(), strict=True)
    )


def needs_witness(found: Difference) -> bool:
    """Whether a result in f64 may say more: the noise decided, or a bound of a type with few digits."""
    is_coarse = bool(found.dtype) and unit_roundoff(np.dtype(found.dtype)) > COARSE
    return found.decided_by == "noise" or (found.decided_by == "bound" and is_coarse)


def _by_witness(found: Difference, before: Array, after: Array) -> Difference:
    unit = unit_roundoff(np.dtype(found.dtype)) if found.dtype else 0.0
    if not needs_witness(found) or before.shape != after.shape or unit <= 2.0**-53:
        return found
    apart = _apart(before, after)
    if apart <= OF_ROUNDING * unit and found.kind != "nan":
        return replace(found, kind="rounding", beyond=0, decided_by="witness")
    if apart > OF_FUNCTIONS * unit and not found.is_different:
        return replace(found, kind="wrong", decided_by="witness")
    return found


def _apart(before: Array, after: Array) -> float:
    """The greatest difference relative to the elements and to the array."""
    with np.errstate(all="ignore"):
        size = np.maximum(np.abs(before), np.abs(after))
        scale = np.maximum(size, np.sqrt(np.mean(np.where(np.isfinite(size), size, 0.0) ** 2)))
        unequal = (before != after) & ~(np.isnan(before) & np.isnan(after))
        found = np.where(unequal, np.abs(before - after) / scale, 0.0)
    return float(np.max(np.where(np.isnan(found), np.inf, found), initial=0.0))


TIMES = 32
"""Maximum ratio of both errors that counts as rounding: engines order sums differently."""


def is_as_near(exact: Array, before: Array, after: Array) -> bool:
    """Whether the error of `after` is within `TIMES` that of `before`, against the exact value.

    Errors are relative to the size of the element and of the array; `False` if any of the three is not finite.
    """
    with np.errstate(all="ignore"):
        wide = [value.astype(exact.dtype) for value in (before, after)]
        if not all(np.isfinite(value).all() for value in (exact, *wide)) or not exact.size:
            return False
        size = np.abs(exact)
        scale = size + float(np.sqrt(np.mean(size**2)))
        if not scale.all():
            return bool((wide[1] == exact).all())
        ours, theirs = (np.abs(value - exact) / scale for value in wide)
        return bool(theirs.max() <= TIMES * ours.max())


def nearer(exact: Array, before: Array, after: Array) -> float:
    """Ratio of the distances of `after` and `before` from the exact value, in the 2-norm."""
    with np.errstate(all="ignore"):
        apart = [
            float(np.linalg.norm((value.astype(exact.dtype) - exact).reshape(-1)))
            for value in (before, after)
        ]
    return apart[1] / apart[0] if apart[0] else (1.0 if apart[1] == 0 else float("inf"))
