"""What the views of the grid ask besides: common ranges, which values have parts, what queues take."""

from starlette.testclient import TestClient

from tests.app.grid_programs import FED, FROM_HOST, MANUAL, SUM_OF_PAIRS
from tests.app.serving import JSON, asked, new_session, settled

SETTINGS = {"max_processes": 64}


def run_of(client: TestClient, text: str, *values: str) -> JSON:
    return settled(
        client, new_session(client, text, inputs=[{"kind": "dense", "text": text} for text in values])
    )


def test_the_range_of_several_values_is_that_of_all(client: TestClient) -> None:
    run = run_of(client, MANUAL, "[1, 2, 3, 4, 5, 6, 0x7F800000, 0x7FC00000]")
    addresses = [f"{process}.s1.0" for process in range(4)]
    found = asked(client, run, f"grid/range?addresses={','.join(addresses)}")
    assert found == {"min": 2, "max": 12, "nan": 1, "posinf": 1, "neginf": 0}
    alone = asked(client, run, f"grid/range?addresses={addresses[3]}")
    assert (alone["min"], alone["posinf"]) == ("NaN", 1)


def test_values_with_a_place_in_a_whole_are_listed(client: TestClient) -> None:
    run = run_of(client, MANUAL, "1")
    values = asked(client, run, "grid/sharded")
    assert values
    for value in values:
        assert asked(client, run, f"grid/shardings?value={value}")["shape"] == [8]
    assert asked(client, run_of(client, SUM_OF_PAIRS, "1"), "grid/sharded") == []


def test_what_queues_take_is_known_before_anything_waits(client: TestClient) -> None:
    run = run_of(client, FED)
    vector, number = {"type": "tensor<2xi32>"}, {"type": "tensor<f32>"}
    assert asked(client, run, "grid/takers") == [{"queue": "infeed", "takes": [[vector], [vector, number]]}]
    (queue,) = asked(client, run, "grid")["queues"]
    assert (queue["awaited"], queue["wanted"]) == ([0], [vector])
    host = run_of(client, FROM_HOST)
    assert asked(client, host, "grid/takers") == [{"queue": "host:3", "takes": [[vector]]}]


FED_HLO = """\
HloModule fed

ENTRY %main (x: f32[2]) -> f32[2] {
  %x = f32[2] parameter(0)
  %t = token[] after-all()
  %in = ((f32[2], s32[]), token[]) infeed(%t)
  %both = (f32[2], s32[]) get-tuple-element(%in), index=0
  %t1 = token[] get-tuple-element(%in), index=1
  %v = f32[2] get-tuple-element(%both), index=0
  %n = s32[] get-tuple-element(%both), index=1
  %s = f32[2] add(%x, %v)
  %given = (s32[], f32[2]) tuple(%n, %s)
  %out = token[] outfeed(%given, %t1), outfeed_shape=(s32[], f32[2])
  ROOT %r = f32[2] add(%s, %s)
}
"""


def test_values_of_items_have_addresses_in_tuples_too(client: TestClient) -> None:
    item = [{"kind": "dense", "text": text} for text in ("[1, 2]", "7")]
    session = new_session(
        client, FED_HLO, inputs=[{"kind": "ones"}], feeds=[{"queue": "infeed", "items": [item]}]
    )
    run = settled(client, session)
    assert run["state"]["kind"] == "done"
    for queue, texts in zip(
        asked(client, run, "grid")["queues"], (["[1, 2]", "7"], ["7", "[2, 3]"]), strict=True
    ):
        (move,) = queue["moves"]
        for address, text in zip(move["addresses"], texts, strict=True):
            answer = client.get(f"/api/recordings/{run['key']}/values/{address}").json()
            assert answer["text"].endswith(text)
