"""What large texts took goes back: freed memory to the system, and what a checker keeps with the checker."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from hloscope.app.base import memory
from hloscope.app.base.memory import GROWN_BYTES, Memory
from hloscope.app.base.settings import LEAST_WORKERS, MOST_WORKERS, WORKER_BYTES, Settings
from hloscope.app.workers import checkers
from tests import server_process
from tests.app.serving import ADD, PATIENCE, WRONG, serving, until
from tests.app.workers.test_workers import supervisor

GIBIBYTE = 1 << 30


def test_a_container_with_less_memory_than_the_machine_is_what_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = tmp_path / "meminfo"
    machine.write_text("MemTotal: 4194304 kB\nMemFree: 1 kB\nMemAvailable: 3145728 kB\nHugePages_Total: 0\n")
    monkeypatch.setattr(memory, "MACHINE", machine)
    monkeypatch.setattr(memory, "CONTAINER", tmp_path)
    assert memory.memory() == Memory(4 * GIBIBYTE, 3 * GIBIBYTE)
    (tmp_path / "memory.current").write_text(f"{GIBIBYTE}\n")
    (tmp_path / "memory.stat").write_text(f"anon 5\ninactive_file {GIBIBYTE // 2}\n")
    (tmp_path / "memory.max").write_text("max\n")
    assert memory.memory() == Memory(4 * GIBIBYTE, 3 * GIBIBYTE)
    (tmp_path / "memory.max").write_text(f"{2 * GIBIBYTE}\n")
    assert memory.memory() == Memory(2 * GIBIBYTE, 3 * GIBIBYTE // 2)
    machine.unlink()
    assert memory.memory() is None


def test_workers_follow_memory_unless_the_setting_says_how_many() -> None:
    given, total = Settings(), 4 * GIBIBYTE
    room = total // 4 + 20 * WORKER_BYTES
    assert given.worker_count(0, Memory(total, room)) == 20
    assert given.worker_count(15, Memory(total, room - 15 * WORKER_BYTES)) == 20
    assert given.worker_count(30, Memory(total, total // 8)) == 30  # they keep what they have
    assert given.worker_count(0, Memory(total, 0)) == given.worker_count(0, None) == LEAST_WORKERS
    assert given.worker_count(0, Memory(100 * total, 100 * total)) == MOST_WORKERS
    assert Settings(max_active_sessions=3).worker_count(0, Memory(total, total)) == 3


# Pieces that the C library takes from its heap, and one behind them that is kept: so it gives none of them back by itself.
FREED = """
import os
from hloscope.app.base.memory import Trimmer, resident_bytes
trimmer = Trimmer()
trimmer.consider()
pieces = [bytes(65_000) for _ in range(2_000)]
kept = bytes(65_000)
full = resident_bytes(os.getpid())
del pieces
freed = resident_bytes(os.getpid())
trimmer.consider()
print(full, freed, resident_bytes(os.getpid()))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only there memory is trimmed")
def test_freed_memory_goes_back_to_the_system() -> None:
    done = subprocess.run([sys.executable, "-c", FREED], capture_output=True, text=True, check=True)
    full, freed, trimmed = map(int, done.stdout.split())
    assert freed > full - (20 << 20)
    assert trimmed < full - (80 << 20)


@pytest.mark.skipif(sys.platform != "linux", reason="/proc tells what a checker keeps")
@pytest.mark.parametrize("text", [ADD, WRONG])
def test_a_checker_that_keeps_much_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    with serving(tmp_path, own_fork_server=True, check_workers=1) as client:
        (owner,) = supervisor(client).checkers.owners
        client.post("/api/check", json={"text": text})
        small = owner.worker
        assert small is not None
        client.post("/api/check", json={"text": text})
        assert owner.worker is small
        monkeypatch.setattr(checkers, "KEPT_BYTES", 1)
        assert client.post("/api/check", json={"text": text}).is_success
        assert supervisor(client).checkers.owners[0].worker is None
        monkeypatch.undo()
        assert client.post("/api/check", json={"text": text}).is_success
        after = supervisor(client).checkers.owners[0].worker
        assert after is not None
        assert after.pid != small.pid


def _splat(number: int) -> str:
    """Little text that asks for more than there is."""
    type = f"tensor<{1_000_000 + number}x1000000xf32>"
    return f"""func.func @main() -> {type} {{
      %0 = stablehlo.constant dense<1.0> : {type}
      %1 = stablehlo.exponential %0 : {type}
      return %1 : {type}
    }}"""


def _listed(number: int, added: str = "%0") -> str:
    """Megabytes of text."""
    count = 200_000 + number
    type, numbers = f"tensor<{count}xf32>", ", ".join(["1.25"] * count)
    return f"""func.func @main(%x: {type}) -> {type} {{
      %0 = stablehlo.constant dense<[{numbers}]> : {type}
      %1 = stablehlo.add %x, {added} : {type}
      return %1 : {type}
    }}"""


def _wrong(number: int) -> str:
    """Megabytes that are refused."""
    return _listed(number, "%nothing")


LARGE: tuple[Callable[[int], str], ...] = (_splat, _listed, _wrong)
ROUND = 4


@pytest.mark.more
@pytest.mark.skipif(sys.platform != "linux", reason="/proc tells what processes keep")
def test_many_large_programs_leave_no_more_behind_than_some(tmp_path: Path) -> None:
    """The first of them warm caches and heaps up; what the others take goes back, and so do their workers."""
    with server_process.serving(tmp_path) as (server, process):
        headers = {"Origin": server.origin}
        with httpx.Client(base_url=server.origin, headers=headers, timeout=PATIENCE) as client:
            client.get(server.url)
            _open_large(client, 0)
            _at_rest(process.pid)
            some = server_process.memory_of(process.pid)
            for turn in range(1, 4):
                _open_large(client, turn)
            _at_rest(process.pid)
            # More text than there is room for here has come and gone; of freed memory the server keeps less than it trims.
            most = some + GROWN_BYTES + (4 << 20)
            until(lambda: server_process.memory_of(process.pid) < most)


def _open_large(client: httpx.Client, turn: int) -> None:
    for number in range(turn * ROUND, (turn + 1) * ROUND):
        for text in LARGE:
            client.post("/api/sessions", json={"text": text(number)}).raise_for_status()
            client.post("/api/check", json={"text": text(number)}).raise_for_status()


def _at_rest(pid: int) -> None:
    """Until the workers of sessions that nobody looks at have ended: what is left is the nursery and a checker."""
    until(lambda: len(server_process.descendants(pid)) <= 2)
