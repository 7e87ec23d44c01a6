"""The HTTP API's document and page: every route is described, every example works, and answers are what they are said to be."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import httpx2
import numpy as np
import pytest
from starlette.testclient import TestClient

from hloscope.app.answers import questions
from hloscope.app.answers.question import PairQuestion, RecordingQuestion
from hloscope.app.web.api.request_examples import EXAMPLES, PYTHON_CALL, RequestExample
from hloscope.app.web.api_document import TOPIC_NAMES, api_document
from hloscope.app.wire.questions import classes_by_name
from tests.api_answers import DOUBLE, FILE, written
from tests.app.listening import listening
from tests.app.serving import JSON, TOKEN
from tests.app.web.test_guard import ROUTES as GUARDED


@cache
def document() -> JSON:
    """The description of the API; making it takes a second, which only these tests need."""
    return api_document()


def routes() -> Mapping[str, JSON]:
    """The operations of the API by method and path."""
    return {
        f"{method.upper()} {path}": operation
        for path, operations in document()["paths"].items()
        for method, operation in operations.items()
    }


PLAIN: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}


def problem(schema: JSON, value: Any, place: str = "") -> str:
    """Where a value is not what its schema says; empty if it is."""
    if "$ref" in schema:
        return problem(document()["components"]["schemas"][schema["$ref"].rpartition("/")[2]], value, place)
    if choices := schema.get("anyOf") or schema.get("oneOf"):
        found = [problem(choice, value, place) for choice in choices]
        return "" if "" in found else max(found, key=len)
    if "const" in schema or "enum" in schema:
        return "" if value in schema.get("enum", [schema.get("const")]) else f"{place} is {value!r}"
    if schema.get("type") == "object":
        return _object_problem(schema, value, place)
    if schema.get("type") == "array":
        return _array_problem(schema, value, place)
    if "type" not in schema or isinstance(value, PLAIN[schema["type"]]):
        return ""
    return f"{place} is {value!r}, no {schema['type']}"


def _object_problem(schema: JSON, value: Any, place: str) -> str:
    if not isinstance(value, dict):
        return f"{place} is not an object"
    known, others = schema.get("properties", {}), schema.get("additionalProperties")
    if missing := set(schema.get("required", ())) - set(value):
        return f"{place} has no {sorted(missing)}"
    if known and (more := set(value) - set(known)):
        return f"{place} has {sorted(more)} as well"
    items = ((known.get(name) or others, name, item) for name, item in value.items())
    found = (problem(kind, item, f"{place}.{name}") for kind, name, item in items if isinstance(kind, dict))
    return next(filter(None, found), "")


def _array_problem(schema: JSON, value: Any, place: str) -> str:
    if not isinstance(value, list):
        return f"{place} is no list"
    kinds = schema.get("prefixItems") or [schema.get("items", {})] * len(value)
    if len(kinds) != len(value):
        return f"{place} has {len(value)} items"
    found = (
        problem(kind, item, f"{place}[{i}]") for i, (kind, item) in enumerate(zip(kinds, value, strict=True))
    )
    return next(filter(None, found), "")


def _success(operation: JSON) -> tuple[int, JSON]:
    status, answer = next(
        (status, answer) for status, answer in operation["responses"].items() if status.startswith("2")
    )
    return int(status), answer


def _is_as_documented(example: RequestExample, answer: httpx2.Response) -> None:
    status, documented = _success(routes()[example.route])
    assert answer.status_code == status, (example.route, answer.text)
    contents: dict[str, JSON] = documented.get("content") or {"": {}}
    ((media, content),) = contents.items()
    assert answer.headers.get("content-type", "") == media
    if media == "application/json":
        assert problem(content["schema"], answer.json(), example.route) == ""


def test_every_example_is_answered_as_its_route_says_and_as_the_file_shows() -> None:
    current = written(_is_as_documented)
    assert FILE.read_text("utf-8") == current, "run `make api-answers`, and read what changed"


def test_every_route_has_a_summary_a_topic_an_answer_and_an_example() -> None:
    assert (
        set(routes()) == {example.route for example in EXAMPLES} == set(json.loads(FILE.read_text("utf-8")))
    )
    for route, operation in routes().items():
        assert operation["summary"].endswith("."), route
        assert operation["tags"][0] in TOPIC_NAMES
        status, answer = _success(operation)
        assert status == 204 or answer["content"]
        assert answer.get("content", {}).get("application/json", {}).get("schema") != {}, route
        assert {"401", "422", "default"} <= set(operation["responses"])
        assert all(parameter["description"] for parameter in operation.get("parameters", ()))


def test_every_question_with_a_route_has_a_topic() -> None:
    declared = {**classes_by_name(RecordingQuestion), **classes_by_name(PairQuestion)}
    missing = {
        name for name, question in declared.items() if question.path and question not in set(questions())
    }
    assert missing == set(), "name their module in `TOPICS` of app/answers/__init__.py"


def test_every_route_of_the_application_is_documented() -> None:
    assert set(routes()) == {route for route in GUARDED if re.match(r"(GET|POST|PUT|DELETE) /api/", route)}


def test_a_value_that_is_not_what_it_is_said_to_be_is_noticed() -> None:
    schema = {"$ref": "#/components/schemas/NewSession"}
    assert problem(schema, {"id": "a", "url": "b"}) == ""
    assert "has no ['url']" in problem(schema, {"id": "a"})
    assert ".url is 1" in problem(schema, {"id": "a", "url": 1})


def test_the_page_shows_every_route_and_links_only_to_what_is_there(client: TestClient) -> None:
    page = client.get("/-/api", headers={"Accept": "text/html"}).text
    anchors = set(re.findall(r' id="([^"]+)"', page))
    assert set(re.findall(r'href="#([^"]+)"', page)) <= anchors
    assert {operation["operationId"] for operation in routes().values()} <= anchors
    assert {f"type-{name}" for name in document()["components"]["schemas"]} <= anchors
    assert not re.findall(r'(?:src|href)="(?:https?:)?//', page)
    assert TOKEN not in page
    assert client.get("/-/api.json").json() == document()


def test_the_lines_of_python_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    np.save(tmp_path / "a.npy", np.ones((2, 3), np.float32))
    (tmp_path / "double.mlir.gz").write_bytes(gzip.compress(DOUBLE.encode()))
    monkeypatch.chdir(tmp_path)
    with listening(tmp_path / "data") as server:
        names: dict[str, Any] = {"BASE": server.origin, "COOKIE": server.headers["Cookie"]}
        exec(PYTHON_CALL, names)
        last = [example.route for example in EXAMPLES].index("GET /api/recordings/{key}/values/{address}.npy")
        for example in EXAMPLES[: last + 1]:
            answer = eval(example.python(), names)
            if example.route == "POST /api/sessions":
                names["session"] = answer["id"]
            if example.route == "GET /api/sessions/{session}":
                names["key"] = answer["run"]["key"]
    assert answer.startswith(b"\x93NUMPY")
