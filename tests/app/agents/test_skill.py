"""The worked cases of SKILL.md: an agent that makes these calls finds the fault, within few calls and little text."""

from __future__ import annotations

import json
import re
from math import ceil
from typing import Any

import pytest

from hloscope.app.agents.skill import skill_text
from tests.app.agents.conftest import Agent
from tests.walkthrough import Command, Walkthrough

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
