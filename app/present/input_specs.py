"""Input specifications as JSON.

Examples: `{"kind": "normal", "seed": 0}`, `{"kind": "dense", "text": "[1, 2]"}`.
Random kinds may have a `scale`. Arrays stay with the owner of the file that they came from.
"""

from collections.abc import Mapping
from math import isfinite
from typing import Any, cast, get_args

from hloscope.engine.errors import InputError
from hloscope.engine.inputs import GENERATED, InputKind, InputSpec

from ..wire.sessions import DenseSpec, GeneratedKind, GeneratedSpec


def input_spec_json(spec: InputSpec) -> GeneratedSpec | DenseSpec:
    """A generated or dense specification as the browser reads and sends it."""
    if spec.kind == "dense" or spec.shape is not None:
        return {"kind": "dense", "text": str(spec)}
    found = GeneratedSpec(kind=cast(GeneratedKind, spec.kind), seed=spec.seed)
    return {**found, "scale": spec.scale} if spec.scale != 1 else found


def input_spec(data: Mapping[str, Any]) -> InputSpec:
    """The specification in `data`. Raises `InputError` with the cause."""
    kind, seed, scale = data.get("kind"), data.get("seed", 0), data.get("scale", 1)
    if kind == "dense" and isinstance(data.get("text"), str):
        return InputSpec.parse(data["text"])  # `normal[5]` may be typed for numbers as well
    numbers = type(seed) is int and type(scale) in (int, float) and isfinite(scale)
    for known in get_args(InputKind):
        if kind == known and kind in GENERATED and numbers:
            return InputSpec(known, seed, scale=float(scale))
    raise InputError(
        f"{dict(data)!r:.80} does not describe an input", hint=f"Kinds are {', '.join(GENERATED)} and dense."
    )
