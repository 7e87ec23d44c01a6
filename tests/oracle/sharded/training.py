"""Programs that people run on many devices."""

from __future__ import annotations

from collections.abc import Mapping

from ..frameworks.kinds import Kind

SHARDED: Mapping[str, Kind] = {}
