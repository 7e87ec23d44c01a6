"""The program of a recording, its steps and frames, and its printed texts."""

from ..present.ops import op_details
from ..present.program import program_table, program_window
from ..present.tracks import frames_chunk, outline_chunk
from ..runs.run import Run
from ..wire.program import OpDetails, ProgramInfo, ProgramWindow
from ..wire.questions import Answer, json_answer
from ..wire.values import PrintedText
from .index_maps import chains_of
from .question import Chunk, NotRecorded, Number, Process, RecordingQuestion, Start, chunk_answer, has_ended

MOST_PRINTS = 1_000
"""Maximum number of printed texts that are shown."""
PRINT_CHARACTERS = 10_000
"""Maximum length of a printed text; the rest is cut."""
PRINTS_AT_ONCE = 100
"""Maximum number of printed texts in an answer."""


class OpenQuestion(RecordingQuestion[bool]):
    """Whether the run is open; the worker opens it before it answers."""

    def answer(self, run: Run) -> Answer[bool]:
        return json_answer(True, final=False)


class ProgramQuestion(RecordingQuestion[ProgramInfo]):
    """Ops, values, blocks and functions of the program."""

    path = "/program"

    def answer(self, run: Run) -> Answer[ProgramInfo]:
        return json_answer(program_table(run.recording.program))


class ProgramWindowQuestion(RecordingQuestion[ProgramWindow]):
    """8,192 ops, values, blocks and functions of the program as columns, and with chunk 0 everything else of `/program`.

    The table of a large program is too large for one answer. Ops have no summary here: it is in the program's text.
    """

    path = "/program/window"
    examples = ({"chunk": 0},)

    chunk: Chunk

    def answer(self, run: Run) -> Answer[ProgramWindow]:
        return json_answer(program_window(run.recording.program, self.chunk))


class OutlineQuestion(RecordingQuestion[bytes]):
    """4,096 steps of a process as columns.

    Little-endian, one column after the other: op u32, frame u32, depth u16. `X-Steps` is the number of steps of the process.
    """

    path = "/outline"
    examples = ({"chunk": 0},)

    chunk: Chunk
    process: Process = 0

    def answer(self, run: Run) -> Answer[bytes]:
        return chunk_answer(run, outline_chunk(run.recording, self.chunk, self.process), "X-Steps")


class FramesQuestion(RecordingQuestion[bytes]):
    """4,096 frames of a process as columns.

    Little-endian u32, one column after the other: block, parent, opener, iteration; 0xFFFFFFFF is none. `X-Frames` is the
    number of frames of the process.
    """

    path = "/frames"
    examples = ({"chunk": 0},)

    chunk: Chunk
    process: Process = 0

    def answer(self, run: Run) -> Answer[bytes]:
        return chunk_answer(run, frames_chunk(run.recording, self.chunk, self.process), "X-Frames")


class OpDetailsQuestion(RecordingQuestion[OpDetails]):
    """Documentation, constraints, cost and maps of one op of the program."""

    path = "/ops/{op}"
    examples = ({"op": 2},)

    op: Number

    def answer(self, run: Run) -> Answer[OpDetails]:
        return json_answer(op_details(run.recording.program, self.op, chains_of(run)))


class PrintsQuestion(RecordingQuestion[list[PrintedText]]):
    """Texts printed by the program in a process, with their steps, from a number on, in pages."""

    path = "/prints"

    start: Start = 0
    process: Process = 0

    def answer(self, run: Run) -> Answer[list[PrintedText]]:
        prints = run.recording.tracks[self.process].prints
        shown = prints[self.start : min(self.start + PRINTS_AT_ONCE, MOST_PRINTS)]
        if run.replaying and len(shown) < PRINTS_AT_ONCE:
            raise NotRecorded
        texts: list[PrintedText] = [{"step": step, "text": _truncate(text)} for step, text in shown]
        return json_answer(texts, final=has_ended(run))


def _truncate(text: str) -> str:
    return text if len(text) <= PRINT_CHARACTERS else f"{text[:PRINT_CHARACTERS]}…"
