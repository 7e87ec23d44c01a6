"""All opcodes of HLO text and the ops that they denote, by family."""

from collections.abc import Mapping
from functools import cache

from ..opcode_forms import Form, always
from . import (
    collective_opcodes,
    contraction_opcodes,
    control_flow_opcodes,
    data_movement_opcodes,
    elementwise_opcodes,
    outside_opcodes,
    reduction_opcodes,
)

FORMS: tuple[Form, ...] = (
    *control_flow_opcodes.FORMS,
    *elementwise_opcodes.FORMS,
    *data_movement_opcodes.FORMS,
    *contraction_opcodes.FORMS,
    *reduction_opcodes.FORMS,
    *collective_opcodes.FORMS,
    *outside_opcodes.FORMS,
)


@cache
def forms_of_opcodes() -> Mapping[str, tuple[Form, ...]]:
    """The forms of each opcode; the form that fits any instruction comes last."""
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
