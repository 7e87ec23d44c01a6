"""The context for resolving blocks: recordings, positions in them, texts with values."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from hloscope.engine.debugger.address import Address
from hloscope.engine.debugger.run_location import RunLocation

from ..wire.lessons import HiddenValue, LessonPlace
from .attributes import nearest, read_place, whole
from .markdown import Placeholder, to_html
from .places import END, place_of
from .runs import Recorded
from .tree import At, Lesson, LessonError
from .values import read_expression, written

T = TypeVar("T")


@dataclass
class Resolver:
    """The context of one lesson. `number_of` maps a program to its run in the session."""

    lesson: Lesson
    runs: dict[str, Recorded]
    errors: list[LessonError] = field(default_factory=list)

    def recorded(self, program: str, line: int) -> Recorded:
        """The run of a program; `LessonError` if it does not run."""
        found = self.runs[program]
        if found.recording is None:
            first = found.diagnostics[0]
            raise LessonError(
                line,
                f"the program `{program}` does not run: {first['message']}",
                "Only an exercise may be about a program that does not run.",
            )
        if found.stopped:
            raise LessonError(line, f"the run of `{program}` is too long for a lesson: {found.stopped}")
        return found

    def place(self, program: str, at: At, process: int, line: int) -> RunLocation:
        """A position in the run of a program."""
        recording = self.recorded(program, line).recording
        assert recording is not None
        return place_of(recording, at, process, line)

    def number(self, program: str) -> int:
        """The number of a program's run; programs that do not run have none."""
        runs = [key for key, found in self.runs.items() if found.recording is not None]
        return runs.index(program) + 1

    def html(self, source: str, line: int, program: str, *, inline: bool = False) -> str:
        """A text as HTML with its values."""
        return to_html(
            source, line, lambda found: self._write(found, program), self.lesson.images, inline=inline
        )

    def _write(self, found: Placeholder, program: str) -> str:
        name = found.attributes.get("program", program)
        if name not in self.runs:
            raise LessonError(found.line, f"the lesson has no program `{name}`", nearest(name, self.runs))
        at = read_place(found.attributes, found.line) or END
        process = whole(found.attributes, "process", found.line) or 0
        place = self.place(name, at, process, found.line)
        parsed = read_expression(found.expression, place.recording.program, found.line)
        return written(parsed, place, found.line)

    def wire_place(
        self,
        program: str,
        place: RunLocation,
        tab: str | None,
        address: Address | None,
        element: Sequence[int] | None,
    ) -> LessonPlace:
        """A position in the page's format."""
        value = None if address is None else place.recording.value_number(address)
        return {
            "run": self.number(program),
            "step": place.step,
            "process": place.process,
            "tab": tab,
            "value": value,
            "path": [],
            "element": None if element is None else list(element),
            "address": None if address is None else str(address),
        }

    def hidden(self, program: str, address: Address, element: Sequence[int] | None) -> HiddenValue:
        """The values that are hidden until a question is answered."""
        return {
            "run": self.number(program),
            "process": address.process,
            "address": str(address),
            "element": None if element is None else list(element),
            "beyond": True,
        }

    def check_element(self, place: RunLocation, address: Address, element: Sequence[int], line: int) -> None:
        """Verify that a value has an element."""
        shape = place.recording.value(address).shape
        if len(element) != len(shape) or any(
            not 0 <= at < size for at, size in zip(element, shape, strict=True)
        ):
            told = "×".join(map(str, shape)) or "a scalar"
            raise LessonError(line, f"there is no element {list(element)}: the value is {told}")

    def guard(self, act: Callable[[], T]) -> T | None:
        """The result of `act`; `None` after an error, which is recorded."""
        try:
            return act()
        except LessonError as error:
            self.errors.append(error)
            return None
