"""What large texts took goes back: freed memory to the system, and what a checker keeps with the checker."""

import subprocess
import sys
from pathlib import Path

import pytest

from hloscope.app.workers import checkers
from tests.app.serving import ADD, WRONG, serving
from tests.app.test_workers import supervisor

# Pieces that the C library takes from its heap, and one behind them that is kept: so it gives none of them back by itself.
FREED = """
import os
from hloscope.app.memory import Trimmer, resident_bytes
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
    with serving(tmp_path, check_workers=1) as client:
        (seat,) = supervisor(client).checkers.seats
        client.post("/api/check", json={"text": text})
        small = seat.worker
        assert small is not None
        client.post("/api/check", json={"text": text})
        assert seat.worker is small
        monkeypatch.setattr(checkers, "KEPT_BYTES", 1)
        assert client.post("/api/check", json={"text": text}).is_success
        assert supervisor(client).checkers.seats[0].worker is None
        monkeypatch.undo()
        assert client.post("/api/check", json={"text": text}).is_success
        after = supervisor(client).checkers.seats[0].worker
        assert after is not None
        assert after.pid != small.pid
