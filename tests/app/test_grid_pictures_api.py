"""What the views of the grid ask besides: common ranges, which values have parts, what queues take."""

from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.app.grid_programs import FED, FROM_HOST, MANUAL, SUM_OF_PAIRS
from tests.app.serving import JSON, new_session, serving, settled


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with serving(tmp_path_factory.mktemp("pictures"), max_processes=64) as client:
        yield client


def run_of(client: TestClient, text: str, *values: str) -> JSON:
    return settled(
        client, new_session(client, text, inputs=[{"kind": "dense", "text": text} for text in values])
    )


def asked(client: TestClient, run: JSON, question: str) -> Any:
    answer = client.get(f"/api/recordings/{run['key']}/grid/{question}")
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_the_range_of_several_values_is_that_of_all(client: TestClient) -> None:
    run = run_of(client, MANUAL, "[1, 2, 3, 4, 5, 6, 0x7F800000, 0x7FC00000]")
    addresses = [f"{process}.s1.0" for process in range(4)]
    found = asked(client, run, f"range?addresses={','.join(addresses)}")
    assert found == {"min": 2, "max": 12, "nan": 1, "posinf": 1, "neginf": 0}
    alone = asked(client, run, f"range?addresses={addresses[3]}")
    assert (alone["min"], alone["posinf"]) == ("NaN", 1)


def test_values_with_a_place_in_a_whole_are_listed(client: TestClient) -> None:
    run = run_of(client, MANUAL, "1")
    values = asked(client, run, "sharded")
    assert values
    for value in values:
        assert asked(client, run, f"shardings?value={value}")["shape"] == [8]
    assert asked(client, run_of(client, SUM_OF_PAIRS, "1"), "sharded") == []


def test_what_queues_take_is_known_before_anything_waits(client: TestClient) -> None:
    run = run_of(client, FED)
    vector, number = {"type": "tensor<2xi32>"}, {"type": "tensor<f32>"}
    assert asked(client, run, "takers") == [{"queue": "infeed", "takes": [[vector], [vector, number]]}]
    (queue,) = asked(client, run, "")["queues"]
    assert (queue["awaited"], queue["wanted"]) == ([0], [vector])
    host = run_of(client, FROM_HOST)
    assert asked(client, host, "takers") == [{"queue": "host:3", "takes": [[vector]]}]
