"""What tests of pages share: a page taken apart, and its answers as its own code gives them."""

import base64
import json
import re
import subprocess
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

RUNNER = Path(__file__).parents[3] / "js" / "one_file_answers.mjs"
PART = re.compile(rb'<script type="application/octet-stream" data-part="([^"]+)">([^<]*)</script>')
SECONDS = 120


def parts_of(page: bytes) -> dict[str, bytes]:
    """The parts of a page, unpacked."""
    return {
        name.decode(): zlib.decompress(base64.b64decode(packed), -15) for name, packed in PART.findall(page)
    }


@dataclass(frozen=True)
class FileAnswer:
    """What a page answers to a path."""

    status: int
    body: bytes
    headers: dict[str, str]

    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)


def answers_of(page: bytes, paths: Sequence[str]) -> dict[str, FileAnswer]:
    """What the code of pages answers to these paths."""
    parts = parts_of(page)
    packs = {
        name: base64.b64encode(data).decode() for name, data in parts.items() if name.startswith("pack-")
    }
    given = {name: json.loads(parts[name]) for name in ("session", "sources", "index")}
    ran = subprocess.run(
        ["node", str(RUNNER)],
        input=json.dumps({**given, "packs": packs, "paths": list(paths)}),
        capture_output=True,
        check=False,
        text=True,
        timeout=SECONDS,
    )
    assert ran.returncode == 0, ran.stderr
    return {
        path: FileAnswer(found["status"], base64.b64decode(found["body"]), found["headers"])
        for path, found in json.loads(ran.stdout).items()
    }
