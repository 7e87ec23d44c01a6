"""Base classes of questions about a recording: route, examples, answer.

A question is a frozen dataclass. Its fields are the parameters of its route, under the names of the query (`Named` if
the name is a Python keyword); its docstring describes the route. `app/web/api/question_routes.py` creates the routes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Annotated, Any, ClassVar, Literal, TypeAlias, TypeVar, get_type_hints

from annotated_types import Ge, Le, MaxLen

from hloscope.engine.debugger.address import Address
from hloscope.engine.ir.types import TensorType
from hloscope.engine.ops.core.op import Array

from ..present.tracks import ColumnChunk
from ..present.types import type_text
from ..present.value_windows import WindowError
from ..runs.other_values import OtherValues
from ..runs.run import Run
from ..wire.questions import Answer, Question, bytes_answer

A = TypeVar("A")


@dataclass(frozen=True)
class Named:
    """The name of a field in the query, if it is a Python keyword."""

    name: str


Process = Annotated[int, Ge(0), Le(2**31)]
Number = Annotated[int, Ge(0), Le(2**31)]
Chunk = Annotated[int, Ge(0), Le(2**24)]
Step = Annotated[int, Ge(0), Le(2**53)]
Start = Annotated[int, Named("from"), Ge(0), Le(2**31)]
"""The number of the first item to return."""
Short = Annotated[str, MaxLen(400)]
Planes = Annotated[int, Ge(0), Le(2**31)]
"""Planes of a value in a row of a picture that shows all; 0: it shows one."""
Direction = Literal["forward", "back"]

ExampleProgram = Literal["product", "values", "parts", "queue"]
"""A program of `app/web/api/request_examples.py`; `values`: `product` with a file of values."""


class RoutedQuestion(Question[A]):
    """A question with a route: about a recording, or about a pair of them."""

    path: ClassVar[str | None] = None
    """The route below `/api/recordings/{key}`; `None`: no route, only the server sends it."""
    examples: ClassVar[tuple[Mapping[str, int | str], ...]] = ({},)
    """Fields of example requests, which the API's page shows and a test sends."""
    example_program: ClassVar[ExampleProgram] = "product"
    """The program whose recording the examples are about."""


def query_name(name: str, hint: Any) -> str:
    """The name of a field in the query; `hint`: its type."""
    return next((item.name for item in getattr(hint, "__metadata__", ()) if isinstance(item, Named)), name)


def query_names(question: type[RoutedQuestion[Any]]) -> dict[str, str]:
    """The name of each field of a question in its route."""
    hints = get_type_hints(question, include_extras=True)
    return {field.name: query_name(field.name, hints[field.name]) for field in fields(question)}


def request_path(question: RoutedQuestion[Any], *sent: str) -> str:
    """The path of a request below that of the recording; the query has the fields `sent`, in order of their names."""
    names, values = query_names(type(question)) if sent else {}, vars(question)
    path = (question.path or "").removeprefix("/").format_map(values)
    query = "&".join(sorted(f"{names[name]}={values[name]}" for name in sent))
    return f"{path}?{query}" if query else path


class RecordingQuestion(RoutedQuestion[A]):
    """A question about a recording."""

    def answer(self, run: Run) -> Answer[A]:
        """The answer, computed in the worker that has the run.

        Raises `NotRecorded`, `BadQuestion`, or `KeyError` and `IndexError` for data that the recording does not have.
        """
        raise NotImplementedError


class SeveralQuestion(RecordingQuestion[A]):
    """A question about several values at once."""

    def parts(self) -> Sequence[RecordingQuestion[Any]]:
        """The questions about one value each. Raises `BadQuestion`."""
        raise NotImplementedError

    def split(self, answer: Answer[A]) -> Sequence[Answer[Any]]:
        """The answers to the parts, from a final answer to all of them."""
        raise NotImplementedError

    def join(self, answers: Sequence[Answer[Any]]) -> Answer[A] | None:
        """The final answer, from those to the parts; None if they exceed one answer."""
        raise NotImplementedError


Other: TypeAlias = Run | OtherValues
"""The other side of a comparison: another run of the session, or values of a file."""


class PairQuestion(RoutedQuestion[A]):
    """A question about a run and another one of its session."""

    other: Annotated[str, Named("with"), MaxLen(400)]
    """The key of the other run; or `VALUES` and the name of a file, for a worker its path."""

    def answer(self, run: Run, other: Other) -> Answer[A]:
        """The answer; see `RecordingQuestion.answer`."""
        raise NotImplementedError


NOT_RECORDED = "not_recorded"
"""The kind of error of a question about a step or value that is not recorded, or not recorded yet."""
OTHER_CLOSED = "other_closed"
"""The kind of error if the worker has closed the other run in the meantime."""
VALUES = "values:"
"""Prefix of `other` for a file of values."""


class NotRecorded(Exception):
    """The step or frame is not recorded; a replay may still record it."""


class OtherClosed(Exception):
    """The other run of a comparison is not open."""


class BadQuestion(Exception):
    """A question with invalid fields; the message is a sentence for the user."""


def answer(
    run: Run, question: RecordingQuestion[A] | PairQuestion[A], other: Other | None = None
) -> Answer[A]:
    """The answer to a question, which needs `other` if it is about a pair. Raises `NotRecorded` or `BadQuestion`."""
    try:
        if isinstance(question, RecordingQuestion):
            return question.answer(run)
        assert other is not None
        return question.answer(run, other)
    except (KeyError, IndexError) as error:
        raise NotRecorded from error
    except WindowError as error:
        raise BadQuestion(str(error)) from None


def chunk_answer(run: Run, chunk: ColumnChunk, header: str) -> Answer[bytes]:
    """Columns of bytes; the header has the total number of rows."""
    if not chunk.complete and run.replaying:
        raise NotRecorded
    return bytes_answer(chunk.data, final=chunk.complete, headers={header: str(chunk.rows)})


def address_at(text: str) -> Address:
    """The address that `text` spells."""
    try:
        return Address.parse(text)
    except ValueError as error:
        raise BadQuestion(str(error)) from None


def tensor_at(run: Run, text: str) -> tuple[Array, TensorType]:
    """The value at an address, and its type."""
    type = tensor_type_at(run, text)
    return run.recording.value(address_at(text)), type


def tensor_type_at(run: Run, text: str) -> TensorType:
    """The type of the value at an address."""
    type = run.recording.type_of(address_at(text))
    if not isinstance(type, TensorType):
        raise BadQuestion(f"{text} is a {type_text(type, run.language)}, which has no elements.")
    return type


def split_addresses(text: str, most: int) -> list[str]:
    """The first `most` addresses of a comma-separated list."""
    return [address for address in text.split(",") if address][:most]


def has_ended(run: Other) -> bool:
    """Whether the run has recorded all its steps."""
    return run.recording.state.kind in ("done", "failed")
