"""What a real page asks for, as `python -m tests.load record` kept it (`record_page.py`)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TypedDict

KEPT = Path(__file__).parent / "page_requests.json"
WALKS = ("tensor", "index")
"""The tabs that are open while it is stepped."""
RECORDED = "/api/recordings/{recording}/"
"""What the addresses of the recording begin with."""


class Asked(TypedDict):
    """A request, and how many answers to the others had come before it was sent."""

    path: str
    after: int


class PageRequests(TypedDict):
    """What a page asks for: at first, and for each tab at each step."""

    program: str
    open: list[Asked]
    walks: dict[str, list[list[str]]]


def page_requests() -> PageRequests:
    """What was recorded."""
    found: PageRequests = json.loads(KEPT.read_text("utf-8"))
    return found
