"""A run that the tests of a module ask about."""

import pytest
from starlette.testclient import TestClient

from tests.app.serving import JSON, new_session, settled


@pytest.fixture(scope="module")
def run(client: TestClient, request: pytest.FixtureRequest) -> JSON:
    """The whole run of the module's `PROGRAM` on its `INPUTS`, if it states any."""
    inputs = getattr(request.module, "INPUTS", [])
    found = settled(client, new_session(client, request.module.PROGRAM, inputs=inputs))
    assert found["state"]["kind"] == "done", found
    return found
