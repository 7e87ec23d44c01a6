"""Results that students hand in: judged by the server, signed, and verified by a command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hloscope.app.cli.main import main
from tests.app.lessons.texts import EVERY_KIND
from tests.app.serving import JSON, ORIGIN, TOKEN, serving

STRANGER = {"Host": ORIGIN[7:], "Origin": ORIGIN}
PATH = "/api/lessons/every-kind"


def _typed(ask: JSON) -> str:
    """The right answer to a question, as a student types it."""
    match ask["ask"]:
        case "choice":
            return str(next(number for number, option in enumerate(ask["options"]) if option["right"]))
        case "cell":
            return ", ".join(map(str, ask["cells"][0]))
        case "shape":
            return "x".join(map(str, ask["truth"])) or "scalar"
        case "step":
            return f"{ask['place']['process']}, {ask['truth'][0]}"
    return str(ask["truth"])


def test_a_result_is_judged_signed_and_verified(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with serving(tmp_path / "data", lesson=EVERY_KIND, signed_in=False, open_lessons=1) as client:

        def result(**body: Any) -> Any:
            return client.post(f"{PATH}/result", json=body, headers=STRANGER)

        blocks = [
            block for step in client.get(PATH, headers=STRANGER).json()["steps"] for block in step["blocks"]
        ]
        asks = {block["id"]: _typed(block) for block in blocks if block["kind"] == "ask"}
        changes = {block["id"]: block["text"] for block in blocks if block["kind"] == "change"}
        kinds = {block["ask"] for block in blocks if block["kind"] == "ask"}
        assert kinds == {"number", "choice", "cell", "shape", "step"}
        solved = {"window": changes["window"].replace("dense<0.3>", "dense<2.0>")}
        best = result(student=" Ana \u202e", answers=asks, programs=solved).json()
        assert best["student"] == "Ana"
        assert {best["outcomes"][name] for name in [*asks, "window"]} == {"right"}
        assert (best["right"], best["of"]) == (len(asks) + 1, len(asks) + len(changes))
        poor = result(student="Bo", answers=dict.fromkeys(asks, "7777"), programs=changes).json()
        assert poor["right"] == 0
        assert "right" not in poor["outcomes"].values()
        assert set(result(student="Cy").json()["outcomes"].values()) == {"none"}
        for wrong in (
            {},
            {"student": ""},
            {"student": "x" * 61},
            {"student": "x", "answers": {"a": "x" * 201}},
        ):
            assert result(**wrong).status_code == 422
    secret = ["--set", f"token={TOKEN}"]
    genuine, forged = tmp_path / "ana.json", tmp_path / "bo.json"
    genuine.write_text(json.dumps(best))
    forged.write_text(json.dumps(poor | {"right": best["right"]}))
    assert main(["lesson", "verify", str(genuine), *secret]) == 0
    assert (
        f"{genuine}: genuine; Ana, every-kind: {best['right']} of {best['of']} right"
        in capsys.readouterr().out
    )
    assert main(["lesson", "verify", str(genuine), str(forged), "--json", *secret]) == 1
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["genuine"] for line in told] == [True, False]
    assert main(["lesson", "verify", str(genuine), "--set", "token=another-token-of-another-server"]) == 1
    assert "NOT genuine" in capsys.readouterr().out
    for text, sentence in (
        ("{}", "not a result of a lesson"),
        ("[" * 90_000, "not a result"),
        ("x" * 300_000, "262,144 bytes"),
    ):
        forged.write_text(text)
        assert main(["lesson", "verify", str(forged), *secret]) == 2
        assert sentence in capsys.readouterr().err
    assert main(["lesson", "verify", str(genuine), "--set", f"data_dir={tmp_path / 'empty'}"]) == 2
    assert "no server has signed anything here" in capsys.readouterr().err
