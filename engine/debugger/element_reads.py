"""The steps that read one element of a value."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..errors import ExpressionError
from ..indexing.elements.element_sets import ElementSet
from ..indexing.elements.images import OutOfWork
from ..ir.types import TensorType
from ..ops.core.scalars import as_tensor
from ..program import BoundProgram
from .provenance import Links, Onward, RecordedRun
from .run_location import RunLocation

Element = tuple[int, ...]
_ELEMENT = re.compile(r"(.+)\[(\d+(?:\s*,\s*\d+)*)\]")


def split_element(at: str) -> tuple[str, Element | None]:
    """The name and the index of `%12[3, 5]`; the index is `None` for a name alone."""
    found = _ELEMENT.fullmatch(at.strip())
    if found is None:
        return at, None
    return found[1], tuple(map(int, found[2].split(",")))


def check_element(program: BoundProgram, value: int, element: Element) -> None:
    """Raise `ExpressionError` if a value has no such element."""
    type = as_tensor(program.values[value].type)
    sizes = type.shape if isinstance(type, TensorType) else ()
    inside = all(size is None or at < size for at, size in zip(element, sizes, strict=False))
    if len(element) != len(sizes) or not inside:
        name, index = program.values[value].name, ", ".join(map(str, element))
        shape = ", ".join("?" if size is None else str(size) for size in sizes)
        raise ExpressionError(
            f"{name} has no element [{index}]", hint=f"Its shape is [{shape}]; indices count from 0."
        )


class ElementReads:
    """Whether a step reads an element of a value; ops without runtime indices do so in all their steps or in none."""

    def __init__(self, reads: Mapping[int, int], element: Element) -> None:
        """`reads`: for an op, the value that it reads."""
        self._reads, self._element = reads, element
        self._onward: Onward | None = None
        self._known: dict[tuple[int, int], bool] = {}
        """By op and launch group, what does not depend on the step."""

    def __call__(self, place: RunLocation) -> bool:
        """Raises `ExpressionError` where this takes too long to find."""
        op, group = place.track.op_of(place.step), place.track.launch_group
        if (op, group) in self._known:
            return self._known[op, group]
        if self._onward is None or self._onward.run.recording is not place.recording:
            self._onward, self._known = Onward(Links(RecordedRun(place.recording))), {}
        run = self._onward.run
        run.refresh()
        address = run.operand(place.process, place.step, self._reads[op])
        shape = run.shape(address)
        # In a lifted body the value has lanes in front: the element of any lane.
        lanes = shape[: len(shape) - len(self._element)]
        if any(at >= size for at, size in zip(self._element, shape[len(lanes) :], strict=True)):
            return False
        box = (*map(range, lanes), *(range(at, at + 1) for at in self._element))
        try:
            found, is_fixed = self._onward.reads(address, ElementSet.of_boxes(shape, [box]), place.step)
        except OutOfWork:
            raise ExpressionError("it takes too long to find which elements the op reads") from None
        if is_fixed and not lanes:
            self._known[op, group] = found
        return found
