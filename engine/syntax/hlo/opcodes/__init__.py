"""Every opcode of HLO text and the ops that it is, by family."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from ..forms import Form, always
from . import collectives, contractions, control_flow, data_movement, elementwise, outside, reductions

FORMS: tuple[Form, ...] = (
    *control_flow.FORMS,
    *elementwise.FORMS,
    *data_movement.FORMS,
    *contractions.FORMS,
    *reductions.FORMS,
    *collectives.FORMS,
    *outside.FORMS,
)


@cache
def forms_of_opcodes() -> Mapping[str, tuple[Form, ...]]:
    """The forms of each opcode; where there are several, the one that fits any instruction is last."""
    found: dict[str, tuple[Form, ...]] = {}
    for form in FORMS:
        found[form.opcode] = (*found.get(form.opcode, ()), form)
    return {
        opcode: tuple(sorted(forms, key=lambda form: form.fits is always)) for opcode, forms in found.items()
    }


@cache
def forms_of_ops() -> Mapping[str, Form]:
    """The form of each op, by the op's name."""
    return {form.name: form for form in FORMS}
