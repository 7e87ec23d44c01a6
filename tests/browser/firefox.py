"""Firefox, driven by its own protocol, WebDriver BiDi, over a WebSocket: Playwright drives only a Firefox of its own making."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

NAMES = ("firefox", "firefox-esr")
START_SECONDS = 60
ANSWER_SECONDS = 60
MOST_BYTES = 16 << 20
HELD = {"Alt": "\ue00a", "Shift": "\ue008", "Control": "\ue009"}
KEYS = {"F10": "\ue03a", "F5": "\ue035", "F11": "\ue03b"}
"""The protocol's names of keys."""


class Firefox:
    """One page of it."""

    def __init__(self, connection: ClientConnection) -> None:
        self._connection, self._number = connection, 0
        self.complaints: list[str] = []
        """Errors and warnings of the page's scripts."""
        self._ask("session.new", capabilities={})
        self._ask("session.subscribe", events=["log.entryAdded"])
        self._page = self._ask("browsingContext.getTree")["contexts"][0]["context"]
        self._ask("browsingContext.setViewport", context=self._page, viewport={"width": 1440, "height": 900})

    def open(self, url: str) -> None:
        """Goes to an address, and waits until the page is idle."""
        self._ask("browsingContext.navigate", context=self._page, url=url, wait="complete")
        self.settle()

    def evaluate(self, function: str) -> Any:
        """What a function of the page gives; it must be JSON."""
        told = self._ask(
            "script.evaluate", expression=f"JSON.stringify(({function})())", awaitPromise=True,
            target={"context": self._page},
        )  # fmt: skip
        assert told["type"] == "success", told
        return json.loads(told["result"]["value"])

    def press(self, keys: str) -> None:
        """Presses a key, with others held: `Alt+Shift+F10`; waits until the page is idle."""
        *held, key = keys.split("+")
        down = [{"type": "keyDown", "value": HELD[name]} for name in held]
        up = [{"type": "keyUp", "value": HELD[name]} for name in reversed(held)]
        value = KEYS[key]
        pressed = [{"type": "keyDown", "value": value}, {"type": "keyUp", "value": value}]
        source = {"type": "key", "id": "keyboard", "actions": [*down, *pressed, *up]}
        self._ask("input.performActions", context=self._page, actions=[source])
        self.settle()

    def settle(self) -> None:
        """Waits until the page says that it is idle, twice in a row."""
        deadline, still = time.monotonic() + ANSWER_SECONDS, 0
        while still < 2:
            assert time.monotonic() < deadline, "the page does not come to rest"
            time.sleep(0.05)
            is_idle = self.evaluate("() => document.documentElement.hasAttribute('data-idle')")
            still = still + 1 if is_idle else 0

    def _ask(self, method: str, **parameters: Any) -> Any:
        self._number += 1
        self._connection.send(json.dumps({"id": self._number, "method": method, "params": parameters}))
        while True:
            said = json.loads(self._connection.recv(ANSWER_SECONDS))
            if said.get("method") == "log.entryAdded" and said["params"]["level"] in ("error", "warn"):
                self.complaints.append(said["params"]["text"])
            if said.get("id") == self._number:
                assert said["type"] == "success", said
                return said["result"]


def find_firefox() -> str | None:
    """The Firefox on the `PATH`."""
    return next(filter(None, map(shutil.which, NAMES)), None)


@contextmanager
def firefox(profile: Path) -> Iterator[Firefox]:
    """Firefox without a window, with a new profile in a folder."""
    program = find_firefox()
    assert program, "there is no Firefox; type: sudo apt-get install firefox-esr"
    command = [program, "--headless", "--remote-debugging-port", "0", "--profile", str(profile)]
    with (profile / "said.txt").open("w") as words:
        process = subprocess.Popen(command, stdout=words, stderr=words)
    try:
        with connect(f"{_address(profile / 'said.txt')}/session", max_size=MOST_BYTES) as connection:
            yield Firefox(connection)
    finally:
        process.terminate()
        process.wait(30)


def _address(said: Path) -> str:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if found := re.search(r"BiDi listening on (ws://\S+)", said.read_text(errors="replace")):
            return found[1]
        time.sleep(0.1)
    raise AssertionError(f"Firefox did not start: {said.read_text(errors='replace')[-2000:]}")
