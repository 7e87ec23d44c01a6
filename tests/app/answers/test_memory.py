"""Memory over the API: live bytes at each op, the buffers at one, and collectives."""

from __future__ import annotations

from starlette.testclient import TestClient

from tests.app.serving import JSON, asked, new_session, settled

PROGRAM = """\
HloModule jit_f, is_scheduled=true, num_partitions=2
sum { %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %s = f32[] add(%a, %b) }
ENTRY e {
  %p = f32[8]{0} parameter(0)
  %x = f32[8]{0} sine(%p), metadata={op_name="jit(f)/sin" source_file="model.py" source_line=7}
  ROOT %r = f32[8]{0} all-reduce(%x), channel_id=1, replica_groups={{0,1}}, use_global_device_ids=true, to_apply=sum
}
"""


def test_live_bytes_are_listed_by_op(client: TestClient, run: JSON) -> None:
    found = asked(client, run, "memory")
    program = asked(client, run, "program")
    lines = {op["id"]: op["line"] for op in program["ops"]}
    assert [(lines[op], found["bytes"][op]) for op in found["schedule"]] == [(7, 64), (8, 96), (9, 64)]
    assert (found["peakBytes"], lines[found["peak"]]) == (96, 8)
    assert found["atPeak"] == {"argument": 32, "result": 32, "temporary": 32}
    assert (found["isScheduled"], found["isWhole"], found["copies"]) == (
        True,
        False,
        {"count": 0, "bytes": 0},
    )
    (collective,) = found["collectives"]
    assert (collective["opcode"], collective["members"], collective["sent"]) == ("all-reduce", 2, 32)
    assert [size for op, size in enumerate(found["bytes"]) if lines[op] < 5] == [-1, -1], (
        "the body of a reduction"
    )


def test_the_buffers_at_an_op_lead_to_values_and_lines(client: TestClient, run: JSON) -> None:
    peak = asked(client, run, "memory")["peak"]
    found = asked(client, run, f"memory/{peak}")
    assert (found["bytes"], found["others"], found["otherBytes"]) == (96, 0, 0)
    values = asked(client, run, "program")["values"]
    told = [(each["name"], each["kind"], each["line"], each["location"]) for each in found["buffers"]]
    assert sorted(told) == [
        ("%p", "argument", 6, None),
        ("%r", "result", 8, None),
        ("%x", "temporary", 7, "model.py:7:0"),
    ]
    assert all(values[each["value"]]["name"] == each["name"] for each in found["buffers"])


def test_an_op_that_never_executes_has_no_buffers(client: TestClient, run: JSON) -> None:
    assert client.get(f"/api/recordings/{run['key']}/memory/999").status_code == 404


def test_the_programs_of_two_runs_are_compared(client: TestClient, run: JSON) -> None:
    session = new_session(client, PROGRAM)
    before = settled(client, session)
    text = PROGRAM.replace("f32[8]", "f32[16]").replace("model.py", "other.py")
    client.post(f"/api/sessions/{session}/runs", json={"text": text}).raise_for_status()
    after = settled(client, session)
    found = asked(client, before, f"comparison/memory?with={after['key']}")
    assert found["changes"] == [
        {"name": "peak", "unit": "bytes", "before": 96, "after": 192},
        {"name": "sent", "unit": "bytes", "before": 32, "after": 64},
        {"name": "all-reduce", "unit": "ops", "before": 1, "after": 1},
    ]
    assert {(each["bytes"], each["kind"], each["location"]) for each in found["onlyAfter"]} == {
        (64, "argument", ""),
        (64, "result", ""),
        (64, "temporary", "other.py:7:0"),
    }
    same = asked(client, before, f"comparison/memory?with={before['key']}")
    assert (same["onlyBefore"], same["onlyAfter"]) == ([], [])
