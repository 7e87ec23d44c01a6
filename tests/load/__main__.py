"""`make load`: what a class of 200 waits for, and what the server needs; without a name of a load, all of them.

`visit`: each opens a program of their own. `open`: everybody opens one link. `explore`: everybody steps by themselves in it.
`look`: how many workers those cause who only look: at pages, an example, a link, a step's picture, in a room.
`room`: everybody follows a teacher, in a lesson; the teacher's page is open in a browser. `kill`: the same with a poll, and with server and workers killed in the middle.
`attack`: one machine against a class in a room.
`plan`: what 10,000 sessions on a Ray cluster need, and a grid of 4,096 processes, by measurements here and a simulation.
`record` keeps what a real page asks for, which the others replay.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from tests.bench.measure import machine

from .generators import load_average
from .in_room import in_room, killed
from .lookers import look
from .one_link import explore, open_link
from .one_machine import one_machine
from .plan import plan
from .strangers import visit

LOADS: dict[str, Callable[[argparse.Namespace], bool]] = {
    "visit": visit,
    "open": open_link,
    "explore": explore,
    "look": look,
    "room": in_room,
    "kill": killed,
    "attack": one_machine,
    "plan": plan,
}


def main() -> int:
    """Measures and prints; 1 if somebody could not do what they came for, or a goal is missed."""
    given = _arguments()
    if given.load == "record":
        from .record_page import record

        record()
        return 0
    print(machine())
    print("settings:", ", ".join(given.settings) or "the defaults")
    met = True
    for name in [given.load] if given.load else LOADS:
        print(f"\n== {name}; load average {load_average()}", flush=True)
        met = LOADS[name](given) and met
    return 0 if met else 1


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.load", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("load", nargs="?", choices=[*LOADS, "record"], help="one load; all without it")
    parser.add_argument("--opens", type=int, default=200, metavar="N", help="visitors (default: %(default)s)")
    parser.add_argument(
        "--steppers", type=int, default=100, metavar="N",
        help="visit: those of them who step (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument("--seconds", type=float, default=30, help="how long they step (default: %(default)s)")
    parser.add_argument(
        "--generators", type=int, default=1, metavar="N",
        help="processes that generate the load (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--set", dest="settings", action="append", default=[], metavar="NAME=VALUE",
        help="a setting of the server",
    )  # fmt: skip
    parser.add_argument("--picture", type=Path, metavar="FILE", help="room: the teacher's page at the end")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
