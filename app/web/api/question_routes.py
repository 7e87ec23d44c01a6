"""Routes of the questions about recordings, built from their declarations in `app/answers`, and of files for NumPy."""

import re
from collections.abc import AsyncIterator, Mapping
from dataclasses import MISSING, Field, fields
from inspect import Parameter, Signature
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from fastapi import Path, Query, Response
from fastapi.responses import StreamingResponse

from ...answers import TOPICS, AnyQuestion
from ...answers.question import Named, query_name, query_names
from ...answers.values import NpyQuestion
from ...sessions.sessions import Sessions
from ...wire.questions import Answer
from ..cache_rules import FINAL
from ..routes import Routes
from .common import Service, to_response
from .typed_route import AnswerResponse, TypedRoute

PREFIX = "/api/recordings/{key}"


def question_router(topic: str) -> Routes:
    """A route for each question of a topic."""
    router = Routes(PREFIX, TypedRoute)
    for question in TOPICS[topic]:
        assert question.path is not None
        router.get(question.path)(_endpoint(question))
    return router


def _endpoint(question: AnyQuestion) -> Any:
    """An endpoint for FastAPI, whose parameters are the fields of the question."""

    async def endpoint(key: str, sessions: Sessions, **values: Any) -> AnswerResponse[Any]:
        return to_response(await sessions.recordings.ask(key, question(**values), patient=False))

    hints = get_type_hints(question, include_extras=True)
    parameters = [Parameter("key", Parameter.KEYWORD_ONLY, annotation=str)]
    parameters += [_parameter(question, field, hints[field.name]) for field in fields(question)]
    parameters.append(Parameter("sessions", Parameter.KEYWORD_ONLY, annotation=Service))
    endpoint.__name__ = re.sub(r"(?<!^)(?=[A-Z])", "_", question.__name__.removesuffix("Question")).lower()
    endpoint.__doc__ = question.__doc__
    endpoint.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    endpoint.__annotations__ = {"return": AnswerResponse[_answer_type(question)]}  # type: ignore[misc]
    return endpoint


def _parameter(question: AnyQuestion, field: Field[Any], hint: Any) -> Parameter:
    metadata: tuple[Any, ...] = getattr(hint, "__metadata__", ())
    rest = tuple(item for item in metadata if not isinstance(item, Named))
    kind = get_args(hint)[0] if metadata else hint
    name = query_name(field.name, hint)
    if f"{{{name}}}" in (question.path or ""):
        where: Any = Path()
    else:
        where = Query(alias=name) if name != field.name else Query()
    default = Parameter.empty if field.default is MISSING else field.default
    return Parameter(
        field.name, Parameter.KEYWORD_ONLY, annotation=Annotated[(kind, *rest, where)], default=default
    )


def _answer_type(question: AnyQuestion) -> Any:
    """The `A` of a subclass of `RecordingQuestion[A]`."""
    for base in getattr(question, "__orig_bases__", ()):
        if get_origin(base) is not None:
            return get_args(base)[0]
    raise TypeError(f"{question.__name__} does not declare its answer type")


def example_fields(
    question: AnyQuestion, values: Mapping[str, int | str]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The parameters of an example in the path, and in the query."""
    names = query_names(question)
    named = {names[name]: value for name, value in values.items()}
    in_path = {name: value for name, value in named.items() if f"{{{name}}}" in (question.path or "")}
    return in_path, {name: value for name, value in named.items() if name not in in_path}


npy_router = Routes(PREFIX)


@npy_router.get("/values/{address}.npy")
async def npy(key: str, address: str, sessions: Service) -> Response:
    """The value as a NumPy file."""
    first = await sessions.recordings.ask(key, NpyQuestion(address, 0))
    headers = {
        "Content-Disposition": f'attachment; filename="{address}.npy"',
        "Content-Length": str(_total(first)),
        "Cache-Control": FINAL,
    }
    body = _pieces(sessions, key, address, first)
    return StreamingResponse(body, media_type="application/octet-stream", headers=headers)


def _total(answer: Answer[bytes]) -> int:
    return int(answer.headers["X-Total"])


async def _pieces(sessions: Sessions, key: str, address: str, first: Answer[bytes]) -> AsyncIterator[bytes]:
    """The file in pieces, so that no large value is held in memory."""
    total, sent, answer = _total(first), 0, first
    while True:
        piece = bytes(answer.body)
        yield piece
        sent += len(piece)
        if sent >= total or not piece:
            return
        answer = await sessions.recordings.ask(key, NpyQuestion(address, sent))
