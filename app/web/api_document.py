"""The OpenAPI document of the HTTP API, built on the first request.

FastAPI builds it from a second set of the routes, which is never served. These routes state the types of their answers;
the served ones omit them, so that FastAPI validates no answers (`api/typed_route.py`).
"""

import json
from functools import cache
from importlib import resources
from typing import Any

from fastapi import FastAPI, Response
from fastapi.routing import APIRoute

from ..base.versions import installed_version
from ..wire.live import ErrorBody, ServerMessage
from ..wire.requests import LiveMessage
from ..wire.room_messages import RoomMessage
from ..wire.rooms import RoomServerMessage
from .api import TOPICS
from .api.request_examples import EXAMPLES
from .api.typed_route import answer_type
from .routes import LaterRoute

TOPIC_NAMES = tuple(TOPICS)
BINARY = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
LIVE = "/api/sessions/{session}/live"
ROOM_LIVE = "/api/rooms/{room}/live"

PARAMETERS = {
    "by": "Whether steps have equal widths, or their durations.",
    "what_if": "A narrower type to try ops with; empty: none.",
    "room": "The id of a room, from its address `/room/…` or from the answer that opened it.",
    "X-Room-Owner": "The teacher's secret, from the answer that opened the room.",
    "X-Room-Member": "A member's secret, from the welcome over the room's socket.",
    "job": "The id of a comparison, from the answer that started it.",
    "file": "The name of a file in the program's locations.",
    "session": "The id of a session, from its address `/s/…` or from the answer that created it.",
    "key": "The key of a recording: `run.key` of a session.",
    "number": "The number of a run of the session, from 1.",
    "op": "The number of an op of the program, `ops[].id`.",
    "name": "The full name of an op, such as `stablehlo.dot_general`.",
    "address": "The address of a value: `0.s12.1` is result 1 of step 12 of process 0, `0.f0.1` argument 1 of frame 0.",
    "addresses": "Addresses of values, separated by commas.",
    "step": "The number of a step of the process.",
    "process": "The number of a process of the grid.",
    "window": "A window: address, rows, columns, at, from, size and level, separated by semicolons; may be repeated.",
    "budget": "Maximum bytes of the compressed values in the page.",
    "chunk": "The number of the chunk, from 0.",
    "team": "The number of a launch group, from 0.",
    "from": "The first item.",
    "to": "The tick after the last one.",
    "start": "The first element, in row-major order.",
    "after": "The number of an element in row-major order; -1: before the first.",
    "count": "Maximum number of elements.",
    "columns": "Columns of a block's tile.",
    "rows": "Rows of a block's tile.",
    "size": "Rows and columns of the window, separated by a comma.",
    "at": "The index of every axis, with commas; those of `rows` and `columns` are ignored.",
    "planes": "0: one plane; n: the planes of all other axes as a grid, n in a row.",
    "measure": "How the elements are subtracted: signed, absolute, relative to the other value, or in units in the last place (ulps).",
    "level": "0: exact; n: each cell covers 2^n by 2^n elements.",
    "execution": "The number of a collective execution.",
    "value": "The number of a value of the program, `values[].id`.",
    "once": "Whether to leave out the text of the run if it is the session's: large texts come once.",
    "apart": "Whether to leave out a text of more than 65,536 characters; `long_text` says how to request its windows.",
    "hash": "The hash of a text, `long_text.hash`.",
    "wait": "Whether to wait for a worker; otherwise the answer says how many sessions are ahead.",
    "sizes": "The sizes of the tile, separated by commas.",
    "offsets": "The start indices of the tile, separated by commas; omitted, any tile of a grid.",
    "strides": "The strides of the tile, separated by commas; 1 by default.",
    "of": "The number of the tile's result or operand.",
    "direction": "The direction.",
    "with": "The key of the recording of another run of the session.",
    "absolute": "Maximum absolute error that counts as rounding.",
    "relative": "Maximum error relative to the element's magnitude that counts as rounding.",
    "language": "A language, such as `de`; an untranslated lesson is in its first language.",
    "limit": "Maximum number of rows.",
    "side": "The run of the step: `before` is the run `key`, `after` the run `with`.",
    "other": "The id of the other dump.",
    "other_address": "The address of the other run's value.",
    "operand": "The number of an operand.",
    "result": "The number of a result.",
    "kind": "`linear`: threads in the order of the result in memory; `tiled`: a block for a tile of two dimensions.",
    "threads": "Threads of a block.",
    "vector": "Elements that a thread computes at once.",
    "x": "The dimension of neighbouring threads.",
    "y": "The other dimension of the tile.",
    "steps": "Rows that a thread computes one after another.",
    "padding": "Padding elements after each line of the operand, as in shared memory.",
    "order": "The operand's dimensions, minor to major; by default its own layout.",
    "block": "The block that is shown: x, y and z.",
    "warp": "The warp that is shown.",
    "loops": "Values of the loops beside a thread's vector.",
    "elements": "An index such as `0,1`; by default all elements.",
    "reach": "One step, or all the way.",
    "element": "An element of the value that `to` names.",
    "find": "The condition for elements; `equal` and `zero` are conditions for whole values, `any` searches by shape only.",
    "tolerance": "Maximum distance from `number`; by default elements equal it, rounded to their type.",
    "low": "Minimum of the range; unlimited by default.",
    "high": "Maximum of the range; unlimited by default.",
    "shape": "Only values of this type, such as `f32[64,?]` or `tensor<64x768xf32>`.",
    "more": "Continue a traversal that stopped before its end.",
    "further": "Follow the effects of bad elements further than the previous answer.",
    "dump": "The id of a dump, from its address `/passes/…` or from the answer that created it.",
    "module": "The number of a module of the dump, from 0.",
    "stage": "The number of a text of the module, from 0.",
    "seen": "The last known version: `version` of the previous answer.",
    "folded": "Whether equal lines are folded.",
    "condition": "An expression, such as `max(abs(%12)) > 3`; by default every step is a hit.",
    "hits": "The hits at which to stop: `3`, `>= 3`, `> 3`, `< 3` or `% 3`; by default all.",
    "log": "A message with expressions in braces.",
    "expression": "An expression over values, such as `max(abs(%12)) > 3`; may be repeated.",
    "over": "The steps of the curve.",
    "only": "`not_finite` to compare only NaN and infinities.",
}
"""Descriptions of parameters, by name."""

WINDOW = "GET /api/recordings/{key}/values/{address}/window"
SEARCH = "GET /api/recordings/{key}/search"
STOPS = "GET /api/recordings/{key}/stops"
DIFFERING_STOPS = "GET /api/recordings/{key}/comparison/stops"
FROM_FILE = "POST /api/sessions/from-file"
DUMP_FILE = "GET /api/dumps/{dump}/files/{file}"
CURVE = "GET /api/recordings/{key}/evaluate/curve"
STRIPS = "GET /api/recordings/{key}/grid/strips"
ELSEWHERE = {
    ("GET /api/examples/{name}", "name"): "The name of an example of the gallery.",
    ("GET /api/lessons/{name}", "name"): "The name of a lesson.",
    ("GET /api/lessons/{name}/revision", "name"): "The name of a lesson.",
    ("POST /api/lessons/{name}/result", "name"): "The name of a lesson.",
    ("POST /api/lessons/{name}/changes/{step}", "name"): "The name of a lesson.",
    ("POST /api/lessons/{name}/changes/{step}", "step"): "The id of the step that has the exercise.",
    ("GET /api/playground/{op}", "op"): "The full name of an op, such as `stablehlo.gather`.",
    (
        "GET /api/recordings/{key}/maps/{op}/found",
        "number",
    ): "Which of the op's auxiliary values, `found` of its maps.",
    ("GET /api/recordings/{key}/provenance", "to"): "The address of the value at the end of the path.",
    ("GET /api/recordings/{key}/profile", "process"): "The number of a process of the grid; -1: all of them.",
    ("GET /api/recordings/{key}/profile/flame", "from"): "The first step.",
    ("GET /api/recordings/{key}/profile/flame", "to"): "The step after the last one.",
    ("GET /api/recordings/{key}/profile/flame", "columns"): "Columns of pixels; bars within one are one.",
    (DUMP_FILE, "file"): "The number of a file of the dump, from 0.",
    (f"{DUMP_FILE}/content", "file"): "The number of a file of the dump, from 0.",
    (FROM_FILE, "size"): "A size left open by `jax.export`, such as `b=8`; repeated for each.",
    (FROM_FILE, "platform"): "One of the platforms of the `jax.export` file.",
    (SEARCH, "number"): "The number to search for.",
    (STOPS, "kind"): "The kind of breakpoint.",
    (
        STOPS,
        "at",
    ): "The line or name that the kind describes, such as `12`, `stablehlo.add`, `main`, `net.py:7` or `%12`.",
    (STOPS, "from"): "The first step.",
    **{
        (DIFFERING_STOPS, name): text
        for name, text in {
            "at": "A value, such as `%12`, or `*` for all values in which a difference arises.",
            "from": "The first step.",
            "stop": "The step after the last one; by default the end of the recording.",
            "side": "The run that the steps belong to.",
        }.items()
    },
    (STOPS, "stop"): "The step after the last one; by default the end of the recording.",
    (SEARCH, "from"): "The start position: `next` of the previous answer.",
    (CURVE, "from"): "The first point: `next` of the previous answer.",
    (WINDOW, "from"): "The first row and column, separated by a comma.",
    (WINDOW, "rows"): "The axis that runs down; -1 for none.",
    (WINDOW, "columns"): "The axis that runs to the right; -1 for none, -2 for all axes in row-major order.",
    (STRIPS, "from"): "The first tick.",
    (STRIPS, "columns"): "The number of intervals of ticks.",
}
"""Descriptions of parameters with another meaning in a route."""

NAMING = ("/api/sessions", "/api/rooms", "/api/rooms/join")
"""Routes whose body names an example, a session, a lesson or the code of a room."""


@cache
def api_document() -> dict[str, Any]:
    """The OpenAPI 3.1 document, with the messages of the sockets as `x-live` and `x-room-live`."""
    document = json.loads(_with_short_names(_documented_routes().openapi()))
    document["x-live"] = _socket_messages(document, LIVE)
    document["x-room-live"] = _socket_messages(document, ROOM_LIVE)
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            _describe(f"{method.upper()} {path}", operation)
    return dict(document)


def _socket_messages(document: dict[str, Any], path: str) -> dict[str, Any]:
    """The messages of a socket, removed from the document's paths."""
    live = document["paths"].pop(path)["post"]
    return {
        "path": path,
        "sent": live["requestBody"]["content"]["application/json"]["schema"],
        "received": live["responses"]["200"]["content"]["application/json"]["schema"],
    }


@cache
def example_answers() -> dict[str, Any]:
    """A server's answers to the examples, by route, written by `make api-answers`."""
    text = resources.files(__package__).joinpath("api", "example_answers.json").read_text("utf-8")
    return dict(json.loads(text))


def _documented_routes() -> FastAPI:
    app = FastAPI(
        title="hloscope",
        version=installed_version() or "0",
        description="Programs, sessions, recordings and what they hold.",
    )
    for topic, routers in TOPICS.items():
        for route in (route for part in routers for route in part.routes):
            if isinstance(route, LaterRoute):
                _document(app, topic, route.made)
    app.add_api_route(LIVE, _live, methods=["POST"], response_model=ServerMessage, responses=_errors(LIVE))
    errors = _errors(ROOM_LIVE)
    app.add_api_route(
        ROOM_LIVE, _room_live, methods=["POST"], response_model=RoomServerMessage, responses=errors
    )
    return app


async def _room_live(message: RoomMessage) -> None:
    """Placeholder with the types of a room's socket messages."""


async def _live(message: LiveMessage) -> None:
    """Placeholder with the types of a session's socket messages."""


def _document(app: FastAPI, topic: str, route: APIRoute) -> None:
    """Add a route with the types of its answer and errors; not through a router of the topic, which would make all types twice."""
    known = answer_type(route.endpoint) or route.response_model
    is_binary = known in (bytes, None) and route.status_code != 204
    status = route.status_code or 200
    stated = route.responses.get(status, {}).get("content", BINARY)
    responses: dict[int | str, dict[str, Any]] = {status: {"content": stated}} if is_binary else {}
    summary, _, rest = (route.endpoint.__doc__ or "").strip().partition("\n")
    app.add_api_route(
        route.path, route.endpoint, tags=[topic], methods=sorted(route.methods or ()), status_code=route.status_code,
        response_model=None if is_binary or status == 204 else known,
        response_class=Response if is_binary or status == 204 else route.response_class,
        responses=responses | _errors(route.path), summary=summary, description=rest.strip(),
        openapi_extra=route.openapi_extra,
    )  # fmt: skip


def _errors(path: str) -> dict[int | str, dict[str, Any]]:
    sentences: dict[int | str, str] = {
        401: "The request has no token.",
        403: "The request names another host, or comes from the page of another site.",
        **({404: "What the request names does not exist."} if "{" in path or path in NAMING else {}),
        422: "A parameter or the body is invalid.",
        "default": "A form has too many fields (400), a limit is reached (413, 429, 503, 507), "
        "or an internal error occurred (500).",
    }
    return {status: {"model": ErrorBody, "description": sentence} for status, sentence in sentences.items()}


def _with_short_names(document: dict[str, Any]) -> str:
    """The document's JSON; of two types with one name, the request's gets the suffix `Request`."""
    return json.dumps(document).replace('-Input"', 'Request"').replace('-Output"', '"')


def _describe(route: str, operation: dict[str, Any]) -> None:
    """Add the descriptions of parameters and the example to an operation."""
    if operation["description"] == operation["summary"]:
        del operation["description"]
    for parameter in operation.get("parameters", ()):
        parameter["description"] = _meaning(route, parameter["name"])
    answer = next(response for status, response in operation["responses"].items() if status.startswith("2"))
    shown = _example_answer(route)
    if "json" in shown:
        answer["content"]["application/json"]["example"] = shown["json"]
    example = next(each for each in EXAMPLES if each.route == route)
    operation["x-example"] = {"curl": example.curl(), "python": example.python(), **_with_text(shown)}


def _meaning(route: str, parameter: str) -> str:
    found = ELSEWHERE.get((route, parameter)) or PARAMETERS.get(parameter)
    if found is None:
        raise LookupError(f"{route}: describe the parameter {parameter!r} in PARAMETERS, in {__name__}")
    return found


def _example_answer(route: str) -> dict[str, Any]:
    found: dict[str, Any] | None = example_answers().get(route)
    if found is None:
        raise LookupError(f"{route} has no example answer: run `make api-answers`")
    return found


def _with_text(answer: dict[str, Any]) -> dict[str, Any]:
    """An example answer, with its JSON as text."""
    if "json" not in answer:
        return answer
    return {"text": json.dumps(answer["json"], indent=2, ensure_ascii=False)}
