"""The same program in more digits, to decide which of two results is closer to the exact one."""

import re
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, fields, is_dataclass, replace
from math import inf, isfinite, nan
from typing import Any

import numpy as np

from ..debugger.recording import Recording
from ..entry import find_entry
from ..frontend import load
from ..hlo_to_stablehlo import NotStablehlo, stablehlo_module
from ..ir.element_types import ELEMENT_TYPES, EXTENDED, F64, ElementType, QuantizedType
from ..ir.locations import Location
from ..limits import Limits
from ..ops import op_table
from ..ops.core.op import Array
from ..ops.core.ranks import is_inexact
from ..ops.core.rounding import NO_ERROR, Error, magnitude, unit_roundoff
from ..ops.core.values import is_tuple, leaves, tuple_of
from ..process_grid import Launch
from ..program import BoundOperation, BoundProgram
from ..source import Source, Span
from ..syntax import NotHlo, print_module
from ..verifier import verify
from .difference import Difference
from .judge import BEYOND_MEDIAN, CHAOTIC, MANY
from .random_rounding import RandomRounding, coarsest_unit

_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
_NARROW = re.compile(r"(?<![\w%@!.#])((?:\d+x|\?x)*)(?:f32|bf16|f16)\b(?!\.)")
_BITS = re.compile(r"(?<!\w)0x(?:[0-9A-F]{2})+\b")
"""Bits as hloscope's printer writes them, unlike `0x` in `tensor<0xf32>`."""
_SPECIAL = {
    **dict.fromkeys(("7F800000", "7F80", "7C00", "7FF0000000000000"), "0x7FF0000000000000"),
    **dict.fromkeys(("FF800000", "FF80", "FC00", "FFF0000000000000"), "0xFFF0000000000000"),
    **dict.fromkeys(("7FC00000", "7FC0", "7E00", "7FF8000000000000"), "0x7FF8000000000000"),
}
"""Bits of infinities and NaN, and those of the same in f64."""
_ABOUT_BITS = ("bitcast_convert", "reduce_precision", "quant", "rng", "f8E", "f6E", "f4E", "tf32")
"""Features that a widened program must not contain: their meaning depends on the types."""
_ROUTINE = re.compile(r"lapack_([sdcz])(?=\w+_ffi\b)")
_IN_F64 = {"s": "d", "d": "d", "c": "z", "z": "z"}
_ARBITRARY = re.compile(r"syev|heev|geev|gesdd|gesvd|gesvj|hseqr|gees")
"""Routines whose results more digits may turn over: the signs of eigenvectors and singular vectors are free."""
_OTHER_CALL = re.compile(rf"custom_call @(?!{_ROUTINE.pattern})")
_F64_AT_MOST = (
    *(
        "custom_call",
        "complex<",
        "arith.constant",
        "chlo.constant",
        "batch_norm",
        "triangular_solve",
        "cholesky",
    ),
    *(".erf", "lgamma", "digamma", "polygamma", "zeta", ".bessel", "expect_close"),
)
"""Features that have no more digits than f64: LAPACK, SciPy and some ops compute in f64 at most."""


def widened(program: BoundProgram) -> BoundProgram | None:
    """The program with f64 instead of f32, bf16 and f16, or with `EXTENDED` if all of its floats are f64.

    `None` if its meaning depends on types.
    """
    try:
        module = program.module
        found = stablehlo_module(module) if module.language == "hlo" else module
        text = print_module(found, op_table(), "short")
    except (NotHlo, NotStablehlo):
        return None
    wide = widened_text(text)
    if wide is None:
        return None
    loaded = load(Source(wide, "<f64>"))
    if EXTENDED is None or loaded.module is None or coarsest_unit(program) > unit_roundoff(F64.dtype):
        return loaded.program
    if any(word in wide for word in _F64_AT_MOST):
        return loaded.program
    try:
        return verify(Widening(EXTENDED, _of_decimals).of(loaded.module), op_table()).program
    except RecursionError:  # regions within a hundred others
        return loaded.program


def widen(value: Array, dtype: np.dtype[Any]) -> Array:
    """The same numbers in the wider type, complex ones in its pair; other values unchanged."""
    if is_tuple(value):
        return tuple_of([widen(part, dtype) for part in value])
    if not unit_roundoff(value.dtype):
        return value
    wide = np.dtype(np.complex128) if value.dtype.kind == "c" else dtype
    return np.broadcast_to(_once(value).astype(wide), value.shape)


def _of_decimals(data: Array, dtype: np.dtype[Any]) -> Array:
    """The numbers that the shortest decimals state: 0.1 in f64 is meant as 0.1."""
    if data.dtype != F64.dtype:
        return data
    once = _once(data)
    found = [np.longdouble(repr(number)) for number in once.reshape(-1).tolist()]
    return np.broadcast_to(np.array(found, dtype).reshape(once.shape), data.shape)


def _once(value: Array) -> Array:
    """Each of the repeated elements of a broadcast array once."""
    return np.asarray(value[tuple(slice(0, 1) if stride == 0 else slice(None) for stride in value.strides)])


@dataclass(frozen=True)
class Widening:
    """Replaces the floats in parts of a module by a wider type."""

    wide: ElementType
    constants: Callable[[Array, np.dtype[Any]], Array] = widen

    def of(self, part: Any) -> Any:
        """A part of the module with wider types and constants."""
        if isinstance(part, ElementType):
            return self._element_type(part)
        if isinstance(part, tuple):
            return tuple(map(self.of, part))
        if isinstance(part, Mapping):
            return {name: self.of(value) for name, value in part.items()}
        if isinstance(part, np.ndarray):
            return self.constants(part, self.wide.dtype)
        if not is_dataclass(part) or isinstance(part, type | Span | Location | Source):
            return part
        changed = {found.name: self.of(getattr(part, found.name)) for found in fields(part) if found.init}
        return replace(part, **changed)

    def _element_type(self, found: ElementType) -> ElementType:
        if isinstance(found, QuantizedType):
            return found
        if found.is_complex:
            return ELEMENT_TYPES["complex<f64>"]
        return self.wide if found.is_float else found


def routine_in_f64(text: str) -> str:
    """The name of a routine of LAPACK, or a text with such names, where each is that of the routine in f64."""
    return _ROUTINE.sub(lambda found: f"lapack_{_IN_F64[found[1]]}", text)


def takes_f64_at_most(target: str) -> bool:
    """Whether a target is a routine of LAPACK, which has none with more digits."""
    return _ROUTINE.match(target) is not None


def is_arbitrary(target: str) -> bool:
    """Whether the routine of a target may turn its result over in more digits."""
    return _ARBITRARY.search(target) is not None


def widened_text(text: str) -> str | None:
    """StableHLO text with f64 instead of narrower floats; strings are unchanged."""
    text = routine_in_f64(text)
    if _OTHER_CALL.search(text) or _ARBITRARY.search(text) or any(word in text for word in _ABOUT_BITS):
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
    """The leaves of the results of `exact_run`; `None` if there is none."""
    run = exact_run(recording, limits, rounding)
    return None if run is None else [leaf for value in run.results() or () for leaf in leaves(value)]


def exact_run(
    recording: Recording, limits: Limits, rounding: RandomRounding | None = None
) -> Recording | None:
    """A run of a one-process program in more digits on its recorded inputs.

    `None` if the program cannot be widened, or does not finish.
    """
    program = recording.program.derive(widened)
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
    return run if run.record().kind == "done" else None


SURE = 8.0
"""Multiple of their own rounding that witnesses are moved by."""
SETTLED = 1 / 16
"""Spread of a witness above which it decides nothing: the program is chaotic in more digits too."""
MOVES = 3
"""Runs of each witness that are moved."""


@dataclass
class _Moved(RandomRounding):
    """Moves the results of ops of a witness by more than their rounding, and constants as the narrower type rounds them."""

    unit: float = 0.0
    constants: Set[int] = frozenset()
    """Numbers of the ops that make constants, or compute with nothing else."""

    def _own_errors(
        self, bound: BoundOperation, operands: tuple[Array, ...], results: tuple[Array, ...]
    ) -> Sequence[Error]:
        if bound.id in self.constants:
            return tuple(_of_constant(value, self.unit) for value in results)
        return tuple(SURE * error for error in super()._own_errors(bound, operands, results))


def _constant_ops(program: BoundProgram) -> Set[int]:
    """The numbers of the ops whose results a compiler may compute and round: constants, and what depends on them alone."""
    ops: set[int] = set()
    known: set[int] = set()
    for bound in program.ops:
        op = bound.op.unpacked
        if op.traits.is_constant or (
            bound.operands and not bound.regions and known.issuperset(bound.operands)
        ):
            known.update(bound.results)
            if op.traits.is_constant or not op.findings.moves_elements:
                ops.add(bound.id)
    return ops


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
    """How far each result of a witness moves with its own rounding, and with that of constants; infinite if a run fails."""
    program = recording.program.derive(widened)
    constants = frozenset[int]() if program is None else program.derive(_constant_ops)
    moves = [_Moved(seed, unit=unit, constants=constants) for seed in range(MOVES)]
    runs = [exact_results(recording, limits, move) for move in moves]
    return [
        max(
            inf if run is None or run[number].shape != value.shape else _apart(value, run[number])
            for run in runs
        )
        for number, value in enumerate(exact)
    ]


def wider_spreads(
    recordings: Sequence[Recording], witnesses: Sequence[Sequence[Array] | None], limits: Limits
) -> list[float]:
    """The greater spread of both witnesses, whose constants are rounded to the coarsest type of both programs."""
    unit = max(coarsest_unit(recording.program) for recording in recordings)
    moved = [
        spread_of_witness(recording, limits, exact or (), unit)
        for recording, exact in zip(recordings, witnesses, strict=True)
    ]
    return [max(pair) for pair in zip(*moved, strict=True)]


COARSE = 2.0**-20
"""Unit roundoff of types in which a few ulps are an error of a percent."""
OF_ROUNDING = 1 / 4
"""Difference of two witnesses, in unit roundoffs of the narrower type, that its rounding would hide."""
OF_FUNCTIONS = 2.0
"""The same from which on they are two functions: no rounding of a constant explains it."""
OF_COARSE_FUNCTIONS = 1.5
"""The same of types with few digits, in which a rounded constant is one unit off at most, and the next constant two."""


def between(
    before: Sequence[Array] | None, after: Sequence[Array] | None, dtypes: Sequence[str]
) -> list[float]:
    """How far two witnesses are apart in each result of these types; NaN where they have no more digits."""
    if before is None or after is None or not len(before) == len(after) == len(dtypes):
        return [nan] * len(dtypes)
    return [
        _apart(one, other) if one.shape == other.shape and unit_roundoff(one.dtype) < _unit(dtype) else nan
        for one, other, dtype in zip(before, after, dtypes, strict=True)
    ]


def _unit(dtype: str) -> float:
    return unit_roundoff(np.dtype(dtype)) if dtype else 0.0


def by_witnesses(
    results: Sequence[Difference], apart: Sequence[float], spreads: Callable[[], Sequence[float]]
) -> tuple[Difference, ...]:
    """The verdicts on the results of two programs, whose witnesses are `apart`.

    `spreads`: how far each of these moves, found only when two differ.
    """
    found = tuple(map(_by_witness, results, apart))
    if all(new.is_fine or new == old for new, old in zip(found, results, strict=True)):
        return found
    return tuple(
        old if new.is_different and not old.is_different and (spread > SETTLED or gap <= spread) else new
        for old, new, gap, spread in zip(results, found, apart, spreads(), strict=True)
    )


def needs_witness(found: Difference) -> bool:
    """Whether a result in more digits may say more: the noise decided, or a bound of a type with few digits."""
    is_coarse = bool(found.dtype) and unit_roundoff(np.dtype(found.dtype)) > COARSE
    return found.decided_by == "noise" or (found.decided_by == "bound" and is_coarse)


def _by_witness(found: Difference, apart: float) -> Difference:
    """The verdict where the witnesses decide; NaN of `apart` decides nothing, and an infinity is no rounding."""
    unit = _unit(found.dtype)
    if not needs_witness(found):
        return found
    if apart <= OF_ROUNDING * unit and isfinite(found.error):
        return replace(found, kind="rounding", beyond=0, decided_by="witness")
    limit = OF_COARSE_FUNCTIONS if unit > COARSE else OF_FUNCTIONS
    if apart > limit * unit and not found.is_different:
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
TYPICAL_TIMES = 8
"""The same of the median errors of many elements, unless theirs is within one rounding of the type."""


def is_as_near(exact: Array, before: Array, after: Array) -> bool:
    """Whether the error of `after` is within `TIMES` that of `before`, against the exact value, and typically smaller.

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
        typical = max(TYPICAL_TIMES * np.median(ours), unit_roundoff(before.dtype))
        is_typical = exact.size < MANY or np.median(theirs) <= typical
        return bool(is_typical and theirs.max() <= TIMES * ours.max())


def vanishes(exact: Array, after: Array, runs: Sequence[Array]) -> bool:
    """Whether a result is 0 but for rounding, as the gradient of a bias before a normalization, and `after` is no larger
    than in randomly rounded runs.
    """
    if not runs or not exact.size or not is_inexact(after.dtype):
        return False
    with np.errstate(all="ignore"):
        sizes = [np.abs(value.astype(exact.dtype)) for value in (exact, after, *runs)]
    if not all(np.isfinite(size).all() for size in sizes):
        return False
    level, ours = (float(np.sqrt(np.mean(np.square(size)))) for size in (np.max(sizes[2:], axis=0), sizes[1]))
    return bool(sizes[0].max() <= CHAOTIC * level and ours <= BEYOND_MEDIAN * level)


def nearer(exact: Array, before: Array, after: Array) -> float:
    """Ratio of the distances of `after` and `before` from the exact value, in the 2-norm."""
    with np.errstate(all="ignore"):
        apart = [
            float(np.linalg.norm((value.astype(exact.dtype) - exact).reshape(-1)))
            for value in (before, after)
        ]
    return apart[1] / apart[0] if apart[0] else (1.0 if apart[1] == 0 else float("inf"))
