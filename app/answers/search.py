"""What a worker answers about searches over the values of a recording."""

from __future__ import annotations

from hloscope.engine.debugger.value_search import ValueSearch

from ..present.value_search import SearchError, op_names, parse_predicate, parse_shape, search_json
from ..runs.run import Run
from ..wire.questions import Answer, OpNamesQuestion, SearchQuestion
from ..wire.search import OpNames, SearchResult
from .answer import BadQuestion, NotRecorded, handler

SECONDS = 0.1
"""The longest that a search keeps others waiting; who wants more of it asks again, from where it has stopped."""
MOST_HITS = 200


def _search(run: Run, question: SearchQuestion) -> Answer[SearchResult]:
    if run.replaying:
        raise NotRecorded
    try:
        predicate = parse_predicate(
            question.find, question.number, question.tolerance, question.low, question.high
        )
        shape = parse_shape(question.shape)
    except SearchError as error:
        raise BadQuestion(str(error)) from None
    if run.search is None:
        run.search = ValueSearch(run.recording)
    found = run.search.search(predicate, shape, question.process, question.start, MOST_HITS, SECONDS)
    return question.answer(search_json(run.recording, found), final=False)


def _op_names(run: Run, question: OpNamesQuestion) -> Answer[OpNames]:
    return question.answer(op_names(run.recording.program))


HANDLERS = (handler(SearchQuestion, _search), handler(OpNamesQuestion, _op_names))
