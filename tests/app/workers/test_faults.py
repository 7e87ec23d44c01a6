"""A mistake of ours costs one program: the others have their answers, and the log says where it was."""

import json
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hloscope
from hloscope.app.answers.values import ElementQuestion
from hloscope.app.cli.main import main
from hloscope.app.processes.framing import Channel
from hloscope.app.wire.events import LoopLink
from hloscope.app.wire.tasks import Check, OpenRun, PauseRun, Task
from hloscope.app.workers import worker
from hloscope.app.workers.session_worker import SessionWorker
from hloscope.engine.limits import DEFAULT_LIMITS
from hloscope.engine.ops.core.op import Array
from hloscope.engine.ops.elementwise.arithmetic import Subtract
from hloscope.engine.scalar_loops import ScalarLoop
from tests.app.serving import JSON, PATIENCE
from tests.large_programs import optimised_hlo

GOOD = """func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = stablehlo.add %x, %x : tensor<2xf32>
  return %y : tensor<2xf32>
}
"""
BAD = GOOD.replace("  return", "  %z = stablehlo.subtract %y, %x : tensor<2xf32>\n  return")
WRONG = GOOD.replace("return %y", "return %x, %x")
QUESTIONS = {
    "check": ["constraints"],
    "run": ["constraints", "evaluate", "cost"],
    "maps": ["constraints", "index_maps"],
    "print": ["constraints"],
}


def _fails(*_: Any, **__: Any) -> Array:
    raise AssertionError("of ours")


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "programs.mlir"
    path.write_text("// -----\n".join([GOOD, BAD, WRONG, GOOD]))
    return str(path)


@pytest.mark.parametrize(
    ("command", "question"),
    [(command, question) for command, questions in QUESTIONS.items() for question in questions],
)
def test_the_other_programs_have_their_answers(
    command: str, question: str, file: str, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setattr(Subtract, question, _fails)
    json_too = [] if command == "print" else ["--json"]
    assert main([command, "--split-input-file", *json_too, file]) == 70
    found, err = capsys.readouterr()
    assert "AssertionError: of ours" in err
    assert "_fails" in err
    if command == "print":
        assert found.count("func.func") == 2
        assert f"{file}:6: fault: a fault of hloscope's own: AssertionError: of ours\n" in found
        return
    lines = [json.loads(line) for line in found.splitlines()]
    assert [line["chunk"] for line in lines] == [0, 1, 2, 3]
    assert [line["status"] for line in lines] == ["passed", "fault", "error", "passed"]
    (said,) = lines[1]["diagnostics"]
    assert said["message"] == "a fault of hloscope's own: AssertionError: of ours"


def test_files_go_on_too_and_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setattr(Subtract, "evaluate", _fails)
    files = [tmp_path / f"{number}.mlir" for number in range(3)]
    for path, text in zip(files, (BAD, GOOD, GOOD), strict=True):
        path.write_text(text)
    assert main(["run", *map(str, files)]) == 70
    out, err = capsys.readouterr()
    assert f"{files[0]}: fault\n" in out
    assert out.endswith("2 passed, 1 fault\n")
    assert f"{files[0]}:1: fault: a fault of hloscope's own: AssertionError: of ours" in err


def test_python_tells_a_fault_from_a_mistake_of_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.ones(2, np.float32)
    for question in QUESTIONS["run"]:
        with monkeypatch.context() as patch:
            patch.setattr(Subtract, question, _fails)
            with pytest.raises(hloscope.Fault, match="AssertionError: of ours") as raised:
                hloscope.run(BAD, [x])
            assert isinstance(raised.value.__cause__, AssertionError)
            (result,) = hloscope.run(GOOD, [x])
            assert result.tolist() == [2, 2]
    with monkeypatch.context() as patch:
        patch.setattr(Subtract, "constraints", _fails)
        with pytest.raises(hloscope.Fault):
            hloscope.check(BAD)
        assert hloscope.check(GOOD) == ()
        assert hloscope.check(WRONG)


@contextmanager
def _worker(begin: Callable[[Channel], None] = lambda channel: None) -> Iterator[Channel]:
    """A worker in a thread of this process, where patches are seen; `begin` sends what waits for it already."""
    ours, its = socket.socketpair()
    ours.settimeout(PATIENCE)
    begin(Channel(ours))
    thread = threading.Thread(target=worker.serve, args=(its,), daemon=True)
    thread.start()
    try:
        yield Channel(ours)
    finally:
        ours.close()
        thread.join(PATIENCE)
        its.close()


def _ask(channel: Channel, number: int, asked: object, text: str = "", key: str = "") -> None:
    request = {"id": number, "kind": type(asked).__name__, "key": key, "fields": vars(asked)}
    channel.send(request, [text.encode()])


def _reply(channel: Channel, number: int) -> JSON:
    while (frame := channel.receive()) is not None:
        if frame.message.get("id") == number:
            return frame.message
    raise EOFError


def _asked(channel: Channel, number: int, task: Task[Any], text: str) -> Iterator[JSON]:
    """What the worker says from a task on."""
    _ask(channel, number, task, text)
    while (frame := channel.receive()) is not None:
        yield frame.message


def _opened(
    channel: Channel, number: int, text: str, links: Sequence[LoopLink] = (), replay: int = 0
) -> list[JSON]:
    """What the worker says until a run has ended, or has not begun."""
    heard = []
    for message in _asked(channel, number, _opening(links, replay), text):
        heard.append(message)
        if "error" in message or message.get("state", {}).get("kind") in ("done", "failed"):
            break
    return heard


def _opening(links: Sequence[LoopLink] = (), replay: int = 0, seconds: float | None = None) -> OpenRun:
    return OpenRun(
        name="p.mlir",
        entry=None,
        inputs=[],
        previous=[],
        grid=None,
        feeds=None,
        start=None,
        limits=vars(DEFAULT_LIMITS),
        blas_threads=1,
        goal={"steps": None, "seconds": seconds},
        build="",
        replay=replay,
        fault=None,
        resting="",
        links=list(links),
    )


def test_a_worker_survives_and_says_where_the_run_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Subtract, "evaluate", _fails)
    with _worker() as channel:
        *before, last = _opened(channel, 1, BAD)
        (fault,) = (message for message in before if message.get("event") == "fault")
        assert "_fails" in fault["trace"]
        assert "AssertionError: of ours" in fault["trace"]
        # As of an op that fails by itself, its step is there and has no results.
        assert (last["state"]["kind"], last["steps"]) == ("failed", 2)
        assert last["state"]["diagnostic"]["line"] == 3
        assert "hloscope failed here because of an internal error; see its log." in last["state"]["reason"]
        assert _opened(channel, 2, GOOD)[-1]["state"]["kind"] == "done"


@pytest.mark.parametrize("method", ["check", "open"])
def test_a_worker_survives_a_program_that_it_cannot_check(
    method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Subtract, "constraints", _fails)
    with _worker() as channel:
        if method == "check":
            check = Check(name="p.mlir", entry=None, limits=vars(DEFAULT_LIMITS))
            error = next(_asked(channel, 1, check, BAD))["error"]
        else:
            error = _opened(channel, 1, BAD)[-1]["error"]
        assert (error["status"], error["kind"]) == (500, "internal")
        assert "AssertionError: of ours" in error["trace"]
        assert _opened(channel, 2, GOOD)[-1]["state"]["kind"] == "done"


@pytest.mark.parametrize("method", ["check", "open"])
def test_a_worker_reports_what_it_makes_of_a_text(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the machine does besides: a worker that reports progress is not ended."""
    monkeypatch.setattr(worker, "STATE_SECONDS", 0)
    text = optimised_hlo(1_000)
    check = Check(name="p.hlo", entry=None, limits=vars(DEFAULT_LIMITS))
    task: Task[Any] = check if method == "check" else replace(_opening(), goal=None)
    with _worker() as channel:
        heard = []
        for message in _asked(channel, 1, task, text):
            if message.get("id") == 1:
                break
            heard.append(message)
    progress = [message for message in heard if message.get("event") == "verifying"]
    phases = list(dict.fromkeys(message["phase"] for message in progress))
    assert phases == ["reading", "building", "verifying", "preparing"][: 3 if method == "check" else 4]
    assert {message["lines"] for message in progress} == {text.count("\n") + 1}
    assert all(1 <= message["line"] <= message["lines"] for message in progress)


def test_a_question_that_comes_before_the_first_step_waits_for_it() -> None:
    """After a restart, of steps whose number the server that was killed had not stored."""
    with _worker() as channel:
        opened = _opened(channel, 1, GOOD)
    key = next(message["result"]["key"] for message in opened if "result" in message)

    def begin(channel: Channel) -> None:
        _ask(channel, 1, _opening(seconds=4.0), GOOD)
        _ask(channel, 2, ElementQuestion(address="0.s0.0", element=[0]), key=key)

    with _worker(begin) as channel:
        assert "answer" in _reply(channel, 2)


def test_a_question_that_waits_is_refused_when_its_run_is_paused() -> None:
    with _worker() as channel:
        opened = _opened(channel, 1, GOOD)
    key = next(message["result"]["key"] for message in opened if "result" in message)

    def begin(channel: Channel) -> None:
        _ask(channel, 1, _opening(seconds=4.0), GOOD)
        _ask(channel, 2, ElementQuestion(address="0.s0.0", element=[0]), key=key)
        _ask(channel, 3, PauseRun(key))

    with _worker(begin) as channel:
        assert _reply(channel, 2)["error"]["kind"] == "not_recorded"
        assert _reply(channel, 3)["result"]["state"]["kind"] == "paused"


COUNTING = """func.func @main() -> tensor<i32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %n = stablehlo.constant dense<20000> : tensor<i32>
  %r = stablehlo.while(%i = %zero) : tensor<i32> cond {
    %t = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j : tensor<i32>
  }
  return %r : tensor<i32>
}
"""


def test_a_second_worker_iterates_only_the_rest_of_a_long_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """From the links that the session has of the first."""
    owner = SessionWorker("session")
    hear = owner.listener(*[lambda *_: None] * 3)
    with _worker() as channel:
        said = _opened(channel, 1, COUNTING)
    for message in said:
        if message.get("event") == "state":
            hear(message)  # type: ignore[arg-type]
    (key,) = owner.early
    iterated, run_scalars = 0, ScalarLoop.run_scalars

    def counted(*arguments: Any, **named: Any) -> Any:
        nonlocal iterated
        found = run_scalars(*arguments, **named)
        iterated += found[1]
        return found

    monkeypatch.setattr(ScalarLoop, "run_scalars", counted)
    with _worker() as channel:
        again = _opened(channel, 1, COUNTING, owner.links[key], said[-1]["steps"])
    assert again[-1]["state"]["kind"] == "done"
    assert again[-1]["steps"] == said[-1]["steps"] > 80_000
    assert iterated < 5_000


def test_what_a_worker_says_of_a_fault_stands_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    hear = SessionWorker("session").listener(*[lambda *_: None] * 3)
    hear({"event": "fault", "trace": "  arithmetic.py:1 in evaluate\nAssertionError: of ours"})
    assert "AssertionError: of ours" in caplog.text
