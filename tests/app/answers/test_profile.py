"""The profile over the API: all processes or one, and the flame chart of a stretch."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from tests.app.serving import JSON, asked

PROGRAM = """\
HloModule jit_f, num_partitions=2
sum { %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %s = f32[] add(%a, %b) }
ENTRY e {
  %p = f32[8]{0} parameter(0)
  %x = f32[8]{0} sine(%p), metadata={op_name="jit(f)/wave/sin" source_file="model.py" source_line=7}
  ROOT %r = f32[8]{0} all-reduce(%x), channel_id=1, replica_groups={{0,1}}, use_global_device_ids=true, to_apply=sum
}
"""


def test_processes_are_added_up_or_apart(client: TestClient, run: JSON) -> None:
    whole, one = (asked(client, run, f"profile?process={process}") for process in (-1, 1))
    assert (whole["counts"], one["counts"]) == ([2, 2, 2], [1, 1, 1])
    assert (whole["flops"][0], one["flops"][0], one["read"][0]) == (16, 8, 32)
    assert one["kinds"]["titles"] == ["sine", "all-reduce", "return"]
    scopes = one["scopes"]
    assert (scopes["titles"], scopes["of"]) == (["jit(f)/wave", ""], [0, 1, 1])
    assert sum(scopes["totals"]) == pytest.approx(sum(one["seconds"]))
    assert "Processes ran one after the other" in whole["measured"]
    assert client.get(f"/api/recordings/{run['key']}/profile?process=2").status_code == 404


def test_a_stretch_of_the_flame_chart(client: TestClient, run: JSON) -> None:
    found = asked(client, run, "profile/flame?process=1&from=0&to=2")
    assert [(bar["level"], bar["title"], bar["step"], bar["stop"]) for bar in found["bars"]] == [
        (0, "e", 0, 2),
        (1, "sine %x", 0, 1),
        (1, "all-reduce %r", 1, 2),
    ]
    assert [(bar["left"], bar["right"]) for bar in found["bars"]] == [(0, 1), (0, 0.5), (0.5, 1)]
    by_time = asked(client, run, "profile/flame?process=1&by=time")
    assert by_time["seconds"] == pytest.approx(by_time["bars"][0]["seconds"])
