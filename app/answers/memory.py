"""Memory and traffic of a recording's program: live bytes at each op, and the buffers that are live at one."""

from hloscope.engine.live_memory.profile import Memory, memory_of

from ..present.memory import live_json, memory_difference, memory_json
from ..runs.other_values import OtherValues
from ..runs.run import Run, kept
from ..wire.memory import LiveInfo, MemoryDifference, MemoryInfo
from ..wire.questions import Answer, json_answer
from .question import BadQuestion, Number, Other, PairQuestion, RecordingQuestion


class MemoryQuestion(RecordingQuestion[MemoryInfo]):
    """Live bytes at each op from the program's text alone, their peak, copies and collectives.

    They hold for one process; the arrays of a program that is not yet partitioned are whole. HLO text with `is_scheduled` states the order of execution; the steps of other texts are in
    the order of their lines, before the compiler fuses and reorders operations.
    """

    path = "/memory"

    def answer(self, run: Run) -> Answer[MemoryInfo]:
        return json_answer(memory_json(_memory(run)))


class LiveQuestion(RecordingQuestion[LiveInfo]):
    """The buffers that are live while an op executes, the largest first."""

    path = "/memory/{op}"
    examples = ({"op": 2},)

    op: Number

    def answer(self, run: Run) -> Answer[LiveInfo]:
        return json_answer(live_json(_memory(run), self.op))


class MemoryDifferenceQuestion(PairQuestion[MemoryDifference]):
    """What changed from a run's program to that of another one: peak, traffic, copies, collectives, buffers at the peak."""

    path = "/comparison/memory"
    examples = ({"other": "{key}"},)

    def answer(self, run: Run, other: Other) -> Answer[MemoryDifference]:
        if isinstance(other, OtherValues):
            raise BadQuestion("A file of values has no program: name another run of the session.")
        return json_answer(memory_difference(_memory(run), _memory(other)))


@kept
def _memory(run: Run) -> Memory:
    return memory_of(run.recording.program, run.entry)
