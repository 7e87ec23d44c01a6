"""Convert an operand's values in a form to input specifications and arrays, by process."""

import re
from collections.abc import Sequence

import numpy as np

from hloscope.engine.errors import LimitError, ProgramError
from hloscope.engine.inputs import InputSpec, make_input
from hloscope.engine.ir.element_types import ElementType, QuantizedType
from hloscope.engine.ir.types import TensorType
from hloscope.engine.limits import Limits
from hloscope.engine.ops.core.op import Array

from .problems import FormPlace, FormProblem
from .tensors import GENERATED

_INTEGER = re.compile(r"[-+]?\d{1,20}", re.ASCII)
_REAL = re.compile(r"[-+]?(?:\d{1,40}(?:\.\d{0,40})?|\.\d{1,40})(?:[eE][-+]?\d{1,3})?", re.ASCII)
_COMPLEX = re.compile(rf"(?P<real>{_REAL.pattern})?(?:(?P<imaginary>{_REAL.pattern})i)?", re.ASCII)
_SPECIAL = ("nan", "inf", "-inf")
LARGEST_COUNTED = 9


def specs_of(
    values: str | Sequence[str], type: TensorType, processes: int, place: FormPlace, most: int
) -> list[InputSpec]:
    """The input specification of each process; `FormProblem` for an element of another type.

    `most`: maximum number of elements that are listed one by one.
    """
    if isinstance(values, str):
        return _generated_specs(values, type, processes, place, most)
    count = type.element_count
    if len(values) not in (count, count * processes):
        each = f" in each of {processes} processes" if processes > 1 else ""
        message = f"{place.name} has {count:,} elements{each}; {len(values):,} values are given"
        raise FormProblem(place, message)
    literals = [_literal(str(value), type.element_type, place) for value in values]
    parts = [literals[at : at + count] for at in range(0, len(literals), count)] if count else [[]]
    parts = parts if len(parts) == processes else parts * processes
    return [_dense(part, type) for part in parts]


def _generated_specs(
    values: str, type: TensorType, processes: int, place: FormPlace, most: int
) -> list[InputSpec]:
    match = GENERATED.fullmatch(values)
    if match is None:
        raise FormProblem(place, "Values are generated, or there is one for each element")
    kind, seed = match[1], int(match[2] or 0)
    if kind in ("zeros", "ones"):
        return [InputSpec.parse(kind)] * processes
    if kind == "random":
        whole = _is_whole(type.element_type)
        return [InputSpec("uniform" if whole else "normal", seed + p) for p in range(processes)]
    if kind == "iota" and processes == 1:
        return [InputSpec("iota")]
    count = type.element_count
    if count * processes > most:
        message = f"{place.name} has {count:,} elements; at most {most:,} are counted one by one"
        raise FormProblem(place, message, "playground_elements")
    starts = [p * count if kind == "iota" else p for p in range(processes)]
    return [
        _dense([_count_up(start + k, kind, type.element_type) for k in range(count)], type)
        for start in starts
    ]


def _is_whole(element: ElementType) -> bool:
    return element.kind in ("signed", "unsigned", "boolean") or isinstance(element, QuantizedType)


def _count_up(number: int, kind: str, element: ElementType) -> str:
    """The text of a counting element: linear indices for `iota`, else 1 to 9 repeatedly.

    The type limits the values.
    """
    shown = number if kind == "iota" else number % LARGEST_COUNTED + 1
    if element.kind in ("signed", "unsigned"):
        room = element.bits - (element.kind == "signed")
        shown %= 1 << min(room, 62)
    elif isinstance(element, QuantizedType):
        shown %= 100
    return _literal_of(shown, element)


def _literal_of(number: int, element: ElementType) -> str:
    if element.kind == "boolean":
        return "true" if number % 2 else "false"
    if element.is_complex:
        return f"({number}.0, 0.0)"
    return str(number) if _is_whole(element) else f"{number}.0"


def _literal(text: str, element: ElementType, place: FormPlace) -> str:
    """One element as an MLIR literal."""
    text = text.strip().replace("−", "-")
    if element.kind == "boolean":
        words = {"true": "true", "1": "true", "false": "false", "0": "false"}
        return words.get(text) or _refusal(text, "true or false", place)
    if _is_whole(element):
        return text.removeprefix("+") if _INTEGER.fullmatch(text) else _refusal(text, "a whole number", place)
    if element.is_complex:
        return _complex(text, place)
    if text.lower() in _SPECIAL:
        return _special(text.lower(), element, place)
    return _real(text) if _REAL.fullmatch(text) else _refusal(text, "a number", place)


def _refusal(text: str, wanted: str, place: FormPlace) -> str:
    shown = text if len(text) <= 40 else f"{text[:40]}…"
    raise FormProblem(
        place, f"'{shown}' is not {wanted}" if shown else f"An element is empty: it must be {wanted}"
    )


def _real(text: str) -> str:
    return repr(float(text))


def _complex(text: str, place: FormPlace) -> str:
    match = _COMPLEX.fullmatch(text)
    if match is None or not text:
        return _refusal(text, "a complex number, as 1+2i", place)
    return f"({_real(match['real'] or '0')}, {_real(match['imaginary'] or '0')})"


def _special(word: str, element: ElementType, place: FormPlace) -> str:
    """NaN and the infinities, as bits of the element type."""
    value = np.array(float(word), np.float64).astype(element.dtype)
    if str(value.astype(np.float64)) != str(np.float64(float(word))):
        return _refusal(word, f"a value of {element}", place)
    bits = int.from_bytes(value.tobytes(), "little")
    return f"0x{bits:0{element.dtype.itemsize * 2}X}"


def _dense(literals: Sequence[str], type: TensorType) -> InputSpec:
    """The literals in brackets; empty without elements."""
    if not literals:
        return InputSpec("zeros")
    parts = list(literals)
    for size in reversed(type.sizes):
        parts = [f"[{', '.join(parts[at : at + size])}]" for at in range(0, len(parts), size)]
    return InputSpec("dense", text=parts[0])


def arrays_of(
    specs: Sequence[InputSpec], type: TensorType, argument: int, place: FormPlace, limits: Limits
) -> list[Array]:
    """The array of each process, as a run makes it."""
    made: dict[int, Array] = {}
    try:
        for spec in specs:
            if id(spec) not in made:
                made[id(spec)] = make_input(spec, type, argument, place.name, limits)
    except LimitError as error:
        raise FormProblem(place, error.message, error.label) from None
    except ProgramError as error:
        raise FormProblem(place, error.message) from None
    return [made[id(spec)] for spec in specs]
