"""Which devices a program runs on, of all that jax finds.

A platform is called as devices of jax call it: `cpu`, `gpu`, `tpu`, or the name of a plug-in. `device` is the one that jax itself
would take. Needs no jax: a test may hand in any list of platforms.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

D = TypeVar("D")
DEFAULT = "device"
CPU = "cpu"


class NoSuchPlatform(Exception):
    """jax finds no device of a platform; `found` has the number of devices of those that there are."""

    def __init__(self, wanted: str, found: Mapping[str, int]) -> None:
        super().__init__(wanted)
        self.wanted, self.found = wanted, dict(found)


def choose(wanted: str, found: Mapping[str, Sequence[D]], default: str) -> Sequence[D]:
    """The devices of a platform; `default` is the one that jax takes unless told otherwise."""
    devices = found.get(default if wanted == DEFAULT else wanted, ())
    if not devices:
        raise NoSuchPlatform(wanted, {name: len(each) for name, each in found.items()})
    return devices
