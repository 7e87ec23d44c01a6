"""Random requests for every route of the API, made from its document, to a server with sessions, a room and a dump."""

from __future__ import annotations

import random
import re
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from starlette.testclient import TestClient

from hloscope.app.web.api.request_examples import EXAMPLES, OWNER_HEADER
from hloscope.app.web.api_document import api_document
from tests.api_answers import sent
from tests.app.serving import serving

ANYWHERE = {400, 413, 429, 503, 507}
"""Statuses that the document states for all routes, as `default`."""
KNOWN, ASKED = 0.8, 0.5
"""Shares of requests that name what exists, and that ask as the example does."""


def main(count: int) -> int:
    """Send as many requests to each route; print the answers that the document does not state, and return 1 if any."""
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder)) as client:
        sender = _Sender(client)
        for route, operation in _operations():
            sender.send(route, operation, count)
    for sentence, times in sender.found.items():
        print(f"{times:6}  {sentence}")
    print(f"{sender.answers.total():,} requests: {dict(sorted(sender.answers.items()))}")
    return int(bool(sender.found))


def _operations() -> Iterator[tuple[str, Any]]:
    """The operations of the API by route; those that delete come last."""
    found = [each.ok() for each in schemathesis.openapi.from_dict(api_document()).get_all_operations()]
    for operation in sorted(found, key=lambda each: bool(each.method == "delete")):
        yield f"{operation.method.upper()} {operation.path}", operation


class _Sender:
    def __init__(self, client: TestClient) -> None:
        self.client = client
        self.answers: Counter[int] = Counter()
        self.found: Counter[str] = Counter()
        self._choices = random.Random(0)  # Hypothesis resets the generator of the module for each request.
        self._known: dict[str, str] = {}
        self._queries: dict[str, tuple[dict[str, str], dict[str, str]]] = {}
        self._headers: dict[str, str] = {}
        for example, answer in sent(client, [each for each in EXAMPLES if each.method != "DELETE"]):
            names = _names(example.route, str(answer.request.url.path))
            self._known = names | self._known
            self._queries[example.route] = names, dict(answer.request.url.params)
            if example.by_owner:
                self._headers[OWNER_HEADER] = answer.request.headers[OWNER_HEADER]

    def send(self, route: str, operation: Any, count: int) -> None:
        """Send random requests to a route."""
        stated = {
            int(status) for status in operation.definition.raw["responses"] if status.isdigit()
        } | ANYWHERE
        names, query = self._queries.get(route, ({}, {}))

        @settings(max_examples=count, deadline=None, database=None, suppress_health_check=list(HealthCheck),
                  phases=[Phase.generate])  # fmt: skip
        @given(operation.as_strategy())
        def ask(case: Any) -> None:
            if case.path_parameters and self._choices.random() < KNOWN:
                case.path_parameters |= {
                    name: (self._known | names).get(name, value)
                    for name, value in case.path_parameters.items()
                }
            if self._choices.random() < ASKED:
                case.query = query | (case.query or {}) if self._choices.random() < ASKED else query
            answer = self._answer(case)
            self.answers[answer.status_code] += 1
            if answer.status_code not in stated:
                self.found[f"{route}: {answer.status_code} {answer.text[:200]}"] += 1

        ask()

    def _answer(self, case: Any) -> Any:
        """Send a request through the client, which knows the token."""
        given = case.as_transport_kwargs(base_url=str(self.client.base_url))
        parts = {
            name: given[name]
            for name in ("method", "url", "data", "params", "json", "files")
            if name in given
        }
        prepared = requests.Request(**parts).prepare()
        kind = prepared.headers.get("content-type")
        headers = self._headers | ({"content-type": kind} if kind else {})
        return self.client.request(
            prepared.method or "", prepared.url or "", headers=headers, content=prepared.body
        )


def _names(route: str, address: str) -> dict[str, str]:
    """What the parameters of a path were in a request that was answered."""
    pattern = re.sub(r"\\{(\w+)(:\w+)?\\}", r"(?P<\1>[^/?]+)", re.escape(route.partition(" ")[2]))
    found = re.match(pattern, address)
    return found.groupdict() if found else {}
