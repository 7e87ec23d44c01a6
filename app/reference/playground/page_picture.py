"""The picture of an op's page: the smallest example of its form, evaluated."""

from __future__ import annotations

from functools import lru_cache

from hloscope.engine.limits import DEFAULT_LIMITS

from ...wire.playground import PagePicture
from .evaluate import Effort, evaluate_form
from .forms import form_json
from .operands import PlaygroundLimits

MOST_KEPT = 256
"""Maximum number of pictures kept; more than there are ops with a form."""
_ELEMENTS = PlaygroundLimits(1 << 16)
_EFFORT = Effort(1000, 2000)


@lru_cache(MOST_KEPT)
def picture_of(op: str) -> PagePicture | None:
    """The form of an op and the answer to its first example; `None` without a form."""
    form = form_json(op)
    if form is None:
        return None
    answer = evaluate_form(op, form["first"], _ELEMENTS, DEFAULT_LIMITS, _EFFORT)
    return {"form": form, "answer": answer} if answer["picture"] else None
