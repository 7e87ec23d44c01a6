"""Search over the values of a recording, and the op names to search for."""

from typing import Annotated

from annotated_types import Ge, Le, MaxLen

from hloscope.engine.debugger.value_search import ValueSearch

from ..present.value_search import SearchError, op_names, parse_predicate, parse_shape, search_json
from ..runs.run import Run, kept
from ..wire.questions import Answer, json_answer
from ..wire.search import OpNames, SearchKind, SearchResult
from .question import BadQuestion, Named, NotRecorded, Process, RecordingQuestion

SECONDS = 0.1
"""Maximum duration of a search before it answers with a position to continue from."""
MOST_HITS = 200

Text = Annotated[str, MaxLen(80)]


class SearchQuestion(RecordingQuestion[SearchResult]):
    """The values of a process with matching elements, in execution order, in pages.

    A search stops after a tenth of a second and returns the position to continue from.
    """

    path = "/search"
    examples = ({"find": "number", "number": "2", "tolerance": "0.5"},)

    find: SearchKind
    number: Text = ""
    tolerance: Text = ""
    low: Text = ""
    high: Text = ""
    shape: Text = ""
    process: Process = 0
    start: Annotated[int, Named("from"), Ge(0), Le(2**53)] = 0

    def answer(self, run: Run) -> Answer[SearchResult]:
        if run.replaying:
            raise NotRecorded
        try:
            predicate = parse_predicate(self.find, self.number, self.tolerance, self.low, self.high)
            shape = parse_shape(self.shape)
        except SearchError as error:
            raise BadQuestion(str(error)) from None
        found = search_of(run).search(predicate, shape, self.process, self.start, MOST_HITS, SECONDS)
        return json_answer(search_json(run.recording, found), final=False)


@kept
def search_of(run: Run) -> ValueSearch:
    """The search index of a run's values, built by the first search."""
    return ValueSearch(run.recording)


class OpNamesQuestion(RecordingQuestion[OpNames]):
    """The names of ops in the user's framework, such as `jit(f)/attention/dot_general`."""

    path = "/op-names"

    def answer(self, run: Run) -> Answer[OpNames]:
        return json_answer(op_names(run.recording.program))
