"""What a worker draws of a moment of a run: the picture that other sites show, and what is printed."""

from __future__ import annotations

from ..present.handouts import Moment, find_moment, handout_html, picture_svg
from ..runs.run import Run
from ..wire.handout_questions import HandoutQuestion, MomentQuestion, PictureQuestion
from ..wire.questions import Answer
from .answer import handler


def _picture(run: Run, question: PictureQuestion) -> Answer[bytes]:
    return question.answer(
        picture_svg(_moment(run, question), question.title, has_lines=question.has_lines),
        final=_has_ended(run),
    )


def _handout(run: Run, question: HandoutQuestion) -> Answer[bytes]:
    return question.answer(handout_html(_moment(run, question)), final=_has_ended(run))


def _moment(run: Run, question: MomentQuestion) -> Moment:
    return find_moment(
        run.recording, question.process, question.step, question.tab, question.value, question.element
    )


def _has_ended(run: Run) -> bool:
    """Whether it has as many steps as it will ever have."""
    return run.recording.state.kind in ("done", "failed")


HANDLERS = (handler(PictureQuestion, _picture), handler(HandoutQuestion, _handout))
