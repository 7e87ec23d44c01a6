"""The worked cases of SKILL.md, and the tools: answers as of commands, limits, clients that mean harm.

In one module, so that one server and one process of `hloscope mcp` serve all.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
from contextlib import suppress
from math import ceil
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from mcp import MCPError

from hloscope.app.agents.skill import skill_text
from hloscope.app.cli.main import main
from tests.app.agents.conftest import FEW_BYTES, Agent
from tests.app.listening import Listening
from tests.app.serving import ADD, ENDLESS, TEDIOUS, TOKEN, WRONG, serving
from tests.passes.folders import broken
from tests.walkthrough import Command, Walkthrough

LOG = ADD.replace("multiply %0, %x", "log %0")
INPUTS = ["[1, 2, -1, 3]"]
SCALAR = "func.func @main() -> tensor<i32> {\n  %0 = stablehlo.constant dense<1> : tensor<i32>\n  return %0 : tensor<i32>\n}\n"
DESK = (
    "step",
    "value",
    "findings",
    "outline",
    "link",
    "reduce",
    "compare",
    "maps",
    "expression",
    "provenance",
)


CASE = re.compile(r"^## (?P<title>.+)\n(?P<body>(?:(?!^## ).*\n?)*)", re.MULTILINE)
PROGRAM = re.compile(r"`(?P<name>\w+\.mlir)`(?:(?!```|`\w+\.mlir`)[\s\S])*?```mlir\n(?P<text>[\s\S]*?)```")
CALLS = re.compile(r"^```\n(> [\s\S]*?)^```$", re.MULTILINE)
MOST_CALLS, MOST_TOKENS = 40, 20_000
BYTES_OF_TOKEN = 3
"""Fewer than the tokenizers of language models need for JSON and programs, about 3.5: the count is too high rather than too low."""

CASES = {found["title"]: found["body"] for found in CASE.finditer(skill_text())}


def tokens(text: str) -> int:
    return ceil(len(text.encode()) / BYTES_OF_TOKEN)


@pytest.mark.parametrize("title", CASES)
def test_an_agent_finds_the_fault(agent: Agent, title: str) -> None:
    body = CASES[title]
    programs = {found["name"]: found["text"] for found in PROGRAM.finditer(body)}
    ids: dict[str, str] = {}
    listed = agent.run(agent.client.list_tools())
    spent = tokens(skill_text()) + tokens(json.dumps([tool.model_dump(mode="json") for tool in listed.tools]))
    calls = [
        part for block in CALLS.findall(body) for part in re.split(r"^> ", block, flags=re.MULTILINE)[1:]
    ]
    for call in calls:
        line, *printed = call.rstrip("\n").split("\n")
        tool, _, arguments = line.partition(" ")
        given = _given(json.loads(arguments), programs, ids)
        answer, is_error = agent.ask(tool, **given)
        spent += tokens(answer) + tokens(json.dumps(given))
        assert not is_error, answer
        for found in re.findall(r'"id":"([^"]+)"', answer):
            if found not in ids.values():
                ids[f"ID{len(ids) + 1}"] = found
        for name, found in ids.items():
            answer = answer.replace(found, name)
        assert not Walkthrough({}, ()).differences(Command(line, tuple(printed)), answer)
    print(f"{title}: {len(calls)} calls, {spent:,} tokens")
    assert calls
    assert len(calls) <= MOST_CALLS
    assert spent <= MOST_TOKENS


def _given(arguments: dict[str, Any], programs: dict[str, str], ids: dict[str, str]) -> dict[str, Any]:
    """The arguments with the texts and ids that the case writes in short."""

    def full(value: Any) -> Any:
        if not isinstance(value, str):
            return value
        return programs[value[1:-1]] if value.startswith("<") else ids.get(value, value)

    return {name: full(value) for name, value in arguments.items()}


def test_the_three_cases_are_there() -> None:
    assert [title.partition(":")[0] for title in CASES] == ["A NaN", "A miscompile", "A wrong gather"]


def opened(agent: Agent, text: str = LOG, **more: Any) -> str:
    """The id of a program."""
    return str(agent.lines("open", text=text, inputs=INPUTS, **more)[0]["id"])


def printed(capsys: pytest.CaptureFixture[str], *command: str) -> list[dict[str, Any]]:
    """The lines of JSON that a command prints."""
    main(command)
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def without_null(value: Any) -> Any:
    """Tools leave out fields that say nothing."""
    if isinstance(value, dict):
        return {name: without_null(part) for name, part in value.items() if part is not None}
    return [without_null(part) for part in value] if isinstance(value, list) else value


def test_answers_are_those_of_commands(
    agent: Agent, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before, after = tmp_path / "before.mlir", tmp_path / "after.mlir"
    before.write_text(LOG)
    after.write_text(LOG.replace("add", "multiply"))
    given = ("--input", INPUTS[0])
    id = opened(agent)
    (line,) = printed(capsys, "findings", "--json", str(before), *given)
    assert agent.lines("findings", id=id)[:-1] == without_null(line["findings"])

    other = str(agent.lines("open", text=after.read_text(), beside=id)[0]["id"])
    *pairs, verdict = printed(capsys, "compare", "--json", str(before), str(after), *given)
    told = agent.lines("compare", id=id, other=other)
    assert told[0] == without_null(verdict)
    assert told[1:] == without_null([pair for pair in pairs if pair != verdict["first"]])

    (line,) = printed(capsys, "maps", "--json", "--op", "%1", str(before))
    stated = [{name: part for name, part in item.items() if name != "maps"} for item in line["maps"]]
    assert agent.lines("maps", id=id, value="%1") == stated


# A test before this one may have loaded JAX into the process, which warns of each fork, also of one that starts a program.
@pytest.mark.filterwarnings("ignore:os.fork:RuntimeWarning")
def test_a_reduction_is_that_of_the_command(remote: Agent) -> None:
    (found,) = remote.lines("reduce", id=opened(remote), check="nan", seconds=50)
    assert (found["before"]["ops"], found["after"]["ops"], found["inputs"]) == (2, 1, ["[-2]"])
    text, inputs = found["program"], found["inputs"]
    assert remote.lines("diagnose", text=text, inputs=inputs)[-2]["harmful"] == 1


@pytest.mark.more
def test_a_dump_names_the_pass(local: Agent, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = broken(tmp_path / "dump")
    id = str(local.lines("open", path=str(folder))[0]["id"])
    verdict, wrong, *_ = local.lines("passes", id=id)
    *stages, _ = printed(capsys, "passes", "--json", str(folder))
    command = next(stage for stage in stages if stage["verdict"] == "wrong")
    same = ("module", "number", "pipeline", "pass", "verdict", "instructions")
    assert {name: wrong[name] for name in same} == {name: command[name] for name in same}
    assert "algsimp" in verdict["verdict"]
    (pair,) = local.lines("passes", id=id, stage=wrong["stage"])
    assert local.lines("compare", id=pair["before"], other=pair["after"])[0]["verdict"] == "different"


def test_files_and_python_are_for_agents_of_this_machine(local: Agent, remote: Agent, tmp_path: Path) -> None:
    file = tmp_path / "log.mlir"
    file.write_text(LOG)
    assert local.lines("diagnose", path=str(file), inputs=INPUTS)[0]["name"] == "log.mlir"
    np.savez(tmp_path / "log.npz", x=np.array([1, 2, -1, 3], np.float32))
    assert local.lines("diagnose", path=str(file), inputs=[str(tmp_path / "log.npz")])[-2]["harmful"] == 1
    assert "beside" in local.error("open", path=str(file), inputs=[str(tmp_path / "log.npz")], entry="main")
    (tmp_path / "log.py").write_text("")
    assert "is Python" in local.error("open", path=str(tmp_path / "log.py"))
    assert "no file" in local.error("open", path=str(tmp_path / "none"))
    assert "ZeroDivisionError" in local.error("open", jax="1 / 0")
    arrays = {"text": LOG, "inputs": ["/etc/x.npz"]}
    for given in ({"path": str(file)}, {"path": "/etc/passwd"}, {"jax": "1 / 0"}, arrays):
        assert "hloscope mcp" in remote.error("open", **given)


def test_outlines_go_into_loops(agent: Agent) -> None:
    text = ENDLESS.replace("dense<true>", "dense<false>")
    id = str(agent.lines("open", text=text, inputs=["3"])[0]["id"])
    loop = agent.lines("outline", id=id)[0]
    assert (loop["op"], loop["iterations"]) == ("stablehlo.while", 1)
    assert [step["op"] for step in agent.lines("outline", id=id, inside=0)] == [
        "stablehlo.constant",
        "stablehlo.return",
    ]
    assert "no iteration 7" in agent.error("outline", id=id, inside=0, iteration=7)
    assert agent.lines("outline", id=id, limit=1)[-1]["more"].endswith("start=1")
    assert [step["line"] for step in agent.lines("outline", id=id, find="constant")] == [4]


def test_values_are_told_in_part(agent: Agent) -> None:
    id = _large(agent)
    assert agent.lines("value", id=id, value="%x", slice="0, 38:")[0]["elements"] == [38, 39]
    assert agent.lines("value", id=id, value="%x", worst=1)[0]["worst"] == [
        {"index": [39, 39], "value": "1599"}
    ]
    assert "at most 64" in agent.error("value", id=id, value="%x", slice=":, :")
    assert "not a slice" in agent.error("value", id=id, value="%x", slice="77, zz")
    assert "no value" in agent.error("value", id=id, value="%nothing")
    for tool, value in (("value", "%x"), ("maps", "%0")):
        assert agent.ask(tool, id=id, value=value, picture=True)[0].endswith("(a picture)")


def test_what_is_left_out_is_counted(agent: Agent) -> None:
    names = [f"%a{number}" for number in range(10)]
    types = ", ".join(["tensor<f32>"] * 10)
    text = (
        f"func.func @main({', '.join(f'{name}: tensor<f32>' for name in names)}) -> ({types}) {{\n"
        f"  return {', '.join(names)} : {types}\n}}\n"
    )
    run = agent.lines("open", text=text)[0]
    assert [len(run[part]) for part in ("inputs", "results")] == [9, 9]
    assert run["inputs"][-1] == run["results"][-1] == "… 2 more"
    operands = agent.lines("step", id=run["id"], step=0)[0]["operands"]
    assert [operands[0]["name"], operands[7]["name"], operands[8]] == ["%a0", "%a7", "… 2 more"]


def test_the_next_call_leads_on(agent: Agent) -> None:
    text = """func.func @main(%x: tensor<4xf32>, %i: tensor<i32>) -> tensor<1xf32> {
  %0 = stablehlo.dynamic_slice %x, %i, sizes = [1] : (tensor<4xf32>, tensor<i32>) -> tensor<1xf32>
  return %0 : tensor<1xf32>
}
"""
    *_, outside = agent.lines("diagnose", text=text, inputs=["iota", "9"])
    assert "step=0) shows the op and its operands" in outside["next"]
    *_, given = agent.lines("diagnose", text=text, inputs=["[NaN, 1, 2, 3]", "0"])
    assert "forward=True) shows what was computed from this input" in given["next"]
    wrong = "".join(f"  %{number} = stablehlo.nothing %x : tensor<4xf32>\n" for number in range(12))
    found = agent.lines("diagnose", text=text.replace("  %0", wrong + "  %0", 1))
    assert sum("diagnostic" in line for line in found) == 10
    assert {"left_out": "2 more errors and warnings: mend these first"} in found


def test_reductions_have_no_iterations(agent: Agent) -> None:
    text = """func.func @main(%x: tensor<3xf32>) -> tensor<f32> {
  %0 = stablehlo.constant dense<0.0> : tensor<f32>
  %1 = stablehlo.reduce(%x init: %0) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}
"""
    id = agent.lines("open", text=text)[0]["id"]
    assert "iterations" not in agent.lines("step", id=id, step=1)[0]


def _large(agent: Agent) -> str:
    text = ADD.replace("tensor<4xf32>", "tensor<40x40xf32>")
    return str(agent.lines("open", text=text, inputs=["iota"])[0]["id"])


def test_runs_go_on_without_code_outside(agent: Agent) -> None:
    text = ADD.replace(
        "  %0 =",
        "  stablehlo.custom_call @other(%x) {has_side_effect = true} : (tensor<4xf32>) -> ()\n  %0 =",
    )
    assert agent.lines("open", text=text)[1]["stopped"]["line"] == 2
    assert agent.lines("open", text=text, inputs=["", "skip"])[0]["state"] == "done"


def test_errors_say_what_to_do(agent: Agent) -> None:
    assert agent.lines("diagnose", text=WRONG)[1]["diagnostic"]["line"] == 2
    id = opened(agent)
    cases: list[tuple[str, dict[str, Any], str]] = [
        ("nothing", {}, "There is no tool 'nothing'. There are diagnose, open"),
        ("value", {"id": id, "name": "%0"}, "no argument 'name'. It takes id, value"),
        ("value", {"id": id, "value": 7}, "should be a valid string"),
        ("value", {"id": id, "value": "%0", "worst": 10**9}, "less than or equal to 16"),
        ("outline", {"id": id, "limit": -1}, "greater than or equal to 1"),
        ("step", {"id": id, "step": 99}, "numbered from 0: there is no step 99"),
        (
            "step",
            {"id": id, "step": 0, "process": 5},
            "The run has 1 process, numbered from 0: there is no process 5",
        ),
        ("value", {"id": id, "value": "%x0"}, "Did you mean %x or %0?"),
        ("passes", {"id": id}, "is not the id of a dump. open with the path of a folder"),
        ("open", {"text": SCALAR, "inputs": ["1", "2"]}, "2 inputs are given, but the run takes 0"),
        ("open", {"text": SCALAR, "inputs": ["1"]}, "1 input is given, but the run takes 0"),
        ("provenance", {"id": id, "value": "%0", "index": [9]}, "9"),
        ("provenance", {"id": id, "value": "%0", "index": ["a"]}, "valid integer"),
        ("maps", {"id": id, "value": "%nothing"}, "nothing"),
        ("maps", {"id": id, "value": "%0", "direction": "up"}, "Input should be 'output-to-input'"),
        (
            "provenance",
            {"id": id, "value": "%0", "index": [0, 0]},
            "2 dimensions are named, and the tensor has 1",
        ),
        ("value", {"id": id}, "value needs the argument 'value'."),
        ("op_help", {"name": "gathr"}, "There is no op 'gathr'. Did you mean 'gather'?"),
        ("op_help", {"name": "exp"}, "Did you mean 'exponential'?"),
        ("open", {"text": LOG, "inputs": ["[[["]}, "["),
        ("open", {}, "Give one of text, path and jax"),
        ("open", {"text": LOG, "entry": "other"}, "other"),
        ("compare", {"id": id, "other": opened(agent)}, "beside="),
    ]

    for tool, arguments, words in cases:
        text, _ = agent.ask(tool, **arguments)
        assert words in text, (tool, arguments, text)
        assert "Traceback" not in text
        assert "?." not in text
        assert len(text) < 1_000


def test_hostile_clients_get_sentences(agent: Agent) -> None:
    huge = LOG + "// " + "x" * FEW_BYTES
    assert "max_program_bytes" in agent.error("open", text=huge)
    for tool in DESK:
        assert "There is no program" in agent.error(tool, **_least(tool, "A" * 43))
        assert agent.error(tool, **_least(tool, "../../etc/passwd"))
        assert agent.error(tool, **_least(tool, "x" * 100_000))
    assert agent.error("passes", id="dump-" + "A" * 43)
    assert agent.error("value", id=opened(agent), value="%" + "9" * 100_000)
    with pytest.raises(MCPError, match="There is no program"):
        agent.run(agent.client.read_resource(f"hloscope://programs/{'A' * 43}"))
    # A call that is given up ends no other.
    assert agent.run(_given_up(agent))
    assert agent.lines("diagnose", text=LOG, inputs=INPUTS)[-2]["harmful"] == 1


def _least(tool: str, id: str) -> dict[str, Any]:
    """The arguments that a tool needs."""
    more: dict[str, dict[str, Any]] = {
        "step": {"step": 0},
        "value": {"value": "%0"},
        "compare": {"other": "xla"},
        "maps": {"value": "%0"},
        "expression": {"expressions": ["1"]},
        "provenance": {"value": "%0"},
    }
    return {"id": id, **more.get(tool, {})}


async def _given_up(agent: Agent) -> bool:
    """Whether a call that takes long was cancelled."""
    calling = asyncio.create_task(agent.client.call_tool("open", {"text": TEDIOUS, "inputs": ["0"]}))
    await agent.client.list_tools()
    calling.cancel()
    with suppress(asyncio.CancelledError):
        await calling
    return calling.cancelled()


def test_a_reader_changes_nothing(server: Listening, remote: Agent) -> None:
    id = opened(remote)
    with server.client() as client:
        link = client.post(f"/api/sessions/{id.partition('.')[0]}/links").json()["id"]
    assert remote.lines("findings", id=link)[0]["op"] == "stablehlo.log"
    for tool, more in (("link", {"step": 1}), ("open", {"beside": link, "text": ADD})):
        arguments = {**more} if "beside" in more else {"id": link, **more}
        assert "for reading only" in remote.error(tool, **arguments)


def test_a_person_opens_the_step(server: Listening, remote: Agent) -> None:
    id = opened(remote)
    (found,) = remote.lines("link", id=id, step=1)
    assert found["url"] == f"{server.origin}/s/{id.partition('.')[0]}"
    with server.client() as client:
        info = client.get(
            f"/api{found['url'].removeprefix(server.origin).replace('/s/', '/sessions/')}"
        ).json()
    assert info["position"]["step"] == 1


def test_the_server_asks_for_its_token(server: Listening) -> None:
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    accepted = {"Accept": "application/json, text/event-stream"}
    right = {"Authorization": f"Bearer {TOKEN}"}

    def status(headers: dict[str, str], method: str = "POST") -> int:
        return httpx.request(
            method, f"{server.origin}/mcp", json=call, headers=accepted | headers
        ).status_code

    assert status(right) == 200
    assert status({}) == 401
    assert status({"Authorization": "Bearer wrong-and-quite-long"}) == 401
    assert status({"Cookie": f"hloscope-{server.port}={TOKEN}"}) == 401
    assert status(right | {"Origin": "https://evil.example"}) == 403
    assert status(right | {"Host": "evil.example"}) == 403
    assert status(right, "GET") == 405
    # The token in this header opens /mcp only.
    assert httpx.get(f"{server.origin}/api/examples", headers=right).status_code == 401


def test_resources(agent: Agent) -> None:
    id = opened(agent)

    def read(uri: str) -> str:
        (content,) = agent.run(agent.client.read_resource(uri)).contents
        return str(getattr(content, "text", ""))

    assert read(f"hloscope://programs/{id}") == LOG
    assert json.loads(read(f"hloscope://recordings/{id}").splitlines()[0])["state"] == "done"
    assert read("hloscope://skill").startswith("---\nname: hloscope")


def test_without_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)
    monkeypatch.setitem(sys.modules, "hloscope.app.agents.server", None)
    assert main(["mcp"]) == 2
    assert capsys.readouterr().err == (
        "hloscope: the tools for agents need the package mcp: pip install 'hloscope[mcp]'\n"
    )
    assert main(["mcp", "--skill"]) == 0
    assert capsys.readouterr().out == skill_text()
    with serving(tmp_path) as client:
        answer = client.post("/mcp", json={})
    assert answer.status_code == 501
    assert "pip install 'hloscope[mcp]'" in answer.json()["error"]["hint"]


def test_a_tool_answers_the_shell(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = ["--set", f"data_dir={tmp_path}"]
    assert main(["mcp", "op_help", '{"name": "gather"}', *data]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[0])["name"] == "stablehlo.gather"
    for arguments, words in (("[]", "JSON object"), ("{", "not JSON"), ("{}", "name")):
        assert main(["mcp", "op_help", arguments, *data]) == 2
        assert words in capsys.readouterr().err


def test_nothing_was_logged(local: Agent, errors: Path) -> None:
    """Last: no call of the tests above was a mistake of ours."""
    assert opened(local)
    assert "Traceback" not in errors.read_text()
    assert "hloscope: request" not in errors.read_text()
