"""A step of a run drawn without scripts: as a picture for other sites, and as HTML to print."""

from collections.abc import Sequence

from ..present.handouts.page import handout_html
from ..present.handouts.picture import picture_svg
from ..present.handouts.step_view import StepView, find_step_view
from ..runs.run import Run
from ..wire.questions import Answer
from .question import NotRecorded, RecordingQuestion, has_ended

SVG = "image/svg+xml"


class StepViewQuestion(RecordingQuestion[bytes]):
    """The page's view at a step of a process.

    `value` is the number of a value and the path into its tuples, empty if none is chosen.
    """

    process: int
    step: int
    tab: str
    value: Sequence[int]
    element: Sequence[int] | None

    def moment(self, run: Run) -> StepView:
        """The step view to draw; it states the number of steps, so a replay has to end first."""
        if run.replaying:
            raise NotRecorded
        return find_step_view(run.recording, self.process, self.step, self.tab, self.value, self.element)


class PictureQuestion(StepViewQuestion):
    """The step as an SVG with the title `title`."""

    title: str
    has_lines: bool = True
    """Whether program lines are above the value."""

    def answer(self, run: Run) -> Answer[bytes]:
        text = picture_svg(self.moment(run), self.title, has_lines=self.has_lines)
        return Answer(text.encode("utf-8", "replace"), SVG, has_ended(run))


class HandoutQuestion(StepViewQuestion):
    """The step as HTML, to embed into a page."""

    def answer(self, run: Run) -> Answer[bytes]:
        text = handout_html(self.moment(run))
        return Answer(text.encode("utf-8", "replace"), "text/html", has_ended(run))
